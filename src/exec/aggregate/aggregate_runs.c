/* aggregate_runs.c - groups of rows that come ordered by an integer key.
 *
 * A row that differs from the one before begins a group; nothing is looked up. As long as equal
 * values of the leading key come with equal other keys, and the leading key never falls, the groups
 * of a chunk are distinct and ordered by it. They are a segment; one per chunk, since the task may
 * go on with another part of a file after any of them.
 *
 *   task 0   [1 .. 40] [90 .. 120]             segments that overlap nowhere hold distinct groups;
 *   task 1             [40 .. 90] [121 .. ]    the groups 40 and 90 are joined
 *
 * A table takes a bounded number of groups, so that large ones are never copied to grow. */
#include "exec/aggregate/aggregate_runs.h"

#include "device/transfer.h"
#include "exec/aggregate/aggregate_codes.h"
#include "exec/aggregate/aggregate_state.h"
#include "exec/aggregate/aggregate_table.h"

#include <stdlib.h>

#define TABLE_GROUPS_MIN (1u << 14)
#define CHUNKS_OF_FIRST 16 /* or, if chunks are small, those of so many of them */
#define TABLE_GROUPS_MAX (1u << 18)
#define ROWS_MIN 16         /* fewer rows may be ordered by chance */
#define ROWS_PER_RUN_MAX 64 /* more: the domain is small, or the order of no use */
#define FALLS_FREE 64       /* from here on falls must be rare */
#define GROUPS_PER_FALL_MIN 512

/* Words asked of a chunk: the leading key's statistics, then TEXT_BYTES and the rest. */
enum { START_COUNT = KEY_STATISTICS, TEXT_BYTES, RUN_WORDS };

/* Rows of a chunk as runs. */
struct run_chunk {
    const key_layout *layout;
    dev_count count;
    tensor **flat; /* the keys */
    const uint8_t *rows;
    dev_buffer *owner, *bits;
    row_index *starts;      /* rows that differ from the one before */
    aggregate_table *table; /* that takes them; NULL: a new one */
    const uint8_t *previous;
    dev_buffer *words;
    dev_fetch asked;
    int64_t statistics[KEY_STATISTICS]; /* of the leading key */
    uint64_t start_count, text_bytes;
};

void run_chunk_free(const aggregate_core *core, run_chunk *c)
{
    if (!c)
        return;
    dev_fetch_close(core->dev, &c->asked);
    for (uint32_t k = 0; c->flat && k < core->key_count; k++)
        tensor_unref(c->flat[k]);
    mem_free(c->flat);
    dev_buffer_unref(c->owner);
    dev_buffer_unref(c->bits);
    dev_buffer_unref(c->words);
    row_index_unref(c->starts);
    mem_free(c);
}

static bool is_ordered(const int64_t *statistics)
{
    return statistics[KEY_IS_ASCENDING] && !statistics[KEY_HAS_NULLS];
}

static status ask_statistics(exec_task *task, run_chunk *c, tensor *key, tensor **flat)
{
    TRY(tensor_flatten(task->stream, key, c->count, flat));
    return DEV_LAUNCH(task->stream, key_statistics, .type = (*flat)->type,
                      .values = (*flat)->values, .validity = (*flat)->validity, .count = c->count,
                      .out = c->words->address);
}

static bool is_leading(const int64_t *statistics)
{
    int64_t rows = statistics[KEY_VALUES];
    return is_ordered(statistics) && rows >= ROWS_MIN &&
           statistics[KEY_CHANGES] >= rows / ROWS_PER_RUN_MAX;
}

/* The first chunk: whether some key leads is asked for at once. */
static status choose_leading(const aggregate_core *core, exec_task *task, run_state *runs,
                             tensor *const *keys, run_chunk *c)
{
    for (uint32_t k = 0; k < core->key_count && runs->leading < 0; k++) {
        if (!codes_key_is_integer(core->key_types[k]))
            continue;
        TRY(ask_statistics(task, c, keys[k], &c->flat[k]));
        TRY(dev_words_read(task->stream, c->words->address, (uint64_t *)c->statistics,
                           KEY_STATISTICS));
        if (is_leading(c->statistics))
            runs->leading = (int)k;
    }
    return STATUS_OK;
}

/* The leading key's statistics. *out: false: there is none, or it is known not to be ordered. */
static status find_leading(const aggregate_core *core, exec_task *task, run_state *runs,
                           tensor *const *keys, run_chunk *c, bool *out)
{
    int leading = runs->leading;
    if (leading < 0) {
        TRY(choose_leading(core, task, runs, keys, c));
        *out = runs->leading >= 0;
        return STATUS_OK;
    }
    TRY(ask_statistics(task, c, keys[leading], &c->flat[leading]));
    *out = true;
    if (!core->dev->is_host)
        return STATUS_OK;
    TRY(dev_words_read(task->stream, c->words->address, (uint64_t *)c->statistics, KEY_STATISTICS));
    *out = is_ordered(c->statistics);
    return STATUS_OK;
}

