/* bind_type.c - names of types, casts, and the type that two expressions have in common. */
#include "sql/types/bind_type.h"

#include "base/text/interval_text.h"
#include "base/type/alias_type.h"
#include "base/type/json_type.h"
#include "plan/fold/fold.h"
#include "plan/fold/fold_value.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_zone.h"
#include "sql/types/binder.h"
#include "sql/types/nested_cast.h"
#include "sql/types/parameter.h"

#include <stdio.h>
#include <strings.h>

/* ---- names ---- */

static const struct {
    const char *name;
    uint8_t id;
} type_names[] = {
#define TYPE_NAME(name, id) {name, id},
#include "base/type/type_names.def"
};

/* The numbers in parentheses behind the name. */
static status modifiers(const binder *b, const TypeName *name, int32_t *out, size_t most,
                        size_t *out_count)
{
    *out_count = list_length(name->typmods);
    if (list_length(name->typmods) > most)
        return bind_error(b, STATUS_KIND_INVALID, name->location, "type has too many modifiers");
    for (size_t i = 0; i < list_length(name->typmods); i++) {
        const pg_node *node = list_nth(name->typmods, i);
        if (!IsA(node, A_Const) || nodeTag(&castNode(A_Const, node)->val) != T_Integer)
            return bind_error(b, STATUS_KIND_INVALID, name->location,
                              "type modifier is not a number");
        out[i] = castNode(A_Const, node)->val.ival.ival;
    }
    return STATUS_OK;
}

static status decimal_type(const binder *b, const TypeName *name, data_type *out,
                           bind_modifier *out_modifier)
{
    int32_t given[2] = {18, 3};
    size_t count;
    TRY(modifiers(b, name, given, 2, &count));
    if (count == 1)
        given[1] = 0;
    int32_t precision = given[0], scale = given[1];
    if (precision < 1 || precision > 38)
        return bind_error(b, STATUS_KIND_INVALID, name->location,
                          "decimal precision %d must be between 1 and 38", precision);
    /* Digits in front of the point that are zeros, or missing ones after it, count as well. */
    int32_t digits = scale < 0 ? precision - scale : scale > precision ? scale : precision;
    if (digits > 38)
        return bind_error(b, STATUS_KIND_UNSUPPORTED, name->location,
                          "decimal(%d,%d) has places of more than 38 digits", precision, scale);
    out_modifier->is_bare = count == 0;
    out_modifier->precision = precision;
    out_modifier->scale = scale;
    *out = type_decimal((unsigned)digits, scale < 0 ? 0 : (unsigned)scale);
    return STATUS_OK;
}

static status check_decimals(const binder *b, const TypeName *name, int32_t given, int32_t *out)
{
    if (given < 0)
        return bind_error(b, STATUS_KIND_INVALID, name->location,
                          "a time's number of decimals %d must not be negative", given);
    *out = given;
    return STATUS_OK;
}

/* The fields as PostgreSQL's grammar numbers them, and the decimals of seconds. */
static status interval_modifier(const binder *b, const TypeName *name, bind_modifier *out)
{
    static const uint8_t numbers[] = {
        [1] = INTERVAL_MONTH, [2] = INTERVAL_YEAR,    [3] = INTERVAL_DAY,
        [10] = INTERVAL_HOUR, [11] = INTERVAL_MINUTE, [12] = INTERVAL_SECOND};
    int32_t given[2];
    size_t count;
    TRY(modifiers(b, name, given, 2, &count));
    if (count && given[0] != 0x7fff) /* all fields */
        for (size_t i = 0; i < sizeof numbers; i++)
            out->fields |= given[0] >> i & 1 ? numbers[i] : 0;
    return count == 2 ? check_decimals(b, name, given[1], &out->decimals) : STATUS_OK;
}

