/* test_scan_prune.c - which row groups conditions exclude, by bounds, NULL counts, Bloom filters.
 *
 * Four row groups of 100 rows in pages of 10. Group g: i = 100 g ... 100 g + 99; k = i * 2654435761
 * % 2^32, with a Bloom filter; f = g, but NaN in the rows of group 1 that are divisible by 10; s =
 * long texts that differ behind what bounds keep; n = NULL throughout group 2, never in group 3. */
#include "exec/scan/scan_prune.h"
#include "exec/sched/query.h"
#include "parquet/write/writer.h"
#include "test.h"

enum { GROUPS = 4, ROWS = 100, PAGE_ROWS = 10 };

typedef struct pruning {
    arena *memory;
    pq_table *table;
    plan_node *scan;
} pruning;

static void write_file(const char *path)
{
    static int64_t i[ROWS], n[ROWS];
    static uint32_t k[ROWS];
    static double f[ROWS];
    static string_view s[ROWS];
    static char text[ROWS][100];
    pq_column_schema columns[] = {
        {.name = "i", .type = type_make(TYPE_INT64)},
        {.name = "k", .type = type_make(TYPE_UINT32)},
        {.name = "f", .type = type_make(TYPE_DOUBLE)},
        {.name = "s", .type = type_make(TYPE_VARCHAR)},
        {.name = "n", .type = type_make(TYPE_INT64), .is_nullable = true}};
    columns[1].options.bloom_filter = true;
    pq_writer *writer;
    pq_writer_options options = pq_writer_options_default();
    options.page_rows = PAGE_ROWS;
    CHECK_OK(pq_writer_open(path, columns, 5, &options, &writer));
    for (int g = 0; g < GROUPS; g++) {
        uint64_t all = g == 2 ? 0 : ~(uint64_t)0;
        uint64_t valid[2] = {g == 3 ? all : all << 1, all};
        for (int row = 0; row < ROWS; row++) {
            i[row] = n[row] = g * ROWS + row;
            k[row] = (uint32_t)i[row] * 2654435761;
            f[row] = g == 1 && row % 10 == 0 ? (double)__builtin_nanf("") : g;
            int bytes = snprintf(text[row], sizeof text[row], "%080d-%c", 0, 'a' + g);
            s[row] = string_view_make(text[row], (uint32_t)bytes);
            if (g == 3)
                s[row] = string_view_make("b", 1);
        }
        CHECK_OK(pq_writer_write(
            writer, (pq_column_values[]){{i, NULL}, {k, NULL}, {f, NULL}, {s, NULL}, {n, valid}},
            ROWS));
    }
    CHECK_OK(pq_writer_finish(writer));
}

static void start(pruning *p)
{
    char path[512];
    snprintf(path, sizeof path, "%s/t.parquet", test_folder());
    write_file(path);
    CHECK_OK(arena_new(&p->memory));
    CHECK_OK(pq_table_open(path, false, &p->table));
    p->scan = plan_node_new(p->memory, PLAN_SCAN, 0);
    CHECK(p->scan);
    p->scan->scan.table = p->table;
    for (uint32_t c = 0; c < p->table->columns.count; c++) {
        const pq_table_column *from = &p->table->columns.items[c];
        plan_column column = {c + 1, from->name, from->type, from->is_nullable};
        CHECK_OK(array_push(p->memory, &p->scan->columns, column));
        CHECK_OK(array_push(p->memory, &p->scan->scan.sources, c));
    }
}

static void finish(pruning *p)
{
    pq_table_close(p->table);
    arena_free(p->memory);
}

static expr *column(pruning *p, const char *name)
{
    for (uint32_t c = 0; c < p->scan->columns.count; c++) {
        const plan_column *found = &p->scan->columns.items[c];
        if (!strcmp(found->name, name))
            return expr_new_column(p->memory, found->id, found->type, true, name);
    }
    test_fail(__FILE__, __LINE__, "no column %s", name);
}

static expr *call(pruning *p, expr_op op, expr *left, expr *right)
{
    return expr_new_call(p->memory, op, type_make(TYPE_BOOL), (expr *[]){left, right},
                         right ? 2 : 1, -1);
}

static expr *compare(pruning *p, const char *name, expr_op op, value bound)
{
    return call(p, op, column(p, name), expr_new_constant(p->memory, &bound, -1));
}

static plan_statement statement;
static exec_query query = {.statement = &statement};

