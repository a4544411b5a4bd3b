/* nested_make.c - lists, structs, maps and parts of them. */
#include "sql/function/nested_make.h"

#include "sql/function/nested_function.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/nested_cast.h"
#include "sql/types/nested_operator.h"

#include <strings.h>

/* ---- made ---- */

status bind_list_value(const function_call *c, expr_op op, expr **out)
{
    (void)op;
    TRY(bind_list_of(c->b, c->args, c->count, c->tree->location, out));
    if (strcmp(c->name, "array_value") != 0)
        return STATUS_OK;
    if (!c->count || c->count > NESTED_SIZE_MAX)
        return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                          "function \"array_value\" takes 1 to %d elements, not %zu",
                          NESTED_SIZE_MAX, c->count);
    return bind_sized_type(c->b, nested_type_of((*out)->type)->fields[0].type, (uint32_t)c->count,
                           &(*out)->type);
}

status nested_struct_of(binder *b, expr *const *fields, const char *const *names, size_t count,
                        int32_t location, expr **out)
{
    data_type type, integer = type_make(TYPE_INT32);
    nested_field *types = arena_alloc_array(b->memory, count + 1, sizeof *types);
    expr **args = arena_alloc_array(b->memory, count + 1, sizeof *args);
    if (!types || !args)
        return bind_no_memory();
    if (!count)
        return bind_error(b, STATUS_KIND_INVALID, location, "a struct needs a field");
    for (size_t i = 0; i < count; i++) {
        args[i] = fields[i];
        if (args[i]->type.id == TYPE_NULL)
            TRY(bind_cast(b, args[i], integer, location, &args[i]));
        types[i] = (nested_field){names ? names[i] : "", args[i]->type};
        for (size_t k = 0; names && k < i; k++)
            if (!strcasecmp(names[i], names[k]))
                return bind_error(b, STATUS_KIND_INVALID, location,
                                  "a struct has two fields \"%s\"", names[i]);
    }
    TRY(bind_nested_type(b, TYPE_STRUCT, types, count, &type));
    return bind_call(b, EXPR_STRUCT_PACK, type, args, (uint32_t)count, location, out);
}

bool nested_takes_names(const char *name)
{
    return !strcmp(name, "struct_pack") || !strcmp(name, "struct_insert") ||
           !strcmp(name, "struct_update");
}

status nested_argument_names(const function_call *c, size_t first, const char ***out)
{
    const char **names = arena_alloc_array(c->b->memory, c->count + 1, sizeof *names);
    *out = names;
    if (!names)
        return bind_no_memory();
    for (size_t i = first; i < c->count; i++) {
        const pg_node *node = list_nth(c->tree->args, i);
        if (IsA(node, NamedArgExpr))
            names[i - first] = castNode(NamedArgExpr, node)->name;
        else if (c->args[i]->name)
            names[i - first] = c->args[i]->name;
        else
            return status_hint(bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                                          "argument %zu of function \"%s\" has no name", i + 1,
                                          c->name),
                               "write name := value");
    }
    return STATUS_OK;
}

status bind_struct_pack(const function_call *c, expr_op op, expr **out)
{
    const char **names = NULL;
    (void)op;
    if (strcmp(c->name, "row") != 0)
        TRY(nested_argument_names(c, 0, &names));
    return nested_struct_of(c->b, c->args, names, c->count, c->tree->location, out);
}

status bind_struct_insert(const function_call *c, expr **out)
{
    char text[TYPE_NAME_BYTES];
    const char **added;
    expr *s = c->args[0];
    if (s->type.id != TYPE_STRUCT)
        return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                          "argument 1 of function \"%s\" must be a struct, not %s", c->name,
                          type_name(s->type, text));
    const nested_type *type = nested_type_of(s->type);
    size_t count = type->field_count + c->count - 1;
    expr **fields = arena_alloc_array(c->b->memory, count + 1, sizeof *fields);
    const char **names = arena_alloc_array(c->b->memory, count + 1, sizeof *names);
    if (!fields || !names)
        return bind_no_memory();
    TRY(nested_argument_names(c, 1, &added));
    for (uint32_t i = 0; i < type->field_count; i++) {
        expr *copy = expr_copy(c->b->memory, s);
        if (!copy)
            return bind_no_memory();
        names[i] = type->fields[i].name;
        TRY(bind_nested_field(c->b, copy, i, c->tree->location, &fields[i]));
    }
    for (size_t i = 1; i < c->count; i++) {
        names[type->field_count + i - 1] = added[i - 1];
        fields[type->field_count + i - 1] = c->args[i];
    }
    return nested_struct_of(c->b, fields, names, count, c->tree->location, out);
}