/* Types of PostgreSQL and DuckDB that are not there, and what takes their place. */
static const struct {
    const char *name, *instead;
} missing_types[] = {
    {"bit", "integers have the operators & | # ~ << >> and bit_count; a blob keeps bytes"},
    {"bitstring", "integers have the operators & | # ~ << >> and bit_count; a blob keeps bytes"},
    {"varbit", "integers have the operators & | # ~ << >> and bit_count; a blob keeps bytes"},
    {"enum", "varchar keeps the names; array_position(['low', 'high'], x) orders by them"},
    {"timetz", "timestamptz is an instant; time has no zone"},
    {"union", "a struct with a field for each kind, of which the others are NULL"},
    {"variant", "json, a text"},
    {"money", "decimal(18, 2)"},
    {"xml", "varchar"},
    {"inet", "varchar"},
    {"cidr", "varchar"},
    {"macaddr", "varchar"},
    {"geometry", "a struct of doubles"},
    {"point", "a struct of two doubles: struct(x double, y double)"},
    {"tsvector", "varchar, with LIKE or ~"},
    {"int4range", "two columns: the start and the end"},
    {"int8range", "two columns: the start and the end"},
    {"numrange", "two columns: the start and the end"},
    {"daterange", "two columns: the start and the end"},
    {"tsrange", "two columns: the start and the end"},
    {"serial", "integer; row_number() OVER () numbers rows"},
    {"bigserial", "bigint; row_number() OVER () numbers rows"},
    {"varint", "decimal(38, 0)"},
    {"bignum", "decimal(38, 0)"},
    {"uhugeint", "decimal(38, 0)"}};

/* Fails with what can be used in place of a type, or with a name that is close to it. */
static status bind_type_no_such(const binder *b, const TypeName *name, const char *word)
{
    size_t count = sizeof type_names / sizeof *type_names;
    const char *names[sizeof type_names / sizeof *type_names];
    for (size_t i = 0; i < sizeof missing_types / sizeof *missing_types; i++)
        if (!strcasecmp(word, missing_types[i].name))
            return status_hint(bind_error(b, STATUS_KIND_UNSUPPORTED, name->location,
                                          "type \"%s\" is not supported", missing_types[i].name),
                               "%s", missing_types[i].instead);
    for (size_t i = 0; i < count; i++)
        names[i] = type_names[i].name;
    return bind_suggest(
        bind_error(b, STATUS_KIND_NOT_FOUND, name->location, "type \"%s\" does not exist", word),
        word, names, count);
}

/* Returns the type under PostgreSQL's own name: oid, regproc, "char" in quotes. Casts of literals to regproc give an oid
 * elsewhere. */
static data_type bind_alias_named(const TypeName *name, data_type type)
{
    const char *word = strVal(list_nth(name->names, list_length(name->names) - 1));
    if (!strcasecmp(word, "oid"))
        return type_alias(ALIAS_OID);
    if (!strcasecmp(word, "regproc"))
        return type_alias(ALIAS_REGPROC);
    return strcmp(word, "char") ? type : type_alias(ALIAS_CHAR);
}

status bind_type_name(binder *b, const TypeName *name, data_type *out, bind_modifier *out_modifier)
{
    const char *word =
        list_length(name->names) ? strVal(list_nth(name->names, list_length(name->names) - 1)) : "";
    size_t count = sizeof type_names / sizeof *type_names, found = 0, modifier_count;
    int32_t given[1] = {0};
    *out_modifier = (bind_modifier){.length = -1, .decimals = -1};
    if (name->setof)
        return bind_unsupported(b, name->location, "SETOF is");
    if (list_length(name->arrayBounds) || !strcmp(word, "struct") || !strcmp(word, "map"))
        return bind_nested_type_name(b, name, out);
    if (!strcmp(word, "json")) {
        *out = type_json();
        return STATUS_OK;
    }
    while (found < count && strcasecmp(word, type_names[found].name))
        found++;
    if (found == count)
        return bind_type_no_such(b, name, word);
    type_id id = type_names[found].id;
    if (!strcasecmp(word, "hugeint") || !strcasecmp(word, "uhugeint")) {
        *out = type_decimal(38, 0);
        return STATUS_OK;
    }
    if (id == TYPE_DECIMAL)
        return decimal_type(b, name, out, out_modifier);
    *out = bind_alias_named(name, type_make(id));
    if (id == TYPE_INTERVAL)
        return interval_modifier(b, name, out_modifier);
    TRY(modifiers(b, name, given, 1, &modifier_count));
    if (id == TYPE_VARCHAR && modifier_count)
        out_modifier->length = given[0];
    if (!strcasecmp(word, "bpchar"))
        out_modifier->is_padded = true;
    if (type_is_time(*out) && modifier_count)
        TRY(check_decimals(b, name, given[0], &out_modifier->decimals));
    if (!strcasecmp(word, "timestamp_ns") || (id == TYPE_TIMESTAMP && given[0] > 6))
        out->precision = 9;
    return STATUS_OK;
}

