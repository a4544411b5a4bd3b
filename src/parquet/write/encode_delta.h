/* encode_delta.h - DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY. */
#ifndef PISTACHIO_PARQUET_WRITE_ENCODE_DELTA_H
#define PISTACHIO_PARQUET_WRITE_ENCODE_DELTA_H

#include "parquet/write/encode.h"

void pq_encode_delta_binary(const pq_dense *dense, pq_buffer *out);
void pq_encode_delta_length(const pq_dense *dense, pq_buffer *out);
void pq_encode_delta_bytes(const pq_dense *dense, pq_buffer *out);

#endif
