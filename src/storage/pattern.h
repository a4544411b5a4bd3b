/* pattern.h - the files that a pattern means. */
#ifndef PISTACHIO_STORAGE_PATTERN_H
#define PISTACHIO_STORAGE_PATTERN_H

#include "storage/file.h"

/* Hidden: what begins with a dot or, but for partitions (_key=value), with an underscore, as logs and
 * unfinished files of those who write folders do. */
bool file_name_is_hidden(const char *name);

/* Returns whether the name ends in ".parquet", in any case, and has something before it. */
bool file_name_is_parquet(const char *name);
/* Returns whether one of the first `bytes` of the name is * ? or [. */
bool file_name_has_wildcard(const char *name, size_t bytes);

/* Files that match, each once, sorted by name. Between slashes * ? and [..] match what is not hidden,
 * unless the pattern begins as it does; ** is any number of folders, none too, but those behind
 * symbolic links; at the end it is all *.parquet below. A part that is the name of what lies there, and
 * would not match itself, is that name: "D[x]". A folder that goes meanwhile is left out.
 * Text in the arena. None: an empty list. */
CHECKED status file_match(arena *a, const char *pattern, path_list *out);

/* A pattern for names that somebody else lists. */
typedef struct file_pattern file_pattern;
/* In the arena. INVALID: it has more parts than FILE_PATTERN_PARTS_MAX. */
#define FILE_PATTERN_PARTS_MAX 63
CHECKED status file_pattern_new(arena *a, const char *pattern, const file_pattern **out);
/* Returns whether file_match would find a file of that path, were it there. */
bool file_pattern_matches(const file_pattern *pattern, const char *path);

#endif
