/* hive.c - pairs of folder names to typed values: all as text first, then as what all of them are. */
#include "parquet/read/hive.h"

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

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Bytes of text without their escapes; %25 is '%', and what is no escape stays. */
static status decode(arena *a, const char *text, size_t bytes, value *out)
{
    char *to = arena_alloc(a, bytes + 1);
    size_t count = 0;
    if (!to)
        return status_no_memory("table", bytes);
    for (size_t i = 0; i < bytes; i++) {
        int high = i + 2 < bytes && text[i] == '%' ? hex_digit(text[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
        to[count++] = low >= 0 ? (char)(high * 16 + low) : text[i];
        i += low >= 0 ? 2 : 0;
    }
    *out = value_text(to, count);
    return STATUS_OK;
}

/* ---- paths ---- */

/* The next pair of the path's folders from *at on; false: there is none left. */
static bool next_pair(const char **at, const char **out_name, const char **out_equal,
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

static int find_key(const pq_hive_keys *hive, const char *name, size_t bytes)
{
    for (size_t i = 0; i < hive->keys.count; i++)
        if (strlen(hive->keys.items[i].name) == bytes &&
            !strncasecmp(hive->keys.items[i].name, name, bytes))
            return (int)i;
    return -1;
}

static status add_keys(arena *a, const char *path, pq_hive_keys *hive)
{
    const char *name, *equal, *end;
    while (next_pair(&path, &name, &equal, &end)) {
        size_t bytes = (size_t)(equal - name);
        if (find_key(hive, name, bytes) >= 0)
            continue;
        char *copy = arena_copy_text(a, name, bytes);
        if (!copy)
            return status_no_memory("table", bytes);
        TRY(array_push(a, &hive->keys,
                       ((pq_hive_key){.name = copy, .type = type_make(TYPE_VARCHAR)})));
    }
    return STATUS_OK;
}

/* The texts of a path's pairs, one for each key. *is_alike: it has the keys, and no others. Of a key that a
 * path has twice the first counts. */
static status read_folder(arena *a, const pq_hive_keys *hive, const char *path, value **out,
                          bool *is_alike)
{
    const char *name, *equal, *end;
    size_t count = hive->keys.count, found = 0;
    value *values = arena_alloc_array(a, count + 1, sizeof *values);
    if (!values)
        return status_no_memory("table", count * sizeof *values);
    *is_alike = true;
    while (next_pair(&path, &name, &equal, &end)) {
        int key = find_key(hive, name, (size_t)(equal - name));
        if (key < 0)
            *is_alike = false;
        if (key < 0 || values[key].type.id == TYPE_VARCHAR)
            continue;
        found++;
        TRY(decode(a, equal + 1, (size_t)(end - equal - 1), &values[key]));
        if (values[key].bytes == strlen(PQ_HIVE_NULL) &&
            !memcmp(values[key].text, PQ_HIVE_NULL, values[key].bytes))
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

static bool read_integer(const value *text, value *out)
{
    int128 number;
    for (size_t i = 0; i < text->bytes; i++)
        if ((text->text[i] < '0' || text->text[i] > '9') &&
            (i || text->text[i] != '-' || text->bytes == 1))
            return false;
    if (!text->bytes || !int128_parse(text->text, text->bytes, &number) ||
        number != (int64_t)number)
        return false;
    *out = value_int(TYPE_INT64, (int64_t)number);
    return true;
}

static bool read_date(const value *text, value *out)
{
    int32_t days;
    if (!text->bytes || text->text[0] < '0' || text->text[0] > '9' ||
        !date_parse(text->text, text->bytes, &days))
        return false;
    *out = value_int(TYPE_DATE, days);
    return true;
}

typedef bool reader(const value *text, value *out);

/* All values of the key that are not NULL can be read so, and there is one. */
static bool are_all(const pq_hive_keys *hive, size_t key, reader *read)
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

static void read_all(pq_hive_keys *hive, size_t key, type_id type, reader *read)
{
    hive->keys.items[key].type = type_make(type);
    for (size_t i = 0; i < hive->folders.count; i++) {
        value *v = &hive->folders.items[i][key], text = *v;
        if (text.is_null || !read(&text, v))
            *v = value_null(type_make(type));
    }
}

static void find_type(pq_hive_keys *hive, size_t key)
{
    for (size_t i = 0; i < hive->folders.count; i++)
        hive->keys.items[key].is_nullable |= hive->folders.items[i][key].is_null;
    if (are_all(hive, key, read_integer))
        read_all(hive, key, TYPE_INT64, read_integer);
    else if (are_all(hive, key, read_date))
        read_all(hive, key, TYPE_DATE, read_date);
}

/* ---- the interface ---- */

static size_t folder_bytes(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash + 1 - path) : 0;
}

status pq_hive_find(arena *a, pq_hive mode, const path_list *paths, uint32_t *folders,
                    pq_hive_keys *out)
{
    *out = (pq_hive_keys){0};
    if (mode == PQ_HIVE_OFF || !paths->count)
        return STATUS_OK;
    const char *first = paths->items[0], *before = NULL;
    TRY(add_keys(a, first, out));
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
    for (size_t k = 0; k < out->keys.count; k++)
        find_type(out, k);
    return STATUS_OK;
}

static int compare_values(const void *left, const void *right)
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
        qsort(values, count, sizeof *values, compare_values);
    for (size_t i = 0; i < count; i++)
        *out += !i || value_compare(values[i - 1], values[i]) != 0;
    mem_free(values);
    return STATUS_OK;
}
