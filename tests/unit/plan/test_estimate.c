/* test_estimate.c - how many rows the planner expects, and what it makes of it: the order of joins.
 *
 * A table of 1000 rows: id = 0 ... 999; t = one of 5 texts; q = 1.00 ... 50.00; n = NULL in every
 * other row. */
#include "parquet/table/table.h"
#include "parquet/write/writer.h"
#include "plan/nodes/node.h"
#include "plan/nodes/node_filter.h"
#include "plan/rules/rewrite_join_order.h"
#include "plan/tree/expr.h"
#include "test.h"

enum { ROWS = 1000, TEXTS = 5 };

typedef struct planner {
    plan_statement statement;
    pq_table *table;
} planner;

static void write_file(const char *path)
{
    static int64_t id[ROWS], q[ROWS], n[ROWS];
    static string_view t[ROWS];
    static uint64_t every_other[ROWS / 64 + 1];
    static const char *texts[TEXTS] = {"one", "two", "three", "four", "five"};
    pq_column_schema columns[] = {
        {.name = "id", .type = type_make(TYPE_INT64)},
        {.name = "t", .type = type_make(TYPE_VARCHAR)},
        {.name = "q", .type = type_decimal(15, 2)},
        {.name = "n", .type = type_make(TYPE_INT64), .is_nullable = true}};
    for (int row = 0; row < ROWS; row++) {
        id[row] = n[row] = row;
        q[row] = (row % 50 + 1) * 100;
        t[row] = string_view_make(texts[row % TEXTS], (uint32_t)strlen(texts[row % TEXTS]));
        every_other[row / 64] = 0x5555555555555555;
    }
    pq_writer *writer;
    CHECK_OK(pq_writer_open(path, columns, 4, NULL, &writer));
    CHECK_OK(pq_writer_write(
        writer, (pq_column_values[]){{id, NULL}, {t, NULL}, {q, NULL}, {n, every_other}}, ROWS));
    CHECK_OK(pq_writer_finish(writer));
}

static void start(planner *p)
{
    char path[512];
    snprintf(path, sizeof path, "%s/t.parquet", test_folder());
    write_file(path);
    *p = (planner){.statement.next_column_id = 1};
    CHECK_OK(arena_new(&p->statement.memory));
    CHECK_OK(pq_table_open(path, false, &p->table));
}

static void finish(planner *p)
{
    pq_table_close(p->table);
    arena_free(p->statement.memory);
}

static plan_node *scan(planner *p)
{
    plan_node *node = plan_node_new(p->statement.memory, PLAN_SCAN, 0);
    CHECK(node);
    node->scan.table = p->table;
    for (uint32_t c = 0; c < p->table->columns.count; c++) {
        const pq_table_column *from = &p->table->columns.items[c];
        plan_column column = {p->statement.next_column_id++, from->name, from->type,
                              from->is_nullable};
        CHECK_OK(array_push(p->statement.memory, &node->columns, column));
        CHECK_OK(array_push(p->statement.memory, &node->scan.sources, c));
    }
    return node;
}

static expr *column(planner *p, const plan_node *node, const char *name)
{
    for (size_t c = 0; c < node->columns.count; c++) {
        const plan_column *found = &node->columns.items[c];
        if (!strcmp(found->name, name))
            return expr_new_column(p->statement.memory, found->id, found->type, found->is_nullable,
                                   name);
    }
    test_fail(__FILE__, __LINE__, "no column %s", name);
}

static expr *call(planner *p, expr_op op, expr *left, expr *right)
{
    return expr_new_call(p->statement.memory, op, type_make(TYPE_BOOL), (expr *[]){left, right},
                         right ? 2 : 1, -1);
}

static expr *constant(planner *p, value v)
{
    return expr_new_constant(p->statement.memory, &v, -1);
}

/* A scan under a condition of a column and perhaps a constant. */
static plan_node *filtered(planner *p, const char *name, expr_op op, const value *bound)
{
    plan_node *node = scan(p);
    expr *e = call(p, op, column(p, node, name), bound ? constant(p, *bound) : NULL);
    CHECK_OK(array_push(p->statement.memory, &node->scan.filters, e));
    plan_estimate(&p->statement, node);
    return node;
}

static int rows_of(const plan_node *node)
{
    return (int)(node->estimated_rows + 0.5);
}

TEST(conditions)
{
    planner p;
    start(&p);
    value three = value_text("three", 5), hundred = value_int(TYPE_INT64, 100);
    CHECK_EQ(rows_of(filtered(&p, "t", EXPR_EQ, &three)), ROWS / TEXTS);
    CHECK_EQ(rows_of(filtered(&p, "t", EXPR_NE, &three)), ROWS - ROWS / TEXTS);
    CHECK_EQ(rows_of(filtered(&p, "id", EXPR_EQ, &hundred)), 1);
    CHECK_EQ(rows_of(filtered(&p, "id", EXPR_LT, &hundred)), 100);
    CHECK_EQ(rows_of(filtered(&p, "n", EXPR_IS_NULL, NULL)), ROWS / 2);
    CHECK_EQ(rows_of(filtered(&p, "n", EXPR_IS_NOT_NULL, NULL)), ROWS / 2);
    finish(&p);
}

