/* pipeline.c - turns a plan into stages.
 *
 * Walks the plan from the root down, carrying the chain of operators that lie between a node and
 * the next sink ("down"). A source ends the walk and makes a pipeline out of the chain. UNION walks
 * every child with the same chain, so its operators get tasks of several pipelines. What must have
 * finished before an operator may run (its join's build side) hangs on the chain's link. */
#include "exec/pipeline.h"

#include "base/system/guard.h"
#include "exec/exchange/op_exchange.h"
#include "exec/operators/op_result.h"
#include "exec/sched/stages.h"
#include "exec/window/op_window.h"
#include "plan/nodes/node.h"
#include "plan/nodes/visit.h"

typedef struct link link;
struct link {
    exec_operator *op;
    exec_stage *requires;   /* must finish before op runs; or NULL */
    exec_stage *sink_stage; /* the last link: op is this stage's sink */
    const link *next;
};

static exec_layout layout_of(const plan_node *node)
{
    return (exec_layout){(uint32_t)node->columns.count, node->columns.items};
}

static status stage_new(exec_query *query, exec_stage **out)
{
    exec_stage *stage = arena_alloc(query->memory, sizeof *stage);
    if (!stage)
        return status_no_memory("stage", sizeof *stage);
    stage->query = query;
    TRY(array_push(query->memory, &query->stages, stage));
    *out = stage;
    return STATUS_OK;
}

static status stage_require(exec_query *query, exec_stage *stage, exec_stage *required)
{
    if (!required)
        return STATUS_OK;
    TRY(array_push(query->memory, &required->dependents, stage));
    stage->pending++;
    return STATUS_OK;
}

/* Puts an operator, which the query takes over, in front of a chain. */
static status link_new(exec_query *query, exec_operator *op, exec_stage *requires,
                       exec_stage *sink_stage, const link *next, const link **out)
{
    link *l = arena_alloc(query->memory, sizeof *l);
    if (!l)
        return status_no_memory("pipeline", sizeof *l);
    *l = (link){op, requires, sink_stage, next};
    *out = l;
    return STATUS_OK;
}

/* A stage for the sink's phases, and the chain of only that sink. */
static status sink_chain(exec_query *query, exec_operator *sink, exec_stage *requires,
                         exec_stage **out_stage, const link **out)
{
    TRY(stage_new(query, out_stage));
    (*out_stage)->sink = sink;
    return link_new(query, sink, requires, *out_stage, NULL, out);
}

/* The pipeline of a source, which the query owns already, and a chain. */
static status pipeline_new(exec_query *query, exec_operator *source, exec_stage *requires,
                           const link *down, exec_stage **out)
{
    exec_stage *stage;
    TRY(stage_new(query, &stage));
    stage->source = source;
    source->pipelines++;
    TRY(stage_require(query, stage, requires));
    for (const link *l = down; l; l = l->next) {
        TRY(array_push(query->memory, &stage->operators, l->op));
        l->op->pipelines++;
        TRY(stage_require(query, stage, l->requires));
        if (l->sink_stage)
            TRY(stage_require(query, l->sink_stage, stage));
    }
    if (out)
        *out = stage;
    return STATUS_OK;
}

static status pipeline_walk(exec_query *query, const plan_node *node, const link *down);

static status walk_scan(exec_query *query, const plan_node *node, const link *down)
{
    exec_operator *source;
    TRY(op_scan_open(query, node, &source));
    TRY(exec_adopt(query, source));
    if (down && down->op->ops->narrow_columns)
        source->narrow_columns = down->op->ops->narrow_columns(down->op);
    return pipeline_new(query, source, NULL, down, NULL);
}

/* A scan starts when the runtime filters that it takes are published. */
static status await_filters(exec_query *query)
{
    for (size_t i = 0; i < query->stages.count; i++) {
        exec_stage *stage = query->stages.items[i];
        const plan_node *plan = stage->source ? stage->source->plan : NULL;
        for (size_t k = 0; plan && plan->kind == PLAN_SCAN && k < plan->scan.runtime_filters.count;
             k++)
            TRY(stage_require(query, stage,
                              query->filter_stages[plan->scan.runtime_filters.items[k].id]));
    }
    return STATUS_OK;
}

