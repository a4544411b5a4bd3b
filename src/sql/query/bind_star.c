/* bind_star.c - "*" in a select list: which columns it stands for, EXCLUDE, REPLACE. */
#include "sql/query/bind_star.h"

#include "sql/expression/bind_expr.h"
#include "sql/expression/bind_scope.h"

#include <strings.h>

typedef struct star_binding {
    binder *b;
    bind_scope *scope;
    bind_target_list *targets;
    bool has_from;
} star_binding;

bool bind_is_star(const pg_node *node)
{
    if (!IsA(node, ColumnRef))
        return false;
    const ColumnRef *ref = castNode(ColumnRef, node);
    return IsA(list_nth(ref->fields, list_length(ref->fields) - 1), A_Star);
}

static status star_add_entry(star_binding *q, const bind_entry *entry, int32_t location)
{
    bind_target added = {.name = entry->name};
    added.e = bind_reference(q->b, entry->id, entry->type, entry->is_nullable, entry->name);
    if (!added.e)
        return bind_no_memory();
    added.e->position = bind_position(q->b, location);
    return array_push(q->b->memory, q->targets, added);
}

static bool is_of_star(const bind_entry *entry, const char *relation)
{
    return relation ? entry->relation && !strcasecmp(entry->relation, relation) : !entry->is_hidden;
}

/* Returns whether a name in EXCLUDE or REPLACE means the column: it is its name, or that in another case where
 * no column has it as it is. */
static bool star_means(const bind_scope *scope, const char *name, const char *column)
{
    if (!strcmp(name, column))
        return true;
    if (strcasecmp(name, column) != 0)
        return false;
    for (size_t i = 0; i < scope->entries.count; i++)
        if (!strcmp(scope->entries.items[i].name, name))
            return false;
    return true;
}

static bool star_excludes(const bind_scope *scope, const A_Star *star, const char *column)
{
    for (size_t i = 0; i < list_length(star->exclude); i++)
        if (star_means(scope, strVal(list_nth(star->exclude, i)), column))
            return true;
    return false;
}

/* Returns whether a column of the star that is not excluded has that name. */
static bool star_has_column(const star_binding *q, const A_Star *star, const char *relation,
                            const char *name, bool is_excluded_too)
{
    for (size_t i = 0; i < q->scope->entries.count; i++)
        if (is_of_star(&q->scope->entries.items[i], relation) &&
            star_means(q->scope, name, q->scope->entries.items[i].name) &&
            (is_excluded_too || !star_excludes(q->scope, star, q->scope->entries.items[i].name)))
            return true;
    return false;
}

static bool is_nested_of_star(const bind_nested *nested, const char *relation)
{
    return !relation || (nested->relation && !strcasecmp(nested->relation, relation));
}

static bool star_has_nested(const bind_scope *scope, const char *relation, const char *name)
{
    for (size_t i = 0; i < scope->nested.count; i++)
        if (is_nested_of_star(&scope->nested.items[i], relation) &&
            !strcasecmp(scope->nested.items[i].name, name))
            return true;
    return false;
}

/* Says which nested columns a * leaves out, but those that are excluded. */
static status note_nested(const star_binding *q, const A_Star *star, const char *relation)
{
    bind_name_list left_out = {0};
    for (size_t i = 0; i < q->scope->nested.count; i++) {
        const bind_nested *nested = &q->scope->nested.items[i];
        if (is_nested_of_star(nested, relation) && !star_excludes(q->scope, star, nested->name))
            TRY(array_push(q->b->memory, &left_out, nested->name));
    }
    return bind_note_nested(q->b, &left_out);
}

/* What is excluded is there. */
static status check_exclusion(const star_binding *q, const A_Star *star, const char *relation,
                              int32_t location)
{
    for (size_t i = 0; i < list_length(star->exclude); i++) {
        const char *name = strVal(list_nth(star->exclude, i));
        if (!star_has_nested(q->scope, relation, name) &&
            !star_has_column(q, star, relation, name, true))
            return bind_error(q->b, STATUS_KIND_NOT_FOUND, location,
                              "column \"%s\" of EXCLUDE does not exist", name);
    }
    return STATUS_OK;
}

