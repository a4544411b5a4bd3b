/* text.c - paths, read_parquet lists, SEMI and ANTI JOIN, units of intervals, and DESCRIBE on the
 * token stream. */
#include "sql/text.h"

#include "base/type.h"
#include "sql/nesting.h"

#include <math.h>
#include <stdio.h>
#include <strings.h>

/* What is open around a token. */
typedef struct level {
    bool has_select;      /* SELECT was seen: FROM begins table names */
    bool has_with;        /* WITH was, before it */
    bool is_from;         /* between FROM and the next clause */
    bool is_table_list;   /* parentheses around tables: FROM ('a.parquet' JOIN ...) */
    bool is_read_parquet; /* read_parquet( ... ) */
    bool is_path_list;    /* read_parquet([ ... ]) */
} level;

typedef struct rewriter {
    arena *memory;
    sql_text *text;
    pg_token **tokens; /* without comments */
    size_t count;
    bool *is_first; /* tokens that are FROM at the begin of a query */
    level levels[SQL_DEPTH_MAX + 2];
    size_t depth;
} rewriter;

static PgQuery__Token token_at(const rewriter *r, size_t index)
{
    return index < r->count ? r->tokens[index]->token : PG_QUERY__TOKEN__NUL;
}

static bool is_word(const rewriter *r, size_t index, const char *word)
{
    if (index >= r->count)
        return false;
    const pg_token *token = r->tokens[index];
    size_t bytes = (size_t)(token->end - token->start);
    return bytes == strlen(word) && !strncasecmp(r->text->text + token->start, word, bytes);
}

static bool is_plain_string(const rewriter *r, size_t index)
{
    return token_at(r, index) == PG_QUERY__TOKEN__SCONST &&
           r->text->text[r->tokens[index]->start] == '\'';
}

/* The text between the quotes of a token, doubled quotes made single. */
static char *unquote(const rewriter *r, const pg_token *token)
{
    const char *from = r->text->text + token->start + 1, *end = r->text->text + token->end - 1;
    char quote = from[-1];
    char *copy = arena_copy_text(r->memory, from, (size_t)(end - from)), *to = copy;
    for (; copy && from < end; from++) {
        *to++ = *from;
        if (*from == quote)
            from++;
    }
    if (copy)
        *to = '\0';
    return copy;
}

static status rewrite_path(rewriter *r, const pg_token *token)
{
    char *path = unquote(r, token), *rewritten = r->text->rewritten;
    if (!path)
        return status_no_memory("path", 0);
    rewritten[token->start] = rewritten[token->end - 1] = '"';
    for (int32_t i = token->start + 1; i + 1 < token->end; i++)
        if (rewritten[i] == '"')
            rewritten[i] = '_';
    return array_push(r->memory, &r->text->paths, ((sql_path){token->start, path}));
}

/* ---- units of intervals ---- */

static bool is_interval_unit(const char *word, size_t bytes)
{
    char text[40];
    interval_value ignored;
    if (bytes < 2 || bytes > sizeof text - 3) /* of one letter: more likely a name */
        return false;
    int length = snprintf(text, sizeof text, "1 %.*s", (int)bytes, word);
    return interval_parse(text, (size_t)length, &ignored);
}

static bool is_bare_number(const rewriter *r, const pg_token *string)
{
    double number;
    const char *from = r->text->text + string->start + 1;
    return double_parse(from, (size_t)(string->end - string->start) - 2, &number) &&
           isfinite(number);
}

static bool is_blank(const char *from, const char *to)
{
    while (from < to && strchr(" \t\n\r\f\v", *from))
        from++;
    return from == to;
}

/* INTERVAL '2' days: the grammar knows only some units (DAY, not DAYS or WEEK) and takes other words
 * for a name. The quote moves behind the unit. */
static void rewrite_interval(rewriter *r, size_t index)
{
    if (token_at(r, index) != PG_QUERY__TOKEN__INTERVAL || !is_plain_string(r, index + 1) ||
        token_at(r, index + 2) != PG_QUERY__TOKEN__IDENT)
        return;
    const pg_token *string = r->tokens[index + 1], *unit = r->tokens[index + 2];
    const char *text = r->text->text;
    char *rewritten = r->text->rewritten;
    if (!is_bare_number(r, string) || !is_blank(text + string->end, text + unit->start) ||
        !is_interval_unit(text + unit->start, (size_t)(unit->end - unit->start)))
        return;
    memmove(rewritten + string->end - 1, text + string->end, (size_t)(unit->end - string->end));
    rewritten[unit->end - 1] = '\'';
}

/* ---- tables ---- */

