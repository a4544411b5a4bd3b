/* nested_part.c - fields, elements, lengths and slices: no child is moved. */
#include "device/nested/nested_build.h"

/* A column of lists or structs, FLAT or INDEXED, as it is read row by row. */
typedef struct pair_reader {
    const tensor *flat;
    const uint32_t *rows; /* of it; NULL: each is its own */
    const nested_value *values;
    bool has_nulls;
} pair_reader;

static pair_reader read_pairs(const tensor *t)
{
    bool is_indexed = t->form == TENSOR_INDEXED;
    const tensor *flat = is_indexed ? t->base : t;
    return (pair_reader){.flat = flat,
                         .rows = is_indexed ? t->index->rows : NULL,
                         .values = flat->values,
                         .has_nulls = flat->validity || (is_indexed && t->index->has_nulls)};
}

/* Reads a row; false: it is NULL. */
static inline bool next_pair(const pair_reader *r, uint64_t row, nested_value *out)
{
    uint64_t at = r->rows ? r->rows[row] : row;
    if (r->has_nulls && ((r->rows && at == ROW_NULL) || !nested_is_valid(r->flat, at)))
        return false;
    *out = r->values[at];
    return true;
}

/* Whether the rows are those of a child from the first on, one after the other. */
static bool are_in_sequence(const uint32_t *rows, uint64_t count)
{
    uint32_t differ = 0;
    for (uint64_t i = 0; i < count; i++)
        differ |= (rows[i] - rows[0]) ^ (uint32_t)i;
    return !differ;
}

/* Rows of a child as they lie, without a copy; *out stays NULL if that cannot be. */
static status slice_child(dev_stream *stream, tensor *child, const row_index *rows, uint64_t count,
                          tensor **out)
{
    row_index *view;
    uint32_t first = count ? rows->rows[0] : 0;
    if (rows->has_nulls || !count || !are_in_sequence(rows->rows, count))
        return STATUS_OK;
    if (child->form == TENSOR_FLAT && !first) {
        *out = tensor_ref(child);
        return STATUS_OK;
    }
    if (child->form == TENSOR_FLAT)
        return tensor_can_slice(child, first) ? tensor_new_slice(child, first, out) : STATUS_OK;
    if (child->form != TENSOR_INDEXED)
        return STATUS_OK;
    TRY(row_index_view(child->index, first, &view));
    status st = tensor_new_indexed(stream, child->base, child->base_rows, view,
                                   dev_count_exact(count), out);
    if (!st)
        (*out)->is_dictionary = child->is_dictionary;
    row_index_unref(view);
    return st;
}

/* Gives rows of a child, and releases the index. */
static status take_child(const nested_args *c, const tensor *t, uint32_t child, nested_index *index,
                         tensor **out)
{
    status st = STATUS_OK;
    if (t->heap && child < t->heap->child_count)
        st = slice_child(c->stream, t->heap->children[child], index->rows, c->count, out);
    if (!st && !*out)
        st = nested_pick(c->stream, t, child, index->rows, c->count, out);
    row_index_unref(index->rows);
    return st;
}

status compute_field(const nested_args *c, tensor **out)
{
    pair_reader structs = read_pairs(c->args[0]);
    nested_index index;
    nested_value pair;
    TRY(nested_index_new(c->stream, c->count, &index));
    for (uint64_t i = 0; i < c->count; i++)
        if (next_pair(&structs, i, &pair))
            nested_index_add(&index, pair.offset);
        else
            nested_index_add_null(&index);
    return take_child(c, structs.flat, (uint32_t)c->number, &index, out);
}

/* Returns the place of an element, counted from 1, or from the end by -1; ROW_NULL: the list does not have it. */
static inline uint32_t element_at(nested_value list, int64_t number)
{
    uint64_t from_first = (uint64_t)number - 1, from_end = (uint64_t)number + list.length;
    uint64_t at = number < 0 ? from_end : from_first;
    return at < list.length ? list.offset + (uint32_t)at : ROW_NULL;
}

static void place_elements(const nested_args *c, const pair_reader *lists, nested_index *index)
{
    const tensor *number = c->args[1];
    const int64_t *numbers = number->values;
    for (uint64_t i = 0; i < c->count; i++) {
        nested_value list;
        bool is_valid = next_pair(lists, i, &list) && nested_is_valid(number, i);
        uint32_t at = is_valid ? element_at(list, numbers[i]) : ROW_NULL;
        index->rows->has_nulls |= at == ROW_NULL;
        index->rows->rows[i] = at;
    }
}

status compute_element(const nested_args *c, tensor **out)
{
    pair_reader lists = read_pairs(c->args[0]);
    nested_index index;
    TRY(nested_index_new(c->stream, c->count, &index));
    place_elements(c, &lists, &index);
    return take_child(c, lists.flat, 0, &index, out);
}

