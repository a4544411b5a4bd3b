/* test_choice.c - predictions against figures made by hand, samples against whole chunks.
 * test_label: not-tsan */
#include "parquet/write/writer_chunk.h"
#include "parquet/write/writer_stage.h"
#include "test.h"

#include "parquet/profile/profile_measure.h"
#include "parquet/write/choice.h"
#include "parquet/write/writer_column.h"

#define ROWS ((uint64_t)150001)

static const pq_profile profile = {
    .bandwidth = 1e9,
    .cached = 5e9,
    .hot = 0.25,
    .threads = 2,
    .decompress = {[PQ_CODEC_ZSTD] = 1e9},
    .decode = {[PQ_PLAIN][PQ_CLASS_INT64] = 4e9, [PQ_RLE_DICTIONARY][PQ_CLASS_INT64] = 2e9},
};

static void check_close(double found, double expected)
{
    if (found < expected * 0.999999 || found > expected * 1.000001)
        printf("found %g, expected %g\n", found, expected);
    CHECK(found >= expected * 0.999999 && found <= expected * 1.000001);
}

TEST(prediction)
{
    pq_chunk_form form = {.encoding = PQ_PLAIN,
                          .value_class = PQ_CLASS_INT64,
                          .encoded_bytes = 8000000,
                          .stored_bytes = 8000000,
                          .value_count = 1000000};
    /* Work: (8e6 / 5e9 + 1e6 / 4e9) / 2 = 0.925 ms; reading: 8 ms. */
    check_close(pq_predict(&profile, &form), 0.25 * 0.925e-3 + 0.75 * 8e-3);
    /* Dictionary: (1e6 / 5e9 + 1e6 / 2e9 + 4e4 / 4e9) / 2 = 0.355 ms; reading 1 ms. */
    form.encoding = PQ_RLE_DICTIONARY;
    form.encoded_bytes = form.stored_bytes = 1000000;
    form.dictionary_values = 40000;
    check_close(pq_predict(&profile, &form), 0.25 * 0.355e-3 + 0.75 * 1e-3);
    /* Compressed: (1e5 / 5e9 + 1e6 / 1e9 + 0.51e-3) / 2 = 0.765 ms, more than reading takes. */
    form.codec = PQ_CODEC_ZSTD;
    form.stored_bytes = 100000;
    check_close(pq_predict(&profile, &form), 0.765e-3);
}

TEST(measured_profile)
{
    pq_profile measured = pq_profile_default();
    CHECK_OK(pq_profile_measure(&measured));
    CHECK(measured.cached > 0 && measured.threads >= 1);
    for (unsigned c = 0; c < PQ_CLASS_COUNT; c++)
        CHECK(measured.decode[PQ_PLAIN][c] > 0);
    CHECK(measured.bandwidth == pq_profile_default().bandwidth);
}

static int64_t number_of(uint64_t row, unsigned kind)
{
    if (kind == 0)
        return (int64_t)row * 3 + (int64_t)test_random_below(5); /* ascending */
    return (int64_t)test_random_below(kind == 1 ? 700 : 1 << 30);
}

/* Compares the bytes that a form is thought to take with those that it takes when it is made of all rows. */
static void check_trial(const writer_column *column, const pq_writer_options *options,
                        const pq_column_values *values, const pq_trial *trial)
{
    writer_column made = *column;
    pq_chunk_scratch scratch = {0};
    pq_written_chunk chunk;
    made.options = (pq_column_options){.has_encoding = true, .encoding = trial->encoding};
    made.codec = trial->codec.codec;
    CHECK_OK(pq_chunk_encode(&made, options, values, ROWS, &scratch, &chunk));
    double ratio = (double)trial->stored_bytes / (double)chunk.bytes.count;
    double distance = trial->is_chosen ? 0 : 0.25;
    if (ratio < 1 - distance || ratio > 1 + distance)
        printf("%s, codec %d: %llu bytes, in full %zu\n", pq_encoding_name(trial->encoding),
               (int)trial->codec.codec, (unsigned long long)trial->stored_bytes, chunk.bytes.count);
    CHECK(ratio >= 1 - distance && ratio <= 1 + distance);
    pq_chunk_release(&chunk);
    pq_chunk_scratch_release(&scratch);
}