/* Does a table's name stand at tokens[index]? */
static bool is_table_position(const rewriter *r, size_t index)
{
    const level *l = &r->levels[r->depth];
    if (index == 0)
        return false;
    switch (token_at(r, index - 1)) {
    case PG_QUERY__TOKEN__FROM: /* not that of IS DISTINCT FROM, in ON */
        return l->is_from && (index < 2 || token_at(r, index - 2) != PG_QUERY__TOKEN__DISTINCT);
    case PG_QUERY__TOKEN__ASCII_44:
    case PG_QUERY__TOKEN__JOIN:
        return l->is_from;
    case PG_QUERY__TOKEN__ASCII_40:
        return l->is_table_list;
    default:
        return false;
    }
}

static void open_level(rewriter *r, size_t index)
{
    bool is_table_list = is_table_position(r, index);
    bool is_read = index > 0 && is_word(r, index - 1, "read_parquet");
    r->levels[++r->depth] = (level){
        .is_from = is_table_list, .is_table_list = is_table_list, .is_read_parquet = is_read};
}

/* SEMI or ANTI before JOIN, where it can be no table's name. After AS it is an alias. */
static bool is_reducer(const rewriter *r, size_t index)
{
    if (!index || !r->levels[r->depth].is_from || token_at(r, index + 1) != PG_QUERY__TOKEN__JOIN ||
        (!is_word(r, index, "semi") && !is_word(r, index, "anti")))
        return false;
    switch (token_at(r, index - 1)) {
    case PG_QUERY__TOKEN__FROM:
    case PG_QUERY__TOKEN__JOIN:
    case PG_QUERY__TOKEN__AS:
    case PG_QUERY__TOKEN__ONLY:
    case PG_QUERY__TOKEN__LATERAL_P:
    case PG_QUERY__TOKEN__ASCII_40:
    case PG_QUERY__TOKEN__ASCII_44: /* , . */
    case PG_QUERY__TOKEN__ASCII_46:
        return false;
    default:
        return true;
    }
}

/* Is it before the first name or expression of what is joined? A column of SELECT begins with its parenthesis. */
static bool is_before_first_name(const rewriter *r, size_t index)
{
    PgQuery__Token before = token_at(r, index - 1);
    switch (token_at(r, index)) {
    case PG_QUERY__TOKEN__ASCII_40:
        return before != PG_QUERY__TOKEN__SELECT && before != PG_QUERY__TOKEN__DISTINCT &&
               before != PG_QUERY__TOKEN__ALL;
    case PG_QUERY__TOKEN__LATERAL_P:
    case PG_QUERY__TOKEN__SELECT:
    case PG_QUERY__TOKEN__DISTINCT:
    case PG_QUERY__TOKEN__ON: /* behind DISTINCT */
    case PG_QUERY__TOKEN__ALL:
    case PG_QUERY__TOKEN__VALUES:
    case PG_QUERY__TOKEN__TABLE:
    case PG_QUERY__TOKEN__FROM: /* first */
        return true;
    default:
        return false;
    }
}

static status rewrite_reducer(rewriter *r, size_t index)
{
    const pg_token *word = r->tokens[index];
    size_t right = index + 2;
    while (is_before_first_name(r, right))
        right++;
    sql_reducer reducer = {.position = word->start, .is_anti = is_word(r, index, "anti")};
    reducer.right = right < r->count ? r->tokens[right]->start : -1;
    memcpy(r->text->rewritten + word->start, "left", 4);
    return array_push(r->memory, &r->text->reducers, reducer);
}

static bool is_set_operation(const rewriter *r, size_t index)
{
    PgQuery__Token token = token_at(r, index);
    return token == PG_QUERY__TOKEN__UNION || token == PG_QUERY__TOKEN__INTERSECT ||
           token == PG_QUERY__TOKEN__EXCEPT;
}

/* May a query begin at tokens[index]? */
static bool may_begin(const rewriter *r, size_t index)
{
    const level *l = &r->levels[r->depth];
    PgQuery__Token first = token_at(r, 0), before = index ? token_at(r, index - 1) : first;
    if (index && is_set_operation(r, index - 1))
        return true;
    if (before == PG_QUERY__TOKEN__ALL || before == PG_QUERY__TOKEN__DISTINCT)
        return index > 1 && is_set_operation(r, index - 2);
    if (l->has_select)
        return false;
    if (r->depth)
        return (before == PG_QUERY__TOKEN__ASCII_40 &&
                (index < 2 || token_at(r, index - 2) != PG_QUERY__TOKEN__TRIM)) ||
               (before == PG_QUERY__TOKEN__ASCII_41 && l->has_with);
    return !index || first == PG_QUERY__TOKEN__EXPLAIN || first == PG_QUERY__TOKEN__INSERT ||
           (first == PG_QUERY__TOKEN__CREATE && before == PG_QUERY__TOKEN__AS) ||
           (before == PG_QUERY__TOKEN__ASCII_41 && l->has_with) ||
           (index == 1 && r->text->is_describe);
}

