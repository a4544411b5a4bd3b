/* command.c - see command.h. */
#include "server/session/command.h"

#include "server/engine.h"
#include "server/protocol/pg_setting.h"

#include <strings.h>

/* Tokens of a statement that are looked at. */
#define TOKENS_MAX 12

typedef struct token {
    const char *at;
    size_t bytes;
} token;

typedef struct tokens {
    token items[TOKENS_MAX];
    size_t count;
    const char *end; /* of the statement, before its semicolon */
} tokens;

/* ---- tokens ---- */

static void take_tokens(const char *sql, size_t bytes, tokens *out)
{
    const char *at = sql;
    *out = (tokens){.end = sql + bytes};
    while (at && at < out->end && out->count < TOKENS_MAX) {
        const char *end = sql_skip_token(at);
        if (!strchr(" \t\r\n\f\v", *at) && !sql_is_comment(at) && end)
            out->items[out->count++] = (token){at, (size_t)(end - at)};
        at = end;
    }
}

static bool command_is_word(const tokens *t, size_t index, const char *word)
{
    return index < t->count && t->items[index].bytes == strlen(word) &&
           !strncasecmp(t->items[index].at, word, t->items[index].bytes);
}

/* Copies what a token means: without its quotes, a bare name as it is written. */
static status copy_token(const token *t, char out[COMMAND_TEXT_BYTES])
{
    bool is_quoted = t->bytes > 1 && (*t->at == '\'' || *t->at == '"');
    const char *at = t->at + is_quoted, *end = t->at + t->bytes - is_quoted;
    size_t count = 0;
    for (; at < end && count < COMMAND_TEXT_BYTES - 1; at++) {
        out[count++] = *at;
        if (is_quoted && *at == *t->at) /* doubled */
            at++;
    }
    out[count] = 0;
    return at < end ? status_new(STATUS_KIND_INVALID, "a value has more than %d bytes",
                                 COMMAND_TEXT_BYTES - 1)
                    : STATUS_OK;
}

/* Copies what is written from the token on to the statement's end; a single token without its quotes. */
static status copy_from(const tokens *t, size_t index, char out[COMMAND_TEXT_BYTES])
{
    if (index + 1 == t->count)
        return copy_token(&t->items[index], out);
    const char *end = t->end;
    while (end > t->items[index].at && strchr(" \t\r\n", end[-1]))
        end--;
    token whole = {t->items[index].at, (size_t)(end - t->items[index].at)};
    if (whole.bytes >= COMMAND_TEXT_BYTES)
        return status_new(STATUS_KIND_INVALID, "a value has more than %d bytes",
                          COMMAND_TEXT_BYTES - 1);
    memcpy(out, whole.at, whole.bytes);
    out[whole.bytes] = 0;
    return STATUS_OK;
}

/* ---- settings ---- */

/* SET name {TO|=} value, the name at `index`. */
static status read_set(const tokens *t, size_t index, command *out)
{
    int number = index < t->count ? pg_setting_find(t->items[index].at, t->items[index].bytes) : -1;
    bool has_value = index + 2 < t->count &&
                     (command_is_word(t, index + 1, "to") || command_is_word(t, index + 1, "="));
    if (number < 0 || !has_value)
        return STATUS_OK;
    *out = (command){.kind = COMMAND_SET, .tag = "SET", .setting = number};
    out->has_default = index + 3 == t->count && command_is_word(t, index + 2, "default");
    return copy_from(t, index + 2, out->text);
}

static status read_any_set(const tokens *t, command *out)
{
    size_t name = 1 + (command_is_word(t, 1, "session") || command_is_word(t, 1, "local"));
    if (command_is_word(t, 1, "transaction") ||
        (command_is_word(t, 1, "session") && command_is_word(t, 2, "characteristics"))) {
        *out = (command){.kind = COMMAND_NOTHING, .tag = "SET"};
        return STATUS_OK;
    }
    if (command_is_word(t, name, "names") && name + 2 == t->count) {
        *out = (command){
            .kind = COMMAND_SET, .tag = "SET", .setting = pg_setting_find("client_encoding", 15)};
        return copy_token(&t->items[name + 1], out->text);
    }
    return read_set(t, name, out);
}

