/* device_bench.h - for programs that time a CUDA device's kernels: buffers, numbers, the best of some rounds. */
#ifndef PISTACHIO_BENCH_DEVICE_BENCH_H
#define PISTACHIO_BENCH_DEVICE_BENCH_H

#include "device/tensor.h"
#include "device_clock.h"

#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 5

typedef struct bench {
    device *dev;
    dev_stream *stream;
    uint64_t rows;
    uint64_t *host; /* pinned, 8 bytes a row */
    /* 8, 8, 4 and 24 bytes a row; two words */
    dev_buffer *values, *others, *index, *slots, *stats;
} bench;

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* The best round's seconds. */
static status time_of(bench *b, status (*work)(bench *b), double *out)
{
    *out = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds();
        TRY(work(b));
        TRY(stream_settle(b->stream));
        double taken = seconds() - start;
        *out = round && *out < taken ? *out : taken;
    }
    return STATUS_OK;
}

/* index: random rows; host, and values once they are copied in: random numbers, each once. */
static status fill(bench *b)
{
    for (uint64_t i = 0; i < b->rows; i++)
        ((uint32_t *)(void *)b->host)[i] = (uint32_t)(mixed(i) & (b->rows - 1));
    TRY(b->dev->ops->copy_in(b->stream, b->index->address, b->host, b->rows * 4));
    b->dev->ops->stream_drain(b->stream);
    for (uint64_t i = 0; i < b->rows; i++)
        b->host[i] = mixed(i + 1);
    return STATUS_OK;
}

static status prepare(bench *b)
{
    void *host;
    TRY(b->dev->ops->stream_open(b->dev, &b->stream));
    TRY(b->dev->ops->host_alloc(b->dev, b->rows * 8, "benchmark", &host));
    b->host = host;
    TRY(dev_alloc(b->dev, b->rows * 8, "benchmark", &b->values));
    TRY(dev_alloc(b->dev, b->rows * 8 < 256 ? 256 : b->rows * 8, "benchmark", &b->others));
    TRY(dev_alloc(b->dev, b->rows * 4, "benchmark", &b->index));
    TRY(dev_alloc(b->dev, b->rows * 24, "benchmark", &b->slots));
    return dev_words_new(b->stream, 2, &b->stats);
}

static status run(bench *b, status (*measure)(bench *b))
{
    mem_budget *budget;
    TRY(mem_budget_new(0, &budget));
    status st = dev_open_cuda(0, 0, budget, &b->dev);
    mem_budget_free(budget);
    TRY(st);
    st = prepare(b);
    if (!st)
        st = fill(b);
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

/* Measures over as many rows as the argument says, a power of two, and prints what went wrong. */
static int bench_main(int count, char **arguments, status (*measure)(bench *b))
{
    bench b = {.rows = count > 1 ? strtoull(arguments[1], NULL, 10) : (uint64_t)1 << 26};
    if (!b.rows || b.rows & (b.rows - 1) || b.rows > (uint64_t)1 << 30) {
        fprintf(stderr, "usage: %s [ROWS], a power of two\n", arguments[0]);
        return 2;
    }
    status st = run(&b, measure);
    if (st)
        fprintf(stderr, "error: %s\n", status_message(st));
    release(&b);
    int code = st != NULL;
    status_free(st);
    return code;
}

#endif
