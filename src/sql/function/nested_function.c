/* nested_function.c - functions of lists and maps: types of arguments and results. */
#include "sql/function/nested_function.h"

#include "plan/tree/function.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/nested_cast.h"
#include "sql/types/nested_operator.h"

#include <strings.h>

static data_type element_type(const expr *list)
{
    return nested_type_of(list->type)->fields[0].type;
}

static status wrong_argument(const function_call *c, size_t i, const char *wanted)
{
    char text[TYPE_NAME_BYTES];
    return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                      "argument %zu of function \"%s\" must be %s, not %s", i + 1, c->name, wanted,
                      type_name(c->args[i]->type, text));
}

status nested_require_list(const function_call *c, size_t i)
{
    data_type type;
    if (c->args[i]->type.id == TYPE_LIST)
        return bind_open_list(c->b, c->args[i], c->tree->location, &c->args[i]);
    if (c->args[i]->type.id != TYPE_NULL)
        return wrong_argument(c, i, "a list");
    TRY(bind_list_type(c->b, type_make(TYPE_INT32), &type));
    return bind_cast(c->b, c->args[i], type, c->tree->location, &c->args[i]);
}

static status bind_of_list(const function_call *c, expr_op op, data_type type, expr **out)
{
    return bind_call(c->b, op, type, c->args, (uint32_t)c->count, c->tree->location, out);
}

status bind_nested_length(const function_call *c, expr_op op, expr **out)
{
    const expr *dimension = c->count == 2 ? c->args[1] : NULL;
    if (c->args[0]->type.id != TYPE_MAP && c->args[0]->type.id != TYPE_LIST &&
        c->args[0]->type.id != TYPE_NULL)
        return wrong_argument(c, 0, "a list or a map");
    if (c->args[0]->type.id != TYPE_MAP)
        TRY(nested_require_list(c, 0));
    if (dimension && (dimension->kind != EXPR_CONSTANT || dimension->constant.is_null ||
                      !type_is_integer(dimension->type) || dimension->constant.i64 != 1))
        return bind_unsupported(c->b, c->tree->location,
                                "array_length of another dimension than 1 is");
    return bind_call1(c->b, op, type_make(TYPE_INT64), c->args[0], c->tree->location, out);
}

status nested_text_slice(binder *b, expr **args, int32_t location, expr **out)
{
    value none = value_text("", 0);
    expr *empty, *list, *joined[2];
    data_type text = type_make(TYPE_VARCHAR), type;
    TRY(bind_constant(b, &none, -1, &empty));
    TRY(bind_list_type(b, text, &type));
    TRY(bind_cast(b, args[0], text, location, &args[0]));
    TRY(bind_call2(b, EXPR_STRING_SPLIT, type, args[0], empty, location, &list));
    args[0] = list;
    TRY(bind_call(b, EXPR_LIST_SLICE, type, args, 3, location, &joined[0]));
    joined[1] = empty;
    return bind_call(b, EXPR_ARRAY_TO_STRING, text, joined, 2, location, out);
}

status bind_list_slice(const function_call *c, expr_op op, expr **out)
{
    bool is_text = c->args[0]->type.id == TYPE_VARCHAR && c->count == 3;
    if (is_text) {
        for (size_t i = 1; i < c->count; i++)
            TRY(call_coerce(c, i, 'i'));
        return nested_text_slice(c->b, c->args, c->tree->location, out);
    }
    TRY(nested_require_list(c, 0));
    for (size_t i = 1; i < c->count; i++)
        TRY(call_coerce(c, i, 'i'));
    return bind_of_list(c, op, c->args[0]->type, out);
}

status bind_list_concat(const function_call *c, expr_op op, expr **out)
{
    (void)op;
    for (size_t i = 0; i < c->count; i++)
        if (c->args[i]->type.id != TYPE_NULL)
            TRY(nested_require_list(c, i));
    TRY(nested_require_list(c, c->args[0]->type.id == TYPE_NULL ? c->count - 1 : 0));
    return bind_lists_joined(c->b, c->args, c->count, c->tree->location, out);
}

