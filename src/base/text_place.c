/* text_place.c - see text_place.h. */
#include "base/text_place.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

void text_place_show(const char *text, size_t at, char out[TEXT_PLACE_BYTES])
{
    size_t length = strlen(text), start, end, line = 1, column = 0;
    at = at < length ? at : length;
    text_place_find_line(text, at, &start, &end);
    for (size_t i = 0; i < start; i++)
        line += text[i] == '\n';
    for (size_t i = start; i < at && i < end; i++)
        column += !is_inside_character(text[i]);
    int shown = snprintf(out, TEXT_PLACE_BYTES, "line %zu: ", line);
    snprintf(out + shown, TEXT_PLACE_BYTES - (size_t)shown, "%.*s\n%*s^", (int)(end - start),
             text + start, shown + (int)column, "");
}
