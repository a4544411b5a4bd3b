/* test_program.c - expressions: each function and operator, with NULLs, on every ISA, over flat,
 * selected and dictionary columns. Expected rows are PostgreSQL's (DuckDB's where docs/SQL.md says
 * so). */
#include "program_test.h"
#include "test.h"

#define BOOL type_make(TYPE_BOOL)
#define INT type_make(TYPE_INT32)
#define BIGINT type_make(TYPE_INT64)
#define SMALLINT type_make(TYPE_INT16)
#define DOUBLE type_make(TYPE_DOUBLE)
#define REAL type_make(TYPE_FLOAT)
#define TEXT type_make(TYPE_VARCHAR)
#define DATE type_make(TYPE_DATE)
#define TIME type_make(TYPE_TIME)
#define TIMESTAMP type_make(TYPE_TIMESTAMP)
#define INTERVAL type_make(TYPE_INTERVAL)
#define CALL1(op, type, a) test_call(EXPR_##op, (type), 1, (a))
#define CALL2(op, type, a, b) test_call(EXPR_##op, (type), 2, (a), (b))
#define CALL3(op, type, a, b, c) test_call(EXPR_##op, (type), 3, (a), (b), (c))

TEST(comparisons_of_integers)
{
    program_test_begin();
    expr *a = test_column(INT, "1;2;3;null;-5;2147483647");
    expr *b = test_column(INT, "2;2;1;3;null;-2147483648");
    CHECK_ROWS(CALL2(EQ, BOOL, a, b), "false;true;false;null;null;false");
    CHECK_ROWS(CALL2(NE, BOOL, a, b), "true;false;true;null;null;true");
    CHECK_ROWS(CALL2(LT, BOOL, a, b), "true;false;false;null;null;false");
    CHECK_ROWS(CALL2(LE, BOOL, a, b), "true;true;false;null;null;false");
    CHECK_ROWS(CALL2(GT, BOOL, a, b), "false;false;true;null;null;true");
    CHECK_ROWS(CALL2(GE, BOOL, a, b), "false;true;true;null;null;true");
    expr *two = test_constant(INT, "2");
    CHECK_ROWS(CALL2(LT, BOOL, a, two), "true;false;false;null;true;false");
    CHECK_ROWS(CALL2(LT, BOOL, two, a), "false;false;true;null;false;true");
    CHECK_ROWS(CALL2(LE, BOOL, two, a), "false;true;true;null;false;true");
    CHECK_ROWS(CALL2(NE, BOOL, two, a), "true;false;true;null;true;true");
    CHECK_ROWS(CALL2(EQ, BOOL, a, test_constant(INT, "null")), "null;null;null;null;null;null");
    CHECK_ROWS(CALL2(IS_DISTINCT, BOOL, a, b), "true;false;true;true;true;true");
    CHECK_ROWS(CALL2(IS_NOT_DISTINCT, BOOL, a, b), "false;true;false;false;false;false");
    CHECK_ROWS(CALL2(IS_NOT_DISTINCT, BOOL, a, test_constant(INT, "null")),
               "false;false;false;true;false;false");
    CHECK_ROWS(CALL2(IS_DISTINCT, BOOL, test_constant(INT, "3"), a),
               "true;true;false;true;true;true");
    CHECK_SELECTED(CALL2(GE, BOOL, a, two), "1;2;5");
    CHECK_SELECTED(CALL1(IS_NULL, BOOL, a), "3");
    CHECK_SELECTED(CALL2(LT, BOOL, a, test_constant(INT, "null")), "");
    CHECK_SELECTED(CALL2(LT, BOOL, two, test_constant(INT, "3")), "0;1;2;3;4;5");
    program_test_end();
}

TEST(comparisons_of_other_types)
{
    program_test_begin();
    expr *d = test_column(DOUBLE, "1.5;NaN;-0;Infinity;null");
    CHECK_ROWS(CALL2(LT, BOOL, d, test_constant(DOUBLE, "NaN")), "true;false;true;true;null");
    CHECK_ROWS(CALL2(EQ, BOOL, d, test_constant(DOUBLE, "NaN")), "false;true;false;false;null");
    CHECK_ROWS(CALL2(EQ, BOOL, d, test_constant(DOUBLE, "0")), "false;false;true;false;null");
    CHECK_ROWS(CALL2(GT, BOOL, d, test_constant(DOUBLE, "2")), "false;true;false;true;null");
    CHECK_ROWS(CALL2(GE, BOOL, d, d), "true;true;true;true;null");
    test_clear_columns();
    expr *t = test_column(TEXT, "apple;~;application form;applicationform;null;b;app");
    CHECK_ROWS(CALL2(LT, BOOL, t, test_constant(TEXT, "application form")),
               "true;true;false;false;null;false;true");
    CHECK_ROWS(CALL2(EQ, BOOL, t, test_constant(TEXT, "application form")),
               "false;false;true;false;null;false;false");
    CHECK_ROWS(CALL2(EQ, BOOL, t, test_constant(TEXT, "app")),
               "false;false;false;false;null;false;true");
    CHECK_ROWS(CALL2(GE, BOOL, t, test_constant(TEXT, "apple")),
               "true;false;true;true;null;true;false");
    CHECK_ROWS(CALL2(EQ, BOOL, t, t), "true;true;true;true;null;true;true");
    test_clear_columns();
    expr *wide = test_column(type_decimal(20, 2), "1.50;-99999999999999999.99;null;0");
    expr *narrow = test_column(type_decimal(10, 2), "1.50;2;3;-1");
    CHECK_ROWS(CALL2(EQ, BOOL, wide, narrow), "true;false;null;false");
    CHECK_ROWS(CALL2(LT, BOOL, wide, narrow), "false;true;null;false");
    CHECK_ROWS(CALL2(GT, BOOL, narrow, test_constant(type_decimal(20, 2), "1.49")),
               "true;true;true;false");
    CHECK_ROWS(CALL2(GT, BOOL, narrow, test_constant(type_decimal(30, 2), "1e25")),
               "false;false;false;false");
    test_clear_columns();
    expr *p = test_column(BOOL, "true;false;null;true");
    expr *q = test_column(BOOL, "true;true;false;false");
    CHECK_ROWS(CALL2(LT, BOOL, p, q), "false;true;null;false");
    CHECK_ROWS(CALL2(EQ, BOOL, p, q), "true;false;null;false");
    CHECK_ROWS(CALL2(EQ, BOOL, p, test_constant(BOOL, "false")), "false;true;null;false");
    test_clear_columns();
    expr *i = test_column(INTERVAL, "1 month;30 days;29 days 24:00:00;1 day");
    CHECK_ROWS(CALL2(EQ, BOOL, i, test_constant(INTERVAL, "30 days")), "true;true;true;false");
    expr *u = test_column(type_make(TYPE_UINT64), "18446744073709551615;0;1;2");
    CHECK_ROWS(CALL2(GT, BOOL, u, test_constant(type_make(TYPE_UINT64), "1")),
               "true;false;false;true");
    program_test_end();
}

