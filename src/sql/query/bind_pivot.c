/* bind_pivot.c - PIVOT, as a query with an aggregate for each value:
 *
 *     FROM t PIVOT (sum(x) FOR k IN (1, 2))
 *     SELECT g, sum(x) FILTER (WHERE k = 1) AS "1", sum(x) FILTER (WHERE k = 2) AS "2" FROM t GROUP BY g
 *
 * g: the columns that PIVOT does not name. */
#include "sql/query/bind_pivot.h"

#include "base/system/guard.h"
#include "plan/nodes/visit.h"
#include "sql/expression/bind_expr.h"
#include "sql/expression/bind_scope.h"
#include "sql/query/bind_from.h"
#include "sql/text/tree.h"
#include "sql/types/bind_columns.h"

/* Columns that a PIVOT makes. */
#define PIVOT_COLUMNS_MAX 10000
#define PIVOT_NAME_BYTES 200

/* ---- the source ---- */

static void bind_pivot_note_column(uint32_t id, void *context)
{
    pivot_source *p = context;
    for (size_t i = 0; i < p->inner.entries.count; i++)
        if (p->inner.entries.items[i].id == id)
            p->is_used[i] = true;
}

void pivot_note_used(pivot_source *p, expr *e)
{
    if (e)
        expr_visit_columns(e, bind_pivot_note_column, p);
}

status pivot_unused(pivot_source *p, pivot_nodes *out)
{
    for (size_t i = 0; i < p->inner.entries.count; i++) {
        const bind_entry *entry = &p->inner.entries.items[i];
        if (p->is_used[i] || entry->is_hidden)
            continue;
        pg_node *column =
            tree_column(p->b->memory, entry->relation, entry->name, p->tree->location);
        if (!column)
            return bind_no_memory();
        TRY(array_push(p->b->memory, out, column));
    }
    return STATUS_OK;
}

status pivot_target(binder *b, const char *name, pg_node *value, pivot_nodes *targets)
{
    ResTarget *target = arena_alloc(b->memory, sizeof *target);
    if (!target || !value)
        return bind_no_memory();
    *target = (ResTarget){.type = T_ResTarget, .val = value, .location = bind_location(value)};
    if (name) {
        target->name = arena_copy_text(b->memory, name, strlen(name));
        if (!target->name)
            return bind_no_memory();
    }
    return array_push(b->memory, targets, (pg_node *)target);
}

/* Binds the source to know its columns; the query binds it again. */
static status look_at_source(pivot_source *p)
{
    plan_node *node;
    bool was_dry = p->b->rounds.is_dry;
    p->b->rounds.is_dry = true;
    status st = bind_from_item(p->b, p->tree->source, &p->inner, &node);
    p->b->rounds.is_dry = was_dry;
    TRY(st);
    p->is_used = arena_alloc_array(p->b->memory, p->inner.entries.count + 1, sizeof *p->is_used);
    return p->is_used ? STATUS_OK : bind_no_memory();
}

/* ---- columns for values ---- */

/* Columns that are made of some of the keys: what rows belong to each, and the begin of its name. */
typedef struct combination {
    pg_node *condition; /* NULL: all rows */
    const char *name;
} combination;
typedef ARRAY(combination) combination_list;

/* A value's text and its place among the keys. */
static status value_name(pivot_source *p, const ResTarget *value, bool *out_is_null,
                         const char **out)
{
    bind_scope none = {.clause = "PIVOT"};
    char text[PIVOT_NAME_BYTES + 1];
    expr *e;
    TRY(bind_expr(p->b, value->val, &none, &e));
    if (e->kind != EXPR_CONSTANT)
        return bind_unsupported(p->b, bind_location(value->val),
                                "a value of PIVOT that is not constant is");
    *out_is_null = e->constant.is_null;
    *out = value->name;
    if (value->name)
        return STATUS_OK;
    if (e->constant.is_null)
        *out = "NULL";
    else if (e->type.id == TYPE_VARCHAR)
        *out = arena_copy_text(p->b->memory, e->constant.text, e->constant.bytes);
    else
        *out = arena_copy_text(p->b->memory, text, value_format(&e->constant, text, sizeof text));
    return *out ? STATUS_OK : bind_no_memory();
}

