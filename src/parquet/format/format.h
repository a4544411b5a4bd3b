/* format.h - the numbers of the Parquet format (parquet.thrift), as the file has them. */
#ifndef PISTACHIO_PARQUET_FORMAT_FORMAT_H
#define PISTACHIO_PARQUET_FORMAT_FORMAT_H

#include "device/kernels/parquet_numbers.h"

#include <stdbool.h>

typedef enum pq_encoding {
    PQ_PLAIN = 0,
    PQ_PLAIN_DICTIONARY = 2,
    PQ_RLE = 3,
    PQ_BIT_PACKED = 4,
    PQ_DELTA_BINARY_PACKED = 5,
    PQ_DELTA_LENGTH_BYTE_ARRAY = 6,
    PQ_DELTA_BYTE_ARRAY = 7,
    PQ_RLE_DICTIONARY = 8,
    PQ_BYTE_STREAM_SPLIT = 9
} pq_encoding;

typedef enum pq_codec {
    PQ_CODEC_NONE = 0,
    PQ_CODEC_SNAPPY = 1,
    PQ_CODEC_GZIP = 2,
    PQ_CODEC_LZO = 3,
    PQ_CODEC_BROTLI = 4,
    PQ_CODEC_LZ4 = 5, /* hadoop framing */
    PQ_CODEC_ZSTD = 6,
    PQ_CODEC_LZ4_RAW = 7
} pq_codec;

typedef enum pq_page_type {
    PQ_PAGE_DATA = 0,
    PQ_PAGE_INDEX = 1,
    PQ_PAGE_DICTIONARY = 2,
    PQ_PAGE_DATA_V2 = 3
} pq_page_type;

/* The encoding can hold the physical type. */
bool pq_encoding_fits(pq_encoding encoding, pq_physical physical);

#endif
