/* window_call.c - the functions of windows.def: numbers of rows, and values of other rows. */
#include "device/kernels/kernel_ops.h"
#include "exec/window/window.h"
#include "exec/window/window_aggregate.h"
#include "exec/window/window_frame.h"
#include "exec/window/window_ignore.h"
#include "exec/window/window_rows.h"
#include "exec/window/window_text.h"

/* ---- numbers ---- */

static status window_call_number_rows(window_rows *rows, over_number_op op, data_type type,
                                      tensor **out)
{
    const window_range *partition, *peers;
    tensor *numbers;
    TRY(window_partition(rows, &partition));
    TRY(window_peers(rows, &peers));
    TRY(tensor_new_flat(rows->task->stream->dev, type, rows->count.bound, false, &numbers));
    status st =
        DEV_LAUNCH(rows->task->stream, over_number, .op = (int)op, .from = partition->from->address,
                   .to = partition->to->address, .peer_from = peers->from->address,
                   .peer_to = peers->to->address, .count = rows->count, .out = numbers->values);
    if (st) {
        tensor_unref(numbers);
        return st;
    }
    *out = numbers;
    return STATUS_OK;
}

static status number_buckets(window_rows *rows, const plan_window_call *call, data_type type,
                             tensor **out)
{
    const window_range *partition;
    tensor *buckets, *numbers = NULL;
    TRY(window_partition(rows, &partition));
    TRY(window_value(rows, call->args[0], &buckets));
    status st = tensor_new_flat(rows->task->stream->dev, type, rows->count.bound, true, &numbers);
    if (!st)
        st = DEV_LAUNCH(rows->task->stream, over_tile, .buckets = buckets->values,
                        .validity = buckets->validity, .from = partition->from->address,
                        .to = partition->to->address, .count = rows->count, .out = numbers->values,
                        .out_validity = numbers->validity, .error = rows->task->error,
                        .location = (uint32_t)call->position);
    tensor_unref(buckets);
    if (st) {
        tensor_unref(numbers);
        return st;
    }
    *out = numbers;
    return STATUS_OK;
}

/* ---- values of other rows ---- */

/* The rows at a distance, in a new index. */
static status shift_rows(window_rows *rows, const plan_window_call *call, const tensor *distances,
                         row_index **out)
{
    const window_range *partition;
    row_index *index;
    TRY(window_partition(rows, &partition));
    TRY(row_index_new(rows->task->stream->dev, rows->count.bound, &index));
    status st = DEV_LAUNCH(rows->task->stream, over_shift, .is_back = call->function == WINDOW_LAG,
                           .distances = distances ? distances->values : NULL,
                           .validity = distances ? distances->validity : NULL,
                           .has_default = call->arg_count > 2, .from = partition->from->address,
                           .to = partition->to->address, .count = rows->count, .out = index->rows);
    if (st) {
        row_index_unref(index);
        return st;
    }
    *out = index;
    return STATUS_OK;
}

/* The values, and behind them the defaults. */
static status add_defaults(window_rows *rows, tensor *values, const expr *otherwise, tensor **out)
{
    tensor *defaults;
    uint64_t count = rows->count.bound;
    TRY(window_value(rows, otherwise, &defaults));
    status st = window_concat(rows, values, count, defaults, count, out);
    tensor_unref(defaults);
    return st;
}

static status shifted_values(window_rows *rows, const plan_window_call *call, tensor *values,
                             row_index *index, tensor **out)
{
    tensor *base;
    if (call->arg_count < 3)
        return window_gather(rows, values, 0, index, out);
    status st = add_defaults(rows, values, call->args[2], &base);
    if (st) {
        row_index_unref(index);
        return st;
    }
    st = window_gather(rows, base, rows->count.bound, index, out);
    tensor_unref(base);
    return st;
}

static status shift_values(window_rows *rows, const plan_window_call *call, tensor **out)
{
    tensor *values, *distances = NULL;
    row_index *index;
    TRY(window_value(rows, call->args[0], &values));
    status st = call->arg_count > 1 ? window_value(rows, call->args[1], &distances) : STATUS_OK;
    if (!st)
        st = call->ignores_nulls ? window_ignore_nulls(rows, call, &index)
                                 : shift_rows(rows, call, distances, &index);
    if (!st)
        st = shifted_values(rows, call, values, index, out);
    tensor_unref(values);
    tensor_unref(distances);
    return st;
}

