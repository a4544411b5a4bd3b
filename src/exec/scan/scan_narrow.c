/* scan_narrow.c - conditions on the column cache's narrow values. Each becomes a mask of the whole slice, which takes less time
 * than to select rows for the next one, and the masks become one selection. */
#include "exec/scan/scan_narrow.h"

#include "device/chunk.h"
#include "device/selection.h"
#include "exec/expression/program_compile.h"
#include "exec/expression/program_run.h"
#include "exec/expression/program_run_narrow.h"
#include "exec/scan/scan_columns.h"

status scan_narrow_uses(op_scan *op)
{
    bool has_any = false;
    if (!op->filter_count || !scan_is_host(op))
        return STATUS_OK;
    op->narrow_uses = mem_new_array(op->filter_count, sizeof *op->narrow_uses);
    if (!op->narrow_uses)
        return status_no_memory("scan", op->filter_count);
    for (uint32_t i = 0; i < op->filter_count; i++) {
        op->narrow_uses[i] = (uint8_t)program_takes_narrow(op->program, i);
        has_any |= op->narrow_uses[i] != NARROW_NOT;
    }
    if (!has_any) {
        mem_free(op->narrow_uses);
        op->narrow_uses = NULL;
    }
    return STATUS_OK;
}

/* Dictionaries of at most this part of the slice's rows are computed, or of so few entries. */
#define ENTRIES_PART 8
#define ENTRIES_FEW 256

/* Returns whether a condition takes the column as it is. A long dictionary is left to the rows that other conditions leave. */
static bool is_taken(const tensor *t, narrow_use use, uint64_t rows)
{
    if (!t->base)
        return use == NARROW_ANY;
    return t->base_rows <= rows / ENTRIES_PART || t->base_rows <= ENTRIES_FEW;
}

/* Puts the columns that the condition reads into the chunk. *out: they are all there, in a form that it takes. */
static status take_columns(op_scan *op, exec_task *task, scan_local *local, uint32_t condition,
                           chunk *columns, bool *out)
{
    const uint32_t *inputs;
    uint32_t count = program_inputs(op->program, condition, &inputs);
    *out = false;
    for (uint32_t i = 0; i < count; i++) {
        tensor **column = &columns->columns[inputs[i]];
        TRY(scan_look_in_cache(op, task, local, inputs[i]));
        if (!local->is_cached[inputs[i]])
            return STATUS_OK;
        if (!*column)
            TRY(column_cache_narrow(local->cached[inputs[i]], local->first_row, local->slice_rows,
                                    column));
        if (!*column || !is_taken(*column, op->narrow_uses[condition], local->slice_rows))
            return STATUS_OK;
    }
    *out = count > 0;
    return STATUS_OK;
}

/* The rows for which all conditions so far hold. */
typedef struct narrow_mask {
    uint64_t *bits; /* NULL: all */
    dev_buffer *owner;
    bool is_empty; /* none */
} narrow_mask;

/* bits &= other, of memory that may be shared. */
static status keep_bits(dev_stream *stream, narrow_mask *mask, const uint64_t *other,
                        dev_buffer *owner, dev_count count)
{
    if (!mask->bits) {
        mask->bits = (uint64_t *)other;
        mask->owner = dev_buffer_ref(owner);
        return STATUS_OK;
    }
    dev_buffer *both;
    TRY(dev_alloc(stream->dev, bitmap_bytes(count.bound), "scan", &both));
    status st = DEV_LAUNCH(stream, logic, .op = DEV_LOGIC_BOTH_VALID, .left_validity = mask->bits,
                           .left_stride = 1, .right_validity = other, .right_stride = 1,
                           .count = count, .out = both->address);
    dev_buffer_unref(mask->owner);
    mask->owner = both;
    mask->bits = both->address;
    return st;
}

/* Leaves the rows for which `result`, a condition, is true. */
static status keep_true(dev_stream *stream, narrow_mask *mask, tensor *result, dev_count count)
{
    tensor *flat;
    if (result->form == TENSOR_CONSTANT) {
        mask->is_empty |= result->constant.is_null || !result->constant.boolean;
        return STATUS_OK;
    }
    TRY(tensor_flatten(stream, result, count, &flat));
    status st = keep_bits(stream, mask, flat->values, flat->values_owner, count);
    if (!st && flat->validity)
        st = keep_bits(stream, mask, flat->validity, flat->validity_owner, count);
    tensor_unref(flat);
    return st;
}

static status select_rows(dev_stream *stream, const narrow_mask *mask, dev_count count,
                          row_selection *out)
{
    if (mask->is_empty) {
        out->count = dev_count_exact(0);
        return row_index_new(stream->dev, 1, &out->rows);
    }
    if (!mask->bits)
        return STATUS_OK;
    return row_selection_make(stream, &(row_mask){.bits = mask->bits}, count, out);
}

/* Decides the conditions that can be, into the mask. */
static exec_result decide(op_scan *op, exec_task *task, scan_local *local, chunk *columns,
                          narrow_mask *mask)
{
    for (uint32_t i = 0; i < op->filter_count; i++) {
        bool is_there = false;
        tensor *result;
        if (op->narrow_uses[i] != NARROW_NOT)
            EXEC_TRY(task, take_columns(op, task, local, i, columns, &is_there));
        if (!is_there)
            continue;
        exec_result done = program_evaluate(local->run, i, columns, &result);
        if (done != EXEC_FINISHED)
            return done;
        status st = keep_true(task->stream, mask, result, local->count);
        tensor_unref(result);
        EXEC_TRY(task, st);
        local->is_decided[i] = true;
    }
    return EXEC_FINISHED;
}

exec_result scan_narrow_select(op_scan *op, exec_task *task, scan_local *local, row_selection *out,
                               dev_buffer **out_bits)
{
    chunk *columns;
    narrow_mask mask = {0};
    *out = (row_selection){0};
    *out_bits = NULL;
    for (uint32_t i = 0; i < op->filter_count; i++)
        local->is_decided[i] = false;
    if (!op->narrow_uses || local->selected || !op->base.query->reads->cache.limit_bytes)
        return EXEC_FINISHED;
    EXEC_TRY(task, chunk_new(op->column_count, local->count, &columns));
    exec_result result = decide(op, task, local, columns, &mask);
    if (result == EXEC_FINISHED) {
        status st = select_rows(task->stream, &mask, local->count, out);
        result = st ? exec_fail(task, st) : EXEC_FINISHED;
    }
    if (result == EXEC_FINISHED && out->rows && mask.owner && mask.bits == mask.owner->address)
        *out_bits = dev_buffer_ref(mask.owner);
    dev_buffer_unref(mask.owner);
    chunk_free(columns);
    return result;
}
