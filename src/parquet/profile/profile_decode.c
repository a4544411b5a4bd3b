/* profile_decode.c - how fast this machine decodes each encoding: some pages of each class of
 * values, by the writer's encoders and the reader's kernels. */
#include "parquet/profile/profile_measure.h"

#include "parquet/read/page.h"
#include "parquet/write/writer_chunk.h"
#include "parquet/write/writer_column.h"
#include "parquet/write/writer_stage.h"

#include <time.h>

#define ROWS 32768
#define PAGE_ROWS 16384
#define DISTINCT 4096
#define TEXT_BYTES 48
#define RUNS 8

/* The values of one class, and what decodes them. */
typedef struct decode_trial {
    device *dev;
    dev_stream *stream;
    writer_column column;
    pq_leaf leaf;
    pq_column_values values;
    pq_chunk_scratch scratch;
} decode_trial;

static double profile_decode_seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* ---- values ---- */

static const struct {
    type_id type;
    uint8_t precision;
    pq_conversion conversion;
} classes[PQ_CLASS_COUNT] = {[PQ_CLASS_BOOLEAN] = {TYPE_BOOL, 0, PQ_CONVERT_NONE},
                             [PQ_CLASS_INT32] = {TYPE_INT32, 0, PQ_CONVERT_NONE},
                             [PQ_CLASS_INT64] = {TYPE_INT64, 0, PQ_CONVERT_NONE},
                             [PQ_CLASS_FIXED] = {TYPE_DECIMAL, 38, PQ_CONVERT_BIG},
                             [PQ_CLASS_TEXT] = {TYPE_VARCHAR, 0, PQ_CONVERT_NONE}};

/* DISTINCT texts of 8 to TEXT_BYTES letters, and rows of them. */
static void profile_decode_fill_texts(char *texts, string_view *rows)
{
    uint64_t state = 7;
    for (size_t i = 0; i < (size_t)DISTINCT * TEXT_BYTES; i++)
        texts[i] = (char)('a' + next_random(&state) % 26);
    for (size_t i = 0; i < ROWS; i++) {
        uint64_t number = next_random(&state) % DISTINCT;
        rows[i] = string_view_make(texts + number * TEXT_BYTES,
                                   (uint32_t)(8 + number % (TEXT_BYTES - 8)));
    }
}

static void fill_numbers(uint8_t width, char *rows)
{
    uint64_t state = 7;
    for (size_t i = 0; i < (size_t)ROWS; i++) {
        int128 number = (int128)(next_random(&state) % DISTINCT);
        if (width)
            memcpy(rows + i * width, &number, width);
        else if (number & 1)
            rows[i / 8] |= (char)(1 << i % 8);
    }
}

/* ---- decoding ---- */

/* A chunk's data pages from `at` on, of which one is taken each time; the dictionary's page in
 * front is decoded at once. */
static status next_page(pq_page_context *context, dev_buffer *chunk, uint64_t *at, pq_page *out)
{
    while (*at < chunk->bytes) {
        const uint8_t *bytes = (const uint8_t *)chunk->address + *at;
        size_t header_bytes;
        *out = (pq_page){.owner = chunk};
        TRY(pq_page_header_parse(bytes, chunk->bytes - *at, &out->header, &header_bytes));
        out->host = bytes + header_bytes;
        *at += header_bytes + out->header.compressed_bytes;
        if (out->header.type != PQ_PAGE_DICTIONARY)
            return STATUS_OK;
        TRY(pq_page_decode_dictionary(context, out));
    }
    return status_new(STATUS_KIND_INTERNAL, "a chunk without data pages");
}

/* Seconds of one pass over the data pages. What has a dictionary stays codes, as scans give it to
 * operators: they look at each distinct value once, and gather few. */
static status time_pass(pq_page_context *context, dev_buffer *chunk, double *out)
{
    *out = 0;
    for (uint64_t at = 0; at < chunk->bytes;) {
        pq_page page;
        tensor *values;
        TRY(next_page(context, chunk, &at, &page));
        double start = profile_decode_seconds();
        TRY(pq_page_decode(context, &page, &values));
        tensor_unref(values);
        *out += profile_decode_seconds() - start;
    }
    return STATUS_OK;
}

