/* nested_cast.c - see nested_cast.h. */
#include "sql/types/nested_cast.h"

#include "base/system/guard.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/nested_literal.h"
#include "sql/types/parameter.h"

#include <strings.h>

/* ---- types ---- */

status bind_nested_type(binder *b, type_id id, const nested_field *fields, size_t count,
                        data_type *out)
{
    b->statement->has_nested = true;
    TRY(nested_type_make(id, fields, (uint32_t)count, out));
    return nested_type_keep(b->memory, *out);
}

status bind_list_type(binder *b, data_type element, data_type *out)
{
    return bind_sized_type(b, element, 0, out);
}

status bind_sized_type(binder *b, data_type element, uint32_t size, data_type *out)
{
    b->statement->has_nested = true;
    TRY(nested_type_make_sized(element, size, out));
    return nested_type_keep(b->memory, *out);
}

status bind_open_list(binder *b, expr *e, int32_t location, expr **out)
{
    data_type type;
    *out = e;
    if (!nested_type_size(e->type))
        return STATUS_OK;
    TRY(bind_list_type(b, nested_type_of(e->type)->fields[0].type, &type));
    return bind_call1(b, EXPR_LIST_SIZED, type, e, location, out);
}

static status type_of_node(binder *b, const pg_node *node, data_type *out)
{
    bind_modifier modifier;
    return bind_type_name(b, castNode(TypeName, node), out, &modifier);
}

static status struct_type(binder *b, const TypeName *name, data_type *out)
{
    size_t count = list_length(name->typmods) / 2;
    nested_field *fields = arena_alloc_array(b->memory, count + 1, sizeof *fields);
    if (!fields)
        return bind_no_memory();
    for (size_t i = 0; i < count; i++) {
        fields[i].name = strVal(list_nth(name->typmods, 2 * i));
        TRY(type_of_node(b, list_nth(name->typmods, 2 * i + 1), &fields[i].type));
        for (size_t k = 0; k < i; k++)
            if (!strcasecmp(fields[i].name, fields[k].name))
                return bind_error(b, STATUS_KIND_INVALID, name->location,
                                  "a struct has two fields \"%s\"", fields[i].name);
    }
    return bind_nested_type(b, TYPE_STRUCT, fields, count, out);
}

static status nested_cast_map_type(binder *b, const TypeName *name, data_type *out)
{
    nested_field fields[2] = {{"key", {0}}, {"value", {0}}};
    for (size_t i = 0; i < 2; i++)
        TRY(type_of_node(b, list_nth(name->typmods, i), &fields[i].type));
    return bind_nested_type(b, TYPE_MAP, fields, 2, out);
}

static bool is_nested_word(const TypeName *name, const char *word)
{
    const char *last =
        list_length(name->names) ? strVal(list_nth(name->names, list_length(name->names) - 1)) : "";
    return !strcmp(last, word) && list_length(name->typmods) &&
           !IsA(list_nth(name->typmods, 0), A_Const);
}

status bind_nested_type_name(binder *b, const TypeName *name, data_type *out)
{
    TypeName element = *name;
    bind_modifier modifier;
    element.arrayBounds = NULL;
    TRY(guard_check());
    if (is_nested_word(name, "struct"))
        TRY(struct_type(b, name, out));
    else if (is_nested_word(name, "map"))
        TRY(nested_cast_map_type(b, name, out));
    else
        TRY(bind_type_name(b, &element, out, &modifier));
    for (size_t i = 0; i < list_length(name->arrayBounds); i++) {
        int32_t size = intVal(list_nth(name->arrayBounds, i));
        if (size == 0 || size > NESTED_SIZE_MAX)
            return bind_error(b, STATUS_KIND_INVALID, name->location,
                              "a list of a fixed size has 1 to %d elements, not %d",
                              NESTED_SIZE_MAX, size);
        TRY(bind_sized_type(b, *out, size < 0 ? 0 : (uint32_t)size, out));
    }
    return STATUS_OK;
}

/* ---- what two types have in common ---- */

static status common_child(binder *b, data_type left, data_type right, data_type *out, bool *is_one)
{
    if (type_is_nested(left) && type_is_nested(right))
        return bind_nested_common(b, left, right, out, is_one);
    *is_one = bind_common_type(left, right, out);
    return STATUS_OK;
}

static bool has_same_names(const nested_type *left, const nested_type *right)
{
    if (left->field_count != right->field_count)
        return false;
    for (uint32_t i = 0; i < left->field_count; i++)
        if (*left->fields[i].name && *right->fields[i].name &&
            strcasecmp(left->fields[i].name, right->fields[i].name) != 0)
            return false;
    return true;
}