/* More rows than a word, so that words, vectors and tails all have their turn. */
TEST(comparisons_of_many_rows)
{
    static const char digits[] = "1;2;3;4;5;6;7";
    char text[8192] = "", expected[8192] = "";
    static const uint32_t counts[] = {1, 63, 64, 65, 127, 200};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        size_t at = 0, out = 0;
        for (uint32_t i = 0; i < counts[k]; i++) {
            char digit = digits[i * 5 % 7 * 2];
            at += (size_t)snprintf(text + at, sizeof text - at, i ? ";%c" : "%c", digit);
            out += (size_t)snprintf(expected + out, sizeof expected - out, i ? ";%s" : "%s",
                                    digit >= '3' && digit < '6' ? "true" : "false");
        }
        const data_type types[] = {INT,
                                   BIGINT,
                                   SMALLINT,
                                   DATE,
                                   type_decimal(9, 0),
                                   type_decimal(25, 0),
                                   DOUBLE,
                                   type_make(TYPE_UINT8)};
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            if (types[t].id == TYPE_DATE)
                continue;
            program_test_begin();
            expr *a = test_column(types[t], text);
            expr *low = CALL2(GE, BOOL, a, test_constant(types[t], "3"));
            expr *high = CALL2(LT, BOOL, a, test_constant(types[t], "6"));
            CHECK_ROWS(CALL2(AND, BOOL, low, high), expected);
            expr *in = test_call(EXPR_IN_LIST, BOOL, 4, a, test_constant(types[t], "5"),
                                 test_constant(types[t], "3"), test_constant(types[t], "4"));
            CHECK_ROWS(in, expected);
            program_test_end();
        }
    }
}

TEST(logic_is_three_valued)
{
    program_test_begin();
    expr *a = test_column(BOOL, "true;true;true;false;false;false;null;null;null");
    expr *b = test_column(BOOL, "true;false;null;true;false;null;true;false;null");
    CHECK_ROWS(CALL2(AND, BOOL, a, b), "true;false;null;false;false;false;null;false;null");
    CHECK_ROWS(CALL2(OR, BOOL, a, b), "true;true;true;true;false;null;true;null;null");
    CHECK_ROWS(CALL1(NOT, BOOL, a), "false;false;false;true;true;true;null;null;null");
    CHECK_ROWS(CALL1(IS_TRUE, BOOL, b), "true;false;false;true;false;false;true;false;false");
    CHECK_ROWS(CALL1(IS_FALSE, BOOL, b), "false;true;false;false;true;false;false;true;false");
    CHECK_ROWS(CALL1(IS_NULL, BOOL, b), "false;false;true;false;false;true;false;false;true");
    CHECK_ROWS(CALL1(IS_NOT_NULL, BOOL, b), "true;true;false;true;true;false;true;true;false");
    expr *null = test_constant(BOOL, "null");
    CHECK_ROWS(CALL2(AND, BOOL, a, null), "null;null;null;false;false;false;null;null;null");
    CHECK_ROWS(CALL2(OR, BOOL, null, a), "true;true;true;null;null;null;null;null;null");
    CHECK_ROWS(CALL2(AND, BOOL, a, test_constant(BOOL, "true")),
               "true;true;true;false;false;false;null;null;null");
    CHECK_ROWS(CALL3(OR, BOOL, a, b, test_constant(BOOL, "true")),
               "true;true;true;true;true;true;true;true;true");
    CHECK_SELECTED(CALL2(OR, BOOL, a, b), "0;1;2;3;6");
    program_test_end();
}

TEST(ranges_that_contradict)
{
    program_test_begin();
    expr *a = test_column(INT, "1;null;5");
    expr *low = CALL2(GT, BOOL, a, test_constant(INT, "4"));
    expr *high = CALL2(LT, BOOL, a, test_constant(INT, "2"));
    CHECK_ROWS(CALL2(AND, BOOL, low, high), "false;null;false");
    expr *above = CALL2(GT, BOOL, a, test_constant(INT, "2147483647"));
    CHECK_ROWS(CALL2(AND, BOOL, low, above), "false;null;false");
    CHECK_ROWS(CALL3(AND, BOOL, low, CALL2(EQ, BOOL, a, test_constant(INT, "5")),
                     CALL1(IS_NOT_NULL, BOOL, a)),
               "false;false;true");
    program_test_end();
}

TEST(arithmetic_of_integers)
{
    program_test_begin();
    expr *a = test_column(INT, "7;-7;null;2147483647;0");
    expr *b = test_column(INT, "2;2;1;1;-3");
    CHECK_ROWS(CALL2(SUBTRACT, INT, a, b), "5;-9;null;2147483646;3");
    CHECK_ROWS(CALL2(DIVIDE, INT, a, b), "3;-3;null;2147483647;0");
    CHECK_ROWS(CALL2(MODULO, INT, a, b), "1;-1;null;0;0");
    CHECK_ROWS(CALL1(NEGATE, INT, a), "-7;7;null;-2147483647;0");
    CHECK_FAILURE(CALL2(ADD, INT, a, b), "2147483647 + 1 does not fit integer");
    CHECK_FAILURE(CALL2(MULTIPLY, INT, a, test_constant(INT, "2")),
                  "2147483647 * 2 does not fit integer");
    CHECK_FAILURE(CALL2(DIVIDE, INT, a, test_constant(INT, "0")), "division by zero");
    CHECK_FAILURE(CALL2(MODULO, INT, b, a), "division by zero");
    expr *c = test_column(BIGINT, "9223372036854775807;-9223372036854775808;null;3;4");
    CHECK_FAILURE(CALL2(ADD, BIGINT, c, test_constant(BIGINT, "1")),
                  "9223372036854775807 + 1 does not fit bigint");
    CHECK_FAILURE(CALL2(MULTIPLY, BIGINT, c, test_constant(BIGINT, "-1")), "does not fit bigint");
    CHECK_FAILURE(CALL1(NEGATE, BIGINT, c), "0 - -9223372036854775808 does not fit bigint");
    CHECK_FAILURE(CALL2(DIVIDE, BIGINT, c, test_constant(BIGINT, "-1")), "does not fit");
    CHECK_ROWS(CALL2(MODULO, BIGINT, c, test_constant(BIGINT, "-1")), "0;0;null;0;0");
    CHECK_ROWS(CALL2(DIVIDE, BIGINT, c, test_constant(BIGINT, "10")),
               "922337203685477580;-922337203685477580;null;0;0");
    program_test_end();
}