status bind_map(const function_call *c, expr_op op, expr **out)
{
    expr *parts[2];
    nested_field fields[2] = {{"key", {0}}, {"value", {0}}};
    data_type type;
    if (c->count == 1)
        return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                          "function \"%s\" takes a list of keys and a list of values", c->name);
    for (size_t i = 0; i < 2; i++) {
        if (c->count)
            TRY(nested_require_list(c, i));
        else
            TRY(bind_list_of(c->b, NULL, 0, c->tree->location, &parts[i]));
        parts[i] = c->count ? c->args[i] : parts[i];
        fields[i].type = nested_type_of(parts[i]->type)->fields[0].type;
    }
    TRY(bind_nested_type(c->b, TYPE_MAP, fields, 2, &type));
    return bind_call(c->b, op, type, parts, 2, c->tree->location, out);
}

/* The type that bins of values are computed in; false: they have none. */
static bool bins_type(data_type type, data_type *out)
{
    if (type_is_integer(type) || type.id == TYPE_NULL)
        *out = type_make(TYPE_INT64);
    else if (type_is_numeric(type))
        *out = type_make(TYPE_DOUBLE);
    else if (type.id == TYPE_DATE || type.id == TYPE_TIMESTAMP)
        *out = type_make(TYPE_TIMESTAMP);
    else
        return false;
    return true;
}

status bind_equi_width_bins(const function_call *c, expr_op op, expr **out)
{
    char name[TYPE_NAME_BYTES];
    int32_t location = c->tree->location;
    data_type types[2], made, wanted = c->args[1]->type;
    for (size_t i = 0; i < 2; i++)
        if (!bins_type(c->args[i]->type, &types[i]))
            return bind_error(c->b, STATUS_KIND_INVALID, location,
                              "argument %zu of function \"%s\" must be a number, date or "
                              "timestamp, not %s",
                              i + 1, c->name, type_name(c->args[i]->type, name));
    if (types[0].id > types[1].id)
        types[1] = types[0];
    for (size_t i = 0; i < 2; i++)
        TRY(bind_cast(c->b, c->args[i], types[1], location, &c->args[i]));
    TRY(bind_cast(c->b, c->args[2], type_make(TYPE_INT64), location, &c->args[2]));
    TRY(bind_cast(c->b, c->args[3], type_make(TYPE_BOOL), location, &c->args[3]));
    TRY(bind_list_type(c->b, types[1], &made));
    TRY(bind_call(c->b, op, made, c->args, 4, location, out));
    if (wanted.id == TYPE_DECIMAL || wanted.id == TYPE_NULL)
        return STATUS_OK;
    TRY(bind_list_type(c->b, wanted, &made));
    return bind_cast(c->b, *out, made, location, out);
}

/* ---- parts ---- */

static int field_of(const nested_type *type, const char *name)
{
    for (uint32_t i = 0; i < type->field_count; i++)
        if (!strcmp(type->fields[i].name, name))
            return (int)i;
    for (uint32_t i = 0; i < type->field_count; i++)
        if (!strcasecmp(type->fields[i].name, name))
            return (int)i;
    return -1;
}

static status no_such_field(binder *b, const nested_type *type, const char *name, int32_t location)
{
    const char **names = arena_alloc_array(b->memory, (size_t)type->field_count + 1, sizeof *names);
    if (!names)
        return bind_no_memory();
    for (uint32_t i = 0; i < type->field_count; i++)
        names[i] = type->fields[i].name;
    return bind_suggest(
        bind_error(b, STATUS_KIND_NOT_FOUND, location, "the struct has no field \"%s\"", name),
        name, names, type->field_count);
}

status nested_field_of(binder *b, expr *e, const char *name, int32_t location, expr **out)
{
    char text[TYPE_NAME_BYTES];
    if (e->type.id != TYPE_STRUCT)
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "field \"%s\" of a value of type %s, which is not a struct", name,
                          type_name(e->type, text));
    const nested_type *type = nested_type_of(e->type);
    int field = field_of(type, name);
    if (field < 0)
        return no_such_field(b, type, name, location);
    return bind_nested_field(b, e, (uint32_t)field, location, out);
}

static status field_by_number(binder *b, expr *e, const expr *index, int32_t location, expr **out)
{
    uint32_t count = nested_type_of(e->type)->field_count;
    if (index->kind != EXPR_CONSTANT || index->constant.is_null || !type_is_integer(index->type))
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "a field of a struct needs a constant, its name or number");
    int128 number = value_int128(&index->constant);
    if (number < 1 || number > count)
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "the struct has %u fields, and not a number %lld", count,
                          (long long)number);
    return bind_nested_field(b, e, (uint32_t)number - 1, location, out);
}

