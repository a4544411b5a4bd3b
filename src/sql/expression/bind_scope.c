/* bind_scope.c - what the items of FROM bring into scope: relations and their columns; which functions are
 * items of FROM. */
#include "sql/expression/bind_scope.h"

#include "base/unique_names.h"
#include "plan/nodes/visit.h"
#include "sql/types/binder.h"

#include <strings.h>

/* ---- looking entries up ---- */

/* Fewer are looked at one by one. */
#define TABLE_ENTRIES_MIN 32
/* A name that the scanner has cut begins with so many bytes of the whole one (bind_name.c). */
#define HASHED_BYTES 60

/* Returns one hash for names that are equal but for case. */
static uint32_t hash_name(const char *name)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; name[i] && i < HASHED_BYTES; i++) {
        bool is_capital = name[i] >= 'A' && name[i] <= 'Z';
        hash = (hash ^ (unsigned char)(is_capital ? name[i] + ('a' - 'A') : name[i])) * 16777619u;
    }
    return hash;
}

static uint32_t hash_id(uint32_t id)
{
    return id * 0x9e3779b1u >> 7;
}

status bind_scope_tabulate(binder *b, bind_scope *scope)
{
    bind_scope_table *t = &scope->table;
    size_t count = scope->entries.count;
    if (count < TABLE_ENTRIES_MIN || t->count == count || count > UINT32_MAX / 4)
        return STATUS_OK;
    *t = (bind_scope_table){.bucket_count = (uint32_t)count * 2};
    t->first_named = arena_alloc_array(b->memory, t->bucket_count, sizeof *t->first_named);
    t->first_id = arena_alloc_array(b->memory, t->bucket_count, sizeof *t->first_id);
    t->next_named = arena_alloc_array(b->memory, count, sizeof *t->next_named);
    t->next_id = arena_alloc_array(b->memory, count, sizeof *t->next_id);
    if (!t->first_named || !t->first_id || !t->next_named || !t->next_id)
        return bind_no_memory();
    for (uint32_t i = (uint32_t)count; i-- > 0;) {
        const bind_entry *entry = &scope->entries.items[i];
        uint32_t *named = &t->first_named[hash_name(entry->name) % t->bucket_count];
        uint32_t *with_id = &t->first_id[hash_id(entry->id) % t->bucket_count];
        t->next_named[i] = *named;
        t->next_id[i] = *with_id;
        *named = *with_id = i + 1;
    }
    t->count = count;
    return STATUS_OK;
}

static bool bind_scope_has_table(const bind_scope *scope)
{
    return scope->table.count && scope->table.count == scope->entries.count;
}

size_t bind_scope_named(const bind_scope *scope, const char *name, size_t from)
{
    const bind_scope_table *t = &scope->table;
    if (!bind_scope_has_table(scope))
        return from;
    uint32_t next =
        from ? t->next_named[from - 1] : t->first_named[hash_name(name) % t->bucket_count];
    return next ? next - 1 : scope->entries.count;
}

size_t bind_scope_with_id(const bind_scope *scope, uint32_t id, size_t from)
{
    const bind_scope_table *t = &scope->table;
    if (!bind_scope_has_table(scope))
        return from;
    uint32_t next = from ? t->next_id[from - 1] : t->first_id[hash_id(id) % t->bucket_count];
    return next ? next - 1 : scope->entries.count;
}

/* ---- adding to a scope ---- */

/* Returns whether nothing tells the relations apart: tables of two schemas may have one name. */
static bool are_alike(const bind_relation *one, const bind_relation *other)
{
    if (strcmp(one->name, other->name) != 0)
        return false;
    return !one->schema || !other->schema ||
           (!strcmp(one->schema, other->schema) && !strcmp(one->catalog, other->catalog));
}

status bind_add_scope(binder *b, bind_scope *scope, const bind_scope *from)
{
    for (size_t i = 0; i < from->entries.count; i++)
        TRY(array_push(b->memory, &scope->entries, from->entries.items[i]));
    for (size_t i = 0; i < from->nested.count; i++)
        TRY(array_push(b->memory, &scope->nested, from->nested.items[i]));
    for (size_t i = 0; i < from->relations.count; i++) {
        for (size_t j = 0; j < scope->relations.count; j++)
            if (are_alike(&scope->relations.items[j], &from->relations.items[i]))
                return status_hint(bind_error(b, STATUS_KIND_INVALID, -1,
                                              "table name \"%s\" specified more than once",
                                              from->relations.items[i].name),
                                   "give one of them an alias");
        TRY(array_push(b->memory, &scope->relations, from->relations.items[i]));
    }
    return STATUS_OK;
}

static bool scope_has_nested(const bind_scope *scope, const char *relation, const char *name)
{
    for (size_t i = 0; i < scope->nested.count; i++) {
        const bind_nested *nested = &scope->nested.items[i];
        bool is_of = relation && nested->relation ? !strcmp(nested->relation, relation)
                                                  : relation == nested->relation;
        if (is_of && !strcmp(nested->name, name))
            return true;
    }
    return false;
}

status bind_add_nested(binder *b, bind_scope *scope, const plan_node *node, const char *relation)
{
    const char *before = NULL;
    while (node->kind == PLAN_UNION)
        node = node->children[0];
    for (uint32_t i = 0; node->kind == PLAN_SCAN && i < node->scan.table->columns.count; i++) {
        const char *name = pq_table_nested_name(node->scan.table, i);
        if (name && name != before && !scope_has_nested(scope, relation, name))
            TRY(array_push(b->memory, &scope->nested, ((bind_nested){relation, name})));
        before = name;
    }
    return STATUS_OK;
}

