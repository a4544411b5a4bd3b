/* program_run_text.c - instructions on text: matching, parts, lengths, and new text of unknown
 * size. */
#include "exec/expression/program_run_text.h"

#include "device/transfer.h"
#include "exec/expression/program_instruction.h"
#include "exec/expression/program_run.h"

#define OPERANDS_MAX 3

/* All operands; the first as a column, so that one of them always is. */
static status operands(program_run *run, frame *f, const instruction *s, operand *x)
{
    memset(x, 0, OPERANDS_MAX * sizeof *x);
    TRY(run_column(run, f, s->args[0], &x[0]));
    for (uint32_t i = 1; i < s->arg_count; i++)
        TRY(run_operand(run, f, s->args[i], &x[i]));
    return STATUS_OK;
}

static status program_run_text_begin(program_run *run, frame *f, const instruction *s, operand *x,
                                     tensor **result)
{
    TRY(operands(run, f, s, x));
    TRY(run_result(run, f, s->type, result));
    return run_validity(run, f, *result, x, s->arg_count);
}

status instruction_like(program_run *run, frame *f, uint32_t number, tensor **result)
{
    operand x[OPERANDS_MAX];
    const void *pattern;
    TRY(run_upload(run, number, &pattern));
    TRY(program_run_text_begin(run, f, instruction_at(run, number), x, result));
    return DEV_LAUNCH(run->stream, like, .values = x[0].values, .count = f->count,
                      .pattern = pattern, .out = (*result)->values);
}

status instruction_like_column(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand x[OPERANDS_MAX];
    TRY(program_run_text_begin(run, f, s, x, result));
    TRY(DEV_LAUNCH(run->stream, like_column, .values = x[0].values, .value_stride = x[0].stride,
                   .patterns = x[1].values, .pattern_stride = x[1].stride,
                   .escape = (int16_t)s->first_number, .validity = (*result)->validity,
                   .count = f->count, .out = (*result)->values, .error = run->task->error,
                   .location = run_location(s)));
    return run_check(run, f, s);
}

status instruction_starts_with(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand x[OPERANDS_MAX];
    TRY(program_run_text_begin(run, f, s, x, result));
    return DEV_LAUNCH(run->stream, starts_with, .values = x[0].values, .value_stride = x[0].stride,
                      .prefixes = x[1].values, .prefix_stride = x[1].stride, .count = f->count,
                      .out = (*result)->values);
}

status instruction_slice(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand x[OPERANDS_MAX];
    TRY(program_run_text_begin(run, f, s, x, result));
    (*result)->heap = string_heap_ref(x[0].column->heap);
    TRY(DEV_LAUNCH(run->stream, string_slice, .op = s->op, .values = x[0].values,
                   .value_stride = x[0].stride, .first = x[1].values, .first_stride = x[1].stride,
                   .second = x[2].values, .second_stride = x[2].stride,
                   .validity = (*result)->validity, .count = f->count, .out = (*result)->values,
                   .error = run->task->error, .location = run_location(s)));
    return s->can_fail ? run_check(run, f, s) : STATUS_OK;
}

status instruction_trim(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand x[OPERANDS_MAX];
    TRY(program_run_text_begin(run, f, s, x, result));
    (*result)->heap = string_heap_ref(x[0].column->heap);
    return DEV_LAUNCH(run->stream, string_trim, .ends = s->op, .values = x[0].values,
                      .value_stride = x[0].stride, .set = x[1].values, .set_stride = x[1].stride,
                      .count = f->count, .out = (*result)->values);
}

status instruction_measure(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand x[OPERANDS_MAX];
    TRY(program_run_text_begin(run, f, s, x, result));
    return DEV_LAUNCH(run->stream, string_measure, .op = s->op, .values = x[0].values,
                      .value_stride = x[0].stride, .second = x[1].values,
                      .second_stride = x[1].stride, .count = f->count, .out = (*result)->values);
}

/* ---- new text ---- */

/* How many bytes the new texts have. */
static status program_run_text_count_bytes(program_run *run, frame *f, const instruction *s,
                                           uint64_t *out)
{
    operand x[OPERANDS_MAX];
    tensor *result = NULL;
    dev_buffer *total = NULL;
    status st = program_run_text_begin(run, f, s, x, &result);
    if (!st)
        st = dev_words_new(run->stream, 1, &total);
    if (!st)
        st = DEV_LAUNCH(run->stream, string_build_bytes, .op = s->op, .first = x[0].values,
                        .first_stride = x[0].stride, .second = x[1].values,
                        .second_stride = x[1].stride, .third = x[2].values,
                        .third_stride = x[2].stride, .validity = result->validity,
                        .count = f->count, .out_total = total->address, .error = run->task->error,
                        .location = run_location(s));
    tensor_unref(result);
    if (!st && s->can_fail)
        st = run_check(run, f, s);
    if (!st)
        st = dev_words_read(run->stream, total->address, out, 1);
    dev_buffer_unref(total);
    return st;
}

static status program_run_text_build(program_run *run, frame *f, const instruction *s,
                                     uint64_t bytes, tensor **result)
{
    operand x[OPERANDS_MAX];
    dev_buffer *heap = NULL;
    TRY(program_run_text_begin(run, f, s, x, result));
    if (bytes) {
        TRY(dev_alloc(run->dev, bytes, "text", &heap));
        TRY(string_heap_new(&heap, 1, &(*result)->heap));
    }
    return DEV_LAUNCH(
        run->stream, string_build, .op = s->op, .first = x[0].values, .first_stride = x[0].stride,
        .second = x[1].values, .second_stride = x[1].stride, .third = x[2].values,
        .third_stride = x[2].stride, .validity = (*result)->validity, .count = f->count,
        .heap = heap ? heap->address : NULL, .out = (*result)->values);
}

/* First how many bytes there will be, then the texts. */
status instruction_build(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    uint64_t bytes = 0;
    TRY(program_run_text_count_bytes(run, f, s, &bytes));
    return program_run_text_build(run, f, s, bytes, result);
}
