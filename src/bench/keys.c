/* keys.c - see keys.h. */
#include "bench/keys.h"

#include "device/chunk.h"
#include "device/transfer.h"

/* Different numbers give different keys. (Steele, Lea, Flood: SplitMix, 2014) */
static uint64_t mixed(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The first number after all numbers of build keys. */
#define FIRST_STRANGER (UINT64_C(1) << 40)
#define FIRST_CHOICE (UINT64_C(1) << 41)

static uint64_t share_start(const bench_rank *r, uint64_t rows, unsigned rank)
{
    return (uint64_t)((uint128)rows * rank / r->ranks);
}

static status new_keys(bench_rank *r, uint64_t rows, bench_keys *out, uint64_t *out_first)
{
    *out_first = share_start(r, rows, r->rank);
    out->rows = share_start(r, rows, r->rank + 1) - *out_first;
    return dev_alloc(r->dev, (out->rows + 1) * sizeof(uint64_t), "keys", &out->buffer);
}

/* The rule that makes a key. */
typedef struct key_maker {
    uint64_t build_rows, most; /* choices below `most` have a partner */
    bool is_probe;
    uint64_t matches;
} key_maker;

static uint64_t make_key(key_maker *m, uint64_t number)
{
    if (!m->is_probe)
        return mixed(number);
    uint64_t choice = mixed(FIRST_CHOICE + number);
    bool has_partner = m->build_rows && (choice >> 32) < m->most;
    m->matches += has_partner;
    return mixed(has_partner ? (uint64_t)((uint128)mixed(choice) * m->build_rows >> 64)
                             : FIRST_STRANGER + number);
}

/* In pinned memory, where the device has its own; a piece at a time. */
static status keys_make_keys(bench_rank *r, key_maker *m, uint64_t first, bench_keys *out)
{
    const dev_ops *ops = r->dev->ops;
    uint64_t *keys = out->buffer->address, most = r->dev->chunk_rows;
    for (uint64_t at = 0; at < out->rows; at += most) {
        uint64_t left = out->rows - at, rows = left < most ? left : most;
        void *staged = keys + at;
        if (!r->dev->is_host)
            TRY(dev_host_alloc(r->dev, rows * sizeof *keys, "keys", &staged));
        for (uint64_t i = 0; i < rows; i++)
            ((uint64_t *)staged)[i] = make_key(m, first + at + i);
        if (r->dev->is_host)
            continue;
        status st = ops->copy_in(r->task.stream, keys + at, staged, rows * sizeof *keys);
        dev_host_free(r->dev, staged, rows * sizeof *keys);
        TRY(st);
    }
    return STATUS_OK;
}

status bench_build_keys(bench_rank *r, uint64_t build_rows, bench_keys *out)
{
    uint64_t first;
    key_maker m = {0};
    TRY(new_keys(r, build_rows, out, &first));
    return keys_make_keys(r, &m, first, out);
}

status bench_probe_keys(bench_rank *r, uint64_t build_rows, uint64_t probe_rows, double selectivity,
                        bench_keys *out, uint64_t *out_matches)
{
    uint64_t first;
    key_maker m = {.build_rows = build_rows,
                   .most = (uint64_t)(selectivity * (double)(UINT64_C(1) << 32)),
                   .is_probe = true};
    TRY(new_keys(r, probe_rows, out, &first));
    TRY(keys_make_keys(r, &m, first, out));
    *out_matches = m.matches;
    return STATUS_OK;
}

void bench_keys_release(bench_keys *keys)
{
    dev_buffer_unref(keys->buffer);
    *keys = (bench_keys){0};
}

status bench_keys_view(const bench_keys *keys, uint64_t first, uint64_t rows, chunk **out)
{
    TRY(chunk_new(1, dev_count_exact(rows), out));
    status st = tensor_new_view(type_make(TYPE_INT64), keys->buffer,
                                (int64_t *)keys->buffer->address + first, &(*out)->columns[0]);
    if (st) {
        chunk_free(*out);
        *out = NULL;
    }
    return st;
}

status bench_keys_chunks(bench_rank *r, const bench_keys *keys, chunk_list *out)
{
    uint64_t most = r->dev->chunk_rows;
    for (uint64_t first = 0; first < keys->rows; first += most) {
        uint64_t left = keys->rows - first;
        TRY(array_reserve(NULL, out, 1));
        TRY(bench_keys_view(keys, first, left < most ? left : most, &out->items[out->count]));
        out->count++;
    }
    return STATUS_OK;
}

static status local_bounds(bench_rank *r, const bench_keys *keys, const int64_t *start,
                           uint64_t *out)
{
    dev_stream *stream = r->task.stream;
    size_t bytes = 3 * sizeof *start;
    dev_buffer *bounds;
    TRY(dev_alloc(r->dev, bytes, "bench", &bounds));
    status st = dev_upload(stream, bounds->address, start, bytes, "bench");
    if (!st)
        st = DEV_LAUNCH(stream, join_key_bounds, .type = type_make(TYPE_INT64),
                        .keys = keys->buffer->address, .count = dev_count_exact(keys->rows),
                        .bounds = bounds->address);
    if (!st)
        st = dev_words_read(stream, bounds->address, out, 3);
    dev_buffer_unref(bounds);
    return st;
}

status bench_keys_range(bench_rank *r, const bench_keys *keys, join_key_range *out)
{
    static const uint8_t operations[] = {NET_MIN_SIGNED, NET_MAX_SIGNED, NET_SUM};
    static const int64_t bounds[3] = {INT64_MAX, INT64_MIN, 0};
    uint64_t words[3];
    TRY(local_bounds(r, keys, bounds, words));
    TRY(bench_agree(r, words, operations, 3));
    *out = (join_key_range){(int64_t)words[0], (int64_t)words[1], words[2]};
    return STATUS_OK;
}
