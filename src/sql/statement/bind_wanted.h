/* bind_wanted.h - how many rows of its recursive queries a statement reads. */
#ifndef PISTACHIO_SQL_STATEMENT_BIND_WANTED_H
#define PISTACHIO_SQL_STATEMENT_BIND_WANTED_H

#include "sql/catalog/rounds.h"
#include "sql/types/binder.h"

/* Looks at the plan of a statement that was tried: nodes stand for the rows of its recursive queries. */
void bind_find_wanted(const binder *b, const plan_statement *statement, sql_wanted_rows *out);

#endif
