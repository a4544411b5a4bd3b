/* program_compile_function.c - functions of text, numbers and times. */
#include "device/value/date_part.h"
#include "exec/expression/program_compile.h"
#include "exec/expression/program_compile_logic.h"
#include "exec/expression/program_compile_value.h"
#include "exec/expression/program_instruction.h"

/* All arguments. */
#define FUNCTION_ARGS_MAX 4

static status program_compile_function_compile_args(compiler *c, const expr *e, uint32_t *args)
{
    for (uint32_t i = 0; i < e->arg_count && i < FUNCTION_ARGS_MAX; i++)
        TRY(compile_expr(c, e->args[i], &args[i]));
    return STATUS_OK;
}

/* Returns the value of an argument that has to be a constant; NULL if it is not constant. */
static const value *constant_arg(const expr *e, uint32_t index)
{
    const expr *arg = e->args[index];
    while (arg->kind == EXPR_CAST)
        arg = arg->args[0];
    return arg->kind == EXPR_CONSTANT ? &arg->constant : NULL;
}

static status add_null(compiler *c, data_type type, uint32_t *out)
{
    value null = value_null(type);
    return instruction_add_constant(c, &null, out);
}

/* ---- text ---- */

status compile_call_slice(compiler *c, const expr *e, int op, uint32_t *out)
{
    uint32_t args[FUNCTION_ARGS_MAX];
    TRY(program_compile_function_compile_args(c, e, args));
    for (uint32_t i = 1; i < e->arg_count; i++)
        TRY(compile_cast(c, args[i], type_make(TYPE_INT64), e->position, &args[i]));
    if (op == DEV_SLICE_SUBSTRING && e->arg_count == 2)
        op = DEV_SLICE_FROM;
    instruction s = instruction_make(INSTRUCTION_SLICE, (uint8_t)op, e->type, e->position);
    if (op == DEV_SLICE_SUBSTRING) {
        const instruction *length = instruction_of(c, args[2]);
        s.can_fail = !length->has_bounds || length->low < 0;
    }
    return instruction_add(c, &s, args, e->arg_count, out);
}

status compile_call_trim(compiler *c, const expr *e, int op, uint32_t *out)
{
    uint32_t args[FUNCTION_ARGS_MAX];
    TRY(program_compile_function_compile_args(c, e, args));
    if (e->arg_count == 1) {
        value space = value_text(" ", 1);
        TRY(instruction_add_constant(c, &space, &args[1]));
    }
    instruction s = instruction_make(INSTRUCTION_TRIM, (uint8_t)op, e->type, e->position);
    return instruction_add(c, &s, args, 2, out);
}

status compile_call_measure(compiler *c, const expr *e, int op, uint32_t *out)
{
    uint32_t args[FUNCTION_ARGS_MAX];
    TRY(program_compile_function_compile_args(c, e, args));
    instruction s =
        instruction_make(INSTRUCTION_MEASURE, (uint8_t)op, type_make(TYPE_INT64), e->position);
    s.low = 0;
    s.high = UINT32_MAX;
    TRY(instruction_add(c, &s, args, e->arg_count, out));
    return compile_cast(c, *out, e->type, e->position, out);
}

status compile_call_build(compiler *c, const expr *e, int op, uint32_t *out)
{
    uint32_t args[FUNCTION_ARGS_MAX];
    TRY(program_compile_function_compile_args(c, e, args));
    instruction s = instruction_make(INSTRUCTION_BUILD, (uint8_t)op, e->type, e->position);
    /* A text of 4 GiB is too long, but case keeps the length. */
    s.can_fail = op == DEV_BUILD_CONCAT || op == DEV_BUILD_REPLACE;
    return instruction_add(c, &s, args, e->arg_count, out);
}

/* ---- texts joined ---- */

/* So few parts are joined from the left, so that a || b is computed once where a || b || c is wanted, too. */
#define PARTS_FEW 8

