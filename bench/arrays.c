/* arrays.c - rows that stay in a CUDA device's memory, as a client of the device takes them: for scripts/gpu-check. Prints
 * one JSON object.
 *
 *   arrays PATH STATEMENT [ROUNDS]     a SELECT over the tables of a file or folder of Parquet; 3 rounds at first
 *
 * It runs with result_memory = device, and the buffers that come are copied by CUDA's driver to be added up: each column has
 * the rows, NULLs and the sum (of floating-point numbers to 1e-9 of its size) that it has on the device cpu, or the
 * program fails. Then the best of ROUNDS, if there are any, in which arrays are taken and released unread, in GB/s of their
 * buffers' bytes:
 *
 *   kept     in the device's memory
 *   fetched  with result_memory = host: through the host link */
#include "pistachio/pistachio.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 3
#define COLUMNS_MAX 64

/* Of a column: sums are of its values, or of its texts' bytes and lengths, modulo 2^64; or of floating-point numbers. */
typedef struct column_sum {
    uint64_t rows, nulls, sum;
    double real;
} column_sum;

typedef struct run {
    pistachio_database *database;
    pistachio_connection *connection;
    const char *statement;
    struct ArrowDeviceArrayStream stream;
    struct ArrowSchema schema;
    column_sum sums[COLUMNS_MAX];
    uint64_t bytes; /* of arrays' buffers */
} run;

static int (*copy_from_device)(void *, uint64_t, size_t); /* the driver's cuMemcpyDtoH_v2 */

static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "error: %s: %s\n", what, why);
    exit(1);
}

static void must(pistachio_error *error, const char *what)
{
    if (error)
        give_up(what, pistachio_error_message(error));
}

static double seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes + 16);
    if (!memory)
        give_up("memory", "there is none");
    return memory;
}

/* ---- buffers ---- */

/* Of a value of that format; 0: a text. */
static size_t width_of(const char *format)
{
    static const struct {
        const char *format;
        size_t width;
    } widths[] = {{"c", 1}, {"C", 1}, {"s", 2},   {"S", 2},   {"i", 4},   {"I", 4},
                  {"l", 8}, {"L", 8}, {"f", 4},   {"g", 8},   {"tdD", 4}, {"ttu", 8},
                  {"U", 0}, {"Z", 0}, {"vu", 16}, {"vz", 16}, {"tin", 16}};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (!strcmp(format, widths[i].format))
            return widths[i].width;
    if (!strncmp(format, "d:", 2) || !strncmp(format, "w:16", 4))
        return 16;
    if (!strncmp(format, "ts", 2))
        return 8;
    give_up("a column's type is not known here", format);
    return 0;
}

/* The host's own, or a copy of the device's, which the caller frees. */
static const char *buffer_of(const struct ArrowDeviceArray *rows, const void *buffer, size_t bytes,
                             void **out_copy)
{
    *out_copy = NULL;
    if (!buffer || rows->device_type == ARROW_DEVICE_CPU)
        return buffer;
    *out_copy = allocate(bytes);
    if (copy_from_device(*out_copy, (uintptr_t)buffer, bytes))
        give_up("cuMemcpyDtoH", "failed");
    return *out_copy;
}

static uint64_t sum_bytes(const char *text, uint64_t bytes)
{
    uint64_t sum = bytes * 31;
    for (uint64_t i = 0; i < bytes; i++)
        sum += (uint8_t)text[i];
    return sum;
}

/* A view of the host's: length, then up to 12 bytes, or a prefix, a buffer and a place in it. */
static uint64_t sum_view(const struct ArrowArray *array, const char *view)
{
    int32_t words[4];
    memcpy(words, view, sizeof words);
    return words[0] <= 12 ? sum_bytes(view + 4, (uint64_t)words[0])
                          : sum_bytes((const char *)array->buffers[2 + words[2]] + words[3],
                                      (uint64_t)words[0]);
}

static uint64_t sum_value(const char *value, size_t width)
{
    uint64_t words[2] = {0, 0};
    memcpy(words, value, width);
    return words[0] + words[1];
}

static double real_value(const char *value, size_t width)
{
    float narrow;
    double wide;
    memcpy(&narrow, value, sizeof narrow);
    memcpy(&wide, value, width == sizeof wide ? sizeof wide : sizeof narrow);
    return width == sizeof wide ? wide : (double)narrow;
}

static void add_column(const struct ArrowDeviceArray *rows, const struct ArrowArray *array,
                       const char *format, column_sum *sum)
{
    size_t count = (size_t)array->length, width = width_of(format);
    bool is_view = *format == 'v', is_real = !strcmp(format, "f") || !strcmp(format, "g");
    void *copies[3];
    const char *valid = buffer_of(rows, array->buffers[0], (count + 7) / 8, &copies[0]);
    const char *values =
        buffer_of(rows, array->buffers[1], width ? count * width : (count + 1) * 8, &copies[1]);
    const int64_t *offsets = width ? NULL : (const void *)values;
    const char *text = width ? NULL
                             : buffer_of(rows, array->buffers[2], (size_t)offsets[count], &copies[2]);
    for (size_t i = 0; i < count; i++) {
        if (valid && !((uint8_t)valid[i / 8] >> (i % 8) & 1))
            sum->nulls++;
        else if (offsets)
            sum->sum += sum_bytes(text + offsets[i], (uint64_t)(offsets[i + 1] - offsets[i]));
        else if (is_real)
            sum->real += real_value(values + i * width, width);
        else
            sum->sum += is_view ? sum_view(array, values + i * width)
                                : sum_value(values + i * width, width);
    }
    sum->rows += count;
    free(copies[0]);
    free(copies[1]);
    if (offsets)
        free(copies[2]);
}

