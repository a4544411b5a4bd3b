/* bind_function.c - calls of scalar functions: by name, with the casts that the function needs. */
#include "sql/binder.h"

#include "plan/fold.h"

#include <strings.h>

/* What the arguments must be: t text, i int64, d double; those behind the bar may be left out.
 * What comes out: t, i, d, or b for boolean. */
static const struct function {
    const char *name;
    uint16_t op;
    const char *arguments;
    char result;
} functions[] = {
    {"length", EXPR_LENGTH, "t", 'i'},
    {"len", EXPR_LENGTH, "t", 'i'},
    {"char_length", EXPR_LENGTH, "t", 'i'},
    {"character_length", EXPR_LENGTH, "t", 'i'},
    {"octet_length", EXPR_OCTET_LENGTH, "t", 'i'},
    {"upper", EXPR_UPPER, "t", 't'},
    {"lower", EXPR_LOWER, "t", 't'},
    {"btrim", EXPR_TRIM, "t|t", 't'},
    {"trim", EXPR_TRIM, "t|t", 't'},
    {"ltrim", EXPR_LTRIM, "t|t", 't'},
    {"rtrim", EXPR_RTRIM, "t|t", 't'},
    {"position", EXPR_POSITION, "tt", 'i'},
    {"strpos", EXPR_POSITION, "tt", 'i'},
    {"instr", EXPR_POSITION, "tt", 'i'},
    {"replace", EXPR_REPLACE, "ttt", 't'},
    {"left", EXPR_LEFT, "ti", 't'},
    {"right", EXPR_RIGHT, "ti", 't'},
    {"starts_with", EXPR_STARTS_WITH, "tt", 'b'},
    {"substring", EXPR_SUBSTRING, "ti|i", 't'},
    {"substr", EXPR_SUBSTRING, "ti|i", 't'},
    {"power", EXPR_POWER, "dd", 'd'},
    {"pow", EXPR_POWER, "dd", 'd'},
    {"sqrt", EXPR_SQRT, "d", 'd'},
    {"ln", EXPR_LN, "d", 'd'},
    {"log", EXPR_LOG10, "d", 'd'},
    {"log10", EXPR_LOG10, "d", 'd'},
    {"exp", EXPR_EXP, "d", 'd'},
};

typedef struct call {
    binder *b;
    const PgQuery__FuncCall *tree;
    const char *name;
    expr **args;
    size_t count;
} call;

static status wrong_count(const call *c, const char *expected)
{
    return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                      "function \"%s\" takes %s, not %zu", c->name, expected, c->count);
}

static data_type result_type(char letter)
{
    return type_make(letter == 't'   ? TYPE_VARCHAR
                     : letter == 'i' ? TYPE_INT64
                     : letter == 'd' ? TYPE_DOUBLE
                                     : TYPE_BOOL);
}

static status coerce_argument(const call *c, size_t i, char letter)
{
    char name[TYPE_NAME_BYTES], expected[TYPE_NAME_BYTES];
    data_type type = result_type(letter), common;
    expr *arg = c->args[i];
    int32_t location = arg->position >= 0 ? arg->position : c->tree->location;
    bool is_fit =
        bind_is_literal(arg) || arg->type.id == type.id ||
        (letter == 'd' && type_is_numeric(arg->type)) ||
        (letter == 'i' && type_is_integer(arg->type) && bind_common_type(arg->type, type, &common));
    if (!is_fit)
        return bind_error(c->b, STATUS_KIND_INVALID, location,
                          "argument %zu of function \"%s\" must be of type %s, not %s", i + 1,
                          c->name, type_name(type, expected), type_name(arg->type, name));
    return bind_cast(c->b, arg, type, location, &c->args[i]);
}

static status bind_table_function(const call *c, const struct function *f, expr **out)
{
    static const char *const counts[] = {"no argument", "1 argument",       "2 arguments",
                                         "3 arguments", "1 or 2 arguments", "2 or 3 arguments"};
    size_t most = 0, least = strcspn(f->arguments, "|");
    for (const char *a = f->arguments; *a; a++)
        most += *a != '|';
    if (c->count < least || c->count > most)
        return wrong_count(c, counts[least == most ? least : least + 3]);
    size_t i = 0;
    for (const char *a = f->arguments; i < c->count; a++)
        if (*a != '|')
            TRY(coerce_argument(c, i++, *a));
    return bind_call(c->b, (expr_op)f->op, result_type(f->result), c->args, (uint32_t)c->count,
                     c->tree->location, out);
}

/* ---- rounding ---- */

static status require_number(const call *c, size_t i)
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

