/* statement_word.c - statements of PostgreSQL and DuckDB that are refused, told by their first words. */
#include "sql/text/statement_word.h"

#include <stdio.h>
#include <strings.h>

/* No statement that is supported begins with one of them, but ALTER ... RENAME TO. */
static const char *const first_words[] = {
    "ABORT",   "ALTER",    "ANALYZE",  "BEGIN",  "CHECKPOINT", "CLOSE",       "CLUSTER",
    "COMMENT", "COMMIT",   "DECLARE",  "DELETE", "DISCARD",    "DO",          "END",
    "EXPORT",  "FETCH",    "FORCE",    "GRANT",  "IMPORT",     "INSTALL",     "LISTEN",
    "LOAD",    "LOCK",     "MERGE",    "MOVE",   "NOTIFY",     "PIVOT_WIDER", "REASSIGN",
    "REFRESH", "REINDEX",  "RELEASE",  "REVOKE", "ROLLBACK",   "SAVEPOINT",   "SECURITY",
    "START",   "TRUNCATE", "UNLISTEN", "UPDATE", "VACUUM"};

/* Words after CREATE and DROP that are refused by name. */
static const char *const objects[] = {
    "ACCESS",    "AGGREGATE", "CAST",    "COLLATION",  "CONVERSION",   "DATABASE",   "DOMAIN",
    "EVENT",     "EXTENSION", "FOREIGN", "GROUP",      "INDEX",        "LANGUAGE",   "MATERIALIZED",
    "OPERATOR",  "OWNED",     "POLICY",  "PROCEDURE",  "PUBLICATION",  "ROLE",       "RULE",
    "SECRET",    "SEQUENCE",  "SERVER",  "STATISTICS", "SUBSCRIPTION", "TABLESPACE", "TEXT",
    "TRANSFORM", "TRIGGER",   "TYPE",    "UNIQUE",     "USER"};

/* Statements that begin with a word of others. */
static const char *const first_phrases[] = {"SET CONSTRAINTS", "SET ROLE",
                                            "SET SESSION AUTHORIZATION", "SHOW CREATE",
                                            "COPY FROM DATABASE"};

static bool is_word(const char *text, const pg_token *token, const char *word, size_t bytes)
{
    return (size_t)(token->end - token->start) == bytes &&
           !strncasecmp(word, text + token->start, bytes);
}

static const char *statement_word_find(const char *const *words, size_t count, const char *text,
                                       const pg_token *token)
{
    for (size_t i = 0; i < count; i++)
        if (is_word(text, token, words[i], strlen(words[i])))
            return words[i];
    return NULL;
}

/* Returns whether the tokens begin with the words of a phrase. */
static bool is_phrase(const char *text, const pg_token *tokens, size_t count, const char *phrase)
{
    for (size_t i = 0; *phrase; i++) {
        size_t bytes = strcspn(phrase, " ");
        if (i == count || !is_word(text, &tokens[i], phrase, bytes))
            return false;
        phrase += bytes + (phrase[bytes] == ' ');
    }
    return true;
}

static const char *find_phrase(const char *text, const pg_token *tokens, size_t count)
{
    for (size_t i = 0; i < sizeof first_phrases / sizeof *first_phrases; i++)
        if (is_phrase(text, tokens, count, first_phrases[i]))
            return first_phrases[i];
    bool is_prepared = is_phrase(text, tokens, count, "PREPARE TRANSACTION") && count > 2 &&
                       text[tokens[2].start] == '\'';
    return is_prepared ? "PREPARE TRANSACTION" : NULL;
}

