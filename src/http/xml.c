/* xml.c - see xml.h. */
#include "http/xml.h"

#include <stdint.h>
#include <string.h>

void xml_begin(xml_reader *reader, const char *text, size_t bytes)
{
    reader->at = text;
    reader->end = bytes ? text + bytes : text;
    reader->depth = 0;
}

bool xml_is(const xml_text *text, const char *word)
{
    return text->bytes == strlen(word) && !memcmp(text->start, word, text->bytes);
}

static bool xml_begins(const xml_reader *reader, const char *with)
{
    size_t bytes = strlen(with);
    return (size_t)(reader->end - reader->at) >= bytes && !memcmp(reader->at, with, bytes);
}

/* Moves behind the next place of a mark. */
static bool skip_past(xml_reader *reader, const char *mark)
{
    size_t bytes = strlen(mark);
    const char *found = memmem(reader->at, (size_t)(reader->end - reader->at), mark, bytes);
    if (found)
        reader->at = found + bytes;
    return found;
}

/* Passes over blanks, "<?...?>" and comments. */
static bool skip_between(xml_reader *reader)
{
    for (;;) {
        while (reader->at < reader->end && strchr(" \t\r\n\xEF\xBB\xBF", *reader->at) &&
               *reader->at)
            reader->at++;
        if (xml_begins(reader, "<?")) {
            if (!skip_past(reader, "?>"))
                return false;
        } else if (xml_begins(reader, "<!--")) {
            if (!skip_past(reader, "-->"))
                return false;
        } else {
            return true;
        }
    }
}

static bool is_name(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("-._:", c));
}

/* A name, without its prefix. */
static bool read_name(xml_reader *reader, xml_text *out)
{
    const char *start = reader->at;
    while (reader->at < reader->end && is_name((unsigned char)*reader->at))
        reader->at++;
    const char *colon = memrchr(start, ':', (size_t)(reader->at - start));
    start = colon ? colon + 1 : start;
    *out = (xml_text){start, (size_t)(reader->at - start)};
    return out->bytes;
}

/* Passes over attributes, to behind the > of a tag. *is_empty: it was "/>". */
static bool end_tag(xml_reader *reader, bool *is_empty)
{
    char quote = 0, before = 0;
    for (; reader->at < reader->end; before = *reader->at++) {
        char c = *reader->at;
        if (quote) {
            quote = c == quote ? 0 : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '<') {
            return false;
        } else if (c == '>') {
            *is_empty = before == '/';
            reader->at++;
            return true;
        }
    }
    return false;
}

/* "</name>", of the element that is open. */
static bool read_close(xml_reader *reader, const xml_text *open)
{
    xml_text name;
    bool is_empty;
    reader->at += 2;
    return read_name(reader, &name) && name.bytes == open->bytes &&
           !memcmp(name.start, open->start, name.bytes) && end_tag(reader, &is_empty) && !is_empty;
}

static bool read_open(xml_reader *reader, xml_item *out)
{
    bool is_empty;
    reader->at++;
    if (!read_name(reader, &out->name) || !end_tag(reader, &is_empty))
        return false;
    out->kind = XML_LEAF;
    out->text = (xml_text){reader->at, 0};
    if (is_empty)
        return true;
    const char *next = memchr(reader->at, '<', (size_t)(reader->end - reader->at));
    if (!next)
        return false;
    if (next + 1 < reader->end && next[1] == '/') {
        out->text.bytes = (size_t)(next - reader->at);
        reader->at = next;
        return read_close(reader, &out->name);
    }
    out->kind = XML_OPEN;
    if (reader->depth == XML_DEPTH_MAX)
        return false;
    reader->names[reader->depth++] = out->name;
    return true;
}

bool xml_next(xml_reader *reader, xml_item *out)
{
    bool was_begun = reader->depth;
    *out = (xml_item){.kind = XML_END};
    if (!skip_between(reader))
        return false;
    if (reader->at == reader->end)
        return !was_begun;
    if (xml_begins(reader, "</")) {
        if (!reader->depth)
            return false;
        out->kind = XML_CLOSE;
        out->name = reader->names[--reader->depth];
        return read_close(reader, &out->name);
    }
    return *reader->at == '<' && read_open(reader, out);
}

/* ---- references ---- */

static char *put_utf8(char *to, uint32_t c)
{
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xC0 | c >> 6);
        *to++ = (char)(0x80 | (c & 63));
    } else if (c < 0x10000) {
        *to++ = (char)(0xE0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 63));
        *to++ = (char)(0x80 | (c & 63));
    } else {
        *to++ = (char)(0xF0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 63));
        *to++ = (char)(0x80 | (c >> 6 & 63));
        *to++ = (char)(0x80 | (c & 63));
    }
    return to;
}

/* Reads the number of "#65" or "#x41"; 0: it is not one. A reference is never shorter than its character. */
static uint32_t number_of(const char *at, const char *end)
{
    uint32_t base = 10, number = 0;
    if (end - at > 1 && (at[1] == 'x' || at[1] == 'X')) {
        base = 16;
        at++;
    }
    for (at++; at < end; at++) {
        char c = (char)(*at | 32);
        uint32_t digit = *at >= '0' && *at <= '9' ? (uint32_t)(*at - '0')
                         : c >= 'a' && c <= 'f'   ? (uint32_t)(c - 'a' + 10)
                                                  : 16;
        if (digit >= base)
            return 0;
        number = number * base + digit;
        if (number > 0x10FFFF)
            return 0;
    }
    return number >= 0xD800 && number < 0xE000 ? 0 : number;
}

static uint32_t reference(const char *at, const char *end)
{
    static const struct {
        const char *name;
        char c;
    } names[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    if (at < end && *at == '#')
        return number_of(at, end);
    xml_text text = {at, (size_t)(end - at)};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (xml_is(&text, names[i].name))
            return (uint32_t)names[i].c;
    return 0;
}

bool xml_decode(const xml_text *text, char *to)
{
    const char *end = text->start + text->bytes;
    for (const char *at = text->start; at < end; at++) {
        if (*at != '&') {
            if (!*at)
                return false;
            *to++ = *at;
            continue;
        }
        const char *close = memchr(at, ';', (size_t)(end - at));
        uint32_t c = close ? reference(at + 1, close) : 0;
        if (!c)
            return false;
        to = put_utf8(to, c);
        at = close;
    }
    *to = '\0';
    return true;
}
