/* explain_metrics.c - metrics of operators, by node of the plan, and those of all ranks. */
#include "api/explain_metrics.h"

/* Of the statement's collectives; see rank_run.c. */
#define NET_METRICS 3
#define METRICS_BYTES_MAX ((uint64_t)256 << 20)

node_metrics metrics_of(const exec_query *query, const plan_node *node)
{
    node_metrics m = {0};
    for (size_t i = 0; i < query->operators.count; i++) {
        const exec_operator *op = query->operators.items[i];
        if (op->plan != node)
            continue;
        m.is_known = true;
        m.rows += atomic_load(&op->metrics.rows_out);
        m.nanoseconds += atomic_load(&op->metrics.nanoseconds);
        m.bytes += atomic_load(&op->metrics.bytes_read);
        m.spilled += atomic_load(&op->metrics.bytes_spilled);
        m.probed_most = m.probed += atomic_load(&op->metrics.rows_probed);
        m.sent += atomic_load(&op->metrics.bytes_sent);
        m.received += atomic_load(&op->metrics.bytes_received);
        uint64_t peak = atomic_load(&op->metrics.memory_peak);
        m.memory = peak > m.memory ? peak : m.memory;
    }
    return m;
}

void metrics_add(node_metrics *sum, const node_metrics *more)
{
    sum->rows += more->rows;
    sum->nanoseconds += more->nanoseconds;
    sum->bytes += more->bytes;
    sum->spilled += more->spilled;
    sum->probed += more->probed;
    if (more->probed_most > sum->probed_most)
        sum->probed_most = more->probed_most;
    sum->sent += more->sent;
    sum->received += more->received;
    sum->memory = more->memory > sum->memory ? more->memory : sum->memory;
    sum->is_known |= more->is_known;
}

/* ---- numbers of nodes ---- */

/* Counts nodes, from *number on, until it meets the wanted one. True: it did. */
static bool count_to(const plan_node *node, const plan_node *wanted, size_t *number)
{
    if (node == wanted)
        return true;
    ++*number;
    for (uint32_t i = 0; i < node->child_count; i++)
        if (count_to(node->children[i], wanted, number))
            return true;
    return false;
}

size_t metrics_number(const plan_statement *plan, const plan_node *node)
{
    size_t number = 0;
    bool is_found = count_to(plan->root, node, &number);
    for (size_t i = 0; i < plan->shared.count && !is_found; i++)
        is_found = count_to(plan->shared.items[i], node, &number);
    return number;
}

size_t metrics_count(const plan_statement *plan)
{
    return metrics_number(plan, NULL) + 1;
}

static void fill(const plan_node *node, const exec_query *query, node_metrics **next)
{
    *(*next)++ = metrics_of(query, node);
    for (uint32_t i = 0; i < node->child_count; i++)
        fill(node->children[i], query, next);
}

status metrics_make(const plan_statement *plan, const exec_query *query, node_metrics **out)
{
    size_t count = metrics_count(plan);
    node_metrics *next = *out = mem_new_array(count, sizeof **out);
    if (!next)
        return status_no_memory("metrics", count * sizeof **out);
    fill(plan->root, query, &next);
    for (size_t i = 0; i < plan->shared.count; i++)
        fill(plan->shared.items[i], query, &next);
    *next = metrics_of(query, NULL);
    return STATUS_OK;
}

/* ---- all ranks ---- */

static status copy_all(const rank_run *run, const net_collective *all, size_t count,
                       node_metrics **out)
{
    unsigned ranks = run->engine->rank_count;
    *out = mem_new_array(count * ranks, sizeof **out);
    if (!*out)
        return status_no_memory("metrics", count * ranks * sizeof **out);
    for (unsigned rank = 0; rank < ranks; rank++) {
        uint64_t bytes;
        const char *data = net_collective_bytes(all, rank, &bytes);
        if (bytes != count * sizeof **out)
            return status_new(STATUS_KIND_CORRUPT, "what rank %u says of its operators is damaged",
                              rank);
        memcpy(*out + rank * count, data, bytes);
    }
    return STATUS_OK;
}

status metrics_gather(rank_run *run, const plan_statement *plan, const exec_query *query,
                      node_metrics **out)
{
    node_metrics *own;
    net_collective *all = NULL;
    size_t count = metrics_count(plan);
    *out = NULL;
    TRY(metrics_make(plan, query, &own));
    status st = net_gather(run->net, NET_METRICS, "metrics", own, count * sizeof *own, 0,
                           METRICS_BYTES_MAX, &all);
    if (!st)
        st = rank_run_await(run, all);
    if (!st && !run->rank)
        st = copy_all(run, all, count, out);
    net_collective_close(all);
    mem_free(own);
    if (st) {
        mem_free(*out);
        *out = NULL;
    }
    return st;
}
