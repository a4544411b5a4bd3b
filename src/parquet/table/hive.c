/* hive.c - pairs of folder names to typed values: all as text first, then as what all of them are. */
#include "parquet/table/hive.h"

#include "base/text/type_parse.h"
#include "base/text/utf8.h"

#include <stdlib.h>
#include <strings.h>

const char *pq_hive_pair(const char *name, size_t bytes)
{
    const char *equal = memchr(name, '=', bytes);
    if (!equal || equal == name)
        return NULL;
    return memchr(equal + 1, '=', bytes - (size_t)(equal + 1 - name)) ? NULL : equal;
}

/* ---- text ---- */

static int hive_hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes percent-escapes: %25 is '%', and what is not an escape stays. */
static status hive_decode(arena *a, const char *text, size_t bytes, value *out)
{
    char *to = arena_alloc(a, bytes + 1);
    size_t count = 0;
    if (!to)
        return status_no_memory("table", bytes);
    for (size_t i = 0; i < bytes; i++) {
        int high = i + 2 < bytes && text[i] == '%' ? hive_hex_digit(text[i + 1]) : -1;
        int low = high >= 0 ? hive_hex_digit(text[i + 2]) : -1;
        to[count++] = low >= 0 ? (char)(high * 16 + low) : text[i];
        i += low >= 0 ? 2 : 0;
    }
    *out = value_text(to, count);
    return STATUS_OK;
}

static status hive_check_text(const char *path, const value *text)
{
    if (utf8_valid_bytes(text->text, text->bytes) == text->bytes)
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_INVALID,
                                  "a folder of file \"%s\" names a value that is not valid UTF-8",
                                  path),
                       "with hive_partitioning = off folders give no columns");
}

/* ---- paths ---- */

/* The next pair of the path's folders from *at on; false: there is none left. */
static bool hive_next_pair(const char **at, const char **out_name, const char **out_equal,
                           const char **out_end)
{
    for (;;) {
        const char *name = *at, *end = strchr(name, '/');
        if (!end)
            return false; /* the file's own name */
        *at = end + 1;
        *out_equal = pq_hive_pair(name, (size_t)(end - name));
        if (*out_equal) {
            *out_name = name;
            *out_end = end;
            return true;
        }
    }
}

/* Decodes the name of a pair, unless it would have a NUL. */
static status decode_name(arena *a, const char *name, size_t bytes, value *out)
{
    *out = value_text(name, bytes);
    if (!memchr(name, '%', bytes))
        return STATUS_OK;
    value decoded;
    TRY(hive_decode(a, name, bytes, &decoded));
    if (!memchr(decoded.text, 0, decoded.bytes))
        *out = decoded;
    return STATUS_OK;
}

static int hive_find_key(const pq_hive_keys *hive, const char *name, size_t bytes)
{
    for (size_t i = 0; i < hive->keys.count; i++)
        if (strlen(hive->keys.items[i].name) == bytes &&
            !strncasecmp(hive->keys.items[i].name, name, bytes))
            return (int)i;
    return -1;
}

static status hive_add_keys(arena *a, const char *path, pq_hive_keys *hive)
{
    const char *name, *equal, *end;
    while (hive_next_pair(&path, &name, &equal, &end)) {
        value key;
        TRY(decode_name(a, name, (size_t)(equal - name), &key));
        if (hive_find_key(hive, key.text, key.bytes) >= 0)
            continue;
        char *copy = arena_copy_text(a, key.text, key.bytes);
        if (!copy)
            return status_no_memory("table", key.bytes);
        TRY(array_push(a, &hive->keys,
                       ((pq_hive_key){.name = copy, .type = type_make(TYPE_VARCHAR)})));
    }
    return STATUS_OK;
}

/* Returns whether the text in a folder's name, not decoded, stands for NULL. */
static bool is_null_text(const char *text, size_t bytes)
{
    return bytes == strlen(PQ_HIVE_NULL) && !memcmp(text, PQ_HIVE_NULL, bytes);
}

/* The texts of a path's pairs, one for each key. *is_alike: it has the keys, and no others. Of a key that a
 * path has twice the first counts. */
