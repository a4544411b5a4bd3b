/* nested_regexp.c - functions of regular expressions that give lists and structs. The host makes the bytes of a value
 * (device/nested_pack.h), out of which the value is read. */
#include "sql/function/nested_regexp.h"

#include "sql/function/nested_function.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/nested_cast.h"

/* A struct of texts, whose names are the constants of the list in argument 2. */
static status named_groups(const function_call *c, data_type *out, size_t *out_count)
{
    const expr *names = c->args[2];
    bool is_written = names->kind == EXPR_CALL && names->op == EXPR_LIST_VALUE && names->arg_count;
    for (uint32_t i = 0; is_written && i < names->arg_count; i++)
        is_written = names->args[i]->kind == EXPR_CONSTANT && !names->args[i]->constant.is_null &&
                     names->args[i]->type.id == TYPE_VARCHAR;
    if (!is_written)
        return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                          "argument 3 of function \"%s\" must be a number, or a constant list of "
                          "names that is not empty",
                          c->name);
    nested_field *fields =
        arena_alloc_array(c->b->memory, (size_t)names->arg_count + 1, sizeof *fields);
    if (!fields)
        return bind_no_memory();
    for (uint32_t i = 0; i < names->arg_count; i++) {
        const value *v = &names->args[i]->constant;
        fields[i] = (nested_field){arena_copy_text(c->b->memory, v->text, v->bytes),
                                   type_make(TYPE_VARCHAR)};
        if (!fields[i].name)
            return bind_no_memory();
    }
    *out_count = names->arg_count;
    return bind_nested_type(c->b, TYPE_STRUCT, fields, names->arg_count, out);
}

/* Casts the text, the pattern and the flags. */
static status coerce_texts(const function_call *c, size_t flags)
{
    TRY(call_coerce(c, 0, 't'));
    TRY(call_coerce(c, 1, 't'));
    return c->count > flags ? call_coerce(c, flags, 't') : STATUS_OK;
}

static status call_bytes(const function_call *c, expr_op op, expr **out)
{
    return bind_call(c->b, op, type_make(TYPE_BLOB), c->args, (uint32_t)c->count, c->tree->location,
                     out);
}

static status extract_named(const function_call *c, bool is_all, expr **out)
{
    data_type type;
    size_t count = 0;
    TRY(named_groups(c, &type, &count));
    TRY(coerce_texts(c, 3));
    value number = value_int(TYPE_INT64, (int64_t)count);
    TRY(bind_constant(c->b, &number, -1, &c->args[2]));
    TRY(call_bytes(c, is_all ? EXPR_REGEXP_EXTRACT_STRUCTS : EXPR_REGEXP_EXTRACT_STRUCT, out));
    if (is_all)
        TRY(bind_list_type(c->b, type, &type));
    return bind_call1(c->b, is_all ? EXPR_NESTED_OF_ELEMENTS : EXPR_NESTED_OF_BYTES, type, *out,
                      c->tree->location, out);
}

status bind_regexp_extract(const function_call *c, expr_op op, expr **out)
{
    bool is_all = op == EXPR_REGEXP_EXTRACT_ALL;
    data_type type;
    if (c->count > 2 && c->args[2]->type.id == TYPE_LIST)
        return extract_named(c, is_all, out);
    if (!is_all)
        return call_by_signature(c, op, out);
    TRY(coerce_texts(c, 3));
    if (c->count > 2)
        TRY(call_coerce(c, 2, 'i'));
    TRY(call_bytes(c, op, out));
    TRY(bind_list_type(c->b, type_make(TYPE_VARCHAR), &type));
    return bind_call1(c->b, EXPR_NESTED_OF_ELEMENTS, type, *out, c->tree->location, out);
}

status bind_regexp_split(const function_call *c, expr_op op, expr **out)
{
    data_type type;
    TRY(coerce_texts(c, 2));
    TRY(call_bytes(c, op, out));
    TRY(bind_list_type(c->b, type_make(TYPE_VARCHAR), &type));
    return bind_call1(c->b, EXPR_NESTED_OF_ELEMENTS, type, *out, c->tree->location, out);
}

/* ---- products ---- */

status bind_list_product(const function_call *c, expr_op op, expr **out)
{
    char text[TYPE_NAME_BYTES];
    data_type list;
    bool are_floats = true;
    for (size_t i = 0; i < 2; i++) {
        TRY(nested_require_list(c, i));
        data_type element = nested_type_of(c->args[i]->type)->fields[0].type;
        if (!type_is_numeric(element))
            return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                              "argument %zu of function \"%s\" must be a list of numbers, not %s",
                              i + 1, c->name, type_name(c->args[i]->type, text));
        are_floats = are_floats && element.id == TYPE_FLOAT;
    }
    data_type number = type_make(are_floats ? TYPE_FLOAT : TYPE_DOUBLE);
    TRY(bind_list_type(c->b, number, &list));
    for (size_t i = 0; i < 2; i++)
        TRY(bind_cast(c->b, c->args[i], list, c->tree->location, &c->args[i]));
    return bind_call2(c->b, op, number, c->args[0], c->args[1], c->tree->location, out);
}
