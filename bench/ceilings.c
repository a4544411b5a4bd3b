/* ceilings.c - what a CUDA device can do at most, by the same calls that queries make: scripts/gpu-check
 * measures others by it. Prints one JSON object.
 *
 *   ceilings [ROWS]   a power of two, at most 2^30; 2^26 at first: half a gigabyte of values
 *
 * Copies from and to pinned memory and within the device's, both read and written counted; random reads of
 * 8 bytes (kernel gather) and compare-and-swaps (kernel code_insert, a table of twice as many slots); what
 * a launch takes. The best of some rounds, each behind the one before it in the stream. */
#include "device_bench.h"

#define LAUNCHES 1000

static status copy_in(bench *b)
{
    return b->dev->ops->copy_in(b->stream, b->values->address, b->host, b->rows * 8);
}

static status copy_out(bench *b)
{
    return b->dev->ops->copy_out(b->stream, b->host, b->others->address, b->rows * 8);
}

static status copy_within(bench *b)
{
    return b->dev->ops->copy(b->stream, b->others->address, b->values->address, b->rows * 8);
}

static status read_at_random(bench *b)
{
    return DEV_LAUNCH(b->stream, gather, .width = 8, .base = b->values->address,
                      .base_rows = b->rows, .index = b->index->address,
                      .count = dev_count_exact(b->rows), .out = b->others->address);
}

static status swap_at_random(bench *b)
{
    TRY(b->dev->ops->zero(b->stream, b->slots->address, b->rows * 16));
    return DEV_LAUNCH(b->stream, code_insert, .codes = b->values->address,
                      .count = dev_count_exact(b->rows), .slots = b->slots->address,
                      .slot_count = b->rows * 2, .stats = b->stats->address,
                      .out = b->others->address);
}

static status zero_slots(bench *b)
{
    return b->dev->ops->zero(b->stream, b->slots->address, b->rows * 16);
}

static status launch_many(bench *b)
{
    for (int i = 0; i < LAUNCHES; i++)
        TRY(DEV_LAUNCH(b->stream, count_up, .count = dev_count_exact(64),
                       .out = b->others->address));
    return STATUS_OK;
}

static status measure(bench *b)
{
    double in, out, within, read, swap, zero, launches, bytes = (double)b->rows * 8;
    TRY(time_of(b, copy_in, &in));
    TRY(time_of(b, copy_within, &within));
    TRY(time_of(b, read_at_random, &read));
    TRY(time_of(b, zero_slots, &zero));
    TRY(time_of(b, swap_at_random, &swap));
    TRY(time_of(b, launch_many, &launches));
    TRY(time_of(b, copy_out, &out));
    printf("{\"device\": \"%s\", \"rows\": %llu,\n", b->dev->isa, (unsigned long long)b->rows);
    printf(" \"copy_in_gb_s\": %.2f, \"copy_out_gb_s\": %.2f, \"copy_within_gb_s\": %.2f,\n",
           bytes / in / 1e9, bytes / out / 1e9, 2 * bytes / within / 1e9);
    printf(" \"random_reads_per_us\": %.1f, \"random_swaps_per_us\": %.1f,\n",
           (double)b->rows / read / 1e6,
           (double)b->rows / (swap > zero ? swap - zero : swap) / 1e6);
    printf(" \"launch_us\": %.2f}\n", launches / LAUNCHES * 1e6);
    return STATUS_OK;
}

int main(int count, char **arguments)
{
    return bench_main(count, arguments, measure);
}