/* A row that is NULL cannot fail, whatever lies under it. */
TEST(null_rows_do_not_fail)
{
    program_test_begin();
    expr *a = test_column(INT, "1;null;3");
    expr *b = test_column(INT, "1;0;null");
    CHECK_ROWS(CALL2(DIVIDE, INT, a, b), "1;null;null");
    CHECK_ROWS(CALL2(DIVIDE, INT, a, test_constant(INT, "null")), "null;null;null");
    program_test_end();
}

TEST(arithmetic_of_decimals)
{
    program_test_begin();
    data_type money = type_decimal(15, 2), wide = type_decimal(38, 4);
    expr *price = test_column(money, "100.25;-3.10;null;9999999999999.99");
    expr *rate = test_column(money, "0.05;1.00;0.10;0.99");
    expr *one = test_constant(money, "1");
    expr *rest = CALL2(SUBTRACT, type_decimal(16, 2), one, rate);
    CHECK_ROWS(rest, "0.95;0.00;0.90;0.01");
    CHECK_ROWS(CALL2(MULTIPLY, type_decimal(31, 4), price, rest),
               "95.2375;0.0000;null;99999999999.9999");
    CHECK_ROWS(CALL2(MODULO, money, price, test_constant(money, "0.30")), "0.05;-0.10;null;0.09");
    expr *big = test_column(wide, "9999999999999999999999999999999999.9999;1;null;-2.5");
    CHECK_ROWS(CALL2(SUBTRACT, wide, big, test_constant(wide, "1")),
               "9999999999999999999999999999999998.9999;0.0000;null;-3.5000");
    CHECK_FAILURE(CALL2(ADD, wide, big, test_constant(wide, "1")), "does not fit decimal(38,4)");
    CHECK_FAILURE(CALL2(MULTIPLY, type_decimal(38, 8), big, test_constant(wide, "100")),
                  "does not fit decimal(38,8)");
    CHECK_FAILURE(CALL2(MODULO, money, price, test_constant(money, "0")), "division by zero");
    program_test_end();
}

/* The planner says that a result fits 64 bits: operands of both widths are taken. */
TEST(arithmetic_of_narrowed_decimals)
{
    program_test_begin();
    data_type wide = type_decimal(25, 2), narrowed = type_decimal(31, 4);
    narrowed.width = 8;
    expr *a = test_column(wide, "100.25;-3.10;null");
    expr *b = test_column(type_decimal(15, 2), "0.05;1.00;0.10");
    expr *product = CALL2(MULTIPLY, narrowed, a, b);
    CHECK_ROWS(product, "5.0125;-3.1000;null"); /* unknown range: checked */
    product->has_range = true;
    product->range_min = -1000000;
    product->range_max = 1000000;
    CHECK_ROWS(product, "5.0125;-3.1000;null");
    program_test_end();
}

TEST(arithmetic_of_floats)
{
    program_test_begin();
    expr *a = test_column(DOUBLE, "1.5;-2;null;NaN;1e300");
    expr *b = test_column(DOUBLE, "0.5;4;1;1;2");
    CHECK_ROWS(CALL2(ADD, DOUBLE, a, b), "2;2;null;NaN;1e+300");
    CHECK_ROWS(CALL2(MULTIPLY, DOUBLE, a, b), "0.75;-8;null;NaN;2e+300");
    CHECK_ROWS(CALL2(DIVIDE, DOUBLE, a, b), "3;-0.5;null;NaN;5e+299");
    CHECK_ROWS(CALL2(MODULO, DOUBLE, a, test_constant(DOUBLE, "1")), "0.5;-0;null;NaN;0");
    CHECK_FAILURE(CALL2(DIVIDE, DOUBLE, a, test_constant(DOUBLE, "0")), "division by zero");
    CHECK_ROWS(CALL1(NEGATE, DOUBLE, a), "-1.5;2;null;NaN;-1e+300");
    expr *f = test_column(REAL, "1.5;2.25;null;0.1;1");
    CHECK_ROWS(CALL2(ADD, REAL, f, test_constant(REAL, "1")), "2.5;3.25;null;1.1;2");
    program_test_end();
}

TEST(casts_of_numbers)
{
    program_test_begin();
    expr *i = test_column(INT, "1;-200;null;70000");
    CHECK_ROWS(test_cast(i, BIGINT), "1;-200;null;70000");
    CHECK_ROWS(test_cast(i, DOUBLE), "1;-200;null;70000");
    CHECK_ROWS(test_cast(i, type_decimal(12, 3)), "1.000;-200.000;null;70000.000");
    CHECK_ROWS(test_cast(i, type_decimal(30, 3)), "1.000;-200.000;null;70000.000");
    CHECK_ROWS(test_cast(i, TEXT), "1;-200;null;70000");
    CHECK_ROWS(test_cast(i, BOOL), "true;true;null;true");
    CHECK_FAILURE(test_cast(i, SMALLINT), "70000 does not fit smallint");
    CHECK_FAILURE(test_cast(i, type_decimal(4, 2)), "-200 does not fit decimal(4,2)");
    CHECK_FAILURE(test_cast(i, type_make(TYPE_UINT32)), "-200 does not fit uinteger");
    test_clear_columns();
    expr *d = test_column(type_decimal(10, 3), "1.500;-1.500;2.499;null;-0.001");
    CHECK_ROWS(test_cast(d, INT), "2;-2;2;null;0");
    CHECK_ROWS(test_cast(d, type_decimal(10, 1)), "1.5;-1.5;2.5;null;0.0");
    CHECK_ROWS(test_cast(d, type_decimal(25, 5)), "1.50000;-1.50000;2.49900;null;-0.00100");
    CHECK_ROWS(test_cast(d, DOUBLE), "1.5;-1.5;2.499;null;-0.001");
    CHECK_ROWS(test_cast(d, TEXT), "1.500;-1.500;2.499;null;-0.001");
    test_clear_columns();
    expr *f = test_column(DOUBLE, "2.5;3.5;-2.5;null;1e10;0.125");
    CHECK_ROWS(test_cast(f, BIGINT), "2;4;-2;null;10000000000;0");
    CHECK_ROWS(test_cast(f, type_decimal(15, 2)), "2.50;3.50;-2.50;null;10000000000.00;0.13");
    CHECK_FAILURE(test_cast(f, INT), "10000000000 does not fit integer");
    CHECK_ROWS(test_cast(f, REAL), "2.5;3.5;-2.5;null;1e+10;0.125");
    CHECK_ROWS(test_cast(f, TEXT), "2.5;3.5;-2.5;null;10000000000;0.125");
    test_clear_columns();
    expr *n = test_column(DOUBLE, "NaN");
    CHECK_FAILURE(test_cast(n, BIGINT), "NaN does not fit bigint");
    expr *b = test_column(BOOL, "true");
    CHECK_ROWS(test_cast(b, INT), "1");
    CHECK_ROWS(test_cast(b, TEXT), "true");
    program_test_end();
}

