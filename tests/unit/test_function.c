/* test_function.c - functions.def as the binder reads it, and the tables of docs/SQL.md. */
#include "test.h"

#include "plan/function.h"
#include "plan/plan.h"

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
        CHECK(strchr("tidbxBDTI", arrow[4]) && arrow[4] && !arrow[5]);
    }
}

static const char begin_mark[] = "<!-- functions: made by scripts/update-docs -->\n";
static const char end_mark[] = "<!-- functions end -->\n";

/* TEST_UPDATE=1 (scripts/update-docs) writes the section instead. */
TEST(functions_page_is_current)
{
    static char made[32768], page[65536];
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
