/* bind_function.c - calls of scalar functions: by name, with the casts that the function needs. */
#include "sql/expression/bind_function.h"

#include "base/type/json_type.h"
#include "plan/fold/fold.h"
#include "plan/fold/fold_value.h"
#include "plan/tree/function.h"
#include "sql/expression/bind_aggregate.h"
#include "sql/expression/bind_composite.h"
#include "sql/expression/bind_expr.h"
#include "sql/expression/bind_nested.h"
#include "sql/expression/bind_owner.h"
#include "sql/expression/bind_scope.h"
#include "sql/expression/bind_window.h"
#include "sql/expression/expression_parts.h"
#include "sql/function/bind_function_time.h"
#include "sql/function/bind_json.h"
#include "sql/function/bind_made.h"
#include "sql/function/bind_nested_made.h"
#include "sql/function/bind_round.h"
#include "sql/function/nested_function.h"
#include "sql/function/nested_make.h"
#include "sql/function/nested_regexp.h"
#include "sql/function/nested_struct.h"
#include "sql/function/system_function.h"
#include "sql/text/tree.h"
#include "sql/types/bind_modifier.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/bind_zone.h"
#include "sql/types/binder.h"
#include "sql/types/function_call.h"

/* ---- texts ---- */

/* As text; booleans are t and f there, as PostgreSQL prints them. */
static status print_argument(const function_call *c, size_t i)
{
    bool is_boolean = c->args[i]->type.id == TYPE_BOOL;
    data_type text = type_make(TYPE_VARCHAR);
    value one = value_int(TYPE_INT64, 1);
    expr *count;
    TRY(bind_cast(c->b, c->args[i], text, c->tree->location, &c->args[i]));
    if (!is_boolean)
        return STATUS_OK;
    TRY(bind_constant(c->b, &one, -1, &count));
    return bind_call2(c->b, EXPR_LEFT, text, c->args[i], count, c->tree->location, &c->args[i]);
}

static status bind_concat(const function_call *c, expr_op op, expr **out)
{
    for (size_t i = 1; op == EXPR_CONCAT_WS && i < c->count; i++)
        if (c->args[i]->type.id == TYPE_LIST)
            return bind_concat_lists(c, out);
    for (size_t i = 0; i < c->count; i++)
        TRY(print_argument(c, i));
    return bind_call(c->b, op, type_make(TYPE_VARCHAR), c->args, (uint32_t)c->count,
                     c->tree->location, out);
}

/* Text, pattern, replacement, then flags, or start, number and flags: the call has flags, start and
 * number in this order. */
static status bind_regexp_replace(const function_call *c, expr_op op, expr **out)
{
    expr *args[6];
    value none = value_text("", 0);
    memcpy(args, c->args, (c->count < 6 ? c->count : 6) * sizeof *args);
    uint32_t count = (uint32_t)c->count;
    bool has_start = count > 4 || (count == 4 && type_is_integer(args[3]->type));
    function_call ordered = {c->b, c->tree, c->name, args, count};
    if (has_start) {
        TRY(bind_constant(c->b, &none, -1, &args[3]));
        if (count == 6)
            args[3] = c->args[5];
        args[4] = c->args[3];
        if (count >= 5)
            args[5] = c->args[4];
        count = count >= 5 ? 6 : 5;
    }
    for (uint32_t i = 0; i < count; i++)
        TRY(call_coerce(&ordered, i, i < 4 ? 't' : 'i'));
    return bind_call(c->b, op, type_make(TYPE_VARCHAR), args, count, c->tree->location, out);
}

static bool is_text_or_null(const expr *e)
{
    return e->type.id == TYPE_VARCHAR || e->type.id == TYPE_NULL;
}

/* substring(x from 'pattern') comes like substring(x from 2), substring(x similar 'pattern' escape '#') like
 * substring(x from 2 for 3). */