TEST(casts_of_text_and_times)
{
    program_test_begin();
    expr *t = test_column(TEXT, "12; -7 ;null;2147483647");
    CHECK_ROWS(test_cast(t, INT), "12;-7;null;2147483647");
    CHECK_ROWS(test_cast(t, DOUBLE), "12;-7;null;2147483647");
    CHECK_ROWS(test_cast(t, type_decimal(20, 2)), "12.00;-7.00;null;2147483647.00");
    CHECK_FAILURE(test_cast(t, SMALLINT), "\"2147483647\" is not a value of type smallint");
    CHECK_FAILURE(test_cast(t, DATE), "\"12\" is not a value of type date");
    test_clear_columns();
    expr *d = test_column(TEXT, "1998-12-01;null;2000-02-29");
    CHECK_ROWS(test_cast(d, DATE), "1998-12-01;null;2000-02-29");
    CHECK_ROWS(test_cast(test_cast(d, DATE), TIMESTAMP),
               "1998-12-01 00:00:00;null;2000-02-29 00:00:00");
    CHECK_ROWS(test_cast(test_cast(d, DATE), TEXT), "1998-12-01;null;2000-02-29");
    test_clear_columns();
    expr *s = test_column(TIMESTAMP, "1969-12-31 23:59:59.5;2020-05-17 10:20:30;null");
    CHECK_ROWS(test_cast(s, DATE), "1969-12-31;2020-05-17;null");
    CHECK_FAILURE(test_cast(s, INT), "cannot cast timestamp to integer");
    CHECK_ROWS(test_cast(s, TIME), "23:59:59.5;10:20:30;null");
    CHECK_ROWS(test_cast(s, TEXT), "1969-12-31 23:59:59.5;2020-05-17 10:20:30;null");
    data_type nano = TIMESTAMP;
    nano.precision = 9;
    CHECK_ROWS(test_cast(test_cast(s, nano), TIMESTAMP),
               "1969-12-31 23:59:59.5;2020-05-17 10:20:30;null");
    CHECK_ROWS(test_cast(test_constant(type_make(TYPE_NULL), "null"), DATE), "null;null;null");
    test_clear_columns();
    expr *b = test_column(TEXT, "yes;f;null");
    CHECK_ROWS(test_cast(b, BOOL), "true;false;null");
    CHECK_FAILURE(test_cast(b, INTERVAL), "is not a value of type interval");
    program_test_end();
}

TEST(case_and_its_relatives)
{
    program_test_begin();
    expr *a = test_column(INT, "1;2;null;4;0");
    expr *b = test_column(INT, "10;null;30;40;50");
    expr *is_two = CALL2(EQ, BOOL, a, test_constant(INT, "2"));
    expr *is_big = CALL2(GT, BOOL, a, test_constant(INT, "2"));
    CHECK_ROWS(test_branches(TEXT, 5, is_two, test_constant(TEXT, "two"), is_big,
                             test_constant(TEXT, "a number that is big"),
                             test_constant(TEXT, "null")),
               "null;two;null;a number that is big;null");
    CHECK_ROWS(test_branches(INT, 3, is_two, a, b), "10;2;30;40;50");
    CHECK_ROWS(test_branches(BOOL, 3, is_big, is_two, is_big), "false;false;null;false;false");
    CHECK_ROWS(CALL2(COALESCE, INT, a, b), "1;2;30;4;0");
    CHECK_ROWS(CALL3(COALESCE, INT, test_constant(INT, "null"), b, test_constant(INT, "9")),
               "10;9;30;40;50");
    CHECK_ROWS(CALL2(NULLIF, INT, a, test_constant(INT, "4")), "1;2;null;null;0");
    CHECK_ROWS(CALL3(GREATEST, INT, a, b, test_constant(INT, "35")), "35;35;35;40;50");
    CHECK_ROWS(CALL2(LEAST, INT, a, b), "1;2;30;4;0");
    CHECK_ROWS(CALL2(GREATEST, INT, test_constant(INT, "null"), a), "1;2;null;4;0");
    data_type wide = type_decimal(30, 2);
    expr *price = test_column(type_decimal(10, 2), "1.25;2.50;null;4;5");
    CHECK_ROWS(test_branches(wide, 3, is_big, test_constant(wide, "1e20"), price),
               "1.25;2.50;null;100000000000000000000.00;5.00");
    program_test_end();
}

