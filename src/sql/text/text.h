/* text.h - a statement's text, before it is parsed: valid UTF-8, not nested too deep, its parameters numbered. */
#ifndef PISTACHIO_SQL_TEXT_TEXT_H
#define PISTACHIO_SQL_TEXT_TEXT_H

#include "base/mem.h"
#include "sql/text/nesting.h"
#include "sql/text/parser.h"
#include "sql/text/split.h"

/* ?, $1 or $name. */
typedef struct sql_parameter {
    int32_t position;
    uint32_t number; /* from 0 */
    bool is_bound;   /* the binder has found it where a value can be */
} sql_parameter;

typedef struct sql_text {
    const char *text;   /* one statement, as the user wrote it */
    const char *parsed; /* the same, with blanks for comments */
    bool is_empty;
    const char
        *refused;  /* the words of a statement that is not supported: "CREATE INDEX"; or NULL */
    int32_t start; /* of its first token */
    sql_nesting nesting;
    ARRAY(sql_parameter) parameters;     /* each place, in order */
    ARRAY(const char *) parameter_names; /* by number; NULL: ? or $n */
} sql_text;

/* Looks at a statement of `bytes` bytes; all that *out refers to is in the arena. */
CHECKED status sql_text_make(arena *a, const char *sql, size_t bytes, sql_text *out);

#endif
