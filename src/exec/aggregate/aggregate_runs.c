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

#include "exec/aggregate/aggregate_codes.h"
#include "exec/aggregate/aggregate_state.h"
#include "exec/aggregate/aggregate_table.h"

#include <stdlib.h>

#define TABLE_GROUPS_MIN (1u << 14)
#define TABLE_GROUPS_MAX (1u << 18)
#define ROWS_MIN 16         /* fewer rows may be ordered by chance */
#define ROWS_PER_RUN_MAX 64 /* more: the domain is small, or the order of no use */
#define FALLS_FREE 64       /* from here on falls must be rare */
#define GROUPS_PER_FALL_MIN 512

/* Rows of a chunk as runs. */
typedef struct run_chunk {
    const key_layout *layout;
    tensor **flat;                      /* the keys */
    int64_t statistics[KEY_STATISTICS]; /* of the leading key */
    const uint8_t *rows;
    dev_buffer *owner, *bits;
    row_index *starts; /* rows that differ from the one before */
    uint64_t start_count;
} run_chunk;

static void chunk_close(const aggregate_core *core, run_chunk *c)
{
    for (uint32_t k = 0; k < core->key_count; k++)
        tensor_unref(c->flat[k]);
    dev_buffer_unref(c->owner);
    dev_buffer_unref(c->bits);
    row_index_unref(c->starts);
}

static bool is_ordered(const int64_t *statistics)
{
    return statistics[KEY_IS_ASCENDING] && !statistics[KEY_HAS_NULLS];
}

/* The leading key's statistics; *out false: there is none. */
static status find_leading(const aggregate_core *core, exec_task *task, run_state *runs,
                           tensor *const *keys, uint64_t rows, run_chunk *c, bool *out)
{
    *out = false;
    for (uint32_t k = 0; k < core->key_count; k++) {
        bool is_candidate =
            runs->leading < 0 ? codes_key_is_integer(core->key_types[k]) : runs->leading == (int)k;
        if (!is_candidate)
            continue;
        TRY(tensor_flatten(task->stream, keys[k], dev_count_exact(rows), &c->flat[k]));
        TRY(codes_statistics(task->stream, c->flat[k], rows, c->statistics));
        if (is_ordered(c->statistics) &&
            (runs->leading >= 0 || (rows >= ROWS_MIN && (uint64_t)c->statistics[KEY_CHANGES] >=
                                                            rows / ROWS_PER_RUN_MAX))) {
            runs->leading = (int)k;
            *out = true;
            return STATUS_OK;
        }
    }
    return STATUS_OK;
}

/* The row before the chunk's first, if it continues the last table's last segment. */
static const uint8_t *row_before(const aggregate_table *table, const run_state *runs,
                                 const run_chunk *c)
{
    if (!table || !table->count || c->statistics[KEY_FIRST] < runs->last)
        return NULL;
    return (const uint8_t *)table->groups.rows->address + (table->count - 1) * c->layout->stride;
}

static status mark_starts(const aggregate_core *core, exec_task *task, run_chunk *c, uint64_t rows,
                          const uint8_t *previous)
{
    dev_stream *stream = task->stream;
    dev_buffer *found = NULL;
    TRY(dev_alloc(core->dev, bitmap_bytes(rows), core->who, &c->bits));
    TRY(row_index_new(core->dev, rows, &c->starts));
    TRY(DEV_LAUNCH(stream, runs_mark, .rows = c->rows, .count = dev_count_exact(rows),
                   .stride = c->layout->stride, .text_count = c->layout->text_count,
                   .interval_count = c->layout->interval_count, .previous = previous,
                   .out = c->bits->address));
    TRY(dev_words_new(stream, 1, &found));
    status st =
        DEV_LAUNCH(stream, mask_to_index, .mask = c->bits->address, .count = dev_count_exact(rows),
                   .rows = c->starts->rows, .out_count = found->address);
    if (!st)
        st = dev_words_read(stream, found->address, &c->start_count, 1);
    dev_buffer_unref(found);
    return st;
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
    TRY(hash_groups_reserve_text(groups, stream, at, c->start_count));
    if (!groups->heap.words)
        return STATUS_OK;
    TRY(DEV_LAUNCH(stream, keys_own_text, .rows = at, .count = count, .stride = (uint32_t)stride,
                   .text_count = c->layout->text_count, .heap = text_heap_address(&groups->heap),
                   .heap_used = groups->heap.words->address));
    return text_heap_settle(&groups->heap, stream);
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
                       const run_chunk *c, tensor *const *values, uint64_t rows, bool continues)
{
    uint64_t before = table->count;
    row_index *groups;
    TRY(append_keys(task, table, c));
    TRY(add_segment(table, c, continues));
    table->count += c->start_count;
    table->groups.count = table->count;
    TRY(states_reserve(core, task->stream, table, table->count));
    TRY(row_index_new(core->dev, rows, &groups));
    status st = DEV_LAUNCH(task->stream, runs_number, .bits = c->bits->address,
                           .count = dev_count_exact(rows), .first = (uint32_t)before - 1,
                           .out = groups->rows);
    if (!st)
        st = states_update(core, task, table, values, groups->rows, rows, before);
    row_index_unref(groups);
    return st;
}

