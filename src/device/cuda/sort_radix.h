/* sort_radix.h - where a radix sort keeps what it needs besides the rows: host and kernels agree on it.
 * C, C++ and CUDA. */
#ifndef PISTACHIO_DEVICE_CUDA_SORT_RADIX_H
#define PISTACHIO_DEVICE_CUDA_SORT_RADIX_H

#include "device/cuda/extra.h"

#ifdef __CUDACC__
#define RADIX_FUNCTION static inline __host__ __device__
#else
#define RADIX_FUNCTION static inline
#endif

#define RADIX_KEYS_MAX 8    /* more are merged: launches for digits that all rows share cost, too */
#define RADIX_KEY_DIGITS 17 /* of 8 bits: 8 of each of two words, and where NULL goes */
#define RADIX_TEXT_CHUNKS 4 /* words of 8 bytes that a text's beginning makes */
#define RADIX_TEXT_BYTES (RADIX_TEXT_CHUNKS * 8)
#define RADIX_TEXT_DIGITS (RADIX_TEXT_BYTES + 2) /* its length, bytes, where NULL goes */
#define RADIX_KEY_WORDS                                                                            \
    (RADIX_TEXT_CHUNKS + 2) /* that differ or not: where NULL goes, words, length */
#define RADIX_DIGITS_MAX (RADIX_KEYS_MAX * RADIX_TEXT_DIGITS)
#define RADIX_WINDOW_ROWS CUDA_BLOCK /* that a block puts in order by whole keys */
#define RADIX_VALUES 256             /* of a digit */
#define RADIX_TILE_ROWS 4096         /* of a block */
#define RADIX_ROWS_MAX (1u << 30)    /* what a word of the look-back can count */

/* A digit in which rows differ. */
typedef struct radix_digit {
    uint8_t key, word, shift; /* of the packed row: its key, which of the key's words, bits */
    uint8_t is_last_of_word;
} radix_digit;

/* Zero before the first kernel. Behind it lie two tables of RADIX_VALUES numbers a tile, for the
 * look-back of this digit and of the next, then two of a key's word a row. */
typedef struct radix_state {
    /* Bits of keys' words in which some row is not as the first. */
    uint64_t differ[RADIX_KEYS_MAX * RADIX_KEY_WORDS];
    uint32_t digit_count;
    radix_digit digits[RADIX_DIGITS_MAX];  /* in which rows differ, least first */
    uint32_t has_long_text;                /* of which the digits are only the beginning */
    uint32_t is_unsorted, is_out_of_reach; /* once the digits are sorted; once windows are */
    uint32_t tiles_taken[RADIX_DIGITS_MAX];
    uint32_t counts[RADIX_DIGITS_MAX][RADIX_VALUES]; /* by digit that differs, least first */
} radix_state;

RADIX_FUNCTION uint64_t radix_tiles(uint64_t rows)
{
    return (rows + RADIX_TILE_ROWS - 1) / RADIX_TILE_ROWS;
}

/* Bytes from the beginning on that are zero at first: the state, and one table of the look-back. */
RADIX_FUNCTION uint64_t radix_zeroed_bytes(uint64_t rows)
{
    return sizeof(radix_state) + radix_tiles(rows) * RADIX_VALUES * sizeof(uint32_t);
}

RADIX_FUNCTION uint64_t radix_bytes(uint64_t rows)
{
    return radix_zeroed_bytes(rows) + radix_tiles(rows) * RADIX_VALUES * sizeof(uint32_t) +
           2 * rows * sizeof(uint64_t);
}

#endif
