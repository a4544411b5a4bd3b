/* join.c - see join.h: the runs of a measured join, and their steps. */
#include "bench/join.h"

#include "bench/keys.h"
#include "bench/partition.h"
#include "bench/stream.h"
#include "device/chunk.h"
#include "device/kernels/kernel_ops.h"
#include "device/transfer.h"
#include "exec/join/join_table_build.h"

#define COUNTS 4096u

typedef struct join {
    bench_rank *rank;
    data_type key_type;
    const bench_join_options *options;
    bench_keys build, probe;
    join_key_range range;
    uint64_t expected; /* matches on all ranks */
    /* State of a run. */
    join_table table;
    bench_keys room; /* for build keys that arrive, of which there are so many rows: */
    uint64_t room_rows;
    chunk_list arrived;
    uint64_t *placed; /* by peer: bytes of its part that have come; where parts go: */
    char *parts;      /* of the device */
    uint64_t part_bytes;
    uint64_t matches;
    dev_buffer *counts; /* COUNTS words: matches of chunks, of which so many are not added up: */
    uint32_t counted;
    bench_clock building, probing;
} join;

static status join_new_table(const join *j, join_table *out)
{
    static const uint32_t key_column = 0;
    static const bool needed[] = {false};
    *out = (join_table){.dev = j->rank->dev,
                        .column_count = 1,
                        .key_count = 1,
                        .key_types = &j->key_type,
                        .key_columns = &key_column,
                        .needed = needed,
                        .wants_open = true,
                        .row_need = JOIN_ROWS_ALWAYS,
                        .ranges = &j->range};
    return join_table_init(out);
}

/* ---- keys to the ranks of their hashes ---- */

static status join_push_sorted(const join *j, const uint64_t *sorted, const uint32_t *offsets,
                               bench_stream *s)
{
    for (unsigned peer = 0; peer < j->rank->ranks; peer++)
        TRY(bench_stream_push(s, peer, sorted + offsets[peer],
                              (offsets[peer + 1] - offsets[peer]) * sizeof *sorted));
    return STATUS_OK;
}

static status join_gather_rows(const join *j, const chunk *c, const uint32_t *order, uint32_t rows,
                               void *out)
{
    return DEV_LAUNCH(j->rank->task.stream, gather, .width = sizeof(uint64_t),
                      .base = c->columns[0]->values, .base_rows = c->rows.bound, .index = order,
                      .count = dev_count_exact(rows), .out = out);
}

/* Straight to where messages are. */
static status gather_to_peer(const join *j, const chunk *c, const uint32_t *order, uint32_t rows,
                             unsigned peer, bench_stream *s)
{
    const uint32_t width = sizeof(uint64_t);
    while (rows) {
        char *to;
        uint32_t room;
        TRY(bench_stream_room(s, peer, width, &to, &room));
        uint32_t now = room / width < rows ? room / width : rows;
        TRY(join_gather_rows(j, c, order, now, to));
        bench_stream_filled(s, peer, now * width);
        order += now;
        rows -= now;
    }
    return STATUS_OK;
}

/* On the host. This rank's own rows are taken at once. */
static status push_gathered(const join *j, const bench_partition *p, const chunk *c,
                            bench_stream *s)
{
    const uint32_t *order = p->order->address, *offsets = p->offsets->address;
    for (unsigned peer = 0; peer < j->rank->ranks; peer++) {
        uint32_t first = offsets[peer], rows = offsets[peer + 1] - first;
        if (peer != j->rank->rank) {
            TRY(gather_to_peer(j, c, order + first, rows, peer, s));
        } else if (rows) {
            TRY(join_gather_rows(j, c, order + first, rows, p->sorted->address));
            TRY(s->take(s->argument, peer, p->sorted->address, rows * (uint32_t)sizeof(uint64_t)));
        }
    }
    return STATUS_OK;
}