static status bind_substring(const function_call *c, expr_op op, expr **out)
{
    if (c->count == 3 && is_text_or_null(c->args[1]) && is_text_or_null(c->args[2]) &&
        (c->args[1]->type.id == TYPE_VARCHAR || c->args[2]->type.id == TYPE_VARCHAR))
        return bind_similar_part(c->b, c->args, c->tree->location, out);
    bool is_pattern = c->count == 2 && c->args[1]->type.id == TYPE_VARCHAR;
    return call_by_signature(c, is_pattern ? EXPR_REGEXP_PART : op, out);
}

/* ---- functions that are expressions of others ---- */

static bool is_any_aggregate(const char *name)
{
    return bind_is_aggregate(name) || bind_is_composite(name);
}

/* Arguments that the text of an expression has numbers for. */
#define ELEMENTS_ARGUMENTS_MAX 9

/* Returns whether an aggregate of that name can be taken of a list's elements. */
static bool is_of_elements(const function_call *c, const char *name)
{
    return c->count && c->count <= ELEMENTS_ARGUMENTS_MAX &&
           (is_any_aggregate(name) || made_find(name) || !strcmp(name, "approx_count_distinct"));
}

static status bind_list_aggregate(const function_call *c, expr **out)
{
    const char *text, *name;
    TRY(nested_aggregate_text(c, &text, &name));
    if (text)
        return bind_made(c, text, out);
    if (!is_of_elements(c, name))
        return bind_error(c->b, STATUS_KIND_NOT_FOUND, c->tree->location,
                          "aggregate \"%s\" does not exist", name);
    return bind_elements(c, name, 2, out);
}

static status made_bind_parts(binder *b, const made_aggregate *found, bind_scope *scope,
                              expr **args, made_call *m)
{
    const FuncCall *tree = m->tree;
    expr *filter;
    for (size_t i = 0; i < m->count; i++) {
        TRY(bind_expr(b, list_nth(tree->args, i), scope, &args[i]));
        TRY(made_check_type(b, tree, found, args[i]));
        data_type type = type_make(found->makes_json                     ? TYPE_VARCHAR
                                   : strcmp(found->arguments, "boolean") ? TYPE_DOUBLE
                                                                         : TYPE_BOOL);
        if (bind_is_literal(args[i]) || args[i]->type.id == TYPE_NULL)
            TRY(bind_cast(b, args[i], type, tree->location, &args[i]));
    }
    if (!tree->agg_filter)
        return STATUS_OK;
    TRY(bind_condition(b, tree->agg_filter, scope, "FILTER", &filter));
    return made_node(b, filter, tree->location, &m->filter);
}

static status bind_made_aggregate(binder *b, const FuncCall *tree, const char *name,
                                  bind_scope *scope, bool *out_is_found, expr **out)
{
    const made_aggregate *found = made_find(name);
    const Node *e;
    *out_is_found = found != NULL;
    if (!found)
        return STATUS_OK;
    TRY(made_check(b, tree, found));
    expr **args = arena_alloc_array(b->memory, found->args + 1, sizeof *args);
    if (!args)
        return bind_no_memory();
    made_call m = {
        .tree = tree, .args = args, .count = found->args, .is_aggregate = is_any_aggregate};
    if (!tree->over)
        TRY(bind_check_aggregate_place(b, tree, scope));
    bool was_in_aggregate = scope->is_in_aggregate;
    scope->is_in_aggregate |= !tree->over;
    status st = made_bind_parts(b, found, scope, args, &m);
    scope->is_in_aggregate = was_in_aggregate;
    TRY(st);
    TRY(made_parse(b, &m, found->text, &e));
    TRY(bind_expr(b, e, scope, out));
    if (found->makes_json)
        (*out)->type = type_json();
    return STATUS_OK;
}

/* ---- functions of any type ---- */

static status bind_if(const function_call *c, expr **out)
{
    data_type type;
    expr *args[] = {c->args[0], c->args[1], c->args[2]};
    TRY(bind_coerce(c->b, args[0], type_make(TYPE_BOOL), c->tree->location, "condition of IF",
                    &args[0]));
    TRY(bind_coerce_values(c->b, args + 1, 2, c->tree->location, "IF", &type));
    expr *e = expr_new(c->b->memory, EXPR_CASE, type, 3, bind_position(c->b, c->tree->location));
    if (!e)
        return bind_no_memory();
    memcpy(e->args, args, sizeof args);
    e->is_nullable = args[1]->is_nullable || args[2]->is_nullable;
    *out = expr_fold(c->b->memory, e);
    return *out ? STATUS_OK : bind_no_memory();
}

