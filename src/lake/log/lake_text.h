/* lake_text.h - what lakes keep their logs in: small files, JSON, paths. */
#ifndef PISTACHIO_LAKE_LOG_LAKE_TEXT_H
#define PISTACHIO_LAKE_LOG_LAKE_TEXT_H

#include "base/type/type.h"
#include "storage/file.h"

#include <yyjson/yyjson.h>

/* A file of a log with more bytes is refused. */
#define LAKE_FILE_BYTES_MAX ((uint64_t)1 << 30)

/* Reads all of a file or object into the arena, with a zero after it. Failures name the file. */
CHECKED status lake_read(arena *a, const char *path, char **out, size_t *out_bytes);
/* Parses one JSON value at *at, which moves behind it and the spaces after it. *out lives as long as the arena.
 * path: for errors. */
CHECKED status lake_json(arena *a, const char *path, char *text, size_t bytes, size_t *at,
                         yyjson_val **out);

/* Fields of an object; NULL and false: it has none of that type. The object may be NULL. Numbers from 2^63 on, as some
 * writers have for identifiers, are taken as 64 bits. */
const char *lake_json_text(yyjson_val *object, const char *name);
bool lake_json_int(yyjson_val *object, const char *name, int64_t *out);
bool lake_json_bool(yyjson_val *object, const char *name);
/* Reads a value of the type from a JSON value as logs write it; false: it is not one. Text in the arena. */
bool lake_json_value(arena *a, yyjson_val *from, data_type type, value *out);
/* Reads a value of the type from text. A blob is the text's bytes. */
bool lake_text_value(arena *a, const char *text, data_type type, value *out);

/* Returns the path that a log names: URLs of files become paths, relative ones are below the root. is_escaped: it has
 * percent-escapes. In the arena; NULL: no memory. */
const char *lake_path(arena *a, const char *root, const char *path, bool is_escaped);
/* Returns the last part of a path. */
const char *lake_name_of(const char *path);
/* Lists the files of a folder whose names match a pattern; none: an empty list. Sorted. */
CHECKED status lake_list(arena *a, const char *folder, const char *pattern, path_list *out);

#endif
