/* writer_column.h - inside the writer: how a column is stored, its values, statistics and pages.
 *
 * A column chunk is made in steps: values are staged in their stored form (writer_stage.c),
 * measured (writer_statistics.c), and encoded page by page (writer_chunk.c); writer_footer.c
 * describes what came out. */
#ifndef PISTACHIO_PARQUET_WRITE_WRITER_COLUMN_H
#define PISTACHIO_PARQUET_WRITE_WRITER_COLUMN_H

#include "parquet/format/buffer.h"
#include "parquet/write/writer.h"
#include "parquet/write/writer_leaves.h"

typedef struct writer_column {
    char *name; /* for messages */
    data_type type;
    bool is_nullable;
    pq_column_options options;
    pq_codec codec;
    int codec_level;
    pq_physical physical;
    uint32_t type_length;
    pq_leaf_place leaf; /* of a nested column; of a flat one its name and type alone */
    uint32_t source;    /* which of the caller's columns it is made of */
} writer_column;

/* ---- statistics ---- */

#define PQ_BOUND_BYTES 64 /* text is cut to this many bytes */

typedef struct pq_bound {
    uint8_t bytes[PQ_BOUND_BYTES];
    uint8_t count;
    bool is_known, is_exact;
} pq_bound;

typedef struct pq_written_statistics {
    pq_bound min, max;
    uint64_t null_count;
    uint64_t distinct_count; /* 0: not known */
} pq_written_statistics;

/* ---- pages and chunks ---- */

typedef struct pq_written_page {
    uint64_t offset, bytes; /* in the chunk; header included */
    uint64_t first_row, row_count;
    uint64_t value_count; /* NULLs and empty lists among them */
    pq_written_statistics statistics;
} pq_written_page;

typedef struct pq_written_chunk {
    pq_buffer bytes; /* the pages */
    uint64_t value_count, uncompressed_bytes;
    uint64_t data_offset; /* of the first data page; 0: there is no dictionary page */
    uint32_t encodings;   /* a bit per pq_encoding */
    pq_encoding data_encoding;
    pq_codec codec;
    ARRAY(pq_trial) trials; /* what was tried for it, or the one thing that was done */
    pq_written_statistics statistics;
    ARRAY(pq_written_page) pages;
    pq_buffer bloom; /* header and blocks; empty: none */
} pq_written_chunk;

/* Memory that one chunk after another uses. */
typedef struct pq_chunk_scratch {
    pq_buffer staged, body, packed;
} pq_chunk_scratch;

/* choice.c: as pq_chunk_encode, in the form that the column's choice takes. */
CHECKED status pq_chunk_choose(const writer_column *column, const pq_writer_options *options,
                               const pq_column_values *values, uint64_t row_count,
                               pq_chunk_scratch *scratch, pq_written_chunk *out);

/* ---- the footer ---- */

/* A column chunk that was appended: where its parts are in the writer's buffers and the file. */
typedef struct pq_chunk_record {
    uint64_t column_index, offset_index, metadata; /* in the buffers below */
    uint32_t column_index_bytes, offset_index_bytes, metadata_bytes;
} pq_chunk_record;

typedef struct pq_group_record {
    uint64_t row_count, offset, compressed_bytes, uncompressed_bytes;
} pq_group_record;

/* The footer's contents, encoded as far as they are known. */
typedef struct pq_footer {
    pq_buffer column_indexes, offset_indexes, metadata;
    ARRAY(pq_chunk_record) chunks;
    ARRAY(pq_group_record) groups;
} pq_footer;

#endif
