/* explain_metrics.c - metrics of operators, by node of the plan, and those of all ranks. */
#include "api/ranks/explain_metrics.h"

#include "exec/run.h"
#include "storage/calibrate.h"

/* A number of the statement's collectives; see rank_statement.c. */
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
        m.decoding += atomic_load(&op->metrics.nanoseconds_decoding);
        m.cached += atomic_load(&op->metrics.values_cached);
        m.cached_bytes += atomic_load(&op->metrics.bytes_cached);
        m.saved += atomic_load(&op->metrics.nanoseconds_saved);
        m.files += atomic_load(&op->metrics.files);
        m.files_opened += atomic_load(&op->metrics.files_opened);
        m.row_groups_taken += atomic_load(&op->metrics.row_groups_taken);
        m.spilled += atomic_load(&op->metrics.bytes_spilled);
        m.probed_most = m.probed += atomic_load(&op->metrics.rows_probed);
        m.sent += atomic_load(&op->metrics.bytes_sent);
        m.received += atomic_load(&op->metrics.bytes_received);
        uint64_t peak = atomic_load(&op->metrics.memory_peak);
        m.memory = peak > m.memory ? peak : m.memory;
    }
    for (size_t i = 0; i < query->parts.count; i++) {
        const node_metrics of_part = metrics_of(query->parts.items[i], node);
        metrics_add(&m, &of_part);
    }
    return m;
}