static status scope_make_names_unique(binder *b, bind_scope *scope)
{
    size_t count = scope->entries.count;
    const char **names = arena_alloc_array(b->memory, count + 1, sizeof *names);
    if (!names)
        return bind_no_memory();
    for (size_t i = 0; i < count; i++)
        names[i] = scope->entries.items[i].name;
    TRY(unique_names(b->memory, names, count));
    for (size_t i = 0; i < count; i++)
        scope->entries.items[i].name = names[i];
    return STATUS_OK;
}

#define NESTED_NAMED 8 /* columns that a notice names */

status bind_note_nested(binder *b, const bind_name_list *names)
{
    const char *text = "";
    size_t count = 0;
    for (size_t i = 0; i < names->count && text; i++) {
        bool is_again = false;
        for (size_t k = 0; k < i; k++)
            is_again |= !strcmp(names->items[k], names->items[i]);
        if (!is_again && ++count <= NESTED_NAMED)
            text = arena_format(b->memory, "%s%s\"%s\"", text, *text ? ", " : "", names->items[i]);
    }
    if (!text)
        return bind_no_memory();
    if (!count)
        return STATUS_OK;
    return bind_notice(b, "%s %s %sleft out: nested columns are not supported",
                       count == 1 ? "column" : "columns", text,
                       count == 1             ? "is "
                       : count > NESTED_NAMED ? "and others are "
                                              : "are ");
}

status bind_add_relation(binder *b, bind_scope *scope, const plan_node *node, const char *name,
                         const Alias *alias, int32_t location)
{
    return bind_add_table(b, scope, node, &(bind_relation){.name = name}, alias, location);
}

status bind_add_table(binder *b, bind_scope *scope, const plan_node *node, const bind_relation *of,
                      const Alias *alias, int32_t location)
{
    bind_scope added = {0};
    const char *name = of->name;
    size_t renamed = alias ? list_length(alias->colnames) : 0;
    if (alias)
        name = alias->aliasname;
    size_t visible = node->columns.count;
    while (visible && bind_is_virtual(b, node->columns.items[visible - 1].id))
        visible--;
    if (renamed > visible)
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "table \"%s\" has %zu columns but %zu names", name, visible, renamed);
    for (size_t i = 0; i < node->columns.count; i++) {
        const plan_column *column = &node->columns.items[i];
        bind_entry entry = {.relation = name,
                            .name =
                                i < renamed ? strVal(list_nth(alias->colnames, i)) : column->name,
                            .id = column->id,
                            .type = column->type,
                            .is_nullable = column->is_nullable,
                            .is_hidden = i >= visible,
                            .is_virtual = i >= visible};
        TRY(array_push(b->memory, &added.entries, entry));
    }
    TRY(scope_make_names_unique(b, &added));
    TRY(bind_add_nested(b, &added, node, name));
    bind_relation relation = alias ? (bind_relation){.name = name} : *of;
    if (name)
        TRY(array_push(b->memory, &added.relations, relation));
    status st = bind_add_scope(b, scope, &added);
    int32_t position = bind_position(b, location);
    return st && position >= 0 ? status_at(st, position) : st;
}

/* Returns whether the parts before a table's name mean where it is. */
static bool is_qualified(const bind_relation *r, const List *name, size_t parts)
{
    const char *first = strVal(list_nth(name, 0)), *last = strVal(list_nth(name, parts - 1));
    if (!r->schema || strcasecmp(r->name, last) != 0)
        return false;
    bool is_first = sql_is_first_schema(r->catalog, r->schema);
    if (parts == 2)
        return !strcasecmp(r->schema, first) || (is_first && sql_is_first_schema(NULL, first)) ||
               (!strcasecmp(r->schema, SQL_SCHEMA) && !strcasecmp(r->catalog, first));
    const char *schema = strVal(list_nth(name, 1));
    return is_first ? sql_is_first_schema(first, schema)
                    : sql_is_same_catalog(r->catalog, first) && !strcasecmp(r->schema, schema);
}

const bind_relation *bind_find_relation(const bind_scope *scope, const List *name, size_t parts)
{
    for (size_t i = 0; parts > 1 && parts < 4 && i < scope->relations.count; i++)
        if (is_qualified(&scope->relations.items[i], name, parts))
            return &scope->relations.items[i];
    return NULL;
}

bool bind_is_series(const char *name)
{
    return !strcasecmp(name, "generate_series") || !strcasecmp(name, "range");
}

typedef struct call_search {
    const bind_scope *scope;
    bind_calls found;
} call_search;

static void note_call(uint32_t id, void *context)
{
    call_search *search = context;
    const bind_scope *scope = search->scope;
    for (size_t i = 0; i < scope->aggregates.count; i++)
        search->found.has_aggregate |= scope->aggregates.items[i].column.id == id;
    for (size_t i = 0; i < scope->groupings.count; i++)
        search->found.has_aggregate |= scope->groupings.items[i].column.id == id;
    for (size_t i = 0; i < scope->composites.count; i++)
        search->found.has_aggregate |= scope->composites.items[i].column.id == id;
    for (size_t i = 0; i < scope->windows.count; i++)
        search->found.has_window |= scope->windows.items[i].column.id == id;
}

bind_calls bind_find_calls(const bind_scope *scope, expr *e)
{
    call_search search = {.scope = scope};
    expr_visit_columns(e, note_call, &search);
    return search.found;
}
