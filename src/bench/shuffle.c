/* shuffle.c - see shuffle.h. Rows travel as blocks: their number, then that many values of each column. */
#include "bench/shuffle.h"

#include "bench/keys.h"
#include "bench/partition.h"
#include "bench/stream.h"
#include "device/chunk.h"
#include "exec/join/join_table_build.h"

#define PIECE_CHUNKS 16u /* of BENCH_CHUNKING */

typedef struct table {
    bench_keys keys;                        /* the first column */
    dev_buffer *columns[BENCH_COLUMNS_MAX]; /* the others: column c has key + c */
    uint64_t chunks;                        /* on whichever rank has most */
    bool is_probe;
} table;

typedef struct shuffle {
    bench_rank *rank;
    const bench_shuffle_options *options;
    bench_shuffle_work work;
    table left, right;
    join_key_range range;
    uint64_t expected; /* matches on all ranks */
    data_type types[BENCH_COLUMNS_MAX];
    uint32_t key_column;
    bool needed[BENCH_COLUMNS_MAX];
    /* State of a run. */
    const table *current;
    bool is_stored; /* what comes is kept until the step of it */
    chunk_list stored;
    join_table build;
    uint64_t rows, matches;
    dev_buffer *counter;
    bench_clock clock;
} shuffle;

/* ---- what comes ---- */

static status give_column(const shuffle *s, tensor *base, uint64_t base_rows, row_index *index,
                          uint64_t rows, tensor **out)
{
    tensor *indexed;
    dev_stream *stream = s->rank->task.stream;
    TRY(tensor_new_indexed(stream, base, base_rows, index, dev_count_exact(rows), &indexed));
    status st = tensor_flatten(stream, indexed, dev_count_exact(rows), out);
    tensor_unref(indexed);
    return st;
}

/* All columns of both sides, as rows that go on to another operator; the last row is looked at. */
static status give_pairs(const shuffle *s, const chunk *c, row_index *probe, row_index *build,
                         uint64_t pairs)
{
    int64_t key = 0;
    for (unsigned i = 0; i < 2 * s->options->columns; i++) {
        unsigned column = i % s->options->columns;
        bool is_build = i >= s->options->columns;
        tensor *given;
        TRY(is_build ? give_column(s, s->build.build->columns[column], s->build.row_count, build,
                                   pairs, &given)
                     : give_column(s, c->columns[column], c->rows.bound, probe, pairs, &given));
        int64_t value = ((const int64_t *)given->values)[pairs - 1];
        tensor_unref(given);
        key = i ? key : value;
        if ((uint64_t)value != (uint64_t)key + column)
            return status_new(STATUS_KIND_INTERNAL, "column %u of a measured join is wrong", i);
    }
    return STATUS_OK;
}

static status find_pairs(shuffle *s, const chunk *c, row_index *groups, row_index *probe,
                         row_index *build)
{
    TRY(DEV_LAUNCH(s->rank->task.stream, join_pairs_unique, .groups = groups->rows,
                   .count = c->rows, .rows = s->build.rows ? s->build.rows->address : NULL,
                   .out_probe = probe->rows, .out_build = build->rows,
                   .out_count = s->counter->address));
    uint64_t pairs = *(const uint64_t *)s->counter->address;
    s->matches += pairs;
    return pairs ? give_pairs(s, c, probe, build, pairs) : STATUS_OK;
}

static status shuffle_probe_chunk(shuffle *s, const chunk *c)
{
    device *dev = s->rank->dev;
    row_index *groups, *probe = NULL, *build = NULL;
    TRY(join_table_probe(&s->build, &s->rank->task, c->columns, c->rows, &groups));
    status st = row_index_new(dev, c->rows.bound, &probe);
    if (!st)
        st = row_index_new(dev, c->rows.bound, &build);
    if (!st)
        st = find_pairs(s, c, groups, probe, build);
    row_index_unref(groups);
    row_index_unref(probe);
    row_index_unref(build);
    return st;
}

/* A chunk of `rows` values of each column, one behind the other from `first` on in the buffer. */
static status view_block(const shuffle *s, dev_buffer *buffer, uint64_t *first, uint64_t rows,
                         chunk **out)
{
    TRY(chunk_new(s->options->columns, dev_count_exact(rows), out));
    status st = STATUS_OK;
    for (unsigned c = 0; c < s->options->columns && !st; c++)
        st = tensor_new_view(s->types[c], buffer, first + c * rows, &(*out)->columns[c]);
    if (st) {
        chunk_free(*out);
        *out = NULL;
    }
    return st;
}