/* The row before the chunk's first, where that may continue the last table's last segment. */
static const uint8_t *row_before(const run_chunk *c)
{
    const aggregate_table *table = c->table;
    if (!table || !table->count)
        return NULL;
    return (const uint8_t *)table->groups.rows->address + (table->count - 1) * c->layout->stride;
}

/* The keys of new groups, in memory of *out. */
static status gather_starts(const aggregate_core *core, exec_task *task, const run_chunk *c,
                            dev_count count, dev_buffer **out)
{
    TRY(dev_alloc(core->dev, count.bound * c->layout->stride, core->who, out));
    return DEV_LAUNCH(task->stream, keys_gather, .rows = c->rows, .stride = c->layout->stride,
                      .index = c->starts->rows, .count = count, .out = (*out)->address);
}

/* Lazy devices: how many bytes new groups' strings have is asked before there is room for them. */
static status ask_text_bytes(const aggregate_core *core, exec_task *task, run_chunk *c)
{
    uint64_t *words = c->words->address;
    dev_count count = {.bound = c->count.bound, .actual = words + START_COUNT};
    dev_buffer *rows = NULL;
    if (core->dev->is_host || !c->layout->text_count)
        return STATUS_OK;
    status st = gather_starts(core, task, c, count, &rows);
    if (!st)
        st = DEV_LAUNCH(task->stream, keys_text_bytes, .rows = rows->address, .count = count,
                        .stride = c->layout->stride, .text_count = c->layout->text_count,
                        .out_total = words + TEXT_BYTES);
    dev_buffer_unref(rows);
    return st;
}

static status mark_starts(const aggregate_core *core, exec_task *task, run_chunk *c)
{
    dev_stream *stream = task->stream;
    uint64_t *words = c->words->address;
    TRY(dev_alloc(core->dev, bitmap_bytes(c->count.bound), core->who, &c->bits));
    TRY(row_index_new(core->dev, c->count.bound, &c->starts));
    TRY(DEV_LAUNCH(stream, runs_mark, .rows = c->rows, .count = c->count,
                   .stride = c->layout->stride, .text_count = c->layout->text_count,
                   .interval_count = c->layout->interval_count, .previous = c->previous,
                   .out = c->bits->address));
    TRY(DEV_LAUNCH(stream, mask_to_index, .mask = c->bits->address, .count = c->count,
                   .rows = c->starts->rows, .out_count = words + START_COUNT));
    return ask_text_bytes(core, task, c);
}

/* Room for the new groups' strings. */
static status aggregate_runs_reserve_text(exec_task *task, hash_groups *groups, const run_chunk *c,
                                          const uint8_t *rows)
{
    if (task->stream->dev->is_host)
        return hash_groups_reserve_text(groups, task->stream, rows, c->start_count);
    return text_heap_reserve(&groups->heap, task->stream, groups->who, c->text_bytes);
}

/* Appends the keys of new groups. */
static status append_keys(exec_task *task, aggregate_table *table, const run_chunk *c)
{
    hash_groups *groups = &table->groups;
    dev_stream *stream = task->stream;
    size_t stride = c->layout->stride;
    uint8_t *at = (uint8_t *)groups->rows->address + table->count * stride;
    dev_count count = dev_count_exact(c->start_count);
    if (!c->start_count)
        return STATUS_OK;
    TRY(DEV_LAUNCH(stream, keys_gather, .rows = c->rows, .stride = (uint32_t)stride,
                   .index = c->starts->rows, .count = count, .out = at));
    if (!c->layout->text_count)
        return STATUS_OK;
    TRY(aggregate_runs_reserve_text(task, groups, c, at));
    if (!groups->heap.words)
        return STATUS_OK;
    TRY(DEV_LAUNCH(stream, keys_own_text, .rows = at, .count = count, .stride = (uint32_t)stride,
                   .text_count = c->layout->text_count, .heap = text_heap_address(&groups->heap),
                   .heap_used = groups->heap.words->address));
    groups->heap.used += c->text_bytes;
    return stream->dev->is_host ? text_heap_settle(&groups->heap, stream) : STATUS_OK;
}

static status add_segment(aggregate_table *table, const run_chunk *c, bool continues)
{
    run_segment segment = {.first = table->count,
                           .count = c->start_count,
                           .minimum = c->statistics[KEY_FIRST],
                           .maximum = c->statistics[KEY_LAST],
                           .continues = continues};
    return c->start_count ? array_push(NULL, &table->segments, segment) : STATUS_OK;
}

