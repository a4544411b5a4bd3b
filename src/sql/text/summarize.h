/* summarize.h - what SUMMARIZE becomes. */
#ifndef PISTACHIO_SQL_TEXT_SUMMARIZE_H
#define PISTACHIO_SQL_TEXT_SUMMARIZE_H

#include "plan/tree/plan.h"

/* The text of the query that SUMMARIZE stands for. source: a table's name or path (is_table), or a query, which has
 * these columns. *out is in the arena. */
CHECKED status sql_summary_text(arena *a, const char *source, bool is_table,
                                const plan_column_list *columns, const char **out);

#endif
