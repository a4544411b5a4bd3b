/* expr_index.h - numbers of equal expressions among many, by their hash.
 *
 * Expressions are numbered from 0 in the order in which they are added; an owner who keeps a list of what
 * belongs to them has the same numbers there. Comparing each with all before it would take time by
 * the square of their number. */
#ifndef PISTACHIO_PLAN_TREE_EXPR_INDEX_H
#define PISTACHIO_PLAN_TREE_EXPR_INDEX_H

#include "plan/tree/expr.h"

#define EXPR_INDEX_NONE UINT32_MAX

typedef struct expr_index_entry {
    const expr *e; /* or NULL */
    uint64_t hash;
    uint32_t next; /* of its bucket; EXPR_INDEX_NONE: it is the last */
} expr_index_entry;

/* Zeroed: empty. */
typedef struct expr_index {
    ARRAY(expr_index_entry) entries;
    uint32_t *first; /* by bucket */
    uint32_t bucket_count;
} expr_index;

/* Adds an expression, or NULL, which must not change afterwards. */
CHECKED status expr_index_add(arena *a, expr_index *index, const expr *e);
/* Returns the number of one that equals e, and then of the next one after that number; in no order of
 * theirs. EXPR_INDEX_NONE: there is none. */
uint32_t expr_index_first(const expr_index *index, const expr *e);
uint32_t expr_index_next(const expr_index *index, const expr *e, uint32_t number);
/* The least number of one that equals e. */
uint32_t expr_index_least(const expr_index *index, const expr *e);

#endif
