/* lake_rest.c - see lake_rest.h. */
#include "lake/lake_rest.h"

#include "lake/iceberg/iceberg.h"
#include "parquet/table/table_given.h"
#include "storage/object_store.h"

#include <time.h>

/* Keys that end soon are asked for again. */
#define ENDS_SECONDS 120

static bool is_same_state(const rest_table *table, const pq_table *before)
{
    const rest_table *old = before && before->given ? iceberg_rest_table(before->given) : NULL;
    return old && !strcmp(old->location, table->location) &&
           (!old->ends || old->ends > time(NULL) + ENDS_SECONDS) && !old->store == !table->store;
}

/* Takes the arena over. */
static status open_rest(arena *memory, const lake_request *request, const char *text,
                        bool use_cache, pq_table **out)
{
    pq_given *given;
    uint32_t store = object_store_used();
    object_store_use(request->rest->store ? request->rest->store : store);
    status st = iceberg_read(memory, request, &given);
    object_store_use(store);
    if (!st)
        return pq_table_new_given(memory, text, given, use_cache, out);
    arena_free(memory);
    return st;
}

status lake_open_rest(rest_catalog *c, const lake_rest_name *name, const char *text, bool use_cache,
                      pq_table *before, pq_table **out)
{
    arena *memory;
    lake_request request;
    *out = NULL;
    TRY(arena_new(&memory));
    rest_table *table = arena_alloc(memory, sizeof *table);
    status st = table ? lake_request_parse(memory, text, &request)
                      : status_no_memory("lake", sizeof *table);
    if (!st)
        st = rest_load_table(c, memory, name->space, name->table, table);
    if (st || is_same_state(table, before)) {
        bool is_missing = status_get_kind(st) == STATUS_KIND_NOT_FOUND;
        arena_free(memory);
        *out = st ? NULL : before;
        if (is_missing)
            status_free(st);
        return is_missing ? STATUS_OK : st;
    }
    request.rest = table;
    return open_rest(memory, &request, text, use_cache, out);
}

/* Writes a part of a name: slashes end it. */
static char *escape_part(arena *a, const char *text)
{
    char *made = arena_alloc(a, 3 * strlen(text) + 1), *to = made;
    for (; made && *text; text++)
        if (*text == '/' || *text == '%')
            to = stpcpy(to, *text == '/' ? "%2f" : "%25");
        else
            *to++ = *text;
    return made;
}

const char *lake_rest_text(arena *a, const lake_rest_name *name)
{
    char *catalog = escape_part(a, name->catalog), *space = escape_part(a, name->space);
    char *table = escape_part(a, name->table);
    return catalog && space && table ? arena_format(a, "rest:%s/%s/%s", catalog, space, table)
                                     : NULL;
}

/* Returns the part of a name before a slash, and moves behind that; NULL: no memory. */
static const char *take_part(arena *a, const char **at)
{
    size_t bytes = strcspn(*at, "/");
    char *made = arena_copy_text(a, *at, bytes), *to = made;
    for (const char *from = made; made && *from; from++) {
        bool is_escaped = !strncmp(from, "%2f", 3) || !strncmp(from, "%25", 3);
        *to++ = !is_escaped ? *from : from[2] == 'f' ? '/' : '%';
        from += is_escaped ? 2 : 0;
    }
    if (made)
        *to = '\0';
    *at += bytes + ((*at)[bytes] == '/');
    return made;
}

status lake_rest_name_of(arena *a, const char *text, lake_rest_name *out, bool *out_is)
{
    lake_request request = {0};
    *out_is = !strncmp(text, "rest", 4);
    if (*out_is)
        TRY(lake_request_parse(a, text, &request));
    *out_is = request.kind == LAKE_REST;
    if (!*out_is)
        return STATUS_OK;
    const char *at = request.path;
    out->catalog = take_part(a, &at);
    out->space = take_part(a, &at);
    out->table = take_part(a, &at);
    return out->catalog && out->space && out->table ? STATUS_OK
                                                    : status_no_memory("lake", strlen(text));
}