static bool continues(const expr *e, const expr *first)
{
    return e->op == EXPR_CONCAT && first->kind == e->kind && first->op == EXPR_CONCAT &&
           first->type.id == e->type.id;
}

/* The operands of a || b || c, which the parser nests. */
static status program_compile_function_list_parts(compiler *c, const expr *e, const expr ***out,
                                                  uint32_t *out_count)
{
    uint32_t count = e->arg_count;
    const expr *at = e;
    for (; continues(at, at->args[0]); at = at->args[0])
        count += at->args[0]->arg_count - 1;
    const expr **parts = arena_alloc_array(c->program->memory, count, sizeof *parts);
    if (!parts)
        return status_no_memory("expression", count * sizeof *parts);
    *out = parts;
    *out_count = count;
    for (at = e; count > at->arg_count; at = at->args[0])
        for (uint32_t i = at->arg_count; i-- > 1;)
            parts[--count] = at->args[i];
    for (uint32_t i = 0; i < count; i++)
        parts[i] = at->args[i];
    return STATUS_OK;
}

static status compile_part(compiler *c, const expr *e, const expr *part, uint32_t *out)
{
    uint32_t is_there, empty_text;
    value empty = value_text("", 0);
    TRY(compile_expr(c, part, out));
    TRY(compile_cast(c, *out, e->type, e->position, out));
    if (e->op != EXPR_CONCAT_SKIP)
        return STATUS_OK;
    TRY(instruction_add_constant(c, &empty, &empty_text));
    TRY(compile_test(c, DEV_LOGIC_IS_NOT_NULL, *out, &is_there));
    return compile_choose(c, e->type, is_there, *out, empty_text, out);
}

/* Halves are joined, so that a byte is copied as often as the count can be halved: joined from the left, the bytes copied
 * and kept would grow by the square of the count. */
static status program_compile_function_join_parts(compiler *c, const expr *e,
                                                  const expr *const *parts, uint32_t count,
                                                  uint32_t *out)
{
    uint32_t args[2], first = count > PARTS_FEW ? count / 2 : count - 1;
    if (count == 1)
        return compile_part(c, e, parts[0], out);
    TRY(program_compile_function_join_parts(c, e, parts, first, &args[0]));
    TRY(program_compile_function_join_parts(c, e, parts + first, count - first, &args[1]));
    instruction s = instruction_make(INSTRUCTION_BUILD, DEV_BUILD_CONCAT, e->type, e->position);
    s.can_fail = true;
    return instruction_add(c, &s, args, 2, out);
}

status compile_call_concat(compiler *c, const expr *e, int op, uint32_t *out)
{
    (void)op;
    const expr **parts;
    uint32_t count;
    TRY(program_compile_function_list_parts(c, e, &parts, &count));
    return program_compile_function_join_parts(c, e, parts, count, out);
}

status compile_call_starts_with(compiler *c, const expr *e, int op, uint32_t *out)
{
    (void)op;
    uint32_t args[FUNCTION_ARGS_MAX];
    TRY(program_compile_function_compile_args(c, e, args));
    instruction s = instruction_make(INSTRUCTION_STARTS_WITH, 0, e->type, e->position);
    return instruction_add(c, &s, args, 2, out);
}

/* ---- numbers ---- */

/* An integer or decimal may leave its type by at most what it is rounded to; |minimum| may too. */
static bool rounding_can_fail(const instruction *s, const instruction *arg)
{
    int64_t dropped = arg->type.scale - s->first_number;
    if (s->op == DEV_MATH_SIGN || s->op == DEV_MATH_TRUNC ||
        (s->op != DEV_MATH_ABS && dropped <= 0))
        return false;
    int128 unit = s->op == DEV_MATH_ABS ? 1 : power_of_ten(dropped > 38 ? 38 : (unsigned)dropped);
    return arg->high > s->high - unit || arg->low < s->low + unit;
}