/* The decimal type with one more whole digit (9.9 rounds to 10) and `scale` digits. */
static data_type rounded_type(data_type type, unsigned scale)
{
    unsigned precision = (unsigned)type.precision - type.scale + scale + 1u;
    return type_decimal(precision > 38 ? 38 : precision, scale);
}

static status digits_argument(const call *c, int64_t *out)
{
    value v;
    *out = 0;
    if (c->count == 1)
        return STATUS_OK;
    if (c->args[1]->kind != EXPR_CONSTANT || c->args[1]->constant.is_null ||
        !value_cast_exact(&c->args[1]->constant, type_make(TYPE_INT64), &v))
        return bind_error(c->b, STATUS_KIND_UNSUPPORTED, c->tree->location,
                          "number of digits in \"%s\" must be a constant integer", c->name);
    *out = v.i64;
    if (*out < -38 || *out > 38)
        return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                          "number of digits %lld in \"%s\" is out of range", (long long)*out,
                          c->name);
    return STATUS_OK;
}

static status bind_round(const call *c, expr **out)
{
    int64_t digits;
    if (c->count < 1 || c->count > 2)
        return wrong_count(c, "1 or 2 arguments");
    TRY(require_number(c, 0));
    TRY(digits_argument(c, &digits));
    expr *arg = c->args[0];
    bool is_exact = type_is_integer(arg->type) || arg->type.id == TYPE_DECIMAL;
    if (is_exact && digits >= arg->type.scale) {
        *out = arg;
        return STATUS_OK;
    }
    if (is_exact && digits >= 0) /* casts round as well */
        return bind_cast(c->b, arg, rounded_type(arg->type, (unsigned)digits), c->tree->location,
                         out);
    value v = value_int(TYPE_INT64, digits);
    expr *count;
    TRY(bind_constant(c->b, &v, -1, &count));
    if (!is_exact)
        TRY(bind_cast(c->b, arg, type_make(TYPE_DOUBLE), c->tree->location, &arg));
    return bind_call2(c->b, EXPR_ROUND, arg->type, arg, count, c->tree->location, out);
}

/* floor, ceil, trunc: of a decimal, without its digits behind the point. */
static status bind_whole(const call *c, expr_op op, expr **out)
{
    if (c->count != 1)
        return wrong_count(c, "1 argument");
    TRY(require_number(c, 0));
    expr *arg = c->args[0];
    if (type_is_integer(arg->type) || (arg->type.id == TYPE_DECIMAL && arg->type.scale == 0)) {
        *out = arg;
        return STATUS_OK;
    }
    if (arg->type.id != TYPE_DECIMAL)
        TRY(bind_cast(c->b, arg, type_make(TYPE_DOUBLE), c->tree->location, &arg));
    TRY(bind_call1(c->b, op, arg->type, arg, c->tree->location, out));
    if (arg->type.id != TYPE_DECIMAL)
        return STATUS_OK;
    return bind_cast(c->b, *out, rounded_type(arg->type, 0), c->tree->location, out);
}

static status bind_abs(const call *c, expr_op op, expr **out)
{
    if (c->count != 1)
        return wrong_count(c, "1 argument");
    TRY(require_number(c, 0));
    expr *arg = c->args[0];
    if (arg->type.id == TYPE_FLOAT || (op == EXPR_SIGN && arg->type.id == TYPE_DECIMAL))
        TRY(bind_cast(c->b, arg, type_make(TYPE_DOUBLE), c->tree->location, &arg));
    else if (type_is_integer(arg->type) && arg->type.id != TYPE_INT64)
        TRY(bind_cast(c->b, arg,
                      arg->type.id == TYPE_UINT64
                          ? type_decimal(20, 0)
                          : type_make(arg->type.id == TYPE_UINT32 ? TYPE_INT64 : TYPE_INT32),
                      c->tree->location, &arg));
    return bind_call1(c->b, op, arg->type, arg, c->tree->location, out);
}

/* ---- parts of dates ---- */

static const struct field {
    const char *name, *alias;
    bool is_time; /* not of a date */
    bool can_extract, can_truncate;
} fields[] = {
    {"microseconds", "microsecond", true, true, true},
    {"milliseconds", "millisecond", true, true, true},
    {"second", "seconds", true, true, true},
    {"minute", "minutes", true, true, true},
    {"hour", "hours", true, true, true},
    {"day", "days", false, true, true},
    {"week", "weeks", false, true, true},
    {"month", "months", false, true, true},
    {"quarter", "quarters", false, true, true},
    {"year", "years", false, true, true},
    {"decade", "decades", false, true, true},
    {"century", "centuries", false, true, true},
    {"dow", "dayofweek", false, true, false},
    {"isodow", "isodow", false, true, false},
    {"doy", "dayofyear", false, true, false},
    {"isoyear", "isoyear", false, true, false},
    {"epoch", "epoch", false, true, false},
};