/* The row groups that are left, a digit each. */
static const char *left_by(pruning *p, expr *condition)
{
    char *text = arena_format(p->memory, "%s", "    ");
    size_t count = 0;
    p->scan->scan.filters.count = 0;
    CHECK_OK(array_push(p->memory, &p->scan->scan.filters, condition));
    for (uint32_t m = 0; m < p->table->row_groups.count; m++) {
        scan_prune_expect(&query, p->scan, p->table,
                          p->table->row_groups.items[m]); /* changes nothing */
        if (!scan_prune(&query, p->scan, p->table, p->table->row_groups.items[m]))
            text[count++] = (char)('0' + m);
    }
    text[count] = 0;
    return text;
}

static value number(int64_t i)
{
    return value_int(TYPE_INT64, i);
}

static value key(int64_t i)
{
    return value_int(TYPE_UINT32, (int64_t)(uint32_t)((uint32_t)i * 2654435761));
}

static value text(const char *bytes)
{
    return value_text(bytes, strlen(bytes));
}

TEST(bounds_of_numbers)
{
    pruning p;
    start(&p);
    CHECK_TEXT_EQ(left_by(&p, compare(&p, "i", EXPR_EQ, number(100))), "1");
    CHECK_TEXT_EQ(left_by(&p, compare(&p, "i", EXPR_EQ, number(400))), "");
    CHECK_TEXT_EQ(left_by(&p, compare(&p, "i", EXPR_LT, number(100))), "0");
    CHECK_TEXT_EQ(left_by(&p, compare(&p, "i", EXPR_LE, number(100))), "01");
    CHECK_TEXT_EQ(left_by(&p, compare(&p, "i", EXPR_GT, number(299))), "3");
    CHECK_TEXT_EQ(left_by(&p, compare(&p, "i", EXPR_GE, number(299))), "23");
    CHECK_TEXT_EQ(left_by(&p, compare(&p, "i", EXPR_NE, number(5))), "0123");
    value bound = number(299);
    expr *constant = expr_new_constant(p.memory, &bound, -1);
    CHECK_TEXT_EQ(left_by(&p, call(&p, EXPR_LT, constant, column(&p, "i"))), "3");
    expr *low = compare(&p, "i", EXPR_LT, number(50)),
         *high = compare(&p, "i", EXPR_GT, number(320));
    CHECK_TEXT_EQ(left_by(&p, call(&p, EXPR_OR, low, high)), "03");
    CHECK_TEXT_EQ(left_by(&p, call(&p, EXPR_AND, low, high)), "");
    finish(&p);
}

/* NaN is above every number. */
TEST(nan_may_be_above_the_upper_bound)
{
    pruning p;
    start(&p);
    CHECK_TEXT_EQ(left_by(&p, compare(&p, "f", EXPR_EQ, value_double(0))), "0");
    CHECK_TEXT_EQ(left_by(&p, compare(&p, "f", EXPR_LT, value_double(2))), "01");
    CHECK_TEXT_EQ(left_by(&p, compare(&p, "f", EXPR_GT, value_double(2))), "0123");
    CHECK_TEXT_EQ(left_by(&p, compare(&p, "f", EXPR_EQ, value_double((double)__builtin_nanf("")))),
                  "0123");
    finish(&p);
}

TEST(text_bounds_that_were_cut)
{
    pruning p;
    char zeros[96];
    start(&p);
    snprintf(zeros, sizeof zeros, "%080d-%c", 0, 'b');
    CHECK_TEXT_EQ(left_by(&p, compare(&p, "s", EXPR_EQ, text(zeros))), "012");
    CHECK_TEXT_EQ(left_by(&p, compare(&p, "s", EXPR_EQ, text("b"))), "3");
    CHECK_TEXT_EQ(left_by(&p, compare(&p, "s", EXPR_LT, text("0"))), "");
    CHECK_TEXT_EQ(left_by(&p, compare(&p, "s", EXPR_GT, text("a"))), "3");
    finish(&p);
}

TEST(bloom_filters_and_lists)
{
    pruning p;
    start(&p);
    CHECK_TEXT_EQ(left_by(&p, compare(&p, "k", EXPR_EQ, key(7))), "0");
    CHECK_TEXT_EQ(left_by(&p, compare(&p, "k", EXPR_EQ, key(333))), "3");
    CHECK_TEXT_EQ(left_by(&p, compare(&p, "k", EXPR_EQ, key(4000))), "");
    value first = key(7), second = key(250), none = value_null(type_make(TYPE_UINT32));
    expr *items[] = {column(&p, "k"), expr_new_constant(p.memory, &first, -1),
                     expr_new_constant(p.memory, &none, -1),
                     expr_new_constant(p.memory, &second, -1)};
    CHECK_TEXT_EQ(
        left_by(&p, expr_new_call(p.memory, EXPR_IN_LIST, type_make(TYPE_BOOL), items, 4, -1)),
        "02");
    finish(&p);
}

