/* binder.h - parse tree to bound plan: what the parts of the binder share.
 *
 *   binder.c                failures with their place; plan nodes that all parts make
 *   bind_query.c            SELECT: clauses in the order in which they are evaluated
 *   bind_order.c            ORDER BY, LIMIT
 *   bind_group.c            GROUP BY, aggregates: from rows to groups
 *   bind_grouping.c         GROUPING SETS, ROLLUP, CUBE, calls of GROUPING
 *   bind_set.c              UNION, INTERSECT, EXCEPT, VALUES
 *   bind_with.c             WITH
 *   bind_recursive.c        WITH RECURSIVE
 *   bind_from.c             FROM: subqueries, functions
 *   bind_scope.c            which names items of FROM bring, aliases
 *   bind_table.c            tables, views, paths
 *   bind_files.c            read_parquet: paths, options
 *   bind_union.c            union_by_name: files that differ in their columns
 *   bind_series.c           generate_series, range
 *   bind_rows.c             CREATE TABLE, INSERT
 *   bind_join.c             joins, and which names are visible behind them
 *   bind_expr.c             expressions: one function per kind of node
 *   bind_name.c             names of columns
 *   bind_operator.c         arithmetic and comparison: types, casts
 *   bind_function.c         function calls
 *   bind_aggregate.c        aggregate calls
 *   bind_composite.c        aggregates that are made of others
 *   bind_composite_plan.c   the plans of those
 *   bind_window.c           calls OVER a window, WINDOW: from rows to rows with their values
 *   bind_frame.c            frames
 *   bind_subquery.c         subqueries in expressions
 *   bind_copy.c             COPY's options
 *   bind_copy_keys.c        its PARTITION_BY
 *   parameter.c             parameters
 *   bind_type.c             names of types, casts, common types
 *   bind_modifier.c         casts to a type with a modifier
 *   bind_columns.c          casts of a plan's columns
 *   bind_zone.c             time zones
 *
 * Names are looked up in a scope (the columns of one FROM clause), then in that of the query
 * around it; a column found there is a correlated reference. Everything is in the statement's
 * arena. */
#ifndef PISTACHIO_SQL_BINDER_H
#define PISTACHIO_SQL_BINDER_H

#include "base/cancel.h"
#include "base/zone_moment.h"
#include "plan/tree/expr_index.h"
#include "plan/tree/plan.h"
#include "sql/catalog.h"
#include "sql/copy.h"
#include "sql/notice.h"
#include "sql/parser.h"
#include "sql/text.h"

/* ---- names ---- */

/* A column that a name can mean. */
typedef struct bind_entry {
    const char *relation; /* the table's alias; NULL: merged by USING */
    const char *name;
    uint32_t id;
    data_type type;
    bool is_nullable;
    bool is_hidden; /* merged into another by USING: only relation.name finds it */
} bind_entry;

typedef ARRAY(bind_entry) bind_entry_list;

/* Index of a scope's entries, by name and by id: chains of their numbers + 1, ascending. 0: the end. */
typedef struct bind_scope_table {
    uint32_t *first_named, *next_named;
    uint32_t *first_id, *next_id;
    uint32_t bucket_count;
    size_t count; /* of entries that are in it */
} bind_scope_table;
typedef ARRAY(const char *) bind_name_list;

/* A column of a relation that is a list, a map or a struct, which queries cannot read. */
typedef struct bind_nested {
    const char *relation, *name;
} bind_nested;

typedef struct bind_cte bind_cte;

typedef ARRAY(expr **) expr_slot_list;

/* An aggregate call of the query, and the column that it will be. */
typedef struct bind_aggregate {
    plan_aggregate call;
    plan_column column;
} bind_aggregate;

/* A call OVER a window, and the column that it will be. */
typedef struct bind_window {
    plan_window_call call;
    plan_column column;
    expr_list partition;
    plan_sort_key_list order;
} bind_window;

/* A call of GROUPING, and the column that it will be. */
typedef struct bind_grouping {
    expr_list args; /* groups */
    plan_column column;
    int32_t position;
} bind_grouping;

/* An aggregate that is made of others. */
typedef enum bind_composite_kind {
    COMPOSITE_QUANTILE,       /* between two values */
    COMPOSITE_QUANTILE_VALUE, /* one of the values */
    COMPOSITE_MODE,
    COMPOSITE_VALUE_OF_LEAST, /* arg_min */
    COMPOSITE_VALUE_OF_GREATEST,
    COMPOSITE_STRING_AGG /* values joined, in the order of keys of their own */
} bind_composite_kind;

