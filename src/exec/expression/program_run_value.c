/* program_run_value.c - instructions that compute: arithmetic, functions of numbers, casts, times. */
#include "exec/expression/program_run_value.h"

#include "exec/expression/program_instruction.h"
#include "exec/expression/program_run.h"

/* The operands of an instruction of one or two, at least one a column; and its result, with
 * validity. */
static status program_run_value_begin(program_run *run, frame *f, const instruction *s, operand *x,
                                      tensor **result)
{
    if (s->arg_count == 2)
        TRY(run_operands(run, f, s, x));
    else
        TRY(run_column(run, f, s->args[0], &x[0]));
    TRY(run_result(run, f, s->type, result));
    return run_validity(run, f, *result, x, s->arg_count);
}

status instruction_arithmetic(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand x[2];
    TRY(program_run_value_begin(run, f, s, x, result));
    TRY(DEV_LAUNCH(
        run->stream, arithmetic, .op = s->op, .type = s->type, .is_checked = s->is_checked,
        .left = x[0].values, .left_width = x[0].column->type.width, .left_stride = x[0].stride,
        .right = x[1].values, .right_width = x[1].column->type.width, .right_stride = x[1].stride,
        .validity = (*result)->validity, .count = f->count, .out = (*result)->values,
        .error = run->task->error, .location = run_location(s)));
    return s->can_fail ? run_check(run, f, s) : STATUS_OK;
}

status instruction_math(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand x[2] = {{0}, {0}};
    TRY(program_run_value_begin(run, f, s, x, result));
    TRY(DEV_LAUNCH(run->stream, math, .op = s->op, .type = s->type,
                   .digits = (int32_t)s->first_number, .left = x[0].values,
                   .left_stride = x[0].stride, .right = x[1].values, .right_stride = x[1].stride,
                   .validity = (*result)->validity, .count = f->count, .out = (*result)->values,
                   .error = run->task->error, .location = run_location(s)));
    return s->can_fail ? run_check(run, f, s) : STATUS_OK;
}

/* ---- casts ---- */

status instruction_cast_number(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand x;
    TRY(program_run_value_begin(run, f, s, &x, result));
    TRY(DEV_LAUNCH(run->stream, cast_number, .from = x.column->type, .to = s->type,
                   .is_checked = s->is_checked, .values = x.values, .validity = (*result)->validity,
                   .count = f->count, .out = (*result)->values, .error = run->task->error,
                   .location = run_location(s)));
    return s->can_fail ? run_check(run, f, s) : STATUS_OK;
}

status instruction_cast_from_text(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand x;
    TRY(program_run_value_begin(run, f, s, &x, result));
    TRY(DEV_LAUNCH(run->stream, cast_from_text, .to = s->type, .values = x.values,
                   .validity = (*result)->validity, .count = f->count, .out = (*result)->values,
                   .error = run->task->error, .location = run_location(s)));
    return run_check(run, f, s);
}

/* The longest text of a value of the type. */
static uint32_t text_bytes_max(data_type type)
{
    switch (type.id) {
    case TYPE_BOOL:
        return 5;
    case TYPE_INT8:
    case TYPE_UINT8:
    case TYPE_INT16:
    case TYPE_UINT16:
    case TYPE_INT32:
    case TYPE_UINT32:
        return 11;
    case TYPE_INT64:
    case TYPE_UINT64:
        return 20;
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
        return DOUBLE_TEXT_BYTES;
    case TYPE_DATE:
        return DATE_TEXT_BYTES;
    case TYPE_INTERVAL:
        return INTERVAL_TEXT_BYTES;
    case TYPE_DECIMAL:
        return type.width == 8 ? 24 : INT128_TEXT_BYTES;
    default:
        return TIMESTAMP_TEXT_BYTES;
    }
}

status instruction_cast_to_text(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand x;
    dev_buffer *heap = NULL;
    TRY(program_run_value_begin(run, f, s, &x, result));
    uint32_t bytes = text_bytes_max(x.column->type);
    if (bytes > STRING_INLINE_BYTES) {
        TRY(dev_alloc(run->dev, f->count.bound * bytes, "text", &heap));
        TRY(string_heap_new(&heap, 1, &(*result)->heap));
    }
    return DEV_LAUNCH(run->stream, cast_to_text, .from = x.column->type, .values = x.values,
                      .validity = (*result)->validity, .count = f->count,
                      .heap = heap ? heap->address : NULL, .heap_stride = bytes,
                      .out = (*result)->values);
}

