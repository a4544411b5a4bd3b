/* nested_struct.c - functions of structs: values looked for among the fields, names, fields put together. */
#include "sql/function/nested_struct.h"

#include "sql/function/nested_function.h"
#include "sql/function/nested_make.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/nested_cast.h"
#include "sql/types/nested_operator.h"

#include <strings.h>

static status require_struct(const function_call *c, size_t i)
{
    char text[TYPE_NAME_BYTES];
    if (c->args[i]->type.id == TYPE_STRUCT)
        return STATUS_OK;
    return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                      "argument %zu of function \"%s\" must be a struct, not %s", i + 1, c->name,
                      type_name(c->args[i]->type, text));
}

static bool has_names(const nested_type *type)
{
    return type->field_count && *type->fields[0].name;
}

static status copy_field(const function_call *c, size_t arg, uint32_t field, expr **out)
{
    expr *copy = expr_copy(c->b->memory, c->args[arg]);
    return copy ? bind_nested_field(c->b, copy, field, c->tree->location, out) : bind_no_memory();
}

static status nested_struct_null_of(const function_call *c, type_id id, expr **out)
{
    value null = value_null(type_make(id));
    return bind_constant(c->b, &null, -1, out);
}

/* condition ? e : NULL */
static status only_if(const function_call *c, expr *condition, expr *e, expr **out)
{
    expr *choice = expr_new(c->b->memory, EXPR_CASE, e->type, 3, e->position);
    if (!choice)
        return bind_no_memory();
    choice->is_nullable = true;
    choice->args[0] = condition;
    choice->args[1] = e;
    TRY(nested_struct_null_of(c, e->type.id, &choice->args[2]));
    *out = choice;
    return STATUS_OK;
}

static status nested_struct_is_there(const function_call *c, size_t arg, expr **out)
{
    expr *copy = expr_copy(c->b->memory, c->args[arg]);
    return copy ? bind_call1(c->b, EXPR_IS_NOT_NULL, type_make(TYPE_BOOL), copy, c->tree->location,
                             out)
                : bind_no_memory();
}

/* ---- values among the fields ---- */

/* Makes a list that says of each field whether it is the value; what cannot be compared with it is not. */
static status compare_fields(const function_call *c, expr **out)
{
    const nested_type *type = nested_type_of(c->args[0]->type);
    value no = value_bool(false);
    expr **equal = arena_alloc_array(c->b->memory, (size_t)type->field_count + 1, sizeof *equal);
    data_type common;
    if (!equal)
        return bind_no_memory();
    for (uint32_t i = 0; i < type->field_count; i++) {
        expr *field, *wanted = expr_copy(c->b->memory, c->args[1]);
        if (!wanted)
            return bind_no_memory();
        TRY(copy_field(c, 0, i, &field));
        bool fits = false;
        if (type_is_nested(field->type) && type_is_nested(wanted->type))
            TRY(bind_nested_common(c->b, field->type, wanted->type, &common, &fits));
        fits |= wanted->type.id == TYPE_NULL ||
                bind_common_type(field->type, wanted->type, &common) ||
                (field->type.id == TYPE_BOOL && type_is_numeric(wanted->type));
        if (wanted->type.id == TYPE_BOOL && type_is_numeric(field->type)) {
            TRY(bind_cast(c->b, field, wanted->type, c->tree->location, &field));
            fits = true;
        }
        if (fits)
            TRY(bind_comparison(c->b, EXPR_IS_NOT_DISTINCT, field, wanted, c->tree->location,
                                &equal[i]));
        else
            TRY(bind_constant(c->b, &no, -1, &equal[i]));
    }
    return bind_list_of(c->b, equal, type->field_count, c->tree->location, out);
}

static status nested_struct_find_field(const function_call *c, expr_op op, type_id id, expr **out)
{
    value yes = value_bool(true);
    expr *list, *wanted;
    if (has_names(nested_type_of(c->args[0]->type)))
        return status_hint(bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                                      "function \"%s\" takes a struct without names", c->name),
                           "write struct_values(x)");
    TRY(compare_fields(c, &list));
    TRY(bind_constant(c->b, &yes, -1, &wanted));
    return bind_call2(c->b, op, type_make(id), list, wanted, c->tree->location, out);
}

status bind_struct_position(const function_call *c, expr **out)
{
    expr *condition;
    if (c->args[0]->type.id == TYPE_NULL)
        return nested_struct_null_of(c, TYPE_INT32, out);
    TRY(require_struct(c, 0));
    TRY(nested_struct_find_field(c, EXPR_LIST_POSITION, TYPE_INT32, out));
    TRY(nested_struct_is_there(c, 0, &condition));
    return only_if(c, condition, *out, out);
}

status bind_struct_contains(const function_call *c, expr **out)
{
    expr *parts[2], *condition;
    if (c->args[0]->type.id == TYPE_NULL || c->args[1]->type.id == TYPE_NULL)
        return nested_struct_null_of(c, TYPE_BOOL, out);
    TRY(require_struct(c, 0));
    TRY(nested_struct_find_field(c, EXPR_LIST_CONTAINS, TYPE_BOOL, out));
    for (size_t i = 0; i < 2; i++)
        TRY(nested_struct_is_there(c, i, &parts[i]));
    TRY(bind_call2(c->b, EXPR_AND, type_make(TYPE_BOOL), parts[0], parts[1], c->tree->location,
                   &condition));
    return only_if(c, condition, *out, out);
}