/* From device to device: the order's rows in memory of their own, of which each peer is given a part. */
static status give_sorted(const join *j, const bench_partition *p, const chunk *c, bench_stream *s)
{
    dev_stream *stream = j->rank->task.stream;
    uint32_t count = BENCH_OFFSET_WORDS(j->rank->ranks);
    dev_buffer *sorted;
    uint64_t *words = mem_new_array(count, sizeof *words);
    const uint32_t *offsets = (const uint32_t *)words;
    if (!words)
        return status_no_memory("ranks", count * sizeof *words);
    status st = dev_alloc(stream->dev, c->rows.bound * sizeof(uint64_t), "keys", &sorted);
    if (!st) {
        st = bench_partition_column(j->rank, p, c->columns[0]->values, c->rows.bound,
                                    sorted->address);
        if (!st)
            st = dev_words_read(stream, p->offsets->address, words, count);
        if (!st)
            st = dev_stream_await(stream);
        for (unsigned peer = 0; peer < j->rank->ranks && !st; peer++)
            st = bench_stream_give(s, peer, sorted, (uint64_t *)sorted->address + offsets[peer],
                                   (offsets[peer + 1] - offsets[peer]) * sizeof(uint64_t));
        dev_buffer_unref(sorted);
    }
    mem_free(words);
    return st;
}

/* By way of pinned memory. */
static status push_copied(const join *j, const bench_partition *p, uint64_t rows, bench_stream *s)
{
    dev_stream *stream = j->rank->task.stream;
    const dev_ops *ops = stream->dev->ops;
    size_t bytes = rows * sizeof(uint64_t), all = bytes + (j->rank->ranks + 1) * sizeof(uint32_t);
    void *sorted;
    TRY(dev_host_alloc(stream->dev, all, "bench", &sorted));
    char *offsets = (char *)sorted + bytes;
    status st = ops->copy_out(stream, sorted, p->sorted->address, bytes);
    if (!st)
        st = ops->copy_out(stream, offsets, p->offsets->address, all - bytes);
    if (!st)
        st = dev_stream_await(stream);
    if (!st)
        st = join_push_sorted(j, sorted, (const uint32_t *)(const void *)offsets, s);
    dev_host_free(stream->dev, sorted, all);
    return st;
}

/* By keys, or by their codes: of a table of all parts a code's rank is that in whose part code_find looks it up. */
static status join_find_ranks(const join *j, bench_partition *p, const chunk *c)
{
    if (j->options->algorithm != BENCH_PARALLEL)
        return bench_partition_rows(j->rank, p, c->columns[0]->values, c->rows.bound);
    dev_buffer *codes;
    TRY(join_table_codes(&j->table, j->rank->task.stream, c->columns, c->rows, &codes));
    status st = bench_partition_rows(j->rank, p, codes->address, c->rows.bound);
    dev_buffer_unref(codes);
    return st;
}

static status push_chunk(const join *j, bench_partition *p, const chunk *c, bench_stream *s)
{
    TRY(join_find_ranks(j, p, c));
    if (j->rank->dev->is_host)
        return push_gathered(j, p, c, s);
    if (j->rank->sends_cargo)
        return give_sorted(j, p, c, s);
    TRY(bench_partition_column(j->rank, p, c->columns[0]->values, c->rows.bound,
                               p->sorted->address));
    return push_copied(j, p, c->rows.bound, s);
}

static status push_by_rank(const join *j, const bench_keys *keys, bench_stream *s)
{
    bench_partition p;
    chunk_list chunks = {0};
    status st = bench_partition_new(j->rank, 1, &p);
    if (!st)
        st = bench_keys_chunks(j->rank, keys, &chunks);
    for (size_t i = 0; i < chunks.count && !st; i++)
        st = push_chunk(j, &p, chunks.items[i], s);
    bench_partition_release(&p);
    chunk_list_release(&chunks);
    return st;
}

/* ---- building ---- */

/* Hashes of random keys are spread so evenly that no rank gets much more than its share. */
static uint64_t most_arriving(const join *j)
{
    uint64_t all = j->options->build_rows, share = all / j->rank->ranks;
    return j->options->algorithm == BENCH_REDUNDANT ? all : share + share / 8 + 65536;
}

