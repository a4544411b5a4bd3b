/* explain_metrics.h - what the operators of each plan node have done, on one rank and on all. */
#ifndef PISTACHIO_API_RANKS_EXPLAIN_METRICS_H
#define PISTACHIO_API_RANKS_EXPLAIN_METRICS_H

#include "api/ranks/rank_run.h"

/* Metrics of a node's operators together: a join has a build and a probe, an aggregate a sink and a source. As it
 * goes to rank 0. */
typedef struct node_metrics {
    uint64_t rows, nanoseconds, bytes, spilled, sent, received, memory;
    uint64_t probed, probed_most; /* rows, by a join; the most of any rank */
    uint64_t cached;              /* values, by scans, from the column cache: */
    uint64_t decoding;            /* nanoseconds, of all tasks */
    uint64_t cached_bytes, saved; /* there; nanoseconds that decoding them took before */
    uint64_t row_groups_taken;    /* of other ranks */
    uint64_t files, files_opened; /* of a table with keys in its folders' names */
    uint64_t bound;               /* T_min of a rank, nanoseconds, where it is known; of no node */
    uint64_t is_known;            /* the node has an operator of its own */
} node_metrics;

/* Returns the metrics of a node (NULL: of what no node stands for) on this rank. */
node_metrics metrics_of(const exec_query *query, const plan_node *node);
/* Adds them up; of memory and files the most. */
void metrics_add(node_metrics *sum, const node_metrics *more);

/* Returns how long this rank's storage devices, which read at the same time, took at least (T_min); 0: not known. */
uint64_t metrics_storage_bound(const exec_query *query);

/* A number for each node of the plan, the same on all ranks; NULL has the last. */
size_t metrics_count(const plan_statement *plan);
size_t metrics_number(const plan_statement *plan, const plan_node *node);
/* EXPLAIN ANALYZE says of so many what went to which rank. */
#define METRICS_EXCHANGES_SHOWN 64

/* Metrics of several ranks. */
typedef struct ranked_metrics {
    node_metrics *nodes; /* by rank, then by number */
    /* By rank, then by exchange in the order of the plan: bytes to each rank, then from each. */
    uint64_t *peers;
} ranked_metrics;

void ranked_metrics_release(ranked_metrics *metrics); /* takes a zeroed one */

/* The statement's exchanges: *out_count of them, or as many as there is room for. */
void metrics_exchanges(const plan_statement *plan, const plan_node **out, size_t room,
                       size_t *out_count);

/* All ranks' to rank 0; elsewhere *out is zeroed. */
CHECKED status metrics_gather(rank_run *run, const plan_statement *plan, const exec_query *query,
                              ranked_metrics *out);

#endif