status bind_nested_common(binder *b, data_type left, data_type right, data_type *out,
                          bool *out_is_one)
{
    *out = left;
    *out_is_one = type_equal(left, right);
    if (*out_is_one || left.id != right.id || !type_is_nested(left))
        return STATUS_OK;
    const nested_type *l = nested_type_of(left), *r = nested_type_of(right);
    if (!has_same_names(l, r))
        return STATUS_OK;
    nested_field *fields = arena_alloc_array(b->memory, (size_t)l->field_count + 1, sizeof *fields);
    if (!fields)
        return bind_no_memory();
    for (uint32_t i = 0; i < l->field_count; i++) {
        fields[i].name = *l->fields[i].name ? l->fields[i].name : r->fields[i].name;
        TRY(common_child(b, l->fields[i].type, r->fields[i].type, &fields[i].type, out_is_one));
        if (!*out_is_one)
            return STATUS_OK;
    }
    if (left.id == TYPE_LIST)
        return bind_sized_type(b, fields[0].type, l->size == r->size ? l->size : 0, out);
    return bind_nested_type(b, (type_id)left.id, fields, l->field_count, out);
}

bool bind_is_null_list(const expr *e)
{
    if (e->kind != EXPR_CALL || e->op != EXPR_LIST_VALUE)
        return false;
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (e->args[i]->kind != EXPR_CONSTANT || !e->args[i]->constant.is_null)
            return false;
    return true;
}

/* ---- structs side by side ---- */

static bool is_struct_like(const expr *e, const expr *first)
{
    return e->kind == EXPR_CALL && e->op == EXPR_STRUCT_PACK && e->arg_count == first->arg_count &&
           has_same_names(nested_type_of(e->type), nested_type_of(first->type));
}

/* Gives field number `field` of all structs one type. */
static status unite_field(binder *b, expr **structs, size_t count, uint32_t field, int32_t location,
                          data_type *out)
{
    expr **values = arena_alloc_array(b->memory, count + 1, sizeof *values);
    value null = value_null(type_make(TYPE_NULL));
    if (!values)
        return bind_no_memory();
    for (size_t i = 0; i < count; i++) {
        values[i] = structs[i]->args[field];
        if (values[i]->kind == EXPR_CONSTANT && values[i]->constant.is_null)
            TRY(bind_constant(b, &null, -1, &values[i]));
    }
    TRY(bind_coerce_all(b, values, count, location, "struct", out));
    for (size_t i = 0; i < count; i++)
        structs[i]->args[field] = values[i];
    return STATUS_OK;
}

status bind_unite_structs(binder *b, expr **args, size_t count, int32_t location)
{
    data_type type;
    if (count < 2 || args[0]->kind != EXPR_CALL || args[0]->op != EXPR_STRUCT_PACK)
        return STATUS_OK;
    for (size_t i = 0; i < count; i++)
        if (!is_struct_like(args[i], args[0]))
            return STATUS_OK;
    const nested_type *first = nested_type_of(args[0]->type);
    nested_field *fields =
        arena_alloc_array(b->memory, (size_t)first->field_count + 1, sizeof *fields);
    if (!fields)
        return bind_no_memory();
    for (uint32_t i = 0; i < first->field_count; i++) {
        fields[i].name = first->fields[i].name;
        TRY(unite_field(b, args, count, i, location, &fields[i].type));
    }
    TRY(bind_nested_type(b, TYPE_STRUCT, fields, first->field_count, &type));
    for (size_t i = 0; i < count; i++)
        args[i]->type = type;
    return STATUS_OK;
}

/* ---- parts ---- */

status bind_nested_field(binder *b, expr *e, uint32_t field, int32_t location, expr **out)
{
    expr *args[] = {e, NULL};
    value number = value_int(TYPE_INT64, field);
    TRY(bind_constant(b, &number, -1, &args[1]));
    return bind_call(b, EXPR_STRUCT_FIELD, nested_type_of(e->type)->fields[field].type, args, 2,
                     location, out);
}

status bind_new_parameter(binder *b, data_type type, int32_t location, expr **out)
{
    value id = value_int(TYPE_INT64, bind_new_id(b));
    expr *number;
    TRY(bind_constant(b, &id, -1, &number));
    return bind_call1(b, EXPR_LAMBDA_PARAMETER, type, number, location, out);
}

