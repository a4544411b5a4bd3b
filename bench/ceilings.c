/* ceilings.c - what a CUDA device can do at most, by the same calls that queries make: scripts/gpu-check
 * measures others by it. Prints one JSON object.
 *
 *   ceilings [ROWS]   a power of two, at most 2^30; 2^26 at first: half a gigabyte of values
 *
 * Copies from and to pinned memory and within the device's, both read and written counted; random reads of
 * 8 bytes (kernel gather) and compare-and-swaps (kernel code_insert, a table of twice as many slots); what
 * a launch takes. The best of some rounds, each behind the one before it in the stream. */
#include "device/tensor.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 5
#define LAUNCHES 1000

typedef struct bench {
    device *dev;
    dev_stream *stream;
    uint64_t rows;
    uint64_t *host; /* pinned, 8 bytes a row */
    dev_buffer *values, *others, *index, *slots, *stats;
} bench;

static double seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

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

/* The best round's seconds. */
static status time_of(bench *b, status (*work)(bench *b), double *out)
{
    *out = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds();
        TRY(work(b));
        b->dev->ops->stream_drain(b->stream);
        TRY(dev_check(b->dev));
        double taken = seconds() - start;
        *out = round && *out < taken ? *out : taken;
    }
    return STATUS_OK;
}

static status measure(bench *b)
{
    double in, out, within, read, swap, zero, launches, bytes = (double)b->rows * 8;
    for (uint64_t i = 0; i < b->rows; i++)
        ((uint32_t *)(void *)b->host)[i] = (uint32_t)(mixed(i) & (b->rows - 1));
    TRY(b->dev->ops->copy_in(b->stream, b->index->address, b->host, b->rows * 4));
    b->dev->ops->stream_drain(b->stream);
    for (uint64_t i = 0; i < b->rows; i++)
        b->host[i] = mixed(i + 1);
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

static status prepare(bench *b)
{
    void *host;
    TRY(b->dev->ops->stream_open(b->dev, &b->stream));
    TRY(b->dev->ops->host_alloc(b->dev, b->rows * 8, "ceilings", &host));
    b->host = host;
    TRY(dev_alloc(b->dev, b->rows * 8, "ceilings", &b->values));
    TRY(dev_alloc(b->dev, b->rows * 8 < 256 ? 256 : b->rows * 8, "ceilings", &b->others));
    TRY(dev_alloc(b->dev, b->rows * 4, "ceilings", &b->index));
    TRY(dev_alloc(b->dev, b->rows * 16, "ceilings", &b->slots));
    return dev_words_new(b->stream, 2, &b->stats);
}

static status run(bench *b)
{
    mem_budget *budget;
    TRY(mem_budget_new(0, &budget));
    status st = dev_open_cuda(0, 0, budget, &b->dev);
    mem_budget_free(budget);
    TRY(st);
    st = prepare(b);
    return st ? st : measure(b);
}

static void release(bench *b)
{
    dev_buffer *buffers[] = {b->values, b->others, b->index, b->slots, b->stats};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        dev_buffer_unref(buffers[i]);
    if (b->host)
        b->dev->ops->host_free(b->dev, b->host, b->rows * 8);
    if (b->stream)
        b->dev->ops->stream_close(b->stream);
    dev_close(b->dev);
}

int main(int count, char **arguments)
{
    bench b = {.rows = count > 1 ? strtoull(arguments[1], NULL, 10) : (uint64_t)1 << 26};
    if (!b.rows || b.rows & (b.rows - 1) || b.rows > (uint64_t)1 << 30) {
        fprintf(stderr, "usage: ceilings [ROWS], a power of two\n");
        return 2;
    }
    status st = run(&b);
    if (st)
        fprintf(stderr, "error: %s\n", status_message(st));
    release(&b);
    int code = st != NULL;
    status_free(st);
    return code;
}