/* ---- names and values ---- */

status bind_struct_keys(const function_call *c, expr **out)
{
    data_type list;
    expr *condition;
    TRY(bind_list_type(c->b, type_make(TYPE_VARCHAR), &list));
    if (c->args[0]->type.id == TYPE_NULL)
        return bind_cast(c->b, c->args[0], list, c->tree->location, out);
    TRY(require_struct(c, 0));
    const nested_type *type = nested_type_of(c->args[0]->type);
    expr **names = arena_alloc_array(c->b->memory, (size_t)type->field_count + 1, sizeof *names);
    if (!names)
        return bind_no_memory();
    for (uint32_t i = 0; i < type->field_count; i++) {
        value name = value_text(type->fields[i].name, strlen(type->fields[i].name));
        TRY(bind_constant(c->b, &name, -1, &names[i]));
    }
    TRY(bind_list_of(c->b, names, type->field_count, c->tree->location, out));
    TRY(nested_struct_is_there(c, 0, &condition));
    expr *choice = expr_new(c->b->memory, EXPR_CASE, list, 3, (*out)->position), *nothing;
    if (!choice)
        return bind_no_memory();
    TRY(nested_struct_null_of(c, TYPE_NULL, &nothing));
    choice->is_nullable = true;
    choice->args[0] = condition;
    choice->args[1] = *out;
    TRY(bind_cast(c->b, nothing, list, c->tree->location, &choice->args[2]));
    *out = choice;
    return STATUS_OK;
}

status bind_struct_values(const function_call *c, expr **out)
{
    TRY(require_struct(c, 0));
    const nested_type *type = nested_type_of(c->args[0]->type);
    nested_field *fields =
        arena_alloc_array(c->b->memory, (size_t)type->field_count + 1, sizeof *fields);
    data_type nameless;
    if (!fields)
        return bind_no_memory();
    for (uint32_t i = 0; i < type->field_count; i++)
        fields[i] = (nested_field){"", type->fields[i].type};
    TRY(bind_nested_type(c->b, TYPE_STRUCT, fields, type->field_count, &nameless));
    return bind_cast(c->b, c->args[0], nameless, c->tree->location, out);
}

status bind_struct_extract_at(const function_call *c, expr **out)
{
    TRY(require_struct(c, 0));
    if (c->args[1]->type.id == TYPE_VARCHAR)
        TRY(call_coerce(c, 1, 'i'));
    return nested_subscript(c->b, c->args[0], c->args[1], c->tree->location, out);
}

/* ---- fields put together ---- */

/* Fields of a struct while it is put together. */
typedef struct field_list {
    expr **exprs;
    const char **names;
    size_t count;
} field_list;

static status field_list_new(const function_call *c, field_list *out)
{
    size_t most = 0;
    for (size_t i = 0; i < c->count; i++)
        most +=
            c->args[i]->type.id == TYPE_STRUCT ? nested_type_of(c->args[i]->type)->field_count : 1;
    *out = (field_list){.exprs = arena_alloc_array(c->b->memory, most + 1, sizeof *out->exprs),
                        .names = arena_alloc_array(c->b->memory, most + 1, sizeof *out->names)};
    return out->exprs && out->names ? STATUS_OK : bind_no_memory();
}

static status add_fields(const function_call *c, size_t arg, field_list *to)
{
    const nested_type *type = nested_type_of(c->args[arg]->type);
    for (uint32_t i = 0; i < type->field_count; i++) {
        TRY(copy_field(c, arg, i, &to->exprs[to->count]));
        to->names[to->count++] = type->fields[i].name;
    }
    return STATUS_OK;
}

/* Sets a field, or adds it. */
static void set_field(field_list *to, const char *name, expr *e)
{
    size_t i = 0;
    while (i < to->count && strcasecmp(to->names[i], name) != 0)
        i++;
    to->exprs[i] = e;
    if (i < to->count)
        return;
    to->names[i] = name;
    to->count++;
}

status bind_struct_concat(const function_call *c, expr **out)
{
    field_list all;
    TRY(field_list_new(c, &all));
    for (size_t i = 0; i < c->count; i++) {
        TRY(require_struct(c, i));
        bool named = has_names(nested_type_of(c->args[i]->type));
        if (named != has_names(nested_type_of(c->args[0]->type)))
            return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                              "function \"%s\" takes structs with names, or without, not both",
                              c->name);
        TRY(add_fields(c, i, &all));
    }
    bool named = has_names(nested_type_of(c->args[0]->type));
    return nested_struct_of(c->b, all.exprs, named ? all.names : NULL, all.count, c->tree->location,
                            out);
}

status bind_struct_update(const function_call *c, expr **out)
{
    field_list all;
    const char **names;
    TRY(require_struct(c, 0));
    TRY(field_list_new(c, &all));
    TRY(nested_argument_names(c, 1, &names));
    TRY(add_fields(c, 0, &all));
    for (size_t i = 1; i < c->count; i++)
        set_field(&all, names[i - 1], c->args[i]);
    return nested_struct_of(c->b, all.exprs, all.names, all.count, c->tree->location, out);
}
