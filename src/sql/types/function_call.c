/* function_call.c - see function_call.h. */
#include "sql/types/function_call.h"

#include "plan/tree/function.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"

status call_coerce(const function_call *c, size_t i, char letter)
{
    char name[TYPE_NAME_BYTES], expected[TYPE_NAME_BYTES];
    data_type type = function_letter_type(letter), common;
    expr *arg = c->args[i];
    int32_t location = arg->position >= 0 ? arg->position : c->tree->location;
    bool is_fit =
        bind_is_literal(arg) || arg->type.id == type.id ||
        (letter == 'T' && (arg->type.id == TYPE_DATE || arg->type.id == TYPE_TIMESTAMP_TZ)) ||
        (letter == 'd' && type_is_numeric(arg->type)) ||
        (letter == 'i' && type_is_integer(arg->type) && bind_common_type(arg->type, type, &common));
    if (!is_fit)
        return bind_error(c->b, STATUS_KIND_INVALID, location,
                          "argument %zu of function \"%s\" must be of type %s, not %s", i + 1,
                          c->name, type_name(type, expected), type_name(arg->type, name));
    return bind_cast(c->b, arg, type, location, &c->args[i]);
}

/* As many arguments as the signature takes? */
status call_check_count(const function_call *c, const char *signature)
{
    char expected[48];
    uint32_t least, most;
    function_counts(signature, &least, &most);
    if (c->count >= least && c->count <= most)
        return STATUS_OK;
    if (most == UINT32_MAX)
        snprintf(expected, sizeof expected, "%u or more arguments", least);
    else if (least != most)
        snprintf(expected, sizeof expected, "%u or %u arguments", least, most);
    else if (most)
        snprintf(expected, sizeof expected, "%u argument%s", most, most > 1 ? "s" : "");
    else
        snprintf(expected, sizeof expected, "no argument");
    return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                      "function \"%s\" takes %s, not %zu", c->name, expected, c->count);
}

/* A function whose signature says all. */
status call_by_signature(const function_call *c, expr_op op, expr **out)
{
    const char *signature = function_info_of(op)->signature;
    for (uint32_t i = 0; i < c->count; i++)
        TRY(call_coerce(c, i, function_argument(signature, i)));
    return bind_call(c->b, op, function_letter_type(function_result(signature)), c->args,
                     (uint32_t)c->count, c->tree->location, out);
}

status call_require_number(const function_call *c, size_t i)
{
    char name[TYPE_NAME_BYTES];
    if (c->args[i]->type.id == TYPE_NULL || bind_is_literal(c->args[i]))
        return bind_cast(c->b, c->args[i], type_make(TYPE_DOUBLE), c->tree->location, &c->args[i]);
    if (type_is_numeric(c->args[i]->type))
        return STATUS_OK;
    return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                      "argument %zu of function \"%s\" must be a number, not %s", i + 1, c->name,
                      type_name(c->args[i]->type, name));
}

status call_constant_text(const function_call *c, const char *text, expr **out)
{
    char *copy = arena_copy_text(c->b->memory, text, strlen(text));
    value v = value_text(copy, strlen(text));
    return copy ? bind_constant(c->b, &v, c->tree->location, out) : bind_no_memory();
}
