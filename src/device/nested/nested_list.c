/* nested_list.c - lists made of lists: joined, flattened, beside each other, in another order, fewer elements. */
#include "device/nested/nested_build.h"
#include "device/nested/nested_order.h"

#include <stdlib.h>

/* ---- joined ---- */

static void place_joined(const nested_args *c, const uint64_t *firsts, tensor *result,
                         nested_index *index)
{
    for (uint64_t i = 0; i < c->count; i++) {
        uint64_t first = index->count;
        for (uint32_t k = 0; k < c->arg_count; k++) {
            nested_value list = nested_pair(c->args[k], i);
            for (uint32_t at = 0; at < list.length; at++)
                nested_index_add(index, firsts[k] + list.offset + at);
        }
        if (c->number && !nested_row_is_valid(c, i))
            nested_put_null(result, i);
        else
            nested_put(result, i, first, index->count - first);
    }
}

/* The children of all arguments end to end; firsts[k]: the row where argument k's begin. */
static status chain_children(const nested_args *c, uint64_t *firsts, tensor **out,
                             uint64_t *out_rows)
{
    uint64_t *rows = mem_new_array((size_t)c->arg_count + 1, sizeof *rows), total = 0;
    tensor **children = mem_new_array((size_t)c->arg_count + 1, sizeof *children);
    status st =
        rows && children ? STATUS_OK : status_no_memory("lists", c->arg_count * sizeof *rows);
    for (uint32_t k = 0; k < c->arg_count && !st; k++) {
        rows[k] = nested_child_rows(c->args[k]);
        firsts[k] = total;
        total += rows[k];
        st = nested_child_flat(c->stream, c->args[k], 0, &children[k]);
    }
    if (!st)
        st = nested_chain(c->stream, children, rows, c->arg_count, out);
    for (uint32_t k = 0; children && k < c->arg_count; k++)
        tensor_unref(children[k]);
    mem_free(children);
    mem_free(rows);
    *out_rows = total;
    return st;
}

static status joined_children(const nested_args *c, const uint64_t *firsts, tensor *all,
                              uint64_t rows, tensor *result)
{
    uint64_t total = 0;
    nested_index index;
    tensor *child;
    for (uint32_t k = 0; k < c->arg_count; k++) {
        uint64_t elements;
        TRY(nested_count_elements(c->args[k], c->count, &elements));
        total += elements;
    }
    if (total >= ROW_NULL)
        return status_new(STATUS_KIND_UNSUPPORTED, "lists of %llu elements together are too many",
                          (unsigned long long)total);
    TRY(nested_index_new(c->stream, total, &index));
    place_joined(c, firsts, result, &index);
    status st =
        tensor_new_indexed(c->stream, all, rows, index.rows, dev_count_exact(index.count), &child);
    row_index_unref(index.rows);
    return st ? st : nested_own(result, &child, 1, index.count);
}

status compute_concat(const nested_args *c, tensor **out)
{
    tensor *all = NULL;
    uint64_t rows = 0, *firsts = mem_new_array((size_t)c->arg_count + 1, sizeof *firsts);
    if (!firsts)
        return status_no_memory("lists", c->arg_count * sizeof *firsts);
    status st = chain_children(c, firsts, &all, &rows);
    if (!st)
        st = nested_new(c, c->type, true, out);
    if (!st)
        st = joined_children(c, firsts, all, rows, *out);
    tensor_unref(all);
    mem_free(firsts);
    return st;
}

status compute_concat_strict(const nested_args *c, tensor **out)
{
    nested_args strict = *c;
    strict.number = 1;
    return compute_concat(&strict, out);
}

/* ---- flattened ---- */

static uint64_t count_inner(const nested_args *c, const tensor *lists)
{
    uint64_t total = 0;
    for (uint64_t i = 0; i < c->count; i++) {
        nested_value outer = nested_pair(c->args[0], i);
        for (uint32_t k = 0; k < outer.length; k++)
            total += nested_pair(lists, outer.offset + k).length;
    }
    return total;
}

