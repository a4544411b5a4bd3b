/* bind_item.h - items of the select list in WHERE, which is bound before the list is. */
#ifndef PISTACHIO_SQL_EXPRESSION_BIND_ITEM_H
#define PISTACHIO_SQL_EXPRESSION_BIND_ITEM_H

#include "sql/types/binder.h"

/* Binds the first of scope->items that has the name, whose own names are columns, or items before it; *out NULL: none of the
 * first item_count has it. A bind_scope's bind_item. */
CHECKED status bind_item(binder *b, bind_scope *scope, const char *name, int32_t location,
                         expr **out);

#endif
