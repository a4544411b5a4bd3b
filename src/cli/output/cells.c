/* cells.c - widths by the C library's own table of Unicode, sequences of emoji by rules. */
#include "cli/output/cells.h"

#include "base/text/utf8.h"

#include <locale.h>
#include <wchar.h>

#define JOINER 0x200d      /* makes one emoji of two */
#define EMOJI_STYLE 0xfe0f /* makes an emoji of the sign before it */
#define SKIN_FIRST 0x1f3fb /* colours the emoji before it */
#define SKIN_LAST 0x1f3ff
#define FIRST_WIDE 0x300 /* all characters before it take a cell each */

unsigned cells_character(const char *text, size_t bytes, uint32_t *out_code)
{
    bool is_character;
    unsigned length = utf8_part(text, bytes, &is_character);
    uint8_t first = (uint8_t)text[0];
    if (!is_character || length == 1) {
        *out_code = first;
        return length ? length : 1;
    }
    *out_code = first & (0x7fu >> length);
    for (unsigned i = 1; i < length; i++)
        *out_code = *out_code << 6 | ((uint8_t)text[i] & 0x3f);
    return length;
}

bool cells_is_control(uint32_t code)
{
    return code < ' ' || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
           code == 0xfeff;
}

/* The widths of one line, character by character. */
typedef struct cells_line {
    size_t width, last; /* of all so far, of the last one that takes a place of its own */
    bool is_joined;     /* the next character joins the last one */
} cells_line;

static size_t width_of(uint32_t code)
{
    if (code < FIRST_WIDE)
        return 1;
    int width = wcwidth((wchar_t)code);
    return width < 0 ? 1 : (size_t)width;
}

static void cells_add(cells_line *line, uint32_t code)
{
    size_t width = width_of(code);
    if (line->is_joined || (code >= SKIN_FIRST && code <= SKIN_LAST && line->last == 2))
        width = 0;
    if (code == EMOJI_STYLE && line->last == 1) {
        width = 1; /* the sign becomes as wide as an emoji */
        line->last = 2;
    } else if (width) {
        line->last = width;
    }
    line->is_joined = code == JOINER;
    line->width += width;
}

/* Takes the table of Unicode, whatever the program's locale. Returns the locale to go back to. */
static locale_t cells_begin(void)
{
    static locale_t unicode;
    if (!unicode)
        unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    return unicode ? uselocale(unicode) : (locale_t)0;
}

static void cells_end(locale_t before)
{
    if (before)
        uselocale(before);
}

size_t cells_width(const char *text, size_t bytes)
{
    locale_t before = cells_begin();
    cells_line line = {0};
    size_t widest = 0;
    for (size_t i = 0; i < bytes;) {
        uint32_t code = (uint8_t)text[i];
        i += code < 0x80 ? 1 : cells_character(text + i, bytes - i, &code);
        if (code == '\n')
            line = (cells_line){0};
        else
            cells_add(&line, code);
        widest = line.width > widest ? line.width : widest;
    }
    cells_end(before);
    return widest;
}

size_t cells_fit(const char *text, size_t bytes, size_t room)
{
    locale_t before = cells_begin();
    cells_line line = {0};
    size_t fitting = 0;
    for (size_t i = 0; i < bytes && line.width <= room;) {
        uint32_t code;
        i += cells_character(text + i, bytes - i, &code);
        cells_add(&line, code);
        if (line.width <= room)
            fitting = i;
    }
    cells_end(before);
    return fitting;
}
