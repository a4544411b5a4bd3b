/* sink.c - fills row groups from batches; text stays in the batches until its row group is written.
 */
#include "api/sink.h"

#include "base/bitmap_copy.h"

/* A column of the row group that is being filled. */
typedef struct sink_column {
    size_t width; /* 0: a bitmap */
    bool is_text;
    char *values;
    uint64_t *validity;
} sink_column;

struct api_sink {
    pq_writer *writer;
    size_t column_count;
    sink_column *columns;
    pq_column_values *views;     /* of the columns, for the writer */
    ARRAY(exec_batch *) batches; /* whose text the row group still needs */
    uint64_t rows, group_rows, room;
    mem_budget *budget;
    uint64_t charged;
    unsigned threads; /* that encode */
};

#define FIRST_ROOM 16384
#define PIECE_ROWS_MIN 1024

static status charge(api_sink *sink, uint64_t bytes)
{
    status st = mem_budget_take(sink->budget, bytes, "row group");
    if (st)
        return status_hint(st, "write smaller row groups, or SET memory_limit to more");
    sink->charged += bytes;
    return STATUS_OK;
}

static void discharge(api_sink *sink, uint64_t bytes)
{
    mem_budget_give(sink->budget, bytes);
    sink->charged -= bytes;
}

/* Bytes of a column's values and validity. */
static uint64_t column_bytes(const sink_column *column, uint64_t rows)
{
    uint64_t words = rows / 64 + 1;
    return (column->width ? rows * column->width : words * 8) + words * 8;
}

static status resize_column(sink_column *column, uint64_t rows)
{
    uint64_t words = rows / 64 + 1, bytes = column->width ? rows * column->width : words * 8;
    char *values = mem_resize(column->values, bytes);
    if (values)
        column->values = values;
    uint64_t *validity = values ? mem_resize(column->validity, words * 8) : NULL;
    if (!validity)
        return status_no_memory("row group", bytes);
    column->validity = validity;
    return STATUS_OK;
}

/* Room for a group is made as rows come: a small file takes little. */
static status make_room(api_sink *sink, uint64_t rows)
{
    if (rows <= sink->room)
        return STATUS_OK;
    uint64_t room = sink->room ? 2 * sink->room : FIRST_ROOM;
    while (room < rows)
        room *= 2;
    if (room > sink->group_rows)
        room = sink->group_rows;
    for (size_t c = 0; c < sink->column_count; c++) {
        sink_column *column = &sink->columns[c];
        uint64_t before = sink->room ? column_bytes(column, sink->room) : 0;
        TRY(charge(sink, column_bytes(column, room) - before));
        TRY(resize_column(column, room));
    }
    sink->room = room;
    return STATUS_OK;
}

status api_sink_expect(api_sink *sink, uint64_t rows)
{
    return make_room(sink, rows < sink->group_rows ? rows : sink->group_rows);
}

static void drop_batches(api_sink *sink)
{
    for (size_t i = 0; i < sink->batches.count; i++)
        exec_batch_free(sink->batches.items[i]);
    sink->batches.count = 0;
}

/* Sum of the strings' lengths, each behind one of four bytes. */
static uint64_t text_bytes(const sink_column *column, uint64_t first, uint64_t rows)
{
    const string_view *views = (const string_view *)(const void *)column->values;
    uint64_t bytes = 4 * rows;
    for (uint64_t i = first; i < first + rows; i++)
        if (column->validity[i / 64] >> i % 64 & 1)
            bytes += views[i].bytes;
    return bytes;
}

/* What rows take while they are written: each column as it is stored, at most as large as it
 * is plain; and those at work once more, staged and as a page. */
static uint64_t encoding_bytes(const api_sink *sink, uint64_t first, uint64_t rows)
{
    uint64_t all = 0, largest = 0;
    for (size_t c = 0; c < sink->column_count; c++) {
        const sink_column *column = &sink->columns[c];
        uint64_t bytes =
            column->is_text ? text_bytes(column, first, rows) : column_bytes(column, rows);
        all += bytes;
        largest = bytes > largest ? bytes : largest;
    }
    return all + 2 * largest * sink->threads;
}

/* Rows [first, first + rows), from a word of the bitmaps on, as a row group. */
static status write_rows(api_sink *sink, uint64_t first, uint64_t rows)
{
    uint64_t bytes = encoding_bytes(sink, first, rows);
    for (size_t i = 0; i < sink->column_count; i++) {
        const sink_column *column = &sink->columns[i];
        uint64_t skipped = column->width ? first * column->width : first / 8;
        sink->views[i] =
            (pq_column_values){column->values + skipped, column->validity + first / 64};
    }
    TRY(charge(sink, bytes));
    status st = pq_writer_write(sink->writer, sink->views, rows);
    discharge(sink, bytes);
    return st;
}