/* A call of one, and the column that it will be. */
typedef struct bind_composite {
    bind_composite_kind kind;
    expr *key;    /* by which rows are ordered; NULL in rows that are passed over */
    expr *value;  /* arg_min's; or NULL */
    expr *filter; /* in the key already */
    double fraction;
    bool is_descending, is_distinct;
    expr *delimiter;          /* STRING_AGG */
    plan_sort_key_list order; /* the same; DISTINCT: of the key alone */
    plan_column column;
    int32_t position;
} bind_composite;

/* An item of the select list by its name. */
typedef struct bind_alias {
    const char *name;
    expr *e;
} bind_alias;

typedef struct bind_scope {
    struct bind_scope *parent;  /* of the query around this one */
    struct bind_scope *lateral; /* what LATERAL items of FROM see, while they are bound */
    bind_entry_list entries;
    bind_scope_table table;
    bind_name_list relations;
    ARRAY(bind_nested) nested;
    bind_cte *ctes;
    const char *clause; /* where aggregates may not be: "WHERE"; NULL: they may */
    ARRAY(bind_aggregate) aggregates;
    expr_index aggregate_arguments; /* by the same numbers */
    bool is_in_aggregate;
    ARRAY(bind_grouping) groupings;
    ARRAY(bind_composite) composites;
    /* Windows: those of the WINDOW clause, calls; where aggregates may be but no windows: "HAVING". */
    Node *const *window_clause;
    size_t window_clause_count;
    ARRAY(bind_window) windows;
    const char *windowless;
    bool is_in_window;
    ARRAY(bind_alias) aliases; /* items of the select list that the clause may name: QUALIFY */
} bind_scope;

/* Which part of a recursive query is being bound. */
typedef enum bind_recursion { RECURSION_NONE, RECURSION_FIRST, RECURSION_STEP } bind_recursion;

/* One WITH query, bound when something refers to it first. */
struct bind_cte {
    bind_cte *outer; /* what it sees itself, and what is looked at after it */
    const char *name;
    const CommonTableExpr *tree;
    bind_scope *scope; /* around it */
    bool is_bound;     /* and not correlated; a correlated one is bound for each reference */
    bool may_recurse;  /* of WITH RECURSIVE */
    bind_recursion recursion;
    const plan_column_list *columns; /* RECURSION_STEP: what its rows have */
    uint32_t references;             /* to itself, then */
    uint32_t shared;                 /* index in plan_statement.shared */
};

typedef struct bind_view {
    const struct bind_view *outer;
    const char *name;
} bind_view;

/* Computing recursive queries (rounds.h). */
typedef struct bind_rounds {
    uint32_t done, round; /* as in sql_rounds */
    uint32_t count;       /* of recursive queries that were bound so far */
    uint32_t references;  /* to recursive queries that are being bound, from within */
    bool is_dry;          /* only columns matter: nothing is to be computed */
    plan_node *dry;       /* stands for the rows of a recursive query when nothing is computed */
    uint32_t dry_count;   /* how many such nodes were made */
    plan_node *root;      /* of SQL_ROUND, which ended the binding; NULL: it did not */
    sql_part_list parts;  /* SQL_ROUND_MERGE */
    size_t kept_parts;
} bind_rounds;

typedef struct binder binder;
typedef struct bind_parameters bind_parameters;

/* Binds a query: bind_select. */
typedef status (*bind_query_function)(binder *b, const pg_select *select, bind_scope *scope,
                                      bind_cte *ctes, plan_node **out);

struct binder {
    arena *memory;
    sql_catalog *catalog;
    sql_held *held;                /* the statement's */
    const char *hive_partitioning; /* as in sql_session */
    bool is_confined;              /* as in sql_session */
    int64_t statement_time;        /* as in sql_session: the instant of now() */
    const zone *zone;              /* the session's; NULL: UTC */
    plan_statement *statement;
    sql_notice_list *notices; /* the sql_statement's */
    const sql_text *text;
    const bind_view *views; /* being expanded */
    bind_parameters *parameters;
    uint32_t select_count;
    plan_node *union_all; /* made last of a chain of UNION ALLs, with room for so many children */
    uint32_t union_room;
    plan_node *union_distinct; /* of UNION, made last */
    bind_rounds rounds;
    /* Of a subquery: all that expressions know of queries, which are made of expressions. */
    bind_query_function bind_subquery;
};

