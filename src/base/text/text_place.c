/* text_place.c - see text_place.h. */
#include "base/text/text_place.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool is_inside_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The bytes [*start, *end) around `at`, as many of its line as are shown. */
static void text_place_find_line(const char *text, size_t at, size_t *start, size_t *end)
{
    *start = *end = at;
    while (*start && text[*start - 1] != '\n')
        --*start;
    while (text[*end] && text[*end] != '\n')
        ++*end;
    if (*end - *start <= TEXT_PLACE_LINE)
        return;
    if (at - *start > TEXT_PLACE_LINE / 2)
        *start = at - TEXT_PLACE_LINE / 2;
    if (*end - *start > TEXT_PLACE_LINE)
        *end = *start + TEXT_PLACE_LINE;
    while (is_inside_character(text[*start]))
        ++*start;
    while (is_inside_character(text[*end]))
        --*end;
}

/* ---- secrets ---- */

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns whether a word, of an option or a setting, says that its value is secret. */
static bool is_secret(const char *word, size_t bytes)
{
    static const char *const parts[] = {"secret", "token", "password"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (size_t at = 0; at + strlen(parts[i]) <= bytes; at++)
            if (!strncasecmp(word + at, parts[i], strlen(parts[i])))
                return true;
    return false;
}

/* Finds the word before byte `at`, past blanks and the sign of an assignment: [*start, at returned). */
static size_t word_before(const char *text, size_t at, size_t *start)
{
    while (at && strchr(" \t\r\n=", text[at - 1]))
        at--;
    for (*start = at; *start && is_of_word(text[*start - 1]);)
        --*start;
    return at;
}

/* Returns whether the literal whose quote is at `quote` is the value of a secret: TOKEN 'x', a_secret = 'x', a_secret TO 'x'. */
static bool is_secret_literal(const char *text, size_t quote)
{
    size_t start, end = word_before(text, quote, &start);
    if (end - start == 2 && !strncasecmp(text + start, "to", 2))
        end = word_before(text, start, &start);
    return is_secret(text + start, end - start);
}

/* Returns the end of the literal (with its quotes), the quoted name or the comment that begins at `at`; otherwise `at`. */
static size_t skip_quoted(const char *text, size_t at)
{
    const char *end = NULL;
    size_t closing = 1;
    if (text[at] == '\'' || text[at] == '"')
        end = strchr(text + at + 1, text[at]);
    else if (!strncmp(text + at, "--", 2))
        end = strchr(text + at, '\n');
    else if (!strncmp(text + at, "/*", 2))
        closing = 2, end = strstr(text + at + 2, "*/");
    else
        return at;
    return end ? (size_t)(end - text) + closing : strlen(text);
}

/* Puts stars for the secrets in a copy of [start, end) of the text. A quote within a literal ends it and begins another one. */
static void hide_secrets(const char *text, size_t start, size_t end, char *copy)
{
    bool is_hidden = false;
    for (size_t at = 0, next; at < end && text[at]; at = next) {
        next = skip_quoted(text, at);
        if (next == at) {
            next = at + 1;
            continue;
        }
        bool is_literal = text[at] == '\'', follows = at && text[at - 1] == '\'';
        is_hidden = is_literal && ((follows && is_hidden) || is_secret_literal(text, at));
        for (size_t i = at; is_hidden && i < next && i < end; i++)
            if (i >= start && text[i] != '\'')
                copy[i - start] = '*';
    }
}

/* ---- the place ---- */

void text_place_show(const char *text, size_t at, char out[TEXT_PLACE_BYTES])
{
    char shown_line[TEXT_PLACE_LINE + 1];
    size_t length = strlen(text), start, end, line = 1, column = 0;
    at = at < length ? at : length;
    text_place_find_line(text, at, &start, &end);
    memcpy(shown_line, text + start, end - start);
    hide_secrets(text, start, end, shown_line);
    for (size_t i = 0; i < start; i++)
        line += text[i] == '\n';
    for (size_t i = start; i < at && i < end; i++)
        column += !is_inside_character(shown_line[i - start]);
    int shown = snprintf(out, TEXT_PLACE_BYTES, "line %zu: ", line);
    snprintf(out + shown, TEXT_PLACE_BYTES - (size_t)shown, "%.*s\n%*s^", (int)(end - start),
             shown_line, shown + (int)column, "");
}
