/*-------------------------------------------------------------------------
 *
 * parser.c
 *		Main entry point/driver for PostgreSQL grammar
 *
 * Note that the grammar is not allowed to perform any table access
 * (since we need to be able to do basic parsing even while inside an
 * aborted transaction).  Therefore, the data structures returned by
 * the grammar are "raw" parsetrees that still need to be analyzed by
 * analyze.c and related files.
 *
 *
 * Portions Copyright (c) 1996-2022, PostgreSQL Global Development Group
 * Portions Copyright (c) 1994, Regents of the University of California
 *
 * IDENTIFICATION
 *	  src/backend/parser/parser.c
 *
 *-------------------------------------------------------------------------
 */

#include "gramparse.h"

#include <ctype.h>

static bool check_uescapechar(unsigned char escape);
static char *str_udeescape(const char *str, char escape,
						   int position, core_yyscan_t yyscanner);


/*
 * raw_parser
 *		Given a query in string form, do lexical and grammatical analysis.
 *
 * Returns a list of raw (un-analyzed) parse trees.
 */
List *
raw_parser(const char *str)
{
	core_yyscan_t yyscanner;
	base_yy_extra_type yyextra;
	int			yyresult;

	/* initialize the flex scanner */
	yyscanner = scanner_init(str, &yyextra.core_yy_extra,
							 &ScanKeywords, ScanKeywordTokens);

	/* base_yylex() needs the tokens that were looked at ahead, and the last ones */
	yyextra.queued = 0;
	yyextra.last = yyextra.before_last = (pg_lexeme) {0};
	yyextra.text = str;
	yyextra.depth = 0;
	yyextra.after_interval = 0;
	yyextra.after_comma = yyextra.of_lambdas = 0;
	yyextra.closes_interval = yyextra.closes_after_comma = false;

	/* initialize the bison parser */
	parser_init(&yyextra);

	/* Parse! */
	yyresult = base_yyparse(yyscanner);

	if (yyresult)				/* the parser's stack is exhausted */
		return NIL;

	return yyextra.parsetree;
}


/*
 * Intermediate filter between parser and core lexer (core_yylex in scan.l).
 *
 * This filter is needed because in some cases the standard SQL grammar
 * requires more than one token lookahead.  We reduce these cases to one-token
 * lookahead by replacing tokens here, in order to keep the grammar LALR(1).
 *
 * We also use this filter to convert UIDENT and USCONST sequences into
 * plain IDENT and SCONST tokens.  While that could be handled by additional
 * productions in the main grammar, it's more efficient to do it like this.
 *
 * Words that are keywords only in some places (SEMI before JOIN) are told
 * apart from names here, too: words.c.
 */

/* The token that comes `ahead` of the next one. */
pg_lexeme *
pg_peek(base_yy_extra_type *yyextra, int ahead, core_yyscan_t yyscanner)
{
	while (yyextra->queued <= ahead)
	{
		pg_lexeme  *next = &yyextra->queue[yyextra->queued];

		pg_check_cancelled();
		next->token = core_yylex(&next->value, &next->start, yyscanner);
		next->end = next->token ? scanner_position(yyscanner) : next->start;
		yyextra->queued++;
	}
	return &yyextra->queue[ahead];
}

/* Takes the next token. */
static pg_lexeme
next_lexeme(base_yy_extra_type *yyextra, core_yyscan_t yyscanner)
{
	pg_lexeme	taken = *pg_peek(yyextra, 0, yyscanner);

	yyextra->queued--;
	memmove(yyextra->queue, yyextra->queue + 1, (size_t) yyextra->queued * sizeof taken);
	return taken;
}

