/* metadata_parse.h - inside the footer's parser: what its files call of each other. */
#ifndef PISTACHIO_PARQUET_FORMAT_METADATA_PARSE_H
#define PISTACHIO_PARQUET_FORMAT_METADATA_PARSE_H

#include "parquet/format/metadata.h"
#include "parquet/format/thrift.h"

/* A copy in the arena; "" and a broken reader if it is none. */
const char *pq_text_read(arena *a, thrift_reader *r, const thrift_field *field);
/* Sets the leaves. A broken reader is left to the caller to report. */
CHECKED status pq_schema_read(arena *a, thrift_reader *r, const thrift_field *field,
                              pq_metadata *m);
void pq_statistics_read(arena *a, thrift_reader *r, const thrift_field *field, const pq_leaf *leaf,
                        pq_statistics *out);
/* Takes away what cannot be true of a chunk with so many values, NULLs included: all of it where its parts
 * contradict each other. */
void pq_statistics_settle(const pq_leaf *leaf, uint64_t value_count, pq_statistics *s);
void pq_statistics_forget_bounds(pq_statistics *s);
/* Bounds of the leaf are only right in the order that column_orders declares. */
bool pq_needs_column_order(const pq_leaf *leaf);

#endif
