/* bind_unpivot.c - UNPIVOT, as a query that reads its source once and gives each row as often as there are columns:
 *
 *     FROM t UNPIVOT (v FOR n IN (a, b))
 *     SELECT * FROM (SELECT g, CASE i WHEN 1 THEN 'a' WHEN 2 THEN 'b' END AS n, CASE i WHEN 1 THEN a WHEN 2 THEN b END AS v
 *                    FROM t, generate_series(1, 2) AS u(i)) WHERE v IS NOT NULL
 */
#include "sql/expression/bind_expr.h"
#include "sql/expression/bind_star.h"
#include "sql/query/bind_pivot.h"
#include "sql/text/tree.h"

/* Names that no SQL has. */
#define UNPIVOT_RELATION "\001unpivot"
#define UNPIVOT_NUMBER "\001number"

/* Columns that become one row: its name, and a value for each of the columns. */
typedef struct unpivot_item {
    const char *name;
    pivot_nodes values;
} unpivot_item;
typedef ARRAY(unpivot_item) unpivot_items;

/* ---- items ---- */

static status add_column_item(pivot_source *p, const bind_target *target, unpivot_items *items)
{
    unpivot_item item = {.name = target->name};
    pivot_note_used(p, target->e);
    for (size_t i = 0; i < p->inner.entries.count; i++) {
        const bind_entry *entry = &p->inner.entries.items[i];
        if (target->e->kind != EXPR_COLUMN || entry->id != target->e->column_id)
            continue;
        pg_node *column =
            tree_column(p->b->memory, entry->relation, entry->name, p->tree->location);
        if (!column)
            return bind_no_memory();
        TRY(array_push(p->b->memory, &item.values, column));
        break;
    }
    if (!item.values.count)
        return bind_unsupported(p->b, p->tree->location, "an expression in COLUMNS of UNPIVOT is");
    return array_push(p->b->memory, items, item);
}

/* Adds the columns of a star. */
static status add_star(pivot_source *p, const ColumnRef *star, unpivot_items *items)
{
    bind_target_list targets = {0};
    TRY(bind_star(p->b, star, &p->inner, true, &targets));
    for (size_t i = 0; i < targets.count; i++)
        TRY(add_column_item(p, &targets.items[i], items));
    return STATUS_OK;
}

/* Adds the columns that COLUMNS stands for. */
static status add_columns(pivot_source *p, const ColumnsExpr *tree, unpivot_items *items)
{
    bind_expansion *all = &p->inner.expansion;
    bind_target target;
    *all = (bind_expansion){.bind = bind_columns_expr};
    do {
        TRY(bind_columns_expr(p->b, tree, &p->inner, &target.e));
        target.name = all->name;
        TRY(add_column_item(p, &target, items));
    } while (++all->index < all->count);
    *all = (bind_expansion){0};
    return STATUS_OK;
}

static const char *name_of_value(const pg_node *value)
{
    if (!IsA(value, ColumnRef))
        return "?column?";
    const ColumnRef *ref = castNode(ColumnRef, value);
    const pg_node *last = list_nth(ref->fields, list_length(ref->fields) - 1);
    return IsA(last, String) ? strVal(last) : "?column?";
}

/* Adds an expression, or a row of them, with a name. */
static status add_values(pivot_source *p, const ResTarget *target, unpivot_items *items)
{
    arena *a = p->b->memory;
    const RowExpr *row = IsA(target->val, RowExpr) ? castNode(RowExpr, target->val) : NULL;
    size_t count = row ? list_length(row->args) : 1;
    unpivot_item item = {0};
    expr *e;
    for (size_t i = 0; i < count; i++) {
        pg_node *value = row ? list_nth(row->args, i) : target->val;
        const char *name = name_of_value(value);
        TRY(bind_expr(p->b, value, &p->inner, &e));
        pivot_note_used(p, e);
        TRY(array_push(a, &item.values, value));
        item.name = item.name ? arena_format(a, "%s_%s", item.name, name) : name;
        if (!item.name)
            return bind_no_memory();
    }
    if (target->name)
        item.name = target->name;
    return array_push(a, items, item);
}

