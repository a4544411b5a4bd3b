/* nested_make.c - values made of others: lists, structs, maps, ranges. */
#include "device/nested/nested_build.h"
#include "device/nested/nested_order.h"

/* ---- lists and structs ---- */

/* Element k of row i is row i of argument k, all of which lie end to end. */
static status interleave(const nested_args *c, tensor *all, tensor **out)
{
    nested_index index;
    TRY(nested_index_new(c->stream, c->count * c->arg_count, &index));
    for (uint64_t i = 0; i < c->count; i++)
        for (uint64_t k = 0; k < c->arg_count; k++)
            nested_index_add(&index, k * c->count + i);
    status st = tensor_new_indexed(c->stream, all, index.count, index.rows,
                                   dev_count_exact(index.count), out);
    row_index_unref(index.rows);
    return st;
}

static status list_elements(const nested_args *c, tensor **out)
{
    tensor *all;
    uint64_t *rows = mem_new_array((size_t)c->arg_count + 1, sizeof *rows);
    if (!rows)
        return status_no_memory("list", c->arg_count * sizeof *rows);
    for (uint32_t k = 0; k < c->arg_count; k++)
        rows[k] = c->count;
    status st = nested_chain(c->stream, c->args, rows, c->arg_count, &all);
    mem_free(rows);
    TRY(st);
    if (c->count > 1 && c->arg_count > 1) {
        st = interleave(c, all, out);
        tensor_unref(all);
        return st;
    }
    *out = all;
    return STATUS_OK;
}

status compute_list_value(const nested_args *c, tensor **out)
{
    tensor *result, *child;
    TRY(nested_new(c, c->type, false, &result));
    for (uint64_t i = 0; i < c->count; i++)
        nested_put(result, i, i * c->arg_count, c->arg_count);
    status st =
        c->arg_count ? list_elements(c, &child) : nested_child_flat(c->stream, result, 0, &child);
    if (!st)
        st = nested_own(result, &child, 1, c->count * c->arg_count);
    if (st)
        tensor_unref(result);
    else
        *out = result;
    return st;
}

static status nested_make_pack(const nested_args *c, uint32_t first, tensor *result)
{
    uint32_t count = c->arg_count - first;
    tensor **children = mem_new_array((size_t)count + 1, sizeof *children);
    if (!children)
        return status_no_memory("struct", count * sizeof *children);
    for (uint32_t k = 0; k < count; k++)
        children[k] = tensor_ref(c->args[first + k]);
    status st = nested_own(result, children, count, c->count);
    mem_free(children);
    return st;
}

status compute_struct_pack(const nested_args *c, tensor **out)
{
    TRY(nested_new(c, c->type, false, out));
    for (uint64_t i = 0; i < c->count; i++)
        nested_put(*out, i, i, 1);
    return nested_make_pack(c, 0, *out);
}

/* A struct of the arguments after the first one, NULL where that is. */
status compute_struct_like(const nested_args *c, tensor **out)
{
    TRY(nested_new(c, c->type, true, out));
    for (uint64_t i = 0; i < c->count; i++)
        if (nested_is_valid(c->args[0], i))
            nested_put(*out, i, i, 1);
        else
            nested_put_null(*out, i);
    return nested_make_pack(c, 1, *out);
}

/* ---- maps ---- */

static status check_keys(const tensor *keys, const nested_index *index, uint64_t first)
{
    for (uint64_t i = first; i < index->count; i++) {
        if (!nested_value_is_valid(keys, index->rows->rows[i]))
            return status_new(STATUS_KIND_DATA, "a key of a map is NULL");
        for (uint64_t k = first; k < i; k++)
            if (!nested_compare(keys, index->rows->rows[i], keys, index->rows->rows[k]))
                return status_new(STATUS_KIND_DATA, "a map has the same key twice");
        TRY(cancel_check());
    }
    return STATUS_OK;
}

/* The rows of the keys and of the values, in the order of the maps. */
static status place_entries(const nested_args *c, const tensor *key_child, tensor *result,
                            nested_index parts[2])
{
    for (uint64_t i = 0; i < c->count; i++) {
        nested_value keys = nested_pair(c->args[0], i), values = nested_pair(c->args[1], i);
        if (!nested_row_is_valid(c, i)) {
            nested_put_null(result, i);
            continue;
        }
        if (keys.length != values.length)
            return status_new(STATUS_KIND_DATA, "a map of %u keys has %u values", keys.length,
                              values.length);
        nested_put(result, i, parts[0].count, keys.length);
        for (uint32_t k = 0; k < keys.length; k++) {
            nested_index_add(&parts[0], keys.offset + k);
            nested_index_add(&parts[1], values.offset + k);
        }
        TRY(check_keys(key_child, &parts[0], parts[0].count - keys.length));
    }
    return STATUS_OK;
}

static status map_children(const nested_args *c, const tensor *key_child, tensor *result)
{
    nested_index parts[2] = {0};
    tensor *children[2] = {NULL, NULL};
    status st = STATUS_OK;
    for (int k = 0; k < 2 && !st; k++) {
        uint64_t elements = 0;
        st = nested_count_elements(c->args[k], c->count, &elements);
        if (!st)
            st = nested_index_new(c->stream, elements, &parts[k]);
    }
    if (!st)
        st = place_entries(c, key_child, result, parts);
    for (int k = 0; k < 2 && !st; k++)
        st = nested_pick(c->stream, c->args[k], 0, parts[k].rows, parts[k].count, &children[k]);
    for (int k = 0; k < 2; k++) {
        row_index_unref(parts[k].rows);
        if (st)
            tensor_unref(children[k]);
    }
    return st ? st : nested_own(result, children, 2, parts[0].count);
}

