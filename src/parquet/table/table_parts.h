/* table_parts.h - which rows of a table are whose: row groups are dealt out to ranks, and of a table that
 * is divided by columns whole parts, so that equal values of these columns are with one rank. */
#ifndef PISTACHIO_PARQUET_TABLE_TABLE_PARTS_H
#define PISTACHIO_PARQUET_TABLE_TABLE_PARTS_H

#include "parquet/table/table.h"

/* The table's row groups [first, end). */
typedef struct pq_deal {
    size_t first, end;
} pq_deal;

/* Deals row groups to a rank: runs of about equal weight, or of whole parts, of the files that the rank can read.
 * Ranks that give equal weights, one for each row group, have each row group once; NULL stands for the compressed
 * bytes of all columns. */
CHECKED status pq_table_deal(const pq_table *table, const uint64_t *weights, uint32_t rank,
                             uint32_t ranks, pq_deal *out);

/* Whether the rank that these arguments are of cannot read some file. */
bool pq_table_is_apart(const pq_table *table, uint32_t rank);

/* Two files below `path` are of one part: they are in one folder of that folder. */
bool pq_is_same_part(const char *path, const char *one, const char *other);
/* As far as statistics say, no value of the columns that the table is divided by is in two parts. */
CHECKED status pq_table_check_parts(const pq_table *table);
/* Whether rows of two tables that agree in the columns by which each is divided, in their order, are with
 * the same rank: there are as many parts on each node, and their statistics agree with that. */
bool pq_tables_meet(const pq_table *a, const pq_table *b);

#endif