/* A list and one more element, before or after it. */
static status add_element_to_list(const function_call *c, size_t list, bool is_first, expr **out)
{
    expr *one = c->args[1 - list], *lists[2];
    int32_t location = c->tree->location;
    if (c->args[list]->type.id == TYPE_NULL)
        return bind_list_of(c->b, &one, 1, location, out);
    TRY(nested_require_list(c, list));
    TRY(bind_list_of(c->b, &one, 1, location, &lists[!is_first]));
    lists[is_first] = c->args[list];
    return bind_lists_joined(c->b, lists, 2, location, out);
}

status bind_list_append(const function_call *c, expr **out)
{
    return add_element_to_list(c, 0, false, out);
}

status bind_list_prepend(const function_call *c, expr **out)
{
    return add_element_to_list(c, 1, true, out);
}

status bind_list_push_front(const function_call *c, expr **out)
{
    return add_element_to_list(c, 0, true, out);
}

status bind_list_flatten(const function_call *c, expr_op op, expr **out)
{
    data_type list = c->args[0]->type;
    TRY(nested_require_list(c, 0));
    if (list.id == TYPE_NULL) {
        *out = c->args[0];
        return STATUS_OK;
    }
    if (bind_is_null_list(c->args[0])) {
        TRY(bind_list_type(c->b, element_type(c->args[0]), &list));
        TRY(bind_list_type(c->b, list, &list));
        TRY(bind_cast(c->b, c->args[0], list, c->tree->location, &c->args[0]));
    }
    if (element_type(c->args[0]).id != TYPE_LIST)
        return wrong_argument(c, 0, "a list of lists");
    TRY(bind_list_type(c->b, nested_type_of(element_type(c->args[0]))->fields[0].type, &list));
    return bind_of_list(c, op, list, out);
}

status bind_list_zip(const function_call *c, expr_op op, expr **out)
{
    data_type type;
    nested_field *fields = arena_alloc_array(c->b->memory, c->count + 1, sizeof *fields);
    if (!fields)
        return bind_no_memory();
    for (size_t i = 0; i < c->count; i++) {
        TRY(nested_require_list(c, i));
        fields[i] = (nested_field){"", element_type(c->args[i])};
    }
    TRY(bind_nested_type(c->b, TYPE_STRUCT, fields, c->count, &type));
    TRY(bind_list_type(c->b, type, &type));
    return bind_of_list(c, op, type, out);
}

status bind_list_same(const function_call *c, expr_op op, expr **out)
{
    TRY(nested_require_list(c, 0));
    return bind_of_list(c, op, c->args[0]->type, out);
}

/* ---- in order ---- */

/* Reads 'ASC', 'DESC', 'NULLS FIRST' or 'NULLS LAST'. */
static status order_word(const function_call *c, size_t i, const char *yes, const char *no,
                         bool *out)
{
    const expr *e = c->args[i];
    const char *text =
        e->kind == EXPR_CONSTANT && !e->constant.is_null && e->type.id == TYPE_VARCHAR
            ? arena_copy_text(c->b->memory, e->constant.text, e->constant.bytes)
            : "";
    if (!text)
        return bind_no_memory();
    *out = !strcasecmp(text, yes);
    if (*out || !strcasecmp(text, no))
        return STATUS_OK;
    return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                      "argument %zu of function \"%s\" must be '%s' or '%s'", i + 1, c->name, yes,
                      no);
}

static status sort_list(const function_call *c, bool is_descending, bool nulls_first, expr **out)
{
    value number = value_int(TYPE_INT64, is_descending | nulls_first << 1);
    expr *args[2] = {c->args[0], NULL};
    TRY(bind_constant(c->b, &number, -1, &args[1]));
    return bind_call(c->b, EXPR_LIST_SORT, args[0]->type, args, 2, c->tree->location, out);
}

status bind_list_sort(const function_call *c, expr_op op, expr **out)
{
    bool is_descending = false, nulls_first = false;
    (void)op;
    TRY(nested_require_list(c, 0));
    if (c->count > 1)
        TRY(order_word(c, 1, "desc", "asc", &is_descending));
    if (c->count > 2)
        TRY(order_word(c, 2, "nulls first", "nulls last", &nulls_first));
    return sort_list(c, is_descending, nulls_first, out);
}