static void place_flattened(const nested_args *c, const tensor *lists, tensor *result,
                            nested_index *index)
{
    for (uint64_t i = 0; i < c->count; i++) {
        nested_value outer = nested_pair(c->args[0], i);
        uint64_t first = index->count;
        for (uint32_t k = 0; k < outer.length; k++) {
            nested_value inner = nested_pair(lists, outer.offset + k);
            for (uint32_t at = 0; at < inner.length; at++)
                nested_index_add(index, inner.offset + at);
        }
        nested_put(result, i, first, index->count - first);
        if (!nested_is_valid(c->args[0], i))
            nested_put_null(result, i);
    }
}

status compute_flatten(const nested_args *c, tensor **out)
{
    tensor *lists, *result = NULL;
    nested_index index;
    TRY(nested_child_flat(c->stream, c->args[0], 0, &lists));
    uint64_t total = count_inner(c, lists);
    status st = total >= ROW_NULL
                    ? status_new(STATUS_KIND_UNSUPPORTED, "a list of %llu elements is too long",
                                 (unsigned long long)total)
                    : nested_new(c, c->type, true, &result);
    if (!st && (st = nested_index_new(c->stream, total, &index)))
        tensor_unref(result);
    if (!st) {
        place_flattened(c, lists, result, &index);
        st = nested_finish_pick(c, result, lists, &index, out);
    }
    tensor_unref(lists);
    return st;
}

/* ---- beside each other ---- */

static uint32_t nested_list_longest(const nested_args *c, uint64_t row)
{
    uint32_t length = 0;
    for (uint32_t k = 0; k < c->arg_count; k++)
        if (nested_pair(c->args[k], row).length > length)
            length = nested_pair(c->args[k], row).length;
    return length;
}

/* A field of the structs: the list's elements, NULL after its end. */
static status zip_field(const nested_args *c, uint32_t k, uint64_t total, tensor **out)
{
    nested_index index;
    TRY(nested_index_new(c->stream, total, &index));
    for (uint64_t i = 0; i < c->count; i++) {
        nested_value list = nested_pair(c->args[k], i);
        uint32_t length = nested_list_longest(c, i);
        for (uint32_t at = 0; at < length; at++)
            if (at < list.length)
                nested_index_add(&index, list.offset + at);
            else
                nested_index_add_null(&index);
    }
    status st = nested_pick(c->stream, c->args[k], 0, index.rows, index.count, out);
    row_index_unref(index.rows);
    return st;
}

static status zip_structs(const nested_args *c, uint64_t total, tensor **out)
{
    tensor **fields = mem_new_array((size_t)c->arg_count + 1, sizeof *fields);
    nested_args structs = *c;
    status st = fields ? STATUS_OK : status_no_memory("lists", c->arg_count * sizeof *fields);
    for (uint32_t k = 0; k < c->arg_count && !st; k++)
        st = zip_field(c, k, total, &fields[k]);
    structs.type = nested_type_of(c->type)->fields[0].type;
    structs.args = fields;
    structs.count = total;
    if (!st)
        st = compute_struct_pack(&structs, out);
    for (uint32_t k = 0; fields && k < c->arg_count; k++)
        tensor_unref(fields[k]);
    mem_free(fields);
    return st;
}

status compute_zip(const nested_args *c, tensor **out)
{
    tensor *structs;
    uint64_t total = 0;
    TRY(nested_new(c, c->type, false, out));
    for (uint64_t i = 0; i < c->count; i++) {
        uint32_t length = nested_list_longest(c, i);
        nested_put(*out, i, total, length);
        total += length;
    }
    if (total >= ROW_NULL)
        return status_new(STATUS_KIND_UNSUPPORTED, "lists of %llu elements together are too many",
                          (unsigned long long)total);
    TRY(zip_structs(c, total, &structs));
    return nested_own(*out, &structs, 1, total);
}

/* ---- in another order, fewer ---- */

/* A list's elements while they are chosen: rows of the child, which `chosen` gets in their new order. */
typedef struct choice {
    const nested_args *c;
    const tensor *child;
    uint64_t row;
    nested_value list;
    uint32_t *chosen, count;
} choice;