/* Set-up: its pages are there. */
static status take_room(join *j)
{
    if (j->rank->ranks == 1)
        return STATUS_OK;
    j->room_rows = most_arriving(j);
    size_t bytes = j->room_rows * sizeof(uint64_t);
    TRY(dev_alloc(j->rank->dev, bytes, "keys", &j->room.buffer));
    return j->rank->dev->ops->zero(j->rank->task.stream, j->room.buffer->address, bytes);
}

static status place_build(join *j, unsigned peer, uint64_t bytes, uint64_t **out)
{
    uint64_t rows = bytes / sizeof(uint64_t);
    if (rows > j->room_rows - j->room.rows)
        return status_new(STATUS_KIND_INTERNAL, "rank %u sends more keys than a share", peer);
    *out = (uint64_t *)j->room.buffer->address + j->room.rows;
    j->room.rows += rows;
    return STATUS_OK;
}

static status take_build_from(void *argument, unsigned peer, device *from, const void *address,
                              uint64_t bytes)
{
    join *j = argument;
    uint64_t *target;
    TRY(place_build(j, peer, bytes, &target));
    return j->rank->dev->ops->copy_from(j->rank->task.stream, target, from, address, bytes);
}

static status take_build(void *argument, unsigned peer, const char *data, uint32_t bytes)
{
    join *j = argument;
    uint64_t *target;
    TRY(place_build(j, peer, bytes, &target));
    return dev_upload(j->rank->task.stream, target, data, bytes, "keys");
}

static status push_to_all(const join *j, bench_stream *s, dev_buffer *buffer, uint64_t bytes)
{
    return j->rank->sends_cargo ? bench_stream_give_to_all(s, buffer, bytes)
                                : bench_stream_push_from_device(s, buffer->address, bytes);
}

/* The keys of which this rank makes a table. */
static status gather_build(join *j)
{
    bench_stream s;
    if (j->rank->ranks == 1)
        return bench_keys_chunks(j->rank, &j->build, &j->arrived);
    status st = bench_stream_open(j->rank, "build keys", take_build, take_build_from, j, &s);
    if (!st && j->options->algorithm == BENCH_REDUNDANT)
        st = push_to_all(j, &s, j->build.buffer, j->build.rows * sizeof(uint64_t));
    else if (!st)
        st = push_by_rank(j, &j->build, &s);
    if (!st)
        st = bench_stream_finish(&s);
    st = bench_stream_close(&s, st);
    if (!st)
        st = bench_keys_chunks(j->rank, &j->room, &j->arrived);
    bench_keys_release(&j->room);
    return st;
}

static uint64_t arrived_rows(const join *j)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < j->arrived.count; i++)
        rows += j->arrived.items[i]->rows.bound;
    return rows;
}

static status join_run_phase(join *j, join_table_phase_number phase)
{
    TRY(join_table_phase(&j->table, &j->rank->task, phase, &j->range));
    return dev_stream_await(j->rank->task.stream);
}

/* Memory is taken in the first phase, which is set-up. */
static status join_start_table(join *j, uint64_t open_rows)
{
    j->table.open_rows = open_rows;
    TRY(chunk_list_move(&j->arrived, &j->table.chunks));
    return join_run_phase(j, JOIN_TABLE_PHASE_START);
}

static status fill_table(join *j)
{
    for (int phase = JOIN_TABLE_PHASE_MOVE; phase < JOIN_TABLE_PHASES; phase++)
        TRY(join_run_phase(j, (join_table_phase_number)phase));
    if (j->table.row_count && (!j->table.is_unique || j->table.form != JOIN_TABLE_OPEN))
        return status_new(STATUS_KIND_INTERNAL,
                          "keys of a measured join are not what they should be");
    join_table_check(&j->table);
    return STATUS_OK;
}

/* ---- parts of a table, made by all ranks for all ---- */

