/* encode_plain.h - PLAIN and BYTE_STREAM_SPLIT, and questions of all encoders about dense values. */
#ifndef PISTACHIO_PARQUET_WRITE_ENCODE_PLAIN_H
#define PISTACHIO_PARQUET_WRITE_ENCODE_PLAIN_H

#include "parquet/write/encode.h"

/* Bytes from one value to the next. */
uint32_t pq_dense_stride(const pq_dense *dense);
/* `count` values from `first` on. */
pq_dense pq_dense_slice(const pq_dense *dense, uint64_t first, uint64_t count);
/* Any encoding but the dictionary's. */
void pq_encode(pq_encoding encoding, const pq_dense *dense, pq_buffer *out);
void pq_encode_plain(const pq_dense *dense, pq_buffer *out);
/* Sum of the strings' lengths. */
uint64_t pq_text_bytes(const pq_dense *dense);

#endif
