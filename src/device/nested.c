/* nested.c - children in the order of their rows. */
#include "device/nested.h"

#include "base/type/nested_type.h"

static bool is_in_order(const tensor *t, uint64_t rows)
{
    const nested_value *values = t->values;
    uint64_t at = 0;
    if (!t->heap)
        return false;
    if (t->type.id == TYPE_STRUCT) {
        for (uint64_t i = 0; i < rows; i++)
            if (nested_is_valid(t, i) && values[i].offset != i)
                return false;
        return t->heap->child_rows == rows;
    }
    uint32_t size = nested_type_size(t->type);
    for (uint64_t i = 0; i < rows; i++) {
        if (values[i].length && values[i].offset != at)
            return false;
        at += size ? size : values[i].length;
    }
    return at == t->heap->child_rows;
}

static uint64_t elements_of(const tensor *t, uint64_t rows)
{
    const nested_value *values = t->values;
    uint64_t elements = 0;
    if (t->type.id == TYPE_STRUCT || nested_type_size(t->type))
        return rows * (t->type.id == TYPE_STRUCT ? 1 : nested_type_size(t->type));
    for (uint64_t i = 0; i < rows; i++)
        elements += values[i].length;
    return elements;
}

/* Puts NULLs in the place of the elements of a list that is NULL. */
static uint32_t nested_place_nulls(uint32_t at, uint32_t size, row_index *index)
{
    index->has_nulls |= size > 0;
    for (uint32_t k = 0; k < size; k++)
        index->rows[at++] = ROW_NULL;
    return at;
}

/* The values' new places, and from which row of the children each element comes. */
static void nested_place(const tensor *t, uint64_t rows, nested_value *placed, row_index *index)
{
    const nested_value *values = t->values;
    uint32_t at = 0, size = nested_type_size(t->type);
    for (uint64_t i = 0; i < rows; i++) {
        if (t->type.id == TYPE_STRUCT) {
            bool is_valid = nested_is_valid(t, i);
            index->has_nulls |= !is_valid;
            index->rows[i] = is_valid ? values[i].offset : ROW_NULL;
            placed[i] = is_valid ? (nested_value){(uint32_t)i, 1} : (nested_value){0};
            continue;
        }
        uint32_t length = values[i].length;
        placed[i] = length ? (nested_value){at, length} : (nested_value){0};
        for (uint32_t k = 0; k < length; k++)
            index->rows[at++] = values[i].offset + k;
        if (!length)
            at = nested_place_nulls(at, size, index);
    }
}

/* The rows of a child that the index has; all are NULL if there is no such child, as every struct is NULL. */
static status move_child(dev_stream *stream, const tensor *t, uint32_t child, row_index *index,
                         uint64_t elements, tensor **out)
{
    const string_heap *heap = t->heap;
    if (heap && child < heap->child_count)
        return tensor_new_indexed(stream, heap->children[child], heap->child_rows, index,
                                  dev_count_exact(elements), out);
    value null = value_null(nested_type_of(t->type)->fields[child].type);
    return tensor_new_constant(stream, &null, out);
}

static status nested_move_children(dev_stream *stream, const tensor *t, row_index *index,
                                   uint64_t elements, string_heap **out)
{
    uint32_t count = nested_type_of(t->type)->field_count, done = 0;
    tensor **children = mem_new_array((size_t)count + 1, sizeof *children);
    if (!children)
        return status_no_memory("children", count * sizeof *children);
    status st = STATUS_OK;
    for (; done < count && !st; done += !st)
        st = move_child(stream, t, done, index, elements, &children[done]);
    if (!st)
        st = string_heap_new_children(children, count, elements, out);
    else
        for (uint32_t i = 0; i < done; i++)
            tensor_unref(children[i]);
    mem_free(children);
    return st;
}

status nested_put_in_order(dev_stream *stream, tensor *t, uint64_t rows, tensor **out)
{
    *out = NULL;
    assert(t->form == TENSOR_FLAT && stream->dev->is_host);
    if (is_in_order(t, rows)) {
        *out = tensor_ref(t);
        return STATUS_OK;
    }
    uint64_t elements = elements_of(t, rows);
    if (elements >= ROW_NULL)
        return status_new(STATUS_KIND_UNSUPPORTED,
                          "lists of %llu elements together, in one part of a result, are too many",
                          (unsigned long long)elements);
    tensor *made;
    row_index *index = NULL;
    TRY(tensor_new_flat(stream->dev, t->type, rows, false, &made));
    made->validity = t->validity;
    made->validity_owner = dev_buffer_ref(t->validity_owner);
    status st = row_index_new(stream->dev, elements, &index);
    if (!st)
        nested_place(t, rows, made->values, index);
    if (!st)
        st = nested_move_children(stream, t, index, elements, &made->heap);
    row_index_unref(index);
    if (st) {
        tensor_unref(made);
        return st;
    }
    *out = made;
    return STATUS_OK;
}