static status read_folder(arena *a, const pq_hive_keys *hive, const char *path, value **out,
                          bool *is_alike)
{
    const char *name, *equal, *end, *whole = path;
    size_t count = hive->keys.count, found = 0;
    value *values = arena_alloc_array(a, count + 1, sizeof *values);
    if (!values)
        return status_no_memory("table", count * sizeof *values);
    *is_alike = true;
    while (hive_next_pair(&path, &name, &equal, &end)) {
        value key_name;
        TRY(decode_name(a, name, (size_t)(equal - name), &key_name));
        int key = hive_find_key(hive, key_name.text, key_name.bytes);
        if (key < 0)
            *is_alike = false;
        if (key < 0 || values[key].type.id == TYPE_VARCHAR)
            continue;
        found++;
        size_t bytes = (size_t)(end - equal - 1);
        TRY(hive_decode(a, equal + 1, bytes, &values[key]));
        TRY(hive_check_text(whole, &values[key]));
        if (is_null_text(equal + 1, bytes))
            values[key] = value_null(type_make(TYPE_VARCHAR));
    }
    *is_alike &= found == count;
    *out = values;
    return STATUS_OK;
}

static status other_keys(const char *first, const char *path)
{
    return status_hint(
        status_new(STATUS_KIND_INVALID,
                   "the folders of file \"%s\" do not name the same keys as those of \"%s\"", path,
                   first),
        "with hive_partitioning = auto such folders give no columns");
}

/* ---- types ---- */

/* Returns whether the value would be written as the text is. */
static bool is_written_so(const value *v, const value *text)
{
    char written[DATE_TEXT_BYTES + INT128_TEXT_BYTES];
    return value_format(v, written, sizeof written) == text->bytes &&
           !memcmp(written, text->text, text->bytes);
}

/* Reads an integer; not one with zeros before it, a plus sign, or in other ways not the number's own text:
 * 01234 is a postcode. */
static bool hive_read_integer(const value *text, value *out)
{
    return value_parse(text->text, text->bytes, type_make(TYPE_INT64), out) &&
           is_written_so(out, text);
}

static bool hive_read_date(const value *text, value *out)
{
    return value_parse(text->text, text->bytes, type_make(TYPE_DATE), out) &&
           is_written_so(out, text);
}

typedef bool reader(const value *text, value *out);

/* All values of the key that are not NULL can be read so, and there is one. */
static bool hive_are_all(const pq_hive_keys *hive, size_t key, reader *read)
{
    bool has_any = false;
    value ignored;
    for (size_t i = 0; i < hive->folders.count; i++) {
        const value *text = &hive->folders.items[i][key];
        if (text->is_null)
            continue;
        if (!read(text, &ignored))
            return false;
        has_any = true;
    }
    return has_any;
}

static void hive_read_all(pq_hive_keys *hive, size_t key, type_id type, reader *read)
{
    hive->keys.items[key].type = type_make(type);
    for (size_t i = 0; i < hive->folders.count; i++) {
        value *v = &hive->folders.items[i][key], text = *v;
        if (text.is_null || !read(&text, v))
            *v = value_null(type_make(type));
    }
}

static status not_of_type(const char *name, const value *text, data_type type)
{
    char type_text[TYPE_NAME_BYTES];
    return status_new(STATUS_KIND_INVALID,
                      "hive_types: \"%.*s\" in the name of a folder is not a value of key \"%s\" "
                      "of type %s",
                      (int)text->bytes, text->text, name, type_name(type, type_text));
}

static status read_given(pq_hive_keys *hive, size_t key, data_type type)
{
    hive->keys.items[key].type = type;
    for (size_t i = 0; i < hive->folders.count; i++) {
        value *v = &hive->folders.items[i][key], text = *v;
        if (text.is_null)
            *v = value_null(type);
        else if (!value_parse(text.text, text.bytes, type, v))
            return not_of_type(hive->keys.items[key].name, &text, type);
    }
    return STATUS_OK;
}

static status hive_find_type(pq_hive_keys *hive, size_t key, const pq_hive_type_list *types)
{
    for (size_t i = 0; i < hive->folders.count; i++)
        hive->keys.items[key].is_nullable |= hive->folders.items[i][key].is_null;
    const pq_hive_type *given = pq_hive_types_find(types, hive->keys.items[key].name);
    if (given)
        return read_given(hive, key, given->type);
    if (hive_are_all(hive, key, hive_read_integer))
        hive_read_all(hive, key, TYPE_INT64, hive_read_integer);
    else if (hive_are_all(hive, key, hive_read_date))
        hive_read_all(hive, key, TYPE_DATE, hive_read_date);
    return STATUS_OK;
}

