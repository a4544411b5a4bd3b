/* iceberg_files.h - the files of a snapshot, from its manifests. */
#ifndef PISTACHIO_LAKE_ICEBERG_ICEBERG_FILES_H
#define PISTACHIO_LAKE_ICEBERG_ICEBERG_FILES_H

#include "lake/iceberg/iceberg_deletes.h"
#include "lake/iceberg/iceberg_metadata.h"

/* Adds the data files of the snapshot, with bounds, and the deletes that concern each. */
CHECKED status iceberg_add_files(iceberg_metadata *m, pq_given *given);
/* Returns the deletes of the snapshot, which has some files. */
const iceberg_delete_list *iceberg_listed_deletes(const iceberg_metadata *m);

#endif
