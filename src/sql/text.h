/* text.h - a statement's text, made ready for the parser.
 *
 * PostgreSQL's grammar knows no FROM 'file.parquet', no read_parquet(['a', 'b']), no SEMI JOIN, no
 * INTERVAL '2' days, no DESCRIBE or SUMMARIZE, and no parameters ? and $name, which become names.
 * They are rewritten on the token stream, each character by one other, so that every position in
 * the parse tree is a position in the user's text. The rewriting also bounds how deep the parse
 * tree can become, because parser and binder recurse. */
#ifndef PISTACHIO_SQL_TEXT_H
#define PISTACHIO_SQL_TEXT_H

#include "base/mem.h"
#include "sql/parser.h"

/* A single-quoted path that now is an identifier. */
typedef struct sql_path {
    int32_t position;
    const char *path;
} sql_path;

/* A SEMI or ANTI JOIN, which the parser sees as a LEFT JOIN. */
typedef struct sql_reducer {
    int32_t position; /* of the word */
    int32_t
        right; /* of what is joined: its first name, or its query's WITH or first name or expression */
    bool is_anti;
    bool is_bound; /* the binder has found the join */
} sql_reducer;

/* ?, $1 or $name, which the parser sees as a column's name. */
typedef struct sql_parameter {
    int32_t position;
    uint32_t number; /* from 0 */
    bool is_bound;   /* the binder has found it where a value can be */
} sql_parameter;

/* Columns that a * or t.* is without. */
typedef struct sql_exclusion {
    int32_t position; /* of what is before EXCLUDE */
    ARRAY(const char *) names;
} sql_exclusion;

/* Expressions that stand in the place of a *'s columns of their names: items of the select list behind the *, to the
 * parser. */
typedef struct sql_replacement {
    int32_t position; /* of the *, or of the t of t.* */
    int32_t from, to; /* where they are */
} sql_replacement;

/* A piece of the text in the grammar's order, where a query began with FROM. */
typedef struct sql_piece {
    int32_t at;     /* in that text */
    int32_t origin; /* in the statement's */
    bool is_made;   /* of what stands there: none of the statement's text */
} sql_piece;

typedef struct sql_text {
    const char *text; /* one statement, as the user wrote it */
    char *rewritten;  /* as long, for the parser */
    char
        *arranged; /* what the parser is to have instead: SELECT before FROM; NULL: they stand so */
    ARRAY(sql_piece) pieces;
    bool is_empty;
    int32_t start;             /* of its first token */
    uint32_t union_count;      /* UNION ALLs in it (nesting.h) */
    bool is_describe;          /* DESCRIBE was taken off; what follows is a query or: */
    bool is_summarize;         /* it was SUMMARIZE */
    const char *describe_name; /* the name, or path, of a table */
    bool describe_is_path;
    int32_t describe_position;
    bool replaces_table; /* CREATE OR REPLACE TABLE, of which OR REPLACE was taken off */
    int32_t view_query;  /* CREATE VIEW: where the query behind AS begins; -1: no AS */
    ARRAY(sql_path) paths;
    ARRAY(sql_reducer) reducers;
    ARRAY(int32_t) alls; /* places of GROUP BY ALL and ORDER BY ALL */
    ARRAY(sql_exclusion) exclusions;
    ARRAY(sql_replacement) replacements;
    ARRAY(sql_parameter) parameters;     /* each place, in order */
    ARRAY(const char *) parameter_names; /* by number; NULL: ? or $n */
} sql_text;

/* Whether a comment begins here. */
bool sql_is_comment(const char *at);
/* Behind the quoted text, name, comment or single character that begins at `at` (not a zero byte).
 * NULL: a quoted text or comment has no end. */
const char *sql_skip_token(const char *at);
/* Length of the first statement, and of what is behind it up to and with its semicolon. */
size_t sql_statement_length(const char *sql, size_t *out_with_end);

/* INVALID, with the place, where the bytes are not UTF-8; `what` they are, for the message. */
CHECKED status sql_check_utf8(const char *text, size_t bytes, const char *what);

/* Rewrites a statement of `bytes` bytes; all that *out refers to is in the arena. */
CHECKED status sql_text_make(arena *a, const char *sql, size_t bytes, sql_text *out);

/* Does a clause that comes behind GROUP BY, a set operation or the statement's end begin here? */
bool sql_text_ends_groups(PgQuery__Token token);

/* The SEMI or ANTI JOIN with what begins at a position, or NULL. */
sql_reducer *sql_text_reducer(const sql_text *text, int32_t right);
/* The REPLACE of the * that begins here, or NULL; the one that this place is in. */
const sql_replacement *sql_text_replacement(const sql_text *text, int32_t position);
const sql_replacement *sql_text_in_replacement(const sql_text *text, int32_t position);
/* Makes `arranged` of the tokens and of which of them are FROM at the begin of a query, and looks at the nesting of
 * that. */
CHECKED status sql_text_arrange(arena *memory, sql_text *text, pg_token *const *tokens,
                                const bool *is_first, size_t count);
/* The statement's tree, whose places are the statement's. */
CHECKED status sql_text_parse(arena *a, const sql_text *text, pg_node **out);
/* Takes comments out of the tokens; how many are left. */
size_t sql_drop_comments(pg_token **tokens, size_t all);
/* Takes out GROUP BY ALL, ORDER BY ALL, EXCLUDE and REPLACE. */
CHECKED status sql_text_shorthands(arena *a, sql_text *text, pg_token *const *tokens, size_t count);
/* Was ALL of GROUP BY or ORDER BY here? */
bool sql_text_is_all(const sql_text *text, int32_t position);
/* What the * that begins here is without, or NULL. */
const sql_exclusion *sql_text_exclusion(const sql_text *text, int32_t position);
/* The parameter at a position, or NULL. */
sql_parameter *sql_text_parameter(const sql_text *text, int32_t position);
/* Finds the parameters outside of quotes and comments and gives them names' places. */
CHECKED status sql_text_parameters(arena *a, sql_text *text);
/* The path at a position, or NULL. */
const char *sql_text_path(const sql_text *text, int32_t position);

#endif