static status bind_typeof(const function_call *c, expr **out)
{
    char name[TYPE_NAME_BYTES];
    return call_constant_text(c, type_name(c->args[0]->type, name), out);
}

static status bind_version(const function_call *c, expr **out)
{
    return call_constant_text(c, "PostgreSQL 15.0 (Pistachio " PISTACHIO_VERSION ")", out);
}

static status bind_pi(const function_call *c, expr **out)
{
    value v = value_double(3.141592653589793);
    return bind_constant(c->b, &v, c->tree->location, out);
}

/* log(x) is to the base 10, log(b, x) to the base b. */
static status bind_log(const function_call *c, expr **out)
{
    data_type number = type_make(TYPE_DOUBLE);
    int32_t location = c->tree->location;
    expr *parts[2];
    for (size_t i = 0; i < c->count; i++)
        TRY(call_coerce(c, i, 'd'));
    if (c->count == 1)
        return bind_call1(c->b, EXPR_LOG10, number, c->args[0], location, out);
    for (int i = 0; i < 2; i++)
        TRY(bind_call1(c->b, EXPR_LN, number, c->args[1 - i], location, &parts[i]));
    return bind_arithmetic(c->b, "/", parts[0], parts[1], location, out);
}

static status bind_xor(const function_call *c, expr **out)
{
    bool is_done;
    return bind_bits(c->b, "#", c->args[0], c->args[1], c->tree->location, &is_done, out);
}

static status bind_contains(const function_call *c, expr **out)
{
    value zero = value_int(TYPE_INT64, 0);
    expr *place, *none;
    TRY(call_by_signature(c, EXPR_POSITION, &place));
    TRY(bind_constant(c->b, &zero, -1, &none));
    return bind_comparison(c->b, EXPR_GT, place, none, c->tree->location, out);
}

/* An integer of up to 32 bits, or a bigint. */
static status bind_to_hex(const function_call *c, expr_op op, expr **out)
{
    data_type narrow = type_make(TYPE_INT32), common;
    bool is_narrow = type_is_integer(c->args[0]->type) &&
                     bind_common_type(c->args[0]->type, narrow, &common) && common.id == TYPE_INT32;
    if (is_narrow)
        TRY(bind_cast(c->b, c->args[0], narrow, c->tree->location, &c->args[0]));
    else
        TRY(call_coerce(c, 0, 'i'));
    return bind_call1(c->b, op, type_make(TYPE_VARCHAR), c->args[0], c->tree->location, out);
}

/* Binds a digest of a blob's bytes, or a text's; sha256 of a blob is one. */
static status bind_digest(const function_call *c, expr_op op, expr **out)
{
    bool is_blob = c->args[0]->type.id == TYPE_BLOB;
    TRY(call_coerce(c, 0, is_blob ? 'B' : 't'));
    data_type type = is_blob && op == EXPR_SHA256 ? c->args[0]->type : type_make(TYPE_VARCHAR);
    return bind_call1(c->b, op, type, c->args[0], c->tree->location, out);
}

/* Whole numbers become bigint, or decimal(38,0) where those do not fit, other numbers double, all else text. */
static status bind_print(const function_call *c, expr_op op, expr **out)
{
    if (op == EXPR_FORMAT && bind_is_pg_format(c->args[0]))
        return bind_pg_format(c, out);
    TRY(call_coerce(c, 0, 't'));
    for (size_t i = 1; i < c->count; i++) {
        data_type type = c->args[i]->type;
        bool is_wide = type.id == TYPE_UINT64 || (type.id == TYPE_DECIMAL && !type.scale);
        data_type to = is_wide                 ? type_decimal(38, 0)
                       : type_is_integer(type) ? type_make(TYPE_INT64)
                       : type_is_numeric(type) ? type_make(TYPE_DOUBLE)
                       : type.id == TYPE_BOOL  ? type
                                               : type_make(TYPE_VARCHAR);
        TRY(bind_cast(c->b, c->args[i], to, c->tree->location, &c->args[i]));
    }
    return bind_call(c->b, op, type_make(TYPE_VARCHAR), c->args, (uint32_t)c->count,
                     c->tree->location, out);
}

