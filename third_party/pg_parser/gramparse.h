/*-------------------------------------------------------------------------
 *
 * gramparse.h
 *	  what scanner, grammar and their helpers share
 *
 * From PostgreSQL 15.18's gramparse.h and scanner.h; README.md says what was changed.
 *
 * Portions Copyright (c) 1996-2022, PostgreSQL Global Development Group
 * Portions Copyright (c) 1994, Regents of the University of California
 *
 *-------------------------------------------------------------------------
 */
#ifndef PG_PARSER_GRAMPARSE_H
#define PG_PARSER_GRAMPARSE_H

#include "shim.h"

/*
 * The scanner returns extra data about scanned tokens in this union type.
 * Note that this is a subset of the fields used in YYSTYPE of the bison
 * parsers built atop the scanner.
 */
typedef union core_YYSTYPE
{
	int			ival;			/* for integer literals */
	char	   *str;			/* for identifiers and non-integer literals */
	const char *keyword;		/* canonical spelling of keywords */
} core_YYSTYPE;

/*
 * We track token locations in terms of byte offsets from the start of the
 * source string, not the column number/line number representation that
 * bison uses by default.  Also, to minimize overhead we track only one
 * location (usually the first token location) for each construct, not
 * the beginning and ending locations as bison does by default.  It's
 * therefore sufficient to make YYLTYPE an int.
 */
#define YYLTYPE  int

/*
 * Another important component of the scanner's API is the token code numbers.
 * However, those are not defined in this file, because bison insists on
 * defining them for itself.  The token codes used by the core scanner are
 * the ASCII characters plus these:
 *	%token <str>	IDENT UIDENT FCONST SCONST USCONST BCONST XCONST Op
 *	%token <ival>	ICONST PARAM
 *	%token			TYPECAST DOT_DOT COLON_EQUALS EQUALS_GREATER
 *	%token			LESS_EQUALS GREATER_EQUALS NOT_EQUALS
 * The above token definitions *must* be the first ones declared in any
 * bison parser built atop this scanner, so that they will have consistent
 * numbers assigned to them (specifically, IDENT = 258 and so on).
 */

/*
 * The YY_EXTRA data that a flex scanner allows us to pass around.
 * Private state needed by the core scanner goes here.  Note that the actual
 * yy_extra struct may be larger and have this as its first component, thus
 * allowing the calling parser to keep some fields of its own in YY_EXTRA.
 */
typedef struct core_yy_extra_type
{
	/*
	 * The string the scanner is physically scanning.  We keep this mainly so
	 * that we can cheaply compute the offset of the current token (yytext).
	 */
	char	   *scanbuf;
	Size		scanbuflen;

	/*
	 * The keyword list to use, and the associated grammar token codes.
	 */
	const ScanKeywordList *keywordlist;
	const uint16 *keyword_tokens;

	/*
	 * literalbuf is used to accumulate literal values when multiple rules are
	 * needed to parse a single literal.  Call startlit() to reset buffer to
	 * empty, addlit() to add text.  NOTE: the string in literalbuf is NOT
	 * necessarily null-terminated, but there always IS room to add a trailing
	 * null at offset literallen.  We store a null only when we need it.
	 */
	char	   *literalbuf;		/* palloc'd expandable buffer */
	int			literallen;		/* actual current string length */
	int			literalalloc;	/* current allocated buffer size */

	/*
	 * Random assorted scanner state.
	 */
	int			state_before_str_stop;	/* start cond. before end quote */
	int			xcdepth;		/* depth of nesting in slash-star comments */
	char	   *dolqstart;		/* current $foo$ quote start string */
	YYLTYPE		save_yylloc;	/* one-element stack for PUSH_YYLLOC() */

	/* first part of UTF16 surrogate pair for Unicode escapes */
	int32		utf16_first_part;

	bool		saw_non_ascii;
} core_yy_extra_type;

/*
 * The type of yyscanner is opaque outside scan.l.
 */
typedef void *core_yyscan_t;

/* Support for scanner_errposition_callback function */
typedef struct ScannerCallbackState
{
	core_yyscan_t yyscanner;
	int			location;
} ScannerCallbackState;


/* Constant data exported from parser/scan.l */
extern const uint16 ScanKeywordTokens[];

/* Entry points in parser/scan.l */
extern core_yyscan_t scanner_init(const char *str,
								  core_yy_extra_type *yyext,
								  const ScanKeywordList *keywordlist,
								  const uint16 *keyword_tokens);