/* A quoted name or text with Unicode escapes, and the UESCAPE after it. */
static void
unescape(pg_lexeme *lexeme, base_yy_extra_type *yyextra, core_yyscan_t yyscanner)
{
	char		escape = '\\';

	if (pg_peek(yyextra, 0, yyscanner)->token == TOKEN_UESCAPE)
	{
		pg_lexeme	third;

		(void) next_lexeme(yyextra, yyscanner);
		third = next_lexeme(yyextra, yyscanner);
		if (third.token != TOKEN_SCONST)
			pg_lexeme_error("UESCAPE must be followed by a simple string literal", &third, yyextra);
		if (strlen(third.value.str) != 1 || !check_uescapechar(third.value.str[0]))
			pg_lexeme_error("invalid Unicode escape character", &third, yyextra);
		escape = third.value.str[0];
	}
	lexeme->value.str = str_udeescape(lexeme->value.str, escape, lexeme->start, yyscanner);
	lexeme->token = lexeme->token == TOKEN_UIDENT ? TOKEN_IDENT : TOKEN_SCONST;
}

/* Reserved words and what else no item of a list begins with. */
static bool
ends_list(int token)
{
	switch (token)
	{
		case 0:
		case ';':
		case ')':
		case ']':
		case '}':
		case TOKEN_SELECT:
		case TOKEN_FROM:
		case TOKEN_WHERE:
		case TOKEN_GROUP_P:
		case TOKEN_HAVING:
		case TOKEN_WINDOW:
		case TOKEN_QUALIFY:
		case TOKEN_UNION:
		case TOKEN_INTERSECT:
		case TOKEN_EXCEPT:
		case TOKEN_ORDER:
		case TOKEN_LIMIT:
		case TOKEN_OFFSET:
		case TOKEN_FETCH:
			return true;
		default:
			return false;
	}
}

/* VERSION AS OF and TIMESTAMP AS OF after a table are one token. */
static void
take_as_of(pg_lexeme *lexeme, const char *word, base_yy_extra_type *yyextra,
		   core_yyscan_t yyscanner)
{
	if (!pg_is_as_of(lexeme, word, yyextra, yyscanner))
		return;
	(void) next_lexeme(yyextra, yyscanner);
	lexeme->end = next_lexeme(yyextra, yyscanner).end;
	lexeme->token = TOKEN_AS_OF_LA;
	lexeme->value.str = pstrdup(word);
}

int
base_yylex(YYSTYPE *lvalp, YYLTYPE *llocp, core_yyscan_t yyscanner)
{
	base_yy_extra_type *yyextra = pg_yyget_extra(yyscanner);
	pg_lexeme	lexeme = next_lexeme(yyextra, yyscanner);

	switch (lexeme.token)
	{
		case TOKEN_NOT:
			/* Replace NOT by NOT_LA if it's followed by BETWEEN, IN, etc */
			switch (pg_peek(yyextra, 0, yyscanner)->token)
			{
				case TOKEN_BETWEEN:
				case TOKEN_IN_P:
				case TOKEN_LIKE:
				case TOKEN_ILIKE:
				case TOKEN_SIMILAR:
					lexeme.token = TOKEN_NOT_LA;
					break;
				case TOKEN_IDENT:
					if (pg_is_not_glob(yyextra, yyscanner))
						lexeme.token = TOKEN_NOT_LA;
					break;
			}
			break;

		case TOKEN_NULLS_P:
			/* Replace NULLS_P by NULLS_LA if it's followed by FIRST or LAST */
			switch (pg_peek(yyextra, 0, yyscanner)->token)
			{
				case TOKEN_FIRST_P:
				case TOKEN_LAST_P:
					lexeme.token = TOKEN_NULLS_LA;
					break;
			}
			break;

		case TOKEN_WITH:
			/* Replace WITH by WITH_LA if it's followed by TIME or ORDINALITY */
			switch (pg_peek(yyextra, 0, yyscanner)->token)
			{
				case TOKEN_TIME:
				case TOKEN_ORDINALITY:
					lexeme.token = TOKEN_WITH_LA;
					break;
			}
			break;

		case TOKEN_UIDENT:
		case TOKEN_USCONST:
			unescape(&lexeme, yyextra, yyscanner);
			break;

		case TOKEN_IDENT:
			lexeme.token = pg_word_token(&lexeme, yyextra, yyscanner);
			take_as_of(&lexeme, "version", yyextra, yyscanner);
			break;

		case TOKEN_TIMESTAMP:
			take_as_of(&lexeme, "timestamp", yyextra, yyscanner);
			break;

		case ',':
			/* A comma that nothing follows is passed over. */
			if (ends_list(pg_peek(yyextra, 0, yyscanner)->token))
				return base_yylex(lvalp, llocp, yyscanner);
			break;

		case TOKEN_Op:
			if (pg_is_lambda_arrow(&lexeme, yyextra))
				lexeme.token = TOKEN_LAMBDA_ARROW;
			else if (pg_is_factorial(&lexeme, yyextra))
				lexeme.token = TOKEN_FACTORIAL_LA;
			break;

		case TOKEN_INSERT:
		case TOKEN_AT:
		case TOKEN_IS:
			pg_refuse_keyword(&lexeme, yyextra, yyscanner);
			break;

		case '%':
			if (pg_is_limit_percent(pg_peek(yyextra, 0, yyscanner)->token))
				lexeme.token = TOKEN_LIMIT_PERCENT_LA;
			break;

		case TOKEN_USING:
			pg_refuse_keyword(&lexeme, yyextra, yyscanner);
			if (pg_is_sample(pg_peek(yyextra, 0, yyscanner)))
			{
				(void) next_lexeme(yyextra, yyscanner);
				lexeme.token = TOKEN_USING_SAMPLE;
			}
			break;
	}

	pg_note_parenthesis(&lexeme, yyextra);
	yyextra->before_last = yyextra->last;
	yyextra->last = lexeme;
	lvalp->core_yystype = lexeme.value;
	*llocp = lexeme.start;
	return lexeme.token;
}