static status place_part(join *j, unsigned peer, uint64_t bytes, char **out)
{
    if (bytes > j->part_bytes - j->placed[peer])
        return status_new(STATUS_KIND_INTERNAL, "rank %u has a larger part of a table", peer);
    *out = j->parts + peer * j->part_bytes + j->placed[peer];
    j->placed[peer] += bytes;
    return STATUS_OK;
}

static status take_part_from(void *argument, unsigned peer, device *from, const void *address,
                             uint64_t bytes)
{
    join *j = argument;
    char *target;
    TRY(place_part(j, peer, bytes, &target));
    return j->rank->dev->ops->copy_from(j->rank->task.stream, target, from, address, bytes);
}

static status join_take_part(void *argument, unsigned peer, const char *data, uint32_t bytes)
{
    join *j = argument;
    char *target;
    TRY(place_part(j, peer, bytes, &target));
    return dev_upload(j->rank->task.stream, target, data, bytes, "parts");
}

/* `part`, of `bytes`, or NULL where this rank has none, to its place in all ranks' `whole`. */
static status exchange_part(join *j, dev_buffer *part, uint64_t bytes, dev_buffer *whole)
{
    bench_stream s;
    j->parts = whole->address;
    j->part_bytes = bytes;
    memset(j->placed, 0, j->rank->ranks * sizeof *j->placed);
    status st =
        bench_stream_open(j->rank, "parts of a table", join_take_part, take_part_from, j, &s);
    if (!st && part)
        st = push_to_all(j, &s, part, bytes);
    if (!st)
        st = bench_stream_finish(&s);
    return bench_stream_close(&s, st);
}

static status join_zeroed(const bench_rank *r, uint64_t bytes, dev_buffer **out)
{
    TRY(dev_alloc(r->dev, bytes, "join build", out));
    return r->dev->ops->zero(r->task.stream, (*out)->address, bytes);
}

/* An empty table for all parts, each of slot_count slots, of so many rows together. */
static status start_whole(const join *j, uint64_t slot_count, uint64_t rows, join_table *out)
{
    const bench_rank *r = j->rank;
    uint64_t slots;
    TRY(join_new_table(j, out));
    if (__builtin_mul_overflow(slot_count, r->ranks, &slots) || slots > ROW_NULL)
        return status_new(STATUS_KIND_LIMIT, "a table of more than %u slots", ROW_NULL);
    out->form = JOIN_TABLE_OPEN;
    out->slot_count = slot_count;
    out->part_count = r->ranks;
    out->group_count = slots;
    out->is_unique = true;
    out->row_bits = join_table_row_bits(out, rows, &j->range);
    out->is_direct = out->row_bits > 0;
    TRY(join_zeroed(r, slots * join_table_slot_bytes(out->row_bits), &out->slots));
    return out->is_direct ? STATUS_OK : join_zeroed(r, slots * sizeof(uint32_t), &out->rows);
}

/* How many rows each rank's part has: words, by rank. */
static status agree_on_rows(const join *j, uint64_t *words)
{
    uint8_t *operations = mem_new_array(j->rank->ranks, sizeof *operations); /* all NET_SUM */
    if (!operations)
        return status_no_memory("ranks", j->rank->ranks);
    _Static_assert(NET_SUM == 0, "zeroed memory is sums");
    words[j->rank->rank] = arrived_rows(j);
    status st = bench_agree(j->rank, words, operations, j->rank->ranks);
    mem_free(operations);
    return st;
}

/* Each rank's rows become the number of its first one; the sum. */
static uint64_t join_sum_rows(const join *j, uint64_t *rows)
{
    uint64_t first = 0;
    for (unsigned peer = 0; peer < j->rank->ranks; peer++) {
        uint64_t its = rows[peer];
        rows[peer] = first;
        first += its;
    }
    return first;
}

