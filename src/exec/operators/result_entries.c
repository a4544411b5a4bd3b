/* result_entries.c - a column of few entries, as of a short dictionary: the client's shape is made of each entry once,
 * and the rows are gathered from what was made.
 *
 *   entries  "AIR", "TRUCK", ...      shaped, a few        once a batch
 *   rows     0 3 3 1 0 ...            gathered as shaped   no look at each row's text, no narrow values in between */
#include "exec/operators/result_entries.h"

#include "exec/operators/op_result.h"
#include "exec/operators/result_batch.h"

/* An entry is used by that many rows, on average. */
#define ROWS_PER_ENTRY 4

/* Returns whether the batch holds no more of the texts than their views. */
static bool is_small(const tensor *base, uint64_t rows)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; base->heap && i < base->heap->buffer_count; i++)
        bytes += base->heap->buffers[i]->bytes;
    return bytes <= rows * sizeof(string_view);
}

bool exec_batch_has_entries(const tensor *t, uint64_t rows)
{
    return t->form == TENSOR_INDEXED && t->base_rows <= rows / ROWS_PER_ENTRY &&
           tensor_has_whole_base(t) && is_small(t->base, rows);
}

/* Rows of the entries, in whichever layout these are. */
static status result_entries_gather(dev_stream *stream, const exec_batch_column *entries,
                                    const tensor *t, uint64_t rows, exec_batch_column *out)
{
    tensor *indexed;
    TRY(tensor_new_indexed(stream, entries->owner, t->base_rows, t->index, dev_count_exact(rows),
                           &indexed));
    status st = tensor_flatten(stream, indexed, dev_count_exact(rows), &out->owner);
    tensor_unref(indexed);
    if (st)
        return st;
    out->type = out->owner->type;
    out->values = out->owner->values;
    out->validity = out->owner->validity;
    out->is_shaped = entries->is_shaped;
    return STATUS_OK;
}

status exec_batch_put_entries(exec_batch *batch, uint32_t index, dev_stream *stream, tensor *t,
                              const exec_batch_shape *shape)
{
    exec_batch *entries;
    TRY(exec_batch_new(batch->dev, 1, t->base_rows, &entries));
    exec_batch_column *column = &entries->columns[0];
    column->owner = tensor_ref(t->base);
    column->type = t->base->type;
    column->values = t->base->values;
    column->validity = t->base->validity;
    status st = shape->make(entries, 0, shape);
    if (!st)
        st = result_entries_gather(stream, column, t, batch->row_count, &batch->columns[index]);
    exec_batch_free(entries);
    return st;
}