status bind_list_reverse_sort(const function_call *c, expr **out)
{
    bool nulls_first = false;
    TRY(nested_require_list(c, 0));
    if (c->count > 1)
        TRY(order_word(c, 1, "nulls first", "nulls last", &nulls_first));
    return sort_list(c, true, nulls_first, out);
}

/* ---- looked for ---- */

status bind_list_where(const function_call *c, expr_op op, expr **out)
{
    TRY(nested_require_list(c, 0));
    TRY(nested_require_list(c, 1));
    if (element_type(c->args[1]).id != TYPE_BOOL)
        return wrong_argument(c, 1, "a list of booleans");
    return bind_of_list(c, op, c->args[0]->type, out);
}

status bind_list_search(const function_call *c, expr_op op, expr **out)
{
    TRY(nested_require_list(c, 0));
    if (bind_is_literal(c->args[1]))
        TRY(bind_cast(c->b, c->args[1], element_type(c->args[0]), c->tree->location, &c->args[1]));
    TRY(bind_list_and_element(c->b, &c->args[0], &c->args[1], c->tree->location, c->name));
    return bind_of_list(c, op, type_make(op == EXPR_LIST_CONTAINS ? TYPE_BOOL : TYPE_INT32), out);
}

/* Returns whether one list is of booleans and the other of numbers. */
static bool is_truth_and_number(const function_call *c)
{
    data_type left = element_type(c->args[0]), right = element_type(c->args[1]);
    return (left.id == TYPE_BOOL && type_is_numeric(right)) ||
           (right.id == TYPE_BOOL && type_is_numeric(left));
}

static status same_lists(const function_call *c)
{
    data_type type;
    for (size_t i = 0; i < 2; i++)
        TRY(nested_require_list(c, i));
    if (is_truth_and_number(c)) {
        size_t truth = element_type(c->args[1]).id == TYPE_BOOL;
        TRY(bind_cast(c->b, c->args[truth], c->args[1 - truth]->type, c->tree->location,
                      &c->args[truth]));
    }
    return bind_coerce_all(c->b, c->args, 2, c->tree->location, c->name, &type);
}

status bind_list_has(const function_call *c, expr_op op, expr **out)
{
    TRY(same_lists(c));
    return bind_of_list(c, op, type_make(TYPE_BOOL), out);
}

/* The distinct elements of the first list that the second one has. */
status bind_list_intersect(const function_call *c, expr **out)
{
    expr *values, *copy, *parameter, *is_there, *mask;
    binder *b = c->b;
    int32_t location = c->tree->location;
    TRY(same_lists(c));
    TRY(bind_call1(b, EXPR_LIST_DISTINCT, c->args[0]->type, c->args[0], location, &values));
    copy = expr_copy(b->memory, values);
    if (!copy)
        return bind_no_memory();
    TRY(bind_new_parameter(b, element_type(values), location, &parameter));
    TRY(bind_call2(b, EXPR_LIST_CONTAINS, type_make(TYPE_BOOL), c->args[1], parameter, location,
                   &is_there));
    TRY(bind_transform(b, copy, is_there, &parameter, 1, location, &mask));
    return bind_call2(b, EXPR_LIST_WHERE, values->type, values, mask, location, out);
}

/* ---- numbers ---- */

/* The sum of integers is a decimal(38,0), of decimals one with their scale, else a double. */
static status sum_type(const function_call *c, expr_op op, data_type *out)
{
    data_type type = element_type(c->args[0]);
    if (!type_is_numeric(type) && type.id != TYPE_BOOL)
        return wrong_argument(c, 0, "a list of numbers");
    bool is_exact = type_is_integer(type) || type.id == TYPE_DECIMAL || type.id == TYPE_BOOL;
    *out = is_exact && op == EXPR_LIST_SUM
               ? type_decimal(38, type.id == TYPE_DECIMAL ? type.scale : 0)
               : type_make(TYPE_DOUBLE);
    return STATUS_OK;
}