static status build_parts(join *j, uint64_t *rows, join_table *whole)
{
    uint64_t most = 0;
    TRY(agree_on_rows(j, rows));
    for (unsigned peer = 0; peer < j->rank->ranks; peer++)
        most = rows[peer] > most ? rows[peer] : most;
    uint64_t all = join_sum_rows(j, rows);
    j->table.all_rows = all;
    j->table.first_row = rows[j->rank->rank];
    TRY(bench_clock_stop(j->rank, &j->building));
    TRY(join_start_table(j, most));
    TRY(start_whole(j, join_table_slot_count(JOIN_TABLE_OPEN, most), all, whole));
    TRY(bench_clock_start(j->rank, &j->building));
    TRY(fill_table(j));
    whole->row_count = whole->key_row_count = all;
    uint64_t bytes = whole->slot_count * join_table_slot_bytes(whole->row_bits);
    status st = exchange_part(j, j->table.slots, bytes, whole->slots);
    if (!st && whole->rows)
        st = exchange_part(j, j->table.rows, whole->slot_count * sizeof(uint32_t), whole->rows);
    return st;
}

static status build_in_parallel(join *j)
{
    join_table whole = {0};
    uint64_t *rows = mem_new_array(j->rank->ranks, sizeof *rows);
    status st = rows ? build_parts(j, rows, &whole) : status_no_memory("ranks", j->rank->ranks);
    mem_free(rows);
    join_table_release(&j->table);
    j->table = whole;
    return st;
}

static status build_alone(join *j)
{
    TRY(bench_clock_stop(j->rank, &j->building));
    TRY(join_start_table(j, 0));
    TRY(bench_clock_start(j->rank, &j->building));
    return fill_table(j);
}

static status join_build(join *j)
{
    bool is_parallel = j->options->algorithm == BENCH_PARALLEL && j->rank->ranks > 1;
    TRY(take_room(j));
    TRY(bench_clock_start(j->rank, &j->building));
    TRY(gather_build(j));
    TRY(is_parallel ? build_in_parallel(j) : build_alone(j));
    return bench_clock_stop(j->rank, &j->building);
}

/* ---- probing ---- */

static status add_counts(join *j)
{
    uint64_t *counts = mem_new_array(COUNTS, sizeof *counts);
    if (!counts)
        return status_no_memory("bench", COUNTS * sizeof *counts);
    status st = dev_words_read(j->rank->task.stream, j->counts->address, counts, j->counted);
    for (uint32_t i = 0; i < j->counted && !st; i++)
        j->matches += counts[i];
    j->counted = 0;
    mem_free(counts);
    return st;
}

static status join_make_pairs(join *j, const row_index *groups, dev_count rows)
{
    dev_stream *stream = j->rank->task.stream;
    row_index *probe = NULL, *build = NULL;
    if (j->counted == COUNTS)
        TRY(add_counts(j));
    status st = row_index_new(stream->dev, rows.bound, &probe);
    if (!st)
        st = row_index_new(stream->dev, rows.bound, &build);
    if (!st)
        st = DEV_LAUNCH(stream, join_pairs_unique, .groups = groups->rows, .count = rows,
                        .rows = j->table.rows ? j->table.rows->address : NULL,
                        .out_probe = probe->rows, .out_build = build->rows,
                        .out_count = (uint64_t *)j->counts->address + j->counted++);
    row_index_unref(probe);
    row_index_unref(build);
    return st;
}

static status join_probe_chunk(join *j, const chunk *c)
{
    row_index *groups;
    TRY(join_table_probe(&j->table, &j->rank->task, c->columns, c->rows, &groups));
    status st = join_make_pairs(j, groups, c->rows);
    row_index_unref(groups);
    return st;
}

static status probe_chunks(join *j, const bench_keys *keys)
{
    chunk_list chunks = {0};
    status st = bench_keys_chunks(j->rank, keys, &chunks);
    for (size_t i = 0; i < chunks.count && !st; i++)
        st = join_probe_chunk(j, chunks.items[i]);
    chunk_list_release(&chunks);
    return st;
}

/* A message's keys, in memory of the device. */
static status keep_keys(const join *j, const char *data, uint32_t bytes, bench_keys *out)
{
    *out = (bench_keys){.rows = bytes / sizeof(uint64_t)};
    TRY(dev_alloc(j->rank->dev, bytes, "keys", &out->buffer));
    return dev_upload(j->rank->task.stream, out->buffer->address, data, bytes, "keys");
}

