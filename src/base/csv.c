/* csv.c - quoting and escaping, span by span. */
#include "base/csv.h"

#include <stdbool.h>
#include <string.h>

static bool needs_quotes(const char *text, size_t bytes, csv_dialect dialect)
{
    for (size_t i = 0; i < bytes; i++)
        if (text[i] == dialect.delimiter || text[i] == '"' || text[i] == '\n' || text[i] == '\r')
            return true;
    return bytes == strlen(dialect.null_text) &&
           (!bytes || !memcmp(text, dialect.null_text, bytes));
}

void csv_write_field(const char *text, size_t bytes, csv_dialect dialect, FILE *target)
{
    if (!needs_quotes(text, bytes, dialect)) {
        fwrite(text, 1, bytes, target);
        return;
    }
    const char *end = text + bytes, *quote;
    putc_unlocked('"', target);
    /* A quote is written twice: as the end of its span and as the start of the next. */
    for (const char *at = text; (quote = memchr(at, '"', (size_t)(end - at))); at = quote + 1) {
        fwrite(text, 1, (size_t)(quote + 1 - text), target);
        text = quote;
    }
    fwrite(text, 1, (size_t)(end - text), target);
    putc_unlocked('"', target);
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

void tsv_write_field(const char *text, size_t bytes, FILE *target)
{
    size_t done = 0;
    for (size_t i = 0; i < bytes; i++) {
        const char *escape = tsv_escape(text[i]);
        if (!escape)
            continue;
        fwrite(text + done, 1, i - done, target);
        fputs(escape, target);
        done = i + 1;
    }
    fwrite(text + done, 1, bytes - done, target);
}
