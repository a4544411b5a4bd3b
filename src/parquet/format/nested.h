/* nested.h - inside the reader of schemas: which columns are lists, structs and maps, and of what. */
#ifndef PISTACHIO_PARQUET_FORMAT_NESTED_H
#define PISTACHIO_PARQUET_FORMAT_NESTED_H

#include "parquet/format/metadata.h"
#include "parquet/format/schema_element.h"

/* Sets the nodes of the nested columns that can be read; the types are held until the arena is freed. The elements are those
 * that the leaves were made of, whole. Lists and maps of older writers are found by the rules of LogicalTypes.md. */
CHECKED status pq_nested_find(arena *a, const pq_element *elements, uint32_t count, pq_metadata *m);

#endif