status bind_transform(binder *b, expr *list, expr *body, expr *const *parameters, size_t count,
                      int32_t location, expr **out)
{
    expr *args[4] = {NULL, body};
    data_type type;
    TRY(bind_open_list(b, list, location, &args[0]));
    for (size_t i = 0; i < count; i++)
        args[2 + i] = parameters[i];
    TRY(bind_list_type(b, body->type, &type));
    return bind_call(b, EXPR_LIST_TRANSFORM, type, args, 2 + (uint32_t)count, location, out);
}

/* ---- casts ---- */

/* Casts a part of the value at work: TRY_CAST gives NULL in the place of a part that fails. */
static status cast_part(binder *b, expr *arg, data_type type, int32_t location, expr **out)
{
    return (b->cast_part ? b->cast_part : bind_cast)(b, arg, type, location, out);
}

static status cast_list(binder *b, expr *arg, data_type type, int32_t location, expr **out)
{
    data_type from = nested_type_of(arg->type)->fields[0].type;
    data_type to = nested_type_of(type)->fields[0].type;
    expr *parameter, *body;
    if (bind_is_null_list(arg)) {
        for (uint32_t i = 0; i < arg->arg_count; i++)
            TRY(cast_part(b, arg->args[i], to, location, &arg->args[i]));
        return bind_call(b, EXPR_LIST_VALUE, type, arg->args, arg->arg_count, location, out);
    }
    TRY(bind_new_parameter(b, from, location, &parameter));
    TRY(cast_part(b, parameter, to, location, &body));
    TRY(bind_transform(b, arg, body, &parameter, 1, location, out));
    (*out)->type = type;
    return STATUS_OK;
}

/* Gives lists of another size NULL. */
static status try_sized(binder *b, expr *list, data_type type, int32_t location, expr **out)
{
    value size = value_int(TYPE_INT64, nested_type_size(type)), null = value_null(type);
    expr *copy = expr_copy(b->memory, list), *length, *wanted;
    expr *node = expr_new(b->memory, EXPR_CASE, type, 3, bind_position(b, location));
    if (!copy || !node)
        return bind_no_memory();
    TRY(bind_call1(b, EXPR_LIST_LENGTH, type_make(TYPE_INT64), copy, location, &length));
    TRY(bind_constant(b, &size, -1, &wanted));
    TRY(bind_call2(b, EXPR_EQ, type_make(TYPE_BOOL), length, wanted, location, &node->args[0]));
    TRY(bind_call1(b, EXPR_LIST_SIZED, type, list, location, &node->args[1]));
    TRY(bind_constant(b, &null, -1, &node->args[2]));
    node->is_nullable = true;
    *out = node;
    return STATUS_OK;
}

/* Casts to or from a list of a fixed size, by way of lists of any size; a list that is written out has its size now. */
static status cast_sized(binder *b, expr *arg, data_type type, int32_t location, expr **out)
{
    data_type list;
    TRY(bind_open_list(b, arg, location, &arg));
    TRY(bind_list_type(b, nested_type_of(type)->fields[0].type, &list));
    TRY(bind_cast(b, arg, list, location, out));
    if (!nested_type_size(type))
        return STATUS_OK;
    bool is_written = (*out)->kind == EXPR_CALL && (*out)->op == EXPR_LIST_VALUE;
    if (!is_written || (*out)->arg_count != nested_type_size(type))
        return b->cast_part ? try_sized(b, *out, type, location, out)
                            : bind_call1(b, EXPR_LIST_SIZED, type, *out, location, out);
    (*out)->type = type;
    return STATUS_OK;
}

/* The field that is called as field number i of the other, or stands in its place if one has no names; -1: there is none. */
static int matching_field(const nested_type *from, const nested_type *to, uint32_t i)
{
    if (!*to->fields[i].name || !*from->fields[0].name)
        return i < from->field_count ? (int)i : -1;
    for (uint32_t k = 0; k < from->field_count; k++)
        if (!strcasecmp(from->fields[k].name, to->fields[i].name))
            return (int)k;
    return -1;
}

static status cast_struct(binder *b, expr *arg, data_type type, int32_t location, expr **out)
{
    char text[2][TYPE_NAME_BYTES];
    const nested_type *from = nested_type_of(arg->type), *to = nested_type_of(type);
    expr **args = arena_alloc_array(b->memory, (size_t)to->field_count + 2, sizeof *args);
    bool has_match = false;
    if (!args)
        return bind_no_memory();
    args[0] = arg;
    for (uint32_t i = 0; i < to->field_count; i++) {
        int field = matching_field(from, to, i);
        value null = value_null(type_make(TYPE_NULL));
        expr *copy = expr_copy(b->memory, arg);
        if (!copy)
            return bind_no_memory();
        has_match |= field >= 0;
        if (field >= 0)
            TRY(bind_nested_field(b, copy, (uint32_t)field, location, &args[1 + i]));
        else
            TRY(bind_constant(b, &null, -1, &args[1 + i]));
        TRY(cast_part(b, args[1 + i], to->fields[i].type, location, &args[1 + i]));
    }
    if (!has_match)
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "cannot cast type %s to %s: they have no field in common",
                          type_name(arg->type, text[0]), type_name(type, text[1]));
    return bind_call(b, EXPR_STRUCT_LIKE, type, args, to->field_count + 1, location, out);
}

