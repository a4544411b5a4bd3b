/* decode.c - how fast a CUDA device decodes a table's pages that lie in its memory: for scripts/gpu-check. Prints one
 * JSON object.
 *
 *   decode PATH [ROUNDS]     a file or folder of Parquet; 5 rounds at first
 *
 * The stored bytes of all columns are copied to the device once, of as many row groups as a quarter of its memory
 * holds. Then they are decoded again and again: checksums, decompression, levels, values, a chunk's row groups at a
 * time on one of the device's streams, as scans do. The best round, in GB/s:
 *
 *   values   of a type's width in memory for each row; what has a dictionary stays codes, as operators get it
 *   flat     the same bytes, every value put in its place
 *   stored   the files' bytes in the time of `values`
 *
 * `columns` has `values` of each column alone. */
#include "device/transfer.h"
#include "device_clock.h"
#include "parquet/read/batch.h"
#include "parquet/read/batch_decode.h"

#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 5
#define PART_OF_MEMORY 4
#define LANES_MAX 16
#define ALL_COLUMNS SIZE_MAX

/* A stream, and where the last two chunks ended that it was given: no more are under way. */
typedef struct lane {
    dev_stream *stream;
    dev_event *ends[2];
} lane;

/* The row groups of a chunk. */
typedef struct placed_chunk {
    uint64_t rows;
    lane *lane;
    pq_placed_pages **columns;
} placed_chunk;

typedef struct bench {
    device *dev;
    pq_table *table;
    lane lanes[LANES_MAX];
    unsigned lane_count;
    dev_buffer *error;
    dev_work work; /* of the placing */
    ARRAY(placed_chunk) chunks;
    uint64_t rows, stored_bytes;
    int rounds;
    size_t column; /* that is decoded, or ALL_COLUMNS */
    bool is_flat;
} bench;

/* ---- to the device's memory ---- */

static uint64_t rows_of(const bench *b, size_t number)
{
    pq_row_group_ref at = b->table->row_groups.items[number];
    return b->table->files.items[at.file].metadata->row_groups[at.row_group].row_count;
}

static status place_column(bench *b, placed_chunk *chunk, const pq_batch_part *parts,
                           uint32_t count, uint32_t column)
{
    pq_batch *batch;
    TRY(pq_table_check_column(b->table, column));
    if (b->table->columns.items[column].key >= 0)
        return status_new(STATUS_KIND_UNSUPPORTED, "column %s is in the folders' names",
                          b->table->columns.items[column].name);
    pq_batch_use use = {.error = b->error->address, .parts = parts, .part_count = count};
    TRY(pq_batch_open(chunk->lane->stream, b->table, column, use, &batch));
    status st = pq_batch_place(batch, &chunk->columns[column]);
    pq_batch_close(batch);
    if (!st)
        b->stored_bytes += pq_placed_pages_bytes(chunk->columns[column]);
    return st;
}

/* Row groups [first, first + count). */
static status place_parts(bench *b, placed_chunk *chunk, size_t first, uint32_t count,
                          pq_batch_part *parts, pq_row_range *rows, pq_row_list *lists)
{
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = (pq_row_range){0, rows_of(b, first + i)};
        lists[i] = (pq_row_list){.items = &rows[i], .count = 1};
        parts[i] =
            (pq_batch_part){.group_ref = b->table->row_groups.items[first + i], .rows = &lists[i]};
    }
    for (uint32_t column = 0; column < b->table->columns.count; column++)
        TRY(place_column(b, chunk, parts, count, column));
    return STATUS_OK;
}

