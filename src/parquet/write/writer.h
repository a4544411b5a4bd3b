/* writer.h - writes a Parquet file, one row group at a time, from columns in host memory.
 *
 * The file appears under its name when pq_writer_finish has made it whole (storage/new_file.h). Row
 * groups are encoded by the writer's own threads, several at a time, while the caller goes on
 * (pq_writer_begin), or by any number of others (pq_row_group_encode is free of shared state), and are
 * appended in the order of the calls to pq_writer_begin or pq_writer_append. Specification:
 * github.com/apache/parquet-format. */
#ifndef PISTACHIO_PARQUET_WRITE_WRITER_H
#define PISTACHIO_PARQUET_WRITE_WRITER_H

#include "base/system/cpu_features.h"
#include "base/type/type.h"
#include "parquet/format/format.h"
#include "parquet/write/choice.h"
#include "storage/new_file.h"

/* Choices of the writer for a column. Zero is the default everywhere. */
typedef struct pq_column_options {
    bool has_codec, has_encoding;
    pq_codec codec;       /* default: pq_writer_options.codec */
    pq_encoding encoding; /* default: dictionary while it pays, else PLAIN */
    int codec_level;      /* with has_codec; 0: the codec's own default */
    bool no_dictionary, no_statistics, bloom_filter;
    const pq_choice *choice; /* tries encodings and codecs on each chunk, in place of the above */
} pq_column_options;

typedef struct pq_column_schema {
    const char *name;
    data_type type; /* decimals: width 8 is written as INT64 (INT32 up to 9 digits), 16 as FIXED */
    bool is_nullable; /* OPTIONAL, else REQUIRED */
    pq_column_options options;
} pq_column_schema;

typedef struct pq_writer_options {
    pq_codec codec;             /* default PQ_CODEC_SNAPPY; see pq_writer_options_default */
    int codec_level;            /* zstd, gzip, brotli; 0: the codec's own default */
    uint64_t page_bytes;        /* uncompressed bytes of a data page, about; default 1 MiB */
    uint64_t page_rows;         /* most rows of a data page; 0: no bound */
    bool page_v2;               /* data page version 2; default false */
    bool page_index, checksums; /* default true */
    const char *created_by;     /* default "pistachio version ..." */
    unsigned threads;           /* that encode columns, the caller's among them; 0: one */
    cpu_isa isa;                /* bounds the instructions; default: the machine's best */
    pq_report report;           /* optional: told of each chunk as it is appended */
    void *report_context;
    new_file
        *target; /* what is written to instead of a file of the path's name, which is taken over by
                         pq_writer_open, also on failure; NULL: that */
} pq_writer_options;

/* One column of a row group, in host memory, laid out as type.h says; of a nested type its rows' bytes as texts
 * (device/nested_pack.h, NESTED_EXACT). */
typedef struct pq_column_values {
    const void *values;       /* value i at i * width; bool: bitmap; text: string_view */
    const uint64_t *validity; /* bit i set: not NULL; NULL pointer: no NULLs */
} pq_column_values;

typedef struct pq_writer pq_writer;
typedef struct pq_encoded_row_group pq_encoded_row_group;

pq_writer_options pq_writer_options_default(void);

/* The schema is copied. */
CHECKED status pq_writer_open(const char *path, const pq_column_schema *columns,
                              size_t column_count, const pq_writer_options *options,
                              pq_writer **out);

/* Encodes and compresses a row group into memory. Any thread, any number at once. */
CHECKED status pq_row_group_encode(const pq_writer *writer, const pq_column_values *columns,
                                   uint64_t row_count, pq_encoded_row_group **out);

/* Appends the row group to the file and frees it, also on failure. One thread at a time. */
CHECKED status pq_writer_append(pq_writer *writer, pq_encoded_row_group *group);

/* Begins a row group, which the writer's threads encode; the values stay as they are, and where they are,
 * until it has been ended or the writer is freed. The array of them may go. */
CHECKED status pq_writer_begin(pq_writer *writer, const pq_column_values *columns,
                               uint64_t row_count);
size_t pq_writer_begun(const pq_writer *writer); /* row groups, not yet ended */
/* Ends the oldest of them: encodes what is left of it and appends it. */
CHECKED status pq_writer_end(pq_writer *writer);
/* Begins a row group and ends all. */
CHECKED status pq_writer_write(pq_writer *writer, const pq_column_values *columns,
                               uint64_t row_count);

uint64_t pq_writer_bytes(const pq_writer *writer); /* written so far */

/* Ends what was begun, writes indexes and footer, publishes the file, frees the writer. On failure what had the name
 * before is untouched, and the writer freed as well. */
CHECKED status pq_writer_finish(pq_writer *writer);
/* Gives up and frees. Takes NULL. */
void pq_writer_abort(pq_writer *writer);

#endif
