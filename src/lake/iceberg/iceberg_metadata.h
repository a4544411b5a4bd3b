/* iceberg_metadata.h - a table's metadata: the schema, the partition specs and the snapshot that are wanted. */
#ifndef PISTACHIO_LAKE_ICEBERG_ICEBERG_METADATA_H
#define PISTACHIO_LAKE_ICEBERG_ICEBERG_METADATA_H

#include "base/type/type.h"
#include "lake/log/lake_request.h"
#include "lake/log/lake_text.h"
#include "parquet/table/table_given.h"

typedef enum iceberg_transform {
    ICEBERG_IDENTITY,
    ICEBERG_BUCKET,
    ICEBERG_TRUNCATE,
    ICEBERG_YEAR,
    ICEBERG_MONTH,
    ICEBERG_DAY,
    ICEBERG_HOUR,
    ICEBERG_VOID, /* and those that are not known */
} iceberg_transform;

typedef struct iceberg_field {
    int32_t source_id; /* of the column */
    int32_t field_id;  /* of the partition's field */
    iceberg_transform transform;
    int64_t parameter; /* buckets, width */
} iceberg_field;

typedef struct iceberg_spec {
    int64_t id;
    ARRAY(iceberg_field) fields;
} iceberg_spec;

typedef struct iceberg_metadata {
    arena *memory;
    const char *root, *name; /* the table's folder, how errors call the table */
    const char *path;        /* of the metadata */
    const char *location;    /* the table's folder when it was written */
    int64_t version;         /* of the format */
    yyjson_val *json;
    yyjson_val *snapshot; /* NULL: the table has no rows */
    int64_t snapshot_id;
    bool is_past; /* a snapshot was asked for: its own schema counts, not the current one */
    ARRAY(iceberg_spec) specs;
    struct iceberg_source *source; /* iceberg_files.c */
    const struct rest_table *rest; /* NULL: no catalog told of the table */
    uint32_t store; /* as object_store_use, of keys that the catalog lends; 0: none */
} iceberg_metadata;

/* Finds the newest metadata of the table: as version-hint.text says, else by its number. In the arena. */
CHECKED status iceberg_find_metadata(arena *a, const char *path, const char **out_root,
                                     const char **out);
CHECKED status iceberg_read_metadata(arena *a, const lake_request *request, iceberg_metadata *out);
/* Adds the schema's columns, with what they were called in files without field ids. */
CHECKED status iceberg_add_columns(iceberg_metadata *m, pq_given *given);
/* Returns where a file of the table is now: below the root, if it lay below the location; NULL: no memory. */
const char *iceberg_path(iceberg_metadata *m, const char *path);
const iceberg_spec *iceberg_find_spec(const iceberg_metadata *m, int64_t id);

#endif