static status take_probe_from(void *argument, unsigned peer, device *from, const void *address,
                              uint64_t bytes)
{
    (void)peer;
    join *j = argument;
    bench_keys kept = {.rows = bytes / sizeof(uint64_t)};
    TRY(dev_alloc(j->rank->dev, bytes, "keys", &kept.buffer));
    status st = j->rank->dev->ops->copy_from(j->rank->task.stream, kept.buffer->address, from,
                                             address, bytes);
    if (!st)
        st = probe_chunks(j, &kept);
    bench_keys_release(&kept);
    return st;
}

/* A message's keys are probed where they are, if that is in the device's reach. */
static status take_probe(void *argument, unsigned peer, const char *data, uint32_t bytes)
{
    (void)peer;
    join *j = argument;
    if (!j->rank->dev->is_host) {
        bench_keys kept;
        status st = keep_keys(j, data, bytes, &kept);
        if (!st)
            st = probe_chunks(j, &kept);
        bench_keys_release(&kept);
        return st;
    }
    dev_buffer borrowed = {.address = (void *)(uintptr_t)data, .references = 1};
    bench_keys keys = {.buffer = &borrowed, .rows = bytes / sizeof(uint64_t)};
    return probe_chunks(j, &keys);
}

static status probe_by_rank(join *j)
{
    bench_stream s;
    status st = bench_stream_open(j->rank, "probe keys", take_probe, take_probe_from, j, &s);
    if (!st)
        st = push_by_rank(j, &j->probe, &s);
    if (!st)
        st = bench_stream_finish(&s);
    return bench_stream_close(&s, st);
}

static status bench_join_probe(join *j)
{
    bool is_sent = j->options->algorithm == BENCH_PARTITIONED && j->rank->ranks > 1;
    TRY(bench_clock_start(j->rank, &j->probing));
    TRY(is_sent ? probe_by_rank(j) : probe_chunks(j, &j->probe));
    TRY(add_counts(j));
    return bench_clock_stop(j->rank, &j->probing);
}

/* ---- runs ---- */

static status read_slots(const join *j, uint64_t rows, dev_buffer *index, dev_buffer *values)
{
    TRY(DEV_LAUNCH(j->rank->task.stream, gather, .width = sizeof(uint64_t),
                   .base = j->table.slots->address, .base_rows = j->table.slot_count,
                   .index = index->address, .count = dev_count_exact(rows),
                   .out = values->address));
    return dev_stream_await(j->rank->task.stream);
}

/* Times reads of the slots, in chunks. */
static status time_reads(const join *j, uint32_t *numbers, dev_buffer *index, dev_buffer *values,
                         double *out)
{
    dev_stream *stream = j->rank->task.stream;
    uint64_t rows = stream->dev->chunk_rows, slots = j->table.slot_count, chunks = 64, seed = 1;
    double seconds = 0;
    for (uint64_t n = 0; n < chunks; n++) {
        for (uint64_t i = 0; i < rows; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            numbers[i] = (uint32_t)((seed >> 32) * slots >> 32);
        }
        TRY(dev_upload(stream, index->address, numbers, rows * sizeof *numbers, "bench"));
        TRY(dev_stream_await(stream));
        double start = bench_seconds();
        TRY(read_slots(j, rows, index, values));
        seconds += bench_seconds() - start;
    }
    *out = seconds > 0 ? (double)(rows * chunks) / seconds : 0;
    return STATUS_OK;
}

