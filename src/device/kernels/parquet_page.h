/* parquet_page.h - how kernels that take many pages of a column at once know each of them.
 *
 * No addresses: places are bytes of the launch's buffers, rows those of its output. The host makes
 * an array of these and uploads it; kernels fill in what only they can know. */
#ifndef PISTACHIO_DEVICE_KERNELS_PARQUET_PAGE_H
#define PISTACHIO_DEVICE_KERNELS_PARQUET_PAGE_H

#include <stdint.h>

/* The form of a page's values. */
typedef enum parquet_page_kind {
    PARQUET_PAGE_DICTIONARY, /* entries of a dictionary, PLAIN and without levels */
    PARQUET_PAGE_CODES,
    PARQUET_PAGE_PLAIN,
    PARQUET_PAGE_RLE, /* booleans */
    PARQUET_PAGE_DELTA,
    PARQUET_PAGE_SPLIT,
    PARQUET_PAGE_LENGTHS, /* DELTA_LENGTH_BYTE_ARRAY */
    PARQUET_PAGE_PREFIXES /* DELTA_BYTE_ARRAY */
} parquet_page_kind;

#define PARQUET_PAGE_KIND(kind) (1u << PARQUET_PAGE_##kind)

/* A page's definition levels. */
typedef enum parquet_page_levels {
    PARQUET_LEVELS_NONE,  /* it has none, or the host has seen that they are all 1 */
    PARQUET_LEVELS_CHECK, /* all are 1, by the footer: another one is an error */
    PARQUET_LEVELS_READ
} parquet_page_levels;

/* How they are written. */
typedef enum parquet_level_form {
    PARQUET_LEVEL_RUNS,        /* level_bytes of them, from byte level_start on */
    PARQUET_LEVEL_LENGTH_RUNS, /* behind their length, as in version 1 pages */
    PARQUET_LEVEL_BITS         /* the deprecated BIT_PACKED encoding */
} parquet_level_form;

typedef struct parquet_page {
    uint64_t stored_at;   /* in the stored bytes */
    uint64_t unpacked_at; /* in the unpacked ones, where it is compressed */
    uint64_t first_row;   /* of the output: where its rows, and its dense values, begin */
    uint64_t dictionary_first, dictionary_rows; /* CODES: its entries among those of all */
    uint32_t stored_bytes, unpacked_bytes;      /* the same if it is not compressed */
    uint32_t head_bytes;                        /* of both: levels that are not compressed */
    uint32_t row_count;
    uint32_t level_start, level_bytes;
    uint32_t location; /* in an error: which column chunk */
    uint8_t kind, levels, level_form, codec;
    uint8_t is_compressed;
    uint8_t has_checksum; /* of the stored bytes: */
    uint32_t checksum;    /* CRC-32, as in gzip */
    uint32_t first_slice; /* slices that pages with a checksum before this one have */
    uint32_t first_part;  /* parts of those before this one that a kernel decompresses */
    uint64_t file_at;     /* where it begins in the file */
    /* Set by parquet_batch_levels where there are levels, else by the host: values that are not
     * NULL, and the byte of the page where they begin. */
    uint32_t valid_count, values_at;
    /* Written by kernels for kernels: where the second part of the page begins, where what follows both does; the
     * bytes that its texts take when they are put together, and where. */
    uint64_t second_at, tail_at;
    uint64_t text_bytes, text_at;
} parquet_page;

/* Bytes that one block of a launch adds to a checksum at a time, and how many such slices a page has. */
#define PARQUET_SLICE_BYTES 65536u
#define PARQUET_SLICES(bytes) ((bytes) / PARQUET_SLICE_BYTES + 1)

/* Bytes of a compressed page's values that may be decompressed without what is before them, and how many such parts
 * there are: compressors of snappy begin anew after so many. */
#define PARQUET_PART_BYTES 65536u
#define PARQUET_PARTS(bytes) (((bytes) + !(bytes)-1) / PARQUET_PART_BYTES + 1)

/* Compressed bytes of a page of several parts that are looked through at a time, and how many such tiles there are. */
#define PARQUET_TILE_BYTES 4096u
#define PARQUET_TILES(bytes) (((bytes) + !(bytes)-1) / PARQUET_TILE_BYTES + 1)

/* Rows [from, from + count) become rows from `at` on. */
typedef struct parquet_run {
    uint64_t from, at, count;
} parquet_run;

#endif
