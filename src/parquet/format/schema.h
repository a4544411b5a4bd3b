/* schema.h - the schema's tree, flattened to the leaves that files have columns of. */
#ifndef PISTACHIO_PARQUET_FORMAT_SCHEMA_H
#define PISTACHIO_PARQUET_FORMAT_SCHEMA_H

#include "base/mem.h"
#include "base/status.h"
#include "parquet/format/metadata.h"
#include "parquet/format/thrift.h"

/* Reads a text, a copy in the arena; "" and a broken reader if it is not a text. */
const char *pq_text_read(arena *a, thrift_reader *r, const thrift_field *field);
/* Sets the leaves. A broken reader is left to the caller to report. */
CHECKED status pq_schema_read(arena *a, thrift_reader *r, const thrift_field *field,
                              pq_metadata *m);

#endif
