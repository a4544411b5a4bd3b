/* shim.c - the backend that scanner and grammar see, and the calls of pg_parser.h. */
#include "gramparse.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* A call in progress. Scanner and grammar make nodes without naming it, hence the thread's variable. */
typedef struct pg_call
{
	const pg_parser_host *host;
	pg_parser_error error;
	pg_parser_result result;
	int			fallback;
	unsigned	tokens;
	jmp_buf		failed;
} pg_call;

static __thread pg_call *call;

/* ---- failures ---- */

static void fail(pg_parser_result result) __attribute__((noreturn));

static void
fail(pg_parser_result result)
{
	call->result = result;
	longjmp(call->failed, 1);
}

void
pg_error_begin(void)
{
	call->error = (pg_parser_error) {.position = call->fallback};
	call->result = PG_PARSER_INVALID;
}

void
pg_error_raise(void)
{
	fail(call->result);
}

int
pg_error_code(int code)
{
	if (code == ERRCODE_FEATURE_NOT_SUPPORTED)
		call->result = PG_PARSER_UNSUPPORTED;
	return 0;
}

static char *
format_text(const char *format, va_list arguments)
{
	va_list		again;

	va_copy(again, arguments);
	int			bytes = vsnprintf(NULL, 0, format, arguments);
	char	   *text = palloc((size_t) bytes + 1);

	vsnprintf(text, (size_t) bytes + 1, format, again);
	va_end(again);
	return text;
}

int
errmsg(const char *format, ...)
{
	va_list		arguments;

	va_start(arguments, format);
	call->error.message = format_text(format, arguments);
	va_end(arguments);
	return 0;
}

int
errhint(const char *format, ...)
{
	va_list		arguments;

	va_start(arguments, format);
	call->error.hint = format_text(format, arguments);
	va_end(arguments);
	return 0;
}

int
errposition(int byte)
{
	call->error.position = byte;
	return 0;
}

void
pg_error_fallback(int byte)
{
	call->fallback = byte;
}

#define TOKENS_BETWEEN_LOOKS 1024

void
pg_check_cancelled(void)
{
	const pg_parser_host *host = call->host;

	if (call->tokens++ % TOKENS_BETWEEN_LOOKS == 0 && host->is_cancelled &&
		host->is_cancelled(host->context))
		fail(PG_PARSER_CANCELLED);
}

bool
pg_is_interval(const char *number, const char *unit)
{
	return call->host->is_interval && call->host->is_interval(number, unit);
}

/* ---- memory ---- */

void *
palloc(size_t bytes)
{
	void	   *memory = call->host->alloc(call->host->context, bytes);

	if (!memory)
		fail(PG_PARSER_NO_MEMORY);
	return memory;
}

void *
palloc0(size_t bytes)
{
	return memset(palloc(bytes), 0, bytes);
}

void *
repalloc(void *old, size_t old_bytes, size_t bytes)
{
	return memcpy(palloc(bytes), old, old_bytes);
}

char *
pstrdup(const char *text)
{
	size_t		bytes = strlen(text) + 1;

	return memcpy(palloc(bytes), text, bytes);
}

char *
psprintf(const char *format, ...)
{
	va_list		arguments;

	va_start(arguments, format);
	char	   *text = format_text(format, arguments);

	va_end(arguments);
	return text;
}

Node *
pg_new_node(size_t bytes, NodeTag tag)
{
	Node	   *node = palloc0(bytes);

	node->type = tag;
	if (call->host->note && (tag == T_RangeVar || tag == T_RangeFunction || tag == T_CommonTableExpr))
		call->host->note(call->host->context, node);
	return node;
}

/* Flex calls these. The scanner reads a text that is in memory as a whole: its buffer never grows. */

void *
core_yyalloc(size_t bytes, void *yyscanner)
{
	(void) yyscanner;
	return palloc(bytes);
}

void *
core_yyrealloc(void *old, size_t bytes, void *yyscanner)
{
	(void) yyscanner;
	if (old)
		elog(ERROR, "the scanner's buffer grew");
	return palloc(bytes);
}