/* Returns the name in the cast that the text is in; NULL: the text is something else than a type. */
static const TypeName *name_in_cast(const pg_node *statement)
{
    const SelectStmt *select =
        statement && IsA(statement, SelectStmt) ? castNode(SelectStmt, statement) : NULL;
    if (!select || list_length(select->targetList) != 1 || select->fromClause ||
        select->whereClause || select->sortClause || select->limitCount || select->larg)
        return NULL;
    const pg_node *value = castNode(ResTarget, list_nth(select->targetList, 0))->val;
    return value && IsA(value, TypeCast) ? castNode(TypeCast, value)->typeName : NULL;
}

status bind_type_of_text(binder *b, const char *text, size_t bytes, data_type *out,
                         bool *out_is_one)
{
    pg_node *statement = NULL;
    bind_modifier modifier;
    const char *sql = arena_format(b->memory, "SELECT NULL::%.*s", (int)bytes, text);
    *out_is_one = false;
    if (!sql)
        return bind_no_memory();
    status st = sql_parse(b->memory, sql, &statement);
    const TypeName *name = st ? NULL : name_in_cast(statement);
    if (name)
        st = bind_type_name(b, name, out, &modifier);
    *out_is_one = name && !st;
    if (st && (status_get_kind(st) == STATUS_KIND_NO_MEMORY ||
               status_get_kind(st) == STATUS_KIND_CANCELLED))
        return st;
    status_free(st);
    return STATUS_OK;
}

/* ---- common types ---- */

static bool type_is_unsigned(data_type type)
{
    return type_is_integer(type) && !type_is_signed(type);
}

static unsigned integer_digits(data_type type)
{
    switch (type.id) {
    case TYPE_INT8:
    case TYPE_UINT8:
        return 3;
    case TYPE_INT16:
    case TYPE_UINT16:
        return 5;
    case TYPE_INT32:
    case TYPE_UINT32:
        return 10;
    case TYPE_INT64:
        return 19;
    default:
        return 20;
    }
}

static data_type common_integer(data_type left, data_type right)
{
    static const type_id signed_of_width[] = {
        [1] = TYPE_INT8, [2] = TYPE_INT16, [4] = TYPE_INT32, [8] = TYPE_INT64};
    if (type_is_unsigned(left) == type_is_unsigned(right))
        return left.width >= right.width ? left : right;
    data_type with = type_is_unsigned(left) ? right : left,
              without = type_is_unsigned(left) ? left : right;
    if (without.width < with.width)
        return with;
    return without.width == 8 ? type_decimal(20, 0) : type_make(signed_of_width[without.width * 2]);
}

static data_type as_decimal(data_type type)
{
    return type.id == TYPE_DECIMAL ? type : type_decimal(integer_digits(type), 0);
}

static data_type common_decimal(data_type left, data_type right)
{
    unsigned scale = left.scale > right.scale ? left.scale : right.scale;
    unsigned left_whole = left.precision - left.scale, right_whole = right.precision - right.scale;
    unsigned precision = (left_whole > right_whole ? left_whole : right_whole) + scale;
    return type_decimal(precision > 38 ? 38 : precision, scale);
}

static bool type_is_timestamp(data_type type)
{
    return type.id == TYPE_TIMESTAMP || type.id == TYPE_TIMESTAMP_TZ;
}

static bool common_time(data_type left, data_type right, data_type *out)
{
    if (left.id == TYPE_DATE && type_is_timestamp(right))
        *out = right;
    else if (type_is_timestamp(left) && right.id == TYPE_DATE)
        *out = left;
    else if (type_is_timestamp(left) && type_is_timestamp(right)) {
        *out = left.id == TYPE_TIMESTAMP_TZ ? left : right;
        out->precision = left.precision > right.precision ? left.precision : right.precision;
    } else
        return false;
    return true;
}