/* Where a parameter was bound while types were asked for. */
typedef struct bind_parameter_place {
    const expr *e;
    uint32_t number;
} bind_parameter_place;

/* Of a statement's parameters. */
struct bind_parameters {
    bool is_described;   /* types are asked for; else: */
    const value *values; /* by number */
    uint32_t count;
    data_type *types; /* what is known of them, by number; TYPE_NULL: nothing */
    ARRAY(bind_parameter_place) places;
};

/* Views of views can grow without bound. */
#define BIND_SELECT_MAX 100000

/* ---- failures ---- */

/* -1 inside a view, whose text is not the user's. */
int32_t bind_position(const binder *b, int32_t location);
CHECKED status bind_error(const binder *b, status_kind kind, int32_t location, const char *format,
                          ...) PRINTF_LIKE(4, 5);
/* Fails if the statement must not touch what is outside the database's tables. The one place that decides it. */
CHECKED status bind_check_access(const binder *b, int32_t location, const char *what);
/* Adds a notice, unless the statement has the same one. */
CHECKED status bind_notice(binder *b, const char *format, ...) PRINTF_LIKE(2, 3);
/* Adds a notice that the nested columns are left out, unless there are none. */
CHECKED status bind_note_nested(binder *b, const bind_name_list *names);
/* "<what> not supported": what is "COLLATE is". */
CHECKED status bind_unsupported(const binder *b, int32_t location, const char *what);
CHECKED status bind_no_memory(void);
/* Adds "did you mean" to st if one of the names is close. */
CHECKED status bind_suggest(status st, const char *name, const char *const *names, size_t count);
/* Where a node begins in the text, -1 if that is not known. */
int32_t bind_location(const pg_node *node);

/* ---- queries: *out's columns are the query's, named ---- */

CHECKED status bind_statement(binder *b, const pg_select *select);
/* `ctes` are visible besides its own; scope is that of the query around it, or NULL. */
CHECKED status bind_select(binder *b, const pg_select *select, bind_scope *scope, bind_cte *ctes,
                           plan_node **out);
CHECKED status bind_set_operation(binder *b, const pg_select *select, bind_scope *scope,
                                  bind_cte *ctes, plan_node **out);
/* Rows of `left`, each once, that `right`, of the same types, does not have. */
CHECKED status bind_except(binder *b, plan_node *left, plan_node *right, plan_node **out);
CHECKED status bind_values(binder *b, const pg_select *select, bind_scope *scope, bind_cte *ctes,
                           plan_node **out);
/* ORDER BY over a query's output columns. */
CHECKED status bind_order_output(binder *b, const pg_select *select, plan_node **node);
CHECKED status bind_limit(binder *b, const pg_select *select, bind_scope *scope, plan_node **node);
CHECKED status bind_sort_key(binder *b, const SortBy *sort, expr *key, plan_sort_key_list *keys);
/* Is it the ALL of GROUP BY ALL or ORDER BY ALL? */
bool bind_is_all(const pg_node *node);
/* The number of an ORDER BY 2; -1: it is none. */
CHECKED status bind_ordinal(binder *b, const pg_node *node, size_t count, const char *clause,
                            int *out);

/* WITH: the list with the clause's queries in front. */
CHECKED status bind_with(binder *b, const WithClause *with, bind_scope *scope, bind_cte *outer,
                         bind_cte **out);
/* Binds what WITH declares and nothing refers to, for its errors. */
CHECKED status bind_unused_ctes(binder *b, bind_cte *first, const bind_cte *end);
/* *out is NULL if no WITH query has that name. */
CHECKED status bind_cte_reference(binder *b, const char *name, bind_cte *ctes, plan_node **out);
/* Of WITH RECURSIVE: its rows, which are there; or fails, with rounds.root set, as they are not. *out_done false:
 * it does not refer to itself. */
