/* bind_scope.h - the names that items of FROM bring, and looking them up. */
#ifndef PISTACHIO_SQL_EXPRESSION_BIND_SCOPE_H
#define PISTACHIO_SQL_EXPRESSION_BIND_SCOPE_H

#include "sql/types/binder.h"

/* Adds a notice that the nested columns are left out, unless there are none. */
CHECKED status bind_note_nested(binder *b, const bind_name_list *names);
/* The node's columns under the name of a relation (NULL: none), renamed as the alias says. */
CHECKED status bind_add_relation(binder *b, bind_scope *scope, const plan_node *node,
                                 const char *name, const Alias *alias, int32_t location);
/* Adds the columns as bind_add_relation does, those of a table whose schema is known. */
CHECKED status bind_add_table(binder *b, bind_scope *scope, const plan_node *node,
                              const bind_relation *of, const Alias *alias, int32_t location);
/* Returns the table of this scope alone that the first `parts` of a name mean: schema.table, catalog.table or
 * catalog.schema.table; NULL: there is none. */
const bind_relation *bind_find_relation(const bind_scope *scope, const List *name, size_t parts);
/* Adds the nested columns of the table that the node scans; of several, of the first. */
CHECKED status bind_add_nested(binder *b, bind_scope *scope, const plan_node *node,
                               const char *relation);
/* Makes the table of a scope of many entries; called before names or ids are looked up in it. */
CHECKED status bind_scope_tabulate(binder *b, bind_scope *scope);
/* Goes through the numbers of entries that may have the name, or id: returns the first one from `from` on, or
 * the number of entries. Without a table all may. */
size_t bind_scope_named(const bind_scope *scope, const char *name, size_t from);
size_t bind_scope_with_id(const bind_scope *scope, uint32_t id, size_t from);
/* Adds all that `from` has after what `scope` has. */
CHECKED status bind_add_scope(binder *b, bind_scope *scope, const bind_scope *from);
/* Calls whose values an expression has. */
typedef struct bind_calls {
    bool has_aggregate, has_window;
} bind_calls;
bind_calls bind_find_calls(const bind_scope *scope, expr *e);
/* generate_series and range. */
bool bind_is_series(const char *name);

#endif
