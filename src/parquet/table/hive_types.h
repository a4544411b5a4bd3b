/* hive_types.h - types that are given to the keys in folders' names: zip varchar, "a b" decimal(5,2). */
#ifndef PISTACHIO_PARQUET_TABLE_HIVE_TYPES_H
#define PISTACHIO_PARQUET_TABLE_HIVE_TYPES_H

#include "base/type/type.h"

typedef struct pq_hive_type {
    const char *name;
    data_type type;
} pq_hive_type;

typedef ARRAY(pq_hive_type) pq_hive_type_list;

/* Reads the list; names in the arena. INVALID: what is wrong with it. */
CHECKED status pq_hive_types_parse(arena *a, const char *text, size_t bytes,
                                   pq_hive_type_list *out);
/* Returns the type that the list gives to the name, whatever its case; NULL: none. */
const pq_hive_type *pq_hive_types_find(const pq_hive_type_list *list, const char *name);

#endif