static status place_chunk(bench *b, size_t first, uint32_t count, uint64_t rows)
{
    placed_chunk chunk = {.rows = rows, .lane = &b->lanes[b->chunks.count % b->lane_count]};
    chunk.columns = mem_new_array(b->table->columns.count, sizeof(pq_placed_pages *));
    if (!chunk.columns)
        return status_no_memory("benchmark", b->table->columns.count * sizeof *chunk.columns);
    status st = array_push(NULL, &b->chunks, chunk);
    if (st) {
        mem_free(chunk.columns);
        return st;
    }
    pq_batch_part *parts = mem_new_array(count, sizeof *parts);
    pq_row_range *ranges = mem_new_array(count, sizeof *ranges);
    pq_row_list *lists = mem_new_array(count, sizeof *lists);
    st = parts && ranges && lists ? place_parts(b, &b->chunks.items[b->chunks.count - 1], first,
                                                count, parts, ranges, lists)
                                  : status_no_memory("benchmark", count * sizeof *parts);
    mem_free(parts);
    mem_free(ranges);
    mem_free(lists);
    b->rows += rows;
    return st;
}

static status place_all(bench *b)
{
    uint64_t memory;
    size_t groups = b->table->row_groups.count;
    TRY(dev_cuda_memory(0, &memory));
    for (size_t first = 0, next; first < groups && b->stored_bytes < memory / PART_OF_MEMORY;
         first = next) {
        uint64_t rows = rows_of(b, first);
        for (next = first + 1; next < groups && rows + rows_of(b, next) <= b->dev->chunk_rows;)
            rows += rows_of(b, next++);
        TRY(place_chunk(b, first, (uint32_t)(next - first), rows));
    }
    return b->rows ? STATUS_OK : status_new(STATUS_KIND_INVALID, "the table has no rows");
}

/* ---- from there ---- */

static status decode_column(const bench *b, const placed_chunk *chunk, size_t column)
{
    tensor *values, *flat = NULL;
    TRY(pq_placed_pages_decode(chunk->columns[column], &values));
    status st = STATUS_OK;
    if (b->is_flat)
        st = tensor_flatten(chunk->lane->stream, values, dev_count_exact(chunk->rows), &flat);
    tensor_unref(values);
    tensor_unref(flat);
    return st;
}

static status decode_chunk(bench *b, const placed_chunk *chunk)
{
    lane *lane = chunk->lane;
    const dev_ops *ops = b->dev->ops;
    dev_stream_now = lane->stream;
    if (lane->ends[0])
        ops->event_wait(lane->ends[0]);
    ops->event_free(lane->ends[0]);
    lane->ends[0] = lane->ends[1];
    lane->ends[1] = NULL;
    for (size_t i = 0; i < b->table->columns.count; i++)
        if (b->column == ALL_COLUMNS || b->column == i)
            TRY(decode_column(b, chunk, i));
    return ops->event_record(lane->stream, NULL, NULL, &lane->ends[1]);
}

static status check_error(const bench *b)
{
    uint64_t words[sizeof(dev_error) / sizeof(uint64_t)];
    dev_error error;
    TRY(dev_words_read(b->lanes[0].stream, b->error->address, words, sizeof words / sizeof *words));
    memcpy(&error, words, sizeof error);
    return error.code == DEV_ERROR_NONE
               ? STATUS_OK
               : status_new(STATUS_KIND_CORRUPT, "a page is damaged: error %u, %llu",
                            (unsigned)error.code, (unsigned long long)error.detail);
}

/* The best round's seconds. */
static status time_of(bench *b, size_t column, bool is_flat, double *out)
{
    *out = 0;
    b->column = column;
    b->is_flat = is_flat;
    for (int round = 0; round < b->rounds; round++) {
        double start = seconds();
        for (size_t i = 0; i < b->chunks.count; i++)
            TRY(decode_chunk(b, &b->chunks.items[i]));
        for (unsigned i = 0; i < b->lane_count; i++)
            b->dev->ops->stream_flush(b->lanes[i].stream);
        for (unsigned i = 0; i < b->lane_count; i++)
            TRY(stream_settle(b->lanes[i].stream));
        double taken = seconds() - start;
        *out = round && *out < taken ? *out : taken;
    }
    return check_error(b);
}