status compute_map(const nested_args *c, tensor **out)
{
    tensor *keys;
    TRY(nested_child_flat(c->stream, c->args[0], 0, &keys));
    status st = nested_new(c, c->type, true, out);
    if (!st)
        st = map_children(c, keys, *out);
    tensor_unref(keys);
    return st;
}

/* Lists of structs of two fields, and maps, have the same pairs, if each struct is its row. */
status compute_entries(const nested_args *c, tensor **out)
{
    const tensor *map = c->args[0];
    uint64_t rows = nested_child_rows(map);
    nested_args inner = *c;
    tensor *fields[2] = {NULL, NULL}, *entry = NULL;
    status st = nested_child_flat(c->stream, map, 0, &fields[0]);
    if (!st)
        st = nested_child_flat(c->stream, map, 1, &fields[1]);
    inner.type = nested_type_of(c->type)->fields[0].type;
    inner.args = fields;
    inner.arg_count = 2;
    inner.count = rows;
    if (!st)
        st = compute_struct_pack(&inner, &entry);
    tensor_unref(fields[0]);
    tensor_unref(fields[1]);
    if (!st)
        st = tensor_new_view(c->type, map->values_owner, map->values, out);
    if (st) {
        tensor_unref(entry);
        return st;
    }
    (*out)->validity = map->validity;
    (*out)->validity_owner = dev_buffer_ref(map->validity_owner);
    return nested_own(*out, &entry, 1, rows);
}

/* The fields of the entries, each as a list, are what a map is made of. */
static status entry_fields(const nested_args *c, const tensor *entries, tensor *lists[2])
{
    const tensor *from = c->args[0];
    for (uint32_t k = 0; k < 2; k++) {
        tensor *field, *const args[] = {(tensor *)entries};
        nested_args part = {.stream = c->stream,
                            .count = nested_child_rows(from),
                            .args = args,
                            .arg_count = 1,
                            .number = k};
        TRY(compute_field(&part, &field));
        status st = tensor_new_view(from->type, from->values_owner, from->values, &lists[k]);
        if (st) {
            tensor_unref(field);
            return st;
        }
        lists[k]->validity = from->validity;
        lists[k]->validity_owner = dev_buffer_ref(from->validity_owner);
        TRY(nested_own(lists[k], &field, 1, part.count));
    }
    return STATUS_OK;
}

status compute_from_entries(const nested_args *c, tensor **out)
{
    tensor *entries, *lists[2] = {NULL, NULL};
    TRY(nested_child_flat(c->stream, c->args[0], 0, &entries));
    status st = entry_fields(c, entries, lists);
    nested_args map = *c;
    map.args = lists;
    map.arg_count = 2;
    tensor *keys = NULL;
    if (!st)
        st = tensor_flatten(c->stream, lists[0]->heap->children[0],
                            dev_count_exact(lists[0]->heap->child_rows), &keys);
    if (!st)
        st = nested_new(c, c->type, true, out);
    if (!st)
        st = map_children(&map, keys, *out);
    tensor_unref(keys);
    tensor_unref(entries);
    tensor_unref(lists[0]);
    tensor_unref(lists[1]);
    return st;
}

/* ---- ranges ---- */

/* How many numbers there are from start on; the end belongs to them if it is closed. */
static uint64_t range_length(int64_t start, int64_t stop, int64_t step, bool is_closed)
{
    int128 distance = step > 0 ? (int128)stop - start : (int128)start - stop;
    uint128 width = step > 0 ? (uint128)step : (uint128)(-(int128)step);
    if (!step || distance < 0 || (!distance && !is_closed))
        return 0;
    return (uint64_t)(((uint128)distance - !is_closed) / width) + 1;
}

static status count_ranges(const nested_args *c, tensor *result, uint64_t *out)
{
    const int64_t *starts = c->args[0]->values, *stops = c->args[1]->values,
                  *steps = c->args[2]->values;
    *out = 0;
    for (uint64_t i = 0; i < c->count; i++) {
        if (!nested_row_is_valid(c, i)) {
            nested_put_null(result, i);
            continue;
        }
        uint64_t length = range_length(starts[i], stops[i], steps[i], c->number);
        if (length >= ROW_NULL || *out + length >= ROW_NULL)
            return status_new(STATUS_KIND_DATA, "a list of %llu numbers is too long",
                              (unsigned long long)length);
        nested_put(result, i, *out, length);
        *out += length;
    }
    return STATUS_OK;
}

status compute_range(const nested_args *c, tensor **out)
{
    const int64_t *starts = c->args[0]->values, *steps = c->args[2]->values;
    uint64_t total;
    tensor *child;
    TRY(nested_new(c, c->type, true, out));
    TRY(count_ranges(c, *out, &total));
    TRY(tensor_new_flat(c->stream->dev, nested_type_of(c->type)->fields[0].type, total, false,
                        &child));
    int64_t *to = child->values;
    for (uint64_t i = 0; i < c->count; i++) {
        uint64_t number = (uint64_t)starts[i];
        for (uint32_t k = nested_pair(*out, i).length; k; k--, number += (uint64_t)steps[i])
            *to++ = (int64_t)number;
    }
    return nested_own(*out, &child, 1, total);
}
