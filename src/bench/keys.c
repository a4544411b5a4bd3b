/* keys.c - see keys.h. */
#include "bench/keys.h"

/* Different numbers give different keys. (Steele, Lea, Flood: SplitMix, 2014) */
static uint64_t mixed(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Behind all numbers of build keys. */
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

status bench_build_keys(bench_rank *r, uint64_t build_rows, bench_keys *out)
{
    uint64_t first;
    TRY(new_keys(r, build_rows, out, &first));
    uint64_t *keys = out->buffer->address;
    for (uint64_t i = 0; i < out->rows; i++)
        keys[i] = mixed(first + i);
    return STATUS_OK;
}

status bench_probe_keys(bench_rank *r, uint64_t build_rows, uint64_t probe_rows, double selectivity,
                        bench_keys *out, uint64_t *out_matches)
{
    uint64_t first, most = (uint64_t)(selectivity * (double)(UINT64_C(1) << 32));
    TRY(new_keys(r, probe_rows, out, &first));
    uint64_t *keys = out->buffer->address;
    *out_matches = 0;
    for (uint64_t i = 0; i < out->rows; i++) {
        uint64_t choice = mixed(FIRST_CHOICE + first + i);
        bool has_partner = build_rows && (choice >> 32) < most;
        keys[i] = mixed(has_partner ? (uint64_t)((uint128)mixed(choice) * build_rows >> 64)
                                    : FIRST_STRANGER + first + i);
        *out_matches += has_partner;
    }
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

status bench_keys_range(bench_rank *r, const bench_keys *keys, join_key_range *out)
{
    static const uint8_t operations[] = {NET_MIN_SIGNED, NET_MAX_SIGNED, NET_SUM};
    int64_t bounds[3] = {INT64_MAX, INT64_MIN, 0};
    uint64_t words[3];
    TRY(DEV_LAUNCH(r->task.stream, join_key_bounds, .type = type_make(TYPE_INT64),
                   .keys = keys->buffer->address, .count = dev_count_exact(keys->rows),
                   .bounds = bounds));
    memcpy(words, bounds, sizeof words);
    TRY(bench_agree(r, words, operations, 3));
    *out = (join_key_range){(int64_t)words[0], (int64_t)words[1], words[2]};
    return STATUS_OK;
}
