/* iceberg_files.h - the files of a snapshot, from its manifests. */
#ifndef PISTACHIO_LAKE_ICEBERG_ICEBERG_FILES_H
#define PISTACHIO_LAKE_ICEBERG_ICEBERG_FILES_H

#include "lake/iceberg/iceberg_metadata.h"

/* Adds the data files of the snapshot, with bounds, and the deletes that concern each. */
CHECKED status iceberg_add_files(iceberg_metadata *m, pq_given *given);

#endif