CHECKED status bind_recursive(binder *b, bind_cte *cte, bool *out_done, plan_node **out);
/* A reference of the query to itself. */
CHECKED status bind_recursive_reference(binder *b, bind_cte *cte, plan_node **out);
/* WITH query's columns get the names behind its own; whether it reads columns of the queries around. */
CHECKED status bind_cte_names(binder *b, const CommonTableExpr *tree, plan_node *plan);
CHECKED status bind_is_correlated(binder *b, plan_node *plan, uint32_t first_own_id, bool *out);
/* Plans that are used once take the place of their use; the others stay shared. */
CHECKED status bind_finish_shared(binder *b);

/* FROM: fills the scope's entries; *out makes their columns. */
CHECKED status bind_from(binder *b, const pg_select *select, bind_scope *scope, plan_node **out);
CHECKED status bind_from_item(binder *b, const pg_node *item, bind_scope *scope, plan_node **out);
CHECKED status bind_join(binder *b, const JoinExpr *join, bind_scope *scope, plan_node **out);
/* The node's columns under the name of a relation (NULL: none), renamed as the alias says. */
CHECKED status bind_add_relation(binder *b, bind_scope *scope, const plan_node *node,
                                 const char *name, const Alias *alias, int32_t location);
/* Adds the nested columns of the table that the node scans; of several, of the first. */
CHECKED status bind_add_nested(binder *b, bind_scope *scope, const plan_node *node,
                               const char *relation);
/* All that `from` has, behind what `scope` has. */
/* Makes the table of a scope of many entries; called before names or ids are looked up in it. */
CHECKED status bind_scope_tabulate(binder *b, bind_scope *scope);
/* Goes through the numbers of entries that may have the name, or id: returns the first one from `from` on, or
 * the number of entries. Without a table all may. */
size_t bind_scope_named(const bind_scope *scope, const char *name, size_t from);
size_t bind_scope_with_id(const bind_scope *scope, uint32_t id, size_t from);
CHECKED status bind_add_scope(binder *b, bind_scope *scope, const bind_scope *from);

/* A table or view by name, or a table by path. */
CHECKED status bind_table(binder *b, const RangeVar *range, bind_scope *scope, plan_node **out);
/* A view's text is bound as a query of its own, whose expressions have no places; those of failures are in it. */
CHECKED status bind_view_query(binder *b, const char *name, const char *sql, plan_node **out);
CHECKED status bind_table_named(binder *b, const char *name, bool is_path, int32_t location,
                                plan_node **out);
/* How the folders of a path are taken; NULL: as the setting says, and by the texts of their values. */
typedef struct bind_folders {
    const char *hive_partitioning; /* auto, on, off */
    const char *hive_types;        /* parquet/read/hive_types.h */
} bind_folders;

/* Tables of a path, whose folders are taken as the options say; NULL: there are none. */
CHECKED status bind_table_path(binder *b, const char *path, const bind_folders *options,
                               int32_t location, plan_node **out);
/* The same of files that differ in their columns: a scan of each kind, added. */
typedef struct bind_scan_list {
    ARRAY(plan_node *) scans;
} bind_scan_list;
CHECKED status bind_union_path(binder *b, const char *path, const bind_folders *options,
                               int32_t location, bind_scan_list *list);
/* bind_union.c: each scan gives the columns of all of them by name, in types that hold all values; failures
 * name files and types. */
CHECKED status bind_union_by_name(binder *b, bind_scan_list *list, int32_t location);
/* Columns of scans that have equal names, in the types of the first one, to which the others are cast. */
CHECKED status bind_union_by_first(binder *b, bind_scan_list *list);
/* What a table of the path is called; NULL without memory. */
const char *bind_relation_of_path(binder *b, const char *path);
/* Their rows, by their columns' places; the columns have the first one's names. */
CHECKED status bind_unite(binder *b, const bind_scan_list *list, plan_node **out);
/* A scan of each part of a table of rows, and behind them the rows of `more` (NULL: none), together. */
CHECKED status bind_parts(binder *b, const sql_part_list *parts, const char *name, plan_node *more,
                          plan_node **out);
/* read_parquet('path', ...). */
CHECKED status bind_range_function(binder *b, const RangeFunction *range, bind_scope *scope,
                                   plan_node **out);

/* generate_series and range. */
bool bind_is_series(const char *name);
CHECKED status bind_series(binder *b, const FuncCall *tree, const RangeFunction *range,
                           bind_scope *scope, plan_node **out);

