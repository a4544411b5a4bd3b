/* rank_statement.c - a statement on its way to the other ranks, and what all agree on. */
#include "api/ranks/rank_statement.h"

#include "api/engine/cluster.h"
#include "api/engine/ranks.h"

/* Numbers of the statement's collectives, and that of explain_metrics.c; exchanges follow from
 * EXEC_NET_FIRST_EXCHANGE on. */
enum { NET_STATEMENT, NET_PLAN, NET_END, NET_PARTS = 4, NET_PUBLISHED };

#define STATEMENT_BYTES_MAX ((uint64_t)256 << 20)

status rank_run_send(rank_run *run, const char *data, uint64_t bytes)
{
    net_collective *collective;
    status st = net_gather(run->net, NET_STATEMENT, "statement", data, bytes, NET_ANY,
                           STATEMENT_BYTES_MAX, &collective);
    if (!st) {
        st = rank_run_await(run, collective);
        net_collective_close(collective);
    }
    return st;
}

status rank_run_write(const rank_run *run, const pistachio_result *result, char **out,
                      uint64_t *out_bytes)
{
    const api_cluster *cluster = run->database->cluster;
    uint64_t memory = api_distribution(run->engine, &result->settings).memory_bytes;
    return statement_write(result, memory, cluster ? &cluster->initial : NULL, out, out_bytes);
}

status rank_run_send_request(rank_run *run, statement_request request, const char *text,
                             bool use_cache)
{
    char *data;
    uint64_t bytes;
    TRY(statement_write_request(request, text, use_cache, &data, &bytes));
    status st = rank_run_send(run, data, bytes);
    mem_free(data);
    return st;
}

status rank_run_receive(rank_run *run, char **out, uint64_t *out_bytes)
{
    net_collective *collective;
    *out = NULL;
    TRY(net_gather(run->net, NET_STATEMENT, "statement", NULL, 0, NET_ANY, STATEMENT_BYTES_MAX,
                   &collective));
    status st = rank_run_await(run, collective);
    if (!st) {
        const char *data = net_collective_bytes(collective, 0, out_bytes);
        *out = mem_copy_text(data, *out_bytes);
        if (!*out)
            st = status_no_memory("statement", *out_bytes);
    }
    net_collective_close(collective);
    return st;
}

/* ---- agreement ---- */

/* A word of the plan, and words of the files of tables, each table's by its name. */
#define PLAN_WORDS 32

static uint32_t word_of_table(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return 1 + hash % (PLAN_WORDS - 1);
}

static const char *scan_name(const plan_node *scan)
{
    return scan->scan.table_name ? scan->scan.table_name : "";
}

static void rank_statement_add_tables(const plan_node *node, uint64_t *words)
{
    if (node->kind == PLAN_SCAN)
        words[word_of_table(scan_name(node))] += plan_files_hash(node->scan.table);
    for (uint32_t i = 0; i < node->child_count; i++)
        rank_statement_add_tables(node->children[i], words);
}

/* A table whose word it is; NULL: there is none below the node. */
static const pq_table *table_of_word(const plan_node *node, uint32_t word)
{
    const pq_table *found = NULL;
    if (node->kind == PLAN_SCAN && word_of_table(scan_name(node)) == word)
        return node->scan.table;
    for (uint32_t i = 0; i < node->child_count && !found; i++)
        found = table_of_word(node->children[i], word);
    return found;
}

static status make_words(const plan_statement *plan, uint64_t *words)
{
    memset(words, 0, PLAN_WORDS * sizeof *words);
    TRY(plan_hash(plan, &words[0]));
    rank_statement_add_tables(plan->root, words);
    for (size_t i = 0; i < plan->shared.count; i++)
        rank_statement_add_tables(plan->shared.items[i], words);
    return STATUS_OK;
}

static status other_files(const rank_run *run, const plan_statement *plan, uint32_t word, int other)
{
    const pq_table *table = table_of_word(plan->root, word);
    for (size_t i = 0; !table && i < plan->shared.count; i++)
        table = table_of_word(plan->shared.items[i], word);
    return status_hint(
        status_new(STATUS_KIND_INVALID,
                   "rank %d (host %s) has other files than rank 0 (host %s) of table \"%s\"", other,
                   net_comm_host(run->place->comm, (unsigned)other),
                   net_comm_host(run->place->comm, 0), table ? table->name : "?"),
        "every rank opens all files of a table, which must be the same on all of them");
}

static status compare_words(const rank_run *run, const plan_statement *plan,
                            const net_collective *words)
{
    for (uint32_t word = 1; word < PLAN_WORDS; word++) {
        int other = net_collective_differs(words, word);
        if (other >= 0)
            return other_files(run, plan, word, other);
    }
    int other = net_collective_differs(words, 0);
    if (other < 0)
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_INVALID,
                                  "rank %d (host %s) has another plan than rank 0 (host %s)", other,
                                  net_comm_host(run->place->comm, (unsigned)other),
                                  net_comm_host(run->place->comm, 0)),
                       "tables must have the same names and files on all ranks");
}

status rank_run_agree_plan(rank_run *run, const plan_statement *plan)
{
    uint64_t words[PLAN_WORDS];
    uint8_t operations[PLAN_WORDS];
    net_collective *collective;
    TRY(make_words(plan, words));
    memset(operations, NET_SAME, sizeof operations);
    TRY(net_agree(run->net, NET_PLAN, "plan", words, operations, PLAN_WORDS, &collective));
    status st = rank_run_await(run, collective);
    if (!st)
        st = compare_words(run, plan, collective);
    net_collective_close(collective);
    return st;
}

/* All ranks have come so far. *io becomes the sum of what each has given. */
static status agree_sum(rank_run *run, uint32_t id, const char *name, uint64_t *io)
{
    const uint8_t sum = NET_SUM;
    net_collective *collective;
    TRY(net_agree(run->net, id, name, io, &sum, 1, &collective));
    status st = rank_run_await(run, collective);
    if (!st)
        *io = *net_collective_words(collective);
    net_collective_close(collective);
    return st;
}

status rank_run_agree_end(rank_run *run)
{
    uint64_t none = 0;
    return agree_sum(run, NET_END, "end of the statement", &none);
}

status rank_run_agree_parts(rank_run *run, uint64_t *io_rows)
{
    return agree_sum(run, NET_PARTS, "parts of COPY", io_rows);
}

status rank_run_agree_published(rank_run *run)
{
    uint64_t none = 0;
    return agree_sum(run, NET_PUBLISHED, "end of COPY", &none);
}
