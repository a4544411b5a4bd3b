/* iceberg.h - Iceberg tables: metadata JSON, a list of manifests for each snapshot, files in each manifest.
 *
 *     metadata/v3.metadata.json     schemas, partition specs, snapshots
 *     metadata/snap-....avro        a snapshot's manifests, and between which values their partitions lie
 *     metadata/...-m0.avro          data files and files of deletes
 *
 * Specification: iceberg.apache.org/spec. */
#ifndef PISTACHIO_LAKE_ICEBERG_ICEBERG_H
#define PISTACHIO_LAKE_ICEBERG_ICEBERG_H

#include "lake/log/lake_request.h"
#include "parquet/table/table_given.h"

/* Reads the table as of the snapshot or time; everything in the arena. */
CHECKED status iceberg_read(arena *a, const lake_request *request, pq_given **out);
/* Returns whether the table's metadata is the file that was read. */
bool iceberg_is_current(arena *scratch, const lake_request *request, const pq_given *given);
/* Returns the path of the metadata that were read; NULL: it is not an Iceberg table. */
const char *iceberg_metadata_path(const pq_given *given);
/* Returns what a catalog told of the table; NULL: none did, or it is not an Iceberg table. */
const struct rest_table *iceberg_rest_table(const pq_given *given);

#endif