status compile_call_math(compiler *c, const expr *e, int op, uint32_t *out)
{
    uint32_t args[FUNCTION_ARGS_MAX];
    TRY(program_compile_function_compile_args(c, e, args));
    instruction s = instruction_make(INSTRUCTION_MATH, (uint8_t)op, e->type, e->position);
    if (op == DEV_MATH_ROUND && e->arg_count == 2) {
        const value *digits = constant_arg(e, 1);
        if (!digits)
            return status_at(status_new(STATUS_KIND_UNSUPPORTED,
                                        "the number of digits to round to has to be a constant"),
                             e->position);
        if (digits->is_null)
            return add_null(c, e->type, out);
        int64_t number = (int64_t)value_int128(digits);
        s.first_number = number < -400 ? -400 : number > 400 ? 400 : number;
    }
    TRY(compile_cast(c, args[0], e->type, e->position, &args[0]));
    if (op >= DEV_MATH_POWER)
        TRY(compile_cast(c, args[1], e->type, e->position, &args[1]));
    s.can_fail =
        s.has_bounds ? rounding_can_fail(&s, instruction_of(c, args[0])) : op >= DEV_MATH_SQRT;
    return instruction_add(c, &s, args, op >= DEV_MATH_POWER ? 2 : 1, out);
}

/* ---- times ---- */

/* NULL where a date or a timestamp is infinite, which has no fields. */
static status compile_finite(compiler *c, uint32_t arg, int32_t position, uint32_t *out)
{
    const instruction *s = instruction_of(c, arg);
    data_type type = s->type;
    int64_t infinity = type.id == TYPE_DATE ? INT32_MAX : INT64_MAX;
    value null = value_null(type);
    uint32_t is_finite, nothing;
    *out = arg;
    if (!instruction_may_be_infinite(s))
        return STATUS_OK;
    instruction range = instruction_make(INSTRUCTION_RANGE, 0, type_make(TYPE_BOOL), position);
    range.first_number = -infinity + 1;
    range.second_number = infinity - 1;
    TRY(instruction_add(c, &range, &arg, 1, &is_finite));
    TRY(instruction_add_constant(c, &null, &nothing));
    return compile_choose(c, type, is_finite, arg, nothing, out);
}

status compile_call_part(compiler *c, const expr *e, int op, uint32_t *out)
{
    (void)op;
    const value *name = constant_arg(e, 0);
    dev_date_part part;
    uint32_t arg;
    TRY(compile_expr(c, e->args[1], &arg));
    data_type type = instruction_of(c, arg)->type;
    if (!name || !type_is_text(name->type))
        return status_at(
            status_new(STATUS_KIND_UNSUPPORTED, "the field of a date has to be a constant text"),
            e->position);
    if (name->is_null || type.id == TYPE_NULL)
        return add_null(c, e->type, out);
    char type_text[TYPE_NAME_BYTES];
    if (!dev_part_find(name, &part) || !dev_part_is_of(part, type))
        return status_at(status_new(STATUS_KIND_INVALID, "%s has no field \"%.*s\"",
                                    type_name(type, type_text), (int)name->bytes, name->text),
                         e->position);
    if (e->op == EXPR_DATE_PART) {
        TRY(compile_finite(c, arg, e->position, &arg));
        data_type made = type_make(dev_part_is_real(part) ? TYPE_DOUBLE : TYPE_INT64);
        instruction s = instruction_make(INSTRUCTION_DATE_PART, (uint8_t)part, made, e->position);
        TRY(instruction_add(c, &s, &arg, 1, out));
        return compile_cast(c, *out, e->type, e->position, out);
    }
    if (dev_part_is_real(part) || part == DEV_PART_DOW || part == DEV_PART_DOY ||
        part == DEV_PART_ISODOW || part == DEV_PART_ISOYEAR || type.id == TYPE_TIME ||
        type.id == TYPE_INTERVAL)
        return status_at(status_new(STATUS_KIND_UNSUPPORTED, "cannot cut %s to \"%.*s\"",
                                    type_name(type, type_text), (int)name->bytes, name->text),
                         e->position);
    instruction s = instruction_make(INSTRUCTION_DATE_TRUNC, (uint8_t)part, e->type, e->position);
    s.can_fail = true;
    return instruction_add(c, &s, &arg, 1, out);
}