static pg_node *both_conditions(arena *a, pg_node *left, pg_node *right)
{
    pg_node *args[] = {left, right};
    BoolExpr *both = arena_alloc(a, sizeof *both);
    if (!left || !right || !both)
        return left ? NULL : right;
    *both = (BoolExpr){.type = T_BoolExpr, .boolop = AND_EXPR, .location = -1};
    both->args = tree_list(a, args, 2);
    return both->args ? (pg_node *)both : NULL;
}

/* Adds what a combination becomes with one value of a further key. */
static status add_combination(pivot_source *p, const combination *before, const PivotColumn *column,
                              const ResTarget *value, combination_list *out)
{
    arena *a = p->b->memory;
    bool is_null;
    const char *name;
    TRY(guard_check());
    TRY(value_name(p, value, &is_null, &name));
    pg_node *is_equal = tree_operator(a, is_null ? AEXPR_NOT_DISTINCT : AEXPR_OP, "=", column->key,
                                      value->val, column->location);
    combination made = {.condition = both_conditions(a, before->condition, is_equal),
                        .name = before->name ? arena_format(a, "%s_%s", before->name, name) : name};
    if (!is_equal || !made.condition || !made.name)
        return bind_no_memory();
    if (out->count >= PIVOT_COLUMNS_MAX)
        return bind_error(p->b, STATUS_KIND_UNSUPPORTED, column->location,
                          "PIVOT makes more than %d columns", PIVOT_COLUMNS_MAX);
    return array_push(a, out, made);
}

static status bind_pivot_combine(pivot_source *p, const PivotColumn *column, combination_list *all)
{
    combination_list made = {0};
    pivot_nodes values = {0};
    for (size_t k = 0; k < list_length(column->values); k++)
        TRY(array_push(p->b->memory, &values, list_nth(column->values, k)));
    if (!values.count)
        TRY(pivot_find_values(p, column, &values));
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < values.count; k++)
            TRY(add_combination(p, &all->items[i], column, castNode(ResTarget, values.items[k]),
                                &made));
    *all = made;
    return STATUS_OK;
}

/* ---- aggregates ---- */

/* Marks what the keys and the aggregates read. */
static status note_expressions(pivot_source *p)
{
    bind_scope *s = &p->inner;
    expr *e;
    for (size_t i = 0; i < list_length(p->tree->columns); i++) {
        const PivotColumn *column = castNode(PivotColumn, list_nth(p->tree->columns, i));
        s->clause = "the keys of PIVOT";
        TRY(bind_expr(p->b, column->key, s, &e));
        s->clause = NULL;
        pivot_note_used(p, e);
    }
    for (size_t i = 0; i < list_length(p->tree->aggregates); i++)
        TRY(bind_expr(p->b, castNode(ResTarget, list_nth(p->tree->aggregates, i))->val, s, &e));
    for (size_t i = 0; i < s->aggregates.count; i++) {
        pivot_note_used(p, s->aggregates.items[i].call.argument);
        pivot_note_used(p, s->aggregates.items[i].call.second);
        pivot_note_used(p, s->aggregates.items[i].call.filter);
    }
    for (size_t i = 0; i < s->composites.count; i++) {
        pivot_note_used(p, s->composites.items[i].key);
        pivot_note_used(p, s->composites.items[i].value);
        pivot_note_used(p, s->composites.items[i].filter);
    }
    return STATUS_OK;
}

/* Returns the name of an aggregate's columns where there are several aggregates: sum(x), or count_star(). */
static const char *aggregate_name(arena *a, const ResTarget *target)
{
    const FuncCall *call = IsA(target->val, FuncCall) ? castNode(FuncCall, target->val) : NULL;
    if (target->name)
        return target->name;
    if (!call)
        return "?column?";
    const char *function = strVal(list_nth(call->funcname, list_length(call->funcname) - 1));
    const char *text = arena_format(a, call->agg_star ? "%s_star(" : "%s(", function);
    for (size_t i = 0; text && i < list_length(call->args); i++) {
        const pg_node *arg = list_nth(call->args, i);
        const ColumnRef *ref = IsA(arg, ColumnRef) ? castNode(ColumnRef, arg) : NULL;
        const pg_node *last = ref ? list_nth(ref->fields, list_length(ref->fields) - 1) : NULL;
        text = arena_format(a, "%s%s%s", text, i ? ", " : "",
                            last && IsA(last, String) ? strVal(last) : "...");
    }
    return text ? arena_format(a, "%s)", text) : NULL;
}