bool bind_common_type(data_type left, data_type right, data_type *out)
{
    if (left.id == TYPE_NULL || right.id == TYPE_NULL) {
        *out = left.id == TYPE_NULL ? right : left;
        return true;
    }
    if (type_is_numeric(left) && type_is_numeric(right)) {
        if (type_is_integer(left) && type_is_integer(right))
            *out = common_integer(left, right);
        else if (left.id == TYPE_FLOAT && right.id == TYPE_FLOAT)
            *out = left;
        else if (left.id == TYPE_FLOAT || left.id == TYPE_DOUBLE || right.id == TYPE_FLOAT ||
                 right.id == TYPE_DOUBLE)
            *out = type_make(TYPE_DOUBLE);
        else
            *out = common_decimal(as_decimal(left), as_decimal(right));
        return true;
    }
    if (type_equal(left, right)) {
        *out = left.width >= right.width ? left : right;
        if (type_is_json(left) != type_is_json(right)) /* a text need not be JSON */
            *out = type_make(TYPE_VARCHAR);
        return true;
    }
    return common_time(left, right, out);
}

/* ---- casts ---- */

bool bind_is_literal(const expr *e)
{
    return e->kind == EXPR_CONSTANT &&
           (e->type.id == TYPE_NULL ||
            (e->type.id == TYPE_VARCHAR && !type_is_json(e->type) && !e->constant.is_null));
}

/* ---- JSON ---- */

status bind_json_checked(binder *b, expr *text, bool is_try, int32_t location, expr **out)
{
    const value null = value_null(type_json()), root = value_text("$", 1);
    expr *args[2] = {expr_copy(b->memory, text)}, *kept = expr_copy(b->memory, text);
    expr *choice = expr_new(b->memory, EXPR_CASE, type_json(), 3, bind_position(b, location));
    if (!args[0] || !kept || !choice)
        return bind_no_memory();
    TRY(bind_call1(b, EXPR_JSON_VALID, type_make(TYPE_BOOL), text, location, &choice->args[0]));
    choice->args[1] = kept;
    if (is_try) {
        TRY(bind_constant(b, &null, -1, &choice->args[2]));
    } else {
        TRY(bind_constant(b, &root, -1, &args[1]));
        TRY(bind_call(b, EXPR_JSON_EXTRACT, type_json(), args, 2, location, &choice->args[2]));
    }
    choice->is_nullable = true;
    *out = expr_fold(b->memory, choice);
    return *out ? STATUS_OK : bind_no_memory();
}

/* Returns whether the text of a literal is to become JSON, which it may not be. */
static bool is_json_to_be(const expr *arg, data_type type)
{
    return type_is_json(type) && bind_is_literal(arg) && arg->type.id == TYPE_VARCHAR;
}

static status json_of_literal(binder *b, expr *arg, int32_t location, expr **out)
{
    return bind_json_checked(b, arg, false, arg->position >= 0 ? arg->position : location, out);
}

/* A literal's text is read now, so that its failure has its place. */
static status cast_literal(binder *b, expr *arg, data_type type, expr **out)
{
    value v;
    bool is_done = true;
    bind_note_type(b, arg, type);
    bool is_zoned = type.id == TYPE_TIMESTAMP_TZ && !arg->constant.is_null;
    status st;
    if (type_is_nested(type))
        return bind_nested_cast(b, arg, type, arg->position, out);
    st = is_zoned ? bind_zone_literal(b, &arg->constant, type, &v)
                  : value_cast(b->memory, &arg->constant, type, &v, &is_done);
    if (st)
        return arg->position >= 0 ? status_at(st, arg->position) : st;
    *out = is_done ? expr_new_constant(b->memory, &v, arg->position)
                   : expr_new_cast(b->memory, arg, type, arg->position);
    return *out ? STATUS_OK : bind_no_memory();
}