status bind_list_sum(const function_call *c, expr_op op, expr **out)
{
    data_type type, list, element;
    TRY(nested_require_list(c, 0));
    TRY(sum_type(c, op, &type));
    element = element_type(c->args[0]);
    if (element.id == TYPE_BOOL || (element.id == TYPE_DECIMAL && type.id == TYPE_DOUBLE)) {
        TRY(bind_list_type(c->b, type, &list));
        TRY(bind_cast(c->b, c->args[0], list, c->tree->location, &c->args[0]));
    }
    return bind_of_list(c, op, type, out);
}

status bind_list_count(const function_call *c, expr_op op, expr **out)
{
    TRY(nested_require_list(c, 0));
    return bind_of_list(c, op, type_make(TYPE_INT64), out);
}

status bind_list_extreme(const function_call *c, expr_op op, expr **out)
{
    TRY(nested_require_list(c, 0));
    return bind_of_list(c, op, element_type(c->args[0]), out);
}

status bind_list_range(const function_call *c, expr **out)
{
    value zero = value_int(TYPE_INT64, 0), one = value_int(TYPE_INT64, 1),
          is_closed = value_int(TYPE_INT64, *c->name == 'g');
    data_type list;
    expr *args[4] = {NULL};
    size_t first = c->count == 1;
    for (size_t i = 0; i < c->count; i++) {
        TRY(call_coerce(c, i, 'i'));
        args[first + i] = c->args[i];
    }
    if (first)
        TRY(bind_constant(c->b, &zero, -1, &args[0]));
    if (!args[2])
        TRY(bind_constant(c->b, &one, -1, &args[2]));
    TRY(bind_constant(c->b, &is_closed, -1, &args[3]));
    TRY(bind_list_type(c->b, type_make(TYPE_INT64), &list));
    return bind_call(c->b, EXPR_LIST_RANGE, list, args, 4, c->tree->location, out);
}

/* Expressions that list_aggregate stands for, by the name of an aggregate. */
static const struct {
    const char *name, *text;
} aggregates[] = {
    {"sum", "list_sum($1)"},
    {"avg", "list_avg($1)"},
    {"mean", "list_avg($1)"},
    {"count", "list_count($1)"},
    {"min", "list_min($1)"},
    {"max", "list_max($1)"},
    {"first", "list_first($1)"},
    {"last", "list_last($1)"},
    {"any_value", "list_any_value($1)"},
    {"product", "list_product($1)"},
    {"string_agg", "array_to_string($1, ',')"},
    {"group_concat", "array_to_string($1, ',')"},
};

status nested_aggregate_text(const function_call *c, const char **out, const char **out_name)
{
    const expr *e = c->args[1];
    *out = NULL;
    TRY(nested_require_list(c, 0));
    if (e->kind != EXPR_CONSTANT || e->constant.is_null || e->type.id != TYPE_VARCHAR)
        return wrong_argument(c, 1, "the constant name of an aggregate");
    char *name = arena_copy_text(c->b->memory, e->constant.text, e->constant.bytes);
    if (!name)
        return bind_no_memory();
    for (char *at = name; *at; at++)
        *at = (char)(*at >= 'A' && *at <= 'Z' ? *at + ('a' - 'A') : *at);
    *out_name = name;
    for (size_t i = 0; i < sizeof aggregates / sizeof *aggregates; i++)
        if (!strcasecmp(aggregates[i].name, name)) {
            bool is_text = strstr(aggregates[i].text, "','");
            *out = c->count == 3 && is_text ? "array_to_string($1, $3)" : aggregates[i].text;
            return STATUS_OK;
        }
    return STATUS_OK;
}

/* ---- texts ---- */

status bind_string_split(const function_call *c, expr_op op, expr **out)
{
    data_type list;
    for (size_t i = 0; i < 2; i++)
        TRY(call_coerce(c, i, 't'));
    TRY(bind_list_type(c->b, type_make(TYPE_VARCHAR), &list));
    return bind_of_list(c, op, list, out);
}

status bind_array_to_string(const function_call *c, expr_op op, expr **out)
{
    data_type list;
    TRY(nested_require_list(c, 0));
    TRY(call_coerce(c, 1, 't'));
    TRY(bind_list_type(c->b, type_make(TYPE_VARCHAR), &list));
    TRY(bind_cast(c->b, c->args[0], list, c->tree->location, &c->args[0]));
    return bind_of_list(c, op, type_make(TYPE_VARCHAR), out);
}