/* A branch that can fail is computed for its own rows only. */
TEST(branches_are_lazy)
{
    program_test_begin();
    expr *a = test_column(INT, "10;20;null;40;50");
    expr *b = test_column(INT, "5;0;0;null;7");
    expr *t = test_column(TEXT, "1;x;3;4;a longer text that is not a number");
    expr *zero = CALL2(EQ, BOOL, b, test_constant(INT, "0"));
    expr *quotient = CALL2(DIVIDE, INT, a, b);
    CHECK_ROWS(test_branches(INT, 3, zero, test_constant(INT, "-1"), quotient), "2;-1;-1;null;7");
    CHECK_ROWS(CALL2(AND, BOOL, CALL1(NOT, BOOL, zero),
                     CALL2(GT, BOOL, quotient, test_constant(INT, "5"))),
               "false;false;false;null;true");
    CHECK_ROWS(CALL2(OR, BOOL, zero, CALL2(LT, BOOL, quotient, test_constant(INT, "5"))),
               "true;true;true;null;false");
    expr *is_number = CALL2(LE, BOOL, t, test_constant(TEXT, "4"));
    CHECK_ROWS(test_branches(INT, 5, zero, test_constant(INT, "null"), is_number, test_cast(t, INT),
                             test_constant(INT, "0")),
               "1;null;null;4;0");
    CHECK_ROWS(test_branches(TEXT, 3, is_number,
                             CALL2(CONCAT, TEXT, t, test_constant(TEXT, " and something longer")),
                             t),
               "1 and something longer;x;3 and something longer;4 and something longer;a longer "
               "text that is not a number");
    CHECK_ROWS(CALL2(COALESCE, INT, b, quotient), "5;0;0;null;7");
    /* A condition that can fail behind one that decides. */
    CHECK_ROWS(test_branches(INT, 5, zero, test_constant(INT, "0"),
                             CALL2(GT, BOOL, quotient, test_constant(INT, "2")),
                             test_constant(INT, "1"), test_constant(INT, "2")),
               "2;0;0;2;1");
    /* A constant that fails, where no row needs it. */
    expr *never = CALL2(DIVIDE, INT, test_constant(INT, "1"), test_constant(INT, "0"));
    CHECK_ROWS(test_branches(INT, 3, CALL2(LT, BOOL, a, test_constant(INT, "0")), never, a),
               "10;20;null;40;50");
    CHECK_FAILURE(CALL2(COALESCE, INT, a, never), "division by zero");
    CHECK_FAILURE(test_branches(INT, 3, zero, quotient, a), "division by zero");
    program_test_end();
}

TEST(in_lists)
{
    program_test_begin();
    expr *a = test_column(INT, "1;2;null;4;100");
    expr *null = test_constant(INT, "null");
    CHECK_ROWS(CALL3(IN_LIST, BOOL, a, test_constant(INT, "4"), test_constant(INT, "1")),
               "true;false;null;true;false");
    CHECK_ROWS(CALL3(IN_LIST, BOOL, a, test_constant(INT, "4"), null), "null;null;null;true;null");
    CHECK_ROWS(CALL1(NOT, BOOL, CALL3(IN_LIST, BOOL, a, test_constant(INT, "4"), null)),
               "null;null;null;false;null");
    CHECK_ROWS(CALL2(IN_LIST, BOOL, a, null), "null;null;null;null;null");
    expr *many[12];
    for (int i = 0; i < 12; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", 100 - i * 8); /* 100, 92, ... 12 */
        many[i] = test_constant(INT, number);
    }
    CHECK_ROWS(test_call(EXPR_IN_LIST, BOOL, 13, a, many[0], many[1], many[2], many[3], many[4],
                         many[5], many[6], many[7], many[8], many[9], many[10], many[11]),
               "false;false;null;false;true");
    test_clear_columns();
    expr *t = test_column(TEXT, "MAIL;SHIP;null;a text of some length;a text of same length");
    expr *long_text = test_constant(TEXT, "a text of some length");
    CHECK_ROWS(CALL3(IN_LIST, BOOL, t, test_constant(TEXT, "SHIP"), long_text),
               "false;true;null;true;false");
    expr *texts[10];
    for (int i = 0; i < 10; i++) {
        char name[16];
        snprintf(name, sizeof name, "k%d", i);
        texts[i] = test_constant(TEXT, name);
    }
    CHECK_ROWS(test_call(EXPR_IN_LIST, BOOL, 12, t, texts[0], texts[1], texts[2], texts[3],
                         texts[4], texts[5], texts[6], texts[7], texts[8], texts[9], long_text),
               "false;false;null;true;false");
    test_clear_columns();
    expr *d = test_column(DOUBLE, "1.5;NaN;null;-0");
    CHECK_ROWS(test_call(EXPR_IN_LIST, BOOL, 4, d, test_constant(DOUBLE, "NaN"),
                         test_constant(DOUBLE, "0"), test_constant(DOUBLE, "7")),
               "false;true;null;true");
    program_test_end();
}

TEST(like_patterns)
{
    program_test_begin();
    expr *t = test_column(
        TEXT, "PROMO BRUSHED TIN;a green apple;greengreen;the special, then the requests here, and "
              "more;null;~;50%;über straße;special requests special");
#define LIKE(pattern) CALL2(LIKE, BOOL, t, test_constant(TEXT, pattern))
    CHECK_ROWS(LIKE("PROMO%"), "true;false;false;false;null;false;false;false;false");
    CHECK_ROWS(LIKE("%green%"), "false;true;true;false;null;false;false;false;false");
    CHECK_ROWS(LIKE("%green"), "false;false;true;false;null;false;false;false;false");
    CHECK_ROWS(LIKE("%special%requests%"), "false;false;false;true;null;false;false;false;true");
    CHECK_ROWS(LIKE("greengreen"), "false;false;true;false;null;false;false;false;false");
    CHECK_ROWS(LIKE("green%green"), "false;false;true;false;null;false;false;false;false");
    CHECK_ROWS(LIKE("greengree%green"), "false;false;false;false;null;false;false;false;false");
    CHECK_ROWS(LIKE("%"), "true;true;true;true;null;true;true;true;true");
    CHECK_ROWS(LIKE("~"), "false;false;false;false;null;true;false;false;false");
    CHECK_ROWS(LIKE("50\\%"), "false;false;false;false;null;false;true;false;false");
    CHECK_ROWS(LIKE("_ber stra_e"), "false;false;false;false;null;false;false;true;false");
    CHECK_ROWS(LIKE("%_ TIN"), "true;false;false;false;null;false;false;false;false");
    CHECK_ROWS(LIKE("%gr__n%ap_le"), "false;true;false;false;null;false;false;false;false");
    CHECK_ROWS(LIKE("___"), "false;false;false;false;null;false;true;false;false");
    CHECK_ROWS(LIKE("%e%"), "false;true;true;true;null;false;false;true;true");
    CHECK_ROWS(CALL3(LIKE, BOOL, t, test_constant(TEXT, "50!%"), test_constant(TEXT, "!")),
               "false;false;false;false;null;false;true;false;false");
    CHECK_ROWS(CALL2(ILIKE, BOOL, t, test_constant(TEXT, "%BRUSHED t%")),
               "true;false;false;false;null;false;false;false;false");
    CHECK_ROWS(CALL2(ILIKE, BOOL, t, test_constant(TEXT, "ÜBER%")),
               "false;false;false;false;null;false;false;true;false");
    CHECK_FAILURE(LIKE("abc\\"), "ends with its escape character");
    expr *p = test_column(TEXT, "PROMO%;%gr__n%;g%green;%then%more;%;~;5_\\%;null;%special");
    CHECK_ROWS(CALL2(LIKE, BOOL, t, p), "true;true;true;true;null;true;true;null;true");
    CHECK_ROWS(CALL2(STARTS_WITH, BOOL, t, test_constant(TEXT, "the special, then")),
               "false;false;false;true;null;false;false;false;false");
#undef LIKE
    program_test_end();
}

