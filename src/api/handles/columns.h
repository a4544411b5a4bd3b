/* columns.h - the columns of what a statement returns. */
#ifndef PISTACHIO_API_HANDLES_COLUMNS_H
#define PISTACHIO_API_HANDLES_COLUMNS_H

#include "sql/statement/statement.h"

/* The columns of what a statement returns, known from binding alone; in its arena. */
typedef struct api_columns {
    uint32_t count;
    const char **names;
    data_type *types;
    const char **type_names;
} api_columns;

/* The type's name, whole, in the arena. */
CHECKED status api_type_text(arena *a, data_type type, const char **out);

CHECKED status api_columns_make(const sql_statement *statement, api_columns *out);

#endif