static status add_rows(const aggregate_core *core, exec_task *task, aggregate_table *table,
                       const run_chunk *c, tensor *const *values, bool continues)
{
    uint64_t before = table->count;
    row_index *groups;
    TRY(append_keys(task, table, c));
    TRY(add_segment(table, c, continues));
    table->count += c->start_count;
    table->groups.count = table->count;
    TRY(states_reserve(core, task->stream, table, table->count));
    TRY(row_index_new(core->dev, c->count.bound, &groups));
    status st = DEV_LAUNCH(task->stream, runs_number, .bits = c->bits->address, .count = c->count,
                           .first = (uint32_t)before - 1, .out = groups->rows);
    if (!st)
        st = states_update(core, task, table, values, groups->rows, c->count, before);
    row_index_unref(groups);
    return st;
}

/* The table that takes these rows: the last one, if it has room and the same kind of rows. */
static aggregate_table *current_table(const table_list *tables, const run_chunk *c)
{
    aggregate_table *table = tables->count ? tables->items[tables->count - 1] : NULL;
    bool suits = table && table->form == TABLE_RUNS && table->groups.layout == c->layout &&
                 table->count + c->count.bound <= table->groups.capacity;
    return suits ? table : NULL;
}

static uint64_t next_capacity(const table_list *tables, uint64_t rows)
{
    uint64_t capacity =
        rows < TABLE_GROUPS_MIN / CHUNKS_OF_FIRST ? rows * CHUNKS_OF_FIRST : TABLE_GROUPS_MIN;
    if (tables->count)
        capacity = 4 * tables->items[tables->count - 1]->groups.capacity;
    capacity = capacity > TABLE_GROUPS_MAX ? TABLE_GROUPS_MAX : capacity;
    return capacity < rows ? rows : capacity;
}

/* Packs the rows, and asks where groups begin. */
static status ask(const aggregate_core *core, exec_task *task, const table_list *tables,
                  tensor *const *keys, run_chunk *c)
{
    for (uint32_t k = 0; k < core->key_count; k++)
        if (!c->flat[k])
            TRY(tensor_flatten(task->stream, keys[k], c->count, &c->flat[k]));
    TRY(key_layout_pack(c->layout, task, c->flat, c->count, &c->rows, &c->owner));
    c->table = current_table(tables, c);
    c->previous = row_before(c);
    TRY(mark_starts(core, task, c));
    return dev_fetch_start(task->stream, c->words->address, RUN_WORDS, &c->asked);
}

status runs_start(const aggregate_core *core, exec_task *task, run_state *runs,
                  const table_list *tables, tensor *const *keys, dev_count rows, run_chunk **out)
{
    bool is_leading = false;
    *out = NULL;
    if (runs->is_over)
        return STATUS_OK;
    run_chunk *c = mem_new(sizeof *c);
    if (!c)
        return status_no_memory(core->who, sizeof *c);
    c->layout = key_layout_for(core, keys);
    c->count = rows;
    c->flat = mem_new_array(core->key_count, sizeof *c->flat);
    status st = c->flat ? dev_words_new(task->stream, RUN_WORDS, &c->words)
                        : status_no_memory(core->who, core->key_count * sizeof *c->flat);
    if (!st)
        st = find_leading(core, task, runs, keys, c, &is_leading);
    if (!st && is_leading)
        st = ask(core, task, tables, keys, c);
    runs->is_over |= !is_leading;
    if (!st && is_leading)
        *out = c;
    else
        run_chunk_free(core, c);
    return st;
}

static status aggregate_runs_new_table(const aggregate_core *core, exec_task *task,
                                       table_list *tables, int source, const run_chunk *c,
                                       aggregate_table **out)
{
    TRY(array_reserve(NULL, tables, 1));
    TRY(aggregate_table_new(core, task->stream, TABLE_RUNS, source, c->layout,
                            next_capacity(tables, c->count.bound), out));
    tables->items[tables->count++] = *out;
    return STATUS_OK;
}

status runs_finish(const aggregate_core *core, exec_task *task, run_state *runs, table_list *tables,
                   int source, tensor *const *values, run_chunk *c, bool *is_taken)
{
    uint64_t words[RUN_WORDS];
    aggregate_table *table = c->table;
    TRY(dev_fetch_finish(task->stream, &c->asked, words));
    memcpy(c->statistics, words, sizeof c->statistics);
    c->start_count = words[START_COUNT];
    c->text_bytes = words[TEXT_BYTES];
    *is_taken = true;
    if (!c->statistics[KEY_VALUES] && !c->statistics[KEY_HAS_NULLS]) /* no rows */
        return STATUS_OK;
    bool continues = c->previous && c->statistics[KEY_FIRST] == runs->last;
    *is_taken = is_ordered(c->statistics) &&
                c->start_count == (uint64_t)c->statistics[KEY_CHANGES] + !continues;
    runs->is_over |= !*is_taken;
    if (!*is_taken)
        return STATUS_OK;
    if (!table)
        TRY(aggregate_runs_new_table(core, task, tables, source, c, &table));
    runs->groups += c->start_count;
    runs->falls += c->statistics[KEY_FIRST] < runs->last;
    runs->last = c->statistics[KEY_LAST];
    runs->is_over = runs->falls > FALLS_FREE && runs->groups / runs->falls < GROUPS_PER_FALL_MIN;
    return add_rows(core, task, table, c, values, continues);
}