static status check_names(const pq_hive_keys *hive, const pq_hive_type_list *types)
{
    for (size_t i = 0; i < types->count; i++) {
        const char *name = types->items[i].name;
        if (hive_find_key(hive, name, strlen(name)) < 0)
            return status_hint(
                status_new(STATUS_KIND_INVALID,
                           "hive_types: \"%s\" is not a key of the table's folders", name),
                hive->keys.count ? "its first key is \"%s\"" : "they give it no keys",
                hive->keys.count ? hive->keys.items[0].name : "");
    }
    return STATUS_OK;
}

/* ---- the interface ---- */

static size_t folder_bytes(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash + 1 - path) : 0;
}

/* Finds the keys and the texts of their values. */
static status hive_find_texts(arena *a, pq_hive mode, const path_list *paths, uint32_t *folders,
                              pq_hive_keys *out)
{
    const char *first = paths->items[0], *before = NULL;
    TRY(hive_add_keys(a, first, out));
    bool is_alike = out->keys.count > 0 || mode == PQ_HIVE_ON;
    for (size_t i = 0; i < paths->count && is_alike; i++) {
        const char *path = paths->items[i];
        size_t bytes = folder_bytes(path);
        value *values;
        if (!before || folder_bytes(before) != bytes || memcmp(before, path, bytes) != 0) {
            TRY(read_folder(a, out, path, &values, &is_alike));
            TRY(array_push(a, &out->folders, values));
        }
        if (!is_alike && mode == PQ_HIVE_ON)
            return other_keys(first, path);
        folders[i] = (uint32_t)out->folders.count - 1;
        before = path;
    }
    if (!is_alike)
        *out = (pq_hive_keys){0};
    return STATUS_OK;
}

status pq_hive_find(arena *a, pq_hive mode, const pq_hive_type_list *types, const path_list *paths,
                    uint32_t *folders, pq_hive_keys *out)
{
    *out = (pq_hive_keys){0};
    if (mode != PQ_HIVE_OFF && paths->count)
        TRY(hive_find_texts(a, mode, paths, folders, out));
    if (paths->count)
        TRY(check_names(out, types));
    for (size_t k = 0; k < out->keys.count; k++)
        TRY(hive_find_type(out, k, types));
    return STATUS_OK;
}

status pq_hive_add_filename(arena *a, const path_list *paths, uint32_t *folders, pq_hive_keys *hive)
{
    pq_hive_keys all = {0};
    size_t count = hive->keys.count;
    const pq_hive_key filename = {.name = "filename", .type = type_make(TYPE_VARCHAR)};
    TRY(array_push(a, &all.keys, filename));
    for (size_t k = 0; k < count; k++)
        TRY(array_push(a, &all.keys, hive->keys.items[k]));
    for (size_t i = 0; i < paths->count; i++) {
        size_t bytes = strlen(paths->items[i]);
        value *values = arena_alloc_array(a, count + 1, sizeof *values);
        char *path = arena_copy_text(a, paths->items[i], bytes); /* paths may go before the table */
        if (!values || !path)
            return status_no_memory("table", count * sizeof *values + bytes);
        values[0] = value_text(path, bytes);
        for (size_t k = 0; k < count; k++)
            values[k + 1] = hive->folders.items[folders[i]][k];
        TRY(array_push(a, &all.folders, values));
        folders[i] = (uint32_t)i;
    }
    *hive = all;
    return STATUS_OK;
}

static int hive_compare_values(const void *left, const void *right)
{
    return value_compare(*(const value *const *)left, *(const value *const *)right);
}

status pq_hive_count(const pq_hive_keys *hive, size_t key, const bool *is_marked, int64_t *out)
{
    size_t count = 0;
    const value **values = mem_new_array(hive->folders.count + 1, sizeof *values);
    *out = 0;
    if (!values)
        return status_no_memory("table", hive->folders.count * sizeof *values);
    for (size_t i = 0; i < hive->folders.count; i++)
        if (is_marked[i] && !hive->folders.items[i][key].is_null)
            values[count++] = &hive->folders.items[i][key];
    if (count)
        qsort(values, count, sizeof *values, hive_compare_values);
    for (size_t i = 0; i < count; i++)
        *out += !i || value_compare(values[i - 1], values[i]) != 0;
    mem_free(values);
    return STATUS_OK;
}