/* FROM: table names come, unless it is that of IS DISTINCT FROM, or in a function's parentheses. */
static void take_from(rewriter *r, size_t index)
{
    level *l = &r->levels[r->depth];
    r->is_first[index] = may_begin(r, index);
    if (r->is_first[index])
        *l = (level){.is_from = true};
    else if (l->has_select && index > 0 && token_at(r, index - 1) != PG_QUERY__TOKEN__DISTINCT)
        l->is_from = true;
}

static status rewrite_token(rewriter *r, size_t index)
{
    level *l = &r->levels[r->depth];
    pg_token *token = r->tokens[index];
    rewrite_interval(r, index);
    switch (token->token) {
    case PG_QUERY__TOKEN__ASCII_40:
        open_level(r, index);
        break;
    case PG_QUERY__TOKEN__ASCII_41:
        if (r->depth > 0)
            r->depth--;
        break;
    case PG_QUERY__TOKEN__ASCII_91: /* read_parquet(['a', 'b']): the brackets go */
        if (l->is_read_parquet && token_at(r, index - 1) == PG_QUERY__TOKEN__ASCII_40) {
            l->is_path_list = true;
            r->text->rewritten[token->start] = ' ';
        }
        break;
    case PG_QUERY__TOKEN__ASCII_93:
        if (l->is_path_list)
            r->text->rewritten[token->start] = ' ';
        break;
    case PG_QUERY__TOKEN__SELECT:
        *l = (level){.has_select = true};
        break;
    case PG_QUERY__TOKEN__VALUES:
        *l = (level){0};
        break;
    case PG_QUERY__TOKEN__FROM:
        take_from(r, index);
        break;
    case PG_QUERY__TOKEN__WITH:
        l->has_with |= !l->has_select;
        break;
    case PG_QUERY__TOKEN__WHERE:
    case PG_QUERY__TOKEN__GROUP_P:
    case PG_QUERY__TOKEN__HAVING:
    case PG_QUERY__TOKEN__WINDOW:
    case PG_QUERY__TOKEN__ORDER:
    case PG_QUERY__TOKEN__LIMIT:
    case PG_QUERY__TOKEN__OFFSET:
    case PG_QUERY__TOKEN__FETCH:
    case PG_QUERY__TOKEN__UNION:
    case PG_QUERY__TOKEN__INTERSECT:
    case PG_QUERY__TOKEN__EXCEPT:
        l->is_from = false;
        break;
    default:
        if (is_plain_string(r, index) && is_table_position(r, index))
            return rewrite_path(r, token);
        if (is_reducer(r, index))
            return rewrite_reducer(r, index);
    }
    return STATUS_OK;
}

/* DESCRIBE name, DESCRIBE 'path', DESCRIBE SELECT ..., and SUMMARIZE: takes the word off. */
static status take_describe(rewriter *r)
{
    sql_text *text = r->text;
    text->is_summarize = is_word(r, 0, "summarize");
    if (!text->is_summarize && !is_word(r, 0, "describe") && !is_word(r, 0, "desc"))
        return STATUS_OK;
    const pg_token *word = r->tokens[0];
    memset(text->rewritten + word->start, ' ', (size_t)(word->end - word->start));
    text->is_describe = true;
    if (r->count != 2)
        return STATUS_OK;

    const pg_token *name = r->tokens[1];
    text->describe_position = name->start;
    char first = text->text[name->start];
    if (first == '\'' || first == '"') {
        text->describe_is_path = first == '\'';
        text->describe_name = unquote(r, name);
    } else if (name->token == PG_QUERY__TOKEN__IDENT ||
               name->keyword_kind != PG_QUERY__KEYWORD_KIND__NO_KEYWORD) {
        char *copy =
            arena_copy_text(r->memory, text->text + name->start, (size_t)(name->end - name->start));
        for (char *c = copy; c && *c; c++)
            *c = *c >= 'A' && *c <= 'Z' ? (char)(*c | 0x20) : *c;
        text->describe_name = copy;
    } else {
        return STATUS_OK; /* the parser will say what is wrong */
    }
    return text->describe_name ? STATUS_OK : status_no_memory("name", 0);
}

