/* join_filters.c - the ranks' filters become one. */
#include "exec/join/join_filters.h"

#include "device/transfer.h"
#include "exec/join/join_spill.h"
#include "exec/sched/query.h"

/* Words of each filter on which ranks agree; before these, a word says whether a rank's rows are in temporary files. */
enum { WORD_KEYS, WORD_MIN, WORD_MAX, WORD_NO_RANGE, FILTER_WORDS };
enum { STEP_BEGIN, STEP_AGREE, STEP_NEXT, STEP_UNITE };

/* A filter may have as many bytes, whatever it saves. */
#define BYTES_SMALL (64.0 * 1024)
/* Bytes that a rank sends of a filter and receives of it. */
#define TIMES_SENT 2.0

static uint32_t join_filters_filter_count(const op_join_build *join)
{
    return (uint32_t)join->base.plan->join.runtime_filters.count;
}

static const plan_given_filter *planned(const op_join_build *join)
{
    return &join->base.plan->join.runtime_filters.items[join->united.number];
}

static runtime_filter *filter_of(const op_join_build *join)
{
    return exec_runtime_filter(join->base.query, planned(join)->id);
}

static void join_filters_wake(void *task)
{
    exec_wake(task);
}

/* ---- agreeing ---- */

static void set_words(uint64_t *words, uint64_t keys, int64_t min, int64_t max, bool has_range)
{
    words[WORD_KEYS] = keys;
    words[WORD_MIN] = (uint64_t)min;
    words[WORD_MAX] = (uint64_t)max;
    words[WORD_NO_RANGE] = !has_range;
}

/* Notes ranges of rows in temporary files: only those that the table would have needed are known. */
static void note_spilled(const op_join_build *join, uint32_t key, uint64_t *words)
{
    const join_key_range *range = &join->whole.ranges[key];
    if (join_table_needs_ranges(&join->whole.table))
        set_words(words, range->count, range->min, range->max, true);
    else
        set_words(words, 1, INT64_MAX, INT64_MIN, false);
}

static status note_keys(const op_join_build *join, exec_task *task, uint32_t key, uint64_t *words)
{
    uint64_t bounds[3];
    const join_table *table = &join->whole.table;
    TRY(runtime_filter_bounds(task->stream, table->chunks.items, table->chunks.count,
                              join->key_columns[key], bounds));
    set_words(words, bounds[2], (int64_t)bounds[0], (int64_t)bounds[1],
              runtime_filter_type_has_range(join->key_types[key]));
    return STATUS_OK;
}

static status join_filters_fill_words(const op_join_build *join, exec_task *task, uint64_t *words)
{
    words[0] = join_has_spilled(join);
    for (uint32_t i = 0; i < join_filters_filter_count(join); i++) {
        uint32_t key = join->base.plan->join.runtime_filters.items[i].key;
        uint64_t *mine = words + 1 + (size_t)i * FILTER_WORDS;
        if (words[0])
            note_spilled(join, key, mine);
        else
            TRY(note_keys(join, task, key, mine));
    }
    return STATUS_OK;
}

static status join_filters_agree(op_join_build *join, exec_task *task)
{
    static const uint8_t operations[FILTER_WORDS] = {[WORD_KEYS] = NET_SUM,
                                                     [WORD_MIN] = NET_MIN_SIGNED,
                                                     [WORD_MAX] = NET_MAX_SIGNED,
                                                     [WORD_NO_RANGE] = NET_OR};
    uint32_t count = 1 + join_filters_filter_count(join) * FILTER_WORDS;
    uint8_t *all = mem_new_array(count, sizeof *all);
    join->united.agreed = mem_new_array(count, sizeof *join->united.agreed);
    status st = all && join->united.agreed
                    ? join_filters_fill_words(join, task, join->united.agreed)
                    : status_no_memory("runtime filters", count);
    if (!st) {
        all[0] = NET_OR;
        for (uint32_t i = 1; i < count; i++)
            all[i] = operations[(i - 1) % FILTER_WORDS];
        st = net_agree(
            join->base.query->net, EXEC_NET_FIRST_EXCHANGE + join->base.plan->join.filters_id,
            "runtime filters", join->united.agreed, all, count, &join->united.collective);
    }
    mem_free(all);
    return st;
}

static void take_agreed(op_join_build *join)
{
    uint32_t count = 1 + join_filters_filter_count(join) * FILTER_WORDS;
    memcpy(join->united.agreed, net_collective_words(join->united.collective),
           count * sizeof *join->united.agreed);
    net_collective_close(join->united.collective);
    join->united.collective = NULL;
}

static runtime_filter_shape shape_of_words(const uint64_t *words)
{
    return (runtime_filter_shape){.keys = words[WORD_KEYS],
                                  .has_range = !words[WORD_NO_RANGE],
                                  .min = (int64_t)words[WORD_MIN],
                                  .max = (int64_t)words[WORD_MAX]};
}

static runtime_filter_shape join_filters_shape_of(const op_join_build *join)
{
    runtime_filter_shape shape =
        shape_of_words(join->united.agreed + 1 + (size_t)join->united.number * FILTER_WORDS);
    shape.bitmap_bytes = planned(join)->bitmap_bytes;
    return shape;
}

