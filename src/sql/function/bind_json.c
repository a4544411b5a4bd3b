/* bind_json.c - see bind_json.h. What makes JSON has the type json, so that it is not quoted where it becomes a part of other
 * JSON. */
#include "sql/function/bind_json.h"

#include "base/type/json_type.h"
#include "base/type/nested_type.h"
#include "plan/fold/fold.h"
#include "plan/tree/function.h"
#include "sql/function/bind_made.h"
#include "sql/function/bind_nested_made.h"
#include "sql/function/json_transform.h"
#include "sql/function/nested_function.h"
#include "sql/function/nested_make.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/function_call.h"

static data_type json_text_type(void)
{
    return type_make(TYPE_VARCHAR);
}

static status json_constant(binder *b, const char *text, expr **out)
{
    value v = value_text(text, strlen(text));
    return bind_constant(b, &v, -1, out);
}

/* ---- reading ---- */

static status json_as_text(binder *b, expr **e, int32_t location)
{
    char name[TYPE_NAME_BYTES];
    if (!bind_is_literal(*e) && (*e)->type.id != TYPE_VARCHAR && (*e)->type.id != TYPE_NULL)
        return bind_error(b, STATUS_KIND_INVALID, location, "JSON must be a text, not %s",
                          type_name((*e)->type, name));
    return bind_cast(b, *e, json_text_type(), location, e);
}

/* An integer n as the path $[n]. */
static status json_path_argument(binder *b, expr **path, int32_t location)
{
    expr *parts[3];
    if (!type_is_integer((*path)->type))
        return json_as_text(b, path, location);
    TRY(json_constant(b, "$[", &parts[0]));
    TRY(bind_cast(b, *path, json_text_type(), location, &parts[1]));
    TRY(json_constant(b, "]", &parts[2]));
    return bind_call(b, EXPR_CONCAT, json_text_type(), parts, 3, location, path);
}

static status json_read(binder *b, expr_op op, expr *const args[2], uint32_t count,
                        int32_t location, expr **out)
{
    expr *own[2] = {args[0], count > 1 ? args[1] : NULL};
    data_type type = function_letter_type(function_result(function_info_of(op)->signature));
    TRY(json_as_text(b, &own[0], location));
    if (count > 1)
        TRY(json_path_argument(b, &own[1], location));
    bool is_json = op == EXPR_JSON_EXTRACT || op == EXPR_JSON_EXTRACT_LIST;
    return bind_call(b, op, is_json ? type_json() : type, own, count, location, out);
}

status bind_json_read(const function_call *c, expr_op op, expr **out)
{
    expr *args[2] = {c->args[0], c->count > 1 ? c->args[1] : NULL};
    bool is_extract = op == EXPR_JSON_EXTRACT || op == EXPR_JSON_EXTRACT_STRING;
    /* All paths but the last lead to JSON. */
    for (size_t i = 1; is_extract && i + 1 < c->count; i++) {
        TRY(json_read(c->b, EXPR_JSON_EXTRACT, args, 2, c->tree->location, &args[0]));
        args[1] = c->args[i + 1];
    }
    return json_read(c->b, op, args, c->count > 1 ? 2 : 1, c->tree->location, out);
}

status bind_json_operator(binder *b, const char *name, expr *left, expr *right, int32_t location,
                          bool *out_is_done, expr **out)
{
    expr *args[2] = {left, right};
    expr_op op = !strcmp(name, "->")    ? EXPR_JSON_EXTRACT
                 : !strcmp(name, "->>") ? EXPR_JSON_EXTRACT_STRING
                 : !strcmp(name, "#>")  ? EXPR_JSON_EXTRACT_LIST
                 : !strcmp(name, "#>>") ? EXPR_JSON_EXTRACT_LIST_STRING
                                        : EXPR_OP_COUNT;
    *out_is_done = op != EXPR_OP_COUNT;
    return *out_is_done ? json_read(b, op, args, 2, location, out) : STATUS_OK;
}

static status json_of(binder *b, expr *e, int32_t location, expr **out);

status bind_json_cast(binder *b, expr *arg, bool is_try, int32_t location, expr **out)
{
    bool is_text =
        bind_is_literal(arg) || arg->type.id == TYPE_VARCHAR || arg->type.id == TYPE_NULL;
    *out = arg;
    if (type_is_json(arg->type))
        return STATUS_OK;
    if (!is_text)
        return json_of(b, arg, location, out);
    TRY(json_as_text(b, &arg, location));
    return bind_json_checked(b, arg, is_try, location, out);
}

status bind_of_json(binder *b, expr *arg, data_type type, int32_t location, expr **out)
{
    expr *args[2] = {arg};
    *out = arg;
    if (type.id == TYPE_VARCHAR || type_is_nested(type)) {
        *out = expr_copy(b->memory, arg);
        if (!*out)
            return bind_no_memory();
        (*out)->type = json_text_type();
        if ((*out)->kind == EXPR_CONSTANT)
            (*out)->constant.type = json_text_type();
        return STATUS_OK;
    }
    TRY(json_constant(b, "$", &args[1]));
    return json_read(b, EXPR_JSON_EXTRACT_STRING, args, 2, location, out);
}