TEST(null_tests)
{
    pruning p;
    start(&p);
    CHECK_TEXT_EQ(left_by(&p, call(&p, EXPR_IS_NULL, column(&p, "n"), NULL)), "012");
    CHECK_TEXT_EQ(left_by(&p, call(&p, EXPR_IS_NOT_NULL, column(&p, "n"), NULL)), "013");
    CHECK_TEXT_EQ(left_by(&p, call(&p, EXPR_IS_NULL, column(&p, "i"), NULL)), "");
    finish(&p);
}

/* The rows of a row group that its pages leave, as "first-end ..." */
static const char *rows_left_by(pruning *p, uint32_t group, uint64_t alignment, expr *condition)
{
    pq_row_list ranges = {0};
    const char *text = "";
    p->scan->scan.filters.count = 0;
    CHECK_OK(array_push(p->memory, &p->scan->scan.filters, condition));
    CHECK_OK(scan_prune_pages(&query, p->scan, p->table, p->table->row_groups.items[group],
                              alignment, &ranges));
    for (size_t i = 0; i < ranges.count; i++)
        text = arena_format(p->memory, "%s%s%d-%d", text, i ? " " : "", (int)ranges.items[i].first,
                            (int)ranges.items[i].end);
    array_release(&ranges);
    return text;
}

TEST(pages)
{
    pruning p;
    start(&p);
    CHECK_TEXT_EQ(rows_left_by(&p, 1, 1, compare(&p, "i", EXPR_LT, number(125))), "0-30");
    CHECK_TEXT_EQ(rows_left_by(&p, 1, 1, compare(&p, "i", EXPR_NE, number(125))), "0-100");
    expr *ends = call(&p, EXPR_OR, compare(&p, "i", EXPR_LT, number(110)),
                      compare(&p, "i", EXPR_GE, number(189)));
    CHECK_TEXT_EQ(rows_left_by(&p, 1, 1, ends), "0-10 80-100");
    expr *both = call(&p, EXPR_AND, compare(&p, "i", EXPR_GE, number(120)),
                      compare(&p, "n", EXPR_LT, number(140)));
    CHECK_TEXT_EQ(rows_left_by(&p, 1, 1, both), "20-40");
    /* An OR of two columns says nothing of either's pages alone. */
    expr *either = call(&p, EXPR_OR, compare(&p, "i", EXPR_LT, number(110)),
                        compare(&p, "n", EXPR_LT, number(110)));
    CHECK_TEXT_EQ(rows_left_by(&p, 1, 1, either), "0-100");
    CHECK_TEXT_EQ(rows_left_by(&p, 3, 1, compare(&p, "i", EXPR_EQ, number(5))), "");
    finish(&p);
}

TEST(pages_of_nulls)
{
    pruning p;
    start(&p);
    CHECK_TEXT_EQ(rows_left_by(&p, 2, 1, compare(&p, "n", EXPR_GT, number(0))), "");
    CHECK_TEXT_EQ(rows_left_by(&p, 2, 1, call(&p, EXPR_IS_NULL, column(&p, "n"), NULL)), "0-100");
    CHECK_TEXT_EQ(rows_left_by(&p, 2, 1, call(&p, EXPR_IS_NOT_NULL, column(&p, "n"), NULL)), "");
    CHECK_TEXT_EQ(rows_left_by(&p, 1, 1, call(&p, EXPR_IS_NULL, column(&p, "n"), NULL)), "0-10");
    finish(&p);
}

TEST(ranges_of_rows_begin_at_the_alignment)
{
    pruning p;
    start(&p);
    CHECK_TEXT_EQ(rows_left_by(&p, 1, 64, compare(&p, "i", EXPR_EQ, number(125))), "0-64");
    CHECK_TEXT_EQ(rows_left_by(&p, 1, 64, compare(&p, "i", EXPR_EQ, number(175))), "64-100");
    CHECK_TEXT_EQ(rows_left_by(&p, 1, 64, compare(&p, "i", EXPR_GE, number(155))), "0-100");
    CHECK_TEXT_EQ(rows_left_by(&p, 1, 16, compare(&p, "i", EXPR_EQ, number(199))), "80-100");
    finish(&p);
}
