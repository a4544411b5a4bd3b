/* kernel_parquet_levels.c - decompression, definition levels, dictionary codes.
 *
 * The RLE / bit-packing hybrid: runs with a varint header; lowest bit 0: header >> 1 copies of one
 * value, 1: (header >> 1) * 8 values of bit_width bits, packed from the least significant bit. */
#include "device/codec.h"
#include "device/cpu/kernel.h"

#if defined __AVX512VBMI__
#include <immintrin.h>
#endif

void ISA_(parquet_decompress)(const parquet_decompress_arguments *a)
{
    if (!codec_decompress(a->codec, a->source, a->source_bytes, a->target, a->target_bytes)) {
        memset(a->target, 0, a->target_bytes);
        kernel_fail(a->error, DEV_ERROR_CORRUPT, a->place, 0);
    }
}

typedef struct hybrid {
    const uint8_t *at, *end;
    unsigned bit_width;
} hybrid;

typedef struct hybrid_run {
    bool is_packed;
    uint64_t count;
    uint32_t value;        /* repeated */
    const uint8_t *packed; /* bit-packed */
} hybrid_run;

/* False: no run, or a damaged one. */
static bool next_run(hybrid *h, hybrid_run *run)
{
    uint64_t header = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        if (h->at == h->end || shift > 35)
            return false;
        byte = *h->at++;
        header |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    size_t left = (size_t)(h->end - h->at);
    run->is_packed = header & 1;
    if (run->is_packed) {
        uint64_t bytes = (header >> 1) * h->bit_width;
        run->count = (header >> 1) * 8;
        run->packed = h->at;
        /* Some writers leave out the padding of the last run. */
        if (bytes > left) {
            if (!h->bit_width)
                return false;
            bytes = left;
            run->count = left * 8 / h->bit_width;
        }
        h->at += bytes;
        return run->count > 0;
    }
    size_t bytes = (h->bit_width + 7) / 8;
    if (bytes > left)
        return false;
    run->count = header >> 1;
    run->value = 0;
    memcpy(&run->value, h->at, bytes);
    h->at += bytes;
    return run->count > 0;
}

static void set_bits(uint64_t *bits, uint64_t at, uint64_t count, bool value)
{
    while (count) {
        unsigned offset = at % 64;
        uint64_t width = 64 - offset < count ? 64 - offset : count;
        uint64_t mask = (width == 64 ? ~(uint64_t)0 : (((uint64_t)1 << width) - 1)) << offset;
        bits[at / 64] = value ? bits[at / 64] | mask : bits[at / 64] & ~mask;
        at += width;
        count -= width;
    }
}

/* Levels of one bit. Returns how many are 1, or -1. */
static int64_t unpack_validity(hybrid *h, uint32_t row_count, uint64_t *validity, uint64_t at)
{
    uint64_t done = 0;
    int64_t valid = 0;
    while (done < row_count) {
        hybrid_run run;
        if (!next_run(h, &run))
            return -1;
        uint64_t count = run.count < row_count - done ? run.count : row_count - done;
        if (!run.is_packed) {
            if (run.value > 1)
                return -1;
            set_bits(validity, at + done, count, run.value);
            valid += run.value ? (int64_t)count : 0;
        } else {
            for (uint64_t i = 0; i < count; i++) {
                bool bit = run.packed[i / 8] >> (i % 8) & 1;
                set_bits(validity, at + done + i, 1, bit);
                valid += bit;
            }
        }
        done += count;
    }
    return valid;
}

/* BIT_PACKED levels go from the most significant bit down. */
static int64_t unpack_old_levels(const uint8_t *bytes, uint32_t row_count, uint64_t *validity,
                                 uint64_t at)
{
    int64_t valid = 0;
    for (uint32_t i = 0; i < row_count; i++) {
        bool bit = bytes[i / 8] >> (7 - i % 8) & 1;
        set_bits(validity, at + i, 1, bit);
        valid += bit;
    }
    return valid;
}

