/* bind_name.c - what a name means: a column of the scope or of a query around it. */
#include "sql/expression/bind_name.h"

#include "sql/expression/bind_scope.h"
#include "sql/function/nested_function.h"
#include "sql/function/nested_make.h"
#include "sql/types/binder.h"

#include <strings.h>

static bool names_equal(const char *full, const char *name, bool folds)
{
    return folds ? !strcasecmp(full, name) : !strcmp(full, name);
}

/* How many columns of the scope, virtual ones or the others, the name means; *out is the first. */
static size_t lookup_kind(const bind_scope *scope, const char *relation, const char *name,
                          bool folds, bool is_virtual, const bind_entry **out)
{
    size_t found = 0;
    for (size_t i = 0; (i = bind_scope_named(scope, name, i)) < scope->entries.count; i++) {
        const bind_entry *entry = &scope->entries.items[i];
        if (entry->is_virtual != is_virtual || !names_equal(entry->name, name, folds))
            continue;
        if (relation ? !entry->relation || !names_equal(entry->relation, relation, folds)
                     : entry->is_hidden && !is_virtual)
            continue;
        if (!found++)
            *out = entry;
    }
    return found;
}

/* How many columns of the scope the name means; *out is the first. Virtual ones count where no other has the name. */
static size_t lookup(const bind_scope *scope, const char *relation, const char *name, bool folds,
                     const bind_entry **out)
{
    size_t found = lookup_kind(scope, relation, name, folds, false, out);
    return found ? found : lookup_kind(scope, relation, name, folds, true, out);
}

static bool has_relation(const bind_scope *scope, const char *relation)
{
    for (; scope; scope = scope->parent)
        for (size_t i = 0; i < scope->relations.count; i++)
            if (!strcasecmp(scope->relations.items[i].name, relation))
                return true;
    return false;
}

/* Finds a nested column that is called so; NULL: there is none. */
static const bind_nested *find_nested(const bind_scope *scope, const char *relation,
                                      const char *name)
{
    for (; scope; scope = scope->parent)
        for (size_t i = 0; i < scope->nested.count; i++) {
            const bind_nested *nested = &scope->nested.items[i];
            bool is_of = !relation || (nested->relation && !strcasecmp(nested->relation, relation));
            if (is_of && !strcasecmp(nested->name, name))
                return nested;
        }
    return NULL;
}

static status name_no_such_column(binder *b, const char *relation, const char *name,
                                  bind_scope *scope, int32_t location)
{
    ARRAY(const char *) names = {0};
    if (relation && !has_relation(scope, relation)) {
        for (const bind_scope *s = scope; s; s = s->parent)
            for (size_t i = 0; i < s->relations.count; i++)
                TRY(array_push(b->memory, &names, s->relations.items[i].name));
        return bind_suggest(bind_error(b, STATUS_KIND_NOT_FOUND, location,
                                       "there is no table \"%s\" in the FROM clause", relation),
                            relation, names.items, names.count);
    }
    for (const bind_scope *s = scope; s; s = s->parent)
        for (size_t i = 0; i < s->entries.count; i++)
            TRY(array_push(b->memory, &names, s->entries.items[i].name));
    status st = relation ? bind_error(b, STATUS_KIND_NOT_FOUND, location,
                                      "column \"%s.%s\" does not exist", relation, name)
                         : bind_error(b, STATUS_KIND_NOT_FOUND, location,
                                      "column \"%s\" does not exist", name);
    return bind_suggest(st, name, names.items, names.count);
}

/* ---- items of the select list ---- */