static status add_aggregate_target(pivot_source *p, const combination *c, const ResTarget *target,
                                   bool is_named, pivot_nodes *targets)
{
    arena *a = p->b->memory;
    const char *own = aggregate_name(a, target), *name = c->name;
    FilteredExpr *value = arena_alloc(a, sizeof *value);
    if (!value || !own)
        return bind_no_memory();
    *value = (FilteredExpr){.type = T_FilteredExpr, .arg = target->val, .filter = c->condition};
    if (!name)
        name = own;
    else if (is_named)
        name = arena_format(a, "%s_%s", name, own);
    return name ? pivot_target(p->b, name, (pg_node *)value, targets) : bind_no_memory();
}

/* PIVOT without aggregates counts. */
static status bind_pivot_count_rows(pivot_source *p, pivot_nodes *out)
{
    FuncCall *call = arena_alloc(p->b->memory, sizeof *call);
    pg_node *name = tree_string(p->b->memory, "count");
    if (!call || !name)
        return bind_no_memory();
    *call = (FuncCall){.type = T_FuncCall, .agg_star = true, .location = p->tree->location};
    call->funcname = tree_list(p->b->memory, &name, 1);
    return call->funcname ? pivot_target(p->b, NULL, (pg_node *)call, out) : bind_no_memory();
}

static status add_aggregates(pivot_source *p, const combination_list *all, pivot_nodes *targets)
{
    pivot_nodes aggregates = {0};
    for (size_t i = 0; i < list_length(p->tree->aggregates); i++)
        TRY(array_push(p->b->memory, &aggregates, list_nth(p->tree->aggregates, i)));
    if (!aggregates.count)
        TRY(bind_pivot_count_rows(p, &aggregates));
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < aggregates.count; k++) {
            const ResTarget *target = castNode(ResTarget, aggregates.items[k]);
            bool is_named = aggregates.count > 1 || target->name;
            TRY(add_aggregate_target(p, &all->items[i], target, is_named, targets));
        }
    return STATUS_OK;
}

/* ---- the query ---- */

static status pivot_groups(pivot_source *p, pivot_nodes *out)
{
    for (size_t i = 0; i < list_length(p->tree->groups); i++)
        TRY(array_push(p->b->memory, out, list_nth(p->tree->groups, i)));
    if (out->count)
        return STATUS_OK;
    TRY(note_expressions(p));
    return pivot_unused(p, out);
}

static status pivot_query(pivot_source *p, pg_select **out)
{
    arena *a = p->b->memory;
    pivot_nodes groups = {0}, targets = {0};
    combination_list all = {0};
    pg_select *select = arena_alloc(a, sizeof *select);
    pg_node *source = p->tree->source;
    TRY(pivot_groups(p, &groups));
    TRY(array_push(a, &all, ((combination){0})));
    for (size_t i = 0; i < list_length(p->tree->columns); i++)
        TRY(bind_pivot_combine(p, castNode(PivotColumn, list_nth(p->tree->columns, i)), &all));
    for (size_t i = 0; i < groups.count; i++)
        TRY(pivot_target(p->b, NULL, groups.items[i], &targets));
    TRY(add_aggregates(p, &all, &targets));
    if (!select)
        return bind_no_memory();
    *select = (SelectStmt){.type = T_SelectStmt};
    select->targetList = tree_list(a, targets.items, targets.count);
    select->fromClause = tree_list(a, &source, 1);
    select->groupClause = groups.count ? tree_list(a, groups.items, groups.count) : NULL;
    *out = select;
    return select->targetList && select->fromClause && (!groups.count || select->groupClause)
               ? STATUS_OK
               : bind_no_memory();
}

status bind_pivot(binder *b, const RangePivot *tree, bind_scope *scope, plan_node **out)
{
    pivot_source p = {.b = b, .tree = tree};
    pg_select *select;
    p.inner = (bind_scope){.parent = scope->parent, .ctes = scope->ctes};
    TRY(look_at_source(&p));
    TRY(tree->is_unpivot ? unpivot_query(&p, &select) : pivot_query(&p, &select));
    TRY(b->bind_subquery(b, select, scope->parent, scope->ctes, out));
    TRY(bind_resolve_nulls(b, out));
    return bind_add_relation(b, scope, *out, NULL, tree->alias, tree->location);
}