/* id lies between 0 and 999, q between 1 and 50. */
TEST(comparisons_of_two_columns)
{
    planner p;
    start(&p);
    static const struct {
        const char *left, *right;
        expr_op op;
        int rows;
    } cases[] = {
        {"q", "id", EXPR_LT, 974}, {"id", "q", EXPR_GT, 974}, {"id", "q", EXPR_LT, 26},
        {"q", "id", EXPR_GE, 26},  {"id", "n", EXPR_LT, 499}, {"q", "t", EXPR_LT, 500},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plan_node *node = scan(&p);
        expr *e = call(&p, cases[i].op, column(&p, node, cases[i].left),
                       column(&p, node, cases[i].right));
        CHECK_OK(array_push(p.statement.memory, &node->scan.filters, e));
        plan_estimate(&p.statement, node);
        CHECK_EQ(rows_of(node), cases[i].rows);
    }
    finish(&p);
}

/* Rows above sum(q) > bound, grouped by t: 5 groups of 200 rows, about 5100 each. */
static double rows_above(planner *p, int64_t bound)
{
    arena *a = p->statement.memory;
    plan_node *node = plan_node_new(a, PLAN_AGGREGATE, 1), *filter;
    CHECK(node);
    plan_node *input = node->children[0] = scan(p);
    plan_estimate(&p->statement, input);
    CHECK_OK(array_push(a, &node->aggregate.groups, column(p, input, "t")));
    plan_aggregate sum = {.function = AGGREGATE_SUM, .argument = column(p, input, "q")};
    CHECK_OK(array_push(a, &node->aggregate.aggregates, sum));
    CHECK_OK(array_push(a, &node->columns, input->columns.items[1]));
    plan_column result = {p->statement.next_column_id++, "sum", type_decimal(38, 2), true};
    CHECK_OK(array_push(a, &node->columns, result));
    plan_estimate(&p->statement, node);
    CHECK_EQ(rows_of(node), TEXTS);
    expr_list conditions = {0};
    expr *limit = constant(p, value_decimal(bound * 100, type_decimal(38, 2)));
    CHECK_OK(array_push(a, &conditions, call(p, EXPR_GT, column(p, node, "sum"), limit)));
    node->estimated_rows = TEXTS;
    CHECK_OK(plan_filter_over(a, node, &conditions, &filter));
    plan_estimate(&p->statement, filter);
    return filter->estimated_rows;
}

TEST(groups_above_a_sum)
{
    planner p;
    start(&p);
    CHECK_EQ((int)(rows_above(&p, 100) * 10 + 0.5), TEXTS * 10);
    CHECK_EQ((int)(rows_above(&p, 5100) * 10 + 0.5), TEXTS * 10 / 2);
    CHECK_EQ((int)(rows_above(&p, 50000) + 0.5), 1); /* the least that is ever expected */
    finish(&p);
}

/* a.id = b.id and b.id = c.id, where a and c are small: a and c meet first, although nothing
 * compares them, and b's rows are asked for once. */
TEST(equal_columns_join_in_any_order)
{
    planner p;
    start(&p);
    arena *a = p.statement.memory;
    value ten = value_int(TYPE_INT64, 10), five = value_int(TYPE_INT64, 5);
    plan_node *first = filtered(&p, "id", EXPR_LT, &ten), *second = scan(&p);
    plan_node *third = filtered(&p, "id", EXPR_LT, &five), *joined;
    plan_estimate(&p.statement, second);
    join_graph graph = {0};
    CHECK_OK(array_push(a, &graph.relations, first));
    CHECK_OK(array_push(a, &graph.relations, second));
    CHECK_OK(array_push(a, &graph.relations, third));
    CHECK_OK(array_push(a, &graph.conditions,
                        call(&p, EXPR_EQ, column(&p, first, "id"), column(&p, second, "id"))));
    CHECK_OK(array_push(a, &graph.conditions,
                        call(&p, EXPR_EQ, column(&p, second, "id"), column(&p, third, "id"))));
    CHECK_OK(rewrite_join_order(&p.statement, &graph, &joined));
    CHECK_EQ(joined->kind, PLAN_JOIN);
    CHECK_EQ(joined->join.left_keys.count, 1);
    bool is_left = joined->children[0] == second;
    CHECK(is_left || joined->children[1] == second);
    const plan_node *below = joined->children[is_left ? 1 : 0];
    CHECK_EQ(below->kind, PLAN_JOIN);
    CHECK_EQ(below->join.left_keys.count, 1);
    finish(&p);
}
