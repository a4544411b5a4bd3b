/* binder.h - parse tree to bound plan: what all parts of the binder share. binder.c has failures with their place in
 * the text and the plan nodes that all parts make.
 *
 * Names are looked up in a scope (the columns of one FROM clause), then in that of the query
 * around it; a column found there is a correlated reference. Everything is in the statement's
 * arena. */
#ifndef PISTACHIO_SQL_TYPES_BINDER_H
#define PISTACHIO_SQL_TYPES_BINDER_H

#include "base/cancel.h"
#include "base/time/zone_moment.h"
#include "parquet/table/kept_column.h"
#include "plan/tree/expr_index.h"
#include "plan/tree/plan.h"
#include "sql/catalog/catalog.h"
#include "sql/catalog/copy.h"
#include "sql/catalog/notice.h"
#include "sql/catalog/schema.h"
#include "sql/text/parser.h"
#include "sql/text/text.h"

/* ---- names ---- */

/* A column that a name can mean. */
typedef struct bind_entry {
    const char *relation; /* the table's alias; NULL: merged by USING */
    const char *name;
    uint32_t id;
    data_type type;
    bool is_nullable;
    bool is_hidden;  /* merged into another by USING: only relation.name finds it */
    bool is_virtual; /* found by its name where no other column has it, never by "*"; is_hidden */
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

/* A table or alias of FROM. */
typedef struct bind_relation {
    const char *name;
    const char *catalog, *schema; /* where the table is; NULL: it has an alias, or is a query */
} bind_relation;

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
    data_type list; /* that the column's bytes are; of no type: the column is the value */
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
    COMPOSITE_FIRST, /* the key of the first row, in the order of keys of their own */
    COMPOSITE_LAST,
    COMPOSITE_ENTROPY,
    COMPOSITE_MAD,       /* the median distance from the median */
    COMPOSITE_STRING_AGG /* values joined, in the order of keys of their own */
} bind_composite_kind;

/* A call of one, and the column that it will be. */
typedef struct bind_composite {
    bind_composite_kind kind;
    expr *key;       /* by which rows are ordered; NULL in rows that are passed over */
    expr *value;     /* arg_min's; or NULL */
    bool keeps_null; /* the value may be NULL */
    expr *filter;    /* in the key already */
    double fraction;
    bool is_descending, is_distinct;
    bool is_kept;             /* a list whose values groups keep: its key is the element */
    expr *delimiter;          /* STRING_AGG */
    plan_sort_key_list order; /* of STRING_AGG, FIRST, LAST; DISTINCT: of the key alone */
    plan_column column;
    int32_t position;
} bind_composite;

/* A column that is an aggregate call, written in a query inside of the one that it belongs to. */
typedef struct bind_outer_call {
    uint32_t id, of; /* of: a column of that query, which it is over */
} bind_outer_call;

/* An item of the select list by its name. */
typedef struct bind_alias {
    const char *name;
    expr *e;
} bind_alias;

/* An item of the select list, "*" spelled out. */
typedef struct bind_target {
    const char *name;
    expr *e;
} bind_target;
typedef ARRAY(bind_target) bind_target_list;

struct binder;
struct bind_scope;

/* COLUMNS in an expression, which is bound once for each column. */
typedef struct bind_expansion {
    /* Binds one; NULL: no such expression is being bound. */
    status (*bind)(struct binder *b, const ColumnsExpr *tree, struct bind_scope *scope, expr **out);
    size_t index, count;     /* which column, and of how many; 0: there is no COLUMNS */
    const ColumnsExpr *tree; /* whose targets they are */
    const bind_target *targets;
    const char *name; /* of the column that was bound last */
} bind_expansion;

typedef struct bind_scope {
    struct bind_scope *parent;  /* of the query around this one */
    struct bind_scope *lateral; /* what LATERAL items of FROM see, while they are bound */
    bind_entry_list entries;
    bind_scope_table table;
    ARRAY(bind_relation) relations;
    ARRAY(bind_nested) nested;
    bind_cte *ctes;
    bool takes_aggregates; /* its select list, HAVING or ORDER BY is being bound */
    const char *clause;    /* where aggregates may not be: "WHERE"; NULL: they may */
    ARRAY(bind_aggregate) aggregates;
    expr_index aggregate_arguments; /* by the same numbers */
    bool is_in_aggregate;
    const pg_node *filter; /* a condition on the rows of all aggregates, besides theirs; or NULL */
    ARRAY(bind_grouping) groupings;
    ARRAY(bind_composite) composites;
    /* Windows: those of the WINDOW clause, calls; where aggregates may be but no windows: "HAVING". */
    Node *const *window_clause;
    size_t window_clause_count;
    ARRAY(bind_window) windows;
    const char *windowless;
    bool is_in_window;
    bind_expansion expansion;
    /* Items of the select list that may be named where no column has the name: those that are bound, and, in WHERE, the first
     * item_count of the list. */
    ARRAY(bind_alias) aliases;
    const List *items;
    size_t item_count;
    status (*bind_item)(struct binder *b, struct bind_scope *scope, const char *name,
                        int32_t location, expr **out);
    /* Numbers of the elements that unnest gives; from the second on, of elements of what the one before gives. */
    ARRAY(plan_column) unnests;
    int32_t unnest_location;
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
    ARRAY(plan_node *) places; /* of these: what gets the rows once the query's number is known */
    uint32_t shared;           /* index in plan_statement.shared */
};

typedef struct bind_view {
    const struct bind_view *outer;
    const char *name;
} bind_view;

/* A lambda whose body is being bound. */
typedef struct lambda_frame {
    const struct lambda_frame *outer;
    size_t count;
    const char *names[3];
    expr *parameters[3];
} lambda_frame;