static void check_sample(unsigned kind, bool has_nulls, uint64_t page_rows)
{
    int64_t *numbers = mem_new_array(ROWS, sizeof *numbers);
    uint64_t *validity = mem_new_array(ROWS / 64 + 1, sizeof *validity);
    pq_choice choice = {.encodings = 1u << PQ_PLAIN | 1u << PQ_RLE_DICTIONARY |
                                     1u << PQ_DELTA_BINARY_PACKED | 1u << PQ_BYTE_STREAM_SPLIT,
                        .codec_count = 2,
                        .codecs = {{PQ_CODEC_NONE, 0}, {PQ_CODEC_ZSTD, 0}}};
    writer_column column = {.name = "n",
                            .type = type_make(TYPE_INT64),
                            .is_nullable = has_nulls,
                            .options = {.choice = &choice}};
    pq_writer_options options = pq_writer_options_default();
    pq_column_values values = {numbers, has_nulls ? validity : NULL};
    pq_chunk_scratch scratch = {0};
    pq_written_chunk chunk;
    options.page_rows = page_rows;
    CHECK(numbers && validity);
    for (uint64_t i = 0; i < ROWS; i++)
        numbers[i] = number_of(i, kind);
    for (uint64_t i = 0; i <= ROWS / 64; i++)
        validity[i] = test_random() | test_random();
    CHECK_OK(pq_column_layout(&column));
    CHECK_OK(pq_chunk_choose(&column, &options, &values, ROWS, &scratch, &chunk));
    size_t chosen = 0;
    CHECK(chunk.trials.count >= 6); /* the dictionary may grow too large */
    for (size_t i = 0; i < chunk.trials.count; i++) {
        chosen += chunk.trials.items[i].is_chosen;
        check_trial(&column, &options, &values, &chunk.trials.items[i]);
    }
    CHECK_EQ(chosen, 1);
    CHECK_EQ(chunk.value_count, ROWS);
    pq_chunk_release(&chunk);
    pq_chunk_scratch_release(&scratch);
    mem_free(numbers);
    mem_free(validity);
}

TEST(samples_tell_what_whole_chunks_take)
{
    for (unsigned kind = 0; kind < 3; kind++)
        for (unsigned nulls = 0; nulls < 2; nulls++) {
            check_sample(kind, nulls, 0);
            check_sample(kind, nulls, 16384);
        }
}

TEST(a_single_form_is_not_tried)
{
    int64_t numbers[1000] = {0};
    pq_choice choice = {.encodings = 1u << PQ_DELTA_BINARY_PACKED,
                        .codec_count = 1,
                        .codecs = {{PQ_CODEC_SNAPPY, 0}}};
    writer_column column = {
        .name = "n", .type = type_make(TYPE_INT64), .options = {.choice = &choice}};
    pq_writer_options options = pq_writer_options_default();
    pq_column_values values = {.values = numbers};
    pq_chunk_scratch scratch = {0};
    pq_written_chunk chunk;
    CHECK_OK(pq_column_layout(&column));
    CHECK_OK(pq_chunk_choose(&column, &options, &values, 1000, &scratch, &chunk));
    CHECK_EQ(chunk.trials.count, 1);
    CHECK_EQ(chunk.trials.items[0].tried_rows, 0);
    CHECK_EQ(chunk.trials.items[0].stored_bytes, chunk.bytes.count);
    CHECK_EQ(chunk.data_encoding, PQ_DELTA_BINARY_PACKED);
    CHECK_EQ(chunk.codec, PQ_CODEC_SNAPPY);
    pq_chunk_release(&chunk);
    pq_chunk_scratch_release(&scratch);
}
