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

#define RADIX_KEYS_MAX 8    /* more are merged: launches for bits that all rows share cost, too */
#define RADIX_KEY_BITS 129  /* of a number: two words, and where NULL goes */
#define RADIX_TEXT_CHUNKS 4 /* words of 8 bytes that a text's beginning makes */
#define RADIX_TEXT_BYTES (RADIX_TEXT_CHUNKS * 8)
#define RADIX_TEXT_BITS (RADIX_TEXT_BYTES * 8 + 7) /* its bytes, its length, where NULL goes */
#define RADIX_KEY_WORDS 3                          /* where NULL goes, two words of a number */
#define RADIX_TEXT_WORDS (RADIX_TEXT_CHUNKS + 2)   /* where NULL goes, chunks, the length */
#define RADIX_SOURCES_MAX (RADIX_KEYS_MAX * RADIX_TEXT_WORDS)
#define RADIX_WORD_BITS 64
#define RADIX_DIGIT_BITS 8
#define RADIX_WORD_DIGITS (RADIX_WORD_BITS / RADIX_DIGIT_BITS)
#define RADIX_VALUES (1 << RADIX_DIGIT_BITS)
#define RADIX_DIGITS_MAX ((RADIX_KEYS_MAX * RADIX_TEXT_BITS + 7) / 8)
#define RADIX_WINDOW_ROWS CUDA_BLOCK /* that a block puts in order by whole keys */
#define RADIX_ITEMS 12               /* of a thread */
#define RADIX_TILE_ROWS (RADIX_ITEMS * CUDA_BLOCK)
#define RADIX_ROWS_MAX (1u << 30) /* what a word of the look-back can count */

/* A word of a packed key, and which of its bits tell rows apart. */
typedef struct radix_source {
    uint64_t low;      /* those bits, once they are shifted down */
    uint64_t steps[6]; /* those that then go 1, 2, 4 and so on places down, where there are gaps */
    uint32_t at;       /* the place of the first among all sources' bits */
    uint8_t key, word, width, shift;
    uint32_t has_gaps;
} radix_source;

/* Zero before the first kernel. Two tables of RADIX_VALUES numbers a tile follow, for the
 * look-back of this digit and of the next, then two words a row. */
typedef struct radix_state {
    /* Bits of keys' words in which some row is not as the first; those that are not as the next
     * higher bit says. */
    uint64_t differ[RADIX_SOURCES_MAX], free[RADIX_SOURCES_MAX];
    radix_source sources[RADIX_SOURCES_MAX]; /* least first */
    uint32_t bits;                           /* of all sources */
    uint32_t has_long_text;                  /* of which the bits are only the beginning */
    uint32_t is_unsorted, is_out_of_reach;   /* once the digits are sorted; once windows are */
    uint32_t tiles_taken[RADIX_DIGITS_MAX];
    uint32_t counts[RADIX_DIGITS_MAX][RADIX_VALUES]; /* by digit, least first */
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