/* A macro whose body is being bound. */
typedef struct bind_macro {
    const struct bind_macro *outer; /* around the call */
    bind_scope *scope;              /* of the call, as the three below */
    const lambda_frame *lambda;
    const sql_text *text;
    const bind_view *views;
    const sql_text *own; /* the macro's */
    size_t count;
    const char **names; /* of parameters */
    const pg_node **args;
    bool *is_own; /* by parameters: what stands for it is in the macro's text */
} bind_macro;

/* Computing recursive queries (rounds.h). */
typedef struct bind_rounds {
    uint32_t done, round; /* as in sql_rounds */
    uint32_t count;       /* of recursive queries that were bound so far */
    uint32_t references;  /* to recursive queries that are being bound, from within */
    bool
        defers; /* a recursive query that is not supported may be replaced by one without rows, if it is */
    int32_t deferred_at;
    bool is_deferred;                /* told here */
    bool is_dry;                     /* only columns matter: nothing is to be computed */
    ARRAY(plan_node *) parts_of_dry; /* what such queries are made of */
    ARRAY(plan_node *) dry; /* stand for the rows of recursive queries when nothing is computed */
    bool makes_values;      /* SQL_ROUND: `root` gives the values of a PIVOT */
    plan_node *root;        /* of SQL_ROUND, which ended the binding; NULL: it did not */
    sql_part_list parts;    /* SQL_ROUND_MERGE */
    size_t kept_parts;
} bind_rounds;

/* Says which recursive query is not supported. */
#define SUBQUERY_OUTER_RECURSION "a recursive query that reads columns of a query around it is"

typedef struct binder binder;
typedef struct bind_parameters bind_parameters;

/* Binds a query: bind_select. */
typedef status (*bind_query_function)(binder *b, const pg_select *select, bind_scope *scope,
                                      bind_cte *ctes, plan_node **out);

struct binder {
    arena *memory;
    sql_catalog *catalog;
    sql_search_path path;          /* schemas of names without one; none: the first */
    sql_held *held;                /* the statement's */
    const char *hive_partitioning; /* as in sql_session */
    bool is_confined;              /* as in sql_session */
    bool keeps_lists;              /* as in sql_session */
    pq_list_kept *list_kept;       /* as in sql_session */
    int64_t statement_time;        /* as in sql_session: the instant of now() */
    const zone *zone;              /* the session's; NULL: UTC */
    plan_statement *statement;
    sql_notice_list *notices; /* the sql_statement's */
    const sql_text *text;
    const bind_view *views; /* being expanded */
    const char
        *uses; /* names of the catalog that the statement's own text has (sql_catalog_add_use) */
    bind_parameters *parameters;
    uint32_t select_count;
    plan_node *union_all; /* made last of a chain of UNION ALLs, with room for so many children */
    uint32_t union_room;
    plan_node *union_distinct; /* of UNION, made last */
    ARRAY(bind_outer_call) outer_calls;
    bind_rounds rounds;
    bool is_from_item;               /* a table or function of FROM is being bound */
    ARRAY(uint32_t) virtual_columns; /* bind_virtual.h */
    /* Binds a subquery (query/bind_query.c, which stands above expressions). */
    bind_query_function bind_subquery;
    /* Binds an expression: bind_expr, for what bind_expr itself calls. */
    status (*bind_expression)(binder *b, const pg_node *node, bind_scope *scope, expr **out);
    /* Casts a part of a nested value: NULL: bind_cast does; else TRY_CAST's. */
    status (*cast_part)(binder *b, expr *arg, data_type type, int32_t location, expr **out);
    const bind_macro *macro;
    const lambda_frame *lambda; /* the innermost */
    /* Binds a call if it is one of a macro (query/bind_macro.c). */
    status (*bind_macro)(binder *b, const FuncCall *call, bind_scope *scope, bool *out_is_macro,
                         expr **out);
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
/* "<what> not supported": what is "COLLATE is". */
CHECKED status bind_unsupported(const binder *b, int32_t location, const char *what);
CHECKED status bind_no_memory(void);
/* Adds "did you mean" to st if one of the names is close. */
CHECKED status bind_suggest(status st, const char *name, const char *const *names, size_t count);
/* Returns where a node begins in the text, -1 if that is not known. */
int32_t bind_location(const pg_node *node);

/* ---- plans and expressions ---- */

/* Adds a sort by `key`, as ORDER BY says. */
CHECKED status bind_sort_key(binder *b, const SortBy *sort, expr *key, plan_sort_key_list *keys);

CHECKED status bind_constant(binder *b, const value *v, int32_t location, expr **out);

uint32_t bind_new_id(binder *b);
/* Returns whether the column is one that only its name finds (query/bind_virtual.h). */
bool bind_is_virtual(const binder *b, uint32_t id);
/* One row without columns: what SELECT without FROM reads. */
CHECKED status bind_one_row(binder *b, plan_node **out);
CHECKED status bind_new_node(binder *b, plan_kind kind, plan_node *child, plan_node **out);
/* A projection: columns that are nothing but a child's column keep their ids. */
CHECKED status bind_project(binder *b, plan_node *child, expr *const *exprs,
                            const char *const *names, size_t count, plan_node **out);
CHECKED status bind_filter(binder *b, plan_node *child, expr *condition, plan_node **out);
CHECKED status bind_distinct(binder *b, plan_node *child, plan_node **out);
expr *bind_column_expr(binder *b, const plan_column *column);
/* A column by its id; of the null type, which files may have, the constant NULL: it fits any type. NULL without memory. */
expr *bind_reference(binder *b, uint32_t id, data_type type, bool is_nullable, const char *name);

#endif