/* Reads of 8 bytes at random, as probing begins with one. */
static status measure_reads(const join *j, double *out)
{
    device *dev = j->rank->dev;
    dev_buffer *index = NULL, *values = NULL;
    uint32_t *numbers = mem_new_array(dev->chunk_rows, sizeof *numbers);
    status st = numbers ? STATUS_OK : status_no_memory("bench", dev->chunk_rows * sizeof *numbers);
    if (!st)
        st = dev_alloc(dev, dev->chunk_rows * sizeof(uint32_t), "bench", &index);
    if (!st)
        st = dev_alloc(dev, dev->chunk_rows * sizeof(uint64_t), "bench", &values);
    if (!st)
        st = time_reads(j, numbers, index, values, out);
    mem_free(numbers);
    dev_buffer_unref(index);
    dev_buffer_unref(values);
    return st;
}

static status check_matches(join *j)
{
    const bench_rank *r = j->rank;
    uint64_t words[] = {j->matches};
    static const uint8_t operations[] = {NET_SUM};
    TRY(bench_agree(j->rank, words, operations, 1));
    j->matches = words[0];
    if (j->matches == j->expected)
        return STATUS_OK;
    return status_new(STATUS_KIND_INTERNAL, "%u ranks found %llu matches of %llu", r->ranks,
                      (unsigned long long)j->matches, (unsigned long long)j->expected);
}

/* Sums of all ranks. */
static status join_add_up(join *j, uint64_t bytes_before, bench_join_result *out)
{
    bench_rank *r = j->rank;
    static const uint8_t operations[] = {NET_SUM, NET_SUM};
    double cpu = r->owns_process || !r->rank ? j->building.cpu_seconds + j->probing.cpu_seconds : 0;
    uint64_t words[] = {r->bytes_sent - bytes_before, (uint64_t)(cpu * 1e6)};
    TRY(bench_agree(r, words, operations, 2));
    *out = (bench_join_result){.build = j->building.seconds,
                               .probe = j->probing.seconds,
                               .bytes_sent = words[0],
                               .cpu_seconds = (double)words[1] / 1e6,
                               .matches = j->matches};
    return STATUS_OK;
}

static status join_run_steps(join *j, bench_join_result *out)
{
    uint64_t bytes_before = j->rank->bytes_sent;
    j->matches = 0;
    j->counted = 0;
    j->building = j->probing = (bench_clock){0};
    TRY(join_new_table(j, &j->table));
    TRY(bench_keys_range(j->rank, &j->build, &j->range));
    TRY(join_build(j));
    TRY(bench_join_probe(j));
    TRY(check_matches(j));
    TRY(join_add_up(j, bytes_before, out));
    return j->rank->ranks == 1 && j->table.slots ? measure_reads(j, &out->reads) : STATUS_OK;
}

static status join_run(join *j, bench_join_result *out)
{
    status st = join_run_steps(j, out);
    bench_keys_release(&j->room);
    chunk_list_release(&j->arrived);
    join_table_release(&j->table);
    return st;
}

static status join_prepare(join *j)
{
    const bench_join_options *o = j->options;
    static const uint8_t operations[] = {NET_SUM};
    j->placed = mem_new_array(j->rank->ranks, sizeof *j->placed);
    if (!j->placed)
        return status_no_memory("ranks", j->rank->ranks * sizeof *j->placed);
    TRY(dev_words_new(j->rank->task.stream, COUNTS, &j->counts));
    TRY(bench_build_keys(j->rank, o->build_rows, &j->build));
    TRY(bench_probe_keys(j->rank, o->build_rows, o->probe_rows, o->selectivity, &j->probe,
                         &j->expected));
    return bench_agree(j->rank, &j->expected, operations, 1);
}

status bench_join(bench_rank *r, const bench_join_options *options, bench_join_result *out)
{
    join j = {.rank = r, .key_type = type_make(TYPE_INT64), .options = options};
    *out = (bench_join_result){0};
    status st = join_prepare(&j);
    for (unsigned i = 0; i < options->runs && !st; i++) {
        bench_join_result one;
        st = join_run(&j, &one);
        if (!st && (!i || one.build + one.probe < out->build + out->probe))
            *out = one;
    }
    bench_keys_release(&j.build);
    bench_keys_release(&j.probe);
    dev_buffer_unref(j.counts);
    mem_free(j.placed);
    return st;
}
