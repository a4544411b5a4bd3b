/* bind_star.c - "*" and COLUMNS: which columns they stand for, EXCLUDE, REPLACE, RENAME, LIKE. */
#include "sql/expression/bind_star.h"

#include "sql/expression/bind_expr.h"
#include "sql/expression/bind_scope.h"
#include "sql/text/tree.h"

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

static status star_add_entry(star_binding *q, const bind_entry *entry, const char *name,
                             int32_t location)
{
    bind_target added = {.name = name};
    added.e = bind_reference(q->b, entry->id, entry->type, entry->is_nullable, entry->name);
    if (!added.e)
        return bind_no_memory();
    added.e->position = bind_position(q->b, location);
    return array_push(q->b->memory, q->targets, added);
}

static bool is_of_star(const bind_entry *entry, const char *relation)
{
    if (entry->is_virtual)
        return false;
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

/* Binds the condition of LIKE and its kind for a name; NULL counts as false. */
static status star_meets(binder *b, bind_scope *scope, const A_Star *star, const char *name,
                         bool *out)
{
    A_Expr condition;
    A_Const text = {.type = T_A_Const, .val.sval = {.type = T_String, .sval = (char *)name}};
    expr *e;
    *out = true;
    if (!star->condition)
        return STATUS_OK;
    condition = *star->condition;
    condition.lexpr = (Node *)&text;
    TRY(bind_condition(b, (Node *)&condition, scope, "LIKE", &e));
    if (e->kind != EXPR_CONSTANT)
        return bind_unsupported(b, condition.location,
                                "a pattern of names that is not constant is");
    *out = !e->constant.is_null && e->constant.boolean;
    return STATUS_OK;
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

/* Fails if EXCLUDE names a column that is not there. */
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

/* Fails if REPLACE names a column that is not there, or excluded. */
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

/* Returns the name that RENAME gives a column, or its own. */
static const char *star_new_name(const star_binding *q, const A_Star *star, const char *name)
{
    for (size_t i = 0; i < list_length(star->rename); i++) {
        const ResTarget *tree = castNode(ResTarget, list_nth(star->rename, i));
        if (star_means(q->scope, strVal(tree->val), name))
            return tree->name;
    }
    return name;
}

/* Fails if RENAME names a column that the star does not have. */
static status check_renaming(const star_binding *q, const A_Star *star, const char *relation)
{
    for (size_t i = 0; i < list_length(star->rename); i++) {
        const ResTarget *tree = castNode(ResTarget, list_nth(star->rename, i));
        if (!star_has_column(q, star, relation, strVal(tree->val), false))
            return bind_error(q->b, STATUS_KIND_NOT_FOUND, tree->location,
                              "column \"%s\" of RENAME does not exist", strVal(tree->val));
    }
    return STATUS_OK;
}

/* A column of a star, or what replaces it. */
static status star_add_column(star_binding *q, const A_Star *star, const bind_entry *entry,
                              int32_t location)
{
    const ResTarget *found;
    bind_target added = {.name = star_new_name(q, star, entry->name)};
    TRY(find_replacement(q, star, entry->name, &found));
    if (!found)
        return star_add_entry(q, entry, added.name, location);
    TRY(bind_expr(q->b, found->val, q->scope, &added.e));
    return array_push(q->b->memory, q->targets, added);
}

/* Fails unless the table of "t.*" is in FROM, and, for "*" alone, there is a FROM. */
static status check_relation(const star_binding *q, const ColumnRef *ref, const char *relation)
{
    size_t known = 0;
    bind_name_list names = {0};
    if (!relation && !q->has_from)
        return bind_error(q->b, STATUS_KIND_INVALID, ref->location, "SELECT * needs a FROM clause");
    for (size_t i = 0; relation && i < q->scope->relations.count; i++) {
        TRY(array_push(q->b->memory, &names, q->scope->relations.items[i].name));
        known += !strcasecmp(q->scope->relations.items[i].name, relation);
    }
    if (known > 1)
        return status_hint(bind_error(q->b, STATUS_KIND_INVALID, ref->location,
                                      "several tables of FROM are named \"%s\"", relation),
                           "give them aliases");
    if (!relation || known)
        return STATUS_OK;
    return bind_suggest(bind_error(q->b, STATUS_KIND_NOT_FOUND, ref->location,
                                   "there is no table \"%s\" in the FROM clause", relation),
                        relation, names.items, names.count);
}

static status no_columns(const star_binding *q, const A_Star *star, const ColumnRef *ref)
{
    if (star->condition)
        return bind_error(q->b, STATUS_KIND_NOT_FOUND, star->condition->location,
                          "no column has a name of this pattern");
    if (star->exclude)
        return bind_error(q->b, STATUS_KIND_INVALID, ref->location,
                          "EXCLUDE leaves no columns of *");
    return q->scope->nested.count
               ? bind_error(q->b, STATUS_KIND_UNSUPPORTED, ref->location,
                            "all columns of * are nested, which is not supported")
               : STATUS_OK;
}

/* "*" is all columns that are not merged away; "t.*" all of t's. */
static status expand_star(star_binding *q, const ColumnRef *ref)
{
    size_t parts = list_length(ref->fields);
    const char *relation = parts > 1 ? strVal(list_nth(ref->fields, parts - 2)) : NULL;
    const A_Star *star = castNode(A_Star, list_nth(ref->fields, list_length(ref->fields) - 1));
    size_t first = q->targets->count;
    bool is_met;
    if (parts > 2 && !bind_find_relation(q->scope, ref->fields, parts - 1))
        return bind_error(q->b, STATUS_KIND_NOT_FOUND, ref->location,
                          "there is no table \"%s.%s\" in the FROM clause",
                          strVal(list_nth(ref->fields, parts - 3)), relation);
    TRY(check_relation(q, ref, relation));
    TRY(check_exclusion(q, star, relation, ref->location));
    TRY(check_replacement(q, star, relation));
    TRY(check_renaming(q, star, relation));
    for (size_t i = 0; i < q->scope->entries.count; i++) {
        const bind_entry *entry = &q->scope->entries.items[i];
        if (!is_of_star(entry, relation) || star_excludes(q->scope, star, entry->name))
            continue;
        TRY(star_meets(q->b, q->scope, star, entry->name, &is_met));
        if (is_met)
            TRY(star_add_column(q, star, entry, ref->location));
    }
    if (q->targets->count == first)
        TRY(no_columns(q, star, ref));
    return note_nested(q, star, relation);
}

status bind_star(binder *b, const ColumnRef *ref, bind_scope *scope, bool has_from,
                 bind_target_list *targets)
{
    star_binding q = {.b = b, .scope = scope, .targets = targets, .has_from = has_from};
    return expand_star(&q, ref);
}

/* ---- COLUMNS ---- */

/* Adds the columns whose names the regular expression finds. */
static status add_matches(star_binding *q, const ColumnsExpr *tree)
{
    A_Star star = {.type = T_A_Star};
    ColumnRef ref = {.type = T_ColumnRef, .location = tree->location};
    pg_node *last = (pg_node *)&star;
    pg_node *found = tree_operator(q->b->memory, AEXPR_OP, "~", NULL, tree->of, tree->location);
    star.condition = (A_Expr *)found;
    ref.fields = tree_list(q->b->memory, &last, 1);
    return found && ref.fields ? expand_star(q, &ref) : bind_no_memory();
}

/* Returns whether the column is one of the names of a list. */
static bool bind_star_is_listed(const star_binding *q, const A_ArrayExpr *list, const char *column)
{
    for (size_t i = 0; i < list_length(list->elements); i++) {
        const A_Const *name = castNode(A_Const, list_nth(list->elements, i));
        if (star_means(q->scope, name->val.sval.sval, column))
            return true;
    }
    return false;
}

/* The list has nothing but names of columns that are there. */
static status check_listed(const star_binding *q, const A_ArrayExpr *list)
{
    static const A_Star all = {.type = T_A_Star};
    for (size_t i = 0; i < list_length(list->elements); i++) {
        const pg_node *node = list_nth(list->elements, i);
        if (!IsA(node, A_Const) || nodeTag(&castNode(A_Const, node)->val) != T_String)
            return bind_unsupported(q->b, list->location, "COLUMNS of anything but names is");
        const char *name = castNode(A_Const, node)->val.sval.sval;
        if (!star_has_column(q, &all, NULL, name, true))
            return bind_error(q->b, STATUS_KIND_NOT_FOUND, bind_location(node),
                              "column \"%s\" of COLUMNS does not exist", name);
    }
    return STATUS_OK;
}

/* Adds the columns of a list of names, as they stand in the tables. */
static status add_listed(star_binding *q, const A_ArrayExpr *list)
{
    TRY(check_listed(q, list));
    for (size_t i = 0; i < q->scope->entries.count; i++) {
        const bind_entry *entry = &q->scope->entries.items[i];
        if (!entry->is_hidden && bind_star_is_listed(q, list, entry->name))
            TRY(star_add_entry(q, entry, entry->name, list->location));
    }
    return STATUS_OK;
}

/* Finds the columns that COLUMNS stands for, unless they are known. */
static status bind_star_find_columns(binder *b, const ColumnsExpr *tree, bind_scope *scope)
{
    bind_expansion *all = &scope->expansion;
    bind_target_list found = {0};
    star_binding q = {.b = b, .scope = scope, .targets = &found, .has_from = true};
    if (all->tree == tree)
        return STATUS_OK;
    if (bind_is_star(tree->of))
        TRY(expand_star(&q, castNode(ColumnRef, tree->of)));
    else if (IsA(tree->of, A_ArrayExpr))
        TRY(add_listed(&q, castNode(A_ArrayExpr, tree->of)));
    else
        TRY(add_matches(&q, tree));
    if (!found.count)
        return bind_error(b, STATUS_KIND_INVALID, tree->location, "COLUMNS stands for no column");
    if (all->count && all->count != found.count)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "COLUMNS stands for different numbers of columns in one expression");
    all->tree = tree;
    all->targets = found.items;
    all->count = found.count;
    return STATUS_OK;
}

status bind_columns_expr(binder *b, const ColumnsExpr *tree, bind_scope *scope, expr **out)
{
    bind_expansion *all = &scope->expansion;
    TRY(bind_star_find_columns(b, tree, scope));
    const bind_target *target = &all->targets[all->index];
    all->name = target->name;
    *out = expr_copy(b->memory, target->e);
    return *out ? STATUS_OK : bind_no_memory();
}