static status bind_hex(const function_call *c, expr **out)
{
    bool is_integer = type_is_integer(c->args[0]->type);
    bool is_blob = c->args[0]->type.id == TYPE_BLOB;
    return bind_made(c,
                     is_integer ? "upper(printf('%x', $1))"
                     : is_blob  ? "upper(encode($1, 'hex'))"
                                : "upper(encode(encode($1), 'hex'))",
                     out);
}

/* Characters of a text, or elements of a list. */
static status bind_length(const function_call *c, expr_op op, expr **out)
{
    return c->args[0]->type.id == TYPE_LIST ? bind_nested_length(c, EXPR_LIST_LENGTH, out)
                                            : call_by_signature(c, op, out);
}

static status bind_factorial(const function_call *c, expr_op op, expr **out)
{
    TRY(call_coerce(c, 0, 'i'));
    return bind_call1(c->b, op, type_decimal(38, 0), c->args[0], c->tree->location, out);
}

/* isfinite and isinf; of dates and timestamps by a function of their own. */
static status bind_isfinite(const function_call *c, expr_op op, expr **out)
{
    expr *arg = c->args[0];
    int32_t location = c->tree->location;
    if (!type_is_time(arg->type) || arg->type.id == TYPE_TIME)
        return call_by_signature(c, op, out);
    if (arg->type.id == TYPE_DATE)
        TRY(bind_cast(c->b, arg, type_make(TYPE_TIMESTAMP), location, &arg));
    TRY(bind_call1(c->b, EXPR_ISFINITE_TIME, type_make(TYPE_BOOL), arg, location, out));
    return op == EXPR_ISFINITE
               ? STATUS_OK
               : bind_call1(c->b, EXPR_NOT, type_make(TYPE_BOOL), *out, location, out);
}

static status bind_encode(const function_call *c, expr **out)
{
    expr_op of_one = *c->name == 'e' ? EXPR_BYTES_OF_TEXT : EXPR_TEXT_OF_BYTES;
    expr_op of_two = *c->name == 'e' ? EXPR_ENCODE : EXPR_DECODE;
    return call_by_signature(c, c->count == 1 ? of_one : of_two, out);
}

static status bind_bit_count(const function_call *c, expr_op op, expr **out)
{
    if (!type_is_integer(c->args[0]->type))
        TRY(call_coerce(c, 0, 'i'));
    return bind_call1(c->b, op, type_make(TYPE_INT64), c->args[0], c->tree->location, out);
}

static status bind_mod(const function_call *c, expr **out)
{
    return bind_arithmetic(c->b, "%", c->args[0], c->args[1], c->tree->location, out);
}

static status bind_ifnull(const function_call *c, expr **out)
{
    data_type type;
    TRY(bind_coerce_values(c->b, c->args, 2, c->tree->location, "IFNULL", &type));
    return bind_call(c->b, EXPR_COALESCE, type, c->args, 2, c->tree->location, out);
}

static status bind_repeat(const function_call *c, expr_op op, expr **out)
{
    return c->args[0]->type.id == TYPE_LIST ? bind_list_repeat(c, out)
                                            : call_by_signature(c, op, out);
}

/* Binds a list of numbers or of timestamps. */
static status bind_any_range(const function_call *c, expr **out)
{
    return bind_is_time_range(c) ? bind_time_range(c, out) : bind_list_range(c, out);
}

/* Binds a call without a lambda of a function that takes one. */
static status bind_lambda(const function_call *c, expr **out)
{
    (void)out;
    return status_hint(bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                                  "argument 2 of function \"%s\" must be a lambda", c->name),
                       "write lambda x: ...");
}

