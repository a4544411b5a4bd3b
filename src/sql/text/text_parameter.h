/* text_parameter.h - the parameters of a statement's text. */
#ifndef PISTACHIO_SQL_TEXT_TEXT_PARAMETER_H
#define PISTACHIO_SQL_TEXT_TEXT_PARAMETER_H

#include "sql/text/text.h"

/* Returns the parameter at a position, or NULL. */
sql_parameter *sql_text_parameter(const sql_text *text, int32_t position);
/* Numbers the parameters among the tokens. */
CHECKED status sql_text_parameters(arena *a, sql_text *text, const pg_token *tokens, size_t count);

#endif
