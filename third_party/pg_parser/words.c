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
		case '}':
			return true;
		default:
			return false;
	}
}

/* What an item of a select list, or of COLUMNS, stands after. */
static bool
begins_item(int before)
{
	switch (before)
	{
		case TOKEN_SELECT:
		case TOKEN_DISTINCT:
		case TOKEN_ALL:
		case '(':
		case ')':
		case ',':
		case '.':
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

static const char *const lambda_functions[] = {
	"list_transform", "array_transform", "list_apply", "array_apply", "apply",
	"list_filter", "array_filter", "filter", "list_reduce", "array_reduce", "reduce"};

/* Whether the name is that of a function which takes a lambda. */
static bool
takes_lambda(const pg_lexeme *word)
{
	if (word->token != TOKEN_IDENT)
		return false;
	for (size_t i = 0; i < sizeof lambda_functions / sizeof *lambda_functions; i++)
		if (!strcmp(word->value.str, lambda_functions[i]))
			return true;
	return false;
}

static void
set_bit(uint64_t *bits, uint64_t bit, bool on)
{
	*bits = on ? *bits | bit : *bits & ~bit;
}

/* The bit of the parenthesis at a depth; 0 if it is too deep for one. */
static uint64_t
depth_bit(int depth)
{
	return depth >= 0 && depth < 64 ? (uint64_t) 1 << depth : 0;
}

/* Keeps count of parentheses, and of what stands before each. */
void
pg_note_parenthesis(const pg_lexeme *lexeme, base_yy_extra_type *yyextra)
{
	uint64_t	bit;

	yyextra->closes_interval = yyextra->closes_after_comma = false;
	if (lexeme->token == '(')
	{
		bit = depth_bit(yyextra->depth);
		set_bit(&yyextra->after_interval, bit, yyextra->last.token == TOKEN_INTERVAL);
		set_bit(&yyextra->after_comma, bit, yyextra->last.token == ',');
		set_bit(&yyextra->of_lambdas, bit, takes_lambda(&yyextra->last));
		yyextra->depth++;
	}
	else if (lexeme->token == ')' && yyextra->depth > 0)
	{
		yyextra->depth--;
		bit = depth_bit(yyextra->depth);
		yyextra->closes_interval = (yyextra->after_interval & bit) != 0;
		yyextra->closes_after_comma = (yyextra->after_comma & bit) != 0;
	}
}

/*
 * pg_is_lambda_arrow
 *		Whether the operator -> stands between the parameters of a lambda and its body.
 *
 * It does if an argument of a function that takes lambdas begins with a name, or a parenthesis, and the operator.
 * Everywhere else -> reads a part of a JSON text.
 */
bool
pg_is_lambda_arrow(const pg_lexeme *lexeme, const base_yy_extra_type *yyextra)
{
	if (strcmp(lexeme->value.str, "->") || !(yyextra->of_lambdas & depth_bit(yyextra->depth - 1)))
		return false;
	if (yyextra->last.token == ')')
		return yyextra->closes_after_comma;
	return yyextra->before_last.token == ',' && yyextra->last.token != TOKEN_SCONST && yyextra->last.token != TOKEN_PARAM;
}

/* The unit of INTERVAL 'number', INTERVAL number or INTERVAL (number). */
static bool
is_interval_unit(const pg_lexeme *word, const base_yy_extra_type *yyextra)
{
	const pg_lexeme *number = &yyextra->last;
	char		digits[24];

	if (yyextra->closes_interval)
		return pg_is_interval("1", word->value.str);
	if (yyextra->before_last.token != TOKEN_INTERVAL)
		return false;
	if (number->token == TOKEN_SCONST)
		return pg_is_interval(number->value.str, word->value.str);
	if (number->token != TOKEN_ICONST)
		return false;
	snprintf(digits, sizeof digits, "%d", number->value.ival);
	return pg_is_interval(digits, word->value.str);
}

/* ASOF and POSITIONAL before a join's words; 0: it is a name. */
static int
join_token(const pg_lexeme *word, int next, const base_yy_extra_type *yyextra)
{
	const char *text = word->value.str;

	if (!is_join_word(next) || may_name_table(yyextra->last.token))
		return 0;
	if (!strcmp(text, "asof"))
		return TOKEN_ASOF_LA;
	if (next != TOKEN_JOIN)
		return 0;
	if (!strcmp(text, "semi"))
		return TOKEN_SEMI_LA;
	if (!strcmp(text, "anti"))
		return TOKEN_ANTI_LA;
	return strcmp(text, "positional") ? 0 : TOKEN_POSITIONAL_LA;
}

/* What a query may begin after, besides a parenthesis. */
static bool
begins_query(int before)
{
	switch (before)
	{
		case 0:
		case TOKEN_AS:
		case TOKEN_EXPLAIN:
		case TOKEN_ANALYZE:
		case TOKEN_DESCRIBE_LA:
		case TOKEN_SUMMARIZE_LA:
			return true;
		default:
			return false;
	}
}

/* PIVOT and UNPIVOT after a table, and where a query begins; 0: it is a name. */
static int
pivot_token(const pg_lexeme *word, const pg_lexeme *next, base_yy_extra_type *yyextra,
			core_yyscan_t yyscanner)
{
	bool		is_pivot = !strcmp(word->value.str, "pivot");
	int			token = is_pivot ? TOKEN_PIVOT_LA : TOKEN_UNPIVOT_LA,
				before = yyextra->last.token;
	bool		names_table = next->token == TOKEN_IDENT || next->token == TOKEN_SCONST;

	if (!is_pivot && strcmp(word->value.str, "unpivot"))
		return 0;
	if (next->token == '(' && ends_value(before))
		return token;
	if (!is_pivot && (next->token == TOKEN_INCLUDE || next->token == TOKEN_EXCLUDE) &&
		pg_peek(yyextra, 1, yyscanner)->token == TOKEN_NULLS_P)
		return token;
	if (begins_query(before) && (names_table || next->token == '('))
		return token;
	if (before == '(' && next->token == '(' && may_name_table(yyextra->before_last.token))
		return token;
	return names_table && (before == '(' || before == ')') ? token : 0;
}

/* Words that begin a statement; 0: it is a name. */
static int
statement_token(const pg_lexeme *word, const pg_lexeme *next, const base_yy_extra_type *yyextra)
{
	const char *text = word->value.str;
	int			before = yyextra->last.token;

	if (before == TOKEN_CREATE || before == TOKEN_DROP || before == TOKEN_REPLACE || before == TOKEN_TEMP ||
		before == TOKEN_TEMPORARY)
		return (!strcmp(text, "macro") || !strcmp(text, "function")) && next->token != '(' ? TOKEN_MACRO_LA : 0;
	if (!strcmp(text, "variable") && (before == TOKEN_SET || before == TOKEN_RESET))
		return next->token == '=' || next->token == TOKEN_TO ? 0 : TOKEN_VARIABLE_LA;
	if (!strcmp(text, "prepare") && (!before || before == TOKEN_DEALLOCATE_LA) && next->token)
		return TOKEN_PREPARE_LA;
	if (!strcmp(text, "rename") && next->token == TOKEN_TO && before != TOKEN_SET)
		return TOKEN_RENAME_TO_LA;
	if (before)
		return 0;
	if (!strcmp(text, "alter"))
		return TOKEN_ALTER_LA;
	if (!strcmp(text, "execute"))
		return TOKEN_EXECUTE_LA;
	if (!strcmp(text, "deallocate"))
		return TOKEN_DEALLOCATE_LA;
	if (!strcmp(text, "use"))
		return TOKEN_USE_LA;
	if (!strcmp(text, "pragma"))
		return TOKEN_PRAGMA_LA;
	if (!strcmp(text, "call"))
		return TOKEN_CALL_LA;
	if (!strcmp(text, "attach"))
		return TOKEN_ATTACH_LA;
	if (!strcmp(text, "uncache") && next->token == TOKEN_TABLE)
		return TOKEN_UNCACHE_LA;
	if (!strcmp(text, "clear") && next->token == TOKEN_CACHE)
		return TOKEN_CLEAR_LA;
	return strcmp(text, "detach") ? 0 : TOKEN_DETACH_LA;
}

/* What may follow LIMIT and its number. */
static bool
ends_list_of_rows(int token)
{
	return !token || token == ';' || token == ')' || token == TOKEN_OFFSET || token == TOKEN_UNION;
}

/* What the pattern of GLOB may begin with. */
static bool
begins_pattern(int token, const base_yy_extra_type *yyextra)
{
	int			before = yyextra->last.token;

	switch (token)
	{
		case TOKEN_IDENT:
		case TOKEN_SCONST:
		case TOKEN_PARAM:
		case TOKEN_NULL_P:
		case TOKEN_CASE:
		case TOKEN_CAST:
		case TOKEN_COALESCE:
			return true;
		case '(':				/* after a table GLOB is its alias */
			return before != TOKEN_IDENT ? before != ')' : !may_name_table(yyextra->before_last.token);
		default:
			return false;
	}
}

/* Whether NOT stands before GLOB. */
bool
pg_is_not_glob(base_yy_extra_type *yyextra, core_yyscan_t yyscanner)
{
	const pg_lexeme *word = pg_peek(yyextra, 0, yyscanner);

	return ends_value(yyextra->last.token) && word->token == TOKEN_IDENT && !strcmp(word->value.str, "glob");
}

/* GLOB between a value and a pattern. */
static bool
is_glob(const pg_lexeme *word, int next, const base_yy_extra_type *yyextra)
{
	int			before = yyextra->last.token;

	if (strcmp(word->value.str, "glob"))
		return false;
	return before == TOKEN_NOT_LA || (ends_value(before) && begins_pattern(next, yyextra));
}

/* The operator ! after a value is its factorial. */
bool
pg_is_factorial(const pg_lexeme *lexeme, const base_yy_extra_type *yyextra)
{
	return !strcmp(lexeme->value.str, "!") && ends_value(yyextra->last.token);
}

/* A percent sign that nothing follows, as after LIMIT. */
bool
pg_is_limit_percent(int next)
{
	return ends_list_of_rows(next);
}

/* PERCENT after the number of LIMIT. */
static bool
is_limit_percent(const pg_lexeme *word, int next, const base_yy_extra_type *yyextra)
{
	int			number = yyextra->last.token;

	return !strcmp(word->value.str, "percent") && (number == TOKEN_ICONST || number == TOKEN_FCONST) &&
		yyextra->before_last.token == TOKEN_LIMIT && ends_list_of_rows(next);
}

/* PERCENT after the number of a sample. */
static bool
is_percent(const pg_lexeme *word, const base_yy_extra_type *yyextra)
{
	int			number = yyextra->last.token,
				before = yyextra->before_last.token;

	return !strcmp(word->value.str, "percent") && (number == TOKEN_ICONST || number == TOKEN_FCONST) &&
		(before == TOKEN_TABLESAMPLE || before == TOKEN_USING_SAMPLE || before == '(');
}

static const char *const xml_words[] = {"xmlconcat", "xmlelement", "xmlexists", "xmlforest", "xmlparse",
										"xmlpi", "xmlroot", "xmlserialize", "xmltable"};

/* Whether a name in parentheses begins here, of which a list of columns follows: not a type, nor a function. */
static bool
names_columns(int before)
{
	switch (before)
	{
		case '.':
		case TOKEN_TABLE:
		case TOKEN_INTO:
		case TOKEN_FROM:
		case TOKEN_JOIN:
		case TOKEN_COPY:
		case TOKEN_WITH:
		case TOKEN_RECURSIVE:
		case TOKEN_VIEW:
		case TOKEN_EXISTS:
			return true;
		default:
			return false;
	}
}

/* LAMBDA before its parameters, STRUCT and MAP before a parenthesis, MAP before a brace; 0: it is a name. */
static int
nested_token(const pg_lexeme *word, int next, base_yy_extra_type *yyextra, core_yyscan_t yyscanner)
{
	const char *text = word->value.str;
	int			after;

	if (!strcmp(text, "lambda") && (yyextra->last.token == '(' || yyextra->last.token == ','))
	{
		after = pg_peek(yyextra, 1, yyscanner)->token;
		return after == ':' || (after == ',' && next == TOKEN_IDENT) ? TOKEN_LAMBDA_LA : 0;
	}
	if (!strcmp(text, "map") && (next == '{' || (next == '(' && !names_columns(yyextra->last.token))))
		return TOKEN_MAP_LA;
	if (!strcmp(text, "struct") && next == '(' && !names_columns(yyextra->last.token))
		return TOKEN_STRUCT_LA;
	return 0;
}

/* IGNORE and RESPECT before NULLS, TRY_CAST and COLUMNS before a parenthesis, RENAME after a star; 0: it is a name. */
static int
expression_token(const pg_lexeme *word, int next, base_yy_extra_type *yyextra,
				 core_yyscan_t yyscanner)
{
	const char *text = word->value.str;

	if (next == TOKEN_NULLS_P)
	{
		int			after = pg_peek(yyextra, 1, yyscanner)->token;

		if (!strcmp(text, "ignore") && (after == TOKEN_OVER || after == ')'))
			return after == TOKEN_OVER ? TOKEN_IGNORE_OVER_LA : TOKEN_IGNORE_LA;
		if (!strcmp(text, "respect") && (after == TOKEN_OVER || after == ')'))
			return after == TOKEN_OVER ? TOKEN_RESPECT_OVER_LA : TOKEN_RESPECT_LA;
	}
	if (next == '(' && yyextra->last.token != '.')
	{
		if (!strcmp(text, "try_cast"))
			return TOKEN_TRY_CAST_LA;
		if (!strcmp(text, "columns"))
			return TOKEN_COLUMNS_LA;
		if (!strcmp(text, "rename") && yyextra->last.token == '*' && begins_item(yyextra->before_last.token))
			return TOKEN_RENAME_LA;
	}
	if (next == '(' && !strncmp(text, "xml", 3))
		for (size_t i = 0; i < sizeof xml_words / sizeof *xml_words; i++)
			if (!strcmp(text, xml_words[i]))
				pg_refuse(xml_words[i], word->start, yyscanner);
	if (!strcmp(text, "export_state") && yyextra->last.token == ')')
		pg_refuse("EXPORT_STATE", word->start, yyscanner);
	return nested_token(word, next, yyextra, yyscanner);
}

/* DESCRIBE and SUMMARIZE at the beginning or after a parenthesis of FROM; 0: it is a name. */
static int
describe_token(const pg_lexeme *word, base_yy_extra_type *yyextra, core_yyscan_t yyscanner)
{
	const char *text = word->value.str;
	bool		is_describe = !strcmp(text, "describe");
	int			next;

	if (!is_describe && strcmp(text, "summarize"))
		return 0;
	if (yyextra->last.token)
	{
		if (yyextra->last.token != '(' || !may_name_table(yyextra->before_last.token))
			return 0;
		next = pg_peek(yyextra, 0, yyscanner)->token;
		if (next != TOKEN_IDENT && next != TOKEN_SCONST && next != TOKEN_SELECT && next != TOKEN_FROM &&
			next != TOKEN_WITH && next != TOKEN_VALUES)
			return 0;
	}
	return is_describe ? TOKEN_DESCRIBE_LA : TOKEN_SUMMARIZE_LA;
}

/* Whether the word begins VERSION AS OF or TIMESTAMP AS OF after a table's name. */
bool
pg_is_as_of(const pg_lexeme *word, const char *wanted, base_yy_extra_type *yyextra,
			core_yyscan_t yyscanner)
{
	const pg_lexeme *third;

	if ((word->token != TOKEN_IDENT && word->token != TOKEN_TIMESTAMP) || !ends_value(yyextra->last.token) ||
		yyextra->text[word->start] == '"' || (word->token == TOKEN_IDENT && strcmp(word->value.str, wanted)) ||
		pg_peek(yyextra, 0, yyscanner)->token != TOKEN_AS)
		return false;
	third = pg_peek(yyextra, 1, yyscanner);
	return third->token == TOKEN_OF;
}

/* Keywords where DuckDB and later PostgreSQLs go on as this grammar does not. */
void
pg_refuse_keyword(const pg_lexeme *word, base_yy_extra_type *yyextra, core_yyscan_t yyscanner)
{
	const pg_lexeme *next = pg_peek(yyextra, 0, yyscanner);
	int			before = yyextra->last.token;

	if (word->token == TOKEN_INSERT && next->token == TOKEN_OR)
		pg_refuse("INSERT OR ...", word->start, yyscanner);
	if (word->token == TOKEN_AT && next->token == '(' && ends_value(before))
		pg_refuse("AT (...)", word->start, yyscanner);
	if (word->token == TOKEN_USING && next->token == TOKEN_KEY && before == ')')
		pg_refuse("USING KEY", word->start, yyscanner);
	if (word->token == TOKEN_IS && next->token == TOKEN_IDENT && !strcmp(next->value.str, "json"))
		pg_refuse("IS JSON", word->start, yyscanner);
}

/* Whether USING, whose next token is `next`, begins a sample. */
bool
pg_is_sample(const pg_lexeme *next)
{
	return next->token == TOKEN_IDENT && !strcmp(next->value.str, "sample");
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
	int			next,
				token;

	if (yyextra->text[word->start] == '"')
		return TOKEN_IDENT;
	if (is_interval_unit(word, yyextra))
		return TOKEN_INTERVAL_UNIT;
	if (!strchr("acdefgilmprstuvx", text[0]))
		return TOKEN_IDENT;
	token = describe_token(word, yyextra, yyscanner);
	next = pg_peek(yyextra, 0, yyscanner)->token;
	if (!token && is_percent(word, yyextra))
		token = TOKEN_PERCENT_LA;
	if (!token && is_limit_percent(word, next, yyextra))
		token = TOKEN_LIMIT_PERCENT_LA;
	if (!token && is_glob(word, next, yyextra))
		token = TOKEN_GLOB_LA;
	if (!token)
		token = statement_token(word, pg_peek(yyextra, 0, yyscanner), yyextra);
	if (!token)
		token = pivot_token(word, pg_peek(yyextra, 0, yyscanner), yyextra, yyscanner);
	if (!token)
		token = join_token(word, next, yyextra);
	if (!token)
		token = expression_token(word, next, yyextra, yyscanner);
	return token ? token : TOKEN_IDENT;
}
