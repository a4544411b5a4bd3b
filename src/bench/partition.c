/* partition.c - see partition.h. */
#include "bench/partition.h"

void bench_partition_release(bench_partition *p)
{
    dev_buffer_unref(p->hashes);
    dev_buffer_unref(p->order);
    dev_buffer_unref(p->offsets);
    dev_buffer_unref(p->sorted);
}

status bench_partition_new(const bench_rank *r, unsigned columns, bench_partition *out)
{
    uint64_t rows = r->dev->chunk_rows;
    *out = (bench_partition){0};
    TRY(dev_alloc(r->dev, rows * sizeof(uint64_t), "bench", &out->hashes));
    TRY(dev_alloc(r->dev, rows * sizeof(uint32_t), "bench", &out->order));
    TRY(dev_alloc(r->dev, BENCH_OFFSET_WORDS(r->ranks) * sizeof(uint64_t), "bench", &out->offsets));
    return dev_alloc(r->dev, columns * rows * sizeof(uint64_t), "bench", &out->sorted);
}

status bench_partition_rows(const bench_rank *r, bench_partition *p, const void *numbers,
                            uint64_t rows)
{
    dev_stream *stream = r->task.stream;
    dev_count count = dev_count_exact(rows);
    TRY(DEV_LAUNCH(stream, hash_values, .type = type_make(TYPE_UINT64), .values = numbers,
                   .count = count, .out = p->hashes->address));
    return DEV_LAUNCH(stream, ranks_partition, .hashes = p->hashes->address, .count = count,
                      .ranks = r->ranks, .out = p->order->address, .offsets = p->offsets->address);
}

status bench_partition_column(const bench_rank *r, const bench_partition *p, const void *values,
                              uint64_t rows, uint64_t *out)
{
    return DEV_LAUNCH(r->task.stream, gather, .width = sizeof(uint64_t), .base = values,
                      .base_rows = rows, .index = p->order->address, .count = dev_count_exact(rows),
                      .out = out);
}