status bind_json_subscript(binder *b, expr *json, expr *index, int32_t location, expr **out)
{
    expr *args[2] = {json, index};
    return json_read(b, EXPR_JSON_EXTRACT, args, 2, location, out);
}

bool bind_is_json_type(const TypeName *name)
{
    size_t count = list_length(name->names);
    const char *last = count ? strVal(list_nth(name->names, count - 1)) : "";
    return !strcmp(last, "json") || !strcmp(last, "jsonb");
}

status bind_json_parse(const function_call *c, expr **out)
{
    expr *args[2] = {c->args[0]};
    if (!bind_is_literal(args[0]) && args[0]->type.id != TYPE_VARCHAR)
        TRY(bind_json_cast(c->b, args[0], false, c->tree->location, &args[0]));
    TRY(json_constant(c->b, "$", &args[1]));
    return json_read(c->b, EXPR_JSON_EXTRACT, args, 2, c->tree->location, out);
}

/* ---- writing ---- */

static status json_of_struct(binder *b, expr *e, int32_t location, expr **out);

/* A list or map, by an expression of SQL. */
static status json_of_many(binder *b, expr *e, int32_t location, expr **out)
{
    static const char
        list[] = "CASE WHEN $1 IS NOT NULL THEN '[' || coalesce(array_to_string(list_transform($1, "
                 "lambda x: coalesce(to_json(x), 'null')), ','), '') || ']' END",
        map[] = "CASE WHEN $1 IS NOT NULL THEN '{' || coalesce(array_to_string(list_transform("
                "map_entries($1), lambda x: to_json(x.key::varchar) || ':' || "
                "coalesce(to_json(x.value), 'null')), ','), '') || '}' END";
    bind_scope none = {0};
    FuncCall place = {.location = location};
    made_call made = {.tree = &place, .args = &e, .count = 1};
    const Node *tree;
    TRY(made_parse(b, &made, e->type.id == TYPE_LIST ? list : map, &tree));
    TRY(b->bind_expression(b, tree, &none, out));
    (*out)->type = type_json();
    return STATUS_OK;
}

/* The value as JSON; NULL stays NULL. */
static status json_of(binder *b, expr *e, int32_t location, expr **out)
{
    data_type type = e->type;
    *out = e;
    if (type_is_json(type))
        return STATUS_OK;
    if (type_is_nested(type))
        return type.id == TYPE_STRUCT ? json_of_struct(b, e, location, out)
                                      : json_of_many(b, e, location, out);
    if (type.id == TYPE_FLOAT || type.id == TYPE_DOUBLE) {
        TRY(bind_cast(b, e, type_make(TYPE_DOUBLE), location, &e));
        TRY(bind_call1(b, EXPR_JSON_DOUBLE, json_text_type(), e, location, out));
    } else {
        TRY(bind_cast(b, e, json_text_type(), location, out));
        bool is_plain = type.id == TYPE_BOOL || type_is_integer(type) || type.id == TYPE_NULL ||
                        (type.id == TYPE_DECIMAL && !type.scale);
        expr_op op = type.id == TYPE_DECIMAL ? EXPR_JSON_DECIMAL : EXPR_JSON_QUOTE;
        if (!is_plain)
            TRY(bind_call1(b, op, json_text_type(), *out, location, out));
    }
    expr *marked = expr_copy(b->memory, *out);
    if (!marked)
        return bind_no_memory();
    marked->type = type_json();
    *out = marked;
    return STATUS_OK;
}

status bind_to_json(const function_call *c, expr **out)
{
    return json_of(c->b, c->args[0], c->tree->location, out);
}

typedef ARRAY(expr *) json_parts;

static status json_add_constant(binder *b, json_parts *parts, const char *text)
{
    expr *e;
    TRY(json_constant(b, text, &e));
    return array_push(b->memory, parts, e);
}

/* A value, null if it is NULL. */
static status json_add_value(binder *b, json_parts *parts, expr *e, int32_t location)
{
    expr *pair[2], *part;
    TRY(json_of(b, e, location, &pair[0]));
    TRY(json_constant(b, "null", &pair[1]));
    TRY(bind_call(b, EXPR_COALESCE, json_text_type(), pair, 2, location, &part));
    return array_push(b->memory, parts, part);
}

static status json_join(binder *b, const json_parts *parts, int32_t location, expr **out)
{
    return bind_call(b, EXPR_CONCAT, type_json(), parts->items, (uint32_t)parts->count, location,
                     out);
}

/* Makes *out NULL where the value is. */
static status json_unless_null(binder *b, expr *e, int32_t location, expr **out)
{
    value null = value_null(type_json());
    expr *choice = expr_new(b->memory, EXPR_CASE, type_json(), 3, bind_position(b, location));
    expr *copy = expr_copy(b->memory, e);
    if (!choice || !copy)
        return bind_no_memory();
    TRY(bind_call1(b, EXPR_IS_NOT_NULL, type_make(TYPE_BOOL), copy, location, &choice->args[0]));
    TRY(bind_constant(b, &null, -1, &choice->args[2]));
    choice->args[1] = *out;
    choice->is_nullable = true;
    *out = choice;
    return STATUS_OK;
}

