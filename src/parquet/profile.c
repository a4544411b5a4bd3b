/* profile.c - how fast this machine decompresses: a mebibyte of each codec, best of some runs. */
#include "device/codec.h"
#include "parquet/choice.h"
#include "parquet/compress.h"

#include <time.h>

#define SAMPLE_BYTES ((size_t)1 << 20)
#define RUNS 3

static double seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Half text of a few words, half small numbers: what column chunks are made of. */
static void fill_sample(uint8_t *sample)
{
    static const char words[16][9] = {"furious ", "carefull", "y final ", "deposits",
                                      " sleep b", "lithely ", "ironic r", "equests ",
                                      "across t", "he pendi", "ng packa", "ges nag ",
                                      "quickly ", "express ", "accounts", " about  "};
    uint64_t state = 1;
    for (size_t at = 0; at < SAMPLE_BYTES; at += 8) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint64_t number = state >> 48;
        memcpy(sample + at, at < SAMPLE_BYTES / 2 ? (const void *)words[state >> 60] : &number, 8);
    }
}

static status measure_codec(pq_codec codec, const uint8_t *sample, uint8_t *target,
                            pq_buffer *packed, double *out_speed)
{
    double best = 0;
    pq_buffer_clear(packed);
    TRY(pq_compress(codec, 0, sample, SAMPLE_BYTES, packed));
    for (int run = 0; run < RUNS; run++) {
        double start = seconds();
        if (!codec_decompress((int)codec, packed->items, packed->count, target, SAMPLE_BYTES))
            return status_new(STATUS_KIND_INTERNAL, "codec %s does not read what it wrote",
                              codec_name((int)codec));
        double took = seconds() - start;
        if (!run || took < best)
            best = took;
    }
    if (best > 0)
        *out_speed = (double)SAMPLE_BYTES / best;
    return STATUS_OK;
}

status pq_profile_measure(pq_profile *profile)
{
    uint8_t *sample = mem_new(SAMPLE_BYTES), *target = mem_new(SAMPLE_BYTES);
    pq_buffer packed = {0};
    status st = STATUS_OK;
    if (!sample || !target)
        st = status_no_memory("profile", SAMPLE_BYTES);
    else
        fill_sample(sample);
    for (unsigned c = PQ_CODEC_SNAPPY; c < PQ_CODEC_COUNT && !st; c++)
        if (c != PQ_CODEC_LZO)
            st = measure_codec(c, sample, target, &packed, &profile->decompress[c]);
    pq_buffer_release(&packed);
    mem_free(sample);
    mem_free(target);
    return st;
}
