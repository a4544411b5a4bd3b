/* columns.h - the columns of what a statement returns. */
#ifndef PISTACHIO_API_HANDLES_COLUMNS_H
#define PISTACHIO_API_HANDLES_COLUMNS_H

#include "sql/statement/statement.h"

/* The columns of what a statement returns, known from binding alone; in its arena. */
typedef struct api_columns {
    uint32_t count;
    const char **names;
    data_type *types;
    char (*type_names)[TYPE_NAME_BYTES];
} api_columns;

CHECKED status api_columns_make(const sql_statement *statement, api_columns *out);

#endif