/* Appends characters, mostly alike, some of two bytes; of a pattern some are wildcards. */
static size_t add_letters(char *out, int count, bool is_pattern)
{
    size_t at = 0;
    for (int i = 0; i < count; i++) {
        int kind = test_random_below(40);
        if (is_pattern && kind < 12)
            out[at++] = kind ? '_' : '%';
        else if (kind == 20)
            at += (size_t)snprintf(out + at, 3, "ä");
        else
            out[at++] = kind == 21 ? 'b' : 'a';
    }
    out[at] = '\0';
    return at;
}

/* Matches by the states of all places at once, a character at a time. */
static bool like_by_states(const char *text, const char *pattern)
{
    bool states[1000] = {true};
    size_t places = strlen(pattern);
    for (size_t p = 0; p < places && pattern[p] == '%'; p++)
        states[p + 1] = true;
    for (size_t t = 0; text[t];) {
        size_t bytes = (unsigned char)text[t] >= 0x80 ? 2 : 1;
        for (size_t p = places; p-- > 0;) {
            size_t of = (unsigned char)pattern[p] >= 0x80 ? 2 : 1;
            bool fits = pattern[p] == '_' || (of == bytes && !memcmp(pattern + p, text + t, of));
            bool is_start = (pattern[p] & 0xc0) != 0x80;
            if (is_start && pattern[p] != '%')
                states[p + of] = states[p] && fits;
        }
        states[0] = pattern[0] == '%';
        for (size_t p = 0; p < places; p++)
            if (pattern[p] == '%')
                states[p + 1] |= states[p];
        t += bytes;
    }
    return states[places];
}

/* Long pieces that nearly match at many places, as constants and by row. */
TEST(like_of_long_pieces)
{
    static char texts[4][4000], patterns[4][1000], all[20000], expected[100];
    for (int k = 0; k < 30; k++) {
        size_t at = 0, end = 0;
        program_test_begin();
        for (int r = 0; r < 4; r++) {
            add_letters(texts[r], 1200, false);
            size_t bytes = (size_t)snprintf(patterns[r], 1000, r % 2 ? "%%" : "%%_");
            bytes +=
                add_letters(patterns[r] + bytes, 1 + test_random_below(k < 15 ? 60 : 300), true);
            snprintf(patterns[r] + bytes, 1000 - bytes, r < 2 ? "%%" : "a");
            at += (size_t)snprintf(all + at, sizeof all - at, "%s%s", r ? ";" : "", texts[r]);
            end += (size_t)snprintf(expected + end, sizeof expected - end, "%s%s", r ? ";" : "",
                                    like_by_states(texts[r], patterns[r]) ? "true" : "false");
        }
        expr *t = test_column(TEXT, all);
        at = 0;
        for (int r = 0; r < 4; r++)
            at += (size_t)snprintf(all + at, sizeof all - at, "%s%s", r ? ";" : "", patterns[r]);
        CHECK_ROWS(CALL2(LIKE, BOOL, t, test_column(TEXT, all)), expected);
        end = 0;
        for (int r = 0; r < 4; r++)
            end += (size_t)snprintf(expected + end, sizeof expected - end, "%s%s", r ? ";" : "",
                                    like_by_states(texts[r], patterns[0]) ? "true" : "false");
        CHECK_ROWS(CALL2(LIKE, BOOL, t, test_constant(TEXT, patterns[0])), expected);
        program_test_end();
    }
}

/* Needles at every place of texts around the vectors' widths. */
TEST(searching_finds_every_place)
{
    static const int lengths[] = {13, 31, 32, 33, 63, 64, 65, 66, 130};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        char text[20000] = "", expected[4096] = "";
        size_t at = 0, out = 0;
        for (int location = -1; location + 4 <= lengths[k]; location++) {
            char row[200];
            for (int i = 0; i < lengths[k]; i++)
                row[i] = "nedn"[i % 4]; /* beginnings and ends of the needle */
            row[lengths[k]] = '\0';
            if (location >= 0)
                memcpy(row + location, "need", 4);
            at += (size_t)snprintf(text + at, sizeof text - at, out ? ";%s" : "%s", row);
            out += (size_t)snprintf(expected + out, sizeof expected - out, out ? ";%d" : "%d",
                                    location + 1);
        }
        program_test_begin();
        expr *t = test_column(TEXT, text);
        CHECK_ROWS(CALL2(POSITION, BIGINT, t, test_constant(TEXT, "need")), expected);
        program_test_end();
    }
}