/* Where memory is too short to encode them together, in several row groups. */
static status write_group(api_sink *sink)
{
    uint64_t first = 0, most = sink->rows;
    while (first < sink->rows) {
        uint64_t left = sink->rows - first, rows = left < most ? left : most;
        status st = write_rows(sink, first, rows);
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

status api_sink_flush(api_sink *sink)
{
    if (!sink->rows)
        return STATUS_OK;
    status st = write_group(sink);
    drop_batches(sink);
    sink->rows = 0;
    return st;
}

/* Rows [from, from + count) of a batch to the end of the group. */
static void append_rows(api_sink *sink, const exec_batch *batch, uint64_t from, uint64_t count)
{
    for (uint32_t c = 0; c < sink->column_count; c++) {
        const exec_batch_column *source = &batch->columns[c];
        sink_column *target = &sink->columns[c];
        size_t width = target->width;
        if (width)
            memcpy(target->values + sink->rows * width, (const char *)source->values + from * width,
                   count * width);
        else if (source->values)
            bitmap_copy((uint64_t *)target->values, sink->rows, source->values, from, count);
        bitmap_copy(target->validity, sink->rows, source->validity, from, count);
    }
    sink->rows += count;
}

status api_sink_add_rows(api_sink *sink, const exec_batch *batch, uint64_t from, uint64_t count)
{
    while (count) {
        uint64_t room = sink->group_rows - sink->rows, some = count < room ? count : room;
        TRY(make_room(sink, sink->rows + some));
        append_rows(sink, batch, from, some);
        from += some;
        count -= some;
        if (sink->rows == sink->group_rows)
            TRY(api_sink_flush(sink));
    }
    return STATUS_OK;
}

status api_sink_add(api_sink *sink, exec_batch *batch)
{
    return api_sink_add_rest(sink, batch, 0);
}

status api_sink_add_rest(api_sink *sink, exec_batch *batch, uint64_t from)
{
    uint64_t done = from, total = batch->row_count;
    status st = array_push(NULL, &sink->batches, batch);
    if (st) {
        exec_batch_free(batch);
        return st;
    }
    while (done < total) {
        uint64_t room = sink->group_rows - sink->rows;
        uint64_t count = total - done < room ? total - done : room;
        TRY(make_room(sink, sink->rows + count));
        append_rows(sink, batch, done, count);
        done += count;
        if (done == total)
            exec_batch_keep_heaps(batch);
        if (sink->rows < sink->group_rows)
            continue;
        /* The batch at work is needed once more if it has rows left. */
        bool has_more = done < total;
        sink->batches.count -= has_more;
        st = api_sink_flush(sink);
        if (has_more)
            sink->batches.items[sink->batches.count++] = batch;
        TRY(st);
    }
    return STATUS_OK;
}

static status open_sink(api_sink *sink, const char *path, const pq_column_schema *columns,
                        const pq_writer_options *options)
{
    size_t count = sink->column_count;
    sink->columns = mem_new_array(count + 1, sizeof *sink->columns);
    sink->views = mem_new_array(count + 1, sizeof *sink->views);
    if (!sink->columns || !sink->views) {
        new_file_abort(options->target);
        return status_no_memory("row group", count * sizeof *sink->columns);
    }
    for (size_t i = 0; i < count; i++)
        sink->columns[i] =
            (sink_column){.width = columns[i].type.width, .is_text = type_is_text(columns[i].type)};
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
    sink->column_count = column_count;
    sink->group_rows = group_rows ? group_rows : 1;
    sink->budget = budget;
    sink->threads = options->threads < column_count ? options->threads : (unsigned)column_count;
    sink->threads = sink->threads ? sink->threads : 1;
    status st = open_sink(sink, path, columns, options);
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
    pq_writer_abort(sink->writer);
    drop_batches(sink);
    array_release(&sink->batches);
    for (size_t i = 0; sink->columns && i < sink->column_count; i++) {
        mem_free(sink->columns[i].values);
        mem_free(sink->columns[i].validity);
    }
    mem_free(sink->columns);
    mem_free(sink->views);
    discharge(sink, sink->charged);
    mem_free(sink);
}

status api_sink_finish(api_sink *sink)
{
    status st = api_sink_flush(sink);
    if (!st) {
        pq_writer *writer = sink->writer;
        sink->writer = NULL;
        st = pq_writer_finish(writer);
    }
    api_sink_abort(sink);
    return st;
}
