/* store_folder.c - see store_folder.h. Objects are listed by name: those of a sub-folder come one after another. */
#include "sql/catalog/store_folder.h"

#include "sql/catalog/path_name.h"
#include "storage/object_store.h"
#include "storage/pattern.h"

typedef struct store_folder {
    arena *memory;
    size_t prefix_bytes;
    path_list *names;
    char *name; /* of the sub-folder at hand; NULL: none */
    bool has_log, has_parquet, has_any_log;
} store_folder;

static bool is_of_log(const char *inner)
{
    static const char delta[] = "_delta_log/", iceberg[] = "metadata/";
    return !strncmp(inner, delta, sizeof delta - 1) ||
           (!strncmp(inner, iceberg, sizeof iceberg - 1) && strstr(inner, ".metadata.json"));
}

static status end_folder(store_folder *f)
{
    bool is_table = f->name && (f->has_log || (f->has_parquet && !sql_is_pair(f->name)));
    if (is_table)
        TRY(array_push(f->memory, f->names, f->name));
    f->has_any_log |= f->has_log;
    f->has_log = f->has_parquet = false;
    f->name = NULL;
    return STATUS_OK;
}

static status begin_folder(store_folder *f, const char *name, size_t bytes)
{
    if (f->name && strlen(f->name) == bytes && !strncmp(f->name, name, bytes))
        return STATUS_OK;
    TRY(end_folder(f));
    f->name = arena_copy_text(f->memory, name, bytes);
    return f->name ? STATUS_OK : status_no_memory("catalog", bytes);
}

static status take_object(void *context, const char *url)
{
    store_folder *f = context;
    const char *rest = url + f->prefix_bytes, *slash = strchr(rest, '/');
    if (file_name_is_hidden(rest))
        return STATUS_OK;
    if (!slash) {
        char *name = arena_copy_text(f->memory, rest, strlen(rest));
        TRY(end_folder(f));
        if (!name)
            return status_no_memory("catalog", strlen(rest));
        return sql_is_parquet_name(name) ? array_push(f->memory, f->names, name) : STATUS_OK;
    }
    TRY(begin_folder(f, rest, (size_t)(slash - rest)));
    f->has_log |= is_of_log(slash + 1);
    f->has_parquet |= file_name_is_parquet(slash + 1);
    return STATUS_OK;
}

status sql_store_tables(arena *a, const char *url, path_list *out)
{
    size_t bytes = strlen(url);
    store_folder f = {.memory = a, .names = out};
    while (bytes && url[bytes - 1] == '/')
        bytes--;
    *out = (path_list){0};
    const char *prefix = arena_format(a, "%.*s/", (int)bytes, url);
    if (!prefix)
        return status_no_memory("catalog", bytes);
    f.prefix_bytes = bytes + 1;
    TRY(object_store_list(prefix, take_object, &f));
    TRY(end_folder(&f));
    if (!f.has_any_log)
        out->count = 0;
    return STATUS_OK;
}