TEST(text_functions)
{
    program_test_begin();
    expr *t = test_column(TEXT, "Hello;~;null;Straße in Köln, am Rhein;13-345-678");
    expr *two = test_constant(BIGINT, "2"), *three = test_constant(BIGINT, "3");
    expr *minus = test_constant(BIGINT, "-2");
    CHECK_ROWS(CALL3(SUBSTRING, TEXT, t, test_constant(BIGINT, "1"), two), "He;;null;St;13");
    CHECK_ROWS(CALL3(SUBSTRING, TEXT, t, minus, test_constant(BIGINT, "5")), "He;;null;St;13");
    CHECK_ROWS(CALL3(SUBSTRING, TEXT, t, test_constant(BIGINT, "5"), test_constant(BIGINT, "14")),
               "o;;null;ße in Köln, am;45-678");
    CHECK_ROWS(CALL2(SUBSTRING, TEXT, t, three), "llo;;null;raße in Köln, am Rhein;-345-678");
    CHECK_FAILURE(CALL3(SUBSTRING, TEXT, t, two, minus), "negative length");
    CHECK_ROWS(CALL2(LEFT, TEXT, t, two), "He;;null;St;13");
    CHECK_ROWS(CALL2(LEFT, TEXT, t, minus), "Hel;;null;Straße in Köln, am Rhe;13-345-6");
    CHECK_ROWS(CALL2(RIGHT, TEXT, t, two), "lo;;null;in;78");
    CHECK_ROWS(CALL2(RIGHT, TEXT, t, minus), "llo;;null;raße in Köln, am Rhein;-345-678");
    CHECK_ROWS(CALL1(LENGTH, BIGINT, t), "5;0;null;24;10");
    CHECK_ROWS(CALL1(OCTET_LENGTH, BIGINT, t), "5;0;null;26;10");
    CHECK_ROWS(CALL1(UPPER, TEXT, t), "HELLO;;null;STRAßE IN KÖLN, AM RHEIN;13-345-678");
    CHECK_ROWS(CALL1(LOWER, TEXT, t), "hello;;null;straße in köln, am rhein;13-345-678");
    CHECK_ROWS(CALL2(POSITION, BIGINT, t, test_constant(TEXT, "in")), "0;0;null;8;0");
    CHECK_ROWS(CALL2(POSITION, BIGINT, t, test_constant(TEXT, "~")), "1;1;null;1;1");
    CHECK_ROWS(CALL2(CONCAT, TEXT, t, test_constant(TEXT, "!")),
               "Hello!;!;null;Straße in Köln, am Rhein!;13-345-678!");
    CHECK_ROWS(CALL3(CONCAT, TEXT, test_constant(TEXT, "<"), t, t),
               "<HelloHello;<;null;<Straße in Köln, am RheinStraße in Köln, am "
               "Rhein;<13-345-67813-345-678");
    CHECK_ROWS(CALL2(CONCAT_SKIP, TEXT, t, test_constant(TEXT, "!")),
               "Hello!;!;!;Straße in Köln, am Rhein!;13-345-678!");
    CHECK_ROWS(CALL3(REPLACE, TEXT, t, test_constant(TEXT, "l"), test_constant(TEXT, "LLL")),
               "HeLLLLLLo;;null;Straße in KöLLLn, am Rhein;13-345-678");
    CHECK_ROWS(CALL3(REPLACE, TEXT, t, test_constant(TEXT, "~"), test_constant(TEXT, "x")),
               "Hello;;null;Straße in Köln, am Rhein;13-345-678");
    test_clear_columns();
    expr *s = test_column(TEXT, "  spaces  ;xxyxx;null;   ;ééabcé");
    CHECK_ROWS(CALL1(TRIM, TEXT, s), "spaces;xxyxx;null;;ééabcé");
    CHECK_ROWS(CALL1(LTRIM, TEXT, s), "spaces  ;xxyxx;null;;ééabcé");
    CHECK_ROWS(CALL1(RTRIM, TEXT, s), "  spaces;xxyxx;null;;ééabcé");
    CHECK_ROWS(CALL2(TRIM, TEXT, s, test_constant(TEXT, "xé")), "  spaces  ;y;null;   ;abc");
    test_clear_columns();
    expr *c = test_column(TEXT, "ÀÖØÞ àöøþ ÷×ß Ÿ ÿ;Ağ Ľľ Žž;Αθήνα ΣΑΣ;Москва Ёё Ґґ");
    CHECK_ROWS(CALL1(LOWER, TEXT, c), "àöøþ àöøþ ÷×ß ÿ ÿ;ağ ľľ žž;αθήνα σασ;москва ёё ґґ");
    CHECK_ROWS(CALL1(UPPER, TEXT, c), "ÀÖØÞ ÀÖØÞ ÷×ß Ÿ Ÿ;AĞ ĽĽ ŽŽ;ΑΘΉΝΑ ΣΑΣ;МОСКВА ЁЁ ҐҐ");
    program_test_end();
}

TEST(functions_of_numbers)
{
    program_test_begin();
    expr *d = test_column(DOUBLE, "2.5;-2.5;null;1234.5678;0");
    CHECK_ROWS(CALL1(ROUND, DOUBLE, d), "3;-3;null;1235;0");
    CHECK_ROWS(CALL2(ROUND, DOUBLE, d, test_constant(INT, "2")), "2.5;-2.5;null;1234.57;0");
    CHECK_ROWS(CALL2(ROUND, DOUBLE, d, test_constant(INT, "-2")), "0;-0;null;1200;0");
    CHECK_ROWS(CALL1(FLOOR, DOUBLE, d), "2;-3;null;1234;0");
    CHECK_ROWS(CALL1(CEIL, DOUBLE, d), "3;-2;null;1235;0");
    CHECK_ROWS(CALL1(TRUNC, DOUBLE, d), "2;-2;null;1234;0");
    CHECK_ROWS(CALL1(ABS, DOUBLE, d), "2.5;2.5;null;1234.5678;0");
    CHECK_ROWS(CALL1(SIGN, DOUBLE, d), "1;-1;null;1;0");
    CHECK_ROWS(CALL2(POWER, DOUBLE, d, test_constant(DOUBLE, "2")),
               "6.25;6.25;null;1524157.65279684;0");
    CHECK_ROWS(CALL1(EXP, DOUBLE, test_constant(DOUBLE, "0")), "1;1;1;1;1");
    CHECK_FAILURE(CALL1(SQRT, DOUBLE, d), "not defined for -2.5");
    CHECK_FAILURE(CALL1(LN, DOUBLE, d), "not defined for");
    CHECK_FAILURE(CALL2(POWER, DOUBLE, d, test_constant(DOUBLE, "0.5")), "not defined for -2.5");
    test_clear_columns();
    expr *p = test_column(DOUBLE, "4;100;null");
    CHECK_ROWS(CALL1(SQRT, DOUBLE, p), "2;10;null");
    CHECK_ROWS(CALL1(LOG10, DOUBLE, p), "0.6020599913279624;2;null");
    test_clear_columns();
    data_type money = type_decimal(9, 2);
    expr *m = test_column(money, "1.25;-1.25;1.24;null;99.95;-0.01");
    CHECK_ROWS(CALL1(ROUND, money, m), "1.00;-1.00;1.00;null;100.00;0.00");
    CHECK_ROWS(CALL2(ROUND, money, m, test_constant(INT, "1")), "1.30;-1.30;1.20;null;100.00;0.00");
    CHECK_ROWS(CALL1(FLOOR, money, m), "1.00;-2.00;1.00;null;99.00;-1.00");
    CHECK_ROWS(CALL1(CEIL, money, m), "2.00;-1.00;2.00;null;100.00;0.00");
    CHECK_ROWS(CALL1(TRUNC, money, m), "1.00;-1.00;1.00;null;99.00;0.00");
    CHECK_ROWS(CALL1(ABS, money, m), "1.25;1.25;1.24;null;99.95;0.01");
    CHECK_ROWS(CALL1(SIGN, money, m), "1.00;-1.00;1.00;null;1.00;-1.00");
    test_clear_columns();
    expr *i = test_column(INT, "-2147483648;15;null");
    CHECK_FAILURE(CALL2(ROUND, INT, i, test_constant(INT, "-1")), "of -2147483648 does not fit");
    CHECK_FAILURE(CALL1(ABS, INT, i), "of -2147483648 does not fit");
    CHECK_ROWS(CALL2(ROUND, INT, i, test_constant(INT, "-12")), "0;0;null");
    program_test_end();
}

