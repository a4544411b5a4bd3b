/* nested_part.c - fields, elements, lengths and slices: no child is moved. */
#include "device/nested/nested_build.h"

status compute_field(const nested_args *c, tensor **out)
{
    nested_index index;
    TRY(nested_index_new(c->stream, c->count, &index));
    for (uint64_t i = 0; i < c->count; i++)
        if (nested_is_valid(c->args[0], i))
            nested_index_add(&index, nested_pair(c->args[0], i).offset);
        else
            nested_index_add_null(&index);
    status st = nested_pick(c->stream, c->args[0], (uint32_t)c->number, index.rows, c->count, out);
    row_index_unref(index.rows);
    return st;
}

/* Returns the place of an element, counted from 1, or from the end by -1; ROW_NULL: the list does not have it. */
static uint32_t element_at(nested_value list, int64_t number)
{
    if (number > 0 && number <= (int64_t)list.length)
        return list.offset + (uint32_t)(number - 1);
    if (number < 0 && number >= -(int64_t)list.length)
        return list.offset + (uint32_t)(number + (int64_t)list.length);
    return ROW_NULL;
}

status compute_element(const nested_args *c, tensor **out)
{
    const int64_t *numbers = c->args[1]->values;
    nested_index index;
    TRY(nested_index_new(c->stream, c->count, &index));
    for (uint64_t i = 0; i < c->count; i++) {
        uint32_t at = nested_row_is_valid(c, i) ? element_at(nested_pair(c->args[0], i), numbers[i])
                                                : ROW_NULL;
        if (at == ROW_NULL)
            nested_index_add_null(&index);
        else
            nested_index_add(&index, at);
    }
    status st = nested_pick(c->stream, c->args[0], 0, index.rows, c->count, out);
    row_index_unref(index.rows);
    return st;
}

status compute_length(const nested_args *c, tensor **out)
{
    const tensor *t = c->args[0];
    TRY(nested_new(c, c->type, false, out));
    for (uint64_t i = 0; i < c->count; i++)
        ((int64_t *)(*out)->values)[i] = nested_pair(t, i).length;
    (*out)->validity = t->validity;
    (*out)->validity_owner = dev_buffer_ref(t->validity_owner);
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
