/* bind_scope.c - what the items of FROM bring into scope: relations and their columns; which functions are
 * items of FROM. */
#include "sql/binder.h"

#include <strings.h>

status bind_add_scope(binder *b, bind_scope *scope, const bind_scope *from)
{
    for (size_t i = 0; i < from->entries.count; i++)
        TRY(array_push(b->memory, &scope->entries, from->entries.items[i]));
    for (size_t i = 0; i < from->relations.count; i++) {
        for (size_t j = 0; j < scope->relations.count; j++)
            if (!strcmp(scope->relations.items[j], from->relations.items[i]))
                return status_hint(bind_error(b, STATUS_KIND_INVALID, -1,
                                              "table name \"%s\" specified more than once",
                                              from->relations.items[i]),
                                   "give one of them an alias");
        TRY(array_push(b->memory, &scope->relations, from->relations.items[i]));
    }
    return STATUS_OK;
}

status bind_add_relation(binder *b, bind_scope *scope, const plan_node *node, const char *name,
                         const PgQuery__Alias *alias, int32_t location)
{
    bind_scope added = {0};
    size_t renamed = alias ? alias->n_colnames : 0;
    if (alias)
        name = alias->aliasname;
    if (renamed > node->columns.count)
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "table \"%s\" has %zu columns but %zu names", name, node->columns.count,
                          renamed);
    for (size_t i = 0; i < node->columns.count; i++) {
        const plan_column *column = &node->columns.items[i];
        bind_entry entry = {.relation = name,
                            .name = i < renamed ? alias->colnames[i]->string->sval : column->name,
                            .id = column->id,
                            .type = column->type,
                            .is_nullable = column->is_nullable};
        TRY(array_push(b->memory, &added.entries, entry));
    }
    if (name)
        TRY(array_push(b->memory, &added.relations, name));
    status st = bind_add_scope(b, scope, &added);
    int32_t position = bind_position(b, location);
    return st && position >= 0 ? status_at(st, position) : st;
}

bool bind_is_series(const char *name)
{
    return !strcasecmp(name, "generate_series") || !strcasecmp(name, "range");
}