/* Makes of each list, none of which is NULL, one of some of its elements, in the order of choose(). */
static status choose_elements(const nested_args *c, status (*choose)(choice *x), tensor **out)
{
    uint64_t total;
    nested_index index = {0};
    tensor *child, *result = NULL;
    TRY(nested_count_elements(c->args[0], c->count, &total));
    TRY(nested_child_flat(c->stream, c->args[0], 0, &child));
    status st = nested_new(c, c->type, true, &result);
    if (!st)
        st = nested_index_new(c->stream, total, &index);
    for (uint64_t i = 0; i < c->count && !st; i++) {
        choice x = {c, child, i, nested_pair(c->args[0], i), index.rows->rows + index.count, 0};
        if (nested_row_is_valid(c, i))
            st = choose(&x);
        else
            nested_put_null(result, i);
        nested_put(result, i, index.count, x.count);
        index.count += x.count;
    }
    tensor_unref(child);
    if (!st)
        return nested_finish_pick(c, result, c->args[0], &index, out);
    tensor_unref(result);
    row_index_unref(index.rows);
    return st;
}

static status choose_reverse(choice *x)
{
    for (uint32_t k = x->list.length; k--;)
        x->chosen[x->count++] = x->list.offset + k;
    return STATUS_OK;
}

status compute_reverse(const nested_args *c, tensor **out)
{
    return choose_elements(c, choose_reverse, out);
}

/* Elements whose place in a list of booleans is true. */
static status choose_selected(choice *x)
{
    nested_value masks = nested_pair(x->c->args[1], x->row);
    const tensor *mask = x->c->args[2];
    const uint64_t *bits = mask->values;
    for (uint32_t k = 0; k < x->list.length && k < masks.length; k++) {
        uint64_t at = masks.offset + k;
        if (nested_is_valid(mask, at) && (bits[at / 64] >> (at % 64) & 1))
            x->chosen[x->count++] = x->list.offset + k;
    }
    return STATUS_OK;
}

/* The arguments are a list and one of booleans. */
status compute_select(const nested_args *c, tensor **out)
{
    tensor *mask;
    TRY(nested_child_flat(c->stream, c->args[1], 0, &mask));
    tensor *const args[] = {c->args[0], c->args[1], mask};
    nested_args with_mask = *c;
    with_mask.args = args;
    status st = choose_elements(&with_mask, choose_selected, out);
    tensor_unref(mask);
    return st;
}

/* ---- sorted ---- */

enum { SORT_DESCENDING = 1, SORT_NULLS_FIRST = 2 };

static int sort_order(const choice *x, uint32_t left, uint32_t right)
{
    bool is_left = nested_value_is_valid(x->child, left),
         is_right = nested_value_is_valid(x->child, right);
    if (!is_left || !is_right) {
        int order = is_right - is_left;
        return x->c->number & SORT_NULLS_FIRST ? -order : order;
    }
    int order = nested_compare(x->child, left, x->child, right);
    return x->c->number & SORT_DESCENDING ? -order : order;
}

static int sort_compare(const void *left, const void *right, void *context)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int order = cancel_is_asked() ? 0 : sort_order(context, a, b);
    return order ? order : a < b ? -1 : a > b;
}

static status choose_sorted(choice *x)
{
    for (uint32_t k = 0; k < x->list.length; k++)
        x->chosen[x->count++] = x->list.offset + k;
    if (x->count > 1)
        qsort_r(x->chosen, x->count, sizeof *x->chosen, sort_compare, x);
    return cancel_seen();
}

status compute_sort(const nested_args *c, tensor **out)
{
    return choose_elements(c, choose_sorted, out);
}

/* Each value but NULL once, where it is first. */
static status choose_distinct(choice *x)
{
    uint32_t kept = 0;
    TRY(choose_sorted(x));
    for (uint32_t k = 0; k < x->count; k++)
        if (nested_value_is_valid(x->child, x->chosen[k]) &&
            (!kept || nested_compare(x->child, x->chosen[kept - 1], x->child, x->chosen[k])))
            x->chosen[kept++] = x->chosen[k];
    x->count = kept;
    for (uint32_t k = 1; k < kept; k++) { /* back to the list's order, mostly there already */
        uint32_t row = x->chosen[k], at = k;
        for (; at && x->chosen[at - 1] > row; at--)
            x->chosen[at] = x->chosen[at - 1];
        x->chosen[at] = row;
        if (cancel_look(k))
            return cancel_check();
    }
    return STATUS_OK;
}

status compute_distinct(const nested_args *c, tensor **out)
{
    return choose_elements(c, choose_distinct, out);
}