extern int	scanner_position(core_yyscan_t yyscanner);
extern int	core_yylex(core_YYSTYPE *lvalp, YYLTYPE *llocp,
					   core_yyscan_t yyscanner);
extern int	scanner_errposition(int location, core_yyscan_t yyscanner);
extern void setup_scanner_errposition_callback(ScannerCallbackState *scbstate,
											   core_yyscan_t yyscanner,
											   int location);
extern void cancel_scanner_errposition_callback(ScannerCallbackState *scbstate);
extern void scanner_yyerror(const char *message, core_yyscan_t yyscanner) pg_attribute_noreturn();

/*
 * NB: include gram.h only AFTER including scanner.h, because scanner.h
 * is what #defines YYLTYPE.
 */
#include <pg_parser/gram.h>

/* A token with its place: bytes [start, end). */
typedef struct pg_lexeme
{
	int			token;			/* 0: the end */
	core_YYSTYPE value;
	YYLTYPE		start;
	YYLTYPE		end;
} pg_lexeme;

/*
 * The YY_EXTRA data that a flex scanner allows us to pass around.  Private
 * state needed for raw parsing/lexing goes here.
 */
typedef struct base_yy_extra_type
{
	/*
	 * Fields used by the core scanner.
	 */
	core_yy_extra_type core_yy_extra;

	/*
	 * State variables for base_yylex(): tokens that were looked at ahead, and
	 * the last two that it has returned.
	 */
	pg_lexeme	queue[4];
	int			queued;
	pg_lexeme	last;
	pg_lexeme	before_last;
	const char *text;			/* what is parsed */
	int			depth;			/* open parentheses */
	uint64_t		after_interval; /* bits of those, from the outermost, that stand after INTERVAL */
	bool		closes_interval;	/* the last token closes one of them */
	uint64_t		after_comma;	/* bits of parentheses that stand after a comma */
	bool		closes_after_comma;
	uint64_t		of_lambdas;		/* bits of those with arguments of a function that takes a lambda */

	/*
	 * State variables that belong to the grammar.
	 */
	List	   *parsetree;		/* final parse result is delivered here */
} base_yy_extra_type;

/*
 * In principle we should use yyget_extra() to fetch the yyextra field
 * from a yyscanner struct.  However, flex always puts that field first,
 * and this is sufficiently performance-critical to make it seem worth
 * cheating a bit to use an inline macro.
 */
#define pg_yyget_extra(yyscanner) (*((base_yy_extra_type **) (yyscanner)))


/* from parser.c */
extern List *raw_parser(const char *str);
extern int	base_yylex(YYSTYPE *lvalp, YYLTYPE *llocp,
					   core_yyscan_t yyscanner);

extern pg_lexeme *pg_peek(base_yy_extra_type *yyextra, int ahead, core_yyscan_t yyscanner);
extern void pg_lexeme_error(const char *message, const pg_lexeme *lexeme,
							base_yy_extra_type *yyextra) pg_attribute_noreturn();

/* from words.c */
extern int	pg_word_token(const pg_lexeme *word, base_yy_extra_type *yyextra, core_yyscan_t yyscanner);
extern void pg_note_parenthesis(const pg_lexeme *lexeme, base_yy_extra_type *yyextra);
extern bool pg_is_lambda_arrow(const pg_lexeme *lexeme, const base_yy_extra_type *yyextra);
extern void pg_refuse_keyword(const pg_lexeme *word, base_yy_extra_type *yyextra,
							  core_yyscan_t yyscanner);
extern bool pg_is_sample(const pg_lexeme *next);
extern bool pg_is_not_glob(base_yy_extra_type *yyextra, core_yyscan_t yyscanner);
extern bool pg_is_factorial(const pg_lexeme *lexeme, const base_yy_extra_type *yyextra);
extern bool pg_is_limit_percent(int next);
extern bool pg_is_as_of(const pg_lexeme *word, const char *wanted, base_yy_extra_type *yyextra,
						core_yyscan_t yyscanner);
extern void pg_refuse(const char *what, int location, core_yyscan_t yyscanner) pg_attribute_noreturn();

/* from gram.y */
extern void parser_init(base_yy_extra_type *yyext);
extern int	base_yyparse(core_yyscan_t yyscanner);

#endif
