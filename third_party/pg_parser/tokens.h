/* tokens.h - the numbers of tokens, of the header that bison writes, without the grammar's own types. */
#ifndef PG_PARSER_TOKENS_H
#define PG_PARSER_TOKENS_H

#define YYSTYPE_IS_DECLARED 1
#define YYLTYPE_IS_DECLARED 1
typedef union YYSTYPE YYSTYPE;
typedef int YYLTYPE;
typedef void *core_yyscan_t;

#include <pg_parser/gram.h>

#endif
