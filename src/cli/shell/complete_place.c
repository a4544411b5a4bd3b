/* complete_place.c - which word is being typed, and of what kind. */
#include "cli/shell/complete.h"

#include <string.h>
#include <strings.h>

static const char blanks[] = " \t";

static bool complete_place_is_word(const char *text, size_t bytes, const char *word)
{
    return bytes == strlen(word) && !strncasecmp(text, word, bytes);
}

/* Returns what a command takes. */
static complete_kind kind_of_argument(const char *name, size_t bytes)
{
    static const struct {
        const char *name;
        complete_kind kind;
    } commands[] = {
        {"read", COMPLETE_FILE},   {"i", COMPLETE_FILE},      {"include", COMPLETE_FILE},
        {"output", COMPLETE_FILE}, {"o", COMPLETE_FILE},      {"once", COMPLETE_FILE},
        {"cd", COMPLETE_FILE},     {"edit", COMPLETE_FILE},   {"e", COMPLETE_FILE},
        {"shell", COMPLETE_FILE},  {"system", COMPLETE_FILE}, {"schema", COMPLETE_TABLE},
        {"d", COMPLETE_TABLE},     {"d+", COMPLETE_TABLE},    {"mode", COMPLETE_FORMAT},
        {"copy", COMPLETE_SQL},
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (complete_place_is_word(name, bytes, commands[i].name))
            return commands[i].kind;
    return COMPLETE_NOTHING;
}

/* Finds the place in a command, whose name or argument it is. */
static complete_place find_in_command(const char *line, const char *end)
{
    const char *name_end = line + strcspn(line, blanks);
    if (name_end >= end)
        return (complete_place){COMPLETE_COMMAND, line, (size_t)(end - line)};
    complete_kind kind = kind_of_argument(line + 1, (size_t)(name_end - line) - 1);
    const char *start = end;
    while (start > name_end && !strchr(blanks, start[-1]))
        start--;
    return (complete_place){kind, start, (size_t)(end - start)};
}

/* Returns the quote that is open at the end, or NULL. */
static const char *find_open_quote(const char *line, const char *end)
{
    const char *open = NULL;
    for (const char *at = line; at < end; at++)
        if ((*at == '\'' || *at == '"') && (!open || *open == *at))
            open = open ? NULL : at;
    return open;
}

/* Returns whether the word before the place is one after which a setting's name stands. */
static bool is_after_set(const char *line, const char *start)
{
    const char *word_end = start;
    while (word_end > line && strchr(blanks, word_end[-1]))
        word_end--;
    const char *word = word_end;
    while (word > line && !strchr(" \t;(", word[-1]))
        word--;
    size_t bytes = (size_t)(word_end - word);
    return complete_place_is_word(word, bytes, "set") ||
           complete_place_is_word(word, bytes, "show") ||
           complete_place_is_word(word, bytes, "reset");
}

complete_place complete_find(const char *line, const char *end, bool is_first)
{
    while (line < end && strchr(blanks, *line))
        line++;
    if (is_first && line < end && (*line == '.' || *line == '\\'))
        return find_in_command(line, end);
    const char *quote = find_open_quote(line, end), *start = end;
    if (quote && *quote == '\'')
        return (complete_place){COMPLETE_QUOTED, quote + 1, (size_t)(end - quote) - 1};
    while (start > line && !strchr(" \t\n(),;=<>+-*/.'\"", start[-1]))
        start--;
    complete_kind kind = is_after_set(line, start) ? COMPLETE_SETTING : COMPLETE_SQL;
    return (complete_place){kind, start, (size_t)(end - start)};
}

const char *complete_ending(complete_kind kind, const char *word)
{
    size_t bytes = strlen(word);
    if (bytes && word[bytes - 1] == '/')
        return "";
    if (kind == COMPLETE_QUOTED)
        return "'";
    return bytes && word[bytes - 1] == '(' ? "" : " ";
}