/* ---- finding them ---- */

/* Binders of functions that can be called by name, but have a signature that does not say all. */
static status (*const binders[EXPR_OP_COUNT])(const function_call *c, expr_op op, expr **out) = {
    [EXPR_LIST_VALUE] = bind_list_value,
    [EXPR_STRUCT_PACK] = bind_struct_pack,
    [EXPR_MAP] = bind_map,
    [EXPR_STRUCT_FIELD] = bind_nested_part,
    [EXPR_LIST_ELEMENT] = bind_nested_part,
    [EXPR_LIST_LENGTH] = bind_nested_length,
    [EXPR_LIST_SLICE] = bind_list_slice,
    [EXPR_LIST_CONCAT] = bind_list_concat,
    [EXPR_LIST_FLATTEN] = bind_list_flatten,
    [EXPR_LIST_ZIP] = bind_list_zip,
    [EXPR_LIST_REVERSE] = bind_list_same,
    [EXPR_LIST_SORT] = bind_list_sort,
    [EXPR_LIST_DISTINCT] = bind_list_same,
    [EXPR_LIST_WHERE] = bind_list_where,
    [EXPR_LIST_CONTAINS] = bind_list_search,
    [EXPR_LIST_POSITION] = bind_list_search,
    [EXPR_LIST_HAS_ANY] = bind_list_has,
    [EXPR_LIST_HAS_ALL] = bind_list_has,
    [EXPR_LIST_BINS] = bind_equi_width_bins,
    [EXPR_LIST_SUM] = bind_list_sum,
    [EXPR_LIST_AVG] = bind_list_sum,
    [EXPR_LIST_COUNT] = bind_list_count,
    [EXPR_LIST_MIN] = bind_list_extreme,
    [EXPR_LIST_MAX] = bind_list_extreme,
    [EXPR_STRING_SPLIT] = bind_string_split,
    [EXPR_ARRAY_TO_STRING] = bind_array_to_string,
    [EXPR_MAP_KEYS] = bind_map_part,
    [EXPR_MAP_VALUES] = bind_map_part,
    [EXPR_MAP_ENTRIES] = bind_map_part,
    [EXPR_MAP_FROM_ENTRIES] = bind_map_from_entries,
    [EXPR_MAP_VALUE] = bind_nested_part,
    [EXPR_STRPTIME] = bind_strptime,
    [EXPR_TRY_STRPTIME] = bind_strptime,
    [EXPR_LENGTH] = bind_length,
    [EXPR_ROUND] = bind_round,
    [EXPR_FLOOR] = bind_whole,
    [EXPR_CEIL] = bind_whole,
    [EXPR_TRUNC] = bind_whole,
    [EXPR_ABS] = bind_abs,
    [EXPR_SIGN] = bind_abs,
    [EXPR_DATE_PART] = bind_date_part,
    [EXPR_DATE_TRUNC] = bind_date_trunc,
    [EXPR_ZONE_LOCAL] = bind_timezone,
    [EXPR_CONCAT_SKIP] = bind_concat,
    [EXPR_REGEXP_REPLACE] = bind_regexp_replace,
    [EXPR_REGEXP_EXTRACT] = bind_regexp_extract,
    [EXPR_REGEXP_EXTRACT_ALL] = bind_regexp_extract,
    [EXPR_REGEXP_SPLIT] = bind_regexp_split,
    [EXPR_LIST_INNER_PRODUCT] = bind_list_product,
    [EXPR_LIST_DISTANCE] = bind_list_product,
    [EXPR_LIST_COSINE] = bind_list_product,
    [EXPR_REPEAT] = bind_repeat,
    [EXPR_SUBSTRING] = bind_substring,
    [EXPR_MAKE_TIMESTAMPTZ] = bind_make_timestamptz,
    [EXPR_CONCAT_WS] = bind_concat,
    [EXPR_FACTORIAL] = bind_factorial,
    [EXPR_TO_HEX] = bind_to_hex,
    [EXPR_MD5] = bind_digest,
    [EXPR_SHA256] = bind_digest,
    [EXPR_SHA1] = bind_digest,
    [EXPR_PRINTF] = bind_print,
    [EXPR_FORMAT] = bind_print,
    [EXPR_AGE] = bind_age,
    [EXPR_TO_CHAR] = bind_to_char,
    [EXPR_TIME_BUCKET] = bind_time_bucket,
    [EXPR_BIT_COUNT] = bind_bit_count,
    [EXPR_ISFINITE] = bind_isfinite,
    [EXPR_ISINF] = bind_isfinite,
    [EXPR_JSON_EXTRACT] = bind_json_read,
    [EXPR_JSON_EXTRACT_STRING] = bind_json_read,
    [EXPR_JSON_VALUE] = bind_json_read,
    [EXPR_JSON_EXISTS] = bind_json_read,
    [EXPR_JSON_TYPE] = bind_json_read,
    [EXPR_JSON_ARRAY_LENGTH] = bind_json_read,
};

