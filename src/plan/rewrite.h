/* rewrite.h - inside the optimizer: what the rewrites share.
 *
 * A rewrite takes a node and gives the node to put in its place. Columns keep their ids, so that
 * whatever is above needs no change. */
#ifndef PISTACHIO_PLAN_REWRITE_H
#define PISTACHIO_PLAN_REWRITE_H

#include "plan/plan.h"

/* A set of column ids. */
typedef struct column_set {
    uint64_t *words;
    uint32_t bit_count;
} column_set;

CHECKED status column_set_new(arena *a, uint32_t bit_count, column_set *out);
CHECKED status column_set_copy(arena *a, const column_set *set, column_set *out);
void column_set_add(column_set *set, uint32_t id);
bool column_set_has(const column_set *set, uint32_t id);
/* Adds the columns that the node makes. */
void column_set_add_node(column_set *set, const plan_node *node);
/* Adds the columns that an expression reads. */
void column_set_add_expr(column_set *set, const expr *e);
void column_set_add_list(column_set *set, const expr_list *list);
bool column_set_covers(const column_set *set, const expr *e); /* all that e reads */
bool column_set_meets(const column_set *set, const expr *e);  /* one that e reads */

/* e with each column of `from` replaced by the expression beside it; shares what does not change.
 * NULL without memory. */
expr *expr_substitute(arena *a, expr *e, const plan_column_list *from, expr *const *to);
/* The conjuncts of a condition, appended, as far as they can be true: what all arms of an OR have in common stands alone,
 * IS NOT DISTINCT FROM a constant is = or IS NULL. */
CHECKED status plan_split_condition(arena *a, expr *e, expr_list *conditions);
/* What an OR says of one relation alone: each arm's conjuncts over it (p.a = 1 and q.b = 2 or p.a =
 * 3 and q.b = 4 implies p.a = 1 or p.a = 3). NULL: nothing. */
CHECKED status plan_implied_condition(arena *a, const expr *e, const column_set *relation,
                                      expr **out);
/* e is NULL wherever the columns of the set are. */
bool plan_is_null_with(const expr *e, const column_set *set);
/* No row in which all columns of the set are NULL can pass the condition. */
bool plan_rejects_nulls(const expr *e, const column_set *set);
/* Of a join that is neither an anti join that heeds NULLs nor a mark join: what is compared by IS NOT
 * DISTINCT FROM between its sides becomes keys. Beside keys of `=` they are such in which NULL is
 * told apart, else NULL equals NULL among all of them. */
CHECKED status plan_take_null_keys(arena *a, plan_node *join, const column_set *left,
                                   const column_set *right);
/* A join that keeps its left side builds on it where that is clearly the smaller one. */
void plan_choose_build_side(const plan_statement *statement, plan_node *join);
/* A filter above the node, or the node itself where there are no conditions. */
CHECKED status plan_filter_over(arena *a, plan_node *node, const expr_list *conditions,
                                plan_node **out);
/* Puts a plan that is the node under a filter of the conditions in its place, each condition as far
 * down as it can be (rewrite_filters.c). */
CHECKED status plan_push_conditions(plan_statement *statement, expr_list *conditions,
                                    plan_node **node);
/* Its expressions give the same for equal rows whenever they are computed. What does not is computed once for each row
 * where it is written: nothing is moved through it, and it is not copied. */
bool plan_is_repeatable(const plan_node *node);
/* The columns that a join of this type makes. */
CHECKED status plan_join_columns(arena *a, plan_node *join);
/* The columns of its sides. */
CHECKED status plan_join_sides(plan_statement *s, const plan_node *join, column_set *left,
                               column_set *right);

/* rewrite_outer_joins.c */

/* A condition above the join that no row with NULLs for one side passes makes that side's rows required: an outer
 * join becomes a narrower one. */
CHECKED status plan_narrow_outer_join(plan_statement *s, plan_node *join,
                                      const expr_list *conditions);
/* An outer join of which a condition keeps only rows without a partner, as an anti join under a projection that has
 * the other side's columns as NULLs; another node is given as it is. */
CHECKED status plan_anti_of_outer_join(plan_statement *s, plan_node *join,
                                       const expr_list *conditions, plan_node **out);
/* What an outer join gives whose rows are those of `kept` alone, a side or what has become of it: the other
 * columns are NULL. */
CHECKED status plan_pad_columns(plan_statement *s, const plan_node *join, plan_node *kept,
                                plan_node **out);

