/* test_exec_query.c - plans made by hand, run end to end on each device: scan, conditions,
 * aggregation. The expected rows are TPC-H's published answers. */
#include "exec/run.h"
#include "parquet/table.h"
#include "plan/optimize.h"
#include "test.h"

typedef struct engine {
    mem_budget *budget;
    device *dev;
    exec_pool *pool;
    pq_table *table;
    plan_statement statement;
} engine;

static bool engine_open(engine *e, const char *device_name, unsigned threads, const char *file)
{
    const char *path = test_data(file);
    *e = (engine){0};
    if (!path)
        return false;
    CHECK_OK(mem_budget_new(0, &e->budget));
    if (!strcmp(device_name, "simulated"))
        CHECK_OK(dev_open_simulated(0, e->budget, &e->dev));
    else
        CHECK_OK(dev_open_cpu(device_name, 0, e->budget, &e->dev));
    CHECK_OK(exec_pool_new(threads, &e->pool));
    CHECK_OK(pq_table_open(path, &e->table));
    CHECK_OK(arena_new(&e->statement.memory));
    e->statement.next_column_id = 1;
    return true;
}

static void engine_close(engine *e)
{
    CHECK_EQ(mem_budget_used(e->budget), 0);
    arena_free(e->statement.memory);
    pq_table_close(e->table);
    exec_pool_free(e->pool);
    dev_close(e->dev);
    mem_budget_free(e->budget);
}

/* A scan of all columns. */
static plan_node *scan(engine *e)
{
    arena *a = e->statement.memory;
    plan_node *node = plan_node_new(a, PLAN_SCAN, 0);
    node->scan.table = e->table;
    node->scan.table_name = "lineitem";
    for (uint32_t i = 0; i < e->table->columns.count; i++) {
        const pq_table_column *c = &e->table->columns.items[i];
        plan_column column = {e->statement.next_column_id++, c->name, c->type, c->is_nullable};
        CHECK_OK(array_push(a, &node->columns, column));
        CHECK_OK(array_push(a, &node->scan.sources, i));
    }
    return node;
}

static expr *column(engine *e, const plan_node *node, const char *name)
{
    for (size_t i = 0; i < node->columns.count; i++) {
        const plan_column *c = &node->columns.items[i];
        if (!strcmp(c->name, name))
            return expr_new_column(e->statement.memory, c->id, c->type, c->is_nullable, c->name);
    }
    test_fail(__FILE__, __LINE__, "no column %s", name);
    return NULL;
}

static expr *compare(engine *e, expr *left, expr_op op, value bound)
{
    expr *args[] = {left, expr_new_constant(e->statement.memory, &bound, -1)};
    return expr_new_call(e->statement.memory, op, type_make(TYPE_BOOL), args, 2, -1);
}

static value date(const char *text)
{
    int32_t days;
    CHECK(date_parse(text, strlen(text), &days));
    return value_int(TYPE_DATE, days);
}

/* Q6: select sum(l_extendedprice * l_discount) where shipdate, discount and quantity in ranges. */
static void revenue_plan(engine *e)
{
    arena *a = e->statement.memory;
    plan_node *source = scan(e), *filter = plan_node_new(a, PLAN_FILTER, 1);
    filter->children[0] = source;
    filter->columns = source->columns;
    value low = value_decimal(5, type_decimal(15, 2)), high = value_decimal(7, type_decimal(15, 2));
    value quantity = value_decimal(2400, type_decimal(15, 2));
    expr *conditions[] = {compare(e, column(e, source, "l_shipdate"), EXPR_GE, date("1994-01-01")),
                          compare(e, column(e, source, "l_shipdate"), EXPR_LT, date("1995-01-01")),
                          compare(e, column(e, source, "l_discount"), EXPR_GE, low),
                          compare(e, column(e, source, "l_discount"), EXPR_LE, high),
                          compare(e, column(e, source, "l_quantity"), EXPR_LT, quantity)};
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        CHECK_OK(array_push(a, &filter->filter.conditions, conditions[i]));
    expr *factors[] = {column(e, source, "l_extendedprice"), column(e, source, "l_discount")};
    plan_node *sum = plan_node_new(a, PLAN_AGGREGATE, 1);
    sum->children[0] = filter;
    plan_aggregate aggregate = {
        .function = AGGREGATE_SUM,
        .argument = expr_new_call(a, EXPR_MULTIPLY, type_decimal(30, 4), factors, 2, -1)};
    CHECK_OK(array_push(a, &sum->aggregate.aggregates, aggregate));
    plan_column result = {e->statement.next_column_id++, "revenue", type_decimal(38, 4), true};
    CHECK_OK(array_push(a, &sum->columns, result));
    e->statement.root = sum;
}

TEST(a_filtered_sum_on_each_device)
{
    static const char *const devices[] = {"scalar", "avx2", "auto", "simulated"};
    for (int d = 0; d < 4; d++)
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            engine e;
            exec_query *query;
            exec_batch *batch;
            if (!engine_open(&e, devices[d], threads, "sf0.01/lineitem.parquet"))
                SKIP("the TPC-H data is not there");
            revenue_plan(&e);
            CHECK_OK(plan_optimize(&e.statement));
            CHECK_OK(exec_query_new(&e.statement, e.dev, e.pool, e.budget, &query));
            CHECK_OK(exec_query_start(query));
            CHECK_OK(exec_query_next(query, &batch));
            CHECK(batch != NULL);
            CHECK_EQ(batch->row_count, 1);
            CHECK_EQ(*(const int128 *)batch->columns[0].values, 11930532253);
            exec_batch_free(batch);
            CHECK_OK(exec_query_next(query, &batch));
            CHECK(!batch);
            exec_query_free(query);
            engine_close(&e);
        }
}
