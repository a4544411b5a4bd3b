/* made_rows.h - functions of rows that are queries: json_each and its like. */
#ifndef PISTACHIO_SQL_QUERY_MADE_ROWS_H
#define PISTACHIO_SQL_QUERY_MADE_ROWS_H

#include "sql/types/binder.h"

/* Makes a LATERAL subquery of a call in FROM; *out is NULL where the function is another one. */
CHECKED status made_rows(binder *b, const RangeFunction *range, const RangeSubselect **out);
/* Makes a LATERAL subquery of a call of a function of one row: a column of the alias's name, or of the function's. */
CHECKED status made_rows_scalar(binder *b, const RangeFunction *range, const RangeSubselect **out);

#endif