void metrics_add(node_metrics *sum, const node_metrics *more)
{
    sum->rows += more->rows;
    sum->nanoseconds += more->nanoseconds;
    sum->bytes += more->bytes;
    sum->decoding += more->decoding;
    sum->cached += more->cached;
    sum->cached_bytes += more->cached_bytes;
    sum->saved += more->saved;
    sum->spilled += more->spilled;
    sum->row_groups_taken += more->row_groups_taken;
    sum->files = more->files > sum->files ? more->files : sum->files;
    sum->files_opened =
        more->files_opened > sum->files_opened ? more->files_opened : sum->files_opened;
    sum->probed += more->probed;
    if (more->probed_most > sum->probed_most)
        sum->probed_most = more->probed_most;
    sum->sent += more->sent;
    sum->received += more->received;
    sum->memory = more->memory > sum->memory ? more->memory : sum->memory;
    sum->bound = more->bound > sum->bound ? more->bound : sum->bound;
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

uint64_t metrics_storage_bound(const exec_query *query)
{
    exec_report report;
    uint64_t most = 0;
    exec_query_report(query, &report);
    for (size_t i = 0; i < report.storage_count; i++) {
        uint64_t bytes = atomic_load(&report.storage[i].bytes);
        calibration c;
        if (!bytes)
            continue;
        if (!calibration_find(report.storage[i].device, &c))
            return 0;
        double seconds = (double)bytes / (double)calibration_best(&c)->bytes_per_second;
        most = seconds * 1e9 > (double)most ? (uint64_t)(seconds * 1e9) : most;
    }
    return most;
}

static void fill(const plan_node *node, const exec_query *query, node_metrics **next)
{
    *(*next)++ = metrics_of(query, node);
    for (uint32_t i = 0; i < node->child_count; i++)
        fill(node->children[i], query, next);
}

static void fill_all(const plan_statement *plan, const exec_query *query, node_metrics *next)
{
    fill(plan->root, query, &next);
    for (size_t i = 0; i < plan->shared.count; i++)
        fill(plan->shared.items[i], query, &next);
    *next = metrics_of(query, NULL);
    next->bound = metrics_storage_bound(query);
}

/* ---- exchanges ---- */

static void explain_metrics_add_exchanges(const plan_node *node, const plan_node **out, size_t room,
                                          size_t *count)
{
    if (node->kind == PLAN_EXCHANGE) {
        if (*count < room)
            out[*count] = node;
        ++*count;
    }
    for (uint32_t i = 0; i < node->child_count; i++)
        explain_metrics_add_exchanges(node->children[i], out, room, count);
}

void metrics_exchanges(const plan_statement *plan, const plan_node **out, size_t room,
                       size_t *out_count)
{
    *out_count = 0;
    explain_metrics_add_exchanges(plan->root, out, room, out_count);
    for (size_t i = 0; i < plan->shared.count; i++)
        explain_metrics_add_exchanges(plan->shared.items[i], out, room, out_count);
}

static void explain_metrics_add_words(const _Atomic uint64_t *from, unsigned ranks, uint64_t *to)
{
    for (unsigned rank = 0; from && rank < ranks; rank++)
        to[rank] += atomic_load(&from[rank]);
}

/* The words of each exchange, which are zero before. */
static status fill_peers(const plan_statement *plan, const exec_query *query, unsigned ranks,
                         uint64_t *words)
{
    size_t count;
    metrics_exchanges(plan, NULL, 0, &count);
    const plan_node **nodes = mem_new_array(count + 1, sizeof *nodes);
    if (!nodes)
        return status_no_memory("metrics", count * sizeof *nodes);
    metrics_exchanges(plan, nodes, count, &count);
    for (size_t e = 0; e < count; e++, words += 2 * (size_t)ranks)
        for (size_t i = 0; i < query->operators.count; i++) {
            const exec_operator *op = query->operators.items[i];
            if (op->plan != nodes[e])
                continue;
            explain_metrics_add_words(op->metrics.sent_to, ranks, words);
            explain_metrics_add_words(op->metrics.received_from, ranks, words + ranks);
        }
    mem_free(nodes);
    return STATUS_OK;
}

/* ---- all ranks ---- */

/* The shape of what a rank sends: its nodes, then its exchanges' words. */
typedef struct metrics_shape {
    unsigned ranks;
    size_t nodes, words;
} metrics_shape;

static metrics_shape shape_of(const plan_statement *plan, unsigned ranks)
{
    size_t exchanges;
    metrics_exchanges(plan, NULL, 0, &exchanges);
    return (metrics_shape){ranks, metrics_count(plan), exchanges * 2 * ranks};
}

static size_t bytes_of(const metrics_shape *shape)
{
    return shape->nodes * sizeof(node_metrics) + shape->words * sizeof(uint64_t);
}

static status make(const metrics_shape *shape, const plan_statement *plan, const exec_query *query,
                   node_metrics **out)
{
    *out = mem_new(bytes_of(shape));
    if (!*out)
        return status_no_memory("metrics", bytes_of(shape));
    fill_all(plan, query, *out);
    return fill_peers(plan, query, shape->ranks, (uint64_t *)(*out + shape->nodes));
}

void ranked_metrics_release(ranked_metrics *metrics)
{
    mem_free(metrics->nodes);
    mem_free(metrics->peers);
    *metrics = (ranked_metrics){0};
}

static status copy_all(const metrics_shape *shape, const net_collective *all, ranked_metrics *out)
{
    size_t node_bytes = shape->nodes * sizeof *out->nodes;
    out->nodes = mem_new_array(shape->nodes * shape->ranks, sizeof *out->nodes);
    out->peers = mem_new_array(shape->words * shape->ranks + 1, sizeof *out->peers);
    if (!out->nodes || !out->peers)
        return status_no_memory("metrics", shape->ranks * bytes_of(shape));
    for (unsigned rank = 0; rank < shape->ranks; rank++) {
        uint64_t bytes;
        const char *data = net_collective_bytes(all, rank, &bytes);
        if (bytes != bytes_of(shape))
            return status_new(STATUS_KIND_CORRUPT, "what rank %u says of its operators is damaged",
                              rank);
        memcpy(out->nodes + rank * shape->nodes, data, node_bytes);
        if (shape->words)
            memcpy(out->peers + rank * shape->words, data + node_bytes, bytes - node_bytes);
    }
    return STATUS_OK;
}

status metrics_gather(rank_run *run, const plan_statement *plan, const exec_query *query,
                      ranked_metrics *out)
{
    metrics_shape shape = shape_of(plan, run->engine->rank_count);
    node_metrics *own = NULL;
    net_collective *all = NULL;
    *out = (ranked_metrics){0};
    status st = make(&shape, plan, query, &own);
    if (!st)
        st = net_gather(run->net, NET_METRICS, "metrics", own, bytes_of(&shape), 0,
                        METRICS_BYTES_MAX, &all);
    if (!st)
        st = rank_run_await(run, all);
    if (!st && !run->rank)
        st = copy_all(&shape, all, out);
    net_collective_close(all);
    mem_free(own);
    if (st)
        ranked_metrics_release(out);
    return st;
}