static const struct function {
    const char *name;
    const char *signature; /* of `other` and `text` */
    status (*other)(const function_call *c, expr **out);
    const char *text; /* an expression of others */
    uint16_t op;      /* without `other` and `text` */
} functions[] = {
#define FUNCTION(op, name, signature, nulls, notation, family, operation, help)                    \
    {name, NULL, NULL, NULL, EXPR_##op},
#define FUNCTION_ALIAS(name, op) {name, NULL, NULL, NULL, EXPR_##op},
#define FUNCTION_OTHER(name, binder, signature, help) {name, signature, bind_##binder, NULL, 0},
#define FUNCTION_MADE(name, signature, text, help) {name, signature, NULL, text, 0},
#include "plan/tree/functions.def"
};

/* Not what only operators and other syntax make. */
static bool can_call(const struct function *f)
{
    const function_info *info = function_info_of((expr_op)f->op);
    return f->other || f->text || binders[f->op] ||
           (info->notation == FUNCTION_NOTATION_CALL && !strchr(info->signature, 'x'));
}

static const char *signature_of(const struct function *f)
{
    return f->other || f->text ? f->signature : function_info_of((expr_op)f->op)->signature;
}

/* Casts the arguments as the signature says, and binds the expression. */
static status bind_made_function(const function_call *c, const char *signature, const char *text,
                                 expr **out)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (function_argument(signature, i) != 'x')
            TRY(call_coerce(c, i, function_argument(signature, i)));
    return bind_made(c, text, out);
}

static status bind_named(const function_call *c, const struct function *f, expr **out)
{
    TRY(call_check_count(c, signature_of(f)));
    if (f->text)
        return bind_made_function(c, f->signature, f->text, out);
    if (f->other)
        return f->other(c, out);
    if (binders[f->op])
        return binders[f->op](c, (expr_op)f->op, out);
    return call_by_signature(c, (expr_op)f->op, out);
}

/* Returns the function of the call's name; of several the first that takes as many arguments; NULL: there is none. */
static const struct function *find_function(const function_call *c)
{
    const struct function *found = NULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        uint32_t least, most;
        if (strcmp(c->name, functions[i].name) != 0 || !can_call(&functions[i]))
            continue;
        function_counts(signature_of(&functions[i]), &least, &most);
        if (c->count >= least && c->count <= most)
            return &functions[i];
        found = found ? found : &functions[i];
    }
    return found;
}

bool bind_is_scalar(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(name, functions[i].name) && can_call(&functions[i]))
            return true;
    return bind_is_system_function(name);
}