/* Binds a group, or several in parentheses, and adds what number it has to the set. */
typedef status bind_group_function(void *context, const pg_node *node, plan_grouping_set *set);
/* GROUP BY: the sets that it stands for, one if there are no GROUPING SETS, ROLLUP or CUBE. */
CHECKED status bind_grouping_sets(binder *b, const pg_select *select, bind_group_function *bind,
                                  void *context, plan_grouping_set_list *out);
/* GROUPING(...): *out is the column that it will be. */
CHECKED status bind_grouping_call(binder *b, const GroupingFunc *tree, bind_scope *scope,
                                  expr **out);
/* From rows to groups: makes the aggregate over *node, and what the slots (select list, HAVING,
 * ORDER BY) refer to becomes groups and aggregates. `groups` are distinct. */
CHECKED status bind_aggregation(binder *b, bind_scope *scope, const expr_list *groups,
                                const plan_grouping_set_list *sets, expr **const *slots,
                                size_t slot_count, plan_node **node);

/* ---- expressions ---- */

CHECKED status bind_expr(binder *b, const pg_node *node, bind_scope *scope, expr **out);
/* A condition, which must be boolean; `what` names it in the failure. */
CHECKED status bind_condition(binder *b, const pg_node *node, bind_scope *scope, const char *what,
                              expr **out);
/* Returns the column's name as its table spells it, or as it is written. */
const char *bind_spelling(const bind_scope *scope, const ColumnRef *ref);
CHECKED status bind_column_ref(binder *b, const ColumnRef *ref, bind_scope *scope, expr **out);
CHECKED status bind_function(binder *b, const FuncCall *call, bind_scope *scope, expr **out);
/* *out_is_aggregate: false: no aggregate has that name. */
CHECKED status bind_aggregate_call(binder *b, const FuncCall *call, const char *name,
                                   bind_scope *scope, bool *out_is_aggregate, expr **out);
/* Adds a call to the scope's. */
CHECKED status bind_add_aggregate(binder *b, bind_scope *scope, const bind_aggregate *added);
/* Is it an aggregate that is made of others? */
bool bind_is_composite(const char *name);
CHECKED status bind_composite_call(binder *b, const FuncCall *call, const char *name,
                                   bind_scope *scope, expr **out);
/* One OVER a window; that of orders and distinct values is UNSUPPORTED. Sets the function and arguments of *call; *out:
 * the column, without an id. */
CHECKED status bind_composite_over(binder *b, const FuncCall *call_tree, const char *name,
                                   bind_scope *scope, plan_window_call *call, plan_column *out);
/* Adds columns to *node's rows and aggregates to the scope, of which the scope's composites are made:
 * *results, over the groups, parallel to them. */
CHECKED status bind_composites(binder *b, bind_scope *scope, const expr_list *groups, bool has_sets,
                               plan_node **node, expr_list *results);
/* A projection over the groups that makes their columns. */
CHECKED status bind_composite_results(binder *b, const bind_scope *scope, const expr_list *results,
                                      plan_node **node);
/* A call of an aggregate OVER a window: its argument, which FILTER is part of, and its type. */
CHECKED status bind_aggregate_over(binder *b, const FuncCall *call, const char *name,
                                   bind_scope *scope, bool *out_is_aggregate, bind_aggregate *out);
/* A call with OVER: *out is the column that it will be. */
CHECKED status bind_window_call(binder *b, const FuncCall *call, const char *name,
                                bind_scope *scope, expr **out);
/* WINDOW's windows are right, whether something refers to them or not. */
CHECKED status bind_window_clause(binder *b, bind_scope *scope);
/* What the calls of the scope refer to: the select list is not all that becomes groups. */
CHECKED status bind_window_slots(binder *b, bind_scope *scope, expr_slot_list *slots);
/* Sorts and windows over *node, which make the columns of the scope's calls. */
CHECKED status bind_windows(binder *b, const bind_scope *scope, plan_node **node);
/* The frame of a window with the order of `over`, which is bound. */
CHECKED status bind_frame(binder *b, const WindowDef *over, bind_scope *scope,
                          const plan_sort_key_list *order, plan_frame *out);
/* Is it a function of windows.def? */
bool bind_is_window_function(const char *name);
CHECKED status bind_sublink(binder *b, const SubLink *link, bind_scope *scope, expr **out);