static status find_field(const call *c, const expr *arg, const struct field **out)
{
    int32_t location = arg->position >= 0 ? arg->position : c->tree->location;
    const char *names[sizeof fields / sizeof *fields];
    size_t count = sizeof fields / sizeof *fields;
    if (arg->kind != EXPR_CONSTANT || arg->type.id != TYPE_VARCHAR || arg->constant.is_null)
        return bind_error(c->b, STATUS_KIND_UNSUPPORTED, location,
                          "first argument of \"%s\" must be a constant text", c->name);
    for (size_t i = 0; i < count; i++) {
        names[i] = fields[i].name;
        if (!strcasecmp(arg->constant.text, fields[i].name) ||
            !strcasecmp(arg->constant.text, fields[i].alias)) {
            *out = &fields[i];
            return STATUS_OK;
        }
    }
    return bind_suggest(
        bind_error(c->b, STATUS_KIND_INVALID, location, "\"%.*s\" is no field of a date or time",
                   (int)(arg->constant.bytes < 40 ? arg->constant.bytes : 40), arg->constant.text),
        arg->constant.text, names, count);
}

static bool is_timestamp(data_type type)
{
    return type.id == TYPE_TIMESTAMP || type.id == TYPE_TIMESTAMP_TZ;
}

static status bad_field(const call *c, const struct field *field, const expr *arg)
{
    char name[TYPE_NAME_BYTES];
    return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                      "field \"%s\" is not supported for type %s", field->name,
                      type_name(arg->type, name));
}

static status bind_date_part_of(const call *c, const struct field *field, expr *arg, expr **out)
{
    value v = value_text(field->name, strlen(field->name));
    expr *name;
    if (bind_is_literal(arg))
        TRY(bind_cast(c->b, arg, type_make(TYPE_TIMESTAMP), c->tree->location, &arg));
    if (!(arg->type.id == TYPE_DATE   ? !field->is_time
          : arg->type.id == TYPE_TIME ? field->is_time || !strcmp(field->name, "epoch")
                                      : is_timestamp(arg->type)) ||
        !field->can_extract)
        return bad_field(c, field, arg);
    data_type type = type_make(strcmp(field->name, "epoch") ? TYPE_INT64 : TYPE_DOUBLE);
    TRY(bind_constant(c->b, &v, -1, &name));
    return bind_call2(c->b, EXPR_DATE_PART, type, name, arg, c->tree->location, out);
}

static status bind_date_part(const call *c, expr **out)
{
    const struct field *field;
    if (c->count != 2)
        return wrong_count(c, "2 arguments");
    TRY(find_field(c, c->args[0], &field));
    return bind_date_part_of(c, field, c->args[1], out);
}

static status bind_date_trunc(const call *c, expr **out)
{
    const struct field *field;
    if (c->count != 2)
        return wrong_count(c, "2 arguments");
    TRY(find_field(c, c->args[0], &field));
    expr *arg = c->args[1], *name;
    if (bind_is_literal(arg))
        TRY(bind_cast(c->b, arg, type_make(TYPE_TIMESTAMP), c->tree->location, &arg));
    if (!field->can_truncate || !(arg->type.id == TYPE_DATE || is_timestamp(arg->type)))
        return bad_field(c, field, arg);
    value v = value_text(field->name, strlen(field->name));
    data_type type = arg->type.id == TYPE_DATE ? type_make(TYPE_TIMESTAMP) : arg->type;
    TRY(bind_constant(c->b, &v, -1, &name));
    return bind_call2(c->b, EXPR_DATE_TRUNC, type, name, arg, c->tree->location, out);
}

/* ---- the others ---- */

static status bind_concat(const call *c, expr **out)
{
    if (c->count < 1)
        return wrong_count(c, "1 or more arguments");
    for (size_t i = 0; i < c->count; i++)
        TRY(bind_cast(c->b, c->args[i], type_make(TYPE_VARCHAR), c->tree->location, &c->args[i]));
    return bind_call(c->b, EXPR_CONCAT_SKIP, type_make(TYPE_VARCHAR), c->args, (uint32_t)c->count,
                     c->tree->location, out);
}

static status bind_now(const call *c, expr **out)
{
    if (c->count)
        return wrong_count(c, "no argument");
    return bind_statement_time(c->b, TYPE_TIMESTAMP_TZ, c->tree->location, out);
}