/* The table that takes these rows: the last one, if it has room and the same kind of rows. */
static aggregate_table *current_table(const table_list *tables, const run_chunk *c, uint64_t rows)
{
    aggregate_table *table = tables->count ? tables->items[tables->count - 1] : NULL;
    bool suits = table && table->form == TABLE_RUNS && table->groups.layout == c->layout &&
                 table->count + rows <= table->groups.capacity;
    return suits ? table : NULL;
}

static uint64_t next_capacity(const table_list *tables, uint64_t rows)
{
    uint64_t capacity = TABLE_GROUPS_MIN;
    if (tables->count)
        capacity = 4 * tables->items[tables->count - 1]->groups.capacity;
    capacity = capacity > TABLE_GROUPS_MAX ? TABLE_GROUPS_MAX : capacity;
    return capacity < rows ? rows : capacity;
}

static status take(const aggregate_core *core, exec_task *task, run_state *runs, table_list *tables,
                   int source, tensor *const *values, uint64_t rows, run_chunk *c, bool *is_taken)
{
    dev_buffer *owner = NULL;
    aggregate_table *table = current_table(tables, c, rows);
    const uint8_t *previous = row_before(table, runs, c);
    TRY(key_layout_pack(c->layout, task, c->flat, dev_count_exact(rows), &c->rows, &owner));
    c->owner = owner;
    TRY(mark_starts(core, task, c, rows, previous));
    bool continues = previous && c->statistics[KEY_FIRST] == runs->last;
    *is_taken = c->start_count == (uint64_t)c->statistics[KEY_CHANGES] + !continues;
    if (!*is_taken)
        return STATUS_OK;
    if (!table) {
        TRY(array_reserve(NULL, tables, 1));
        TRY(aggregate_table_new(core, task->stream, TABLE_RUNS, source, c->layout,
                                next_capacity(tables, rows), &table));
        tables->items[tables->count++] = table;
    }
    runs->groups += c->start_count;
    runs->falls += c->statistics[KEY_FIRST] < runs->last;
    runs->last = c->statistics[KEY_LAST];
    runs->is_over = runs->falls > FALLS_FREE && runs->groups / runs->falls < GROUPS_PER_FALL_MIN;
    return add_rows(core, task, table, c, values, rows, continues);
}

status runs_push(const aggregate_core *core, exec_task *task, run_state *runs, table_list *tables,
                 int source, tensor *const *keys, tensor *const *values, uint64_t rows,
                 bool *is_taken)
{
    tensor *flat[KEYS_MAX];
    run_chunk c = {.layout = key_layout_for(core, keys), .flat = flat};
    *is_taken = false;
    if (runs->is_over)
        return STATUS_OK;
    keys_clear(core, flat);
    status st = find_leading(core, task, runs, keys, rows, &c, is_taken);
    if (!st && *is_taken) {
        for (uint32_t k = 0; k < core->key_count && !st; k++)
            if (!c.flat[k])
                st = tensor_flatten(task->stream, keys[k], dev_count_exact(rows), &c.flat[k]);
        if (!st)
            st = take(core, task, runs, tables, source, values, rows, &c, is_taken);
    }
    runs->is_over |= !*is_taken;
    chunk_close(core, &c);
    return st;
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

static status collect(const table_list *tables, segment_list *out)
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
    status st = collect(tables, &list);
    if (!st)
        st = check_disjoint(task, &list, is_disjoint);
    if (!st && *is_disjoint)
        st = states_align(core, task->stream, tables->items, tables->count);
    if (!st && *is_disjoint)
        st = join_touching(core, task, &list);
    array_release(&list);
    return st;
}
