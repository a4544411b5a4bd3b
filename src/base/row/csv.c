/* csv.c - quoting and escaping, span by span. */
#include "base/row/csv.h"

#include <stdint.h>

#define EACH_BYTE 0x0101010101010101u

/* A high bit where a byte of the word is `c`: the lowest one is right, those above it may be wrong. */
static inline uint64_t bytes_like(uint64_t word, char c)
{
    uint64_t x = word ^ (EACH_BYTE * (unsigned char)c);
    return (x - EACH_BYTE) & ~x & EACH_BYTE << 7;
}

static inline bool csv_is_special(char c, char delimiter)
{
    return c == delimiter || c == '"' || c == '\n' || c == '\r';
}

static bool has_special(const char *text, size_t bytes, char delimiter)
{
    uint64_t found = 0, word;
    size_t i = 0;
    for (; i + sizeof word <= bytes; i += sizeof word) {
        memcpy(&word, text + i, sizeof word);
        found |= bytes_like(word, delimiter) | bytes_like(word, '"') | bytes_like(word, '\n') |
                 bytes_like(word, '\r');
    }
    for (; i < bytes; i++)
        found |= csv_is_special(text[i], delimiter);
    return found;
}

static bool needs_quotes(const char *text, size_t bytes, csv_dialect dialect)
{
    if (has_special(text, bytes, dialect.delimiter))
        return true;
    return bytes == strlen(dialect.null_text) &&
           (!bytes || !memcmp(text, dialect.null_text, bytes));
}

void csv_write_field(const char *text, size_t bytes, csv_dialect dialect, text_out *out)
{
    if (!needs_quotes(text, bytes, dialect)) {
        text_out_add(out, text, bytes);
        return;
    }
    const char *end = text + bytes, *quote;
    text_out_char(out, '"');
    /* A quote is written twice: as the end of its span and as the start of the next. */
    for (const char *at = text; (quote = memchr(at, '"', (size_t)(end - at))); at = quote + 1) {
        text_out_add(out, text, (size_t)(quote + 1 - text));
        text = quote;
    }
    text_out_add(out, text, (size_t)(end - text));
    text_out_char(out, '"');
}

static const char *tsv_escape(char c)
{
    switch (c) {
    case '\t':
        return "\\t";
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\\':
        return "\\\\";
    default:
        return NULL;
    }
}

void tsv_write_field(const char *text, size_t bytes, text_out *out)
{
    size_t done = 0;
    for (size_t i = 0; i < bytes; i++) {
        const char *escape = tsv_escape(text[i]);
        if (!escape)
            continue;
        text_out_add(out, text + done, i - done);
        text_out_add(out, escape, 2);
        done = i + 1;
    }
    text_out_add(out, text + done, bytes - done);
}
