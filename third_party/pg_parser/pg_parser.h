/* pg_parser.h - PostgreSQL's scanner and grammar as a library: the only header besides nodes.h that
 * the rest of the program includes.
 *
 * A call takes all memory from its host and keeps nothing once it has returned, so any number of
 * threads may be in it. Failures are returned. */
#ifndef PG_PARSER_PG_PARSER_H
#define PG_PARSER_PG_PARSER_H

#include <pg_parser/nodes.h>

typedef struct pg_parser_host
{
	void	   *(*alloc) (void *context, size_t bytes); /* NULL: no memory */
	bool		(*is_cancelled) (void *context);	/* may be NULL; called now and then */
	/* Whether INTERVAL 'number' unit is one; NULL: such units are not known. */
	bool		(*is_interval) (const char *number, const char *unit);
	/* Told of each RangeVar, RangeFunction and CommonTableExpr as it is made, still without content; may be NULL. */
	void		(*note) (void *context, Node *node);
	void	   *context;
} pg_parser_host;

typedef enum pg_parser_result
{
	PG_PARSER_OK,
	PG_PARSER_INVALID,			/* the text is not in the language */
	PG_PARSER_UNSUPPORTED,		/* it is, but is refused */
	PG_PARSER_NO_MEMORY,
	PG_PARSER_CANCELLED
} pg_parser_result;

/* Strings are in the host's memory. */
typedef struct pg_parser_error
{
	const char *message;
	const char *hint;			/* or NULL */
	int			position;		/* byte offset in the text; -1: unknown */
} pg_parser_error;

typedef struct pg_token
{
	int			token;			/* of gram.h, or a character */
	int			start,
				end;			/* byte offsets */
	bool		is_keyword;
} pg_token;

/* *out: the nodes of the text's statements, without their RawStmt. */
pg_parser_result pg_parse(const pg_parser_host *host, const char *text, List **out,
						  pg_parser_error *error);

/* The text's tokens, without comments. */
pg_parser_result pg_scan(const pg_parser_host *host, const char *text, pg_token **out,
						 size_t *out_count, pg_parser_error *error);

#endif
