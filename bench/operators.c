/* operators.c - what kernels of operators make of a CUDA device: scripts/gpu-check holds it against what
 * ceilings.c measured. Prints one JSON object: rows, then GB/s that the kernel has to read and write at
 * the least, or rows a microsecond where it goes about memory at random.
 *
 *   operators [ROWS]   a power of two, at most 2^30; 2^26 at first
 *
 * The best of some rounds, each behind the one before it in the stream. */
#include "device/kernels/kernel_ops.h"
#include "device_bench.h"

static data_type bigint(void)
{
    return (data_type){.id = TYPE_INT64, .width = 8};
}

static status add(bench *b)
{
    return DEV_LAUNCH(b->stream, arithmetic, .op = DEV_ADD, .type = bigint(),
                      .left = b->values->address, .left_width = 8, .left_stride = 1,
                      .right = b->slots->address, .right_width = 8, .right_stride = 1,
                      .count = dev_count_exact(b->rows), .out = b->others->address);
}

/* Half of the rows, more or less: the mask is at the head of `slots`. */
static status compare(bench *b)
{
    return DEV_LAUNCH(b->stream, compare, .type = bigint(), .op = DEV_COMPARE_LT,
                      .left = b->values->address, .left_stride = 1, .right = b->others->address,
                      .right_stride = 0, .count = dev_count_exact(b->rows),
                      .out = b->slots->address);
}

static status select_rows(bench *b)
{
    return DEV_LAUNCH(b->stream, mask_to_index, .mask = b->slots->address,
                      .count = dev_count_exact(b->rows), .rows = b->others->address,
                      .out_count = b->stats->address);
}

static status number_runs(bench *b)
{
    return DEV_LAUNCH(b->stream, runs_number, .bits = b->slots->address,
                      .count = dev_count_exact(b->rows), .out = b->others->address);
}

static status count_up(bench *b)
{
    return DEV_LAUNCH(b->stream, count_up, .count = dev_count_exact(b->rows),
                      .out = b->index->address);
}

static status gather(bench *b)
{
    return DEV_LAUNCH(b->stream, gather, .width = 8, .base = b->values->address,
                      .base_rows = b->rows, .index = b->index->address,
                      .count = dev_count_exact(b->rows), .out = b->others->address);
}

static status hash(bench *b)
{
    return DEV_LAUNCH(b->stream, hash_values, .type = bigint(), .values = b->values->address,
                      .count = dev_count_exact(b->rows), .out = b->others->address);
}

static status pack(bench *b)
{
    return DEV_LAUNCH(b->stream, sort_pack, .type = bigint(), .values = b->values->address,
                      .count = dev_count_exact(b->rows), .key = 0, .key_count = 1,
                      .rows = b->slots->address);
}

static status sort(bench *b)
{
    return DEV_LAUNCH(b->stream, sort_rows, .rows = b->slots->address, .key_count = 1,
                      .count = dev_count_exact(b->rows), .scratch = b->index->address,
                      .out = b->others->address);
}

/* Groups 1 and 2, by the bits of random numbers. */
static status make_groups(bench *b)
{
    return DEV_LAUNCH(b->stream, codes_number, .type = type_make(TYPE_BOOL),
                      .values = b->values->address, .count = dev_count_exact(b->rows), .minimum = 0,
                      .radix = 3, .digit = 1, .violations = b->stats->address,
                      .out = b->index->address);
}

/* Sums of all rows, or by group. */
static status sum(bench *b, const void *groups)
{
    return DEV_LAUNCH(b->stream, aggregate_sum, .type = bigint(), .values = b->values->address,
                      .groups = groups, .group_count = groups ? 3 : 1,
                      .count = dev_count_exact(b->rows), .state_width = 8,
                      .states = b->others->address);
}

static status sum_double(bench *b, const void *groups)
{
    return DEV_LAUNCH(b->stream, aggregate_sum_number, .type = type_make(TYPE_DOUBLE),
                      .values = b->values->address, .groups = groups,
                      .count = dev_count_exact(b->rows), .states = b->others->address);
}

static status vary(bench *b, const void *groups)
{
    return DEV_LAUNCH(b->stream, aggregate_vary, .values = b->values->address, .groups = groups,
                      .count = dev_count_exact(b->rows), .states = b->others->address);
}

#define SUMS(name)                                                                                 \
    static status name##_all(bench *b)                                                             \
    {                                                                                              \
        return name(b, NULL);                                                                      \
    }                                                                                              \
    static status name##_groups(bench *b)                                                          \
    {                                                                                              \
        return name(b, b->index->address);                                                         \
    }
SUMS(sum)
SUMS(sum_double)
SUMS(vary)

static status build(bench *b)
{
    TRY(b->dev->ops->zero(b->stream, b->slots->address, b->rows * 16));
    return DEV_LAUNCH(b->stream, code_insert, .codes = b->values->address,
                      .count = dev_count_exact(b->rows), .slots = b->slots->address,
                      .slot_count = b->rows * 2, .stats = b->stats->address,
                      .out = b->others->address);
}

static status probe(bench *b)
{
    return DEV_LAUNCH(b->stream, code_find, .codes = b->values->address,
                      .count = dev_count_exact(b->rows), .slots = b->slots->address,
                      .slot_count = b->rows * 2, .out = b->others->address);
}

/* In this order: some use what those before them left. */
static const struct {
    const char *name;
    status (*work)(bench *b);
    double bytes; /* a row */
} works[] = {
    {"add_gb_s", add, 24},
    {"compare_gb_s", compare, 8.125},
    {"select_gb_s", select_rows, 2.125},
    {"scan_gb_s", number_runs, 4.125},
    {"count_up_gb_s", count_up, 4},
    {"gather_in_order_gb_s", gather, 20},
    {"hash_gb_s", hash, 16},
    {"sort_pack_gb_s", pack, 32},
    {"sort_rows_per_us", sort, 0},
    {"groups_gb_s", make_groups, 4.125},
    {"sum_gb_s", sum_all, 8},
    {"sum_groups_gb_s", sum_groups, 12},
    {"sum_double_gb_s", sum_double_all, 8},
    {"sum_double_groups_gb_s", sum_double_groups, 12},
    {"vary_gb_s", vary_all, 8},
    {"vary_groups_gb_s", vary_groups, 12},
    {"build_rows_per_us", build, 0},
    {"probe_rows_per_us", probe, 0},
};

static status measure(bench *b)
{
    TRY(b->dev->ops->copy_in(b->stream, b->values->address, b->host, b->rows * 8));
    printf("{\"device\": \"%s\", \"rows\": %llu", b->dev->isa, (unsigned long long)b->rows);
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        double taken, bytes = works[i].bytes;
        TRY(time_of(b, works[i].work, &taken));
        printf(",\n \"%s\": %.2f", works[i].name,
               bytes ? bytes * (double)b->rows / taken / 1e9 : (double)b->rows / taken / 1e6);
    }
    printf("}\n");
    return STATUS_OK;
}

int main(int count, char **arguments)
{
    return bench_main(count, arguments, measure);
}
