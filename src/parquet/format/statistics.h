/* statistics.h - bounds as files store them to values, and which of them can be trusted. */
#ifndef PISTACHIO_PARQUET_FORMAT_STATISTICS_H
#define PISTACHIO_PARQUET_FORMAT_STATISTICS_H

#include "base/mem.h"
#include "parquet/format/metadata.h"
#include "parquet/format/thrift.h"

void pq_statistics_read(arena *a, thrift_reader *r, const thrift_field *field, const pq_leaf *leaf,
                        pq_statistics *out);
/* Takes away what cannot be true of a chunk with so many values, NULLs included: all of it where its parts
 * contradict each other. */
void pq_statistics_settle(const pq_leaf *leaf, uint64_t value_count, pq_statistics *s);
void pq_statistics_forget_bounds(pq_statistics *s);
/* Bounds of the leaf are only right in the order that column_orders declares. */
bool pq_needs_column_order(const pq_leaf *leaf);

/* Reads a bound of statistics or indexes as a value of the leaf's type, text in the arena. False: it does not read as
 * one, or no order is known for it. */
bool pq_bound_value(arena *a, const pq_leaf *leaf, const uint8_t *bytes, uint32_t length,
                    value *out);
/* False: the numbers of values and NULLs and the bounds contradict each other. */
bool pq_statistics_agree(const pq_leaf *leaf, const pq_statistics *s, uint64_t value_count);

#endif
