/* copy_key_path.c - see copy_key_path.h. */
#include "api/write/copy_key_path.h"

#include "api/handles/batch.h"
#include "parquet/table/hive.h"

#include <string.h>

/* ---- names ---- */

status api_path_add(api_path *to, const char *bytes, size_t count)
{
    TRY(array_reserve(NULL, to, count + 1));
    if (count)
        memcpy(to->items + to->count, bytes, count);
    to->count += count;
    to->items[to->count] = 0;
    return STATUS_OK;
}

static bool copy_key_path_is_plain(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c && strchr("_.~-", c));
}

static status add_escape(api_path *to, unsigned char c)
{
    const char escape[] = {'%', "0123456789ABCDEF"[c >> 4], "0123456789ABCDEF"[c & 15]};
    return api_path_add(to, escape, sizeof escape);
}

/* Bytes that a folder's name may not have, or that mean something in it, as %XX. */
static status add_escaped(api_path *to, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        TRY(copy_key_path_is_plain((unsigned char)bytes[i])
                ? api_path_add(to, &bytes[i], 1)
                : add_escape(to, (unsigned char)bytes[i]));
    return STATUS_OK;
}

static bool copy_key_path_is_null(const exec_batch_column *c, uint64_t row)
{
    return c->validity && !(c->validity[row / 64] >> row % 64 & 1);
}

/* Returns a key, a text's as well; its bytes are the batch's. */
static value copy_key_path_key_at(const exec_batch_column *column, uint64_t row)
{
    if (!type_is_text(column->type))
        return api_value_at(column, row);
    const string_view *view = &((const string_view *)column->values)[row];
    return value_text(string_data(view), view->bytes);
}

/* Adds a key's name: what a folder's name cannot have, or would be read in another way, is escaped. */
static status copy_key_path_add_name(api_path *to, const char *name)
{
    for (const char *at = name; *at; at++) {
        bool is_taken = strchr("/=%", *at) || (at == name && *at == '.');
        TRY(is_taken ? add_escape(to, (unsigned char)*at) : api_path_add(to, at, 1));
    }
    return STATUS_OK;
}

static status copy_key_path_add_value(api_path *to, const exec_batch_column *column, uint64_t row)
{
    char text[256];
    if (copy_key_path_is_null(column, row))
        return api_path_add(to, PQ_HIVE_NULL, strlen(PQ_HIVE_NULL));
    value v = copy_key_path_key_at(column, row);
    if (!type_is_text(column->type))
        return add_escaped(to, text, value_format(&v, text, sizeof text));
    bool is_null_name = v.bytes == strlen(PQ_HIVE_NULL) && !memcmp(v.text, PQ_HIVE_NULL, v.bytes);
    if (is_null_name) { /* as it is, it would be NULL */
        TRY(api_path_add(to, "%5F", 3));
        return api_path_add(to, v.text + 1, v.bytes - 1);
    }
    return add_escaped(to, v.text, v.bytes);
}

status api_path_add_keys(api_path *to, const api_copy_keys *keys, const exec_batch *batch,
                         uint64_t row)
{
    for (uint32_t k = keys->first; k < keys->columns->count; k++) {
        const char *name = keys->columns->items[k].name;
        TRY(api_path_add(to, "/", 1));
        TRY(copy_key_path_add_name(to, name));
        TRY(api_path_add(to, "=", 1));
        TRY(copy_key_path_add_value(to, &batch->columns[k], row));
    }
    return STATUS_OK;
}

/* ---- rows ---- */

static bool copy_key_path_is_same(const exec_batch_column *c, uint64_t one, uint64_t other)
{
    bool one_null = copy_key_path_is_null(c, one), other_null = copy_key_path_is_null(c, other);
    if (one_null || other_null)
        return one_null && other_null;
    value a = copy_key_path_key_at(c, one), b = copy_key_path_key_at(c, other);
    return c->type.id == TYPE_BOOL ? a.boolean == b.boolean : !value_compare(&a, &b);
}

uint64_t api_copy_keys_end(const api_copy_keys *keys, const exec_batch *batch, uint64_t first)
{
    uint64_t row = first + 1;
    for (; row < batch->row_count; row++)
        for (uint32_t k = keys->first; k < keys->columns->count; k++)
            if (!copy_key_path_is_same(&batch->columns[k], row - 1, row))
                return row;
    return row;
}