static double row_bytes(const bench *b, size_t column)
{
    data_type type = b->table->columns.items[column].type;
    return type.width ? type.width : 1.0 / 8;
}

static status measure(bench *b)
{
    double values, flat, bytes = 0;
    for (size_t i = 0; i < b->table->columns.count; i++)
        bytes += row_bytes(b, i) * (double)b->rows;
    TRY(time_of(b, ALL_COLUMNS, false, &values));
    TRY(time_of(b, ALL_COLUMNS, true, &flat));
    printf("{\"device\": \"%s\", \"rows\": %llu, \"stored_bytes\": %llu, \"host_pages\": %llu,\n",
           b->dev->isa, (unsigned long long)b->rows, (unsigned long long)b->stored_bytes,
           (unsigned long long)b->work.host_pages);
    printf(" \"values_gb_s\": %.3f, \"flat_gb_s\": %.3f, \"stored_gb_s\": %.3f,\n \"columns\": {",
           bytes / values / 1e9, bytes / flat / 1e9, (double)b->stored_bytes / values / 1e9);
    for (size_t i = 0; i < b->table->columns.count; i++) {
        TRY(time_of(b, i, false, &values));
        printf("%s\"%s\": %.3f", i ? ", " : "", b->table->columns.items[i].name,
               row_bytes(b, i) * (double)b->rows / values / 1e9);
    }
    printf("}}\n");
    return STATUS_OK;
}

/* ---- opening and closing ---- */

static status run(bench *b, const char *path)
{
    mem_budget *budget;
    TRY(mem_budget_new(0, &budget));
    status st = dev_open_cuda(0, 0, budget, &b->dev);
    mem_budget_free(budget);
    TRY(st);
    while (b->lane_count < b->dev->stream_count && b->lane_count < LANES_MAX) {
        TRY(b->dev->ops->stream_open(b->dev, &b->lanes[b->lane_count].stream));
        b->lane_count++;
    }
    TRY(dev_words_new(b->lanes[0].stream, sizeof(dev_error) / sizeof(uint64_t), &b->error));
    b->dev->ops->stream_drain(b->lanes[0].stream);
    TRY(pq_table_open(path, true, &b->table));
    dev_work_now = &b->work;
    st = place_all(b);
    dev_work_now = NULL;
    return st ? st : measure(b);
}

static void release_chunk(const bench *b, placed_chunk *chunk)
{
    for (size_t i = 0; i < b->table->columns.count; i++)
        pq_placed_pages_free(chunk->columns[i]);
    mem_free(chunk->columns);
}

static void release(bench *b)
{
    dev_stream_now = NULL;
    for (unsigned i = 0; i < b->lane_count; i++) {
        b->dev->ops->stream_drain(b->lanes[i].stream);
        b->dev->ops->event_free(b->lanes[i].ends[0]);
        b->dev->ops->event_free(b->lanes[i].ends[1]);
    }
    for (size_t i = 0; i < b->chunks.count; i++)
        release_chunk(b, &b->chunks.items[i]);
    array_release(&b->chunks);
    dev_buffer_unref(b->error);
    for (unsigned i = 0; i < b->lane_count; i++)
        b->dev->ops->stream_close(b->lanes[i].stream);
    pq_table_close(b->table);
    dev_close(b->dev);
}

int main(int count, char **arguments)
{
    bench b = {.rounds = count > 2 ? (int)strtol(arguments[2], NULL, 10) : ROUNDS};
    if (count < 2 || b.rounds < 1) {
        fprintf(stderr, "usage: %s PATH [ROUNDS]\n", arguments[0]);
        return 2;
    }
    status st = run(&b, arguments[1]);
    if (st)
        fprintf(stderr, "error: %s\n", status_message(st));
    release(&b);
    int code = st != NULL;
    status_free(st);
    return code;
}