/* ---- merging ---- */

typedef struct located_segment {
    aggregate_table *table;
    run_segment *segment;
} located_segment;

typedef ARRAY(located_segment) segment_list;

static int compare_segments(const void *left, const void *right)
{
    const run_segment *a = ((const located_segment *)left)->segment;
    const run_segment *b = ((const located_segment *)right)->segment;
    if (a->minimum != b->minimum)
        return a->minimum < b->minimum ? -1 : 1;
    return (a->maximum > b->maximum) - (a->maximum < b->maximum);
}

static status aggregate_runs_collect(const table_list *tables, segment_list *out)
{
    for (size_t t = 0; t < tables->count; t++)
        for (size_t s = 0; s < tables->items[t]->segments.count; s++) {
            located_segment at = {tables->items[t], &tables->items[t]->segments.items[s]};
            TRY(array_push(NULL, out, at));
        }
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, compare_segments);
    return STATUS_OK;
}

/* Whether the first group of b is the last one of a. */
static status is_same_group(exec_task *task, const located_segment *a, const located_segment *b,
                            bool *out)
{
    const key_layout *layout = a->table->groups.layout;
    uint64_t differs = 1;
    dev_buffer *word;
    *out = false;
    if (layout != b->table->groups.layout)
        return STATUS_OK;
    uint64_t last = a->segment->first + a->segment->count - 1;
    TRY(dev_words_new(task->stream, 1, &word));
    status st = DEV_LAUNCH(
        task->stream, runs_mark,
        .rows = (uint8_t *)b->table->groups.rows->address + b->segment->first * layout->stride,
        .count = dev_count_exact(1), .stride = layout->stride, .text_count = layout->text_count,
        .interval_count = layout->interval_count,
        .previous = (uint8_t *)a->table->groups.rows->address + last * layout->stride,
        .out = word->address);
    if (!st)
        st = dev_words_read(task->stream, word->address, &differs, 1);
    dev_buffer_unref(word);
    *out = !differs;
    return st;
}

static status check_disjoint(exec_task *task, const segment_list *list, bool *out)
{
    *out = true;
    for (size_t i = 1; i < list->count && *out; i++) {
        const located_segment *a = &list->items[i - 1], *b = &list->items[i];
        if (a->segment->maximum > b->segment->minimum)
            *out = false;
        else if (a->segment->maximum == b->segment->minimum && !b->segment->continues)
            TRY(is_same_group(task, a, b, out));
    }
    return STATUS_OK;
}

/* The first group of b goes to the last one of a. */
static status join_groups(const aggregate_core *core, exec_task *task, const located_segment *a,
                          const located_segment *b)
{
    row_index *group;
    uint64_t last = a->segment->first + a->segment->count - 1;
    if (a->table != b->table)
        TRY(states_share_text(core, a->table, b->table));
    TRY(row_index_new(core->dev, 1, &group));
    status st = DEV_LAUNCH(task->stream, count_up, .first = (uint32_t)last,
                           .count = dev_count_exact(1), .out = group->rows);
    if (!st)
        st = states_merge(core, task, a->table, group->rows, b->table, NULL, b->segment->first, 1);
    row_index_unref(group);
    b->segment->first++;
    b->segment->count--;
    return st;
}

static status join_touching(const aggregate_core *core, exec_task *task, const segment_list *list)
{
    size_t last = 0; /* the last segment that still has groups */
    for (size_t i = 1; i < list->count; i++) {
        const located_segment *a = &list->items[last], *b = &list->items[i];
        if (a->segment->maximum == b->segment->minimum && !b->segment->continues)
            TRY(join_groups(core, task, a, b));
        if (b->segment->count)
            last = i;
    }
    return STATUS_OK;
}

status runs_merge(const aggregate_core *core, exec_task *task, const table_list *tables,
                  bool *is_disjoint)
{
    segment_list list = {0};
    status st = aggregate_runs_collect(tables, &list);
    if (!st)
        st = check_disjoint(task, &list, is_disjoint);
    if (!st && *is_disjoint)
        st = states_align(core, task->stream, tables->items, tables->count);
    if (!st && *is_disjoint)
        st = join_touching(core, task, &list);
    array_release(&list);
    return st;
}