/* The chain has op among its links. */
static bool stage_uses(const exec_stage *stage, const exec_operator *op)
{
    for (size_t i = 0; i < stage->operators.count; i++)
        if (stage->operators.items[i] == op)
            return true;
    return false;
}

/* Chunks that come out of the node may have few rows left. */
static bool gives_small_chunks(const plan_node *node)
{
    switch (node->kind) {
    case PLAN_SCAN:
        return node->scan.filters.count || node->scan.runtime_filters.count;
    case PLAN_FILTER:
    case PLAN_JOIN:
        return true;
    case PLAN_PROJECT:
        return gives_small_chunks(node->children[0]);
    default:
        return false;
    }
}

static bool pipeline_has_limit(const link *chain)
{
    for (const link *l = chain; l; l = l->next)
        if (l->op->plan && l->op->plan->kind == PLAN_LIMIT)
            return true;
    return false;
}

/* Puts a buffer in front of the chain of a join that `node` feeds, where that pays: not where a
 * limit may end the query after its first rows. */
static status buffer_chunks(exec_query *query, const plan_node *node, const link *chain,
                            const link **out)
{
    exec_operator *op;
    *out = chain;
    if (!query->is_buffering || !query->dev->is_host || !gives_small_chunks(node) ||
        pipeline_has_limit(chain))
        return STATUS_OK;
    TRY(op_buffer_open(query, &op));
    TRY(exec_adopt(query, op));
    return link_new(query, op, NULL, NULL, chain, out);
}

/* Adopts an operator that may be NULL; the first failure counts. */
static status adopt_made(exec_query *query, exec_operator *op, status before)
{
    status st = op ? exec_adopt(query, op) : STATUS_OK;
    if (!before)
        return st;
    status_free(st);
    return before;
}

/* Rows of heavy keys that stay on this rank are joined beside the others. */
static status walk_heavy(exec_query *query, exec_operator *build, exec_stage *build_stage,
                         const link *down)
{
    exec_operator *answering, *collecting, *kept;
    status st = op_join_heavy_open(build, &answering, &collecting, &kept);
    st = adopt_made(query, answering, st);
    st = adopt_made(query, collecting, st);
    TRY(adopt_made(query, kept, st));
    TRY(pipeline_new(query, answering, build_stage, NULL, NULL));
    TRY(pipeline_new(query, collecting, NULL, NULL, NULL));
    return pipeline_new(query, kept, NULL, down, NULL);
}

static status walk_join(exec_query *query, const plan_node *node, const link *down)
{
    const plan_node *build_child = node->children[node->join.build_left ? 0 : 1];
    const plan_node *probe_child = node->children[node->join.build_left ? 1 : 0];
    exec_operator *build = NULL, *probe = NULL, *tail = NULL;
    bool probe_is_sink = false;
    TRY(op_join_open(query, node, layout_of(probe_child), layout_of(build_child), &build, &probe,
                     &probe_is_sink, &tail));
    status st = exec_adopt(query, build);
    status st_probe = exec_adopt(query, probe);
    status st_tail = tail ? exec_adopt(query, tail) : STATUS_OK;
    if (st || st_probe || st_tail) {
        status_free(st ? st_probe : STATUS_OK);
        status_free(st || st_probe ? st_tail : STATUS_OK);
        return st ? st : st_probe ? st_probe : st_tail;
    }

    exec_stage *build_stage;
    const link *chain;
    TRY(sink_chain(query, build, NULL, &build_stage, &chain));
    for (size_t i = 0; i < node->join.runtime_filters.count; i++)
        query->filter_stages[node->join.runtime_filters.items[i].id] = build_stage;
    if (node->join.overflow_id)
        query->overflows[node->join.overflow_id - 1].build_stage = build_stage;
    TRY(pipeline_walk(query, build_child, chain));

    if (probe_is_sink) {
        exec_stage *probe_stage;
        TRY(sink_chain(query, probe, build_stage, &probe_stage, &chain));
        TRY(stage_require(query, probe_stage,
                          build_stage)); /* what is built on is wanted without any probe row */
        TRY(buffer_chunks(query, probe_child, chain, &chain));
        TRY(pipeline_walk(query, probe_child, chain));
        return pipeline_new(query, tail, probe_stage, down, NULL);
    }
    if (node->join.heavy_id)
        TRY(walk_heavy(query, build, build_stage, down));
    size_t first = query->stages.count;
    TRY(link_new(query, probe, build_stage, NULL, down, &chain));
    TRY(buffer_chunks(query, probe_child, chain, &chain));
    TRY(pipeline_walk(query, probe_child, chain));
    if (!tail)
        return STATUS_OK;
    size_t end = query->stages.count;
    exec_stage *tail_stage;
    TRY(pipeline_new(query, tail, build_stage, down, &tail_stage));
    for (size_t i = first; i < end; i++)
        if (stage_uses(query->stages.items[i], probe))
            TRY(stage_require(query, tail_stage, query->stages.items[i]));
    return STATUS_OK;
}