void ISA_(parquet_levels)(const parquet_levels_arguments *a)
{
    uint32_t start = 0, bytes = a->level_bytes;
    int64_t valid = -1;
    if (a->is_bit_packed) {
        bytes = (a->row_count + 7) / 8;
    } else if (a->with_length && a->page_bytes >= 4) {
        memcpy(&bytes, a->page, 4);
        start = 4;
    } else if (a->with_length) {
        bytes = UINT32_MAX;
    }
    if (bytes <= a->page_bytes - start) {
        hybrid h = {a->page + start, a->page + start + bytes, 1};
        valid = a->is_bit_packed ? unpack_old_levels(a->page, a->row_count, a->validity, a->row_at)
                                 : unpack_validity(&h, a->row_count, a->validity, a->row_at);
    }
    if (valid < 0) {
        kernel_fail(a->error, DEV_ERROR_CORRUPT, a->place, start);
        set_bits(a->validity, a->row_at, a->row_count, false);
        valid = 0;
        bytes = a->page_bytes - start;
    }
    a->words[0] = (uint64_t)valid;
    a->words[1] = start + bytes;
}

/* `count` codes of `width` bits. At `packed` there are readable bytes past the end (device.h). */
static void unpack_codes(const uint8_t *packed, unsigned width, size_t count, uint32_t *out)
{
    uint32_t mask = width == 32 ? UINT32_MAX : ((uint32_t)1 << width) - 1;
    size_t i = 0;
#if defined __AVX512VBMI__
    if (width && width <= 25) {
        /* 16 codes are 2 * width bytes: bring each code's four bytes to its lane, shift, mask. */
        uint8_t bytes[64];
        uint32_t shifts[16];
        for (unsigned lane = 0; lane < 16; lane++) {
            shifts[lane] = lane * width % 8;
            for (unsigned b = 0; b < 4; b++)
                bytes[lane * 4 + b] = (uint8_t)(lane * width / 8 + b);
        }
        __m512i order = _mm512_loadu_si512(bytes), shift = _mm512_loadu_si512(shifts);
        __m512i masks = _mm512_set1_epi32((int)mask);
        for (; i + 16 <= count; i += 16, packed += 2 * width) {
            __m512i raw = _mm512_permutexvar_epi8(order, _mm512_loadu_si512(packed));
            _mm512_storeu_si512(out + i, _mm512_and_si512(_mm512_srlv_epi32(raw, shift), masks));
        }
        count -= i;
        out += i;
        i = 0;
    }
#endif
    for (; i < count; i++) {
        uint64_t word, bit = (uint64_t)i * width;
        memcpy(&word, packed + bit / 8, 8);
        out[i] = (uint32_t)(word >> (bit % 8)) & mask;
    }
}

static bool codes_are_below(const uint32_t *codes, size_t count, uint64_t bound)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = codes[i] > largest ? codes[i] : largest;
    return !count || largest < bound;
}

void ISA_(parquet_codes)(const parquet_codes_arguments *a)
{
    uint64_t count = a->words[0], start = a->words[1], done = 0;
    bool is_right = !count || start < a->page_bytes;
    if (count && is_right) {
        hybrid h = {a->page + start + 1, a->page + a->page_bytes, a->page[start]};
        is_right = h.bit_width <= 32;
        while (is_right && done < count) {
            hybrid_run run;
            is_right = next_run(&h, &run);
            if (!is_right)
                break;
            uint64_t more = run.count < count - done ? run.count : count - done;
            if (run.is_packed)
                unpack_codes(run.packed, h.bit_width, more, a->out + done);
            else
                for (uint64_t i = 0; i < more; i++)
                    a->out[done + i] = run.value;
            done += more;
        }
    }
    if (!is_right || !codes_are_below(a->out, count, a->dictionary_rows)) {
        memset(a->out, 0, count * sizeof *a->out);
        kernel_fail(a->error, DEV_ERROR_CORRUPT, a->place, start);
    }
}
