/* bind_item.c - items of the select list that WHERE names. */
#include "sql/expression/bind_item.h"

#include "plan/tree/function.h"
#include "sql/expression/bind_expr.h"

#include <strings.h>

status bind_item(binder *b, bind_scope *scope, const char *name, int32_t location, expr **out)
{
    size_t count = scope->item_count;
    for (size_t i = 0; i < count; i++) {
        const ResTarget *item = castNode(ResTarget, list_nth(scope->items, i));
        if (!item->name || strcasecmp(item->name, name) != 0)
            continue;
        scope->item_count = i;
        TRY(bind_expr(b, item->val, scope, out));
        scope->item_count = count;
        if (expr_is_volatile(*out))
            return status_hint(
                bind_error(b, STATUS_KIND_UNSUPPORTED, location,
                           "\"%s\" in %s is not supported, as its value is another one each time",
                           name, scope->clause),
                "select it in a subquery, and put the condition around it");
        return STATUS_OK;
    }
    return STATUS_OK;
}