typedef status open_source(exec_query *query, const plan_node *plan, exec_operator **out);
typedef status open_streaming(exec_query *query, const plan_node *plan, exec_layout input,
                              exec_operator **out);
typedef status open_breaker(exec_query *query, const plan_node *plan, exec_layout input,
                            exec_operator **out_sink, exec_operator **out_source);

/* ---- columns that nobody reads ---- */

typedef struct read_columns {
    bool *ids; /* by the columns' ids, of so many */
    uint32_t count;
} read_columns;

static void add_read(uint32_t id, void *context)
{
    const read_columns *read = context;
    if (id < read->count)
        read->ids[id] = true;
}

static void pipeline_add_expr(const read_columns *read, const expr *e)
{
    if (e)
        expr_visit_columns(e, add_read, (void *)(uintptr_t)read);
}

static void add_expr_list(const read_columns *read, const expr_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        pipeline_add_expr(read, list->items[i]);
}

static void add_aggregates(const read_columns *read, const plan_node *node)
{
    for (size_t i = 0; i < node->aggregate.aggregates.count; i++) {
        const plan_aggregate *aggregate = &node->aggregate.aggregates.items[i];
        pipeline_add_expr(read, aggregate->argument);
        pipeline_add_expr(read, aggregate->second);
        pipeline_add_expr(read, aggregate->filter);
    }
}

/* Adds what is read of a node's columns by whoever makes other rows of its own, and by conditions between them.
 * False: somebody may hand all on. */
static bool add_readers(const read_columns *read, const plan_node *node, const link *down)
{
    for (; down; down = down->next) {
        const plan_node *next = down->op->plan;
        if (!next || !next->child_count || next->children[0] != node)
            return false;
        switch (next->kind) {
        case PLAN_FILTER:
            add_expr_list(read, &next->filter.conditions);
            break;
        case PLAN_PROJECT:
            add_expr_list(read, &next->project.exprs);
            return true;
        case PLAN_AGGREGATE:
            add_expr_list(read, &next->aggregate.groups);
            add_aggregates(read, next);
            return true;
        default:
            return false;
        }
        node = next;
    }
    return false;
}

static status find_unread(exec_query *query, const plan_node *node, const link *down,
                          exec_operator *source)
{
    size_t count = node->columns.count;
    read_columns read = {.count = query->statement->next_column_id};
    if (node->kind != PLAN_AGGREGATE)
        return STATUS_OK;
    read.ids = arena_alloc_array(query->memory, read.count + 1, sizeof *read.ids);
    bool *unread = arena_alloc_array(query->memory, count + 1, sizeof *unread);
    if (!read.ids || !unread)
        return status_no_memory("pipeline", read.count);
    if (!add_readers(&read, node, down))
        return STATUS_OK;
    for (size_t i = 0; i < count; i++)
        unread[i] = node->columns.items[i].id < read.count && !read.ids[node->columns.items[i].id];
    source->unread = unread;
    return STATUS_OK;
}

/* A sink, and a source that starts when the sink is done. */
/* Lets one task alone take the sink's rows, in the order in which its sources give them. */
static void take_by_one_task(const exec_query *query, const exec_operator *sink)
{
    for (size_t i = 0; i < query->stages.count; i++)
        if (query->stages.items[i]->source && stage_uses(query->stages.items[i], sink))
            query->stages.items[i]->source->task_limit = 1;
}