/*
 * Reports an error of the grammar at a token.
 */
void
pg_lexeme_error(const char *message, const pg_lexeme *lexeme, base_yy_extra_type *yyextra)
{
	if (lexeme->start == lexeme->end)
		ereport(ERROR, (errmsg("%s at end of input", message), errposition(lexeme->start)));
	ereport(ERROR, (errmsg("%s at or near \"%.*s\"", message, lexeme->end - lexeme->start,
						   yyextra->text + lexeme->start), errposition(lexeme->start)));
}

/* convert hex digit (caller should have verified that) to value */
static unsigned int
hexval(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 0xA;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 0xA;
	elog(ERROR, "invalid hexadecimal digit");
	return 0;					/* not reached */
}

/* is Unicode code point acceptable? */
static void
check_unicode_value(pg_wchar c)
{
	if (!is_valid_unicode_codepoint(c))
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("invalid Unicode escape value")));
}

/* is 'escape' acceptable as Unicode escape character (UESCAPE syntax) ? */
static bool
check_uescapechar(unsigned char escape)
{
	if (isxdigit(escape)
		|| escape == '+'
		|| escape == '\''
		|| escape == '"'
		|| scanner_isspace(escape))
		return false;
	else
		return true;
}

/*
 * Process Unicode escapes in "str", producing a palloc'd plain string
 *
 * escape: the escape character to use
 * position: start position of U&'' or U&"" string token
 * yyscanner: context information needed for error reports
 */