/* Functions of what is not there: what that is, and what takes the place. */
static const struct {
    const char *name, *why, *instead;
} missing_functions[] = {
    {"nextval", "because there are no sequences", "row_number() OVER () numbers rows"},
    {"currval", "because there are no sequences", "row_number() OVER () numbers rows"},
    {"lastval", "because there are no sequences", "row_number() OVER () numbers rows"},
    {"setval", "because there are no sequences", "row_number() OVER () numbers rows"},
    {"bitstring_agg", "because there are no bit strings", "bit_or(1::bigint << x) has 63 bits"},
    {"bitstring", "because there are no bit strings", "integers have bits: & | # ~ << >>"},
    {"set_bit", "because there are no bit strings", "x | 1 << n"},
    {"get_bit", "because there are no bit strings", "x >> n & 1"},
    {"bit_position", "because there are no bit strings", "integers have bits: & | # ~ << >>"},
    {"union_value", "because there is no type union", "a struct with a field for each kind"},
    {"union_extract", "because there is no type union", "a struct with a field for each kind"},
    {"union_tag", "because there is no type union", "a struct with a field for each kind"},
    {"enum_range", "because there are no enums", "SELECT DISTINCT x"},
    {"enum_first", "because there are no enums", "min(x)"},
    {"enum_last", "because there are no enums", "max(x)"},
    {"enum_code", "because there are no enums", "array_position(['low', 'high'], x)"},
    {"to_tsvector", "because there is no text search", "LIKE, ILIKE or ~"},
    {"to_tsquery", "because there is no text search", "LIKE, ILIKE or ~"},
    {"is_normalized", "because Unicode is not normalized", "strip_accents(x)"},
    {"normalize", "because Unicode is not normalized", "strip_accents(x)"},
    {"nfc_normalize", "because Unicode is not normalized", "strip_accents(x)"},
    {"pg_collation_for", "because texts are ordered by their bytes alone", NULL},
    {"xmlagg", "because there is no type xml", NULL},
    {"pg_cancel_backend", "because statements do not see others", "the client cancels its own"},
    {"ts_rank", "because there is no text search", "LIKE, ILIKE or ~"},
    {"plainto_tsquery", "because there is no text search", "LIKE, ILIKE or ~"},
    {"st_point", "because there is no type geometry", "a struct of two doubles"},
    {"pg_sleep", "because no statement waits", NULL},
    {"txid_current", "because there are no transactions", NULL},
    {"lo_import", "because there are no large objects", "a blob"},
    {"dblink", "because other servers are not asked", "ATTACH 'folder' AS name"}};

/* Fails for such a function, by its name. */
static status check_missing(binder *b, const char *name, int32_t location)
{
    for (size_t i = 0; i < sizeof missing_functions / sizeof *missing_functions; i++)
        if (!strcmp(name, missing_functions[i].name)) {
            status st = bind_error(b, STATUS_KIND_UNSUPPORTED, location, "%s is not supported, %s",
                                   name, missing_functions[i].why);
            const char *instead = missing_functions[i].instead;
            return instead ? status_hint(st, "%s", instead) : st;
        }
    return STATUS_OK;
}

static status no_such_function(const function_call *c)
{
    enum { FUNCTIONS = sizeof functions / sizeof *functions };
    const char *names[FUNCTIONS + AGGREGATE_FUNCTION_COUNT];
    size_t count = 0;
    if (bind_is_series(c->name))
        return status_hint(bind_unsupported(c->b, c->tree->location,
                                            "a function of many rows in an expression is"),
                           "write it in FROM");
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (can_call(&functions[i]))
            names[count++] = functions[i].name;
    for (int i = 0; i < AGGREGATE_FUNCTION_COUNT; i++)
        names[count++] = plan_aggregate_name((plan_aggregate_function)i);
    return bind_suggest(bind_error(c->b, STATUS_KIND_NOT_FOUND, c->tree->location,
                                   "function \"%s\" does not exist", c->name),
                        c->name, names, count);
}

/* Calls that stand for others of functions that make rows. */
static const struct {
    const char *name;
    size_t args;
    const char *text;
} rows_made[] = {
    {"generate_subscripts", 2,
     "unnest(generate_series(1, CASE WHEN $2 = 1 THEN array_length($1) ELSE 0 END))"},
    {"_pg_expandarray", 1, "unnest(list_transform($1, lambda x, n: {'x': x, 'n': n}))"},
};