static status json_of_struct(binder *b, expr *e, int32_t location, expr **out)
{
    const nested_type *type = nested_type_of(e->type);
    json_parts parts = {0};
    expr *key, *field;
    for (uint32_t i = 0; i < type->field_count; i++) {
        expr *whole = expr_copy(b->memory, e);
        if (!whole)
            return bind_no_memory();
        TRY(json_add_constant(b, &parts, i ? "," : "{"));
        TRY(json_constant(b, type->fields[i].name, &key));
        TRY(bind_call1(b, EXPR_JSON_QUOTE, json_text_type(), key, location, &key));
        TRY(array_push(b->memory, &parts, key));
        TRY(json_add_constant(b, &parts, ":"));
        TRY(nested_field_of(b, whole, type->fields[i].name, location, &field));
        TRY(json_add_value(b, &parts, field, location));
    }
    TRY(json_add_constant(b, &parts, "}"));
    TRY(json_join(b, &parts, location, out));
    return json_unless_null(b, e, location, out);
}

status bind_json_array(const function_call *c, expr **out)
{
    json_parts parts = {0};
    TRY(json_add_constant(c->b, &parts, "["));
    for (size_t i = 0; i < c->count; i++) {
        if (i)
            TRY(json_add_constant(c->b, &parts, ","));
        TRY(json_add_value(c->b, &parts, c->args[i], c->tree->location));
    }
    TRY(json_add_constant(c->b, &parts, "]"));
    return json_join(c->b, &parts, c->tree->location, out);
}

static status json_add_key(const function_call *c, json_parts *parts, size_t i)
{
    char name[TYPE_NAME_BYTES];
    expr *key = c->args[i];
    if (!bind_is_literal(key) && key->type.id != TYPE_VARCHAR)
        return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                          "key %zu of \"%s\" must be a text, not %s", i / 2 + 1, c->name,
                          type_name(key->type, name));
    TRY(bind_cast(c->b, key, json_text_type(), c->tree->location, &key));
    TRY(bind_call1(c->b, EXPR_JSON_QUOTE, json_text_type(), key, c->tree->location, &key));
    return array_push(c->b->memory, parts, key);
}

/* Binds json_object, which is NULL if a key is. */
status bind_json_object(const function_call *c, expr **out)
{
    json_parts parts = {0};
    if (c->count % 2)
        return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                          "function \"%s\" takes keys and values in turns, not %zu arguments",
                          c->name, c->count);
    TRY(json_add_constant(c->b, &parts, "{"));
    for (size_t i = 0; i < c->count; i += 2) {
        if (i)
            TRY(json_add_constant(c->b, &parts, ","));
        TRY(json_add_key(c, &parts, i));
        TRY(json_add_constant(c->b, &parts, ":"));
        TRY(json_add_value(c->b, &parts, c->args[i + 1], c->tree->location));
    }
    TRY(json_add_constant(c->b, &parts, "}"));
    return json_join(c->b, &parts, c->tree->location, out);
}

/* ---- keys and types ---- */

/* Binds json_keys: of a path, or of the whole text. */
status bind_json_keys(const function_call *c, expr **out)
{
    static const char text[] =
        "CASE WHEN json_type($1) = 'OBJECT' THEN list_transform(range(json_members($1)), lambda "
        "\"#\": json_member_key($1, \"#\")) WHEN json_type($1) IS NOT NULL THEN "
        "CAST([] AS varchar[]) END";
    expr *args[2] = {c->args[0], c->count > 1 ? c->args[1] : NULL}, *part = args[0];
    if (c->count > 1)
        TRY(json_read(c->b, EXPR_JSON_EXTRACT, args, 2, c->tree->location, &part));
    else
        TRY(json_as_text(c->b, &part, c->tree->location));
    const function_call of_part = {
        .b = c->b, .tree = c->tree, .name = c->name, .args = &part, .count = 1};
    return bind_made(&of_part, text, out);
}

status bind_json_transform(const function_call *c, expr **out)
{
    const char *text;
    expr *type = c->args[1];
    int32_t location = c->tree->location;
    TRY(json_as_text(c->b, &c->args[0], location));
    TRY(json_as_text(c->b, &type, location));
    if (type->kind != EXPR_CONSTANT || type->constant.is_null)
        return bind_error(c->b, STATUS_KIND_UNSUPPORTED, location,
                          "the type of %s has to be a constant", c->name);
    status st = json_transform_text(c->b->memory, type->constant.text, type->constant.bytes, &text);
    if (!st) {
        const function_call of_text = {
            .b = c->b, .tree = c->tree, .name = c->name, .args = c->args, .count = 1};
        st = bind_made(&of_text, text, out);
    }
    return st ? status_at(st, bind_position(c->b, location)) : STATUS_OK;
}
