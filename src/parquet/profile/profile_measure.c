/* profile_measure.c - how fast this machine decompresses and reads its page cache. */
#include "parquet/profile/profile_measure.h"

#include "base/setting/setting.h"
#include "codec/checksum.h"
#include "codec/codec.h"
#include "parquet/write/compress.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SAMPLE_BYTES ((size_t)1 << 20)
#define RUNS 3

static double profile_measure_seconds(void)
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
        double start = profile_measure_seconds();
        if (!codec_decompress(cpu_isa_best(), (int)codec, packed->items, packed->count, target,
                              SAMPLE_BYTES))
            return status_new(STATUS_KIND_INTERNAL, "codec %s does not read what it wrote",
                              codec_name((int)codec));
        double took = profile_measure_seconds() - start;
        if (!run || took < best)
            best = took;
    }
    if (best > 0)
        *out_speed = (double)SAMPLE_BYTES / best;
    return STATUS_OK;
}

/* Reads part of the file and takes its checksum, which is added to `sum`, as a scan does. */
static bool profile_measure_read_part(int file, uint8_t *target, int part, uint32_t *sum)
{
    if (pread(file, target, SAMPLE_BYTES, (off_t)((size_t)part * SAMPLE_BYTES)) !=
        (ssize_t)SAMPLE_BYTES)
        return false;
    *sum = codec_checksum(cpu_isa_best(), *sum, target, SAMPLE_BYTES);
    return true;
}

/* A file without a name, larger than what the processor keeps; the best of its parts. Where that
 * cannot be tried the speed stays as it is. */
static void measure_page_cache(const uint8_t *sample, uint8_t *target, double *out_speed)
{
    enum { PARTS = 32, TIMED = 4 };
    int file = memfd_create("profile", MFD_CLOEXEC);
    bool is_right = file >= 0;
    double best = 0;
    uint32_t sum = 0;
    for (int i = 0; i < PARTS && is_right; i++)
        is_right = write(file, sample, SAMPLE_BYTES) == (ssize_t)SAMPLE_BYTES;
    for (int first = 0; first < RUNS * PARTS && is_right; first += TIMED) {
        double start = profile_measure_seconds();
        for (int i = 0; i < TIMED; i++)
            is_right &= profile_measure_read_part(file, target, (first + i) % PARTS, &sum);
        double took = profile_measure_seconds() - start;
        if (!first || took < best)
            best = took;
    }
    if (file >= 0)
        close(file);
    if (is_right && best > 0)
        *out_speed = (double)SAMPLE_BYTES * TIMED / best;
}

static status measure_bytes(pq_profile *profile, uint8_t *sample, uint8_t *target)
{
    pq_buffer packed = {0};
    status st = STATUS_OK;
    fill_sample(sample);
    memset(target, 0, SAMPLE_BYTES);
    measure_page_cache(sample, target, &profile->cached);
    for (unsigned c = PQ_CODEC_SNAPPY; c < PQ_CODEC_COUNT && !st; c++)
        if (c != PQ_CODEC_LZO)
            st = measure_codec(c, sample, target, &packed, &profile->decompress[c]);
    pq_buffer_release(&packed);
    return st;
}

status pq_profile_measure(pq_profile *profile)
{
    uint8_t *sample = mem_new(SAMPLE_BYTES), *target = mem_new(SAMPLE_BYTES);
    status st = sample && target ? measure_bytes(profile, sample, target)
                                 : status_no_memory("profile", SAMPLE_BYTES);
    mem_free(sample);
    mem_free(target);
    profile->threads = setting_core_count();
    return st ? st : pq_profile_measure_decoding(profile);
}
