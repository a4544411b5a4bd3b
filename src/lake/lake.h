/* lake.h - tables whose files a log lists: Delta and Iceberg.
 *
 *     delta:path   iceberg:path                what the log says now
 *     delta(version=3):path                    as of a version; of Iceberg a snapshot
 *     delta(timestamp=2026-01-01 12:00:00):path
 *     path                                     a folder that has such a log, or a URL of one
 *     rest:catalog/namespace/table             a table of a catalog that is attached (lake_rest.h)
 *
 * A lake becomes a table whose columns and files are told (parquet/table/table_given.h). */
#ifndef PISTACHIO_LAKE_LAKE_H
#define PISTACHIO_LAKE_LAKE_H

#include "base/setting/setting.h"
#include "lake/log/lake_request.h"
#include "parquet/table/table.h"

/* Reads such a text; of a bare path it looks whether the folder has a log. kind LAKE_NONE: the text is not of a lake.
 * Text in the arena. */
CHECKED status lake_request_parse(arena *a, const char *text, lake_request *out);
/* Returns whether a folder, of this machine or of an object store, has a log. */
lake_kind lake_kind_of_folder(const char *path);
/* Makes the text of a lake in a state, "(version=3)" or "(timestamp=...)", of a text that means the lake; *out is NULL: the
 * text is not of a lake, or says a state itself. In the arena. */
CHECKED status lake_text_as_of(arena *a, const char *text, const char *state, const char **out);
/* Opens the table that the text means; *out NULL: the text is not of a lake. before: what the text meant last, or NULL; it is
 * given again if the log has not grown. */
CHECKED status lake_open(const char *text, bool use_cache, pq_table *before, pq_table **out);

/* ---- the same state in another process ---- */

/* Tells the state of an open lake and the text that it was opened by; in the arena, NULL: no memory. */
const char *lake_tell(arena *a, const pq_table *table);
/* Returns whether the state's files are opened by keys that a catalog has lent: those of the settings that come along. */
bool lake_tells_keys(const char *told);
/* Opens the state that was told; *out_text: the text behind it. keys: settings that have the keys, where lake_tells_keys. */
CHECKED status lake_open_told(const char *told, const settings *keys, bool use_cache,
                              const char **out_text, pq_table **out);

#endif
