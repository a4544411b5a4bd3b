/* plan.h - the plan of a statement: one tree of nodes, from the binder through every rewrite to
 * the executor.
 *
 * The binder makes it, rewrites (optimize.h) change it, and what they decide about execution (build
 * side, estimates, runtime filters) is written into the nodes. After that it is read-only: whatever
 * changes while it runs lives in the executor's operators. Everything is in the statement's
 * arena.
 *
 * A column keeps its id while nodes hand it on: a filter, sort, limit or join passes its children's
 * columns through, and so do a projection's expression and an aggregate's group that are nothing
 * but a column. Every other column that a node makes has an id of its own. */
#ifndef PISTACHIO_PLAN_TREE_PLAN_H
#define PISTACHIO_PLAN_TREE_PLAN_H

#include "plan/tree/expr.h"

typedef enum plan_kind {
#define PLAN_NODE(kind, file, name, children) PLAN_##kind,
#include "plan/tree/nodes.def"
#undef PLAN_NODE
    PLAN_KIND_COUNT
} plan_kind;

typedef enum plan_join_type {
    JOIN_INNER, /* without keys and residual: cross */
    JOIN_LEFT,
    JOIN_RIGHT,
    JOIN_FULL,
    JOIN_SEMI,      /* left rows that have a match */
    JOIN_ANTI,      /* left rows that have none */
    JOIN_ANTI_NULL, /* NOT IN: none, and neither side's NULLs stand in the way */
    JOIN_MARK,      /* left rows and whether there is a match: true, false or (IN) NULL */
    JOIN_SINGLE     /* left outer, and an error if a left row has two matches */
} plan_join_type;

/* Which ranks make a node's rows, where a statement runs on several (distribute.h). */
typedef enum plan_placement {
    PLACEMENT_PARTS,  /* each rank some of them */
    PLACEMENT_COPIES, /* each rank all of them */
    PLACEMENT_ONE     /* rank 0 all of them, the others none */
} plan_placement;

typedef enum plan_exchange_kind {
    EXCHANGE_GATHER,    /* all rows to rank 0 */
    EXCHANGE_HASH,      /* each to the rank that the hash of its keys says */
    EXCHANGE_BROADCAST, /* all rows to all ranks */
    EXCHANGE_MERGE,     /* each rank's rows, which are in order, to rank 0, in order */
    EXCHANGE_RANGES,    /* each to the rank of its range of an order, by samples of all rows */
    EXCHANGE_APPEND,    /* all rows to rank 0: those of a rank after those of the ranks before it */
    EXCHANGE_LATER,     /* all rows to all ranks after the one that has them */
    EXCHANGE_EARLIER,   /* all rows to all ranks before it */
    EXCHANGE_KIND_COUNT
} plan_exchange_kind;

typedef enum plan_aggregate_function {
#define AGGREGATE(name, sql, argument, type, state, operation, result, ignores_distinct, help)     \
    AGGREGATE_##name,
#include "plan/tree/aggregates.def"
    AGGREGATE_FUNCTION_COUNT
} plan_aggregate_function;

typedef enum plan_rule {
#define RULE(name, is_needed, help) RULE_##name,
#define PART(name, help) RULE_##name,
#include "plan/tree/optimizer_rules.def"
#undef RULE
#undef PART
    PLAN_RULE_COUNT
} plan_rule;

/* A column that a node makes. */
typedef struct plan_column {
    uint32_t id; /* unique in the statement, from 1 */
    const char *name;
    data_type type;
    bool is_nullable;
} plan_column;

typedef ARRAY(plan_column) plan_column_list;

typedef struct plan_aggregate {
    plan_aggregate_function function;
    bool is_distinct;
    expr *argument; /* NULL: COUNT_STAR */
    expr *second;   /* of pairs, x beside the argument y; else NULL */
    expr *filter;   /* FILTER (WHERE ...), or NULL */
    int32_t position;
} plan_aggregate;

/* Indices of groups. */
typedef ARRAY(uint32_t) plan_grouping_set;
typedef ARRAY(plan_grouping_set) plan_grouping_set_list;

typedef struct plan_sort_key {
    expr *key;
    bool is_descending, nulls_first;
} plan_sort_key;

typedef ARRAY(plan_sort_key) plan_sort_key_list;

