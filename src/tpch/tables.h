/* tables.h - the rows of TPC-H's eight tables, any range of them at any time: the rows of the TPC's
 * own generator, column by column (specification 3.0.1, clause 4.2.3). */
#ifndef PISTACHIO_TPCH_TABLES_H
#define PISTACHIO_TPCH_TABLES_H

#include "parquet/write/writer.h"

#define TPCH_TABLE_COUNT 8
#define TPCH_COLUMNS_MAX 16

/* Facts that all rows depend on. */
typedef struct tpch_scale {
    double factor;
    int64_t parts, suppliers, customers, orders;
    const char *pool; /* text_pool.h */
} tpch_scale;

/* Room for rows: columns as writer.h wants them; text that is not in the pool goes to `text`. */
typedef struct tpch_batch {
    void *columns[TPCH_COLUMNS_MAX];
    char *text;
    size_t text_used;
    uint64_t rows; /* set by fill */
} tpch_batch;

/* Rows come in units: a part has four rows in partsupp, an order one to seven in lineitem. */
typedef struct tpch_table {
    const char *name;
    const pq_column_schema *columns;
    uint32_t column_count;
    uint32_t unit_rows_max, unit_rows; /* at most, and on average */
    uint32_t text_bytes;               /* of a row, at most, outside the pool */
    uint64_t (*units)(const tpch_scale *scale);
    void (*fill)(const tpch_scale *scale, uint64_t first_unit, uint64_t units, tpch_batch *batch);
} tpch_table;

/* The large tables first. */
extern const tpch_table *const tpch_tables[TPCH_TABLE_COUNT];

extern const tpch_table tpch_region, tpch_nation, tpch_supplier, tpch_customer, tpch_part,
    tpch_partsupp, tpch_orders, tpch_lineitem;

#endif