static status bind_rows_made(binder *b, const FuncCall *tree, const char *name, bind_scope *scope,
                             bool *out_is_found, expr **out)
{
    made_call m = {.tree = tree, .nodes = list_items(tree->args), .count = list_length(tree->args)};
    const Node *e;
    *out_is_found = false;
    for (size_t i = 0; i < sizeof rows_made / sizeof *rows_made; i++)
        if (!strcmp(rows_made[i].name, name) && rows_made[i].args == m.count) {
            *out_is_found = true;
            TRY(made_parse(b, &m, rows_made[i].text, &e));
            return bind_expr(b, e, scope, out);
        }
    return STATUS_OK;
}

/* Returns whether the schema before a function's name is one of PostgreSQL's. */
static bool is_system_schema(const FuncCall *tree)
{
    const char *schema = strVal(list_nth(tree->funcname, 0));
    return !strcmp(schema, "pg_catalog") || !strcmp(schema, "information_schema");
}

status bind_function(binder *b, const FuncCall *tree, bind_scope *scope, expr **out)
{
    function_call c = {.b = b, .tree = tree, .count = list_length(tree->args)};
    bool is_found;
    c.name = strVal(list_nth(tree->funcname, list_length(tree->funcname) - 1));
    if (list_length(tree->funcname) > 1 && !is_system_schema(tree))
        return bind_unsupported(b, tree->location, "functions in schemas are");
    if (tree->func_variadic)
        return bind_unsupported(b, tree->location, "VARIADIC is");
    TRY(check_missing(b, c.name, tree->location));
    TRY(bind_made_aggregate(b, tree, c.name, scope, &is_found, out));
    if (is_found)
        return STATUS_OK;
    TRY(bind_quantile_list(b, tree, c.name, scope, &is_found, out));
    if (is_found)
        return STATUS_OK;
    if (tree->over)
        return bind_window_call(b, tree, c.name, scope, out);
    if (bind_is_window_function(c.name))
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "window function %s requires an OVER clause", c.name);
    TRY(bind_aggregate_call(b, tree, c.name, scope, &is_found, out));
    if (is_found)
        return STATUS_OK;
    if (tree->agg_star || tree->agg_distinct || tree->agg_filter || list_length(tree->agg_order) ||
        tree->agg_within_group)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "function \"%s\" is not a known aggregate", c.name);
    if (!strcmp(c.name, "unnest"))
        return bind_unnest_call(b, tree, scope, out);
    TRY(bind_rows_made(b, tree, c.name, scope, &is_found, out));
    if (is_found)
        return STATUS_OK;
    if (bind_is_lambda_function(c.name))
        return bind_lambda_call(b, tree, scope, out);
    c.args = arena_alloc_array(b->memory, c.count + 1, sizeof *c.args);
    if (!c.args)
        return bind_no_memory();
    for (size_t i = 0; i < c.count; i++)
        TRY(bind_expr(b, bind_named_argument(c.name, list_nth(tree->args, i)), scope, &c.args[i]));
    const struct function *found = find_function(&c);
    if (found)
        return bind_named(&c, found, out);
    if (!strncmp(c.name, "list_", 5) && is_of_elements(&c, c.name + 5))
        return bind_elements(&c, c.name + 5, 1, out);
    TRY(bind_system_function(b, c.name, c.args, c.count, tree->location, &is_found, out));
    return is_found ? STATUS_OK : no_such_function(&c);
}

const char *bind_prefix_function(const char *operator)
{
    static const char *const names[][2] = {{"@", "abs"}, {"|/", "sqrt"}, {"||/", "cbrt"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(operator, names[i][0]))
            return names[i][1];
    return NULL;
}

status bind_prefix_call(binder *b, const A_Expr *e, const char *function, bind_scope *scope,
                        expr **out)
{
    pg_node *name = tree_string(b->memory, function), *argument = e->rexpr;
    FuncCall call = {.type = T_FuncCall,
                     .funcname = tree_list(b->memory, &name, 1),
                     .args = tree_list(b->memory, &argument, 1),
                     .location = e->location};
    return call.funcname && call.args ? bind_function(b, &call, scope, out) : bind_no_memory();
}
