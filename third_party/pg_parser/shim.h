/* shim.h - what the vendored files expect of PostgreSQL's backend: memory, failures, lists, keywords
 * and UTF-8. shim.c has the code. */
#ifndef PG_PARSER_SHIM_H
#define PG_PARSER_SHIM_H

#include <pg_parser/pg_parser.h>

typedef size_t Size;
typedef uint32_t pg_wchar;

#define Min(a, b) ((a) < (b) ? (a) : (b))
#define Assert(condition) ((void) 0)
#define _(text) (text)
#define IS_HIGHBIT_SET(ch) ((unsigned char) (ch) & 0x80)
#define pg_attribute_noreturn() __attribute__((noreturn))
#define MAX_UNICODE_EQUIVALENT_STRING 16

/* ---- memory: the host's; nothing is freed before the host frees all of it ---- */

void	   *palloc(size_t bytes);
void	   *palloc0(size_t bytes);
void	   *repalloc(void *old, size_t old_bytes, size_t bytes);
char	   *pstrdup(const char *text);
char	   *psprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define pfree(pointer) ((void) (pointer))

#define makeNode(_type_) ((_type_ *) pg_new_node(sizeof(_type_), T_##_type_))
Node	   *pg_new_node(size_t bytes, NodeTag tag);

/* ---- constants of utils/timestamp.h, catalog/pg_attribute.h and catalog/index.h ---- */

#define MONTH 1
#define YEAR 2
#define DAY 3
#define HOUR 10
#define MINUTE 11
#define SECOND 12
#define INTERVAL_MASK(field) (1 << (field))
#define INTERVAL_FULL_RANGE 0x7FFF
#define INTERVAL_FULL_PRECISION 0xFFFF
#define ATTRIBUTE_IDENTITY_ALWAYS 'a'
#define ATTRIBUTE_IDENTITY_BY_DEFAULT 'd'
#define ATTRIBUTE_GENERATED_STORED 's'
#define DEFAULT_INDEX_TYPE "btree"

/* ---- failures: the innermost call of pg_parse or pg_scan returns ---- */

#define WARNING 19
#define ERROR 21
#define ERRCODE_FEATURE_NOT_SUPPORTED 1

/* Warnings are nobody's to read. */
#define ereport(level, ...) \
	do { \
		if ((level) >= ERROR) \
		{ \
			pg_error_begin(); \
			(void) (__VA_ARGS__); \
			pg_error_raise(); \
		} \
	} while (0)
#define elog(level, ...) ereport(level, errmsg(__VA_ARGS__))
#define errcode(code) pg_error_code(code)
#define errmsg_internal errmsg
#define ERRCODE_SYNTAX_ERROR 0
#define ERRCODE_DUPLICATE_OBJECT 0
#define ERRCODE_INVALID_ESCAPE_SEQUENCE 0
#define ERRCODE_INVALID_PARAMETER_VALUE 0
#define ERRCODE_NONSTANDARD_USE_OF_ESCAPE_CHARACTER 0
#define ERRCODE_WINDOWING_ERROR 0

void		pg_error_begin(void);
void		pg_error_raise(void) __attribute__((noreturn));
int			pg_error_code(int code);
int			errmsg(const char *format, ...) __attribute__((format(printf, 1, 2)));
int			errhint(const char *format, ...) __attribute__((format(printf, 1, 2)));
int			errposition(int byte);
/* Where a failure is that says nothing about it; -1: unknown. */
void		pg_error_fallback(int byte);

/* Returns from pg_parse or pg_scan if the host was cancelled; looks seldom. */
void		pg_check_cancelled(void);

/* The host's, or false. */
bool		pg_is_interval(const char *number, const char *unit);

/* ---- lists ---- */

#define lfirst(cell)			((void *) *(cell))
#define lfirst_node(type, cell) castNode(type, *(cell))
#define linitial(l)				((l)->elements[0])
#define lsecond(l)				((l)->elements[1])
#define lthird(l)				((l)->elements[2])
#define lsecond_node(type, l)	castNode(type, (l)->elements[1])
#define linitial_node(type, l)	castNode(type, (l)->elements[0])
#define llast(l)				((void *) (l)->elements[(l)->length - 1])
#define llast_node(type, l)		castNode(type, llast(l))
#define list_head(l)			((l) ? (l)->elements : NULL)
#define lnext(l, cell) \
	((cell) + 1 < (l)->elements + (l)->length ? (cell) + 1 : NULL)