/* The parameter's value, or a NULL that is to be cast. */
CHECKED status bind_parameter(binder *b, const ParamRef *tree, expr **out);
/* The expression was cast to the type: of a parameter it is the type, if it had none. */
void bind_note_type(binder *b, const expr *e, data_type type);
/* All parameters of the text have been bound as values. */
CHECKED status bind_check_parameters(binder *b);

/* Makes a call and folds it. */
CHECKED status bind_call(binder *b, expr_op op, data_type type, expr *const *args, uint32_t count,
                         int32_t location, expr **out);
CHECKED status bind_call1(binder *b, expr_op op, data_type type, expr *arg, int32_t location,
                          expr **out);
CHECKED status bind_call2(binder *b, expr_op op, data_type type, expr *left, expr *right,
                          int32_t location, expr **out);
/* Operators on bits; *out_done: false: the name is of none. */
CHECKED status bind_bits(binder *b, const char *name, expr *left, expr *right, int32_t location,
                         bool *out_done, expr **out);
CHECKED status bind_not_bits(binder *b, expr *arg, int32_t location, expr **out);
/* substring(x SIMILAR pattern ESCAPE escape), of which args are the three. */
CHECKED status bind_similar_part(binder *b, expr *const args[3], int32_t location, expr **out);
CHECKED status bind_constant(binder *b, const value *v, int32_t location, expr **out);
/* The instant of the statement as `type`: timestamp, timestamp with time zone or date. */
CHECKED status bind_statement_time(binder *b, type_id type, int32_t location, expr **out);

/* +, -, *, /, %, ||, ^ by the types of their arguments. */
CHECKED status bind_arithmetic(binder *b, const char *name, expr *left, expr *right,
                               int32_t location, expr **out);
CHECKED status bind_negate(binder *b, expr *arg, int32_t location, expr **out);
/* A comparison or (op) IS [NOT] DISTINCT FROM, NULLIF; arguments get one type. */
CHECKED status bind_comparison(binder *b, expr_op op, expr *left, expr *right, int32_t location,
                               expr **out);
/* false: no comparison has that name. */
bool bind_comparison_op(const char *name, expr_op *out);
/* One type for both; `what` says where in the failure. */
CHECKED status bind_unify(binder *b, expr **left, expr **right, int32_t location, const char *what);

/* ---- types ---- */

/* What is said of a type behind its name; no part of the type, but of the cast to it. */
typedef struct bind_modifier {
    bool is_bare;             /* a decimal without any */
    int32_t precision, scale; /* of a decimal, as written; 0: none */
    int32_t length;           /* of a text; -1: any */
    bool is_padded;           /* char(n): blanks at the end are none */
    int32_t decimals;         /* of the seconds of a time or interval; -1: any */
    uint32_t fields;          /* of an interval: INTERVAL_DAY and so on; 0: all */
} bind_modifier;

CHECKED status bind_type_name(binder *b, const TypeName *name, data_type *out,
                              bind_modifier *out_modifier);
/* An explicit cast to the type with its modifier. */
CHECKED status bind_cast_modified(binder *b, expr *arg, data_type type,
                                  const bind_modifier *modifier, int32_t location, expr **out);
/* An interval cut to a field, of the names that date_trunc takes; false: none that an interval has. */
CHECKED status bind_cut_interval(binder *b, expr *interval, const char *field, int32_t location,
                                 bool *out_done, expr **out);
/* The seconds of a time, timestamp or interval rounded to so many decimals. */
CHECKED status bind_round_time(binder *b, expr *arg, int32_t decimals, int32_t location,
                               expr **out);
/* The type that holds both without loss, as far as there is one. */
bool bind_common_type(data_type left, data_type right, data_type *out);
/* An explicit cast; fails at `location` where the types have none. */
CHECKED status bind_cast(binder *b, expr *arg, data_type type, int32_t location, expr **out);
/* Is an untyped literal: takes whatever type is wanted. */
bool bind_is_literal(const expr *e);
/* A number as it is written: int32, int64, a decimal of its digits, or (with an exponent, or of
 * more than 38 digits) a double. */
CHECKED status bind_number(binder *b, const char *text, size_t bytes, int32_t position, expr **out);
/* A text literal beside a decimal, as the number that it is. */
CHECKED status bind_literal_number(binder *b, const expr *literal, expr **out);
/* To `type` as a literal or a number of a narrower type may; `what` for the failure. */
CHECKED status bind_coerce(binder *b, expr *arg, data_type type, int32_t location, const char *what,
                           expr **out);