static status find_items(pivot_source *p, unpivot_items *items)
{
    size_t wanted = list_length(p->tree->aggregates);
    for (size_t i = 0; i < list_length(p->tree->columns); i++) {
        const ResTarget *target = castNode(ResTarget, list_nth(p->tree->columns, i));
        if (bind_is_star(target->val))
            TRY(add_star(p, castNode(ColumnRef, target->val), items));
        else if (IsA(target->val, ColumnsExpr))
            TRY(add_columns(p, castNode(ColumnsExpr, target->val), items));
        else
            TRY(add_values(p, target, items));
    }
    for (size_t i = 0; i < items->count; i++)
        if (items->items[i].values.count != wanted)
            return bind_error(p->b, STATUS_KIND_INVALID, p->tree->location,
                              "UNPIVOT has %zu columns of values, but \"%s\" has %zu", wanted,
                              items->items[i].name, items->items[i].values.count);
    return STATUS_OK;
}

/* ---- the query ---- */

static pg_node *integer_node(arena *a, size_t number)
{
    A_Const *node = arena_alloc(a, sizeof *node);
    if (!node)
        return NULL;
    *node = (A_Const){.type = T_A_Const, .location = -1};
    node->val.ival = (Integer){.type = T_Integer, .ival = (int)number};
    return (pg_node *)node;
}

/* CASE number WHEN 1 THEN ... END: of each item its name (value < 0), or one of its values. */
static pg_node *choice_node(arena *a, const unpivot_items *items, int value)
{
    pivot_nodes branches = {0};
    CaseExpr *choice = arena_alloc(a, sizeof *choice);
    for (size_t i = 0; choice && i < items->count; i++) {
        CaseWhen *when = arena_alloc(a, sizeof *when);
        if (!when)
            return NULL;
        *when = (CaseWhen){.type = T_CaseWhen, .location = -1};
        when->expr = integer_node(a, i + 1);
        when->result = value < 0 ? tree_text(a, items->items[i].name, -1)
                                 : items->items[i].values.items[value];
        status st = array_push(a, &branches, (pg_node *)when);
        if (st || !when->expr || !when->result) {
            status_free(st);
            return NULL;
        }
    }
    if (!choice)
        return NULL;
    *choice = (CaseExpr){.type = T_CaseExpr, .location = -1};
    choice->arg = tree_column(a, UNPIVOT_RELATION, UNPIVOT_NUMBER, -1);
    choice->args = tree_list(a, branches.items, branches.count);
    return choice->arg && choice->args ? (pg_node *)choice : NULL;
}

/* generate_series(1, count), with names of its own. */
static pg_node *numbers_node(arena *a, size_t count)
{
    pg_node *name = tree_string(a, "generate_series"), *column = tree_string(a, UNPIVOT_NUMBER);
    pg_node *ends[] = {integer_node(a, 1), integer_node(a, count)};
    FuncCall *call = arena_alloc(a, sizeof *call);
    Alias *alias = arena_alloc(a, sizeof *alias);
    RangeFunction *range = arena_alloc(a, sizeof *range);
    if (!name || !column || !call || !alias || !range)
        return NULL;
    *call = (FuncCall){.type = T_FuncCall, .location = -1};
    call->funcname = tree_list(a, &name, 1);
    call->args = tree_list(a, ends, 2);
    *alias = (Alias){.type = T_Alias, .aliasname = UNPIVOT_RELATION};
    alias->colnames = tree_list(a, &column, 1);
    *range = (RangeFunction){.type = T_RangeFunction, .alias = alias};
    pg_node *function = (pg_node *)call, *pair;
    pair = (pg_node *)tree_list(a, &function, 1);
    range->functions = tree_list(a, &pair, 1);
    bool is_made = call->funcname && call->args && alias->colnames && range->functions;
    return is_made ? (pg_node *)range : NULL;
}

