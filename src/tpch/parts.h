/* parts.h - tables part and partsupp. */
#ifndef PISTACHIO_TPCH_PARTS_H
#define PISTACHIO_TPCH_PARTS_H

#include "tpch/tables.h"

/* A price and a supplier of a part, which lineitem needs as well. */
int64_t tpch_part_price(int64_t part);                                        /* in cents */
int64_t tpch_part_supplier(const tpch_scale *scale, int64_t part, int64_t i); /* i: 0 to 3 */

#endif