static status element_of(binder *b, expr *e, expr *number, int32_t location, expr **out)
{
    char text[TYPE_NAME_BYTES];
    expr *args[] = {e, number};
    if (e->type.id != TYPE_LIST)
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "an element by its number of a value of type %s, which is not a list",
                          type_name(e->type, text));
    TRY(bind_cast(b, number, type_make(TYPE_INT64), location, &args[1]));
    return bind_call(b, EXPR_LIST_ELEMENT, nested_type_of(e->type)->fields[0].type, args, 2,
                     location, out);
}

static status value_of_key(binder *b, expr *e, expr *key, int32_t location, expr **out)
{
    const nested_type *type = nested_type_of(e->type);
    TRY(bind_coerce(b, key, type->fields[0].type, location, "a map's key", &key));
    return bind_call2(b, EXPR_MAP_VALUE, type->fields[1].type, e, key, location, out);
}

/* A text's character by its number, or from the end by -1. */
static status character_of(binder *b, expr *e, expr *number, int32_t location, expr **out)
{
    value one = value_int(TYPE_INT64, 1);
    expr *args[] = {e, number, NULL};
    TRY(bind_cast(b, e, type_make(TYPE_VARCHAR), location, &args[0]));
    TRY(bind_cast(b, number, type_make(TYPE_INT64), location, &args[1]));
    TRY(bind_constant(b, &one, -1, &args[2]));
    return bind_call(b, EXPR_SUBSTRING, type_make(TYPE_VARCHAR), args, 3, location, out);
}

status nested_subscript(binder *b, expr *e, expr *index, int32_t location, expr **out)
{
    bool is_name =
        index->kind == EXPR_CONSTANT && !index->constant.is_null && index->type.id == TYPE_VARCHAR;
    if (e->type.id == TYPE_VARCHAR)
        return character_of(b, e, index, location, out);
    if (e->type.id == TYPE_MAP)
        return value_of_key(b, e, index, location, out);
    if (e->type.id != TYPE_STRUCT)
        return element_of(b, e, index, location, out);
    if (!is_name)
        return field_by_number(b, e, index, location, out);
    const char *name = arena_copy_text(b->memory, index->constant.text, index->constant.bytes);
    return name ? nested_field_of(b, e, name, location, out) : bind_no_memory();
}

status bind_nested_part(const function_call *c, expr_op op, expr **out)
{
    char text[TYPE_NAME_BYTES];
    data_type type = c->args[0]->type;
    const char *wanted = op == EXPR_MAP_VALUE      ? "map"
                         : op == EXPR_STRUCT_FIELD ? "struct"
                                                   : "list, struct or map";
    bool fits = op == EXPR_MAP_VALUE      ? type.id == TYPE_MAP
                : op == EXPR_STRUCT_FIELD ? type.id == TYPE_STRUCT
                                          : type_is_nested(type) || type.id == TYPE_VARCHAR;
    if (type.id == TYPE_NULL && op == EXPR_MAP_VALUE)
        return bind_cast(c->b, c->args[0], type_make(TYPE_INT32), c->tree->location, out);
    if (!fits)
        return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                          "argument 1 of function \"%s\" must be a %s, not %s", c->name, wanted,
                          type_name(type, text));
    return nested_subscript(c->b, c->args[0], c->args[1], c->tree->location, out);
}

status bind_map_extract(const function_call *c, expr **out)
{
    expr *found, *is_there, *list, *none;
    data_type boolean = type_make(TYPE_BOOL);
    int32_t location = c->tree->location;
    if (c->args[0]->type.id == TYPE_NULL) {
        data_type type;
        TRY(bind_list_type(c->b, type_make(TYPE_INT32), &type));
        return bind_cast(c->b, c->args[0], type, location, out);
    }
    TRY(bind_nested_part(c, EXPR_MAP_VALUE, &found));
    TRY(bind_list_of(c->b, &found, 1, location, &list));
    TRY(bind_call1(c->b, EXPR_IS_NOT_NULL, boolean, found, location, &is_there));
    TRY(bind_list_of(c->b, &is_there, 1, location, &none));
    TRY(bind_call2(c->b, EXPR_LIST_WHERE, list->type, list, none, location, &list));
    /* of NULL it is NULL, and not empty */
    expr *nothing, *choice = expr_new(c->b->memory, EXPR_CASE, list->type, 3, list->position);
    expr *copy = expr_copy(c->b->memory, c->args[0]);
    value null = value_null(type_make(TYPE_NULL));
    if (!choice || !copy)
        return bind_no_memory();
    TRY(bind_call1(c->b, EXPR_IS_NOT_NULL, boolean, copy, location, &choice->args[0]));
    TRY(bind_constant(c->b, &null, -1, &nothing));
    TRY(bind_cast(c->b, nothing, list->type, location, &choice->args[2]));
    choice->args[1] = list;
    choice->is_nullable = true;
    *out = choice;
    return STATUS_OK;
}
