/* sink.c - batches into row groups: one is filled while the writer encodes those before it. Text stays in
 * the batches until its row group is written.
 *
 *     filled % most        the group that rows are added to
 *     ended ... filled     groups that the writer has begun
 */
#include "api/write/sink.h"

#include "api/write/sink_group.h"
#include "exec/operators/result_batch.h"
#include "exec/operators/result_nested.h"

#define GROUPS_MAX 8
#define FIRST_ROOM 16384
#define PIECE_ROWS_MIN 1024
/* One part in this many of the limit, for what is under way beside the group at work. */
#define BUDGET_PART 8

struct api_sink {
    pq_writer *writer;
    pq_column_values *views; /* of a group, for the writer */
    exec_batch *batch;       /* the one that is being added; NULL: none */
    sink_group groups[GROUPS_MAX];
    unsigned most; /* groups at once */
    unsigned filled, ended;
    uint64_t group_rows;
    mem_budget *budget;
    uint64_t charged;
    unsigned threads; /* that encode a group */
};

static sink_group *filling(api_sink *sink)
{
    return &sink->groups[sink->filled % sink->most];
}

/* ---- memory ---- */

static void discharge(api_sink *sink, uint64_t bytes)
{
    mem_budget_give(sink->budget, bytes);
    sink->charged -= bytes;
}

/* The oldest piece that was begun is written. */
static status end_piece(api_sink *sink, sink_group *group)
{
    TRY(pq_writer_end(sink->writer));
    if (--group->pieces)
        return STATUS_OK;
    discharge(sink, group->encoding);
    group->encoding = 0;
    return STATUS_OK;
}

/* The oldest group is written. */
static status end_group(api_sink *sink)
{
    sink_group *group = &sink->groups[sink->ended % sink->most];
    while (group->pieces)
        TRY(end_piece(sink, group));
    sink_group_clear(group);
    sink->ended++;
    return STATUS_OK;
}

/* Rooms that nothing is in. False: there was none. */
static bool drop_rooms(api_sink *sink)
{
    bool has_dropped = false;
    for (unsigned i = 0; i < sink->most; i++) {
        sink_group *group = &sink->groups[i];
        if (group == filling(sink) || group->rows || !group->room)
            continue;
        discharge(sink, sink_group_bytes(group, group->room));
        sink_group_drop_room(group);
        has_dropped = true;
    }
    return has_dropped;
}

/* Charges bytes; if there are too few, what is under way gives its memory back first. */
static status sink_charge(api_sink *sink, uint64_t bytes)
{
    status st;
    while ((st = mem_budget_take(sink->budget, bytes, "row group"))) {
        bool is_last = !pq_writer_begun(sink->writer) && !drop_rooms(sink);
        if (status_get_kind(st) != STATUS_KIND_LIMIT || is_last)
            return status_hint(st, "write smaller row groups, or SET memory_limit to more");
        status_free(st);
        if (sink->ended != sink->filled)
            TRY(end_group(sink));
        else if (filling(sink)->pieces)
            TRY(end_piece(sink, filling(sink)));
    }
    sink->charged += bytes;
    return STATUS_OK;
}

/* Room for a group is made as rows come: a small file takes little. */
static status sink_make_room(api_sink *sink, uint64_t rows)
{
    sink_group *group = filling(sink);
    if (rows <= group->room)
        return STATUS_OK;
    uint64_t room = group->room ? 2 * group->room : FIRST_ROOM;
    while (room < rows)
        room *= 2;
    if (room > sink->group_rows || sink->filled)
        room = sink->group_rows;
    TRY(sink_charge(sink, sink_group_bytes(group, room) - sink_group_bytes(group, group->room)));
    return sink_group_resize(group, room);
}

status api_sink_expect(api_sink *sink, uint64_t rows)
{
    return sink_make_room(sink, rows < sink->group_rows ? rows : sink->group_rows);
}

/* ---- row groups ---- */

/* Rows [first, first + rows), from a word of the bitmaps on, as a row group. */
static status sink_begin_rows(api_sink *sink, sink_group *group, uint64_t first, uint64_t rows)
{
    uint64_t bytes = sink_group_encoding_bytes(group, first, rows, sink->threads);
    TRY(sink_charge(sink, bytes));
    group->encoding += bytes;
    sink_group_view(group, first, rows, sink->views);
    status st = pq_writer_begin(sink->writer, sink->views, rows);
    group->pieces += !st;
    return st;
}

/* Begins a group; if memory is too short to encode its rows together, they go to several row groups. */
static status begin_group(api_sink *sink, sink_group *group)
{
    uint64_t first = 0, most = group->rows;
    while (first < group->rows) {
        uint64_t left = group->rows - first, rows = left < most ? left : most;
        status st = sink_begin_rows(sink, group, first, rows);
        if (status_get_kind(st) == STATUS_KIND_LIMIT && rows >= 2 * PIECE_ROWS_MIN) {
            status_free(st);
            most = rows / 2 / 64 * 64;
            continue;
        }
        TRY(st);
        first += rows;
    }
    return STATUS_OK;
}

