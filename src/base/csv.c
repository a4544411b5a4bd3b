/* csv.c - quoting, span by span. */
#include "base/csv.h"

#include <stdbool.h>
#include <string.h>

static bool needs_quotes(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (text[i] == ',' || text[i] == '"' || text[i] == '\n' || text[i] == '\r')
            return true;
    return bytes == 0;
}

void csv_write_field(const char *text, size_t bytes, FILE *target)
{
    if (!needs_quotes(text, bytes)) {
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