static status read_reset(const tokens *t, command *out)
{
    int number = t->count == 2 ? pg_setting_find(t->items[1].at, t->items[1].bytes) : -1;
    if (t->count == 2 && command_is_word(t, 1, "all"))
        *out = (command){.kind = COMMAND_RESET_ALL, .tag = "RESET"};
    else if (number >= 0)
        *out = (command){.kind = COMMAND_RESET, .tag = "RESET", .setting = number};
    return STATUS_OK;
}

static status read_show(const tokens *t, command *out)
{
    int number = t->count == 2 ? pg_setting_find(t->items[1].at, t->items[1].bytes) : -1;
    if (t->count == 4 && command_is_word(t, 1, "transaction") &&
        command_is_word(t, 2, "isolation") && command_is_word(t, 3, "level"))
        number = pg_setting_find("transaction_isolation", 21);
    if (number >= 0)
        *out = (command){.kind = COMMAND_SHOW, .tag = "SHOW", .setting = number};
    return STATUS_OK;
}

/* ---- statements with a name ---- */

/* A bare name is meant in small letters. */
static void lower(char *text)
{
    for (; *text; text++)
        if (*text >= 'A' && *text <= 'Z')
            *text = (char)(*text - 'A' + 'a');
}

/* DEALLOCATE [PREPARE] name|ALL, CLOSE name|ALL; a savepoint may be called ALL. */
static status command_read_named(const tokens *t, size_t index, command_kind kind, const char *tag,
                                 command *out)
{
    if (index + 1 != t->count)
        return STATUS_OK;
    *out = (command){.kind = kind, .tag = tag};
    bool takes_all = kind == COMMAND_DEALLOCATE || kind == COMMAND_CLOSE || kind == COMMAND_FETCH ||
                     kind == COMMAND_MOVE;
    if (takes_all && command_is_word(t, index, "all"))
        return STATUS_OK;
    TRY(copy_token(&t->items[index], out->text));
    if (*t->items[index].at != '"')
        lower(out->text);
    return STATUS_OK;
}

/* ---- cursors ---- */

/* DECLARE name [...] CURSOR [WITHOUT HOLD] FOR query. Those that outlive their transaction are not taken. */
static status read_declare(const tokens *t, command *out)
{
    size_t at = 2;
    while (at < t->count && !command_is_word(t, at, "cursor"))
        at++;
    at += command_is_word(t, at + 1, "without") && command_is_word(t, at + 2, "hold") ? 3 : 1;
    if (at < 3 || !command_is_word(t, at, "for"))
        return STATUS_OK;
    *out = (command){.kind = COMMAND_DECLARE, .tag = "DECLARE CURSOR"};
    out->query = t->items[at].at + t->items[at].bytes;
    TRY(copy_token(&t->items[1], out->text));
    if (*t->items[1].at != '"')
        lower(out->text);
    return STATUS_OK;
}

/* Reads a count of rows; false: the token is not one. */
static bool command_read_count(const token *t, uint32_t *out)
{
    *out = 0;
    for (size_t i = 0; i < t->bytes; i++) {
        if (t->at[i] < '0' || t->at[i] > '9' || *out > INT32_MAX / 10 - 1)
            return false;
        *out = *out * 10 + (uint32_t)(t->at[i] - '0');
    }
    return true;
}

/* FETCH or MOVE [FORWARD] [NEXT|ALL|count] [FROM|IN] name. */
static status read_fetch(const tokens *t, command *out)
{
    uint32_t count = 1;
    size_t at = command_is_word(t, 1, "forward") ? 2 : 1;
    bool is_all = command_is_word(t, at, "all");
    bool is_counted = at + 1 < t->count && command_read_count(&t->items[at], &count);
    if (!is_counted)
        count = 1;
    at += is_all || is_counted || command_is_word(t, at, "next");
    at += command_is_word(t, at, "from") || command_is_word(t, at, "in");
    TRY(command_is_word(t, 0, "move") ? command_read_named(t, at, COMMAND_MOVE, "MOVE", out)
                                      : command_read_named(t, at, COMMAND_FETCH, "FETCH", out));
    out->count = count;
    out->is_all = is_all;
    return STATUS_OK;
}