/* A function that is called OVER a window: a row of windows.def, or an aggregate. */
typedef enum plan_window_function {
#define WINDOW_FUNCTION(name, sql, arguments, least, most, type, help) WINDOW_##name,
#include "plan/tree/windows.def"
    WINDOW_AGGREGATE,
    /* Made by the binder alone: the partition's texts, each with the delimiter of its row in front of it but the
     * first, at the partition's first row; NULL at the others. DISTINCT: of neighbours that are equal the first. */
    WINDOW_STRING_AGG,
    WINDOW_STRING_AGG_DISTINCT,
    /* Aggregates over frames that grouping makes of windows: the frame's texts, joined; of the row where the first
     * argument is least, or greatest, the second. */
    WINDOW_STRING_AGG_FRAME,
    WINDOW_VALUE_OF_LEAST,
    WINDOW_VALUE_OF_GREATEST,
    /* Quantiles of values in their order: between two of them, the first at or after a share, the most frequent.
     * Arguments: the value; the share, and whether the order is descending, constants. */
    WINDOW_QUANTILE,
    WINDOW_QUANTILE_VALUE,
    WINDOW_MODE,
    WINDOW_DISTINCT /* count, sum or avg of different values */
} plan_window_function;

typedef enum plan_frame_mode { FRAME_ROWS, FRAME_RANGE, FRAME_GROUPS } plan_frame_mode;

typedef enum plan_frame_bound_kind {
    FRAME_UNBOUNDED_PRECEDING,
    FRAME_PRECEDING, /* by an offset */
    FRAME_CURRENT,
    FRAME_FOLLOWING,
    FRAME_UNBOUNDED_FOLLOWING
} plan_frame_bound_kind;

typedef struct plan_frame_bound {
    plan_frame_bound_kind kind;
    uint64_t offset;   /* PRECEDING, FOLLOWING of ROWS and GROUPS */
    expr *key, *limit; /* of RANGE: the order's key, and the key less or plus the offset, of one
                          type: columns */
} plan_frame_bound;

typedef enum plan_frame_exclusion {
    FRAME_EXCLUDE_NONE,
    FRAME_EXCLUDE_CURRENT,
    FRAME_EXCLUDE_GROUP, /* the row and its peers */
    FRAME_EXCLUDE_TIES   /* its peers, not the row */
} plan_frame_exclusion;

typedef struct plan_frame {
    plan_frame_mode mode;
    plan_frame_bound start, end;
    plan_frame_exclusion exclusion;
} plan_frame;

#define PLAN_WINDOW_ARGUMENTS 3

typedef struct plan_window_call {
    plan_window_function function;
    plan_aggregate_function aggregate; /* WINDOW_AGGREGATE, WINDOW_DISTINCT */
    bool
        ignores_nulls; /* lag, lead, first_value, last_value, nth_value: NULL values do not count */
    uint32_t arg_count;
    expr *args[PLAN_WINDOW_ARGUMENTS]; /* columns or constants */
    plan_frame frame;
    int32_t position;
} plan_window_call;

/* A build side's key range and Bloom filter or bitmap, offered to scans on the probe side. `id` is
 * its index in the query's runtime filters, the same at the join and at the scans. */
typedef struct plan_given_filter {
    uint32_t id;
    uint32_t key;          /* of which key pair: index in left_keys and right_keys */
    double bytes_max;      /* of several ranks: those that it may save, */
    uint64_t bitmap_bytes; /* and of a bitmap that is worth sending, however few keys it has */
} plan_given_filter;

typedef struct plan_taken_filter {
    uint32_t id;
    uint32_t column_id; /* the scan's column that it is about */
    double distinct;    /* values of that column, as far as one can tell */
    bool is_beside;     /* of a join of which the scan is not below the probe side */
} plan_taken_filter;

/* More keys exclude hardly any row more, and a condition of a thousand keys is nested too deep to be compiled. */
#define PLAN_BOUND_KEYS_MAX 16

/* The bound that a sort with a limit, by what it has kept so far, sets for what it will still take: the first keys of
 * its order, as columns of the scan. `id`, from 1: the same at the sort and at the scans. */
typedef struct plan_taken_bound {
    uint32_t id;
    bool has_all_keys;
    ARRAY(uint32_t) column_ids;
    ARRAY(bool) is_descending, nulls_first;
} plan_taken_bound;

/* The origin of a scan's rows; made by the catalog (a set of Parquet files). */
struct pq_table;
/* Text files. */
struct text_table;

typedef struct plan_node plan_node;
struct plan_node {
    plan_kind kind;
    uint32_t child_count;
    plan_node **children;
    plan_column_list columns; /* what the node makes, in order */
    int32_t position;         /* in the SQL text, -1: none */

    /* The planner's estimates; negative: not known. */
    double estimated_rows, estimated_bytes;
    plan_placement placement;