/* Fails where the value of an aggregate or a window is not there yet. */
static status check_alias(binder *b, const bind_scope *scope, const char *name, expr *e,
                          int32_t location)
{
    bind_calls calls = bind_find_calls(scope, e);
    const char *clause = scope->clause ? scope->clause : scope->windowless;
    if (calls.has_aggregate && (scope->clause || scope->is_in_aggregate))
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "\"%s\" has an aggregate, which is not allowed in %s", name,
                          scope->is_in_aggregate ? "an aggregate's arguments" : clause);
    if (calls.has_window && (clause || scope->is_in_aggregate || scope->is_in_window))
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "\"%s\" has a window function, which is not allowed in %s", name,
                          scope->is_in_aggregate ? "an aggregate's arguments"
                          : scope->is_in_window  ? "a window"
                                                 : clause);
    return STATUS_OK;
}

/* An item that is bound; *out NULL: none has the name. */
static status bind_alias_of(binder *b, const bind_scope *scope, const char *name, int32_t location,
                            expr **out)
{
    for (size_t i = 0; i < scope->aliases.count; i++) {
        const bind_alias *alias = &scope->aliases.items[i];
        if (strcasecmp(alias->name, name) != 0)
            continue;
        TRY(check_alias(b, scope, name, alias->e, location));
        *out = expr_copy(b->memory, alias->e);
        return *out ? STATUS_OK : bind_no_memory();
    }
    return STATUS_OK;
}

/* An item of the select list, whether it is bound or not; *out NULL: none has the name. */
static status bind_item_of(binder *b, bind_scope *scope, const char *name, int32_t location,
                           expr **out)
{
    TRY(bind_alias_of(b, scope, name, location, out));
    return *out || !scope->item_count ? STATUS_OK : scope->bind_item(b, scope, name, location, out);
}

/* alias.x is the item x of the select list, unless a table is called alias. */
static bool is_alias_word(const bind_scope *scope, const char *relation)
{
    return !strcasecmp(relation, "alias") && !has_relation(scope, relation);
}

static status refer_to(binder *b, const bind_entry *entry, int32_t location, expr **out)
{
    *out = bind_reference(b, entry->id, entry->type, entry->is_nullable, entry->name);
    if (!*out)
        return bind_no_memory();
    (*out)->position = bind_position(b, location);
    return STATUS_OK;
}

static status bind_name(binder *b, const char *relation, const char *name, bind_scope *scope,
                        int32_t location, expr **out)
{
    const bind_entry *entry = NULL;
    size_t found = 0;
    for (bind_scope *s = scope; s && !found; s = s->parent) {
        TRY(bind_scope_tabulate(b, s));
        for (int folds = 0; folds < 2 && !found; folds++)
            found = lookup(s, relation, name, folds, &entry);
    }
    *out = NULL;
    if (!found && (!relation || is_alias_word(scope, relation)))
        TRY(bind_item_of(b, scope, name, location, out));
    if (*out)
        return STATUS_OK;
    const bind_nested *nested = found ? NULL : find_nested(scope, relation, name);
    if (nested)
        return status_hint(
            bind_error(b, STATUS_KIND_UNSUPPORTED, location,
                       "column \"%s\" is nested in a way (VARIANT, say) that is not supported",
                       nested->name),
            "* leaves such columns out");
    if (!found)
        return name_no_such_column(b, relation, name, scope, location);
    if (found > 1)
        return status_hint(bind_error(b, STATUS_KIND_INVALID, location,
                                      "column reference \"%s\" is ambiguous", name),
                           "write the table's name in front of it");
    return refer_to(b, entry, location, out);
}

/* The column of a relation itself, however others are called; NULL: it has none of that name. */
static const bind_entry *find_of_relation(const bind_scope *scope, const bind_relation *relation,
                                          const char *name)
{
    for (int folds = 0; folds < 2; folds++)
        for (size_t i = 0; (i = bind_scope_named(scope, name, i)) < scope->entries.count; i++) {
            const bind_entry *entry = &scope->entries.items[i];
            if (entry->relation == relation->name && names_equal(entry->name, name, folds))
                return entry;
        }
    return NULL;
}