/* Lengths of a FLAT column share its validity. */
status compute_length(const nested_args *c, tensor **out)
{
    const tensor *t = c->args[0];
    pair_reader lists = read_pairs(t);
    bool is_shared = t->form == TENSOR_FLAT;
    TRY(nested_new(c, c->type, !is_shared && lists.has_nulls, out));
    for (uint64_t i = 0; i < c->count; i++) {
        nested_value list = {0};
        if (!next_pair(&lists, i, &list) && !is_shared)
            nested_put_null(*out, i);
        ((int64_t *)(*out)->values)[i] = list.length;
    }
    if (is_shared) {
        (*out)->validity = t->validity;
        (*out)->validity_owner = dev_buffer_ref(t->validity_owner);
    }
    return STATUS_OK;
}

static status check_size(const tensor *t, uint64_t rows, uint32_t size)
{
    for (uint64_t i = 0; i < rows; i++) {
        if (nested_is_valid(t, i) && nested_pair(t, i).length != size)
            return status_new(STATUS_KIND_DATA, "a list of %u elements is not one of %u",
                              nested_pair(t, i).length, size);
        if (cancel_look(i))
            TRY(cancel_check());
    }
    return STATUS_OK;
}

status compute_sized(const nested_args *c, tensor **out)
{
    const tensor *t = c->args[0];
    uint32_t size = nested_type_size(c->type);
    if (size)
        TRY(check_size(t, c->count, size));
    TRY(tensor_new_view(c->type, t->values_owner, t->values, out));
    (*out)->validity = t->validity;
    (*out)->validity_owner = dev_buffer_ref(t->validity_owner);
    nested_share(*out, t);
    return STATUS_OK;
}

/* The keys or the values of maps as lists, which share their rows. */
static status map_part(const nested_args *c, uint32_t part, tensor **out)
{
    const tensor *t = c->args[0];
    tensor *child;
    TRY(nested_child_flat(c->stream, t, part, &child));
    status st = tensor_new_view(c->type, t->values_owner, t->values, out);
    if (st) {
        tensor_unref(child);
        return st;
    }
    (*out)->validity = t->validity;
    (*out)->validity_owner = dev_buffer_ref(t->validity_owner);
    return nested_own(*out, &child, 1, nested_child_rows(t));
}

status compute_map_keys(const nested_args *c, tensor **out)
{
    return map_part(c, 0, out);
}

status compute_map_values(const nested_args *c, tensor **out)
{
    return map_part(c, 1, out);
}

/* Places from the end count as those from the start; what lies outside is cut off. */
static void cut_slice(nested_value list, int64_t begin, int64_t end, tensor *result, uint64_t row)
{
    int64_t length = list.length;
    begin = begin < 0 ? begin + length + 1 : begin;
    begin = begin < 1 ? 1 : begin;
    end = end < 0 ? end + length + 1 : end;
    end = end > length ? length : end;
    if (begin <= end)
        nested_put(result, row, (uint64_t)(list.offset + begin - 1), (uint64_t)(end - begin + 1));
}

static status slice_by_step(const nested_args *c, tensor *result, tensor **out)
{
    const int64_t *begins = c->args[1]->values, *ends = c->args[2]->values,
                  *steps = c->args[3]->values;
    uint64_t elements;
    nested_index index;
    status st = nested_count_elements(c->args[0], c->count, &elements);
    if (!st)
        st = nested_index_new(c->stream, elements, &index);
    for (uint64_t i = 0; !st && i < c->count; i++) {
        if (!nested_row_is_valid(c, i)) {
            nested_put_null(result, i);
            continue;
        }
        if (!steps[i]) {
            row_index_unref(index.rows);
            st = status_new(STATUS_KIND_DATA, "the step of a slice must not be 0");
            break;
        }
        nested_value list = nested_pair(c->args[0], i);
        if (steps[i] < 0)
            cut_slice(list, ends[i], begins[i], result, i);
        else
            cut_slice(list, begins[i], ends[i], result, i);
        nested_value cut = nested_pair(result, i);
        uint64_t first = index.count,
                 step = (uint64_t)(steps[i] < 0 ? -(uint64_t)steps[i] : (uint64_t)steps[i]);
        for (uint64_t k = 0; k < cut.length; k += step) {
            nested_index_add(&index,
                             steps[i] < 0 ? cut.offset + cut.length - 1 - k : cut.offset + k);
            if (step >= cut.length)
                break;
        }
        ((nested_value *)result->values)[i] = (nested_value){0};
        nested_put(result, i, first, index.count - first);
    }
    if (st) {
        tensor_unref(result);
        return st;
    }
    return nested_finish_pick(c, result, c->args[0], &index, out);
}

status compute_slice(const nested_args *c, tensor **out)
{
    const int64_t *begins = c->args[1]->values, *ends = c->args[2]->values;
    tensor *result;
    TRY(nested_new(c, c->type, true, &result));
    if (c->arg_count == 4)
        return slice_by_step(c, result, out);
    for (uint64_t i = 0; i < c->count; i++)
        if (nested_row_is_valid(c, i))
            cut_slice(nested_pair(c->args[0], i), begins[i], ends[i], result, i);
        else
            nested_put_null(result, i);
    nested_share(result, c->args[0]);
    *out = result;
    return STATUS_OK;
}