/* Returns whether a function is made as PostgreSQL does; CREATE FUNCTION f(x) AS ... is a macro. */
static bool has_returns(const char *text, const pg_token *tokens, size_t count)
{
    for (size_t i = 3; i < count; i++)
        if (text[tokens[i - 1].start] == ')' && is_phrase(text, tokens + i, 1, "RETURNS"))
            return true;
    return false;
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
    if (!*out)
        *out = find_phrase(text, tokens, count);
    if (*out || count < 2 || (!is_create && tokens[0].token != TOKEN_DROP))
        return STATUS_OK;
    if (is_create && count > 3 && tokens[1].token == TOKEN_OR)
        at = 3; /* OR REPLACE */
    while (at + 1 < count &&
           (tokens[at].token == TOKEN_TEMP || tokens[at].token == TOKEN_TEMPORARY))
        at++;
    const char *object =
        statement_word_find(objects, sizeof objects / sizeof *objects, text, &tokens[at]);
    if (is_create && is_phrase(text, tokens + at, 1, "FUNCTION") &&
        has_returns(text, tokens, count))
        *out = "CREATE FUNCTION ... RETURNS";
    if (!object)
        return STATUS_OK;
    *out = arena_format(a, "%s %s", is_create ? "CREATE" : "DROP", object);
    return *out ? STATUS_OK : status_no_memory("statement", 0);
}

/* ---- within statements ---- */

static const struct {
    const char *phrase, *name, *instead;
} refused_parts[] = {
    {"MATCH_RECOGNIZE (", "MATCH_RECOGNIZE", "lag and lead see the rows around one"},
    {"JSON_TABLE (", "JSON_TABLE", "json_each gives rows; -> and ->> give members"},
    {"JSON_OBJECTAGG (", "JSON_OBJECTAGG", "json_group_object(key, value)"},
    {"JSON_ARRAYAGG (", "JSON_ARRAYAGG", "json_group_array(value)"},
    {"GENERATED ALWAYS AS (", "GENERATED", "a view can compute the column"},
    {"IS OF (", "IS OF", "typeof(x) = 'integer'"},
    {"CURRENT OF", "CURRENT OF", "there are no cursors"},
    {"CROSS APPLY", "CROSS APPLY", "CROSS JOIN LATERAL"},
    {"OUTER APPLY", "OUTER APPLY", "LEFT JOIN LATERAL ... ON true"},
    {"FROM LAST OVER", "FROM LAST", "ORDER BY ... DESC in the window"},
    {"CONNECT BY", "CONNECT BY", "WITH RECURSIVE"},
    {"START WITH", "START WITH", "WITH RECURSIVE"},
    {":: UNION (", "type \"union\"", "a struct with a field for each kind"},
    {"* EXCEPT (", "* EXCEPT", "* EXCLUDE (name)"},
    {"JSON_SCALAR (", "JSON_SCALAR", "to_json(value)"},
    {"JSON_SERIALIZE (", "JSON_SERIALIZE", "a cast to varchar"}};

/* Returns whether the grammar failed because of the phrase: up to the token behind it, or behind its parentheses. */
static bool is_cause(const char *text, const pg_token *tokens, size_t from, size_t at,
                     const char *phrase)
{
    size_t words = 1;
    for (const char *space = phrase; (space = strchr(space, ' ')); space++)
        words++;
    if (phrase[strlen(phrase) - 1] != '(')
        return at <= from + words + 1;
    int depth = 1;
    size_t i = from + words;
    for (; i < at && depth > 0; i++)
        depth += (text[tokens[i].start] == '(') - (text[tokens[i].start] == ')');
    return i >= at;
}

bool sql_find_refused_part(const char *text, const pg_token *tokens, size_t count, size_t at,
                           sql_refused_part *out)
{
    for (size_t from = at < count ? at + 1 : count; from-- > 0;)
        for (size_t i = 0; i < sizeof refused_parts / sizeof *refused_parts; i++)
            if (is_phrase(text, tokens + from, count - from, refused_parts[i].phrase) &&
                is_cause(text, tokens, from, at, refused_parts[i].phrase)) {
                *out = (sql_refused_part){refused_parts[i].name, refused_parts[i].instead,
                                          tokens[from].start};
                return true;
            }
    return false;
}