/* Returns whether what is under way takes more than its part of the memory. */
static bool sink_is_short(const api_sink *sink)
{
    uint64_t limit = mem_budget_limit(sink->budget);
    return limit && sink->charged > limit / BUDGET_PART;
}

status api_sink_flush(api_sink *sink)
{
    sink_group *group = filling(sink);
    if (!group->rows)
        return STATUS_OK;
    TRY(begin_group(sink, group));
    sink->filled++;
    while (sink->filled - sink->ended >= sink->most ||
           (sink->filled != sink->ended && sink_is_short(sink)))
        TRY(end_group(sink));
    if (sink->filled == sink->ended) /* the same memory again */
        sink->filled = sink->ended = 0;
    return STATUS_OK;
}

status api_sink_add_rows(api_sink *sink, const exec_batch *batch, uint64_t from, uint64_t count)
{
    while (count) {
        uint64_t room = sink->group_rows - filling(sink)->rows, some = count < room ? count : room;
        TRY(sink_make_room(sink, filling(sink)->rows + some));
        sink_group_append(filling(sink), batch, from, some);
        from += some;
        count -= some;
        if (filling(sink)->rows == sink->group_rows)
            TRY(api_sink_flush(sink));
    }
    return STATUS_OK;
}

status api_sink_add(api_sink *sink, exec_batch *batch)
{
    return api_sink_add_rest(sink, batch, 0);
}

/* The batch belongs to the group of its last rows: those before are written earlier. */
static status keep_batch(api_sink *sink)
{
    exec_batch_keep_heaps(sink->batch);
    TRY(array_push(NULL, &filling(sink)->batches, sink->batch));
    sink->batch = NULL;
    return STATUS_OK;
}

status api_sink_add_rest(api_sink *sink, exec_batch *batch, uint64_t from)
{
    uint64_t total = batch->row_count;
    sink->batch = batch;
    TRY(exec_batch_pack_nested(batch));
    while (from < total) {
        uint64_t room = sink->group_rows - filling(sink)->rows;
        uint64_t count = total - from < room ? total - from : room;
        TRY(sink_make_room(sink, filling(sink)->rows + count));
        sink_group_append(filling(sink), batch, from, count);
        from += count;
        if (from == total)
            TRY(keep_batch(sink));
        if (filling(sink)->rows == sink->group_rows)
            TRY(api_sink_flush(sink));
    }
    exec_batch_free(sink->batch); /* it had no rows */
    sink->batch = NULL;
    return STATUS_OK;
}

/* ---- the file ---- */

/* One is filled while the columns of the others, at least one for each thread, are encoded. */
static unsigned groups_at_once(unsigned threads, size_t columns)
{
    if (threads < 2 || !columns)
        return 1;
    size_t groups = 3 + (threads - 1) / columns;
    return groups < GROUPS_MAX ? (unsigned)groups : GROUPS_MAX;
}

static status sink_open_sink(api_sink *sink, const char *path, const pq_column_schema *columns,
                             size_t count, const pq_writer_options *options)
{
    status st = STATUS_OK;
    sink->views = mem_new_array(count + 1, sizeof *sink->views);
    if (!sink->views)
        st = status_no_memory("row group", count * sizeof *sink->views);
    for (unsigned i = 0; i < sink->most && !st; i++)
        st = sink_group_open(&sink->groups[i], columns, count);
    if (st) {
        new_file_abort(options->target);
        return st;
    }
    return pq_writer_open(path, columns, count, options, &sink->writer);
}

status api_sink_open(const char *path, const pq_column_schema *columns, size_t column_count,
                     const pq_writer_options *options, uint64_t group_rows, mem_budget *budget,
                     api_sink **out)
{
    *out = NULL;
    api_sink *sink = mem_new(sizeof *sink);
    if (!sink) {
        new_file_abort(options->target);
        return status_no_memory("row group", sizeof *sink);
    }
    sink->group_rows = group_rows ? group_rows : 1;
    sink->budget = budget;
    sink->most = groups_at_once(options->threads, column_count);
    sink->threads = options->threads < column_count ? options->threads : (unsigned)column_count;
    sink->threads = sink->threads ? sink->threads : 1;
    status st = sink_open_sink(sink, path, columns, column_count, options);
    if (st)
        api_sink_abort(sink);
    else
        *out = sink;
    return st;
}

void api_sink_abort(api_sink *sink)
{
    if (!sink)
        return;
    pq_writer_abort(sink->writer); /* first: its threads read the groups */
    for (unsigned i = 0; i < sink->most; i++)
        sink_group_release(&sink->groups[i]);
    exec_batch_free(sink->batch);
    mem_free(sink->views);
    discharge(sink, sink->charged);
    mem_free(sink);
}

status api_sink_finish(api_sink *sink)
{
    status st = api_sink_flush(sink);
    while (!st && sink->ended != sink->filled)
        st = end_group(sink);
    if (!st) {
        pq_writer *writer = sink->writer;
        sink->writer = NULL;
        st = pq_writer_finish(writer);
    }
    api_sink_abort(sink);
    return st;
}
