/* test_program_runs.c - expressions of several instructions, which some devices compute in one launch, on
 * every ISA and over flat, selected and dictionary columns. Expected rows are worked out by hand. */
#include "program_test.h"
#include "test.h"

#define BOOL type_make(TYPE_BOOL)
#define INT type_make(TYPE_INT32)
#define BIGINT type_make(TYPE_INT64)
#define SMALLINT type_make(TYPE_INT16)
#define DOUBLE type_make(TYPE_DOUBLE)
#define TEXT type_make(TYPE_VARCHAR)
#define DATE type_make(TYPE_DATE)
#define CALL1(op, type, a) test_call(EXPR_##op, (type), 1, (a))
#define CALL2(op, type, a, b) test_call(EXPR_##op, (type), 2, (a), (b))

TEST(products_of_decimals)
{
    program_test_begin();
    data_type narrow = type_decimal(12, 2), product = type_decimal(18, 4),
              wide = type_decimal(38, 6);
    expr *price = test_column(narrow, "100.00;0.01;null;9999999999.99;-3.50");
    expr *discount = test_column(narrow, "0.05;null;0.10;0.00;-1.00");
    expr *tax = test_column(narrow, "0.08;0.02;0.00;1.00;0.50");
    expr *one = test_constant(narrow, "1.00");
    expr *rest = CALL2(MULTIPLY, product, price, CALL2(SUBTRACT, narrow, one, discount));
    CHECK_ROWS(rest, "95.0000;null;null;9999999999.9900;-7.0000");
    CHECK_ROWS(CALL2(MULTIPLY, wide, rest, CALL2(ADD, narrow, one, tax)),
               "102.600000;null;null;19999999999.980000;-10.500000");
    /* Read twice, and once more beside it. */
    data_type square = type_decimal(24, 4);
    CHECK_ROWS(CALL2(ADD, square, CALL2(MULTIPLY, square, discount, discount),
                     test_cast(discount, square)),
               "0.0525;null;0.1100;0.0000;0.0000");
    program_test_end();
}

TEST(conditions_of_several_columns)
{
    program_test_begin();
    expr *day = test_column(DATE, "1994-01-01;1993-12-31;1994-12-31;1995-01-01;null;1994-06-01");
    expr *rate = test_column(type_decimal(4, 2), "0.05;0.06;0.07;0.06;0.06;null");
    expr *amount = test_column(INT, "1;2;23;4;5;6");
    expr *from = CALL2(GE, BOOL, day, test_constant(DATE, "1994-01-01"));
    expr *to = CALL2(LT, BOOL, day, test_constant(DATE, "1995-01-01"));
    expr *few = CALL2(LT, BOOL, amount, test_constant(INT, "24"));
    expr *cheap = CALL2(GE, BOOL, rate, test_constant(type_decimal(4, 2), "0.05"));
    expr *all = test_call(EXPR_AND, BOOL, 4, from, to, few, cheap);
    CHECK_ROWS(all, "true;false;true;false;null;null");
    CHECK_SELECTED(all, "0;2");
    CHECK_ROWS(CALL1(NOT, BOOL, all), "false;true;false;true;null;null");
    CHECK_ROWS(test_call(EXPR_OR, BOOL, 2, CALL1(IS_NULL, BOOL, day), all),
               "true;false;true;false;true;null");
    CHECK_ROWS(CALL1(IS_NULL, BOOL, all), "false;false;false;false;true;true");
    program_test_end();
}

TEST(choices_within_sums)
{
    program_test_begin();
    expr *a = test_column(INT, "1;2;null;-4;5");
    expr *b = test_column(INT, "10;null;30;40;-50");
    expr *zero = test_constant(INT, "0"), *none = test_constant(INT, "null");
    expr *positive = test_branches(INT, 3, CALL2(GT, BOOL, a, zero), a, zero);
    CHECK_ROWS(positive, "1;2;0;0;5");
    CHECK_ROWS(CALL2(ADD, BIGINT, test_cast(positive, BIGINT), test_cast(b, BIGINT)),
               "11;null;30;40;-45");
    CHECK_ROWS(
        test_branches(INT, 5, CALL2(LT, BOOL, a, zero), b, CALL2(LT, BOOL, b, zero), none, a),
        "1;2;null;40;null");
    CHECK_ROWS(CALL2(IS_DISTINCT, BOOL, a, positive), "false;false;true;true;false");
    expr *word = test_column(TEXT, "one;null;~;four;null");
    CHECK_ROWS(test_branches(INT, 3, CALL1(IS_NULL, BOOL, word), b, a), "1;null;null;-4;-50");
    CHECK_ROWS(test_call(EXPR_AND, BOOL, 2, CALL2(EQ, BOOL, word, test_constant(TEXT, "four")),
                         CALL2(GT, BOOL, b, zero)),
               "false;null;false;true;false");
    program_test_end();
}

TEST(casts_within_sums)
{
    program_test_begin();
    expr *s = test_column(SMALLINT, "1;-2;null;300;7");
    expr *d = test_column(type_decimal(10, 3), "1.500;-2.499;3.000;null;0.001");
    CHECK_ROWS(CALL2(MULTIPLY, DOUBLE, test_cast(s, DOUBLE), test_cast(d, DOUBLE)),
               "1.5;4.998;null;null;0.007");
    CHECK_ROWS(CALL2(ADD, BIGINT, test_cast(d, BIGINT), test_cast(s, BIGINT)), "3;-4;null;null;7");
    CHECK_ROWS(CALL2(GT, BOOL, test_cast(s, BIGINT), test_cast(d, BIGINT)),
               "false;false;null;null;true");
    program_test_end();
}

/* A sum of more instructions than one launch takes: in a row, and as a tree whose numbers do not all fit
 * the registers. */
static expr *tree(expr *const *leaves, uint32_t count, uint32_t first, data_type type)
{
    if (count == 1)
        return leaves[first % 4];
    expr *left = tree(leaves, count / 2, first, type);
    expr *right = tree(leaves, count / 2, first + count / 2, type);
    /* Each level another sum, or equal parts would be one. */
    return CALL2(ADD, type, CALL2(MULTIPLY, type, left, test_constant(type, first % 8 ? "2" : "3")),
                 right);
}

TEST(runs_that_are_too_long)
{
    program_test_begin();
    data_type wide = type_decimal(38, 0);
    expr *a = test_column(BIGINT, "1;null;-3");
    expr *sum = a;
    for (int i = 1; i < 60; i++)
        sum = CALL2(ADD, BIGINT, sum, i % 2 ? a : test_constant(BIGINT, "5"));
    CHECK_ROWS(sum, "176;null;52"); /* 31 * a + 29 * 5 */
    expr *b = test_column(wide, "1;2;null");
    expr *c = test_column(wide, "10;0;1");
    expr *d = test_column(wide, "100;0;1");
    expr *e = test_column(wide, "1000;0;1");
    expr *leaves[] = {b, c, d, e};
    CHECK_ROWS(tree(leaves, 4, 1, wide), "2241;2;null");  /* 4c + 2d + 2e + b */
    CHECK_ROWS(tree(leaves, 4, 0, wide), "1239;18;null"); /* 9b + 3c + 2d + e */
    CHECK_ROWS(tree(leaves, 8, 0, wide), "4941;62;null"); /* 3 times that, 4b + 2c + 2d + e */
    program_test_end();
}