/* The grammar knows CREATE OR REPLACE of views alone. */
static void take_replace(rewriter *r)
{
    size_t table = 3;
    if (token_at(r, 0) != PG_QUERY__TOKEN__CREATE || token_at(r, 1) != PG_QUERY__TOKEN__OR ||
        token_at(r, 2) != PG_QUERY__TOKEN__REPLACE)
        return;
    table +=
        token_at(r, 3) == PG_QUERY__TOKEN__TEMP || token_at(r, 3) == PG_QUERY__TOKEN__TEMPORARY;
    if (token_at(r, table) != PG_QUERY__TOKEN__TABLE)
        return;
    int32_t from = r->tokens[1]->start;
    memset(r->text->rewritten + from, ' ', (size_t)(r->tokens[2]->end - from));
    r->text->replaces_table = true;
}

static void find_view_query(rewriter *r)
{
    r->text->view_query = -1;
    if (token_at(r, 0) != PG_QUERY__TOKEN__CREATE)
        return;
    for (size_t i = 1, depth = 0; i + 1 < r->count; i++) {
        PgQuery__Token token = r->tokens[i]->token;
        depth += token == PG_QUERY__TOKEN__ASCII_40;
        depth -= token == PG_QUERY__TOKEN__ASCII_41 && depth > 0;
        if (token == PG_QUERY__TOKEN__AS && depth == 0) {
            r->text->view_query = r->tokens[i + 1]->start;
            return;
        }
    }
}

status sql_check_utf8(const char *sql, size_t bytes, const char *what)
{
    for (size_t i = 0; i < bytes;) {
        unsigned char first = (unsigned char)sql[i];
        size_t length = first < 0x80                     ? 1
                        : first >= 0xc2 && first <= 0xdf ? 2
                        : first >= 0xe0 && first <= 0xef ? 3
                        : first >= 0xf0 && first <= 0xf4 ? 4
                                                         : 0;
        bool is_valid = length > 0 && length <= bytes - i;
        for (size_t j = 1; is_valid && j < length; j++)
            is_valid = ((unsigned char)sql[i + j] & 0xc0) == 0x80;
        if (!is_valid)
            return status_at(status_new(STATUS_KIND_INVALID, "%s is not valid UTF-8", what),
                             (int64_t)i);
        i += length;
    }
    return STATUS_OK;
}

size_t sql_drop_comments(pg_token **tokens, size_t all)
{
    size_t count = 0;
    for (size_t i = 0; i < all; i++)
        if (tokens[i]->token != PG_QUERY__TOKEN__SQL_COMMENT &&
            tokens[i]->token != PG_QUERY__TOKEN__C_COMMENT)
            tokens[count++] = tokens[i];
    return count;
}

status sql_text_make(arena *a, const char *sql, size_t bytes, sql_text *out)
{
    rewriter r = {.memory = a, .text = out};
    size_t all;
    *out = (sql_text){.view_query = -1};
    if (bytes > INT32_MAX / 4)
        return status_new(STATUS_KIND_UNSUPPORTED, "statement of %zu bytes is too long", bytes);
    TRY(sql_check_utf8(sql, bytes, "statement"));
    out->text = arena_copy_text(a, sql, bytes);
    out->rewritten = arena_copy_text(a, sql, bytes);
    if (!out->text || !out->rewritten)
        return status_no_memory("statement", bytes);
    TRY(sql_text_parameters(a, out));
    TRY(sql_scan(a, out->parameters.count ? out->rewritten : out->text, &r.tokens, &all));
    r.count = sql_drop_comments(r.tokens, all);
    out->is_empty = r.count == 0;
    if (out->is_empty)
        return STATUS_OK;
    out->start = r.tokens[0]->start;
    TRY(sql_check_nesting(a, r.tokens, r.count, &out->union_count));
    TRY(take_describe(&r));
    take_replace(&r);
    find_view_query(&r);
    r.is_first = arena_alloc_array(a, r.count, sizeof *r.is_first);
    if (!r.is_first)
        return status_no_memory("statement", r.count);
    for (size_t i = 0; i < r.count; i++)
        TRY(rewrite_token(&r, i));
    TRY(sql_text_shorthands(a, out, r.tokens, r.count));
    return sql_text_arrange(a, out, r.tokens, r.is_first, r.count);
}

sql_reducer *sql_text_reducer(const sql_text *text, int32_t right)
{
    for (size_t i = 0; i < text->reducers.count; i++)
        if (text->reducers.items[i].right == right)
            return &text->reducers.items[i];
    return NULL;
}

const char *sql_text_path(const sql_text *text, int32_t position)
{
    size_t low = 0, high = text->paths.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (text->paths.items[middle].position < position)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_there = low < text->paths.count && text->paths.items[low].position == position;
    return is_there ? text->paths.items[low].path : NULL;
}