void
core_yyfree(void *memory, void *yyscanner)
{
	(void) memory;
	(void) yyscanner;
}

/* ---- lists ---- */

#define LIST_ROOM 4

static void
reserve(List *l, int length)
{
	if (length <= l->max_length)
		return;
	int			room = length < LIST_ROOM ? LIST_ROOM : length < INT_MAX / 2 ? 2 * length : length;
	ListCell   *elements = palloc((size_t) room * sizeof *elements);

	if (l->length)
		memcpy(elements, l->elements, (size_t) l->length * sizeof *elements);
	l->elements = elements;
	l->max_length = room;
}

List *
lappend(List *l, void *datum)
{
	if (!l)
		l = makeNode(List);
	reserve(l, l->length + 1);
	l->elements[l->length++] = datum;
	return l;
}

List *
lcons(void *datum, List *l)
{
	l = lappend(l, datum);
	memmove(l->elements + 1, l->elements, (size_t) (l->length - 1) * sizeof *l->elements);
	l->elements[0] = datum;
	return l;
}

List *
list_concat(List *l, const List *more)
{
	if (!more)
		return l;
	if (!l)
		l = makeNode(List);
	reserve(l, l->length + more->length);
	memcpy(l->elements + l->length, more->elements, (size_t) more->length * sizeof *l->elements);
	l->length += more->length;
	return l;
}

List *
list_truncate(List *l, int length)
{
	if (length <= 0)
		return NIL;
	if (l && length < l->length)
		l->length = length;
	return l;
}

List *
list_copy_tail(const List *l, int from)
{
	List	   *tail = NIL;

	for (int i = from; l && i < l->length; i++)
		tail = lappend(tail, l->elements[i]);
	return tail;
}

List *
list_delete_nth_cell(List *l, int n)
{
	if (l->length == 1)
		return NIL;
	memmove(l->elements + n, l->elements + n + 1,
			(size_t) (l->length - n - 1) * sizeof *l->elements);
	l->length--;
	return l;
}

/* ---- keywords ---- */

#define PG_KEYWORD(name, value, category, label) name,
static const char *const keyword_names[] = {
#include "kwlist.h"
};
#undef PG_KEYWORD

#define KEYWORD_BYTES_MAX 32

const ScanKeywordList ScanKeywords = {keyword_names,
	sizeof keyword_names / sizeof *keyword_names};

