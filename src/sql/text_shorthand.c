/* text_shorthand.c - GROUP BY ALL, ORDER BY ALL, * EXCLUDE (...) and * REPLACE (...), which PostgreSQL's grammar does
 * not know: ALL becomes a constant, EXCLUDE's list blanks, REPLACE's items of the select list; the binder finds them by
 * their place. */
#include "sql/text.h"

#include <strings.h>

typedef struct shortener {
    arena *memory;
    sql_text *text;
    pg_token *const *tokens; /* without comments */
    size_t count;
} shortener;

static PgQuery__Token token_at(const shortener *s, size_t index)
{
    return index < s->count ? s->tokens[index]->token : PG_QUERY__TOKEN__NUL;
}

static size_t token_bytes(const shortener *s, size_t index)
{
    return (size_t)(s->tokens[index]->end - s->tokens[index]->start);
}

static bool is_word(const shortener *s, size_t index, const char *word)
{
    return index < s->count && token_bytes(s, index) == strlen(word) &&
           !strncasecmp(s->text->text + s->tokens[index]->start, word, strlen(word));
}

bool sql_text_ends_groups(PgQuery__Token token)
{
    switch (token) {
    case PG_QUERY__TOKEN__ASCII_59:
    case PG_QUERY__TOKEN__HAVING:
    case PG_QUERY__TOKEN__WINDOW:
    case PG_QUERY__TOKEN__ORDER:
    case PG_QUERY__TOKEN__LIMIT:
    case PG_QUERY__TOKEN__OFFSET:
    case PG_QUERY__TOKEN__FETCH:
    case PG_QUERY__TOKEN__UNION:
    case PG_QUERY__TOKEN__INTERSECT:
    case PG_QUERY__TOKEN__EXCEPT:
        return true;
    default:
        return false;
    }
}

/* What may stand behind GROUP BY ALL; before anything else ALL is PostgreSQL's own. */
static bool ends_grouping(const shortener *s, size_t index)
{
    PgQuery__Token token = token_at(s, index);
    return token == PG_QUERY__TOKEN__NUL || token == PG_QUERY__TOKEN__ASCII_41 ||
           sql_text_ends_groups(token);
}

static status replace_all(shortener *s, size_t index)
{
    if (index < 2 || token_at(s, index) != PG_QUERY__TOKEN__ALL ||
        token_at(s, index - 1) != PG_QUERY__TOKEN__BY)
        return STATUS_OK;
    PgQuery__Token clause = token_at(s, index - 2);
    bool is_group = clause == PG_QUERY__TOKEN__GROUP_P && ends_grouping(s, index + 1);
    if (!is_group && clause != PG_QUERY__TOKEN__ORDER)
        return STATUS_OK;
    int32_t position = s->tokens[index]->start;
    memcpy(s->text->rewritten + position, "'*'", 3);
    return array_push(s->memory, &s->text->alls, position);
}

/* ---- EXCLUDE ---- */

/* A name as the parser would have it; NULL: this is none, or there is no memory. */
static char *name_at(const shortener *s, size_t index)
{
    const char *from = s->text->text + s->tokens[index]->start;
    size_t bytes = token_bytes(s, index);
    bool is_quoted = *from == '"';
    if (!is_quoted && token_at(s, index) != PG_QUERY__TOKEN__IDENT &&
        s->tokens[index]->keyword_kind == PG_QUERY__KEYWORD_KIND__NO_KEYWORD)
        return NULL;
    char *name = is_quoted ? arena_copy_text(s->memory, from + 1, bytes - 2)
                           : arena_copy_text(s->memory, from, bytes);
    char *to = name;
    for (char *c = name; c && *c; c++) {
        *to++ = !is_quoted && *c >= 'A' && *c <= 'Z' ? (char)(*c | 0x20) : *c;
        c += is_quoted && *c == '"';
    }
    if (to)
        *to = '\0';
    return name;
}

/* Where the list that begins at `index` ends; 0: it is none. */
static size_t read_names(shortener *s, size_t index, sql_exclusion *out)
{
    bool is_list = token_at(s, index) == PG_QUERY__TOKEN__ASCII_40;
    for (index += is_list; index < s->count; index++) {
        char *name = name_at(s, index);
        status st = name ? array_push(s->memory, &out->names, name) : STATUS_OK;
        bool has_failed = st != STATUS_OK;
        status_free(st);
        if (!name || has_failed)
            return 0;
        if (!is_list)
            return index + 1;
        if (token_at(s, ++index) == PG_QUERY__TOKEN__ASCII_41)
            return index + 1;
        if (token_at(s, index) != PG_QUERY__TOKEN__ASCII_44)
            return 0;
    }
    return 0;
}