/* ---- savepoints ---- */

/* SAVEPOINT name, RELEASE [SAVEPOINT] name, ROLLBACK [WORK|TRANSACTION] TO [SAVEPOINT] name. */
static status read_savepoint(const tokens *t, command *out)
{
    size_t to = 1 + (command_is_word(t, 1, "work") || command_is_word(t, 1, "transaction"));
    if (command_is_word(t, 0, "savepoint"))
        return command_read_named(t, 1, COMMAND_SAVEPOINT, "SAVEPOINT", out);
    if (command_is_word(t, 0, "release"))
        return command_read_named(t, 1 + (command_is_word(t, 1, "savepoint") && t->count == 3),
                                  COMMAND_RELEASE, "RELEASE", out);
    if (!command_is_word(t, 0, "rollback") || !command_is_word(t, to, "to"))
        return STATUS_OK;
    to += 1 + (command_is_word(t, to + 1, "savepoint") && t->count == to + 3);
    return command_read_named(t, to, COMMAND_ROLLBACK_TO, "ROLLBACK", out);
}

/* ---- all of them ---- */

static const struct {
    const char *words[2]; /* the first ones; NULL: any, or none */
    command_kind kind;
    const char *tag;
} plain[] = {
    {{"begin"}, COMMAND_BEGIN, "BEGIN"},
    {{"start", "transaction"}, COMMAND_BEGIN, "START TRANSACTION"},
    {{"commit"}, COMMAND_COMMIT, "COMMIT"},
    {{"end"}, COMMAND_COMMIT, "COMMIT"},
    {{"rollback"}, COMMAND_ROLLBACK, "ROLLBACK"},
    {{"abort"}, COMMAND_ROLLBACK, "ROLLBACK"},
    {{"discard", "all"}, COMMAND_DISCARD, "DISCARD ALL"},
    {{"discard", "plans"}, COMMAND_NOTHING, "DISCARD PLANS"},
    {{"discard", "temp"}, COMMAND_NOTHING, "DISCARD TEMP"},
    {{"discard", "sequences"}, COMMAND_NOTHING, "DISCARD SEQUENCES"},
    {{"listen"}, COMMAND_NOTHING, "LISTEN"},
    {{"unlisten"}, COMMAND_NOTHING, "UNLISTEN"},
};

static void read_plain(const tokens *t, command *out)
{
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (command_is_word(t, 0, plain[i].words[0]) &&
            (!plain[i].words[1] || command_is_word(t, 1, plain[i].words[1]))) {
            *out = (command){.kind = plain[i].kind, .tag = plain[i].tag};
            return;
        }
}

static status read_tokens(const tokens *t, command *out)
{
    if (command_is_word(t, 0, "set"))
        return read_any_set(t, out);
    if (command_is_word(t, 0, "reset"))
        return read_reset(t, out);
    if (command_is_word(t, 0, "show"))
        return read_show(t, out);
    if (command_is_word(t, 0, "deallocate"))
        return command_read_named(t, 1 + (command_is_word(t, 1, "prepare") && t->count == 3),
                                  COMMAND_DEALLOCATE, "DEALLOCATE", out);
    if (command_is_word(t, 0, "declare"))
        return read_declare(t, out);
    if (command_is_word(t, 0, "fetch") || command_is_word(t, 0, "move"))
        return read_fetch(t, out);
    if (command_is_word(t, 0, "close"))
        return command_read_named(t, 1, COMMAND_CLOSE, "CLOSE CURSOR", out);
    TRY(read_savepoint(t, out));
    if (!out->kind)
        read_plain(t, out);
    return STATUS_OK;
}

status command_read(const char *sql, command *out, const char **out_rest)
{
    size_t with_end, bytes = sql_statement_length(sql, &with_end);
    tokens t;
    *out = (command){.kind = COMMAND_NONE};
    take_tokens(sql, bytes, &t);
    TRY(read_tokens(&t, out));
    if (out->kind)
        *out_rest = sql + with_end;
    return STATUS_OK;
}
