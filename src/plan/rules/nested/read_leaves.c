/* read_leaves.c - see read_leaves.h. */
#include "plan/rules/nested/read_leaves.h"

#include "base/system/guard.h"
#include "parquet/table/table.h"
#include "plan/nodes/visit.h"

/* A nested column of a scan. */
typedef struct scanned {
    const pq_node *node;
    bool *leaves; /* that are read */
} scanned;

typedef struct marker {
    arena *memory;
    scanned *columns; /* by id; node NULL: another column */
    uint32_t count;
    const plan_node *at; /* whose expressions are visited */
} marker;

static status read_leaves_no_memory(size_t bytes)
{
    return status_no_memory("plan", bytes);
}

/* ---- uses ---- */

typedef struct part {
    const scanned *column; /* NULL: the expression is not a part of one */
    const pq_node *node;
} part;

static void mark(part p, uint32_t count)
{
    for (uint32_t i = 0; p.column && i < count; i++)
        p.column->leaves[p.node->leaf - p.column->node->leaf + i] = true;
}

static void mark_all(part p)
{
    mark(p, p.column ? p.node->leaf_count : 0);
}

static part column_part(const marker *m, uint32_t id)
{
    const scanned *column = id < m->count && m->columns[id].node ? &m->columns[id] : NULL;
    return (part){column, column ? column->node : NULL};
}

static bool is_call(const expr *e, expr_op op)
{
    return e->kind == EXPR_CALL && e->op == op;
}

/* The part of a column that e is: a field, or any element. */
static part part_of(const marker *m, const expr *e)
{
    if (e->kind == EXPR_COLUMN)
        return column_part(m, e->column_id);
    if (!is_call(e, EXPR_STRUCT_FIELD) && !is_call(e, EXPR_LIST_ELEMENT))
        return (part){0};
    part p = part_of(m, e->args[0]);
    if (!p.column)
        return p;
    uint64_t child =
        is_call(e, EXPR_STRUCT_FIELD) ? (uint64_t)value_int128(&e->args[1]->constant) : 0;
    if (child >= p.node->child_count || p.node->type.id == TYPE_MAP) {
        mark_all(p);
        return (part){0};
    }
    p.node = p.node->children[child];
    return p;
}

static void visit_use(const marker *m, const expr *e);

/* The numbers of elements on the way to a part are uses of their own. */
static void visit_numbers(const marker *m, const expr *e)
{
    for (; e->kind == EXPR_CALL; e = e->args[0])
        if (e->op == EXPR_LIST_ELEMENT)
            visit_use(m, e->args[1]);
}

static void visit_use(const marker *m, const expr *e)
{
    bool asks_little =
        is_call(e, EXPR_IS_NULL) || is_call(e, EXPR_IS_NOT_NULL) || is_call(e, EXPR_LIST_LENGTH);
    part p = part_of(m, e);
    if (p.column) {
        mark_all(p);
        visit_numbers(m, e);
        return;
    }
    for (uint32_t i = 0; i < e->arg_count; i++) {
        part arg = part_of(m, e->args[i]);
        if (asks_little && arg.column) {
            mark(arg, 1); /* any leaf's levels say it */
            visit_numbers(m, e->args[i]);
        } else {
            visit_use(m, e->args[i]);
        }
    }
}

static void read_leaves_visit_slot(expr **slot, void *context)
{
    const marker *m = context;
    const expr *e = *slot;
    bool is_passed = m->at->kind == PLAN_PROJECT && e->kind == EXPR_COLUMN &&
                     plan_column_index(m->at, e->column_id) >= 0;
    if (!is_passed)
        visit_use(m, e);
}

static void mark_columns(const marker *m, const plan_node *node)
{
    for (size_t i = 0; i < node->columns.count; i++)
        mark_all(column_part(m, node->columns.items[i].id));
}

/* Whether the node's rows are its children's, column by column with their ids. */
static bool passes_ids(const plan_node *node)
{
    return node->kind == PLAN_FILTER || node->kind == PLAN_PROJECT || node->kind == PLAN_JOIN ||
           node->kind == PLAN_LIMIT || node->kind == PLAN_AGGREGATE;
}

static status mark_tree(marker *m, plan_node *node)
{
    TRY(guard_check());
    for (uint32_t i = 0; i < node->child_count; i++) {
        TRY(mark_tree(m, node->children[i]));
        if (!passes_ids(node))
            mark_columns(m, node->children[i]);
    }
    m->at = node;
    plan_visit_exprs(node, read_leaves_visit_slot, m);
    return STATUS_OK;
}

/* ---- scans ---- */

static status add_column(marker *m, const plan_node *scan, size_t i)
{
    const pq_table *table = scan->scan.table;
    const pq_table_column *column = &table->columns.items[scan->scan.sources.items[i]];
    const pq_node *node =
        type_is_nested(column->type) ? table->schema->leaves[column->leaf].node : NULL;
    uint32_t id = scan->columns.items[i].id;
    if (!node || id >= m->count)
        return STATUS_OK;
    m->columns[id].leaves = arena_alloc_array(m->memory, node->leaf_count + 1, sizeof(bool));
    m->columns[id].node = node;
    return m->columns[id].leaves ? STATUS_OK : read_leaves_no_memory(node->leaf_count);
}

static status find_scans(marker *m, const plan_node *node)
{
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(find_scans(m, node->children[i]));
    for (size_t i = 0; node->kind == PLAN_SCAN && i < node->columns.count; i++)
        TRY(add_column(m, node, i));
    return STATUS_OK;
}

/* The leaves of a column; NULL: all. A column of which nothing is asked still has rows. */
static const bool *leaves_of(const scanned *column)
{
    uint32_t read = 0;
    for (uint32_t i = 0; i < column->node->leaf_count; i++)
        read += column->leaves[i];
    if (!read)
        column->leaves[0] = true;
    return read < column->node->leaf_count && column->node->leaf_count > 1 ? column->leaves : NULL;
}

static status tell_scans(const marker *m, plan_node *node)
{
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(tell_scans(m, node->children[i]));
    for (size_t i = 0; node->kind == PLAN_SCAN && i < node->columns.count; i++) {
        part p = column_part(m, node->columns.items[i].id);
        TRY(array_push(m->memory, &node->scan.read_leaves, p.column ? leaves_of(p.column) : NULL));
    }
    return STATUS_OK;
}

static status each_tree(plan_statement *s, marker *m, status (*visit)(marker *m, plan_node *node))
{
    for (size_t i = 0; i < s->shared.count; i++)
        TRY(visit(m, s->shared.items[i]));
    return visit(m, s->root);
}

static status read_leaves_find_in(marker *m, plan_node *node)
{
    return find_scans(m, node);
}

static status mark_in(marker *m, plan_node *node)
{
    TRY(mark_tree(m, node));
    mark_columns(m, node); /* somebody takes the rows whole */
    return STATUS_OK;
}

static status tell_in(marker *m, plan_node *node)
{
    return tell_scans(m, node);
}

status nested_mark_leaves(plan_statement *s)
{
    marker m = {.memory = s->memory, .count = s->next_column_id};
    m.columns = arena_alloc_array(s->memory, (size_t)m.count + 1, sizeof *m.columns);
    if (!m.columns)
        return read_leaves_no_memory(m.count * sizeof *m.columns);
    TRY(each_tree(s, &m, read_leaves_find_in));
    TRY(each_tree(s, &m, mark_in));
    return each_tree(s, &m, tell_in);
}