/* ---- runs ---- */

static void open_run(run *r, const char *path, const char *statement, const char *device)
{
    const pistachio_option options[] = {{"device", device}};
    *r = (run){.statement = statement};
    must(pistachio_open(options, 1, &r->database), device);
    must(pistachio_connect(r->database, &r->connection), device);
    must(pistachio_add_path(r->connection, path), path);
}

static void close_run(run *r)
{
    pistachio_disconnect(r->connection);
    pistachio_close(r->database);
}

static void start(run *r, const char *memory)
{
    char sql[64];
    pistachio_result *result;
    snprintf(sql, sizeof sql, "SET result_memory = '%s'", memory);
    must(pistachio_query(r->connection, sql, NULL, &result), sql);
    pistachio_result_free(result);
    must(pistachio_query(r->connection, r->statement, NULL, &result), "the statement");
    must(pistachio_arrow_device_stream(result, &r->stream), "the rows");
    if (r->stream.get_schema(&r->stream, &r->schema))
        give_up("the columns", r->stream.get_last_error(&r->stream));
    if (r->schema.n_children > COLUMNS_MAX)
        give_up("the columns", "there are too many");
}

static void end(run *r)
{
    r->schema.release(&r->schema);
    r->stream.release(&r->stream);
}

/* False: there are no more. */
static bool next(run *r, struct ArrowDeviceArray *rows)
{
    if (r->stream.get_next(&r->stream, rows))
        give_up("the rows", r->stream.get_last_error(&r->stream));
    return rows->array.release;
}

static void add_up(run *r, const char *memory, ArrowDeviceType expected)
{
    struct ArrowDeviceArray rows;
    start(r, memory);
    while (next(r, &rows)) {
        if (rows.device_type != expected || rows.sync_event)
            give_up("the rows", "an array is not in the memory that was asked for");
        for (int64_t i = 0; i < rows.array.n_children; i++)
            add_column(&rows, rows.array.children[i], r->schema.children[i]->format, &r->sums[i]);
        rows.array.release(&rows.array);
    }
    end(r);
}

static bool is_same(const column_sum *left, const column_sum *right)
{
    double apart = left->real - right->real, size = right->real;
    return left->rows == right->rows && left->nulls == right->nulls && left->sum == right->sum &&
           apart * apart <= 1e-18 * size * size;
}

static void print_sum(const char *device, const column_sum *sum)
{
    fprintf(stderr, "; %s: %llu rows, %llu NULLs, sum %llu or %.17g", device,
            (unsigned long long)sum->rows, (unsigned long long)sum->nulls,
            (unsigned long long)sum->sum, sum->real);
}

static void compare(const run *device, const run *cpu)
{
    for (int i = 0; i < COLUMNS_MAX; i++)
        if (!is_same(&device->sums[i], &cpu->sums[i])) {
            fprintf(stderr, "error: column %d is not the same", i);
            print_sum("cuda", &device->sums[i]);
            print_sum("cpu", &cpu->sums[i]);
            fprintf(stderr, "\n");
            exit(1);
        }
}

/* Of all rows, taken and released. */
static double time_of(run *r, const char *memory)
{
    struct ArrowDeviceArray rows;
    double start_seconds = seconds();
    start(r, memory);
    while (next(r, &rows)) {
        uint64_t held = pistachio_memory_exported(r->connection);
        r->bytes += held;
        rows.array.release(&rows.array);
    }
    end(r);
    double taken = seconds() - start_seconds;
    if (pistachio_memory_exported(r->connection))
        give_up("the rows", "some were released and are still counted");
    return taken;
}

/* In GB/s, the best of the rounds. */
static double rate_of(run *r, const char *memory, int rounds)
{
    double best = 0;
    for (int round = 0; round < rounds; round++) {
        r->bytes = 0;
        double taken = time_of(r, memory), rate = (double)r->bytes / taken / 1e9;
        best = rate > best ? rate : best;
    }
    return best;
}

static void find_driver(void)
{
    const char *library = getenv("PISTACHIO_CUDA_LIBRARY");
    void *driver = dlopen(library ? library : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (driver)
        *(void **)&copy_from_device = dlsym(driver, "cuMemcpyDtoH_v2");
    if (!copy_from_device)
        give_up("CUDA's driver", driver ? "it has no cuMemcpyDtoH_v2" : dlerror());
}

static void print(run *device, int rounds)
{
    printf("{\"rows\": %llu", (unsigned long long)device->sums[0].rows);
    if (rounds > 0)
        printf(", \"arrays_kept_gb_s\": %.3f, \"arrays_fetched_gb_s\": %.3f",
               rate_of(device, "device", rounds), rate_of(device, "host", rounds));
    printf("}\n");
}

int main(int count, char **arguments)
{
    int rounds = count > 3 ? (int)strtol(arguments[3], NULL, 10) : ROUNDS;
    static run device, cpu;
    if (count < 3) {
        fprintf(stderr, "usage: %s PATH STATEMENT [ROUNDS]\n", arguments[0]);
        return 2;
    }
    find_driver();
    open_run(&device, arguments[1], arguments[2], "cuda");
    open_run(&cpu, arguments[1], arguments[2], "cpu");
    add_up(&device, "device", ARROW_DEVICE_CUDA);
    add_up(&cpu, "host", ARROW_DEVICE_CPU);
    compare(&device, &cpu);
    print(&device, rounds);
    close_run(&cpu);
    close_run(&device);
    return 0;
}