static status walk_breaker(exec_query *query, const plan_node *node, open_breaker *open,
                           const link *down)
{
    const plan_node *child = node->children[0];
    exec_operator *sink = NULL, *source = NULL;
    TRY(open(query, node, layout_of(child), &sink, &source));
    status st = exec_adopt(query, sink);
    if (st) {
        exec_operator_close(source);
        return st;
    }
    TRY(exec_adopt(query, source));
    TRY(find_unread(query, node, down, source));
    exec_stage *stage;
    const link *chain;
    TRY(sink_chain(query, sink, NULL, &stage, &chain));
    TRY(pipeline_walk(query, child, chain));
    if (node->kind == PLAN_SORT && node->sort.keeps_order)
        take_by_one_task(query, sink);
    return pipeline_new(query, source, stage, down, NULL);
}

static status walk_shared(exec_query *query, const plan_node *node, const link *down)
{
    uint32_t id = node->shared.id;
    if (!query->shared_sinks[id]) {
        const plan_node *plan = query->statement->shared.items[id];
        const link *chain;
        exec_operator *sink;
        TRY(op_shared_open(query, plan, layout_of(plan), &sink));
        TRY(exec_adopt(query, sink));
        TRY(sink_chain(query, sink, NULL, &query->shared_stages[id], &chain));
        query->shared_sinks[id] = sink;
        TRY(pipeline_walk(query, plan, chain));
    }
    exec_operator *source;
    TRY(op_shared_source_open(query, node, query->shared_sinks[id], &source));
    TRY(exec_adopt(query, source));
    return pipeline_new(query, source, query->shared_stages[id], down, NULL);
}

/* ---- several ranks ---- */

/* Returns the stage after which it is known whether rows stay that go out only if their join's broadcast overflows. */
static exec_stage *sent_after(const exec_query *query, const plan_node *exchange)
{
    bool is_probe = exchange->exchange.kind == EXCHANGE_HASH && exchange->exchange.overflow_id;
    return is_probe ? query->overflows[exchange->exchange.overflow_id - 1].build_stage : NULL;
}

/* Rows that go by ranges are kept, and samples drawn of them, before the first one is sent. */
static status walk_kept(exec_query *query, const plan_node *node, exec_operator *send,
                        const link *down)
{
    exec_operator *sampler, *keep, *kept;
    exec_stage *stage;
    const link *chain;
    TRY(op_kept_open(query, &keep));
    TRY(exec_adopt(query, keep));
    TRY(sink_chain(query, keep, NULL, &stage, &chain));
    TRY(op_exchange_sampler(send, &sampler));
    TRY(exec_adopt(query, sampler));
    TRY(link_new(query, sampler, NULL, NULL, chain, &chain));
    TRY(op_kept_source_open(query, keep, &kept));
    TRY(exec_adopt(query, kept));
    TRY(pipeline_new(query, kept, stage, down, NULL));
    return pipeline_walk(query, node->children[0], chain);
}

/* A sink that sends; and, where rows come to this rank, too, a source, which runs at the same time and
 * gives them to `down`. */
static status open_exchange(exec_query *query, const plan_node *node, const link *down,
                            exec_operator **out_source)
{
    exec_operator *sink;
    TRY(op_exchange_open(query, node, &sink, out_source));
    status st = exec_adopt(query, sink);
    if (st && out_source)
        exec_operator_close(*out_source);
    TRY(st);
    if (out_source)
        TRY(exec_adopt(query, *out_source));
    exec_stage *stage;
    const link *chain;
    TRY(sink_chain(query, sink, sent_after(query, node), &stage, &chain));
    if (node->exchange.kind == EXCHANGE_RANGES)
        return walk_kept(query, node, sink, chain);
    if (sent_after(query, node) &&
        !pipeline_has_limit(down)) /* a join's, and perhaps they stay as they are */
        TRY(buffer_chunks(query, node->children[0], chain, &chain));
    return pipeline_walk(query, node->children[0], chain);
}

static status walk_exchange(exec_query *query, const plan_node *node, const link *down)
{
    exec_operator *source;
    TRY(open_exchange(query, node, down, &source));
    return pipeline_new(query, source, NULL, down, NULL);
}

/* Makes this rank's part of a plan that rank 0 runs: what is sent there. */
static status walk_sends(exec_query *query, const plan_node *node)
{
    TRY(guard_check());
    if (node->kind == PLAN_EXCHANGE)
        return open_exchange(query, node, NULL, NULL);
    if (node->kind == PLAN_SHARED && !query->shared_is_sent[node->shared.id]) {
        query->shared_is_sent[node->shared.id] = true;
        TRY(walk_sends(query, query->statement->shared.items[node->shared.id]));
    }
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(walk_sends(query, node->children[i]));
    return STATUS_OK;
}

