/* words.c - words of DuckDB's SQL that are keywords in some places only, told by the tokens around them: they stay names
 * everywhere else. */
#include "gramparse.h"

#include <stdio.h>

/* ---- places ---- */

/* What a table's name may stand after, or an alias: SEMI, then, is one. */
static bool
may_name_table(int before)
{
	switch (before)
	{
		case TOKEN_FROM:
		case TOKEN_JOIN:
		case TOKEN_AS:
		case TOKEN_ONLY:
		case TOKEN_LATERAL_P:
		case '(':
		case ',':
		case '.':
			return true;
		default:
			return false;
	}
}

/* The end of an expression, or of a table. */
static bool
ends_value(int before)
{
	switch (before)
	{
		case TOKEN_IDENT:
		case TOKEN_ICONST:
		case TOKEN_FCONST:
		case TOKEN_SCONST:
		case TOKEN_PARAM:
		case ')':
		case ']':
			return true;
		default:
			return false;
	}
}

static bool
is_join_word(int token)
{
	switch (token)
	{
		case TOKEN_JOIN:
		case TOKEN_LEFT:
		case TOKEN_RIGHT:
		case TOKEN_FULL:
		case TOKEN_INNER_P:
			return true;
		default:
			return false;
	}
}

/* ---- words ---- */

void
pg_refuse(const char *what, int location, core_yyscan_t yyscanner)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s is not supported", what),
			 scanner_errposition(location, yyscanner)));
}

/* The unit of INTERVAL 'number' or INTERVAL number. */
static bool
is_interval_unit(const pg_lexeme *word, const base_yy_extra_type *yyextra)
{
	const pg_lexeme *number = &yyextra->last;
	char		digits[24];

	if (yyextra->before_last.token != TOKEN_INTERVAL)
		return false;
	if (number->token == TOKEN_SCONST)
		return pg_is_interval(number->value.str, word->value.str);
	if (number->token != TOKEN_ICONST)
		return false;
	snprintf(digits, sizeof digits, "%d", number->value.ival);
	return pg_is_interval(digits, word->value.str);
}

/* Joins that are not supported, and what a table may be followed by. */
static void
refuse_join(const pg_lexeme *word, int next, const base_yy_extra_type *yyextra,
			core_yyscan_t yyscanner)
{
	const char *text = word->value.str;

	if (is_join_word(next) && !may_name_table(yyextra->last.token))
	{
		if (!strcmp(text, "asof"))
			pg_refuse("ASOF JOIN", word->start, yyscanner);
		if (!strcmp(text, "positional"))
			pg_refuse("POSITIONAL JOIN", word->start, yyscanner);
	}
	if (next == '(' && ends_value(yyextra->last.token))
	{
		if (!strcmp(text, "pivot"))
			pg_refuse("PIVOT", word->start, yyscanner);
		if (!strcmp(text, "unpivot"))
			pg_refuse("UNPIVOT", word->start, yyscanner);
	}
}

/* Expressions that are not supported. */
static void
refuse_expression(const pg_lexeme *word, int next, const base_yy_extra_type *yyextra,
				  core_yyscan_t yyscanner)
{
	const char *text = word->value.str;

	if (next == TOKEN_NULLS_P && ends_value(yyextra->last.token))
	{
		if (!strcmp(text, "ignore"))
			pg_refuse("IGNORE NULLS", word->start, yyscanner);
		if (!strcmp(text, "respect"))
			pg_refuse("RESPECT NULLS", word->start, yyscanner);
	}
	if (next == '(' && yyextra->last.token != '.')
	{
		if (!strcmp(text, "try_cast"))
			pg_refuse("TRY_CAST", word->start, yyscanner);
	}
	if (next == TOKEN_IDENT && !strcmp(text, "lambda"))
		pg_refuse("a lambda", word->start, yyscanner);
}

/* A word after FROM and a parenthesis, which another follows. */
static void
refuse_in_from(const pg_lexeme *word, base_yy_extra_type *yyextra, core_yyscan_t yyscanner)
{
	const char *text = word->value.str;
	int			next = pg_peek(yyextra, 0, yyscanner)->token;

	if (next != TOKEN_IDENT && next != TOKEN_SCONST && next != TOKEN_SELECT)
		return;
	if (!strcmp(text, "summarize"))
		pg_refuse("SUMMARIZE in FROM", word->start, yyscanner);
	if (!strcmp(text, "describe"))
		pg_refuse("DESCRIBE in FROM", word->start, yyscanner);
}

/* USING, whose next token is `next`. */
void
pg_check_using(const pg_lexeme *word, const pg_lexeme *next, core_yyscan_t yyscanner)
{
	if (next->token == TOKEN_IDENT && !strcmp(next->value.str, "sample"))
		pg_refuse("USING SAMPLE", word->start, yyscanner);
}

/*
 * pg_word_token
 *		The token that a name is in its place: a keyword, or still a name.
 *
 * Refuses what is not supported, by its name.
 */
int
pg_word_token(const pg_lexeme *word, base_yy_extra_type *yyextra, core_yyscan_t yyscanner)
{
	const char *text = word->value.str;
	int			next;

	if (yyextra->text[word->start] == '"')
		return TOKEN_IDENT;
	if (is_interval_unit(word, yyextra))
		return TOKEN_INTERVAL_UNIT;
	if (!strchr("adilprstu", text[0]))
		return TOKEN_IDENT;
	if (!yyextra->last.token && !strcmp(text, "describe"))
		return TOKEN_DESCRIBE_LA;
	if (!yyextra->last.token && !strcmp(text, "summarize"))
		return TOKEN_SUMMARIZE_LA;
	if (yyextra->last.token == '(' && may_name_table(yyextra->before_last.token))
		refuse_in_from(word, yyextra, yyscanner);
	next = pg_peek(yyextra, 0, yyscanner)->token;
	if (next == TOKEN_JOIN && !may_name_table(yyextra->last.token))
	{
		if (!strcmp(text, "semi"))
			return TOKEN_SEMI_LA;
		if (!strcmp(text, "anti"))
			return TOKEN_ANTI_LA;
	}
	refuse_join(word, next, yyextra, yyscanner);
	refuse_expression(word, next, yyextra, yyscanner);
	return TOKEN_IDENT;
}