#define foreach(cell, l) \
	for (size_t cell##_at = 0; \
		 cell##_at < list_length(l) && ((cell) = &(l)->elements[cell##_at]) != NULL; cell##_at++)
#define foreach_delete_current(l, cell) (list_delete_nth_cell(l, (int) cell##_at--))

List	   *lappend(List *l, void *datum);
List	   *lcons(void *datum, List *l);
List	   *list_concat(List *l, const List *more);
List	   *list_truncate(List *l, int length);
List	   *list_copy_tail(const List *l, int from);
List	   *list_delete_nth_cell(List *l, int n);	/* NIL once it is empty */
#define list_make1(a)			lappend(NIL, a)
#define list_make2(a, b)		lappend(list_make1(a), b)
#define list_make3(a, b, c)		lappend(list_make2(a, b), c)
#define list_make4(a, b, c, d)	lappend(list_make3(a, b, c), d)

/* ---- keywords ---- */

typedef struct ScanKeywordList
{
	const char *const *names;	/* sorted */
	int			count;
} ScanKeywordList;

extern const ScanKeywordList ScanKeywords;
#define GetScanKeyword(n, list) ((list)->names[n])
/* The number of the keyword in any case; -1: it is not one. */
int			ScanKeywordLookup(const char *word, const ScanKeywordList *list);
bool		pg_is_keyword(int token);

/* ---- characters ---- */

bool		scanner_isspace(char ch);
char	   *downcase_identifier(const char *ident, int len);
int			strtoint(const char *text, char **end, int base);
void		pg_verifymbstr(const char *text, int len);
void		pg_unicode_to_server(pg_wchar c, unsigned char *out);	/* with a zero byte */

static inline bool
is_valid_unicode_codepoint(pg_wchar c)
{
	return c > 0 && c <= 0x10FFFF;
}

static inline bool
is_utf16_surrogate_first(pg_wchar c)
{
	return c >= 0xD800 && c <= 0xDBFF;
}

static inline bool
is_utf16_surrogate_second(pg_wchar c)
{
	return c >= 0xDC00 && c <= 0xDFFF;
}

static inline pg_wchar
surrogate_pair_to_codepoint(pg_wchar first, pg_wchar second)
{
	return ((first & 0x3FF) << 10) + 0x10000 + (second & 0x3FF);
}

/* ---- makefuncs.c, gram.y ---- */

Integer    *makeInteger(int i);
Float	   *makeFloat(char *numericStr);
Boolean    *makeBoolean(bool val);
String	   *makeString(char *str);
BitString  *makeBitString(char *str);
A_Expr	   *makeA_Expr(A_Expr_Kind kind, List *name, Node *lexpr, Node *rexpr, int location);
A_Expr	   *makeSimpleA_Expr(A_Expr_Kind kind, char *name, Node *lexpr, Node *rexpr, int location);
Node	   *makeBoolExpr(BoolExprType boolop, List *args, int location);
Alias	   *makeAlias(const char *aliasname, List *colnames);
RangeVar   *makeRangeVar(char *schemaname, char *relname, int location);
TypeName   *makeTypeName(char *typnam);
TypeName   *makeTypeNameFromNameList(List *names);
DefElem    *makeDefElem(char *name, Node *arg, int location);
DefElem    *makeDefElemExtended(char *nameSpace, char *name, Node *arg, DefElemAction defaction,
								int location);
FuncCall   *makeFuncCall(List *name, List *args, CoercionForm funcformat, int location);
int			exprLocation(const Node *expr);
char	   *NameListToString(const List *names);
List	   *SystemFuncName(char *name);
TypeName   *SystemTypeName(char *name);
GroupingSet *makeGroupingSet(GroupingSetKind kind, List *content, int location);

#endif
