/* nested_search.c - values looked for in lists and maps. */
#include "device/nested/nested_build.h"
#include "device/nested/nested_order.h"

/* The number of the first element from 1 on that equals the row of `wanted`; 0: there is none. */
static uint32_t find_element(const tensor *child, nested_value list, const tensor *wanted,
                             uint64_t row)
{
    for (uint32_t k = 0; k < list.length; k++)
        if (!nested_compare(child, list.offset + k, wanted, row))
            return k + 1;
    return 0;
}

/* NULL is in no list. */
status compute_contains(const nested_args *c, tensor **out)
{
    tensor *child;
    TRY(nested_new(c, c->type, true, out));
    TRY(nested_child_flat(c->stream, c->args[0], 0, &child));
    for (uint64_t i = 0; i < c->count; i++)
        if (!nested_row_is_valid(c, i))
            nested_put_null(*out, i);
        else
            nested_put_bit(*out, i, find_element(child, nested_pair(c->args[0], i), c->args[1], i));
    tensor_unref(child);
    return cancel_check();
}

/* The place of NULL is found, too. */
status compute_position(const nested_args *c, tensor **out)
{
    tensor *child;
    TRY(nested_new(c, c->type, true, out));
    TRY(nested_child_flat(c->stream, c->args[0], 0, &child));
    for (uint64_t i = 0; i < c->count; i++) {
        uint32_t at = find_element(child, nested_pair(c->args[0], i), c->args[1], i);
        if (at)
            ((int32_t *)(*out)->values)[i] = (int32_t)at;
        else
            nested_put_null(*out, i);
    }
    tensor_unref(child);
    return cancel_check();
}

/* How many of the second list's elements that are not NULL are wanted, and found in the first. */
static status count_found(tensor *const children[2], nested_value left, nested_value right,
                          uint32_t *out_found, uint32_t *out_wanted)
{
    *out_found = *out_wanted = 0;
    for (uint32_t k = 0; k < right.length; k++) {
        if (!nested_value_is_valid(children[1], right.offset + k))
            continue;
        ++*out_wanted;
        *out_found += find_element(children[0], left, children[1], right.offset + k) > 0;
        if (cancel_look(k))
            TRY(cancel_check());
    }
    return STATUS_OK;
}

static status has(const nested_args *c, bool wants_all, tensor **out)
{
    tensor *children[2] = {NULL, NULL};
    status st = nested_new(c, c->type, true, out);
    for (int k = 0; k < 2 && !st; k++)
        st = nested_child_flat(c->stream, c->args[k], 0, &children[k]);
    for (uint64_t i = 0; i < c->count && !st; i++) {
        uint32_t found, wanted;
        st = count_found(children, nested_pair(c->args[0], i), nested_pair(c->args[1], i), &found,
                         &wanted);
        nested_put_bit(*out, i, wants_all ? found == wanted : found > 0);
        if (!nested_row_is_valid(c, i))
            nested_put_null(*out, i);
    }
    tensor_unref(children[0]);
    tensor_unref(children[1]);
    return st;
}

status compute_has_any(const nested_args *c, tensor **out)
{
    return has(c, false, out);
}

status compute_has_all(const nested_args *c, tensor **out)
{
    return has(c, true, out);
}

/* The value of a map's key. */
status compute_at_key(const nested_args *c, tensor **out)
{
    tensor *keys;
    nested_index index;
    TRY(nested_child_flat(c->stream, c->args[0], 0, &keys));
    status st = nested_index_new(c->stream, c->count, &index);
    for (uint64_t i = 0; i < c->count && !st; i++) {
        nested_value map = nested_pair(c->args[0], i);
        uint32_t at = nested_row_is_valid(c, i) ? find_element(keys, map, c->args[1], i) : 0;
        if (at)
            nested_index_add(&index, map.offset + at - 1);
        else
            nested_index_add_null(&index);
    }
    tensor_unref(keys);
    if (!st) {
        st = nested_pick(c->stream, c->args[0], 1, index.rows, c->count, out);
        row_index_unref(index.rows);
    }
    return st ? st : cancel_check();
}