int
ScanKeywordLookup(const char *word, const ScanKeywordList *list)
{
	char		folded[KEYWORD_BYTES_MAX];
	size_t		bytes = 0;

	for (; word[bytes]; bytes++)
	{
		if (bytes == sizeof folded - 1)
			return -1;
		folded[bytes] = word[bytes] >= 'A' && word[bytes] <= 'Z' ? word[bytes] | 0x20 : word[bytes];
	}
	folded[bytes] = '\0';

	int			low = 0,
				high = list->count;

	while (low < high)
	{
		int			middle = low + (high - low) / 2,
					order = strcmp(folded, list->names[middle]);

		if (order == 0)
			return middle;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return -1;
}

bool
pg_is_keyword(int token)
{
	/* The grammar lists keywords last, in one run. */
	return token >= ScanKeywordTokens[0] && token <= ScanKeywordTokens[ScanKeywords.count - 1];
}

/* ---- characters ---- */

/* Must match scan.l's list of {space} characters. */
bool
scanner_isspace(char ch)
{
	return ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r' || ch == '\f';
}

char *
downcase_identifier(const char *ident, int len)
{
	char	   *result = palloc((size_t) len + 1);

	for (int i = 0; i < len; i++)
		result[i] = ident[i] >= 'A' && ident[i] <= 'Z' ? (char) (ident[i] | 0x20) : ident[i];
	result[len] = '\0';
	return result;
}

int
strtoint(const char *text, char **end, int base)
{
	long		value = strtol(text, end, base);

	if (value != (int) value)
		errno = ERANGE;
	return (int) value;
}

/* Bytes of the UTF-8 character here; 0: it is not one, or a zero byte. */
static int
utf8_bytes(const unsigned char *at, int left)
{
	unsigned char first = *at;
	int			bytes = first < 0x80 ? first != 0
		: first < 0xC2 ? 0
		: first < 0xE0 ? 2
		: first < 0xF0 ? 3
		: first < 0xF5 ? 4 : 0;

	if (bytes > left)
		return 0;
	for (int i = 1; i < bytes; i++)
		if ((at[i] & 0xC0) != 0x80)
			return 0;
	if ((first == 0xE0 && at[1] < 0xA0) || (first == 0xED && at[1] > 0x9F) ||
		(first == 0xF0 && at[1] < 0x90) || (first == 0xF4 && at[1] > 0x8F))
		return 0;
	return bytes;
}

void
pg_verifymbstr(const char *text, int len)
{
	const unsigned char *at = (const unsigned char *) text;

	for (int left = len, bytes; left > 0; at += bytes, left -= bytes)
	{
		bytes = utf8_bytes(at, left);
		if (!bytes)
			ereport(ERROR, errmsg("invalid byte sequence for encoding \"UTF8\": 0x%02x", *at));
	}
}

void
pg_unicode_to_server(pg_wchar c, unsigned char *out)
{
	if (c < 0x80)
	{
		*out++ = (unsigned char) c;
	}
	else if (c < 0x800)
	{
		*out++ = (unsigned char) (0xC0 | c >> 6);
		*out++ = (unsigned char) (0x80 | (c & 0x3F));
	}
	else if (c < 0x10000)
	{
		*out++ = (unsigned char) (0xE0 | c >> 12);
		*out++ = (unsigned char) (0x80 | (c >> 6 & 0x3F));
		*out++ = (unsigned char) (0x80 | (c & 0x3F));
	}
	else
	{
		*out++ = (unsigned char) (0xF0 | c >> 18);
		*out++ = (unsigned char) (0x80 | (c >> 12 & 0x3F));
		*out++ = (unsigned char) (0x80 | (c >> 6 & 0x3F));
		*out++ = (unsigned char) (0x80 | (c & 0x3F));
	}
	*out = '\0';
}

/* ---- calls ---- */

static void
parse(const char *text, void *context)
{
	List	  **out = context;
	List	   *statements = raw_parser(text);

	for (size_t i = 0; i < list_length(statements); i++)
		statements->elements[i] = castNode(RawStmt, statements->elements[i])->stmt;
	*out = statements;
}

typedef struct token_list
{
	pg_token   *items;
	size_t		count,
				room;
} token_list;

static void
scan(const char *text, void *context)
{
	token_list *list = context;
	core_yy_extra_type extra;
	core_yyscan_t scanner = scanner_init(text, &extra, &ScanKeywords, ScanKeywordTokens);
	core_YYSTYPE value;
	pg_token	t;

	while ((t.token = core_yylex(&value, &t.start, scanner)) != 0)
	{
		pg_check_cancelled();
		if (list->count == list->room)
		{
			list->room = list->room ? 2 * list->room : 64;
			pg_token   *items = palloc(list->room * sizeof *items);

			if (list->count)
				memcpy(items, list->items, list->count * sizeof *items);
			list->items = items;
		}
		t.end = scanner_position(scanner);
		t.is_keyword = pg_is_keyword(t.token);
		list->items[list->count++] = t;
	}
}

/* The one place to which failures return. */
static pg_parser_result
guarded(const pg_parser_host *host, const char *text, void (*work) (const char *, void *),
		void *context, pg_parser_error *error)
{
	pg_call		this = {.host = host, .fallback = -1},
			   *outer = call;

	call = &this;
	if (!setjmp(this.failed))
		work(text, context);
	call = outer;
	*error = this.error;
	return this.result;
}

pg_parser_result
pg_parse(const pg_parser_host *host, const char *text, List **out, pg_parser_error *error)
{
	*out = NIL;
	return guarded(host, text, parse, out, error);
}

pg_parser_result
pg_scan(const pg_parser_host *host, const char *text, pg_token **out, size_t *out_count,
		pg_parser_error *error)
{
	token_list	list = {0};
	pg_parser_result result = guarded(host, text, scan, &list, error);

	*out = list.items;
	*out_count = list.count;
	return result;
}
