/* kernel_over_row.c - numbers of rows in their partition, and rows at a distance or in a frame. */
#include "device/cpu/kernel.h"
#include "device/kernels/kernel_ops.h"

#define NUMBERS(ctype, expression)                                                                 \
    do {                                                                                           \
        ctype *out = a->out;                                                                       \
        KERNEL_FOR (i, 0, count)                                                                   \
            out[i] = (ctype)(expression);                                                          \
    } while (0)

static void number_dense(const over_number_arguments *a, size_t count)
{
    int64_t *out = a->out, rank = 0;
    KERNEL_FOR (i, 0, count) {
        if (a->from[i] == i)
            rank = 0;
        rank += a->peer_from[i] == i;
        out[i] = rank;
    }
}

void ISA_(over_number)(const over_number_arguments *a)
{
    size_t count = kernel_count(a->count);
    switch ((over_number_op)a->op) {
    case OVER_ROW_NUMBER:
        NUMBERS(int64_t, i - a->from[i] + 1);
        break;
    case OVER_RANK:
        NUMBERS(int64_t, a->peer_from[i] - a->from[i] + 1);
        break;
    case OVER_DENSE_RANK:
        number_dense(a, count);
        break;
    case OVER_PERCENT_RANK:
        NUMBERS(double, a->to[i] - a->from[i] > 1 ? (double)(a->peer_from[i] - a->from[i]) /
                                                        (double)(a->to[i] - a->from[i] - 1)
                                                  : 0);
        break;
    case OVER_CUME_DIST:
        NUMBERS(double, (double)(a->peer_to[i] - a->from[i]) / (double)(a->to[i] - a->from[i]));
        break;
    }
}

/* The first `rows % buckets` buckets have a row more than the others. */
static int32_t over_row_bucket_of(uint64_t row, uint64_t rows, uint64_t buckets)
{
    uint64_t size = rows / buckets, larger = rows % buckets;
    uint64_t in_larger = larger * (size + 1);
    return (int32_t)(row < in_larger ? row / (size + 1) : larger + (row - in_larger) / size) + 1;
}

void ISA_(over_tile)(const over_tile_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t w = 0; w * 64 < count && !cancel_look(w * 64); w++) {
        uint64_t valid = 0;
        for (size_t i = w * 64; i < count && i < w * 64 + 64; i++) {
            size_t first = a->from[i];
            bool is_valid = kernel_is_valid(a->validity, first);
            int64_t buckets = is_valid ? a->buckets[first] : 1;
            if (buckets <= 0) {
                kernel_fail(a->error, DEV_ERROR_ARGUMENT, a->location, i);
                buckets = 1;
            }
            a->out[i] =
                is_valid ? over_row_bucket_of(i - first, a->to[i] - first, (uint64_t)buckets) : 0;
            valid |= (uint64_t)is_valid << (i % 64);
        }
        a->out_validity[w] = valid;
    }
}

void ISA_(over_shift)(const over_shift_arguments *a)
{
    size_t count = kernel_count(a->count);
    const int64_t most = (int64_t)1 << 40; /* more than there are rows */
    KERNEL_FOR (i, 0, count) {
        int64_t distance = a->distances ? a->distances[i] : 1;
        distance = distance > most ? most : distance < -most ? -most : distance;
        int64_t row = (int64_t)i + (a->is_back ? -distance : distance);
        if (!kernel_is_valid(a->validity, i))
            a->out[i] = ROW_NULL;
        else if (row >= (int64_t)a->from[i] && row < (int64_t)a->to[i])
            a->out[i] = (uint32_t)row;
        else
            a->out[i] = a->has_default ? (uint32_t)(a->count.bound + i) : ROW_NULL;
    }
}

/* Row `number` of the frame, from 0. */
static uint32_t nth_row(const over_nth_arguments *a, size_t i, uint64_t number)
{
    const uint32_t *from[] = {a->from_0, a->from_1, a->from_2};
    const uint32_t *to[] = {a->to_0, a->to_1, a->to_2};
    for (size_t part = 0; part < 3; part++) {
        uint64_t rows = from[part] && to[part][i] > from[part][i] ? to[part][i] - from[part][i] : 0;
        if (number < rows)
            return from[part][i] + (uint32_t)number;
        number -= rows;
    }
    return ROW_NULL;
}

static uint32_t last_row(const over_nth_arguments *a, size_t i)
{
    const uint32_t *from[] = {a->from_0, a->from_1, a->from_2};
    const uint32_t *to[] = {a->to_0, a->to_1, a->to_2};
    for (size_t part = 3; part--;)
        if (from[part] && to[part][i] > from[part][i])
            return to[part][i] - 1;
    return ROW_NULL;
}

void ISA_(over_nth)(const over_nth_arguments *a)
{
    size_t count = kernel_count(a->count);
    KERNEL_FOR (i, 0, count) {
        bool is_valid = kernel_is_valid(a->validity, i);
        int64_t number = a->numbers && is_valid ? a->numbers[i] : 1;
        if (number <= 0) {
            kernel_fail(a->error, DEV_ERROR_ARGUMENT, a->location, i);
            number = 1;
        }
        a->out[i] = !is_valid    ? ROW_NULL
                    : a->is_last ? last_row(a, i)
                                 : nth_row(a, i, (uint64_t)number - 1);
    }
}