static exec_result nothing_pull(exec_operator *op, exec_task *task, void *state, chunk **output)
{
    (void)op, (void)task, (void)state, (void)output;
    return EXEC_FINISHED;
}

static const exec_operator_ops nothing_ops = {.name = "nothing", .pull = nothing_pull};

/* Rank 0 has the node's rows: here it gives none. */
static status walk_elsewhere(exec_query *query, const plan_node *node, const link *down)
{
    exec_operator *source = mem_new(sizeof *source);
    if (!source)
        return status_no_memory("pipeline", sizeof *source);
    *source = (exec_operator){.ops = &nothing_ops, .query = query, .is_empty = true};
    TRY(exec_adopt(query, source));
    TRY(pipeline_new(query, source, NULL, down, NULL));
    return walk_sends(query, node);
}

static exec_operator *find_reorder_below(const link *down)
{
    for (; down; down = down->next)
        if (down->op->ops->begin_turn)
            return down->op;
    return NULL;
}

/* Makes stages from number `first` on that use the operator run after those before them, from number `earlier`
 * on, that use it too. */
static status run_after(exec_query *query, size_t earlier, size_t first, const exec_operator *op)
{
    for (size_t i = first; i < query->stages.count; i++)
        for (size_t k = earlier; k < first && stage_uses(query->stages.items[i], op); k++)
            if (stage_uses(query->stages.items[k], op))
                TRY(stage_require(query, query->stages.items[i], query->stages.items[k]));
    return STATUS_OK;
}

/* Rows that have an order: those of one child follow those of the child before it. */
static status walk_union(exec_query *query, const plan_node *node, const link *down)
{
    const exec_operator *reorder = find_reorder_below(down);
    size_t earlier = query->stages.count;
    for (uint32_t i = 0; i < node->child_count; i++) {
        size_t first = query->stages.count;
        TRY(pipeline_walk(query, node->children[i], down));
        if (reorder)
            TRY(run_after(query, earlier, first, reorder));
        earlier = first;
    }
    return STATUS_OK;
}

static status walk_source(exec_query *query, const plan_node *node, open_source *open,
                          const link *down)
{
    exec_operator *source = NULL;
    TRY(open(query, node, &source));
    TRY(exec_adopt(query, source));
    return pipeline_new(query, source, NULL, down, NULL);
}

static status walk_streaming(exec_query *query, const plan_node *node, open_streaming *open,
                             const link *down)
{
    const plan_node *child = node->children[0];
    exec_operator *op = NULL;
    const link *chain;
    TRY(open(query, node, layout_of(child), &op));
    TRY(exec_adopt(query, op));
    TRY(link_new(query, op, NULL, NULL, down, &chain));
    return pipeline_walk(query, child, chain);
}

static bool keeps_chunks(const plan_node *node)
{
    return node->kind == PLAN_PROJECT;
}

/* Streaming operators that have given all that they make of a chunk before they take the next one. */
static bool keeps_order(const plan_node *node)
{
    return keeps_chunks(node) || node->kind == PLAN_FILTER;
}

/* Rows of a table that come to the result as they lie there, and perhaps others after them: *out_limit is the
 * LIMIT node among what is between, if there is one. */
static bool pipeline_is_plain(const exec_query *query, const plan_node **out_limit)
{
    const plan_node *node = query->statement->root;
    *out_limit = NULL;
    if (!query->dev->is_host || !query->result_sink)
        return false;
    while (keeps_chunks(node))
        node = node->children[0];
    if (node->kind == PLAN_LIMIT) {
        *out_limit = node;
        node = node->children[0];
    }
    while (keeps_order(node) || node->kind == PLAN_UNION)
        node = node->children[0];
    return node->kind == PLAN_SCAN || node->kind == PLAN_TEXT_SCAN || node->kind == PLAN_ARROW_SCAN;
}

/* Returns whether a LIMIT within the statement has rows of a table as they lie there. */
static bool limits_plain(const exec_query *query, const plan_node *limit)
{
    const plan_node *node = limit->children[0];
    while (keeps_order(node))
        node = node->children[0];
    return query->dev->is_host && query->result_sink && !query->net &&
           (node->kind == PLAN_SCAN || node->kind == PLAN_TEXT_SCAN ||
            node->kind == PLAN_ARROW_SCAN);
}

