/* nested_literal.c - see nested_literal.h. Parts are cast by themselves. */
#include "sql/types/nested_literal.h"

#include "base/system/guard.h"
#include "base/text/nested_scan.h"
#include "base/type/nested_type.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/nested_cast.h"

/* The values of the parts, by the field that they are of. */
typedef struct literal_parts {
    binder *b;
    const nested_type *type;
    int32_t location;
    expr_list *fields;
} literal_parts;

static status add_literal(void *context, uint32_t field, const nested_part *part)
{
    const literal_parts *to = context;
    data_type type = to->type->fields[field].type;
    char *text = arena_alloc(to->b->memory, part->bytes + 1);
    value v = value_null(type_make(TYPE_NULL));
    expr *e;
    if (!text)
        return bind_no_memory();
    size_t bytes = nested_part_text(part, type_is_nested(type), text);
    text[bytes] = 0;
    if (!part->is_null)
        v = value_text(text, bytes);
    TRY(bind_constant(to->b, &v, to->location, &e));
    TRY(bind_cast(to->b, e, type, to->location, &e));
    return array_push(to->b->memory, &to->fields[field], e);
}

static status make_struct(const literal_parts *from, data_type type, expr **out)
{
    binder *b = from->b;
    uint32_t count = from->type->field_count;
    expr **args = arena_alloc_array(b->memory, (size_t)count + 1, sizeof *args);
    if (!args)
        return bind_no_memory();
    for (uint32_t i = 0; i < count; i++) {
        const expr_list *given = &from->fields[i];
        value null = value_null(from->type->fields[i].type);
        if (given->count)
            args[i] = given->items[given->count - 1];
        else
            TRY(bind_constant(b, &null, from->location, &args[i]));
    }
    return bind_call(b, EXPR_STRUCT_PACK, type, args, count, from->location, out);
}

static status nested_literal_make_list(const literal_parts *from, uint32_t field, expr **out)
{
    data_type list;
    const expr_list *items = &from->fields[field];
    TRY(bind_list_type(from->b, from->type->fields[field].type, &list));
    return bind_call(from->b, EXPR_LIST_VALUE, list, items->items, (uint32_t)items->count,
                     from->location, out);
}

static status nested_literal_make_map(const literal_parts *from, data_type type, expr **out)
{
    expr *lists[2];
    for (uint32_t k = 0; k < 2; k++)
        TRY(nested_literal_make_list(from, k, &lists[k]));
    return bind_call(from->b, EXPR_MAP, type, lists, 2, from->location, out);
}

status bind_nested_literal(binder *b, const expr *literal, data_type type, int32_t location,
                           expr **out)
{
    literal_parts parts = {.b = b, .type = nested_type_of(type), .location = location};
    TRY(guard_check());
    parts.fields =
        arena_alloc_array(b->memory, (size_t)parts.type->field_count + 1, sizeof *parts.fields);
    if (!parts.fields)
        return bind_no_memory();
    status st = nested_scan_parts(type, literal->constant.text, literal->constant.bytes,
                                  (nested_parts){add_literal, &parts});
    int32_t position = bind_position(b, location);
    if (st)
        return position < 0 ? st : status_at(st, position);
    return type.id == TYPE_LIST     ? nested_literal_make_list(&parts, 0, out)
           : type.id == TYPE_STRUCT ? make_struct(&parts, type, out)
                                    : nested_literal_make_map(&parts, type, out);
}