/* ---- times ---- */

status instruction_date_part(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand x;
    TRY(program_run_value_begin(run, f, s, &x, result));
    return DEV_LAUNCH(run->stream, date_part, .part = s->op, .type = x.column->type,
                      .values = x.values, .count = f->count, .out = (*result)->values);
}

status instruction_date_trunc(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand x;
    TRY(program_run_value_begin(run, f, s, &x, result));
    TRY(DEV_LAUNCH(run->stream, date_trunc, .part = s->op, .type = x.column->type,
                   .out_type = s->type, .values = x.values, .validity = (*result)->validity,
                   .count = f->count, .out = (*result)->values, .error = run->task->error,
                   .location = run_location(s)));
    return run_check(run, f, s);
}

status instruction_time(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand x[2];
    TRY(program_run_value_begin(run, f, s, x, result));
    TRY(DEV_LAUNCH(run->stream, time_arithmetic, .op = s->op,
                   .precision = x[0].column->type.precision, .left = x[0].values,
                   .left_stride = x[0].stride, .right = x[1].values, .right_stride = x[1].stride,
                   .validity = (*result)->validity, .count = f->count, .out = (*result)->values,
                   .error = run->task->error, .location = run_location(s)));
    return s->can_fail ? run_check(run, f, s) : STATUS_OK;
}

status instruction_retype(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand x;
    TRY(run_column(run, f, s->args[0], &x));
    TRY(tensor_new_view(s->type, x.column->values_owner, x.column->values, result));
    return run_validity(run, f, *result, &x, 1);
}

/* ---- lists, structs and maps: src/device/nested ---- */

static status place_failure(const instruction *s, status st)
{
    return st && s->position >= 0 ? status_at(st, s->position) : st;
}

/* The column of an argument; *repeats: it has the same value in all rows. */
static status nested_argument(program_run *run, frame *f, const instruction *s, uint32_t number,
                              tensor **out, bool *repeats)
{
    tensor *given = f->slots[s->args[number]];
    operand x;
    *out = given;
    *repeats = false;
    if (!number && given->form == TENSOR_INDEXED && nested_takes_indexed((nested_function)s->op))
        return STATUS_OK;
    TRY(run_operand(run, f, s->args[number], &x));
    *repeats = !x.stride;
    TRY(run_column(run, f, s->args[number], &x));
    *out = x.column;
    return STATUS_OK;
}

status instruction_nested(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    if (!run->dev
             ->is_host) { /* plan_pack_columns leaves one function there: the result's columns are bytes still */
        assert(s->op == NESTED_FROM_BYTES);
        *result = tensor_ref(f->slots[s->args[0]]);
        return STATUS_OK;
    }
    tensor **args = mem_new_array((size_t)s->arg_count + 1, sizeof *args);
    bool *repeats = mem_new_array((size_t)s->arg_count + 1, sizeof *repeats);
    nested_args call = {.stream = run->stream,
                        .type = s->type,
                        .count = f->count.bound,
                        .args = args,
                        .repeats = repeats,
                        .arg_count = s->arg_count,
                        .number = s->first_number};
    status st =
        args && repeats ? STATUS_OK : status_no_memory("expression", s->arg_count * sizeof *args);
    for (uint32_t i = 0; i < s->arg_count && !st; i++)
        st = nested_argument(run, f, s, i, &args[i], &repeats[i]);
    if (!st)
        st = nested_compute((nested_function)s->op, &call, result);
    mem_free(args);
    mem_free(repeats);
    return place_failure(s, st);
}

status nested_repeat(program_run *run, tensor *constant, uint64_t rows, tensor **out)
{
    if (constant->form == TENSOR_CONSTANT) {
        *out = tensor_ref(constant);
        return STATUS_OK;
    }
    bool is_null = constant->validity && !(constant->validity[0] & 1);
    TRY(tensor_new_flat(run->dev, constant->type, rows, is_null, out));
    const nested_value *from = constant->values;
    for (uint64_t i = 0; i < rows; i++)
        ((nested_value *)(*out)->values)[i] = from[0];
    if (is_null)
        memset((*out)->validity, 0, bitmap_bytes(rows));
    (*out)->heap = string_heap_ref(constant->heap);
    return STATUS_OK;
}
