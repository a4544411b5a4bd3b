/* lake_text.c - reads logs: whole files, JSON by yyjson in the engine's memory, values, paths. */
#include "lake/log/lake_text.h"

#include "base/text/type_parse.h"
#include "storage/object_store.h"

#include <ctype.h>
#include <strings.h>

/* ---- files ---- */

status lake_read(arena *a, const char *path, char **out, size_t *out_bytes)
{
    file *f;
    TRY(file_open(path, &f));
    char *text = f->bytes <= LAKE_FILE_BYTES_MAX ? arena_alloc(a, f->bytes + 1) : NULL;
    status st = STATUS_OK;
    if (f->bytes > LAKE_FILE_BYTES_MAX)
        st = status_new(STATUS_KIND_UNSUPPORTED,
                        "file \"%s\" of a log has %llu bytes, more than is read", path,
                        (unsigned long long)f->bytes);
    else if (!text)
        st = status_no_memory("lake", f->bytes);
    else if (f->bytes)
        st = file_read(f, 0, text, f->bytes);
    *out = text;
    *out_bytes = f->bytes;
    file_close(f);
    return st;
}

status lake_list(arena *a, const char *folder, const char *pattern, path_list *out)
{
    *out = (path_list){0};
    char *whole = arena_format(a, "%s/%s", folder, pattern);
    if (!whole)
        return status_no_memory("lake", strlen(folder));
    status st = file_expand(a, whole, out);
    if (!st || status_get_kind(st) != STATUS_KIND_NOT_FOUND)
        return st;
    status_free(st);
    out->count = 0;
    return STATUS_OK;
}

/* ---- JSON ---- */

static void *json_malloc(void *context, size_t bytes)
{
    (void)context;
    return mem_resize(NULL, bytes);
}

static void *json_realloc(void *context, void *memory, size_t old, size_t bytes)
{
    (void)context;
    (void)old;
    return mem_resize(memory, bytes);
}

static void json_free(void *context, void *memory)
{
    (void)context;
    mem_free(memory);
}

static void free_document(void *document)
{
    yyjson_doc_free(document);
}

static bool is_json_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* yyjson copies what it is given: a log of many values is given by lines, and a value of several lines by more and more of
 * the text. */
static yyjson_doc *read_document(char *text, size_t bytes, const yyjson_alc *memory,
                                 yyjson_read_err *error)
{
    const char *line = memchr(text, '\n', bytes);
    size_t window = line ? (size_t)(line - text) + 1 : bytes;
    for (;;) {
        yyjson_doc *document =
            yyjson_read_opts(text, window, YYJSON_READ_STOP_WHEN_DONE, memory, error);
        if (document || window == bytes || error->code == YYJSON_READ_ERROR_MEMORY_ALLOCATION)
            return document;
        window = window < bytes / 4 ? 4 * window : bytes;
    }
}

status lake_json(arena *a, const char *path, char *text, size_t bytes, size_t *at, yyjson_val **out)
{
    const yyjson_alc memory = {json_malloc, json_realloc, json_free, NULL};
    yyjson_read_err error;
    yyjson_doc *document = read_document(text + *at, bytes - *at, &memory, &error);
    *out = NULL;
    if (!document && error.code == YYJSON_READ_ERROR_MEMORY_ALLOCATION)
        return status_no_memory("lake", bytes);
    if (!document)
        return status_new(STATUS_KIND_CORRUPT, "file \"%s\" is not JSON at its byte %zu: %s", path,
                          *at + error.pos, error.msg);
    *at += yyjson_doc_get_read_size(document);
    while (*at < bytes && is_json_space(text[*at]))
        (*at)++;
    status st = arena_on_free(a, free_document, document);
    if (st) {
        yyjson_doc_free(document);
        return st;
    }
    *out = yyjson_doc_get_root(document);
    return STATUS_OK;
}

const char *lake_json_text(yyjson_val *object, const char *name)
{
    return yyjson_get_str(yyjson_obj_get(object, name));
}

bool lake_json_int(yyjson_val *object, const char *name, int64_t *out)
{
    yyjson_val *v = yyjson_obj_get(object, name);
    if (!yyjson_is_int(v))
        return false;
    *out = yyjson_is_uint(v) ? (int64_t)yyjson_get_uint(v) : yyjson_get_sint(v);
    return true;
}

bool lake_json_bool(yyjson_val *object, const char *name)
{
    return yyjson_get_bool(yyjson_obj_get(object, name));
}

/* ---- values ---- */

bool lake_text_value(arena *a, const char *text, data_type type, value *out)
{
    size_t bytes = strlen(text);
    if (type_is_text(type)) {
        *out = value_text(arena_copy_text(a, text, bytes), bytes);
        out->type = type;
        return out->text != NULL;
    }
    return value_parse(text, bytes, type, out);
}

bool lake_json_value(arena *a, yyjson_val *from, data_type type, value *out)
{
    char number[64];
    if (yyjson_is_str(from))
        return lake_text_value(a, yyjson_get_str(from), type, out);
    if (yyjson_is_bool(from)) {
        *out = value_bool(yyjson_get_bool(from));
        return type.id == TYPE_BOOL;
    }
    if (!yyjson_is_num(from) || type_is_text(type))
        return false;
    if (yyjson_is_uint(from))
        snprintf(number, sizeof number, "%llu", (unsigned long long)yyjson_get_uint(from));
    else if (yyjson_is_int(from))
        snprintf(number, sizeof number, "%lld", (long long)yyjson_get_sint(from));
    else
        snprintf(number, sizeof number, "%.17g", yyjson_get_real(from));
    return value_parse(number, strlen(number), type, out);
}

/* ---- paths ---- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : isxdigit((unsigned char)c) ? (c | 32) - 'a' + 10 : -1;
}

static void decode_escapes(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        int high = *from == '%' ? hex_digit(from[1]) : -1;
        int low = high >= 0 ? hex_digit(from[2]) : -1;
        int byte = low >= 0 ? high * 16 + low : 0;
        *to++ = byte ? (char)byte : *from;
        from += byte ? 2 : 0;
    }
    *to = 0;
}

/* file:/a, file:///a and file://host/a are /a. */
static const char *without_scheme(const char *path)
{
    if (strncasecmp(path, "file:", 5) != 0)
        return path;
    path += 5;
    if (path[0] == '/' && path[1] == '/') {
        const char *slash = strchr(path + 2, '/');
        return slash ? slash : path;
    }
    return path;
}

const char *lake_path(arena *a, const char *root, const char *path, bool is_escaped)
{
    const char *plain = without_scheme(path);
    bool is_whole = plain[0] == '/' || object_store_has(plain);
    char *copy = arena_copy_text(a, plain, strlen(plain));
    if (copy && is_escaped)
        decode_escapes(copy);
    return is_whole || !copy ? copy : arena_format(a, "%s/%s", root, copy);
}

const char *lake_name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