/* The rules. */
#define RULE(name, is_needed, help) CHECKED status rewrite_##name(plan_statement *statement);
#define PART(name, help)
#include "plan/optimizer_rules.def"
#undef RULE
#undef PART
/* May a rule take this decision? Not if the statement leaves it out. */
bool plan_rule_is_on(const plan_statement *statement, plan_rule rule);
/* Calls rewrite for the tree of each shared plan, in order, then for the root's. */
CHECKED status plan_each_tree(plan_statement *statement,
                              status (*rewrite)(plan_statement *statement, plan_node *node,
                                                plan_node **out));

/* The scans below a join's probe side drop rows without its keys, where its type lets them: runtime
 * filters that the build side gives. */
CHECKED status rewrite_offer_keys(plan_statement *statement, plan_node *join);
/* The scans below a node that give the column do so by the keys of one pair of the join; is_beside: the node is not
 * its probe side. For pairs of which there is a filter. */
CHECKED status plan_offer_key(plan_statement *s, plan_node *join, size_t key, plan_node *below,
                              uint32_t id, bool is_beside);
bool plan_can_offer_key(const plan_node *join, size_t key);
/* The column that has the same values, and that filters take for the expression: it, or the one that it makes an
 * integer of another width of. NULL: none. */
const expr *plan_filter_column(const expr *e);
/* Probe rows without a match on the build side come to nothing. */
bool plan_drops_probe_rows(const plan_node *node);
/* What a join is built on. */
plan_node *plan_build_side(const plan_node *join);
/* The rows of all tables beneath a node. */
double plan_scanned_rows(const plan_node *node);

/* A scan of the same rows with ids of its own: of the columns in `read`, which has those of the
 * conditions, it gives those in `emitted`. to[i]: what stands for scan->columns.items[i]. Bounds and
 * runtime filters are not copied. */
CHECKED status plan_copy_scan(plan_statement *statement, const plan_node *scan,
                              const column_set *emitted, const column_set *read, expr **to,
                              plan_node **out);

/* Makes a plan a shared one, and a reference to one, whose columns are its own. Rules that share
 * plans put them in order afterwards: an earlier one never refers to a later one. */
CHECKED status plan_make_shared(plan_statement *s, plan_node *plan, uint32_t *out_id);
CHECKED status plan_shared_reference(plan_statement *s, uint32_t id, plan_node **out);
CHECKED status plan_order_shared(plan_statement *s);

/* A deep copy of a plan with subqueries in it, which rewrites may change; with other ids for all
 * columns that are made in it. */
CHECKED status plan_copy(plan_statement *s, const plan_node *node, plan_node **out);
CHECKED status plan_copy_renamed(plan_statement *s, const plan_node *node, plan_node **out);

/* Is it a count, which is 0 of no rows where the others are NULL? */
bool plan_aggregate_counts(const plan_aggregate *aggregate);
/* Whether an aggregate's results of parts can be put together: by *out, the column of which is of
 * the same type. AVG cannot, but by the sum and the count that it is made of. */
bool plan_aggregate_merges(const plan_aggregate *aggregate, plan_aggregate_function *out);
/* The mean by the sum of all values and their number, columns or of columns, as AGGREGATE_AVG
 * computes it, digit for digit; NULL without memory. */
expr *plan_mean(arena *a, expr *sum, expr *count);
/* The type of the sum that a mean of such values is made of. */
data_type plan_sum_type(data_type type);

/* What rewrite_join_order puts together. */
typedef ARRAY(plan_node *) plan_node_list;
typedef struct join_graph {
    plan_node_list relations; /* each rewritten already */
    plan_node_list reducers; /* semi and anti joins of any of them with their own right child, which
                                is rewritten; their left child is to be chosen */
    expr_list conditions;    /* between relations */
} join_graph;

CHECKED status rewrite_join_order(plan_statement *statement, join_graph *graph, plan_node **out);

/* rewrite_files.c */

/* Of a closed table (table_listed.h): the scan's conditions on keys leave out files; those that are then
 * true of all rows go. */
CHECKED status plan_narrow_scan(plan_statement *statement, plan_node *scan);
/* Opens all files of a closed table. */
CHECKED status plan_open_scan(plan_statement *statement, plan_node *scan);
/* The same of all scans. */
CHECKED status plan_open_scans(plan_statement *statement);

/* Sets node->estimated_rows from its children's, which have theirs. */
void plan_estimate(const plan_statement *statement, plan_node *node);

/* estimate.c */

/* Distinct values of an expression among `rows` of the node's rows; a guess where that is not
 * known. */
double plan_distinct(const plan_node *node, const expr *e, double rows);
/* Rows of the table that a column comes from, before any condition; negative: not known. */
double plan_base_rows(const plan_node *node, const expr *e);
/* The share of the node's rows that meet a condition, or all of several: 0 to 1. */
double plan_share(const plan_node *node, const expr *condition);
double plan_share_of_list(const plan_node *node, const expr_list *conditions);

#endif
