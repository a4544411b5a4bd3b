/* choice.c - tries encodings and codecs on a column chunk and keeps the best.
 *
 * Each encoding is written in full, uncompressed; its pages are compressed with each codec; the
 * winner is then written as it goes to the file. */
#include "parquet/choice.h"

#include "parquet/compress.h"
#include "parquet/writer_column.h"

const char *pq_encoding_name(pq_encoding encoding)
{
    static const char *const names[PQ_ENCODING_COUNT] = {
        "PLAIN",          "GROUP_VAR_INT",       "PLAIN_DICTIONARY",        "RLE",
        "BIT_PACKED",     "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY",
        "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"};
    return encoding < PQ_ENCODING_COUNT ? names[encoding] : "?";
}

/* ---- prediction ---- */

pq_profile pq_profile_default(void)
{
    return (pq_profile){
        .bandwidth = 3e9,
        .threads = 1,
        .decompress = {[PQ_CODEC_SNAPPY] = 1.8e9,
                       [PQ_CODEC_GZIP] = 0.35e9,
                       [PQ_CODEC_BROTLI] = 0.35e9,
                       [PQ_CODEC_LZ4] = 2.5e9,
                       [PQ_CODEC_ZSTD] = 0.9e9,
                       [PQ_CODEC_LZ4_RAW] = 2.5e9},
        .decode = {[PQ_PLAIN] = {2e9, 2e8},
                   [PQ_PLAIN_DICTIONARY] = {1e9, 5e8},
                   [PQ_RLE] = {2e9, 2e9},
                   [PQ_DELTA_BINARY_PACKED] = {5e8, 5e8},
                   [PQ_DELTA_LENGTH_BYTE_ARRAY] = {2e8, 1.5e8},
                   [PQ_DELTA_BYTE_ARRAY] = {5e7, 5e7},
                   [PQ_RLE_DICTIONARY] = {1e9, 5e8},
                   [PQ_BYTE_STREAM_SPLIT] = {5e8, 5e8}},
    };
}

double pq_predict(const pq_profile *profile, const pq_trial *trial, pq_value_class value_class,
                  uint64_t value_count)
{
    double threads = profile->threads > 0 ? profile->threads : 1;
    double read = profile->bandwidth > 0 ? (double)trial->stored_bytes / profile->bandwidth : 0;
    double decompress = profile->decompress[trial->codec.codec];
    double decode = profile->decode[trial->encoding][value_class];
    double work = 0;
    if (trial->codec.codec != PQ_CODEC_NONE && decompress > 0)
        work += (double)trial->encoded_bytes / decompress;
    if (decode > 0)
        work += (double)value_count / decode;
    work /= threads;
    return read > work ? read : work;
}

/* ---- trials ---- */

typedef struct chooser {
    const writer_column *column;
    const pq_writer_options *options;
    const pq_column_values *values;
    uint64_t row_count;
    pq_chunk_scratch *scratch;
    ARRAY(pq_trial) trials;
} chooser;

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
static bool is_allowed(const pq_choice *choice, const pq_trial *trial)
{
    return choice->rule != PQ_CHOOSE_THRESHOLD || trial->codec.codec == PQ_CODEC_NONE ||
           (double)trial->stored_bytes <= (double)trial->encoded_bytes * (1 - choice->threshold);
}

static status add_trial(chooser *c, const pq_written_chunk *plain, pq_codec_level codec)
{
    const pq_choice *choice = c->column->options.choice;
    pq_trial trial = {.encoding = plain->data_encoding,
                      .codec = codec,
                      .encoded_bytes = plain->bytes.count,
                      .stored_bytes = plain->bytes.count};
    if (codec.codec != PQ_CODEC_NONE) {
        pq_buffer *packed = &c->scratch->packed;
        uint64_t at = 0;
        trial.stored_bytes = 0;
        /* The dictionary page first, where there is one, then the data pages: headers included,
         * which are too short to matter. */
        for (size_t i = 0; i <= plain->pages.count; i++) {
            uint64_t end = i < plain->pages.count ? plain->pages.items[i].offset
                                                  : (uint64_t)plain->bytes.count;
            if (end == at)
                continue;
            pq_buffer_clear(packed);
            TRY(pq_compress(codec.codec, codec.level, plain->bytes.items + at, end - at, packed));
            trial.stored_bytes += packed->count;
            at = end;
        }
    }
    if (choice->rule == PQ_CHOOSE_FASTEST)
        trial.seconds =
            pq_predict(&choice->profile, &trial,
                       c->column->physical == PQ_BYTE_ARRAY ? PQ_CLASS_TEXT : PQ_CLASS_NUMBER,
                       plain->value_count);
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
    const pq_choice *choice = c->column->options.choice;
    writer_column column = column_as(c->column, encoding, (pq_codec_level){PQ_CODEC_NONE, 0});
    pq_writer_options options = *c->options;
    pq_written_chunk plain;
    options.checksums = options.page_index = false;
    column.options.bloom_filter = false;
    TRY(pq_chunk_encode(&column, &options, c->values, c->row_count, c->scratch, &plain));
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

/* Among the encodings that can hold the type, those that other readers know for it: DuckDB has no
 * BYTE_STREAM_SPLIT of FIXED_LEN_BYTE_ARRAY, which Parquet got late. */
static bool is_readable(pq_encoding encoding, pq_physical physical)
{
    return pq_encoding_fits(encoding, physical) &&
           !(encoding == PQ_BYTE_STREAM_SPLIT && physical == PQ_FIXED_LEN_BYTE_ARRAY);
}

static status try_all(chooser *c)
{
    const pq_choice *choice = c->column->options.choice;
    bool is_any = false;
    for (unsigned e = 0; e < PQ_ENCODING_COUNT; e++)
        if (choice->encodings >> e & 1 && is_readable(e, c->column->physical)) {
            is_any = true;
            TRY(try_encoding(c, e));
        }
    return is_any ? STATUS_OK : try_encoding(c, PQ_PLAIN);
}

static status take_best(chooser *c, pq_written_chunk *out)
{
    const pq_choice *choice = c->column->options.choice;
    pq_trial *best = NULL;
    for (size_t i = 0; i < c->trials.count; i++) {
        pq_trial *trial = &c->trials.items[i];
        if (is_allowed(choice, trial) && (!best || is_better(choice, trial, best)))
            best = trial;
    }
    if (!best)
        return status_new(STATUS_KIND_INTERNAL, "no form of the column could be tried");
    best->is_chosen = true;
    writer_column column = column_as(c->column, best->encoding, best->codec);
    TRY(pq_chunk_encode(&column, c->options, c->values, c->row_count, c->scratch, out));
    best->encoded_bytes = out->uncompressed_bytes;
    best->stored_bytes = out->bytes.count;
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
                 .options = options,
                 .values = values,
                 .row_count = row_count,
                 .scratch = scratch};
    status st = try_all(&c);
    if (!st)
        st = take_best(&c, out);
    array_release(&c.trials);
    return st ? status_context(st, "column \"%s\"", column->name) : STATUS_OK;
}
