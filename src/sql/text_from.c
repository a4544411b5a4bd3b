/* text_from.c - FROM first, which PostgreSQL's grammar does not know:
 *
 *     from t where n > 1              select * from t where n > 1
 *     from t select a, b limit 3      select a, b from t limit 3
 *
 * The parser gets a text in its order, made of pieces of the statement's; places in its tree, and in its errors, are
 * brought back to where the user wrote what is there. */
#include "sql/nesting.h"
#include "sql/text.h"

#define EVERYTHING "SELECT *"

typedef struct arranger {
    arena *memory;
    sql_text *text;
    pg_token *const *tokens; /* without comments */
    const bool *is_first;    /* tokens that are FROM at the begin of a query */
    size_t count;
    char *made;
    size_t bytes, room;
    status st; /* the first failure */
} arranger;

static int32_t place_of(const arranger *a, size_t index)
{
    return a->tokens[index]->start;
}

/* Behind what was made, and a space. `is_made`: no text of the user's, but made of what stands there. */
static void add_piece(arranger *a, const char *from, size_t bytes, int32_t origin, bool is_made)
{
    sql_piece piece = {(int32_t)a->bytes, origin, is_made};
    if (!a->st && a->bytes + bytes + 2 > a->room)
        a->st = status_no_memory("statement", a->bytes + bytes);
    if (a->st)
        return;
    memcpy(a->made + a->bytes, from, bytes);
    a->bytes += bytes;
    a->made[a->bytes++] = ' ';
    a->st = array_push(a->memory, &a->text->pieces, piece);
}

/* Tokens [from, to), as they stand. */
static void add_tokens(arranger *a, size_t from, size_t to)
{
    if (from == to)
        return;
    int32_t start = place_of(a, from);
    size_t bytes = (size_t)(a->tokens[to - 1]->end - start);
    add_piece(a, a->text->rewritten + start, bytes, start, false);
}

static bool ends_from(PgQuery__Token token)
{
    return token == PG_QUERY__TOKEN__SELECT || token == PG_QUERY__TOKEN__WHERE ||
           token == PG_QUERY__TOKEN__GROUP_P || sql_text_ends_groups(token);
}

/* The clause that comes next, from tokens[from] on, or the end of what is in parentheses. */
static size_t clause_end(const arranger *a, size_t from, size_t to)
{
    size_t depth = 0;
    for (; from < to; from++) {
        PgQuery__Token token = a->tokens[from]->token;
        if (token == PG_QUERY__TOKEN__ASCII_41 && !depth)
            break;
        depth += token == PG_QUERY__TOKEN__ASCII_40;
        depth -= token == PG_QUERY__TOKEN__ASCII_41;
        bool is_from = token == PG_QUERY__TOKEN__FROM &&
                       a->tokens[from - 1]->token != PG_QUERY__TOKEN__DISTINCT;
        if (!depth && (is_from || ends_from(token)))
            break;
    }
    return from;
}

/* Tokens [from, to), in the grammar's order. As deep as parentheses are nested, which is bounded. */
static void arrange(arranger *a, size_t from, size_t to)
{
    size_t start = from;
    for (size_t i = from; i < to; i++) {
        if (!a->is_first[i])
            continue;
        add_tokens(a, start, i);
        size_t end = clause_end(a, i + 1, to), select_end = end;
        if (end < to && a->tokens[end]->token == PG_QUERY__TOKEN__SELECT)
            select_end = clause_end(a, end + 1, to);
        if (select_end > end)
            arrange(a, end, select_end);
        else
            add_piece(a, EVERYTHING, strlen(EVERYTHING), place_of(a, i), true);
        add_tokens(a, i, i + 1);
        arrange(a, i + 1, end);
        start = select_end;
        i = select_end - 1;
    }
    add_tokens(a, start, to);
}

/* Where in the statement what stands at a place of the parser's text was written. */
static int32_t origin(const void *context, int32_t place)
{
    const sql_text *text = context;
    size_t low = 0, high = text->pieces.count;
    if (place < 0)
        return place;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (text->pieces.items[middle].at <= place)
            low = middle;
        else
            high = middle;
    }
    const sql_piece *piece = &text->pieces.items[low];
    int32_t found = piece->origin + (piece->is_made ? 0 : place - piece->at);
    int32_t end = (int32_t)strlen(text->text);
    return found < end ? found : end;
}

static status moved_status(const sql_text *text, status st)
{
    int64_t place = st ? status_position(st) : -1;
    if (place < 0)
        return st;
    status moved = status_at(status_new(status_get_kind(st), "%s", status_message(st)),
                             origin(text, (int32_t)place));
    if (status_get_hint(st))
        moved = status_hint(moved, "%s", status_get_hint(st));
    status_free(st);
    return moved;
}

/* Queries that began with FROM count among those that are nested. */
static status check_nesting(arena *a, sql_text *text)
{
    pg_token **tokens;
    size_t count;
    TRY(sql_scan(a, text->arranged, &tokens, &count));
    count = sql_drop_comments(tokens, count);
    return sql_check_nesting(a, tokens, count, &text->union_count);
}

status sql_text_arrange(arena *memory, sql_text *text, pg_token *const *tokens,
                        const bool *is_first, size_t count)
{
    size_t firsts = 0;
    for (size_t i = 0; i < count; i++)
        firsts += is_first[i];
    if (!firsts)
        return STATUS_OK;
    arranger a = {memory, text, tokens, is_first, count, .st = STATUS_OK};
    /* Each FROM that comes first parts the tokens at four places at most, and may need a select list. */
    a.room = strlen(text->text) + (firsts + 1) * (strlen(EVERYTHING) + 8);
    a.made = arena_alloc(memory, a.room);
    if (!a.made)
        return status_no_memory("statement", a.room);
    arrange(&a, 0, count);
    text->arranged = a.made;
    TRY(a.st);
    return moved_status(text, check_nesting(memory, text));
}

status sql_text_parse(arena *a, const sql_text *text, pg_node **out)
{
    if (!text->arranged)
        return sql_parse(a, text->rewritten, out);
    TRY(moved_status(text, sql_parse(a, text->arranged, out)));
    if (*out)
        sql_tree_move(*out, origin, text);
    return STATUS_OK;
}