/* A LIMIT of rows that have an order passes the first ones, any other as many as it is to. */
static status walk_limit(exec_query *query, const plan_node *node, const link *down)
{
    const plan_node *child = node->children[0], *first_rows;
    exec_operator *op = NULL;
    const link *chain;
    if ((pipeline_is_plain(query, &first_rows) && first_rows == node) || limits_plain(query, node))
        TRY(op_reorder_open(query, node, layout_of(child), &op));
    else
        TRY(op_limit_open(query, node, &op));
    TRY(exec_adopt(query, op));
    TRY(link_new(query, op, NULL, NULL, down, &chain));
    return pipeline_walk(query, child, chain);
}

/* How each kind of node is put together; one of the four. */
static const struct runner {
    open_source *source;
    open_streaming *streaming;
    open_breaker *breaker;
    status (*walk)(exec_query *query, const plan_node *node, const link *down);
} runners[PLAN_KIND_COUNT] = {
#define SOURCE(kind, name) [PLAN_##kind] = {.source = op_##name##_open},
#define STREAMING(kind, name) [PLAN_##kind] = {.streaming = op_##name##_open},
#define BREAKER(kind, name) [PLAN_##kind] = {.breaker = op_##name##_open},
#define WALKED(kind, name) [PLAN_##kind] = {.walk = walk_##name},
#include "exec/sched/operators.def"
#undef SOURCE
#undef STREAMING
#undef BREAKER
#undef WALKED
};

static status pipeline_walk(exec_query *query, const plan_node *node, const link *down)
{
    TRY(guard_check());
    const struct runner *r = &runners[node->kind];
    if (query->rank && node->placement == PLACEMENT_ONE)
        return walk_elsewhere(query, node, down);
    if (r->walk)
        return r->walk(query, node, down);
    if (r->source)
        return walk_source(query, node, r->source, down);
    if (r->streaming)
        return walk_streaming(query, node, r->streaming, down);
    if (r->breaker)
        return walk_breaker(query, node, r->breaker, down);
    return status_new(STATUS_KIND_INTERNAL, "a plan node \"%s\" cannot run",
                      plan_kind_name(node->kind));
}

/* ---- the order of the result's rows ---- */

/* In front of the result, where there is no LIMIT. */
static status reorder_result(exec_query *query, const link *result, const link **out)
{
    const plan_node *limit;
    exec_operator *op = NULL;
    *out = result;
    if (!pipeline_is_plain(query, &limit) || limit)
        return STATUS_OK;
    TRY(op_reorder_open(query, NULL, layout_of(query->statement->root), &op));
    TRY(exec_adopt(query, op));
    return link_new(query, op, NULL, NULL, result, out);
}

/* The operators behind one whose chunks have turns, up to the result, make one chunk of each. */
static bool has_turns_until_end(const exec_stage *stage, const exec_operator *op)
{
    size_t i = 0;
    while (op != stage->source && stage->operators.items[i] != op)
        i++;
    for (i += op != stage->source; i + 1 < stage->operators.count; i++) {
        const plan_node *plan = stage->operators.items[i]->plan;
        if (!plan || !keeps_chunks(plan))
            return false;
    }
    return true;
}

static exec_operator *find_reorder(const exec_stage *stage)
{
    for (size_t i = 0; i < stage->operators.count; i++)
        if (stage->operators.items[i]->ops->begin_turn)
            return stage->operators.items[i];
    return NULL;
}

/* The result heeds the turns of the one source that it comes from, so that any number of tasks may pull; false:
 * they have none, or some operator makes several chunks of one. */
static bool keep_turns_of(exec_stage *stage)
{
    if (!stage->reorder && !stage->source->has_turns)
        return false;
    if (!has_turns_until_end(stage, stage->reorder ? stage->reorder : stage->source))
        return false;
    if (!stage->reorder)
        stage->source->task_limit = 0;
    return true;
}

/* The result comes from one source alone, or from several that one operator puts in order, and its rows
 * have an order, it heeds their turns. */
