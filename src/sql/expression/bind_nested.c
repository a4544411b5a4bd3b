/* bind_nested.c - see bind_nested.h. */
#include "sql/expression/bind_nested.h"

#include "base/nested_type.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"

#include <strings.h>

static int find_field(const nested_type *type, const char *name)
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

status bind_struct_field(binder *b, expr *e, const char *name, int32_t location, expr **out)
{
    char text[TYPE_NAME_BYTES];
    if (e->type.id != TYPE_STRUCT)
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "field \"%s\" of a value of type %s, which is not a struct", name,
                          type_name(e->type, text));
    const nested_type *type = nested_type_of(e->type);
    int field = find_field(type, name);
    if (field < 0)
        return no_such_field(b, type, name, location);
    expr *args[] = {e, NULL};
    value number = value_int(TYPE_INT64, field);
    TRY(bind_constant(b, &number, -1, &args[1]));
    return bind_call(b, EXPR_STRUCT_FIELD, type->fields[field].type, args, 2, location, out);
}

static status bind_element(binder *b, expr *e, expr *number, int32_t location, expr **out)
{
    char text[TYPE_NAME_BYTES];
    expr *args[] = {e, number};
    if (e->type.id != TYPE_LIST)
        return bind_error(b, STATUS_KIND_UNSUPPORTED, location,
                          "an element by its number of a value of type %s is not supported",
                          type_name(e->type, text));
    TRY(bind_cast(b, number, type_make(TYPE_INT64), location, &args[1]));
    return bind_call(b, EXPR_LIST_ELEMENT, nested_type_of(e->type)->fields[0].type, args, 2,
                     location, out);
}

/* The text of a constant; NULL: it is not one. */
static const char *constant_text(binder *b, const expr *e)
{
    if (e->kind != EXPR_CONSTANT || e->constant.is_null || e->type.id != TYPE_VARCHAR)
        return NULL;
    return arena_copy_text(b->memory, e->constant.text, e->constant.bytes);
}

status bind_subscript(binder *b, expr *e, expr *index, int32_t location, expr **out)
{
    const char *name = constant_text(b, index);
    if (e->type.id == TYPE_STRUCT && name)
        return bind_struct_field(b, e, name, location, out);
    return bind_element(b, e, index, location, out);
}

status bind_nested_call(const function_call *c, expr_op op, expr **out)
{
    char text[TYPE_NAME_BYTES];
    int32_t location = c->tree->location;
    if (op == EXPR_STRUCT_FIELD || op == EXPR_LIST_ELEMENT)
        return bind_subscript(c->b, c->args[0], c->args[1], location, out);
    if (c->args[0]->type.id != TYPE_LIST && c->args[0]->type.id != TYPE_MAP)
        return bind_error(c->b, STATUS_KIND_INVALID, location,
                          "argument 1 of function \"%s\" must be a list or a map, not %s", c->name,
                          type_name(c->args[0]->type, text));
    return bind_call1(c->b, op, type_make(TYPE_INT64), c->args[0], location, out);
}