/* One type for all of several expressions, each cast to it. */
CHECKED status bind_coerce_all(binder *b, expr **args, size_t count, int32_t location,
                               const char *what, data_type *out);

/* ---- time zones ---- */

/* Whether the cast between the types is the session's zone's concern, and that cast. */
bool bind_zone_crosses(const binder *b, data_type from, data_type to);
CHECKED status bind_zone_cast(binder *b, expr *arg, data_type type, int32_t location, expr **out);
/* A text as a timestamp with time zone, which may name another zone. */
CHECKED status bind_zone_literal(const binder *b, const value *text, data_type type, value *out);
/* A timestamp with time zone as the session's clock shows it; anything else as it is. */
CHECKED status bind_zone_local(binder *b, expr *arg, int32_t location, expr **out);
/* Seconds that the session's clock is before UTC's. */
CHECKED status bind_zone_offset(binder *b, expr *arg, int32_t location, expr **out);
/* *out_done: false: the zone makes no difference to the sum. */
CHECKED status bind_zone_add(binder *b, expr *time, expr *interval, int32_t location,
                             bool *out_done, expr **out);
typedef struct bind_trunc {
    expr *field, *arg; /* a timestamp with time zone */
    bool is_part_of_day;
    int32_t location;
} bind_trunc;
CHECKED status bind_zone_trunc(binder *b, const bind_trunc *t, expr *zone_name, expr **out);
/* In the session's zone. *out_done: false: it makes no difference. */
CHECKED status bind_zone_trunc_session(binder *b, const bind_trunc *t, bool *out_done, expr **out);
/* to_char and to_timestamp by a format in the session's zone, which is not UTC. */
CHECKED status bind_zone_format(binder *b, expr_op op, data_type type, expr *const *args,
                                int32_t location, expr **out);
CHECKED status bind_at_time_zone(binder *b, expr *name, expr *arg, int32_t location, expr **out);
/* The name of a zone as a text; fails where it is a constant and none. */
CHECKED status bind_zone_name(binder *b, expr **name, int32_t location);

/* ---- plans ---- */

uint32_t bind_new_id(binder *b);
/* One row without columns: what SELECT without FROM reads. */
CHECKED status bind_one_row(binder *b, plan_node **out);
CHECKED status bind_new_node(binder *b, plan_kind kind, plan_node *child, plan_node **out);
/* A projection: columns that are nothing but a child's column keep their ids. */
CHECKED status bind_project(binder *b, plan_node *child, expr *const *exprs,
                            const char *const *names, size_t count, plan_node **out);
CHECKED status bind_filter(binder *b, plan_node *child, expr *condition, plan_node **out);
CHECKED status bind_distinct(binder *b, plan_node *child, plan_node **out);
/* Output columns that are bare NULLs become text. */
CHECKED status bind_resolve_nulls(binder *b, plan_node **node);
/* Column i as `type`: in place where a projection makes it of a constant, else by a new one. */
CHECKED status bind_cast_columns(binder *b, plan_node **node, const data_type *types);
expr *bind_column_expr(binder *b, const plan_column *column);
/* A column by its id; of the null type, which files may have, the constant NULL: it fits any type. NULL without memory. */
expr *bind_reference(binder *b, uint32_t id, data_type type, bool is_nullable, const char *name);

/* ---- COPY ---- */

/* Path and options. The format is what FORMAT says, else what the path's ending does; an ending
 * that is none of ours is an error, as is an option that the format does not have. */
CHECKED status bind_copy_options(const binder *b, const CopyStmt *tree, sql_copy *out);

/* Inside bind_copy_options: what PARTITION_BY lists. */
CHECKED status bind_copy_keys(const binder *b, const DefElem *option, sql_copy *out);
/* Sorts the rows by the columns of PARTITION_BY, which become the last ones. */
CHECKED status bind_copy_partition(binder *b, const sql_copy *copy, plan_node **root);

/* Fails where the format cannot hold a column of `root`, the bound query or table: its type, or a
 * name that another column has where values are found by name (all but csv and tsv). */
CHECKED status bind_copy_check(const binder *b, const CopyStmt *tree, const sql_copy *copy,
                               const plan_node *root);

#endif