TEST(times)
{
    program_test_begin();
    expr *d = test_column(DATE, "1998-09-02;2000-02-29;null;0001-01-01;2020-12-31");
#define PART(name, e) CALL2(DATE_PART, BIGINT, test_constant(TEXT, name), e)
    CHECK_ROWS(PART("year", d), "1998;2000;null;1;2020");
    CHECK_ROWS(PART("month", d), "9;2;null;1;12");
    CHECK_ROWS(PART("day", d), "2;29;null;1;31");
    CHECK_ROWS(PART("quarter", d), "3;1;null;1;4");
    CHECK_ROWS(PART("dow", d), "3;2;null;1;4");
    CHECK_ROWS(PART("isodow", d), "3;2;null;1;4");
    CHECK_ROWS(PART("doy", d), "245;60;null;1;366");
    CHECK_ROWS(PART("week", d), "36;9;null;1;53");
    CHECK_ROWS(PART("isoyear", d), "1998;2000;null;1;2020");
    CHECK_ROWS(PART("century", d), "20;20;null;1;21");
    CHECK_ROWS(PART("decade", d), "199;200;null;0;202");
    CHECK_ROWS(CALL2(DATE_PART, DOUBLE, test_constant(TEXT, "epoch"), d),
               "904694400;951782400;null;-62135596800;1609372800");
    CHECK_FAILURE(PART("fortnight", d), "date has no field \"fortnight\"");
    CHECK_ROWS(CALL2(DATE_TRUNC, TIMESTAMP, test_constant(TEXT, "month"), d),
               "1998-09-01 00:00:00;2000-02-01 00:00:00;null;0001-01-01 00:00:00;2020-12-01 "
               "00:00:00");
    CHECK_ROWS(CALL2(DATE_TRUNC, TIMESTAMP, test_constant(TEXT, "week"), d),
               "1998-08-31 00:00:00;2000-02-28 00:00:00;null;0001-01-01 00:00:00;2020-12-28 "
               "00:00:00");
    CHECK_ROWS(CALL2(DATE_ADD_DAYS, DATE, d, test_constant(INT, "-1")),
               "1998-09-01;2000-02-28;null;0001-12-31 BC;2020-12-30");
    CHECK_FAILURE(CALL2(DATE_ADD_DAYS, DATE, d, test_constant(INT, "2147483647")),
                  "does not fit date");
    CHECK_ROWS(CALL2(DATE_DIFFERENCE, BIGINT, d, test_constant(DATE, "2000-01-01")),
               "-486;59;null;-730119;7670");
    test_clear_columns();
    expr *t = test_column(TIMESTAMP, "2020-01-31 10:20:30.123456;1969-12-31 23:00:00;null");
    CHECK_ROWS(PART("hour", t), "10;23;null");
    CHECK_ROWS(PART("minute", t), "20;0;null");
    CHECK_ROWS(PART("second", t), "30;0;null");
    CHECK_ROWS(PART("milliseconds", t), "30123;0;null");
    CHECK_ROWS(PART("microseconds", t), "30123456;0;null");
    CHECK_ROWS(PART("day", t), "31;31;null");
    CHECK_ROWS(CALL2(DATE_TRUNC, TIMESTAMP, test_constant(TEXT, "hour"), t),
               "2020-01-31 10:00:00;1969-12-31 23:00:00;null");
    CHECK_ROWS(CALL2(TIMESTAMP_ADD_INTERVAL, TIMESTAMP, t, test_constant(INTERVAL, "1 month")),
               "2020-02-29 10:20:30.123456;1970-01-31 23:00:00;null");
    CHECK_ROWS(CALL2(TIMESTAMP_ADD_INTERVAL, TIMESTAMP, t,
                     test_constant(INTERVAL, "-1 year 2 days 02:00:00")),
               "2019-02-02 12:20:30.123456;1969-01-03 01:00:00;null");
    CHECK_ROWS(
        CALL2(TIMESTAMP_DIFFERENCE, INTERVAL, t, test_constant(TIMESTAMP, "2020-01-01 00:00:00")),
        "30 days 10:20:30.123456;-18262 days -01:00:00;null");
    expr *i = test_column(INTERVAL, "1 mon 3 days;01:30:00;null");
    CHECK_ROWS(CALL2(INTERVAL_ADD, INTERVAL, i, test_constant(INTERVAL, "1 day")),
               "1 mon 4 days;1 day 01:30:00;null");
    CHECK_ROWS(CALL2(INTERVAL_MULTIPLY, INTERVAL, i, test_constant(DOUBLE, "2.5")),
               "2 mons 22 days 12:00:00;03:45:00;null");
    CHECK_ROWS(CALL1(NEGATE, INTERVAL, i), "-1 mons -3 days;-01:30:00;null");
#undef PART
    program_test_end();
}

TEST(each_failing_allocation_is_survived)
{
    program_test_begin();
    expr *a = test_column(INT, "10;20;null;40;50");
    expr *b = test_column(INT, "5;0;0;null;7");
    expr *t = test_column(TEXT, "1;x;a text of more than twelve bytes;4;another longer one");
    expr *zero = CALL2(EQ, BOOL, b, test_constant(INT, "0"));
    expr *quotient = CALL2(DIVIDE, INT, a, b);
    test_survives_failures(test_branches(INT, 3, zero, test_constant(INT, "-1"), quotient));
    test_survives_failures(
        CALL2(CONCAT, TEXT, CALL1(UPPER, TEXT, t), test_constant(TEXT, " and something longer")));
    test_survives_failures(CALL2(OR, BOOL,
                                 CALL3(IN_LIST, BOOL, t, test_constant(TEXT, "x"),
                                       test_constant(TEXT, "a text of more than twelve bytes")),
                                 CALL2(LIKE, BOOL, t, test_constant(TEXT, "%longer%"))));
    test_survives_failures(test_cast(a, TEXT));
    test_survives_failures(CALL2(COALESCE, INT, a, b));
    program_test_end();
}
