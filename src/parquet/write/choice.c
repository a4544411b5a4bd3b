/* choice.c - tries encodings and codecs on a column chunk and keeps the best.
 *
 * Each encoding is written uncompressed, and its pages are compressed with each codec; the winner
 * is then written as it goes to the file. A large chunk is tried by a sample of its rows, runs of
 * them from all over the chunk, but for dictionaries: how many distinct values there are only all
 * rows tell. Of those only some pages are compressed. */
#include "parquet/write/choice.h"

#include "base/type/bitmap_copy.h"
#include "parquet/write/compress.h"
#include "parquet/write/writer_chunk.h"
#include "parquet/write/writer_column.h"

#define SAMPLE_RUNS 8
#define SAMPLE_ROWS ((uint64_t)16384)
#define SAMPLED_MIN (4 * SAMPLE_ROWS) /* chunks of fewer rows are tried in full */
#define SLICE_BYTES ((uint64_t)128 << 10)
#define SAMPLE_PAGES 2

const char *pq_encoding_name(pq_encoding encoding)
{
    static const char *const names[PQ_ENCODING_COUNT] = {
        "PLAIN",          "GROUP_VAR_INT",       "PLAIN_DICTIONARY",        "RLE",
        "BIT_PACKED",     "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY",
        "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"};
    return encoding < PQ_ENCODING_COUNT ? names[encoding] : "?";
}

typedef struct chooser {
    const writer_column *column;
    const pq_choice *choice;
    const pq_writer_options *options;
    const pq_column_values *values;
    uint64_t row_count;
    pq_chunk_scratch *scratch;
    bool is_sampled;
    pq_column_values sample; /* SAMPLE_ROWS of them */
    ARRAY(pq_trial) trials;
} chooser;

/* ---- the rules ---- */

/* Whether trial `a` is to be taken rather than `b`. Equal ones: the smaller, then the first. */
static bool is_better(const pq_choice *choice, const pq_trial *a, const pq_trial *b)
{
    if (choice->rule == PQ_CHOOSE_FASTEST && a->seconds != b->seconds)
        return a->seconds < b->seconds;
    if (choice->rule == PQ_CHOOSE_THRESHOLD && a->encoded_bytes != b->encoded_bytes &&
        a->encoding != b->encoding)
        return a->encoded_bytes < b->encoded_bytes;
    return a->stored_bytes < b->stored_bytes;
}

/* Whether the codec may be taken at all. */
static bool choice_is_allowed(const pq_choice *choice, const pq_trial *trial)
{
    return choice->rule != PQ_CHOOSE_THRESHOLD || trial->codec.codec == PQ_CODEC_NONE ||
           (double)trial->stored_bytes <= (double)trial->encoded_bytes * (1 - choice->threshold);
}

static double choice_predict(const chooser *c, const pq_trial *trial)
{
    if (c->choice->rule != PQ_CHOOSE_FASTEST)
        return 0;
    return pq_predict(&c->choice->profile,
                      &(pq_chunk_form){.encoding = trial->encoding,
                                       .codec = trial->codec.codec,
                                       .value_class = pq_class_of(c->column->physical),
                                       .encoded_bytes = trial->encoded_bytes,
                                       .stored_bytes = trial->stored_bytes,
                                       .value_count = c->row_count,
                                       .dictionary_values = trial->dictionary_values});
}

/* ---- the sample ---- */

static status choice_take_sample(chooser *c)
{
    uint32_t width = c->column->type.width;
    uint64_t run = SAMPLE_ROWS / SAMPLE_RUNS, gap = (c->row_count - run) / (SAMPLE_RUNS - 1);
    const pq_column_values *all = c->values;
    char *values = mem_new(width ? SAMPLE_ROWS * width : SAMPLE_ROWS / 8);
    uint64_t *validity = all->validity ? mem_new(SAMPLE_ROWS / 8) : NULL;
    c->sample = (pq_column_values){values, validity};
    if (!values || (all->validity && !validity))
        return status_no_memory("sample", SAMPLE_ROWS * width);
    for (uint64_t i = 0; all->values && i < SAMPLE_RUNS; i++) {
        if (width)
            memcpy(values + i * run * width, (const char *)all->values + i * gap * width,
                   run * width);
        else
            bitmap_copy((uint64_t *)(void *)values, i * run, all->values, i * gap, run);
    }
    for (uint64_t i = 0; validity && i < SAMPLE_RUNS; i++)
        bitmap_copy(validity, i * run, all->validity, i * gap, run);
    return STATUS_OK;
}