/* Finds what stands in the place of a star's column; *out NULL: the column itself. */
static status find_replacement(const star_binding *q, const A_Star *star, const char *name,
                               const ResTarget **out)
{
    *out = NULL;
    for (size_t i = 0; i < list_length(star->replace); i++) {
        const ResTarget *tree = castNode(ResTarget, list_nth(star->replace, i));
        if (!tree->name || !star_means(q->scope, tree->name, name))
            continue;
        if (*out)
            return bind_error(q->b, STATUS_KIND_INVALID, tree->location,
                              "column \"%s\" is replaced twice", name);
        *out = tree;
    }
    return STATUS_OK;
}

/* What is replaced is there, and not excluded. */
static status check_replacement(const star_binding *q, const A_Star *star, const char *relation)
{
    for (size_t i = 0; i < list_length(star->replace); i++) {
        const ResTarget *tree = castNode(ResTarget, list_nth(star->replace, i));
        if (!tree->name)
            return bind_error(q->b, STATUS_KIND_INVALID, tree->location,
                              "REPLACE needs AS and a column's name");
        if (!star_has_column(q, star, relation, tree->name, false))
            return bind_error(q->b, STATUS_KIND_NOT_FOUND, tree->location,
                              "column \"%s\" of REPLACE does not exist", tree->name);
    }
    return STATUS_OK;
}

/* A column of a star, or what replaces it. */
static status star_add_column(star_binding *q, const A_Star *star, const bind_entry *entry,
                              int32_t location)
{
    const ResTarget *found;
    bind_target added = {.name = entry->name};
    TRY(find_replacement(q, star, entry->name, &found));
    if (!found)
        return star_add_entry(q, entry, location);
    TRY(bind_expr(q->b, found->val, q->scope, &added.e));
    return array_push(q->b->memory, q->targets, added);
}

/* "*" is all columns that are not merged away; "t.*" all of t's. */
static status expand_star(star_binding *q, const ColumnRef *ref)
{
    const char *relation = list_length(ref->fields) > 1 ? strVal(list_nth(ref->fields, 0)) : NULL;
    bool is_known = false;
    if (list_length(ref->fields) > 2)
        return bind_unsupported(q->b, ref->location, "names of more than two parts are");
    if (!relation && !q->has_from)
        return bind_error(q->b, STATUS_KIND_INVALID, ref->location, "SELECT * needs a FROM clause");
    for (size_t i = 0; relation && i < q->scope->relations.count; i++)
        is_known |= !strcasecmp(q->scope->relations.items[i], relation);
    if (relation && !is_known)
        return bind_suggest(bind_error(q->b, STATUS_KIND_NOT_FOUND, ref->location,
                                       "there is no table \"%s\" in the FROM clause", relation),
                            relation, q->scope->relations.items, q->scope->relations.count);
    const A_Star *star = castNode(A_Star, list_nth(ref->fields, list_length(ref->fields) - 1));
    size_t first = q->targets->count;
    TRY(check_exclusion(q, star, relation, ref->location));
    TRY(check_replacement(q, star, relation));
    for (size_t i = 0; i < q->scope->entries.count; i++) {
        const bind_entry *entry = &q->scope->entries.items[i];
        if (is_of_star(entry, relation) && !star_excludes(q->scope, star, entry->name))
            TRY(star_add_column(q, star, entry, ref->location));
    }
    if (star->exclude && q->targets->count == first)
        return bind_error(q->b, STATUS_KIND_INVALID, ref->location,
                          "EXCLUDE leaves no columns of *");
    if (q->scope->nested.count && q->targets->count == first)
        return bind_error(q->b, STATUS_KIND_UNSUPPORTED, ref->location,
                          "all columns of * are nested, which is not supported");
    return note_nested(q, star, relation);
}

status bind_star(binder *b, const ColumnRef *ref, bind_scope *scope, bool has_from,
                 bind_target_list *targets)
{
    star_binding q = {.b = b, .scope = scope, .targets = targets, .has_from = has_from};
    return expand_star(&q, ref);
}
