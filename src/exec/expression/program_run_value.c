/* program_run_value.c - instructions that compute: arithmetic, functions of numbers, casts, times, parts of nested values. */
#include "exec/expression/program_run_value.h"

#include "device/nested.h"
#include "device/nested_pack.h"
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

/* ---- fields of structs, elements and lengths of lists: on host devices ---- */

/* A child that nobody has, as every row is NULL. */
static status all_null(program_run *run, data_type type, tensor **out)
{
    value null = value_null(type);
    return tensor_new_constant(run->stream, &null, out);
}

static status child_rows(program_run *run, const tensor *t, uint32_t child, row_index *rows,
                         uint64_t count, data_type type, tensor **out)
{
    if (!t->heap || child >= t->heap->child_count)
        return all_null(run, type, out);
    return tensor_new_indexed(run->stream, t->heap->children[child], t->heap->child_rows, rows,
                              dev_count_exact(count), out);
}

static status run_nested_field(program_run *run, const instruction *s, const tensor *t,
                               uint64_t count, tensor **out)
{
    const nested_value *values = t->values;
    row_index *rows;
    TRY(row_index_new(run->dev, count, &rows));
    for (uint64_t i = 0; i < count; i++) {
        bool is_valid = nested_is_valid(t, i);
        rows->rows[i] = is_valid ? values[i].offset : ROW_NULL;
        rows->has_nulls |= !is_valid;
    }
    status st = child_rows(run, t, (uint32_t)s->first_number, rows, count, s->type, out);
    row_index_unref(rows);
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

static status run_nested_element(program_run *run, const instruction *s, const tensor *t,
                                 const operand *number, uint64_t count, tensor **out)
{
    const nested_value *values = t->values;
    const int64_t *numbers = number->values;
    const tensor *from = number->column;
    row_index *rows;
    TRY(row_index_new(run->dev, count, &rows));
    for (uint64_t i = 0; i < count; i++) {
        bool is_valid = nested_is_valid(t, i) && (!number->stride || nested_is_valid(from, i));
        rows->rows[i] = is_valid ? element_at(values[i], numbers[i * number->stride]) : ROW_NULL;
        rows->has_nulls |= rows->rows[i] == ROW_NULL;
    }
    status st = child_rows(run, t, 0, rows, count, s->type, out);
    row_index_unref(rows);
    return st;
}

static status run_nested_length(program_run *run, const instruction *s, const tensor *t,
                                uint64_t count, tensor **out)
{
    const nested_value *values = t->values;
    TRY(tensor_new_flat(run->dev, s->type, count, false, out));
    int64_t *lengths = (*out)->values;
    for (uint64_t i = 0; i < count; i++)
        lengths[i] = values[i].length;
    (*out)->validity = t->validity;
    (*out)->validity_owner = dev_buffer_ref(t->validity_owner);
    return STATUS_OK;
}

status instruction_nested(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand nested, index;
    if (!run->dev->is_host)
        return status_new(STATUS_KIND_UNSUPPORTED,
                          "device %s has no functions of lists, structs and maps yet",
                          run->dev->ops->name);
    TRY(run_column(run, f, s->args[0], &nested));
    uint64_t count = f->count.bound;
    switch (s->op) {
    case NESTED_FIELD:
        return run_nested_field(run, s, nested.column, count, result);
    case NESTED_ELEMENT:
        TRY(run_operand(run, f, s->args[1], &index));
        return run_nested_element(run, s, nested.column, &index, count, result);
    case NESTED_TO_KEY:
    case NESTED_TO_BYTES:
        return nested_pack(run->dev, nested.column, 0, count,
                           s->op == NESTED_TO_KEY ? NESTED_KEYS : NESTED_EXACT, "nested values",
                           result);
    case NESTED_FROM_KEY:
    case NESTED_FROM_BYTES:
        return nested_unpack(run->dev, s->type, nested.column, count,
                             s->op == NESTED_FROM_KEY ? NESTED_KEYS : NESTED_EXACT, "nested values",
                             result);
    default:
        return run_nested_length(run, s, nested.column, count, result);
    }
}