static const void *window_call_address_of(const dev_buffer *buffer)
{
    return buffer ? buffer->address : NULL;
}

static status nth_rows(window_rows *rows, const plan_window_call *call, const window_frame *frame,
                       const tensor *numbers, row_index *index)
{
    const window_range *parts = frame->parts;
    return DEV_LAUNCH(
        rows->task->stream, over_nth, .is_last = call->function == WINDOW_LAST_VALUE,
        .numbers = numbers ? numbers->values : NULL, .validity = numbers ? numbers->validity : NULL,
        .from_0 = window_call_address_of(parts[0].from),
        .to_0 = window_call_address_of(parts[0].to),
        .from_1 = window_call_address_of(parts[1].from),
        .to_1 = window_call_address_of(parts[1].to),
        .from_2 = window_call_address_of(parts[2].from),
        .to_2 = window_call_address_of(parts[2].to), .count = rows->count, .out = index->rows,
        .error = rows->task->error, .location = (uint32_t)call->position);
}

static status kept_values(window_rows *rows, const plan_window_call *call, tensor **out)
{
    tensor *values;
    row_index *index;
    TRY(window_value(rows, call->args[0], &values));
    status st = window_ignore_nulls(rows, call, &index);
    if (!st)
        st = window_gather(rows, values, 0, index, out);
    tensor_unref(values);
    return st;
}

static status frame_values(window_rows *rows, const plan_window_call *call, tensor **out)
{
    window_frame frame;
    tensor *values = NULL, *numbers = NULL;
    row_index *index = NULL;
    TRY(window_frame_make(rows, &call->frame, &frame));
    status st = window_value(rows, call->args[0], &values);
    if (!st && call->arg_count > 1)
        st = window_value(rows, call->args[1], &numbers);
    if (!st)
        st = row_index_new(rows->task->stream->dev, rows->count.bound, &index);
    if (!st)
        st = nth_rows(rows, call, &frame, numbers, index);
    if (!st)
        st = window_gather(rows, values, 0, row_index_ref(index), out);
    row_index_unref(index);
    tensor_unref(values);
    tensor_unref(numbers);
    window_frame_release(&frame);
    return st;
}

status window_call_evaluate(window_rows *rows, const plan_window_call *call, data_type type,
                            tensor **out)
{
    *out = NULL;
    switch (call->function) {
    case WINDOW_ROW_NUMBER:
        return window_call_number_rows(rows, OVER_ROW_NUMBER, type, out);
    case WINDOW_RANK:
        return window_call_number_rows(rows, OVER_RANK, type, out);
    case WINDOW_DENSE_RANK:
        return window_call_number_rows(rows, OVER_DENSE_RANK, type, out);
    case WINDOW_PERCENT_RANK:
        return window_call_number_rows(rows, OVER_PERCENT_RANK, type, out);
    case WINDOW_CUME_DIST:
        return window_call_number_rows(rows, OVER_CUME_DIST, type, out);
    case WINDOW_NTILE:
        return number_buckets(rows, call, type, out);
    case WINDOW_LAG:
    case WINDOW_LEAD:
        return shift_values(rows, call, out);
    case WINDOW_FIRST_VALUE:
    case WINDOW_LAST_VALUE:
    case WINDOW_NTH_VALUE:
        return call->ignores_nulls ? kept_values(rows, call, out) : frame_values(rows, call, out);
    case WINDOW_STRING_AGG:
    case WINDOW_STRING_AGG_DISTINCT:
        return window_text_evaluate(rows, call, type, out);
    case WINDOW_STRING_AGG_FRAME:
        return window_text_frame_evaluate(rows, call, type, out);
    case WINDOW_VALUE_OF_LEAST:
    case WINDOW_VALUE_OF_GREATEST:
        return window_value_of_evaluate(rows, call, out);
    case WINDOW_QUANTILE:
    case WINDOW_QUANTILE_VALUE:
    case WINDOW_MODE:
    case WINDOW_DISTINCT:
        return window_ordered_evaluate(rows, call, type, out);
    case WINDOW_AGGREGATE:
        break;
    }
    return window_aggregate_evaluate(rows, call, type, out);
}
