/* test_function.c - functions.def as the binder reads it, and the tables of docs/SQL.md. */
#include "test.h"

#include "device/host/host.h"
#include "plan/tree/function.h"
#include "plan/tree/plan.h"

TEST(signatures_say_how_many_arguments)
{
    static const struct {
        const char *signature;
        uint32_t least, most;
    } cases[] = {{"t -> t", 1, 1},  {"ti|i -> t", 2, 3},        {"xx|x -> b", 2, 3},
                 {"-> x", 0, 0},    {"x* -> t", 1, UINT32_MAX}, {"xx* -> b", 2, UINT32_MAX},
                 {"t|t -> t", 1, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t least, most;
        function_counts(cases[i].signature, &least, &most);
        CHECK_EQ(least, cases[i].least);
        CHECK_EQ(most, cases[i].most);
    }
    CHECK_EQ(function_argument("ti|i -> t", 0), 't');
    CHECK_EQ(function_argument("ti|d -> t", 2), 'd');
    CHECK_EQ(function_argument("x* -> t", 5), 'x');
    CHECK_EQ(function_result("ti|i -> b"), 'b');
    CHECK(expr_op_takes(EXPR_AND, 1000));
    CHECK(!expr_op_takes(EXPR_NEGATE, 2));
}

/* Each row of functions.def can be read. */
TEST(every_signature_is_one)
{
    for (int op = 0; op < EXPR_OP_COUNT; op++) {
        const char *signature = function_info_of((expr_op)op)->signature;
        const char *arrow = strstr(signature, " -> ");
        CHECK(arrow);
        CHECK_EQ(strspn(signature, "tidbxBDTI|*"), arrow - signature);
        CHECK(strchr("tidbxBDTIU", arrow[4]) && arrow[4] && !arrow[5]);
    }
}

/* A NULL of a function that claims to make none would be read as a value: by aggregates, IS NULL, joins. */
TEST(functions_of_the_host_say_whether_they_make_nulls)
{
    for (int op = 0; op < EXPR_OP_COUNT; op++) {
        const function_info *info = function_info_of((expr_op)op);
        if (strcmp(info->family, "host") != 0)
            continue;
        bool makes = host_traits_of((host_function)info->operation) & HOST_MAKES_NULLS;
        CHECK_EQ(makes, info->nulls == FUNCTION_NULLS_OWN || info->nulls == FUNCTION_NULLS_MORE);
    }
}

static expr *call(arena *a, expr_op op, expr *first, expr *second)
{
    expr *const args[] = {first, second};
    expr *e = expr_new_call(a, op, type_make(TYPE_BOOL), args, second ? 2 : 1, -1);
    CHECK(e);
    return e;
}

/* By what each function does with the extremes of its type. */
TEST(what_cannot_fail)
{
    arena *a;
    CHECK_OK(arena_new(&a));
    expr *column = expr_new_column(a, 1, type_make(TYPE_INT32), true, "c");
    expr *fails = call(a, EXPR_ADD, column, column); /* overflows */
    CHECK(expr_cannot_fail(column));
    CHECK(!expr_cannot_fail(fails));
    CHECK(expr_cannot_fail(call(a, EXPR_LT, column, column)));
    CHECK(!expr_cannot_fail(call(a, EXPR_LT, column, fails)));
    CHECK(!expr_cannot_fail(expr_new_cast(a, column, type_make(TYPE_INT8), -1)));
    CHECK(expr_cannot_fail(call(a, EXPR_ISNAN, column, NULL)));
    CHECK(expr_cannot_fail(call(a, EXPR_MD5, column, NULL)));
    CHECK(!expr_cannot_fail(call(a, EXPR_CHR, column, NULL))); /* no such character */
    CHECK(!expr_cannot_fail(call(a, EXPR_REGEXP_MATCH, column, column)));
    CHECK(expr_is_repeatable(fails));
    arena_free(a);
}

static const char begin_mark[] = "<!-- functions: made by scripts/update-docs -->\n";
static const char end_mark[] = "<!-- functions end -->\n";

/* TEST_UPDATE=1 (scripts/update-docs) writes the section instead. */
TEST(functions_page_is_current)
{
    static char made[65536], page[131072];
    char path[1024];
    memset(made, 0, sizeof made);
    memset(page, 0, sizeof page);
    FILE *memory = fmemopen(made, sizeof made - 1, "w");
    CHECK(memory);
    functions_print_markdown(memory);
    fclose(memory);

    snprintf(path, sizeof path, "%s/docs/SQL.md", test_source());
    FILE *file = fopen(path, "r");
    CHECK(file);
    CHECK(fread(page, 1, sizeof page - 1, file) > 0);
    fclose(file);
    char *begin = strstr(page, begin_mark), *end = strstr(page, end_mark);
    CHECK(begin && end && begin < end);
    begin += sizeof begin_mark - 1;
    if (!getenv("TEST_UPDATE")) {
        *end = '\0';
        CHECK_TEXT_EQ(begin, made);
        return;
    }
    file = fopen(path, "w");
    CHECK(file);
    fwrite(page, 1, (size_t)(begin - page), file);
    fputs(made, file);
    fputs(end, file);
    fclose(file);
}
