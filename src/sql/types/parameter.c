/* parameter.c - parameters get values and types.
 *
 * What is bound in the place of one is its value, a constant as if it had been written there, or, while types are asked
 * for, a NULL whose first cast is its type. */
#include "sql/types/parameter.h"

#include "base/type/nested_type.h"
#include "sql/text/text_parameter.h"
#include "sql/types/bind_type.h"
#include "sql/types/binder.h"

static const char *parameter_name(const binder *b, uint32_t number)
{
    const char *name = b->text->parameter_names.items[number];
    return name ? arena_format(b->memory, "$%s", name)
                : arena_format(b->memory, "$%u", (unsigned)number + 1);
}

/* Keeps a nested type as long as the statement. */
static status keep_type(binder *b, data_type type)
{
    nested_type_hold(type);
    return nested_type_keep(b->memory, type);
}

/* Returns what stands for a parameter while types are asked for: NULL, of the type that it is declared to have. A text
 * becomes what its place asks for, as its value will. */
static value described_value(const bind_parameters *p, uint32_t number)
{
    data_type type = number < p->declared_count ? p->declared[number] : type_make(TYPE_NULL);
    if (type_is_text(type))
        type = type_make(TYPE_NULL);
    return value_null(type);
}

static status bind_described(binder *b, uint32_t number, const sql_parameter *parameter, expr **out)
{
    bind_parameters *p = b->parameters;
    value v = described_value(p, number);
    TRY(keep_type(b, v.type));
    if (p->types[number].id == TYPE_NULL)
        p->types[number] = v.type;
    TRY(bind_constant(b, &v, parameter->position, out));
    return array_push(b->memory, &p->places, ((bind_parameter_place){*out, number}));
}

/* Binds a nested value, whose text is that of a literal. */
static status bind_nested_value(binder *b, const value *v, int32_t position, expr **out)
{
    value text = value_text(v->text, v->bytes);
    TRY(keep_type(b, v->type));
    TRY(bind_constant(b, &text, position, out));
    return bind_cast(b, *out, v->type, position, out);
}

status bind_parameter(binder *b, const ParamRef *tree, expr **out)
{
    sql_parameter *parameter = sql_text_parameter(b->text, tree->location);
    if (!parameter)
        return bind_unsupported(b, tree->location, "a parameter in this place is");
    bind_parameters *p = b->parameters;
    uint32_t number = parameter->number;
    parameter->is_bound = true;
    if (!p->is_described && number >= p->count) {
        const char *name = parameter_name(b, number);
        return status_hint(bind_error(b, STATUS_KIND_INVALID, parameter->position,
                                      "parameter %s has no value", name ? name : "?"),
                           "a client gives it one (docs/CLIENTS.md), or EXECUTE");
    }
    if (p->is_described)
        return bind_described(b, number, parameter, out);
    value v = p->values[number];
    if ((type_is_text(v.type) || type_is_nested(v.type)) && !v.is_null) {
        v.text = arena_copy_text(b->memory, v.text, v.bytes);
        if (!v.text)
            return status_no_memory("parameter", v.bytes);
    }
    if (type_is_nested(v.type) && !v.is_null)
        return bind_nested_value(b, &v, parameter->position, out);
    return bind_constant(b, &v, parameter->position, out);
}

void bind_note_type(binder *b, const expr *e, data_type type)
{
    bind_parameters *p = b->parameters;
    for (size_t i = 0; i < p->places.count; i++) {
        data_type *known = &p->types[p->places.items[i].number];
        if (p->places.items[i].e == e && known->id == TYPE_NULL)
            *known = type;
    }
}

status bind_check_parameters(binder *b)
{
    for (size_t i = 0; i < b->text->parameters.count; i++) {
        const sql_parameter *parameter = &b->text->parameters.items[i];
        if (!parameter->is_bound)
            return bind_error(b, STATUS_KIND_INVALID, parameter->position,
                              "a parameter stands only where a value can be");
    }
    return STATUS_OK;
}