    union {
        struct {
            struct pq_table *table;
            const char *table_name;
            ARRAY(uint32_t) sources; /* columns.items[i] is the table's column sources.items[i] */
            expr_list filters;       /* conjuncts over this node's ids, applied in this order;
                                        columns that only they need have is_filter_only set */
            ARRAY(bool) filter_only; /* parallel to columns; such columns come out as no tensor */
            ARRAY(bool) relied;      /* parallel to columns, or empty: more than an estimate was
                                        built on the statistics' range (rule ranges) */
            /* Parallel to columns, or empty: of nested columns which leaves are read, counted from the column's first;
             * NULL: all. */
            ARRAY(const bool *) read_leaves;
            ARRAY(plan_taken_filter) runtime_filters;
            ARRAY(plan_taken_bound) bounds;
            uint64_t first_row, end_row; /* of the table's rows, in their order, only these; end_row
                                            0: all. At multiples of 64 in a row group, or its end */
            bool is_stopped_early;       /* a few of the first rows may be all that is wanted */
            uint32_t
                steal_id; /* of several ranks: they take row groups from each other; 0: they do not */
        } scan;
        struct {
            const struct text_table *table;
            ARRAY(uint32_t) sources; /* columns.items[i] is the table's column sources.items[i] */
        } text_scan;
        struct {
            const struct arrowfile_table *table;
            ARRAY(uint32_t) sources; /* as of text_scan */
        } arrow_scan;
        struct {
            ARRAY(expr **) rows; /* each of columns.count constants or constant expressions */
        } values;
        struct {
            expr_list conditions; /* conjuncts */
        } filter;
        struct {
            expr_list exprs; /* one per column */
        } project;
        struct {
            expr_list groups; /* columns: the groups, then the aggregates */
            ARRAY(plan_aggregate) aggregates;
            uint64_t enough; /* groups: any so many will do; 0: all are wanted */
        } aggregate;
        struct {
            expr_list groups; /* columns: the groups, NULL where a set is without one, then the
                                 aggregates, then the calls; all made here */
            ARRAY(plan_aggregate) aggregates;
            plan_grouping_set_list sets;
            plan_grouping_set_list
                calls; /* GROUPING: a bit for each group, the last the lowest, set
                                             where the set is without it */
        } grouping_sets;
        struct {
            plan_join_type type; /* children: left, right; columns: left's then right's that are
                                    kept; SEMI, ANTI: left's only; MARK: left's, then the mark */
            expr_list left_keys, right_keys; /* equal pairs, types equal */
            bool null_equal;                 /* keys: NULL equals NULL (set operations) */
            expr_list ranges; /* <, <=, > or >= between an expression of the left side and one of
                                 the right, same types; of one expression of the build side, one
                                 or a bound each way, then one of a second expression */
            expr *residual;   /* over both sides; NULL: none */
            bool build_left;  /* build on the left child instead of the right */
            ARRAY(plan_given_filter) runtime_filters; /* published by the build side, */
            bool has_united_filters; /* which ranks make of all their build rows together: */
            uint32_t filters_id;     /* like an exchange's, and as many behind it as filters */
            uint32_t heavy_id;       /* from 1: probe rows of keys that have many of them stay on
                                        the rank where they are; 0: all go where their hash says */
            uint32_t
                overflow_id; /* from 1: its build side's broadcast may overflow; 0: it does not */
            plan_node *overflow_next; /* another such join below it; plan_distribute's */
        } join;
        struct {
            plan_sort_key_list keys;
            bool has_limit;
            uint64_t limit;   /* top-k: rows to keep, offset included */
            uint32_t bound;   /* that scans take; 0: none does */
            bool keeps_order; /* rows with equal keys stay in the order in which they lie */
        } sort;
        struct {
            expr_list partition;           /* columns, by which the child's rows are ordered, */
            plan_sort_key_list order;      /* and then by these: columns, too */
            ARRAY(plan_window_call) calls; /* columns: the child's, then one each */
        } window;
        struct {
            expr_list partition;      /* columns */
            plan_sort_key_list order; /* columns; at least one */
            uint64_t limit;  /* of each partition, at least 1: rows with as many before them
                                         are not wanted */
            bool drops_ties; /* nor are those that follow so many in any order of equal ones */
        } window_limit;
        struct {
            bool has_limit;
            uint64_t limit, offset;
        } limit;
        struct {
            expr *count;
        } repeat;
        struct {
            expr *start, *stop,
                *step;       /* of the values' type; of times the step is an interval. Columns: the
                                          child's, the values */
            bool has_stop;   /* the end is in it */
            bool has_number; /* behind them each value's number, from 1: a bigint */
            const char
                *zone; /* in which steps of timestamps with time zone are counted; NULL: UTC */
        } series;
        struct {
            uint32_t id;             /* index in plan_statement.shared */
            ARRAY(uint32_t) sources; /* columns.items[i] is that column of the shared plan */
        } shared;
        struct {
            plan_exchange_kind kind;
            uint32_t id;    /* index among the statement's exchanges */
            expr_list keys; /* HASH; BROADCAST: of what goes by them when it overflows */
            expr *ranged;   /* HASH: rows go by ranges of this, which the one key says; or NULL */
            plan_sort_key_list order; /* MERGE, RANGES: columns */
            bool keeps_equals;        /* RANGES: rows with equal keys go to one rank */
            bool has_limit;           /* MERGE: no more rows than that */
            uint64_t limit;
            uint32_t heavy_id; /* HASH: the join's whose probe side it is, or 0 */
            /* A join's, or 0. BROADCAST: when more than overflow_bytes have gone to all ranks it overflows,
             * and the rest goes by the keys. HASH: of its probe side, whose rows stay unless it has. */
            uint32_t overflow_id;
            uint64_t overflow_bytes;
        } exchange;
        struct {
            const char *from, *to; /* names of devices, for EXPLAIN */
        } move;
    };
};