static status cast_map(binder *b, expr *arg, data_type type, int32_t location, expr **out)
{
    expr *parts[2];
    for (uint32_t k = 0; k < 2; k++) {
        data_type from, to;
        expr *copy = expr_copy(b->memory, arg);
        if (!copy)
            return bind_no_memory();
        TRY(bind_list_type(b, nested_type_of(arg->type)->fields[k].type, &from));
        TRY(bind_list_type(b, nested_type_of(type)->fields[k].type, &to));
        TRY(bind_call1(b, k ? EXPR_MAP_VALUES : EXPR_MAP_KEYS, from, copy, location, &parts[k]));
        TRY(cast_part(b, parts[k], to, location, &parts[k]));
    }
    return bind_call(b, EXPR_MAP, type, parts, 2, location, out);
}

/* ---- texts ---- */

static status text_type(binder *b, data_type type, data_type *out);

/* The type with texts in the place of all leaves. */
static status text_fields_type(binder *b, data_type type, data_type *out)
{
    const nested_type *nested = nested_type_of(type);
    nested_field *fields =
        arena_alloc_array(b->memory, (size_t)nested->field_count + 1, sizeof *fields);
    TRY(guard_check());
    if (!fields)
        return bind_no_memory();
    for (uint32_t i = 0; i < nested->field_count; i++) {
        fields[i].name = nested->fields[i].name;
        TRY(text_type(b, nested->fields[i].type, &fields[i].type));
    }
    return bind_nested_type(b, (type_id)type.id, fields, nested->field_count, out);
}

static status text_type(binder *b, data_type type, data_type *out)
{
    *out = type_make(TYPE_VARCHAR);
    return type_is_nested(type) ? text_fields_type(b, type, out) : STATUS_OK;
}

/* Takes a column of texts apart, and casts the parts. */
static status nested_cast_text(binder *b, expr *arg, data_type type, int32_t location, expr **out)
{
    data_type texts;
    TRY(text_type(b, type, &texts));
    TRY(bind_call1(b, b->cast_part ? EXPR_NESTED_TRY_OF_TEXT : EXPR_NESTED_OF_TEXT, texts, arg,
                   location, out));
    (*out)->is_nullable |= b->cast_part != NULL;
    return bind_cast(b, *out, type, location, out);
}

status bind_nested_cast(binder *b, expr *arg, data_type type, int32_t location, expr **out)
{
    char from[TYPE_NAME_BYTES], to[TYPE_NAME_BYTES];
    value null = value_null(type);
    TRY(guard_check());
    if (type_equal(arg->type, type)) {
        *out = arg;
        return STATUS_OK;
    }
    bind_note_type(b, arg, type);
    if (arg->type.id == TYPE_NULL || (arg->kind == EXPR_CONSTANT && arg->constant.is_null))
        return bind_constant(b, &null, location, out);
    if (nested_type_size(type) || (nested_type_size(arg->type) && type.id == TYPE_LIST))
        return cast_sized(b, arg, type, location, out);
    if (type.id == TYPE_VARCHAR)
        return bind_call1(b, EXPR_NESTED_TEXT, type, arg, location, out);
    if (bind_is_literal(arg) && !b->cast_part)
        return bind_nested_literal(b, arg, type, location, out);
    if (arg->type.id == TYPE_LIST && type.id == TYPE_LIST)
        return cast_list(b, arg, type, location, out);
    if (arg->type.id == TYPE_STRUCT && type.id == TYPE_STRUCT)
        return cast_struct(b, arg, type, location, out);
    if (arg->type.id == TYPE_MAP && type.id == TYPE_MAP)
        return cast_map(b, arg, type, location, out);
    if (arg->type.id == TYPE_VARCHAR)
        return nested_cast_text(b, arg, type, location, out);
    return bind_error(b, STATUS_KIND_INVALID, location, "cannot cast type %s to %s",
                      type_name(arg->type, from), type_name(type, to));
}