static pg_select *select_node(arena *a, const pivot_nodes *targets, const pivot_nodes *from)
{
    pg_select *select = arena_alloc(a, sizeof *select);
    if (!select)
        return NULL;
    *select = (SelectStmt){.type = T_SelectStmt};
    select->targetList = tree_list(a, targets->items, targets->count);
    select->fromClause = tree_list(a, from->items, from->count);
    return select->targetList && select->fromClause ? select : NULL;
}

/* Values that are all there, by their names. */
static status value_conditions(pivot_source *p, pg_node **out)
{
    arena *a = p->b->memory;
    pivot_nodes tests = {0};
    for (size_t i = 0; i < list_length(p->tree->aggregates); i++) {
        NullTest *test = arena_alloc(a, sizeof *test);
        if (!test)
            return bind_no_memory();
        *test = (NullTest){.type = T_NullTest, .nulltesttype = IS_NOT_NULL, .location = -1};
        test->arg = tree_column(a, NULL, strVal(list_nth(p->tree->aggregates, i)), -1);
        if (!test->arg)
            return bind_no_memory();
        TRY(array_push(a, &tests, (pg_node *)test));
    }
    BoolExpr *all = arena_alloc(a, sizeof *all);
    if (!all)
        return bind_no_memory();
    *all = (BoolExpr){.type = T_BoolExpr, .boolop = AND_EXPR, .location = -1};
    all->args = tree_list(a, tests.items, tests.count);
    *out = (pg_node *)all;
    return all->args ? STATUS_OK : bind_no_memory();
}

/* SELECT * FROM (rows) WHERE the values are there. */
static status without_nulls(pivot_source *p, pg_select *rows, pg_select **out)
{
    arena *a = p->b->memory;
    A_Star *star = arena_alloc(a, sizeof *star);
    ColumnRef *ref = arena_alloc(a, sizeof *ref);
    RangeSubselect *range = arena_alloc(a, sizeof *range);
    pivot_nodes targets = {0}, from = {0};
    if (!star || !ref || !range)
        return bind_no_memory();
    *star = (A_Star){.type = T_A_Star};
    pg_node *field = (pg_node *)star;
    *ref = (ColumnRef){.type = T_ColumnRef, .location = -1};
    ref->fields = tree_list(a, &field, 1);
    *range = (RangeSubselect){.type = T_RangeSubselect, .subquery = (pg_node *)rows};
    if (!ref->fields)
        return bind_no_memory();
    TRY(pivot_target(p->b, NULL, (pg_node *)ref, &targets));
    TRY(array_push(a, &from, (pg_node *)range));
    *out = select_node(a, &targets, &from);
    return *out ? value_conditions(p, &(*out)->whereClause) : bind_no_memory();
}

status unpivot_query(pivot_source *p, pg_select **out)
{
    arena *a = p->b->memory;
    unpivot_items items = {0};
    pivot_nodes rest = {0}, targets = {0}, from = {0};
    TRY(find_items(p, &items));
    TRY(pivot_unused(p, &rest));
    for (size_t i = 0; i < rest.count; i++)
        TRY(pivot_target(p->b, NULL, rest.items[i], &targets));
    TRY(pivot_target(p->b, p->tree->name, choice_node(a, &items, -1), &targets));
    for (size_t i = 0; i < list_length(p->tree->aggregates); i++)
        TRY(pivot_target(p->b, strVal(list_nth(p->tree->aggregates, i)),
                         choice_node(a, &items, (int)i), &targets));
    TRY(array_push(a, &from, p->tree->source));
    TRY(array_push(a, &from, numbers_node(a, items.count)));
    pg_select *rows = select_node(a, &targets, &from);
    if (!rows)
        return bind_no_memory();
    *out = rows;
    return p->tree->include_nulls ? STATUS_OK : without_nulls(p, rows, out);
}