/* Is this the * of a select list, or of t.*? */
static bool is_star(const shortener *s, size_t index)
{
    PgQuery__Token before = index ? token_at(s, index - 1) : PG_QUERY__TOKEN__NUL;
    return token_at(s, index) == PG_QUERY__TOKEN__ASCII_42 &&
           (before == PG_QUERY__TOKEN__SELECT || before == PG_QUERY__TOKEN__ASCII_44 ||
            before == PG_QUERY__TOKEN__ASCII_46 || before == PG_QUERY__TOKEN__DISTINCT ||
            before == PG_QUERY__TOKEN__ALL);
}

/* EXCLUDE at tokens[index]; *out_end: behind it, 0: it is none. */
static status take_exclusion(shortener *s, size_t index, int32_t position, size_t *out_end)
{
    sql_exclusion exclusion = {.position = position};
    *out_end = is_word(s, index, "exclude") ? read_names(s, index + 1, &exclusion) : 0;
    if (!*out_end)
        return STATUS_OK; /* the parser will say what is wrong */
    int32_t from = s->tokens[index]->start;
    memset(s->text->rewritten + from, ' ', (size_t)(s->tokens[*out_end - 1]->end - from));
    return array_push(s->memory, &s->text->exclusions, exclusion);
}

/* ---- REPLACE ---- */

/* The parenthesis that closes the one at `index`; `count`: there is none. */
static size_t closing(const shortener *s, size_t index)
{
    size_t depth = 0;
    for (; index < s->count; index++) {
        depth += token_at(s, index) == PG_QUERY__TOKEN__ASCII_40;
        if (token_at(s, index) == PG_QUERY__TOKEN__ASCII_41 && --depth == 0)
            break;
    }
    return index;
}

/* REPLACE (x AS a, ...) at tokens[index] becomes , x AS a, ... */
static status take_replacement(shortener *s, size_t index, int32_t position)
{
    char *rewritten = s->text->rewritten;
    if (!is_word(s, index, "replace") || token_at(s, index + 1) != PG_QUERY__TOKEN__ASCII_40)
        return STATUS_OK;
    size_t end = closing(s, index + 1);
    if (end == s->count || end == index + 2)
        return STATUS_OK;
    sql_replacement replacement = {position, s->tokens[index + 1]->end, s->tokens[end]->start};
    memset(rewritten + s->tokens[index]->start, ' ', token_bytes(s, index));
    rewritten[s->tokens[index + 1]->start] = ',';
    rewritten[s->tokens[end]->start] = ' ';
    return array_push(s->memory, &s->text->replacements, replacement);
}

static status take_star(shortener *s, size_t index)
{
    size_t end;
    if (!is_star(s, index))
        return STATUS_OK;
    bool has_table = token_at(s, index - 1) == PG_QUERY__TOKEN__ASCII_46 && index >= 2;
    int32_t position = s->tokens[has_table ? index - 2 : index]->start;
    TRY(take_exclusion(s, index + 1, position, &end));
    return take_replacement(s, end ? end : index + 1, position);
}

status sql_text_shorthands(arena *a, sql_text *text, pg_token *const *tokens, size_t count)
{
    shortener s = {a, text, tokens, count};
    for (size_t i = 0; i < count; i++) {
        TRY(replace_all(&s, i));
        TRY(take_star(&s, i));
    }
    return STATUS_OK;
}

bool sql_text_is_all(const sql_text *text, int32_t position)
{
    for (size_t i = 0; i < text->alls.count; i++)
        if (text->alls.items[i] == position)
            return true;
    return false;
}

const sql_exclusion *sql_text_exclusion(const sql_text *text, int32_t position)
{
    for (size_t i = 0; i < text->exclusions.count; i++)
        if (text->exclusions.items[i].position == position)
            return &text->exclusions.items[i];
    return NULL;
}

const sql_replacement *sql_text_replacement(const sql_text *text, int32_t position)
{
    for (size_t i = 0; i < text->replacements.count; i++)
        if (text->replacements.items[i].position == position)
            return &text->replacements.items[i];
    return NULL;
}

const sql_replacement *sql_text_in_replacement(const sql_text *text, int32_t position)
{
    for (size_t i = 0; i < text->replacements.count; i++)
        if (text->replacements.items[i].from <= position &&
            position < text->replacements.items[i].to)
            return &text->replacements.items[i];
    return NULL;
}
