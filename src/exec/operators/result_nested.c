/* result_nested.c - children as columns, level by level. */
#include "exec/operators/result_nested.h"

#include "base/system/guard.h"
#include "base/type/nested_type.h"
#include "device/nested.h"
#include "device/nested_pack.h"
#include "exec/operators/result_batch.h"

/* A child that is not there, as no row has an element: a tensor of NULLs. */
static status missing_child(dev_stream *stream, data_type type, uint64_t rows, tensor **out)
{
    TRY(tensor_new_flat(stream->dev, type, rows, true, out));
    memset((*out)->values, 0, type_values_bytes(type, rows));
    memset((*out)->validity, 0, bitmap_bytes(rows));
    return STATUS_OK;
}

static status put_child(device *owner, dev_stream *stream, tensor *child, uint64_t rows,
                        exec_batch_column *column)
{
    if (type_is_nested(child->type))
        return exec_batch_put_nested(owner, stream, child, rows, column);
    TRY(tensor_flatten(stream, child, dev_count_exact(rows), &column->owner));
    column->type = column->owner->type;
    column->values = column->owner->values;
    column->validity = column->owner->validity;
    return STATUS_OK;
}

static status put_children(dev_stream *stream, const tensor *ordered, exec_batch *children)
{
    const nested_type *type = nested_type_of(ordered->type);
    const string_heap *heap = ordered->heap;
    for (uint32_t i = 0; i < children->column_count; i++) {
        tensor *child = NULL;
        if (heap && i < heap->child_count)
            child = tensor_ref(heap->children[i]);
        else
            TRY(missing_child(stream, type->fields[i].type, children->row_count, &child));
        status st =
            put_child(children->dev, stream, child, children->row_count, &children->columns[i]);
        tensor_unref(child);
        TRY(st);
    }
    return STATUS_OK;
}

status exec_batch_put_nested(device *owner, dev_stream *stream, tensor *t, uint64_t rows,
                             exec_batch_column *column)
{
    tensor *flat;
    TRY(guard_check());
    TRY(tensor_flatten(stream, t, dev_count_exact(rows), &flat));
    status st = nested_put_in_order(stream, flat, rows, &column->owner);
    tensor_unref(flat);
    TRY(st);
    const tensor *ordered = column->owner;
    column->type = ordered->type;
    column->values = ordered->values;
    column->validity = ordered->validity;
    TRY(exec_batch_new(owner, nested_type_of(t->type)->field_count,
                       ordered->heap ? ordered->heap->child_rows : 0, &column->children));
    nested_type_hold(column->type); /* until the children are freed */
    return put_children(stream, ordered, column->children);
}

/* The column's rows as a FLAT tensor of texts, which borrows them from the batch's pinned memory. */
static status view_of_bytes(const exec_batch_column *column, tensor **out)
{
    TRY(tensor_new_view(type_make(TYPE_BLOB), NULL, (void *)column->values, out));
    (*out)->validity = (uint64_t *)column->validity;
    return STATUS_OK;
}

status exec_batch_unpack_nested(exec_batch *batch, uint32_t index, data_type type)
{
    exec_batch_column *column = &batch->columns[index];
    dev_stream host = {.dev = dev_host(batch->dev)};
    tensor *bytes, *values;
    assert(type_is_text(column->type) && !column->owner && type_is_nested(type));
    TRY(view_of_bytes(column, &bytes));
    status st = nested_unpack(host.dev, type, bytes, batch->row_count, NESTED_EXACT, "result batch",
                              &values);
    tensor_unref(bytes);
    TRY(st);
    column->pinned_heap = NULL;
    column->own_heap_bytes = 0;
    st = exec_batch_put_nested(batch->dev, &host, values, batch->row_count, column);
    tensor_unref(values);
    return st;
}

static status pack_column(device *dev, exec_batch_column *column, uint64_t rows)
{
    tensor *packed, *owner = column->owner;
    TRY(nested_pack(dev, owner, 0, rows, NESTED_EXACT, "result batch", &packed));
    if (column->children)
        nested_type_release(column->type);
    exec_batch_free(column->children);
    tensor_unref(owner);
    column->children = NULL;
    column->owner = packed;
    column->type = packed->type;
    column->values = packed->values;
    column->validity = packed->validity;
    return STATUS_OK;
}

status exec_batch_pack_nested(exec_batch *batch)
{
    for (uint32_t i = 0; i < batch->column_count; i++)
        if (type_is_nested(batch->columns[i].type))
            TRY(pack_column(dev_host(batch->dev), &batch->columns[i], batch->row_count));
    return STATUS_OK;
}