static status store_block(shuffle *s, const uint64_t *values, uint64_t rows)
{
    uint64_t bytes = rows * s->options->columns * sizeof *values;
    dev_buffer *buffer;
    chunk *c;
    TRY(dev_alloc(s->rank->dev, bytes, "shuffle", &buffer));
    memcpy(buffer->address, values, bytes);
    status st = view_block(s, buffer, buffer->address, rows, &c);
    dev_buffer_unref(buffer);
    if (st)
        return st;
    st = array_push(NULL, &s->stored, c);
    if (st)
        chunk_free(c);
    return st;
}

/* In place: the tensors go before the message does. */
static status probe_block(shuffle *s, uint64_t *values, uint64_t rows)
{
    dev_buffer borrowed = {.address = values, .references = 1};
    chunk *c;
    TRY(view_block(s, &borrowed, values, rows, &c));
    status st = shuffle_probe_chunk(s, c);
    chunk_free(c);
    return st;
}

static status shuffle_take_block(shuffle *s, uint64_t *values, uint64_t rows)
{
    s->rows += rows;
    if (s->work != BENCH_JOIN && !s->is_stored)
        return STATUS_OK;
    return s->is_stored || !s->current->is_probe ? store_block(s, values, rows)
                                                 : probe_block(s, values, rows);
}

static status shuffle_take(void *argument, unsigned peer, const char *data, uint32_t bytes)
{
    shuffle *s = argument;
    uint64_t *at = (uint64_t *)(uintptr_t)data, *end = at + bytes / sizeof *at;
    while (at < end) {
        uint64_t rows = *at++, room = (uint64_t)(end - at);
        if (!rows || rows > room / s->options->columns)
            return status_new(STATUS_KIND_INTERNAL, "rank %u has sent rows that do not exist",
                              peer);
        TRY(shuffle_take_block(s, at, rows));
        at += rows * s->options->columns;
    }
    return STATUS_OK;
}

/* ---- what is sent ---- */

/* Rows [first, first + rows) of a chunk's columns, which are `stride` values apart. */
static status push_rows(const shuffle *s, bench_stream *stream, unsigned peer,
                        const uint64_t *columns, uint64_t stride, uint64_t first, uint64_t rows)
{
    unsigned count = s->options->columns;
    while (rows) {
        char *to;
        uint32_t room;
        TRY(bench_stream_room(stream, peer, (uint32_t)((1 + count) * sizeof(uint64_t)), &to,
                              &room));
        uint64_t most = (room / sizeof(uint64_t) - 1) / count, now = rows < most ? rows : most;
        uint64_t *words = (uint64_t *)(void *)to;
        *words++ = now;
        for (unsigned c = 0; c < count; c++, words += now)
            memcpy(words, columns + c * stride + first, now * sizeof *words);
        bench_stream_filled(stream, peer, (uint32_t)((1 + now * count) * sizeof *words));
        first += now;
        rows -= now;
    }
    return STATUS_OK;
}

static const uint64_t *column_at(const table *t, unsigned column, uint64_t first)
{
    const dev_buffer *buffer = column ? t->columns[column] : t->keys.buffer;
    return (const uint64_t *)buffer->address + first;
}

/* p->sorted and p->offsets of a chunk: by hash; or in turns, whatever p->sorted has. */
static status sort_chunk(const shuffle *s, const table *t, bench_partition *p, uint64_t first,
                         uint64_t rows)
{
    uint64_t *sorted = p->sorted->address;
    uint32_t *offsets = p->offsets->address;
    bool is_by_hash = s->work != BENCH_ALL_TO_ALL;
    if (is_by_hash)
        TRY(bench_partition_rows(s->rank, p, column_at(t, 0, first), rows));
    for (unsigned c = 0; c < s->options->columns && is_by_hash; c++)
        TRY(bench_partition_column(s->rank, p, column_at(t, c, first), rows, sorted + c * rows));
    for (unsigned peer = 0; peer <= s->rank->ranks && !is_by_hash; peer++)
        offsets[peer] = (uint32_t)(rows * peer / s->rank->ranks);
    return STATUS_OK;
}

static status shuffle_push_sorted(const shuffle *s, const bench_partition *p, uint64_t rows,
                                  bench_stream *stream)
{
    const uint32_t *offsets = p->offsets->address;
    for (unsigned peer = 0; peer < s->rank->ranks; peer++)
        TRY(push_rows(s, stream, peer, p->sorted->address, rows, offsets[peer],
                      offsets[peer + 1] - offsets[peer]));
    return STATUS_OK;
}

static uint64_t chunk_at(const shuffle *s, const table *t, uint64_t number, uint64_t *out_first)
{
    uint64_t most = s->rank->dev->chunk_rows;
    *out_first = number * most;
    if (*out_first >= t->keys.rows)
        return 0;
    uint64_t left = t->keys.rows - *out_first;
    return left < most ? left : most;
}

