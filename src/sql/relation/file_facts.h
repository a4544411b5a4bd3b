/* file_facts.h - facts of files as rows: parquet_metadata and its like, glob, pistachio_cache. */
#ifndef PISTACHIO_SQL_RELATION_FILE_FACTS_H
#define PISTACHIO_SQL_RELATION_FILE_FACTS_H

#include "sql/types/binder.h"

/* Makes what stands after SELECT in the query of a call in FROM; *out is NULL where the function is another one. */
CHECKED status file_facts_text(binder *b, const FuncCall *call, const char **out);

#endif
