/* bind_owner.h - the query that an aggregate call belongs to. */
#ifndef PISTACHIO_SQL_EXPRESSION_BIND_OWNER_H
#define PISTACHIO_SQL_EXPRESSION_BIND_OWNER_H

#include "sql/types/binder.h"

/* Fails if no aggregate may be called in the scope. */
CHECKED status bind_check_aggregate_place(binder *b, const FuncCall *call, const bind_scope *scope);

/* Parts of a call, and the query that they belong to: of the queries whose columns they name the innermost. */
typedef struct bind_owner {
    bind_scope *scope; /* where the call is; then its owner's */
    uint32_t depth;    /* queries between the two, and a column of the owner: of bind_owner_note */
    uint32_t column_id;
    bool has_column;
} bind_owner;

CHECKED status bind_owner_begin(binder *b, bind_scope *scope, bind_owner *out);
/* Takes in a part, which may be NULL. */
void bind_owner_note(bind_owner *owner, const expr *part);
/* Sets owner->scope to the owner's. Fails if that query cannot have an aggregate where the call is. */
CHECKED status bind_owner_end(binder *b, const FuncCall *call, bind_owner *owner);
/* Notes the column that the call has become. */
CHECKED status bind_owner_keep(binder *b, const bind_owner *owner, uint32_t column_id);
/* Returns whether a column is a call of a query whose columns are older than an id. */
bool bind_owner_is_older(const binder *b, uint32_t column_id, uint32_t first_own_id);

#endif