/* ---- the variants ---- */

/* Rows leave as they are partitioned; what comes meanwhile is worked on. */
static status push_as_made(shuffle *s, const table *t, bench_stream *stream)
{
    bench_partition p;
    uint64_t first, rows;
    status st = bench_partition_new(s->rank, s->options->columns, &p);
    for (uint64_t number = 0; (rows = chunk_at(s, t, number, &first)) && !st; number++) {
        st = sort_chunk(s, t, &p, first, rows);
        if (!st)
            st = shuffle_push_sorted(s, &p, rows, stream);
    }
    bench_partition_release(&p);
    return st;
}

static status partition_chunks(const shuffle *s, const table *t, uint64_t from, uint64_t count,
                               bench_partition *out)
{
    uint64_t first, rows;
    for (uint64_t i = 0; i < count && (rows = chunk_at(s, t, from + i, &first)); i++) {
        TRY(bench_partition_new(s->rank, s->options->columns, &out[i]));
        TRY(sort_chunk(s, t, &out[i], first, rows));
    }
    return STATUS_OK;
}

static status push_chunks(const shuffle *s, const table *t, uint64_t from, uint64_t count,
                          const bench_partition *parts, bench_stream *stream)
{
    uint64_t first, rows;
    for (uint64_t i = 0; i < count && (rows = chunk_at(s, t, from + i, &first)); i++)
        TRY(shuffle_push_sorted(s, &parts[i], rows, stream));
    return STATUS_OK;
}

static status send_as_made(shuffle *s, const table *t)
{
    bench_stream stream;
    status st = bench_stream_open(s->rank, "rows", shuffle_take, NULL, s, &stream);
    if (!st)
        st = push_as_made(s, t, &stream);
    if (!st)
        st = bench_stream_finish(&stream);
    return bench_stream_close(&stream, st);
}

static status send_parts(shuffle *s, const table *t, uint64_t from, uint64_t count,
                         const bench_partition *parts)
{
    bench_stream stream;
    status st = bench_stream_open(s->rank, "rows", shuffle_take, NULL, s, &stream);
    if (!st)
        st = push_chunks(s, t, from, count, parts, &stream);
    if (!st)
        st = bench_stream_finish(&stream);
    return bench_stream_close(&stream, st);
}

/* Works on what has come. Build rows wait for the table. */
static status work_on_stored(shuffle *s, const table *t)
{
    status st = STATUS_OK;
    if (!t->is_probe && s->work == BENCH_JOIN)
        return STATUS_OK;
    for (size_t i = 0; i < s->stored.count && !st && s->work == BENCH_JOIN; i++)
        st = shuffle_probe_chunk(s, s->stored.items[i]);
    chunk_list_release(&s->stored);
    return st;
}

static status send_piece(shuffle *s, const table *t, uint64_t from, uint64_t count)
{
    bench_partition *parts = mem_new_array(count + 1, sizeof *parts);
    if (!parts)
        return status_no_memory("parts", count * sizeof *parts);
    status st = partition_chunks(s, t, from, count, parts);
    if (!st)
        st = bench_barrier(s->rank);
    if (!st)
        st = send_parts(s, t, from, count, parts);
    for (uint64_t i = 0; i < count; i++)
        bench_partition_release(&parts[i]);
    mem_free(parts);
    return st ? st : work_on_stored(s, t);
}

static status send_table(shuffle *s, const table *t)
{
    uint64_t piece = s->options->variant == BENCH_CHUNKING ? PIECE_CHUNKS : t->chunks;
    s->current = t;
    s->is_stored = s->options->variant != BENCH_DEFERRED;
    if (!s->is_stored)
        return send_as_made(s, t);
    for (uint64_t from = 0; from < t->chunks; from += piece) {
        uint64_t left = t->chunks - from;
        TRY(send_piece(s, t, from, left < piece ? left : piece));
    }
    return STATUS_OK;
}

/* ---- runs ---- */

static status build_table(shuffle *s)
{
    TRY(chunk_list_move(&s->stored, &s->build.chunks));
    for (int phase = 0; phase < JOIN_TABLE_PHASES; phase++)
        TRY(join_table_phase(&s->build, &s->rank->task, (join_table_phase_number)phase, &s->range));
    if (s->build.row_count && !s->build.is_unique)
        return status_new(STATUS_KIND_INTERNAL, "keys of a measured join repeat");
    return STATUS_OK;
}