typedef ARRAY(plan_node *) plan_node_list;

/* A whole query. */
typedef struct plan_statement {
    arena *memory;
    const char *sql; /* for messages; owned by the arena */
    plan_node *root; /* its columns are the result's */
    ARRAY(plan_node *)
    shared; /* the plans of PLAN_SHARED, by id; an earlier one never refers to
               a later one */
    uint32_t next_column_id;
    ARRAY(uint32_t) range_ends; /* columns that end ranges of which no two overlap (ASOF JOIN) */
    uint32_t draw_count;        /* volatile calls; expr.draw is 1 to this */
    uint32_t runtime_filter_count;
    uint32_t bound_count;    /* ids of sorts' bounds are 1 to this */
    uint32_t exchange_count; /* 0: it runs on one rank */
    /* Joins with heavy_id. Each has two exchanges more, for a key that is asked for and for what there is of
     * it: heavy_first + 2 * (heavy_id - 1) and the next. Of that a rank gives the others heavy_bytes. */
    uint32_t heavy_count, heavy_first;
    uint32_t steal_first; /* the exchange of the scan with steal_id 1; others follow */
    uint64_t heavy_bytes;
    uint32_t overflow_count; /* joins with overflow_id */
    bool fills_cache;        /* CACHE TABLE: the column cache keeps what is decoded, now */
    bool keeps_parts;        /* what ranks have of the result stays there: of COPY (PER_RANK) */
    bool
        is_of_one_rank; /* it has values that this process alone knows, of catalogs or of a server's clients */
    /* Rule subqueries has run: there are none, and no side of a join reads the other. */
    bool is_unnested;
    bool has_nested;           /* a scan of it has a list, struct or map: nested_check.h */
    uint32_t refused_attempts; /* of rule subqueries, which tried another way */
    uint64_t
        message_bytes_max;  /* between ranks, as memory is short; 0: as many as the setting says */
    bool ignores_checksums; /* setting page_checksums */
    bool replaces_text;     /* setting invalid_utf8: bounds of texts do not hold for what is read */
    uint64_t rules_off;     /* bit r: plan_rule r is left out */
    uint64_t rule_nanoseconds[PLAN_RULE_COUNT]; /* how long each took; parts: 0 */
} plan_statement;

/* A zeroed node with room for child_count children, estimates unknown; NULL without memory. */
plan_node *plan_node_new(arena *a, plan_kind kind, uint32_t child_count);
/* A node that passes the first `rows` rows of a node; NULL without memory. */
plan_node *plan_limit_new(arena *a, plan_node *node, uint64_t rows);
/* A reference to the column; NULL without memory. */
expr *plan_column_expr(arena *a, const plan_column *column);
/* Adds a column to a projection, and its value; NULL, from a constructor, fails for lack of memory. */
CHECKED status plan_project_add(arena *a, plan_node *project, plan_column column, expr *value);
/* Index of the column with this id among the node's, or -1. */
int plan_column_index(const plan_node *node, uint32_t id);
/* Returns whether a scan at or below the node keeps the column to itself, for its own conditions: it comes as no tensor. */
bool plan_is_kept_back(const plan_node *node, uint32_t column_id);
/* How many columns a PLAN_SERIES makes: the last of the node's. */
size_t plan_series_columns(const plan_node *node);
const char *plan_join_name(plan_join_type type, bool build_left);
const char *plan_exchange_name(plan_exchange_kind kind);
/* Returns whether all rows go to rank 0. */
bool plan_exchange_has_root(plan_exchange_kind kind);
const char *plan_aggregate_name(plan_aggregate_function function);
/* Equal values more or less make no difference to it. */
bool plan_aggregate_ignores_distinct(plan_aggregate_function function);
/* Returns the name of a function of windows.def. */
const char *plan_window_name(plan_window_function function);

/* e with each column of `from` replaced by the expression beside it; shares what does not change.
 * NULL without memory. */
expr *expr_substitute(arena *a, expr *e, const plan_column_list *from, expr *const *to);

#endif