/* Finds schema.table.column or catalog.schema.table.column. *out_parts: how many parts the column's name has; 0: no table
 * of FROM is meant. */
static const bind_entry *find_qualified(const bind_scope *scope, const ColumnRef *ref,
                                        size_t *out_parts)
{
    *out_parts = 0;
    for (; scope; scope = scope->parent)
        for (size_t parts = 3; parts <= list_length(ref->fields) && parts < 5; parts++) {
            const bind_relation *relation = bind_find_relation(scope, ref->fields, parts - 1);
            if (!relation)
                continue;
            *out_parts = parts;
            return find_of_relation(scope, relation, strVal(list_nth(ref->fields, parts - 1)));
        }
    return NULL;
}

static const bind_entry *find_entry(const bind_scope *scope, const char *relation, const char *name)
{
    const bind_entry *entry = NULL;
    size_t found = 0;
    for (; scope && !found; scope = scope->parent)
        for (int folds = 0; folds < 2 && !found; folds++)
            found = lookup(scope, relation, name, folds, &entry);
    return found ? entry : NULL;
}

/* How many of the parts name a column, of which the others are fields: t.c goes before s.f (docs/FOUNDATIONS.md). 0: none
 * do. */
static size_t parts_of_name(const bind_scope *scope, const ColumnRef *ref)
{
    const char *first = strVal(list_nth(ref->fields, 0));
    if (list_length(ref->fields) < 2)
        return 1;
    if (find_entry(scope, first, strVal(list_nth(ref->fields, 1))))
        return 2;
    const bind_entry *entry = find_entry(scope, NULL, first);
    return entry && entry->type.id == TYPE_STRUCT ? 1 : 0;
}

const char *bind_spelling(const bind_scope *scope, const ColumnRef *ref)
{
    size_t parts = list_length(ref->fields), named = 0;
    const char *name = strVal(list_nth(ref->fields, parts - 1));
    const char *relation = parts > 1 ? strVal(list_nth(ref->fields, 0)) : NULL;
    const bind_entry *entry = parts > 2 ? find_qualified(scope, ref, &named) : NULL;
    if (!named)
        entry = find_entry(scope, relation, name);
    return entry && (!named || named == parts) ? entry->name : name;
}

static status no_such_of_table(binder *b, const ColumnRef *ref, size_t named, bind_scope *scope)
{
    const char *relation = strVal(list_nth(ref->fields, named - 2));
    return name_no_such_column(b, relation, strVal(list_nth(ref->fields, named - 1)), scope,
                               ref->location);
}

status bind_column_ref(binder *b, const ColumnRef *ref, bind_scope *scope, expr **out)
{
    for (size_t i = 0; i < list_length(ref->fields); i++)
        if (!IsA(list_nth(ref->fields, i), String))
            return bind_unsupported(b, ref->location, "\"*\" in this place is");
    size_t parts = list_length(ref->fields), named = 0;
    const bind_entry *entry = parts > 2 ? find_qualified(scope, ref, &named) : NULL;
    if (named && !entry)
        return no_such_of_table(b, ref, named, scope);
    named = named ? named : parts_of_name(scope, ref);
    if (!named && parts > 2)
        return bind_error(b, STATUS_KIND_NOT_FOUND, ref->location,
                          "there is no table \"%s.%s\" in the FROM clause",
                          strVal(list_nth(ref->fields, 0)), strVal(list_nth(ref->fields, 1)));
    named = named ? named : parts;
    const char *last = strVal(list_nth(ref->fields, named - 1));
    const char *relation = named == 2 ? strVal(list_nth(ref->fields, 0)) : NULL;
    TRY(entry ? refer_to(b, entry, ref->location, out)
              : bind_name(b, relation, last, scope, ref->location, out));
    for (size_t i = named; i < parts; i++)
        TRY(nested_field_of(b, *out, strVal(list_nth(ref->fields, i)), ref->location, out));
    return STATUS_OK;
}
