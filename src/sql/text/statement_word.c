/* statement_word.c - statements of PostgreSQL and DuckDB that are refused, told by their first words. */
#include "sql/text/statement_word.h"

#include <stdio.h>
#include <strings.h>

/* No statement that is supported begins with one of them, but ALTER ... RENAME TO. */
static const char *const first_words[] = {
    "ALTER",    "ANALYZE",  "BEGIN",  "CHECKPOINT", "CLOSE",       "CLUSTER",  "COMMENT",
    "COMMIT",   "DECLARE",  "DELETE", "DISCARD",    "DO",          "END",      "EXPORT",
    "FETCH",    "FORCE",    "GRANT",  "IMPORT",     "INSTALL",     "LISTEN",   "LOAD",
    "LOCK",     "MERGE",    "MOVE",   "NOTIFY",     "PIVOT_WIDER", "REASSIGN", "REFRESH",
    "REINDEX",  "RELEASE",  "REVOKE", "ROLLBACK",   "SAVEPOINT",   "SECURITY", "START",
    "TRUNCATE", "UNLISTEN", "UPDATE", "VACUUM"};

/* Words after CREATE and DROP that are refused by name. */
static const char *const objects[] = {
    "ACCESS",   "AGGREGATE", "CAST",       "COLLATION",    "CONVERSION", "DATABASE", "DOMAIN",
    "EVENT",    "EXTENSION", "FOREIGN",    "GROUP",        "INDEX",      "LANGUAGE", "MATERIALIZED",
    "OPERATOR", "POLICY",    "PROCEDURE",  "PUBLICATION",  "ROLE",       "RULE",     "SECRET",
    "SEQUENCE", "SERVER",    "STATISTICS", "SUBSCRIPTION", "TABLESPACE", "TEXT",     "TRANSFORM",
    "TRIGGER",  "TYPE",      "UNIQUE",     "USER"};

static const char *statement_word_find(const char *const *words, size_t count, const char *text,
                                       const pg_token *token)
{
    size_t bytes = (size_t)(token->end - token->start);
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == bytes && !strncasecmp(words[i], text + token->start, bytes))
            return words[i];
    return NULL;
}

/* Returns whether the statement is ALTER TABLE, ALTER VIEW or ALTER SCHEMA with RENAME TO. */
static bool is_rename(const char *text, const pg_token *tokens, size_t count)
{
    static const char word[] = "rename";
    bool has_kind = count > 4 && (tokens[1].token == TOKEN_TABLE || tokens[1].token == TOKEN_VIEW ||
                                  tokens[1].token == TOKEN_SCHEMA);
    if (!has_kind || strncasecmp(text + tokens[0].start, "alter", 5))
        return false;
    for (size_t i = 2; i + 1 < count; i++)
        if (tokens[i + 1].token == TOKEN_TO && tokens[i].end - tokens[i].start == sizeof word - 1 &&
            !strncasecmp(text + tokens[i].start, word, sizeof word - 1))
            return true;
    return false;
}

status sql_refused_statement(arena *a, const char *text, const pg_token *tokens, size_t count,
                             const char **out)
{
    bool is_create = count > 1 && tokens[0].token == TOKEN_CREATE;
    size_t at = 1;
    *out = statement_word_find(first_words, sizeof first_words / sizeof *first_words, text,
                               &tokens[0]);
    if (*out && is_rename(text, tokens, count))
        *out = NULL;
    if (*out || count < 2 || (!is_create && tokens[0].token != TOKEN_DROP))
        return STATUS_OK;
    if (is_create && count > 3 && tokens[1].token == TOKEN_OR)
        at = 3; /* OR REPLACE */
    while (at + 1 < count &&
           (tokens[at].token == TOKEN_TEMP || tokens[at].token == TOKEN_TEMPORARY))
        at++;
    const char *object =
        statement_word_find(objects, sizeof objects / sizeof *objects, text, &tokens[at]);
    if (!object)
        return STATUS_OK;
    *out = arena_format(a, "%s %s", is_create ? "CREATE" : "DROP", object);
    return *out ? STATUS_OK : status_no_memory("statement", 0);
}