static void keep_turns(const exec_query *query, exec_operator *result)
{
    exec_stage *only = NULL;
    bool keeps = true;
    for (size_t i = 0; i < query->stages.count; i++)
        query->stages.items[i]->reorder = find_reorder(query->stages.items[i]);
    for (size_t i = 0; i < query->stages.count && keeps; i++) {
        exec_stage *stage = query->stages.items[i];
        if (!stage_uses(stage, result))
            continue;
        keeps = keep_turns_of(stage) && (!only || stage->reorder);
        only = stage;
    }
    if (only && keeps)
        op_result_keep_turns(result);
}

/* ---- windows by all tasks ---- */

/* How many of the sort's first keys the window's partitions are made of; 0: they are of others, or none. */
static uint32_t partition_keys(const plan_node *sort, const plan_node *window)
{
    const expr_list *partition = &window->window.partition;
    if (partition->count > sort->sort.keys.count)
        return 0;
    for (size_t i = 0; i < partition->count; i++)
        if (!expr_equal(partition->items[i], sort->sort.keys.items[i].key))
            return 0;
    return (uint32_t)partition->count;
}

/* How many of the sort's first keys rows have in common that one task has to have: those of a partition, or
 * (may_divide) of peers. 0: all rows. */
static uint32_t turn_keys(const plan_node *sort, const plan_node *window, bool may_divide)
{
    uint32_t keys = partition_keys(sort, window), count = (uint32_t)window->window.order.count;
    bool is_known = keys == window->window.partition.count;
    if (!may_divide || !is_known || !op_window_may_divide(window) ||
        keys + count > sort->sort.keys.count)
        return keys;
    for (uint32_t i = 0; i < count; i++)
        if (!expr_equal(window->window.order.items[i].key, sort->sort.keys.items[keys + i].key))
            return keys;
    return keys + count;
}

/* Returns by how many keys rows are to be of one turn, if a sort feeds windows and what takes rows in any order, so
 * that any number of tasks may pull. 0: one task has to get all rows. *out_filters: some are dropped on their way;
 * windows above do not see each turn's end. */
static uint32_t whole_keys(const exec_stage *stage, bool *out_filters)
{
    const exec_operator *source = stage->source;
    uint32_t found = 0, keys;
    *out_filters = false;
    if (!source || !source->has_turns || source->plan->kind != PLAN_SORT)
        return 0;
    for (size_t i = 0; i + 1 < stage->operators.count; i++) {
        const plan_node *plan = stage->operators.items[i]->plan;
        switch (plan ? plan->kind : PLAN_KIND_COUNT) {
        case PLAN_WINDOW:
            keys = turn_keys(source->plan, plan, !*out_filters);
            if (!keys)
                return 0;
            found = found && found < keys ? found : keys;
            break;
        case PLAN_FILTER:
        case PLAN_JOIN:
            *out_filters = true;
            break;
        case PLAN_PROJECT:
            break;
        default:
            return 0;
        }
    }
    return found;
}

/* The result heeds turns where each turn is sure to give a chunk. */
static void share_windows(const exec_query *query, exec_operator *result)
{
    for (size_t i = 0; i < query->stages.count; i++) {
        exec_stage *stage = query->stages.items[i];
        bool filters;
        uint32_t keys = whole_keys(stage, &filters);
        bool feeds_result = stage_uses(stage, result);
        if (!keys || (feeds_result && (filters || result->pipelines > 1 || !query->result_sink)))
            continue;
        stage->source->whole_keys = keys;
        stage->source->task_limit = 0;
        for (size_t k = 0; k + 1 < stage->operators.count; k++)
            if (stage->operators.items[k]->plan->kind == PLAN_WINDOW)
                stage->operators.items[k]->whole_keys = keys;
        if (feeds_result)
            op_result_keep_turns(result);
    }
}

bool exec_is_of_one_task(const exec_query *query, const exec_operator *sink)
{
    for (size_t i = 0; i < query->stages.count; i++) {
        const exec_stage *stage = query->stages.items[i];
        if (stage->source && stage_uses(stage, sink) && stage->source->task_limit != 1)
            return false;
    }
    return true;
}

status exec_build(exec_query *query, exec_operator *sink)
{
    exec_stage *stage;
    const link *chain;
    TRY(sink_chain(query, sink, NULL, &stage, &chain));
    TRY(reorder_result(query, chain, &chain));
    TRY(pipeline_walk(query, query->statement->root, chain));
    TRY(await_filters(query));
    TRY(stages_order(query));
    if (query->result_sink)
        keep_turns(query, sink);
    share_windows(query, sink);
    return STATUS_OK;
}
