/* bind_try.c - TRY_CAST: a cast that gives NULL where CAST fails. Of texts it is a function of its own; of numbers a CASE
 * casts those that the type has room for. Every other cast that exists cannot fail. */
#include "plan/fold/fold.h"
#include "plan/fold/fold_value.h"
#include "sql/expression/expression_parts.h"
#include "sql/types/bind_modifier.h"
#include "sql/types/bind_operator.h"

/* The numbers that a cast takes, which it rounds: low < x < high; false: it takes all. */
static bool try_bounds(data_type type, value *low, value *high)
{
    int128 limit = 1;
    if (type_is_integer(type)) {
        bool is_signed = type_is_signed(type);
        limit = (int128)1 << (type.width * 8 - (is_signed ? 1 : 0));
        *high = value_decimal(limit * 10 - 5, type_decimal(38, 1));
        *low = value_decimal(is_signed ? -(limit * 10) - 5 : -5, type_decimal(38, 1));
        return true;
    }
    if (type.id != TYPE_DECIMAL || type.precision > 37)
        return false;
    for (unsigned i = 0; i <= type.precision; i++)
        limit *= 10;
    *high = value_decimal(limit - 5, type_decimal(38, type.scale + 1u));
    *low = value_decimal(5 - limit, type_decimal(38, type.scale + 1u));
    return true;
}

static status bind_try_compare_with(binder *b, expr_op op, const expr *arg, const value *bound,
                                    int32_t location, expr **out)
{
    expr *copy = expr_copy(b->memory, arg), *constant;
    if (!copy)
        return bind_no_memory();
    TRY(bind_constant(b, bound, -1, &constant));
    return bind_comparison(b, op, copy, constant, location, out);
}

/* CASE WHEN low < arg AND arg < high THEN cast END. */
static status cast_within(binder *b, const expr *arg, expr *cast, const value *low,
                          const value *high, int32_t location, expr **out)
{
    value null = value_null(cast->type);
    expr *above, *below, *node;
    TRY(bind_try_compare_with(b, EXPR_GT, arg, low, location, &above));
    TRY(bind_try_compare_with(b, EXPR_LT, arg, high, location, &below));
    node = expr_new(b->memory, EXPR_CASE, cast->type, 3, bind_position(b, location));
    if (!node)
        return bind_no_memory();
    TRY(bind_call2(b, EXPR_AND, type_make(TYPE_BOOL), above, below, location, &node->args[0]));
    node->args[1] = cast;
    TRY(bind_constant(b, &null, -1, &node->args[2]));
    node->is_nullable = true;
    *out = expr_fold(b->memory, node);
    return *out ? STATUS_OK : bind_no_memory();
}

/* Reads a text: NULL if it is not one of the type's. */
static status try_text(binder *b, expr *arg, data_type type, const bind_modifier *modifier,
                       int32_t location, expr **out)
{
    if (type.id == TYPE_TIMESTAMP_TZ && b->zone)
        return bind_unsupported(b, location,
                                "TRY_CAST of texts to timestamptz in another zone than UTC is");
    TRY(bind_call1(b, EXPR_TRY_CAST, type, arg, location, out));
    (*out)->is_nullable = true;
    return bind_cast_modified(b, *out, type, modifier, location, out);
}

static status try_part(binder *b, expr *arg, data_type type, int32_t location, expr **out)
{
    const bind_modifier none = {.length = -1, .decimals = -1};
    return bind_try_cast(b, arg, type, &none, location, out);
}

/* Casts lists, structs and maps, or to these: what fails in them is NULL. */
static status try_nested(binder *b, expr *arg, data_type type, const bind_modifier *modifier,
                         int32_t location, expr **out)
{
    status (*before)(binder * b, expr * arg, data_type type, int32_t location, expr * *out) =
        b->cast_part;
    b->cast_part = try_part;
    status st = bind_cast_modified(b, arg, type, modifier, location, out);
    b->cast_part = before;
    return st;
}

status bind_try_cast(binder *b, expr *arg, data_type type, const bind_modifier *modifier,
                     int32_t location, expr **out)
{
    value low, high;
    if (type_is_nested(arg->type) || type_is_nested(type))
        return try_nested(b, arg, type, modifier, location, out);
    bool is_parsed =
        arg->type.id == TYPE_VARCHAR && type.id != TYPE_VARCHAR && type.id != TYPE_BLOB;
    if (is_parsed && type_can_cast(arg->type, type))
        return try_text(b, arg, type, modifier, location, out);
    if (!type_is_numeric(arg->type) || !try_bounds(type, &low, &high))
        return bind_cast_modified(b, arg, type, modifier, location, out);
    expr *kept = expr_copy(b->memory, arg), *cast;
    if (!kept)
        return bind_no_memory();
    /* A constant that does not fit would fail now. */
    expr *again = expr_copy(b->memory, arg);
    cast = again ? expr_new_cast(b->memory, again, type, bind_position(b, location)) : NULL;
    return cast ? cast_within(b, kept, cast, &low, &high, location, out) : bind_no_memory();
}
