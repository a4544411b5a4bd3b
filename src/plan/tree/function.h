/* function.h - what functions.def says of each function. */
#ifndef PISTACHIO_PLAN_TREE_FUNCTION_H
#define PISTACHIO_PLAN_TREE_FUNCTION_H

#include "plan/tree/expr.h"

#include <stdio.h>

typedef enum function_nulls {
    FUNCTION_NULLS_STRICT, /* NULL if any argument is, else not */
    FUNCTION_NULLS_MORE,   /* NULL if any argument is, and of some values */
    FUNCTION_NULLS_ANY,    /* may be NULL if any argument is, else not */
    FUNCTION_NULLS_ALL,    /* NULL if all arguments are, else not */
    FUNCTION_NULLS_NEVER,
    FUNCTION_NULLS_OWN /* may be NULL whatever the arguments are */
} function_nulls;

typedef enum function_notation {
    FUNCTION_NOTATION_CALL,    /* name(x, y) */
    FUNCTION_NOTATION_INFIX,   /* x name y */
    FUNCTION_NOTATION_PREFIX,  /* name x */
    FUNCTION_NOTATION_POSTFIX, /* x name */
    FUNCTION_NOTATION_LIKE,    /* x name y [escape z] */
    FUNCTION_NOTATION_IN       /* x in (y, z) */
} function_notation;

typedef struct function_info {
    const char *name;
    const char *signature; /* "t|t -> t": functions.def */
    uint8_t nulls;         /* a function_nulls */
    uint8_t notation;      /* a function_notation */
    const char *family;    /* and the operation of it */
    int operation;
} function_info;

const function_info *function_info_of(expr_op op);
/* Is it NULL if any argument is? */
bool function_is_null_of_null(expr_op op);
/* No values of its columns are an error of the expression: it may be computed of other rows. */
bool expr_cannot_fail(const expr *e);
/* Has the same value for equal rows, whenever it is evaluated. */
bool expr_is_repeatable(const expr *e);
/* Each call gives another value. Of an expression: one in it, but not in its subqueries, does. */
bool function_is_volatile(expr_op op);
bool expr_is_volatile(const expr *e);
/* How many arguments a signature takes. *out_most: UINT32_MAX for any number. */
void function_counts(const char *signature, uint32_t *out_least, uint32_t *out_most);
/* The letter of argument i (the last one's again behind a *), and of the result. */
char function_argument(const char *signature, uint32_t i);
char function_result(const char *signature);
/* The type that a letter other than x stands for. */
data_type function_letter_type(char letter);

const char *expr_op_name(expr_op op);
bool expr_op_takes(expr_op op, uint32_t arg_count); /* is that a number of arguments for it? */

/* The tables of docs/SQL.md. */
void functions_print_markdown(FILE *to);

#endif
