/* nested_operator.c - see nested_operator.h. */
#include "sql/types/nested_operator.h"

#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/nested_cast.h"

status bind_list_of(binder *b, expr **items, size_t count, int32_t location, expr **out)
{
    data_type element = type_make(TYPE_INT32), type;
    bool is_null = true;
    for (size_t i = 0; i < count; i++)
        is_null &= items[i]->type.id == TYPE_NULL;
    if (count >= UINT32_MAX)
        return bind_unsupported(b, location, "a list of more than 4,294,967,294 items is");
    for (size_t i = 0; is_null && i < count; i++)
        TRY(bind_cast(b, items[i], element, location, &items[i]));
    if (!is_null)
        TRY(bind_coerce_values(b, items, count, location, "list", &element));
    TRY(bind_list_type(b, element, &type));
    return bind_call(b, EXPR_LIST_VALUE, type, items, (uint32_t)count, location, out);
}

status bind_lists_joined(binder *b, expr **lists, size_t count, int32_t location, expr **out)
{
    data_type type;
    TRY(bind_coerce_all(b, lists, count, location, "list", &type));
    return bind_call(b, EXPR_LIST_CONCAT, type, lists, (uint32_t)count, location, out);
}

status bind_list_and_element(binder *b, expr **list, expr **element, int32_t location,
                             const char *what)
{
    expr *one = *element, *pair[2];
    data_type type;
    if ((*list)->type.id != TYPE_LIST) {
        char name[TYPE_NAME_BYTES];
        return bind_error(b, STATUS_KIND_INVALID, location, "%s must be a list, not %s", what,
                          type_name((*list)->type, name));
    }
    TRY(bind_open_list(b, *list, location, list));
    TRY(bind_list_of(b, &one, 1, location, &pair[1]));
    pair[0] = *list;
    TRY(bind_coerce_all(b, pair, 2, location, what, &type));
    *list = pair[0];
    return bind_cast(b, *element, nested_type_of(type)->fields[0].type, location, element);
}

/* x || y: NULL if one is; of a list and an element, too. */
static status nested_operator_join_pair(binder *b, expr *left, expr *right, int32_t location,
                                        expr **out)
{
    expr *lists[] = {left, right};
    data_type type;
    for (int i = 0; i < 2; i++)
        if (lists[i]->type.id != TYPE_LIST && !bind_is_literal(lists[i]))
            TRY(bind_list_of(b, &lists[i], 1, location, &lists[i]));
        else
            TRY(bind_open_list(b, lists[i], location, &lists[i]));
    TRY(bind_coerce_all(b, lists, 2, location, "||", &type));
    return bind_call(b, EXPR_LIST_JOIN, type, lists, 2, location, out);
}

status bind_list_operator(binder *b, const char *name, expr *left, expr *right, int32_t location,
                          bool *out_done, expr **out)
{
    expr *both[] = {left, right};
    data_type type;
    bool is_list = left->type.id == TYPE_LIST || right->type.id == TYPE_LIST;
    bool is_swapped = !strcmp(name, "<@");
    *out_done = is_list &&
                (!strcmp(name, "||") || !strcmp(name, "&&") || !strcmp(name, "@>") || is_swapped);
    if (!*out_done)
        return STATUS_OK;
    if (!strcmp(name, "||"))
        return nested_operator_join_pair(b, left, right, location, out);
    TRY(bind_coerce_all(b, both, 2, location, name, &type));
    return bind_call2(b, !strcmp(name, "&&") ? EXPR_LIST_HAS_ANY : EXPR_LIST_HAS_ALL,
                      type_make(TYPE_BOOL), both[is_swapped], both[!is_swapped], location, out);
}