status bind_number(binder *b, const char *text, size_t bytes, int32_t position, expr **out)
{
    const char *point = memchr(text, '.', bytes);
    size_t scale = point ? (size_t)(text + bytes - point) - 1 : 0;
    int128 unscaled;
    value v;
    if (scale <= 38 && !memchr(text, 'e', bytes) && !memchr(text, 'E', bytes) &&
        decimal_parse(text, bytes, (unsigned)scale, &unscaled)) {
        v = value_decimal(unscaled, type_decimal(38, (unsigned)scale));
        if (point)
            v = value_decimal(unscaled, value_decimal_type(&v));
        else if (unscaled == (int32_t)unscaled)
            v = value_int(TYPE_INT32, (int64_t)unscaled);
        else if (unscaled == (int64_t)unscaled)
            v = value_int(TYPE_INT64, (int64_t)unscaled);
        else
            v = value_decimal(unscaled, value_decimal_type(&v));
    } else {
        v = value_double(0);
        if (!double_parse(text, bytes, &v.f64)) {
            status st = status_new(STATUS_KIND_DATA, "\"%.*s\" is not a number",
                                   bytes > 80 ? 80 : (int)bytes, text);
            return position < 0 ? st : status_at(st, position);
        }
    }
    *out = expr_new_constant(b->memory, &v, position);
    return *out ? STATUS_OK : bind_no_memory();
}

status bind_literal_number(binder *b, const expr *literal, expr **out)
{
    const char *text = literal->constant.text;
    size_t bytes = literal->constant.bytes;
    for (; bytes && *text == ' '; bytes--)
        text++;
    while (bytes && text[bytes - 1] == ' ')
        bytes--;
    return bind_number(b, text, bytes, literal->position, out);
}

/* A number as a truth value: whether it is not 0. */
static status bind_is_not_zero(binder *b, expr *arg, int32_t location, expr **out)
{
    const value zero = value_int(TYPE_INT32, 0);
    value v;
    expr *constant;
    if (!value_cast_exact(&zero, arg->type, &v))
        return status_new(STATUS_KIND_INTERNAL, "a number has no zero");
    TRY(bind_constant(b, &v, location, &constant));
    return bind_call2(b, EXPR_NE, type_make(TYPE_BOOL), arg, constant, location, out);
}

static bool has_fraction(data_type type)
{
    return type.id == TYPE_DOUBLE || type.id == TYPE_FLOAT || type.id == TYPE_DECIMAL;
}

status bind_cast(binder *b, expr *arg, data_type type, int32_t location, expr **out)
{
    char from[TYPE_NAME_BYTES], to[TYPE_NAME_BYTES];
    if (arg->type.id == TYPE_TIME && type.id == TYPE_INTERVAL)
        return bind_call1(b, EXPR_TIME_TO_INTERVAL, type, arg, location, out);
    if (arg->type.id == TYPE_INTERVAL && type.id == TYPE_TIME)
        return bind_call1(b, EXPR_INTERVAL_TO_TIME, type, arg, location, out);
    if (type_is_nested(arg->type) || type_is_nested(type))
        return bind_nested_cast(b, arg, type, location, out);
    if (type.id == TYPE_BOOL && has_fraction(arg->type))
        return bind_is_not_zero(b, arg, location, out);
    if (arg->type.id == TYPE_BOOL && has_fraction(type))
        TRY(bind_cast(b, arg, type_make(TYPE_INT32), location, &arg));
    if (!type_can_cast(arg->type, type))
        return bind_error(b, STATUS_KIND_INVALID, location, "cannot cast type %s to %s",
                          type_name(arg->type, from), type_name(type, to));
    if (is_json_to_be(arg, type))
        return json_of_literal(b, arg, location, out);
    if (bind_is_literal(arg))
        return cast_literal(b, arg, type, out);
    if (bind_zone_crosses(b, arg->type, type))
        return bind_zone_cast(b, arg, type, location, out);
    expr *cast = expr_new_cast(b->memory, arg, type, bind_position(b, location));
    *out = cast ? expr_fold(b->memory, cast) : NULL;
    return *out ? STATUS_OK : bind_no_memory();
}