static char *
str_udeescape(const char *str, char escape,
			  int position, core_yyscan_t yyscanner)
{
	const char *in;
	char	   *new,
			   *out;
	size_t		new_len;
	pg_wchar	pair_first = 0;
	ScannerCallbackState scbstate;

	/*
	 * Guesstimate that result will be no longer than input, but allow enough
	 * padding for Unicode conversion.
	 */
	new_len = strlen(str) + MAX_UNICODE_EQUIVALENT_STRING + 1;
	new = palloc(new_len);

	in = str;
	out = new;
	while (*in)
	{
		/* Enlarge string if needed */
		size_t		out_dist = out - new;

		if (out_dist > new_len - (MAX_UNICODE_EQUIVALENT_STRING + 1))
		{
			new_len *= 2;
			new = repalloc(new, out_dist, new_len);
			out = new + out_dist;
		}

		if (in[0] == escape)
		{
			/*
			 * Any errors reported while processing this escape sequence will
			 * have an error cursor pointing at the escape.
			 */
			setup_scanner_errposition_callback(&scbstate, yyscanner,
											   in - str + position + 3);	/* 3 for U&" */
			if (in[1] == escape)
			{
				if (pair_first)
					goto invalid_pair;
				*out++ = escape;
				in += 2;
			}
			else if (isxdigit((unsigned char) in[1]) &&
					 isxdigit((unsigned char) in[2]) &&
					 isxdigit((unsigned char) in[3]) &&
					 isxdigit((unsigned char) in[4]))
			{
				pg_wchar	unicode;

				unicode = (hexval(in[1]) << 12) +
					(hexval(in[2]) << 8) +
					(hexval(in[3]) << 4) +
					hexval(in[4]);
				check_unicode_value(unicode);
				if (pair_first)
				{
					if (is_utf16_surrogate_second(unicode))
					{
						unicode = surrogate_pair_to_codepoint(pair_first, unicode);
						pair_first = 0;
					}
					else
						goto invalid_pair;
				}
				else if (is_utf16_surrogate_second(unicode))
					goto invalid_pair;

				if (is_utf16_surrogate_first(unicode))
					pair_first = unicode;
				else
				{
					pg_unicode_to_server(unicode, (unsigned char *) out);
					out += strlen(out);
				}
				in += 5;
			}
			else if (in[1] == '+' &&
					 isxdigit((unsigned char) in[2]) &&
					 isxdigit((unsigned char) in[3]) &&
					 isxdigit((unsigned char) in[4]) &&
					 isxdigit((unsigned char) in[5]) &&
					 isxdigit((unsigned char) in[6]) &&
					 isxdigit((unsigned char) in[7]))
			{
				pg_wchar	unicode;

				unicode = (hexval(in[2]) << 20) +
					(hexval(in[3]) << 16) +
					(hexval(in[4]) << 12) +
					(hexval(in[5]) << 8) +
					(hexval(in[6]) << 4) +
					hexval(in[7]);
				check_unicode_value(unicode);
				if (pair_first)
				{
					if (is_utf16_surrogate_second(unicode))
					{
						unicode = surrogate_pair_to_codepoint(pair_first, unicode);
						pair_first = 0;
					}
					else
						goto invalid_pair;
				}
				else if (is_utf16_surrogate_second(unicode))
					goto invalid_pair;

				if (is_utf16_surrogate_first(unicode))
					pair_first = unicode;
				else
				{
					pg_unicode_to_server(unicode, (unsigned char *) out);
					out += strlen(out);
				}
				in += 8;
			}
			else
				ereport(ERROR,
						(errcode(ERRCODE_SYNTAX_ERROR),
						 errmsg("invalid Unicode escape"),
						 errhint("Unicode escapes must be \\XXXX or \\+XXXXXX.")));

			cancel_scanner_errposition_callback(&scbstate);
		}
		else
		{
			if (pair_first)
				goto invalid_pair;

			*out++ = *in++;
		}
	}

	/* unfinished surrogate pair? */
	if (pair_first)
		goto invalid_pair;

	*out = '\0';
	return new;

	/*
	 * We might get here with the error callback active, or not.  Call
	 * scanner_errposition to make sure an error cursor appears; if the
	 * callback is active, this is duplicative but harmless.
	 */
invalid_pair:
	ereport(ERROR,
			(errcode(ERRCODE_SYNTAX_ERROR),
			 errmsg("invalid Unicode surrogate pair"),
			 scanner_errposition(in - str + position + 3,	/* 3 for U&" */
								 yyscanner)));
	return NULL;				/* keep compiler quiet */
}