static void drop_sample(chooser *c)
{
    if (!c->is_sampled)
        return;
    mem_free((void *)c->sample.values);
    mem_free((void *)c->sample.validity);
}

/* ---- trials ---- */

/* Among the encodings that can hold the type, those that other readers know for it: DuckDB has no
 * BYTE_STREAM_SPLIT of FIXED_LEN_BYTE_ARRAY, which Parquet got late. */
static bool is_readable(pq_encoding encoding, pq_physical physical)
{
    return pq_encoding_fits(encoding, physical) &&
           !(encoding == PQ_BYTE_STREAM_SPLIT && physical == PQ_FIXED_LEN_BYTE_ARRAY);
}

static bool is_dictionary(pq_encoding encoding)
{
    return encoding == PQ_RLE_DICTIONARY || encoding == PQ_PLAIN_DICTIONARY;
}

/* Compresses the bytes; of many, those in their middle tell. */
static status choice_pack(chooser *c, pq_codec_level codec, const uint8_t *data, uint64_t bytes,
                          double *out)
{
    pq_buffer *packed = &c->scratch->packed;
    uint64_t tried = c->is_sampled && bytes > SLICE_BYTES ? SLICE_BYTES : bytes;
    *out = 0;
    if (!bytes)
        return STATUS_OK;
    pq_buffer_clear(packed);
    TRY(pq_compress(codec.codec, codec.level, data + (bytes - tried) / 2, tried, packed));
    *out = (double)packed->count * (double)bytes / (double)tried;
    return STATUS_OK;
}

/* The chunk's bytes behind a codec: the dictionary page, where there is one, and data pages, or
 * some of them; headers included, which are too short to matter. */
static status pack_chunk(chooser *c, const pq_written_chunk *plain, pq_codec_level codec,
                         double *out)
{
    const uint8_t *bytes = plain->bytes.items;
    size_t count = plain->pages.count, step = 1;
    uint64_t first = count ? plain->pages.items[0].offset : plain->bytes.count, tried = 0;
    double packed = 0, part;
    if (c->is_sampled && count > SAMPLE_PAGES)
        step = count / SAMPLE_PAGES;
    for (size_t i = 0; i < count; i += step) {
        const pq_written_page *page = &plain->pages.items[i];
        TRY(choice_pack(c, codec, bytes + page->offset, page->bytes, &part));
        packed += part;
        tried += page->bytes;
    }
    if (tried)
        packed *= (double)(plain->bytes.count - first) / (double)tried;
    TRY(choice_pack(c, codec, bytes, first, &part));
    *out = packed + part;
    return STATUS_OK;
}

static status add_trial(chooser *c, const pq_written_chunk *plain, pq_codec_level codec)
{
    double bytes = (double)plain->bytes.count, stored = bytes;
    double scale = (double)c->row_count / (double)plain->value_count;
    if (codec.codec != PQ_CODEC_NONE)
        TRY(pack_chunk(c, plain, codec, &stored));
    pq_trial trial = {.encoding = plain->data_encoding,
                      .codec = codec,
                      .encoded_bytes = (uint64_t)(bytes * scale),
                      .stored_bytes = (uint64_t)(stored * scale),
                      .dictionary_values =
                          plain->data_offset ? plain->statistics.distinct_count : 0,
                      .tried_rows = plain->value_count};
    trial.seconds = choice_predict(c, &trial);
    return array_push(NULL, &c->trials, trial);
}

/* A column as the trial or the winner says. */
static writer_column column_as(const writer_column *column, pq_encoding encoding,
                               pq_codec_level codec)
{
    writer_column made = *column;
    made.codec = codec.codec;
    made.codec_level = codec.level;
    made.options.has_encoding = true;
    made.options.encoding = encoding;
    return made;
}