status bind_coerce(binder *b, expr *arg, data_type type, int32_t location, const char *what,
                   expr **out)
{
    char from[TYPE_NAME_BYTES], to[TYPE_NAME_BYTES];
    data_type common;
    value v;
    if (is_json_to_be(arg, type))
        return json_of_literal(b, arg, location, out);
    if (type_equal(arg->type, type) && arg->type.width == type.width) {
        *out = arg;
        return STATUS_OK;
    }
    if (bind_is_literal(arg))
        return cast_literal(b, arg, type, out);
    if (arg->kind == EXPR_CONSTANT && !bind_zone_crosses(b, arg->type, type) &&
        value_cast_exact(&arg->constant, type, &v)) {
        *out = expr_new_constant(b->memory, &v, arg->position);
        return *out ? STATUS_OK : bind_no_memory();
    }
    if (type_is_nested(type)) {
        bool is_one = bind_is_null_list(arg) && type.id == TYPE_LIST;
        if (!is_one)
            TRY(bind_nested_common(b, arg->type, type, &common, &is_one));
        if (is_one)
            return bind_cast(b, arg, type, location, out);
    } else if (bind_common_type(arg->type, type, &common) && common.id == type.id)
        return bind_cast(b, arg, type, location, out);
    return status_hint(bind_error(b, STATUS_KIND_INVALID, location, "%s must be of type %s, not %s",
                                  what, type_name(type, to), type_name(arg->type, from)),
                       "write CAST(... AS %s)", to);
}

/* Whether decimal constants count with the digits that they have: only where the types together have more digits than
 * there are, else CAST(1 AS decimal(20,2)) is that. Integer constants always do: 0 beside decimal(31,4) widens nothing. */
static bool cuts_decimals(expr *const *args, size_t count)
{
    int whole = 0, scale = 0;
    for (size_t i = 0; i < count; i++) {
        data_type type = args[i]->type;
        if (type_is_integer(type) && args[i]->kind != EXPR_CONSTANT)
            type = as_decimal(type);
        if (type.id != TYPE_DECIMAL)
            continue;
        whole = type.precision - type.scale > whole ? type.precision - type.scale : whole;
        scale = type.scale > scale ? type.scale : scale;
    }
    return whole + scale > 38;
}

static data_type effective_type(const expr *e, bool has_decimal, bool cuts)
{
    bool is_number = e->kind == EXPR_CONSTANT && !e->constant.is_null &&
                     (type_is_integer(e->type) || (cuts && e->type.id == TYPE_DECIMAL));
    return has_decimal && is_number ? value_decimal_type(&e->constant) : e->type;
}

static status coerce_all(binder *b, expr **args, size_t count, int32_t location, const char *what,
                         bool keeps_digits, data_type *out)
{
    data_type common = type_make(TYPE_NULL);
    bool has_decimal = false, cuts = cuts_decimals(args, count);
    TRY(bind_unite_structs(b, args, count, location));
    for (size_t i = 0; i < count; i++)
        has_decimal |= args[i]->type.id == TYPE_DECIMAL;
    for (size_t i = 0; i < count; i++) {
        char left[TYPE_NAME_BYTES], right[TYPE_NAME_BYTES];
        data_type type = effective_type(args[i], has_decimal, cuts);
        bool is_one = true;
        if (bind_is_literal(args[i]) || bind_is_null_list(args[i]))
            continue;
        if (type_is_nested(type) && type_is_nested(common))
            TRY(bind_nested_common(b, common, type, &common, &is_one));
        else
            is_one = bind_common_type(common, type, &common);
        if (!is_one)
            return bind_error(b, STATUS_KIND_INVALID,
                              args[i]->position >= 0 ? args[i]->position : location,
                              "%s types %s and %s cannot be matched", what, type_name(common, left),
                              type_name(type, right));
    }
    for (size_t i = 0; i < count && common.id == TYPE_NULL; i++)
        common = bind_is_null_list(args[i]) ? args[i]->type : common;
    if (common.id == TYPE_NULL) /* nothing but literals */
        common = type_make(TYPE_VARCHAR);
    if (keeps_digits && cuts && common.id == TYPE_DECIMAL)
        common = type_decimal(38, common.scale);
    for (size_t i = 0; i < count; i++)
        TRY(bind_coerce(b, args[i], common, location, what, &args[i]));
    *out = common;
    return STATUS_OK;
}

status bind_coerce_all(binder *b, expr **args, size_t count, int32_t location, const char *what,
                       data_type *out)
{
    return coerce_all(b, args, count, location, what, false, out);
}

status bind_coerce_values(binder *b, expr **args, size_t count, int32_t location, const char *what,
                          data_type *out)
{
    return coerce_all(b, args, count, location, what, true, out);
}