static status shuffle_new_table(shuffle *s)
{
    s->build = (join_table){.dev = s->rank->dev,
                            .column_count = s->options->columns,
                            .key_count = 1,
                            .key_types = s->types,
                            .key_columns = &s->key_column,
                            .needed = s->needed,
                            .row_need = JOIN_ROWS_ALWAYS};
    return join_table_init(&s->build);
}

static status shuffle_check(shuffle *s)
{
    uint64_t words[] = {s->rows, s->matches}, rows = s->options->left_rows + s->options->right_rows;
    static const uint8_t operations[] = {NET_SUM, NET_SUM};
    TRY(bench_agree(s->rank, words, operations, 2));
    s->matches = words[1];
    if (words[0] == rows && (s->work != BENCH_JOIN || s->matches == s->expected))
        return STATUS_OK;
    return status_new(STATUS_KIND_INTERNAL, "%llu rows of %llu came, %llu matches of %llu",
                      (unsigned long long)words[0], (unsigned long long)rows,
                      (unsigned long long)s->matches, (unsigned long long)s->expected);
}

static status shuffle_run_steps(shuffle *s, bench_shuffle_result *out)
{
    uint64_t sent = s->rank->bytes_sent;
    static const uint8_t operations[] = {NET_SUM};
    s->rows = s->matches = 0;
    s->clock = (bench_clock){0};
    TRY(shuffle_new_table(s));
    TRY(bench_clock_start(s->rank, &s->clock));
    TRY(send_table(s, &s->left));
    if (s->work == BENCH_JOIN)
        TRY(build_table(s));
    TRY(send_table(s, &s->right));
    TRY(bench_clock_stop(s->rank, &s->clock));
    TRY(shuffle_check(s));
    sent = s->rank->bytes_sent - sent;
    TRY(bench_agree(s->rank, &sent, operations, 1));
    *out = (bench_shuffle_result){s->clock.seconds, sent, s->matches};
    return STATUS_OK;
}

static status shuffle_run(shuffle *s, bench_shuffle_result *out)
{
    status st = shuffle_run_steps(s, out);
    chunk_list_release(&s->stored);
    join_table_release(&s->build);
    return st;
}

static status shuffle_make_columns(const shuffle *s, table *t)
{
    const uint64_t *keys = t->keys.buffer->address;
    for (unsigned c = 1; c < s->options->columns; c++) {
        TRY(dev_alloc(s->rank->dev, (t->keys.rows + 1) * sizeof *keys, "keys", &t->columns[c]));
        uint64_t *values = t->columns[c]->address;
        for (uint64_t i = 0; i < t->keys.rows; i++)
            values[i] = keys[i] + c;
    }
    static const uint8_t operations[] = {NET_MAX};
    t->chunks = (t->keys.rows + s->rank->dev->chunk_rows - 1) / s->rank->dev->chunk_rows;
    return bench_agree(s->rank, &t->chunks, operations, 1);
}

static void release_table(table *t)
{
    bench_keys_release(&t->keys);
    for (unsigned c = 1; c < BENCH_COLUMNS_MAX; c++)
        dev_buffer_unref(t->columns[c]);
}

static status shuffle_prepare(shuffle *s)
{
    const bench_shuffle_options *o = s->options;
    static const uint8_t operations[] = {NET_SUM};
    for (unsigned c = 0; c < o->columns; c++) {
        s->types[c] = type_make(TYPE_INT64);
        s->needed[c] = true;
    }
    s->right.is_probe = true;
    TRY(dev_words_new(s->rank->task.stream, 1, &s->counter));
    TRY(bench_build_keys(s->rank, o->left_rows, &s->left.keys));
    TRY(bench_probe_keys(s->rank, o->left_rows, o->right_rows, o->hit_ratio, &s->right.keys,
                         &s->expected));
    TRY(shuffle_make_columns(s, &s->left));
    TRY(shuffle_make_columns(s, &s->right));
    TRY(bench_keys_range(s->rank, &s->left.keys, &s->range));
    return bench_agree(s->rank, &s->expected, operations, 1);
}

status bench_shuffle(bench_rank *r, const bench_shuffle_options *options, bench_shuffle_result *out)
{
    shuffle s = {.rank = r, .options = options};
    status st = shuffle_prepare(&s);
    for (int work = 0; work < BENCH_SHUFFLE_WORKS; work++) {
        s.work = (bench_shuffle_work)work;
        for (unsigned i = 0; i < options->runs && !st; i++) {
            bench_shuffle_result one;
            st = shuffle_run(&s, &one);
            if (!st && (!i || one.seconds < out[work].seconds))
                out[work] = one;
        }
    }
    release_table(&s.left);
    release_table(&s.right);
    dev_buffer_unref(s.counter);
    return st;
}