/* A list of texts: of the argument's elements, or of the argument alone. */
static status bind_texts_of(const function_call *c, size_t i, expr **out)
{
    binder *b = c->b;
    data_type texts;
    TRY(bind_list_type(b, type_make(TYPE_VARCHAR), &texts));
    if (c->args[i]->type.id != TYPE_LIST) {
        TRY(bind_cast(b, c->args[i], type_make(TYPE_VARCHAR), c->tree->location, out));
        return bind_call1(b, EXPR_LIST_VALUE, texts, *out, c->tree->location, out);
    }
    if (type_is_nested(nested_type_of(c->args[i]->type)->fields[0].type))
        return wrong_argument(c, i, "a text or a list of texts");
    TRY(bind_open_list(b, c->args[i], c->tree->location, out));
    return bind_cast(b, *out, texts, c->tree->location, out);
}

status bind_concat_lists(const function_call *c, expr **out)
{
    binder *b = c->b;
    int32_t location = c->tree->location;
    data_type text = type_make(TYPE_VARCHAR);
    expr *joined, *nothing, *separator;
    expr **lists = arena_alloc_array(b->memory, c->count, sizeof *lists);
    if (!lists)
        return bind_no_memory();
    TRY(bind_cast(b, c->args[0], text, location, &c->args[0]));
    for (size_t i = 1; i < c->count; i++)
        TRY(bind_texts_of(c, i, &lists[i - 1]));
    joined = lists[0];
    if (c->count > 2)
        TRY(bind_lists_joined(b, lists, c->count - 1, location, &joined));
    TRY(bind_call2(b, EXPR_ARRAY_TO_STRING, text, joined, c->args[0], location, &joined));
    /* NULLs alone give an empty text, and NULL where the separator is. */
    const value null = value_null(text);
    separator = expr_copy(b->memory, c->args[0]);
    if (!separator)
        return bind_no_memory();
    TRY(bind_constant(b, &null, -1, &nothing));
    TRY(bind_call2(b, EXPR_CONCAT_WS, text, separator, nothing, location, &nothing));
    return bind_call2(b, EXPR_COALESCE, text, joined, nothing, location, out);
}

/* ---- maps ---- */

status bind_map_part(const function_call *c, expr_op op, expr **out)
{
    data_type type;
    if (c->args[0]->type.id == TYPE_NULL) {
        TRY(bind_list_type(c->b, type_make(TYPE_INT32), &type));
        return bind_cast(c->b, c->args[0], type, c->tree->location, out);
    }
    if (c->args[0]->type.id != TYPE_MAP)
        return wrong_argument(c, 0, "a map");
    const nested_field *fields = nested_type_of(c->args[0]->type)->fields;
    nested_field entry[] = {{"key", fields[0].type}, {"value", fields[1].type}};
    if (op == EXPR_MAP_ENTRIES)
        TRY(bind_nested_type(c->b, TYPE_STRUCT, entry, 2, &type));
    else
        type = fields[op == EXPR_MAP_VALUES].type;
    TRY(bind_list_type(c->b, type, &type));
    return bind_of_list(c, op, type, out);
}

status bind_map_from_entries(const function_call *c, expr_op op, expr **out)
{
    data_type type;
    bool is_null = c->args[0]->type.id == TYPE_NULL;
    TRY(nested_require_list(c, 0));
    data_type entry = element_type(c->args[0]);
    if (is_null) {
        *out = c->args[0];
        return STATUS_OK;
    }
    if (entry.id != TYPE_STRUCT || nested_type_of(entry)->field_count != 2)
        return wrong_argument(c, 0, "a list of structs of key and value");
    const nested_field *fields = nested_type_of(entry)->fields;
    nested_field parts[] = {{"key", fields[0].type}, {"value", fields[1].type}};
    TRY(bind_nested_type(c->b, TYPE_MAP, parts, 2, &type));
    return bind_of_list(c, op, type, out);
}
