/* expr.h - bound expressions: typed trees over column ids.
 *
 * Each column that a plan node makes has an id that is unique in its statement; expressions refer
 * to ids, never to positions, so that rewrites move them freely. A correlated reference is simply
 * an id that the subquery's own children do not make. Expressions live in the statement's arena and
 * are not changed once the plan is final. */
#ifndef PISTACHIO_PLAN_TREE_EXPR_H
#define PISTACHIO_PLAN_TREE_EXPR_H

#include "base/type/type.h"

typedef enum expr_kind {
    EXPR_COLUMN,   /* column_id */
    EXPR_CONSTANT, /* constant */
    EXPR_CALL,     /* op applied to args; see functions.def for what each expects */
    EXPR_CAST,     /* args[0] to `type`; fails where the value does not fit */
    EXPR_CASE,     /* args: condition, result, condition, result, ..., else (always there) */
    EXPR_SUBQUERY  /* made by the binder, gone after decorrelation */
} expr_kind;

typedef enum expr_op {
#define FUNCTION(op, name, signature, nulls, notation, family, operation, help) EXPR_##op,
#include "plan/tree/functions.def"
    EXPR_OP_COUNT
} expr_op;

typedef enum expr_subquery_kind {
    SUBQUERY_SCALAR, /* the one value of one row; NULL if there is none; more rows: an error */
    SUBQUERY_EXISTS,
    SUBQUERY_ANY, /* args[0] <comparison> ANY (subquery); IN is = ANY */
    SUBQUERY_ALL
} expr_subquery_kind;

struct plan_node;

typedef struct expr {
    expr_kind kind;
    data_type type;
    bool is_nullable; /* false: proven never NULL */
    int32_t position; /* byte offset in the SQL text, -1: none */
    uint32_t arg_count;
    struct expr **args;
    /* Bounds of the values (integers, decimals, dates, timestamps; unscaled): each holds for every row that is not
     * NULL. The planner's; narrows widths and sizes tables. */
    bool has_range;
    int128 range_min, range_max;
    union {
        uint32_t column_id;
        value constant;
        struct {
            expr_op op;
            uint32_t
                draw; /* volatile calls: those of one number are evaluated once for a row; 0: none */
        };
        struct {
            expr_subquery_kind subquery_kind;
            expr_op comparison; /* ANY, ALL: EXPR_EQ, ... */
            struct plan_node *subquery;
        };
    };
    struct expr *unfolded; /* a CASE that a call over another CASE was folded to: that call */
    const char *
        name; /* columns: for messages and EXPLAIN; casts: the place in a file that errors name; or NULL */
} expr;

/* Constructors: NULL when the arena has no memory. */
expr *expr_new(arena *a, expr_kind kind, data_type type, uint32_t arg_count, int32_t position);
expr *expr_new_column(arena *a, uint32_t id, data_type type, bool is_nullable, const char *name);
expr *expr_new_constant(arena *a, const value *v, int32_t position);
expr *expr_new_call(arena *a, expr_op op, data_type type, expr *const *args, uint32_t arg_count,
                    int32_t position);
/* arg itself where the type (and width) is the same already. */
expr *expr_new_cast(arena *a, expr *arg, data_type type, int32_t position);
/* left AND right; either may be NULL (absent). */
expr *expr_new_and(arena *a, expr *left, expr *right);
/* A deep copy (subquery plans are shared). */
expr *expr_copy(arena *a, const expr *e);

bool expr_equal(const expr *left, const expr *right); /* the same tree, positions apart */
bool expr_is_constant(const expr *e);                 /* an EXPR_CONSTANT */
bool expr_has_subquery(const expr *e);
/* Is e a comparison (=, <>, <, <=, >, >=) with a constant on one side? Then the other side, and the
 * operator with that side on the left: 3 < x gives x, >, 3. Two constants: the second is the side.
 * The outputs point into e. */
bool expr_comparison(const expr *e, const expr **out_side, expr_op *out_op,
                     const value **out_constant);
/* Returns what op becomes when its sides are swapped; op itself if it does not compare. */
expr_op expr_mirrored(expr_op op);
/* Splits nested ANDs into conjuncts, appended. Conjuncts that share the draw of a volatile call stay one. */
typedef ARRAY(expr *) expr_list;
CHECKED status expr_split_and(arena *a, expr *e, expr_list *conjuncts);
/* SQL-like text for EXPLAIN and errors, or NULL without memory. */
char *expr_text(arena *a, const expr *e);

#endif
