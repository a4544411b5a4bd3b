/* program_test.h - evaluating one expression over a few columns written as text, and comparing the
 * rows with text: on every ISA and with the columns in every form (flat, selected rows, dictionary
 * codes). */
#ifndef PISTACHIO_PROGRAM_TEST_H
#define PISTACHIO_PROGRAM_TEST_H

#include "plan/tree/expr.h"

/* The arena that the builders below use; freed by program_test_end. */
void program_test_begin(void);
void program_test_end(void);

/* Adds an input column: values separated by ';' as text, "null" for NULL, '~' for an empty text.
 * Returns a reference to it. All columns of a test have as many rows. */
expr *test_column(data_type type, const char *values);
expr *test_constant(data_type type, const char *text); /* "null": NULL */
expr *test_call(expr_op op, data_type type, uint32_t arg_count, ...);
expr *test_cast(expr *arg, data_type type);
expr *test_branches(data_type type, uint32_t arg_count, ...);
void test_clear_columns(void);

/* Evaluates e and compares: rows as value_format prints them, "null", separated by ';'. */
void test_rows(const char *file, int line, expr *e, const char *expected);
/* The evaluation fails with a message that contains `part`. */
void test_failure(const char *file, int line, expr *e, const char *part);
/* The rows that program_select keeps: numbers separated by ';'. */
void test_selected(const char *file, int line, expr *e, const char *expected);

/* Each allocation fails in turn, in compiling and evaluating: the error is clean. */
void test_survives_failures(expr *e);

#define CHECK_ROWS(e, expected) test_rows(__FILE__, __LINE__, (e), (expected))
#define CHECK_FAILURE(e, part) test_failure(__FILE__, __LINE__, (e), (part))
#define CHECK_SELECTED(e, expected) test_selected(__FILE__, __LINE__, (e), (expected))

#endif
