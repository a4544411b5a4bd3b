/* bind_arrow_files.h - Arrow files in FROM. */
#ifndef PISTACHIO_SQL_RELATION_BIND_ARROW_FILES_H
#define PISTACHIO_SQL_RELATION_BIND_ARROW_FILES_H

#include "sql/types/binder.h"

/* Returns whether the function reads such files: read_arrow, read_feather, read_ipc. */
bool bind_is_arrow_function(const char *name);
/* The call of such a function. *out_path: the first path. */
CHECKED status bind_arrow_call(binder *b, const FuncCall *call, plan_node **out,
                               const char **out_path);
/* All that is said of the files is their path. */
CHECKED status bind_arrow_path(binder *b, const char *path, int32_t location, plan_node **out);

#endif