static status time_chunk(decode_trial *t, const pq_written_chunk *chunk, double *out_speed)
{
    dev_error error = {.code = DEV_ERROR_NONE};
    dev_buffer *buffer;
    double best = 0, took;
    TRY(dev_alloc(t->dev, chunk->bytes.count, "profile", &buffer));
    memcpy(buffer->address, chunk->bytes.items, chunk->bytes.count);
    status st = STATUS_OK;
    for (int run = 0; run < RUNS && !st; run++) {
        pq_page_context context = {.stream = t->stream, .leaf = &t->leaf, .error = &error};
        st = time_pass(&context, buffer, &took);
        tensor_unref(context.dictionary);
        if (!run || took < best)
            best = took;
    }
    dev_buffer_unref(buffer);
    if (!st && error.code != DEV_ERROR_NONE)
        st = status_new(STATUS_KIND_INTERNAL, "encoding %d does not read what it wrote",
                        (int)chunk->data_encoding);
    if (!st && best > 0)
        *out_speed = ROWS / best;
    return st;
}

static status measure_encoding(decode_trial *t, pq_encoding encoding, double *out_speed)
{
    pq_writer_options options = {
        .page_bytes = (uint64_t)1 << 20, .page_rows = PAGE_ROWS, .page_v2 = true};
    pq_written_chunk chunk;
    t->column.options.has_encoding = true;
    t->column.options.encoding = encoding;
    TRY(pq_chunk_encode(&t->column, &options, &t->values, ROWS, &t->scratch, &chunk));
    status st = chunk.data_encoding == encoding ? time_chunk(t, &chunk, out_speed) : STATUS_OK;
    pq_chunk_release(&chunk);
    return st;
}

static status measure_class(decode_trial *t, pq_value_class value_class, char *rows, char *texts,
                            pq_profile *profile)
{
    data_type type = classes[value_class].type == TYPE_DECIMAL
                         ? type_decimal(classes[value_class].precision, 0)
                         : type_make(classes[value_class].type);
    memset(rows, 0, (size_t)ROWS * 16);
    if (type_is_text(type))
        profile_decode_fill_texts(texts, (string_view *)(void *)rows);
    else
        fill_numbers(type.width, rows);
    t->column = (writer_column){.name = "profile", .type = type};
    TRY(pq_column_layout(&t->column));
    t->values = (pq_column_values){.values = rows};
    t->leaf = (pq_leaf){.name = t->column.name,
                        .type = type,
                        .physical = t->column.physical,
                        .conversion = classes[value_class].conversion,
                        .type_length = t->column.type_length};
    for (unsigned e = 0; e < PQ_ENCODING_COUNT; e++)
        if (pq_encoding_fits(e, t->column.physical))
            TRY(measure_encoding(t, e, &profile->decode[e][value_class]));
    return STATUS_OK;
}

static status measure_all(decode_trial *t, pq_profile *profile)
{
    char *rows = mem_new((size_t)ROWS * 16), *texts = mem_new((size_t)DISTINCT * TEXT_BYTES);
    status st = rows && texts ? STATUS_OK : status_no_memory("profile", (size_t)ROWS * 16);
    for (unsigned c = 0; c < PQ_CLASS_COUNT && !st; c++)
        st = measure_class(t, c, rows, texts, profile);
    mem_free(rows);
    mem_free(texts);
    return st;
}

status pq_profile_measure_decoding(pq_profile *profile)
{
    mem_budget *budget;
    decode_trial t = {0};
    TRY(mem_budget_new(0, &budget));
    status st = dev_open_cpu("auto", 0, budget, &t.dev);
    if (!st)
        st = t.dev->ops->stream_open(t.dev, &t.stream);
    if (!st)
        st = measure_all(&t, profile);
    pq_chunk_scratch_release(&t.scratch);
    if (t.stream)
        t.dev->ops->stream_close(t.stream);
    dev_close(t.dev);
    mem_budget_free(budget);
    return st;
}