static status bind_named(const call *c, bool *out_found, expr **out)
{
    static const char *const short_parts[] = {"year", "quarter", "month",  "week",
                                              "day",  "hour",    "minute", "second"};
    data_type type;
    *out_found = true;
    if (!strcmp(c->name, "round"))
        return bind_round(c, out);
    if (!strcmp(c->name, "floor"))
        return bind_whole(c, EXPR_FLOOR, out);
    if (!strcmp(c->name, "ceil") || !strcmp(c->name, "ceiling"))
        return bind_whole(c, EXPR_CEIL, out);
    if (!strcmp(c->name, "trunc"))
        return bind_whole(c, EXPR_TRUNC, out);
    if (!strcmp(c->name, "abs"))
        return bind_abs(c, EXPR_ABS, out);
    if (!strcmp(c->name, "sign"))
        return bind_abs(c, EXPR_SIGN, out);
    if (!strcmp(c->name, "mod")) {
        if (c->count != 2)
            return wrong_count(c, "2 arguments");
        return bind_arithmetic(c->b, "%", c->args[0], c->args[1], c->tree->location, out);
    }
    if (!strcmp(c->name, "extract") || !strcmp(c->name, "date_part"))
        return bind_date_part(c, out);
    if (!strcmp(c->name, "date_trunc"))
        return bind_date_trunc(c, out);
    if (!strcmp(c->name, "concat"))
        return bind_concat(c, out);
    if (!strcmp(c->name, "now"))
        return bind_now(c, out);
    if (!strcmp(c->name, "ifnull")) {
        if (c->count != 2)
            return wrong_count(c, "2 arguments");
        TRY(bind_coerce_all(c->b, c->args, 2, c->tree->location, "IFNULL", &type));
        return bind_call(c->b, EXPR_COALESCE, type, c->args, 2, c->tree->location, out);
    }
    for (size_t i = 0; i < sizeof short_parts / sizeof *short_parts; i++)
        if (!strcmp(c->name, short_parts[i]) && c->count == 1)
            for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
                if (!strcmp(c->name, fields[f].name))
                    return bind_date_part_of(c, &fields[f], c->args[0], out);
    *out_found = false;
    return STATUS_OK;
}

static status no_such_function(const call *c)
{
    static const char *const others[] = {
        "round",   "floor",     "ceil",       "trunc", "abs", "sign", "mod", "concat", "now",
        "extract", "date_part", "date_trunc", "count", "sum", "avg",  "min", "max",    "ifnull"};
    enum { TABLE = sizeof functions / sizeof *functions, OTHERS = sizeof others / sizeof *others };
    const char *names[TABLE + OTHERS];
    for (size_t i = 0; i < TABLE; i++)
        names[i] = functions[i].name;
    for (size_t i = 0; i < OTHERS; i++)
        names[TABLE + i] = others[i];
    return bind_suggest(bind_error(c->b, STATUS_KIND_NOT_FOUND, c->tree->location,
                                   "function \"%s\" does not exist", c->name),
                        c->name, names, TABLE + OTHERS);
}

status bind_function(binder *b, const PgQuery__FuncCall *tree, bind_scope *scope, expr **out)
{
    call c = {.b = b, .tree = tree, .count = tree->n_args};
    bool is_found;
    c.name = tree->funcname[tree->n_funcname - 1]->string->sval;
    if (tree->n_funcname > 1 && strcmp(tree->funcname[0]->string->sval, "pg_catalog"))
        return bind_unsupported(b, tree->location, "functions in schemas are");
    if (tree->over)
        return bind_unsupported(b, tree->location, "window functions are");
    if (tree->func_variadic)
        return bind_unsupported(b, tree->location, "VARIADIC is");
    TRY(bind_aggregate_call(b, tree, c.name, scope, &is_found, out));
    if (is_found)
        return STATUS_OK;
    if (tree->agg_star || tree->agg_distinct || tree->agg_filter || tree->n_agg_order ||
        tree->agg_within_group)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "function \"%s\" is no aggregate that is known", c.name);
    c.args = arena_alloc_array(b->memory, c.count + 1, sizeof *c.args);
    if (!c.args)
        return bind_no_memory();
    for (size_t i = 0; i < c.count; i++)
        TRY(bind_expr(b, tree->args[i], scope, &c.args[i]));
    TRY(bind_named(&c, &is_found, out));
    if (is_found)
        return STATUS_OK;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(c.name, functions[i].name))
            return bind_table_function(&c, &functions[i], out);
    return no_such_function(&c);
}