/* ---- uniting ---- */

static bool join_filters_is_worth_it(const op_join_build *join, const runtime_filter_shape *shape)
{
    double bytes = (double)runtime_filter_words(shape) * sizeof(uint64_t);
    return bytes <= BYTES_SMALL || bytes * TIMES_SENT <= planned(join)->bytes_max;
}

/* This rank's words where the network can reach them. */
static status join_filters_bring(join_united *u, dev_stream *stream)
{
    size_t bytes = u->word_count * sizeof *u->words;
    void *pinned;
    if (stream->dev->is_host) {
        u->sent = u->words;
        return STATUS_OK;
    }
    TRY(dev_host_alloc(stream->dev, bytes, "runtime filter", &pinned));
    u->sent = pinned;
    TRY(stream->dev->ops->copy_out(stream, u->sent, u->words, bytes));
    return dev_stream_await(stream);
}

static void drop_sent(join_united *u, device *dev)
{
    if (u->sent != u->words)
        dev_host_free(dev, u->sent, u->word_count * sizeof *u->words);
    u->sent = u->words = NULL;
}

static status send_back(join_united *u, dev_stream *stream)
{
    if (u->sent != u->words) {
        TRY(stream->dev->ops->copy_in(stream, u->words, u->sent, u->word_count * sizeof *u->words));
        TRY(dev_stream_await(stream)); /* scans use it on streams of their own */
    }
    drop_sent(u, stream->dev);
    return STATUS_OK;
}

static status join_join_filters_unite(op_join_build *join, exec_task *task,
                                      const runtime_filter_shape *shape)
{
    join_united *u = &join->united;
    const join_table *table = &join->whole.table;
    u->word_count = runtime_filter_words(shape);
    TRY(runtime_filter_make_shaped(filter_of(join), task->stream, shape, table->chunks.items,
                                   table->chunks.count, join->key_columns[planned(join)->key],
                                   &u->words));
    TRY(join_filters_bring(u, task->stream));
    return net_unite(join->base.query->net,
                     EXEC_NET_FIRST_EXCHANGE + join->base.plan->join.filters_id + 1 + u->number,
                     "runtime filter", u->sent, u->word_count, &u->collective);
}

/* The next filter begins to be united, or needs not be. */
static status join_filters_start_next(op_join_build *join, exec_task *task)
{
    runtime_filter_shape shape = join_filters_shape_of(join);
    if (!shape.keys || join->united.agreed[0] || !join_filters_is_worth_it(join, &shape)) {
        runtime_filter_publish_range(filter_of(join), &shape);
        join->united.number++;
        return STATUS_OK;
    }
    join->united.step = STEP_UNITE;
    return join_join_filters_unite(join, task, &shape);
}

static void join_filters_publish(op_join_build *join)
{
    runtime_filter *filter = filter_of(join);
    if (filter->bitmap_owner)
        filter->bitmap = filter->bitmap_owner->address;
    if (filter->bloom_owner)
        filter->bloom = filter->bloom_owner->address;
    runtime_filter_publish(filter);
    join->united.number++;
    join->united.step = STEP_NEXT;
}

/* ---- the steps ---- */

static status take_result(op_join_build *join, exec_task *task)
{
    join_united *u = &join->united;
    if (u->step == STEP_AGREE) {
        take_agreed(join);
        u->step = STEP_NEXT;
        return STATUS_OK;
    }
    net_collective_close(u->collective);
    u->collective = NULL;
    TRY(send_back(u, task->stream));
    join_filters_publish(join);
    return STATUS_OK;
}

exec_result join_filters_unite(op_join_build *join, exec_task *task)
{
    join_united *u = &join->united;
    net_state is;
    if (u->step == STEP_BEGIN) {
        u->waiter = (net_waiter){.wake = join_filters_wake, .argument = task};
        EXEC_TRY(task, join_filters_agree(join, task));
        u->step = STEP_AGREE;
    }
    while (u->step != STEP_NEXT || u->number < join_filters_filter_count(join)) {
        if (u->step == STEP_NEXT) {
            EXEC_TRY(task, join_filters_start_next(join, task));
            continue;
        }
        EXEC_TRY(task, net_try_collective(u->collective, &u->waiter, &is));
        if (is == NET_WAIT)
            return EXEC_WAIT;
        EXEC_TRY(task, take_result(join, task));
    }
    return EXEC_FINISHED;
}

void join_filters_publish_ranges(const op_join_build *join)
{
    uint64_t words[FILTER_WORDS];
    for (uint32_t i = 0; i < join_filters_filter_count(join); i++) {
        const plan_given_filter *given = &join->base.plan->join.runtime_filters.items[i];
        note_spilled(join, given->key, words);
        runtime_filter_shape shape = shape_of_words(words);
        runtime_filter_publish_range(exec_runtime_filter(join->base.query, given->id), &shape);
    }
}

void join_filters_release(op_join_build *join)
{
    net_collective_close(join->united.collective);
    join->united.collective = NULL;
    drop_sent(&join->united, exec_device(join->base.query));
    mem_free(join->united.agreed);
    join->united.agreed = NULL;
}