status compile_call_time(compiler *c, const expr *e, int op, uint32_t *out)
{
    uint32_t args[FUNCTION_ARGS_MAX];
    TRY(program_compile_function_compile_args(c, e, args));
    if (op == DEV_TIME_DATE_ADD_DAYS)
        TRY(compile_cast(c, args[1], type_make(TYPE_INT32), e->position, &args[1]));
    if (op == DEV_TIME_INTERVAL_MULTIPLY || op == DEV_TIME_INTERVAL_DIVIDE)
        TRY(compile_cast(c, args[1], type_make(TYPE_DOUBLE), e->position, &args[1]));
    for (int i = 0; i < 2; i++)
        if (instruction_of(c, args[i])->type.id == TYPE_NULL)
            return add_null(c, e->type, out);
    instruction s = instruction_make(INSTRUCTION_TIME, (uint8_t)op, e->type, e->position);
    const instruction *left = instruction_of(c, args[0]), *right = instruction_of(c, args[1]);
    bool is_finite = !instruction_may_be_infinite(left) && !instruction_may_be_infinite(right);
    s.can_fail =
        op != DEV_TIME_DATE_DIFFERENCE && !(op == DEV_TIME_TIMESTAMP_DIFFERENCE && is_finite);
    if (is_finite && left->has_bounds && right->has_bounds &&
        (op == DEV_TIME_DATE_ADD_DAYS || op == DEV_TIME_DATE_DIFFERENCE)) {
        bool adds = op == DEV_TIME_DATE_ADD_DAYS;
        int128 low = left->low + (adds ? right->low : -right->high);
        int128 high = left->high + (adds ? right->high : -right->low);
        int64_t infinity = adds ? INT32_MAX : INT64_MAX;
        if (low > -infinity && high < infinity) {
            s.low = low;
            s.high = high;
            s.can_fail = false;
        }
    }
    return instruction_add(c, &s, args, 2, out);
}

/* Takes the numbers as values of another type. */
static status compile_retyped(compiler *c, uint32_t arg, data_type type, int32_t position,
                              uint32_t *out)
{
    instruction s = instruction_make(INSTRUCTION_RETYPE, 0, type, position);
    s.low = instruction_of(c, arg)->low;
    s.high = instruction_of(c, arg)->high;
    return instruction_add(c, &s, &arg, 1, out);
}

/* An integer is a moment already: so many units since 1970. */
status compile_call_moment(compiler *c, const expr *e, int op, uint32_t *out)
{
    (void)op;
    uint32_t arg;
    TRY(compile_expr(c, e->args[0], &arg));
    TRY(compile_cast(c, arg, type_make(TYPE_INT64), e->position, &arg));
    return compile_retyped(c, arg, e->type, e->position, out);
}

/* The number before a date's or timestamp's: for an infinite one, too, it is one that others have, or none. */
status compile_call_previous(compiler *c, const expr *e, int op, uint32_t *out)
{
    (void)op;
    data_type number = type_make(e->type.id == TYPE_DATE ? TYPE_INT32 : TYPE_INT64);
    value one = value_int(number.id, 1);
    uint32_t args[2];
    TRY(compile_expr(c, e->args[0], &args[0]));
    TRY(compile_retyped(c, args[0], number, e->position, &args[0]));
    TRY(instruction_add_constant(c, &one, &args[1]));
    instruction s = instruction_make(INSTRUCTION_ARITHMETIC, DEV_SUBTRACT, number, e->position);
    s.is_checked = s.can_fail = true;
    TRY(instruction_add(c, &s, args, 2, &args[0]));
    return compile_retyped(c, args[0], e->type, e->position, out);
}
