/* check.h - TPC-H's queries and their published answers. */
#ifndef PISTACHIO_TPCH_CHECK_H
#define PISTACHIO_TPCH_CHECK_H

#include "pistachio/pistachio.h"

#define TPCH_QUERY_COUNT 22

/* The SQL of query 1 to 22. */
const char *tpch_query(unsigned number);
/* The name of the scale factor whose answers are there for data of so many orders ("0.01", "0.1",
 * "1"); NULL: none. */
const char *tpch_answers_scale(uint64_t orders);

/* Reads all rows of the result and compares them with the published answer: decimals to the last
 * digit, doubles to 1e-9 of their size. *out_difference is set to "" where they are equal, else to
 * what differs first (at most `bytes` long). scale NULL: only reads. */
pistachio_error *tpch_check(pistachio_result *result, const char *scale, unsigned number,
                            uint64_t *out_rows, char *out_difference, size_t bytes);

#endif