static status try_encoding(chooser *c, pq_encoding encoding)
{
    const pq_choice *choice = c->choice;
    writer_column column = column_as(c->column, encoding, (pq_codec_level){PQ_CODEC_NONE, 0});
    pq_writer_options options = *c->options;
    pq_written_chunk plain;
    bool is_whole = !c->is_sampled || is_dictionary(encoding);
    options.checksums = options.page_index = false;
    column.options.bloom_filter = false;
    TRY(pq_chunk_encode(&column, &options, is_whole ? c->values : &c->sample,
                        is_whole ? c->row_count : SAMPLE_ROWS, c->scratch, &plain));
    status st = STATUS_OK;
    /* A dictionary that grows too large ends as another encoding, which is tried by itself; where
     * all is NULL there is none, and PLAIN says it. */
    bool is_made = plain.data_encoding == encoding ||
                   (plain.data_encoding == PQ_PLAIN && !(choice->encodings & 1u << PQ_PLAIN));
    if (is_made && (choice->rule == PQ_CHOOSE_THRESHOLD || !choice->codec_count))
        st = add_trial(c, &plain, (pq_codec_level){PQ_CODEC_NONE, 0});
    for (unsigned i = 0; is_made && i < choice->codec_count && !st; i++)
        if (choice->rule != PQ_CHOOSE_THRESHOLD || choice->codecs[i].codec != PQ_CODEC_NONE)
            st = add_trial(c, &plain, choice->codecs[i]);
    pq_chunk_release(&plain);
    return st;
}

/* There is nothing to be chosen: the one form is not tried. */
static status take_only(chooser *c, pq_encoding encoding)
{
    pq_trial only = {.encoding = encoding};
    if (c->choice->codec_count)
        only.codec = c->choice->codecs[0];
    return array_push(NULL, &c->trials, only);
}

static status try_all(chooser *c)
{
    const pq_choice *choice = c->choice;
    uint32_t encodings = 0;
    for (unsigned e = 0; e < PQ_ENCODING_COUNT; e++)
        if (choice->encodings >> e & 1 && is_readable(e, c->column->physical))
            encodings |= 1u << e;
    if (!encodings)
        encodings = 1u << PQ_PLAIN;
    bool is_only = !(encodings & (encodings - 1)) && choice->codec_count <= 1 &&
                   choice->rule != PQ_CHOOSE_THRESHOLD;
    if (is_only)
        return take_only(c, (pq_encoding)__builtin_ctz(encodings));
    c->is_sampled = c->row_count >= SAMPLED_MIN && c->column->type.id != TYPE_NULL;
    if (c->is_sampled)
        TRY(choice_take_sample(c));
    for (unsigned e = 0; e < PQ_ENCODING_COUNT; e++)
        if (encodings >> e & 1)
            TRY(try_encoding(c, e));
    return STATUS_OK;
}

static status take_best(chooser *c, pq_written_chunk *out)
{
    pq_trial *best = NULL;
    for (size_t i = 0; i < c->trials.count; i++) {
        pq_trial *trial = &c->trials.items[i];
        if (choice_is_allowed(c->choice, trial) && (!best || is_better(c->choice, trial, best)))
            best = trial;
    }
    if (!best)
        return status_new(STATUS_KIND_INTERNAL, "no form of the column could be tried");
    writer_column column = column_as(c->column, best->encoding, best->codec);
    TRY(pq_chunk_encode(&column, c->options, c->values, c->row_count, c->scratch, out));
    best->is_chosen = true;
    best->encoding = out->data_encoding;
    best->encoded_bytes = out->uncompressed_bytes;
    best->stored_bytes = out->bytes.count;
    best->dictionary_values = out->data_offset ? out->statistics.distinct_count : 0;
    best->seconds = choice_predict(c, best);
    out->trials.items = c->trials.items;
    out->trials.count = c->trials.count;
    out->trials.capacity = c->trials.capacity;
    c->trials.items = NULL;
    return STATUS_OK;
}

status pq_chunk_choose(const writer_column *column, const pq_writer_options *options,
                       const pq_column_values *values, uint64_t row_count,
                       pq_chunk_scratch *scratch, pq_written_chunk *out)
{
    chooser c = {.column = column,
                 .choice = column->options.choice,
                 .options = options,
                 .values = values,
                 .row_count = row_count,
                 .scratch = scratch};
    status st = try_all(&c);
    if (!st)
        st = take_best(&c, out);
    drop_sample(&c);
    array_release(&c.trials);
    return st ? status_context(st, "column \"%s\"", column->name) : STATUS_OK;
}
