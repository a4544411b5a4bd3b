/* writer_footer.h - the metadata of a written file. */
#ifndef PISTACHIO_PARQUET_WRITE_WRITER_FOOTER_H
#define PISTACHIO_PARQUET_WRITE_WRITER_FOOTER_H

#include "device/tensor.h"
#include "parquet/format/buffer.h"
#include "parquet/write/writer_column.h"

/* Adds a chunk whose pages begin at `offset` in the file, its Bloom filter at bloom_offset. */
CHECKED status pq_footer_add(pq_footer *footer, const writer_column *column,
                             const pq_writer_options *options, const pq_written_chunk *chunk,
                             uint64_t offset, uint64_t bloom_offset);
/* The bytes behind the last row group at `offset`: indexes, footer, its length and magic. */
CHECKED status pq_footer_write(const pq_footer *footer, const writer_column *columns,
                               size_t column_count, const char *created_by, uint64_t offset,
                               pq_buffer *out);
void pq_footer_release(pq_footer *footer);

#endif
