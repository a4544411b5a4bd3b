/* nested_quote.c - see nested_quote.h. */
#include "base/row/nested_quote.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

static bool needs_quotes(const char *text, size_t bytes)
{
    if (!bytes || isspace((unsigned char)text[0]) || isspace((unsigned char)text[bytes - 1]) ||
        (bytes == 4 && !strncasecmp(text, "null", 4)))
        return true;
    for (size_t i = 0; i < bytes; i++)
        if (text[i] && strchr("'\",[](){}:=\\", text[i]))
            return true;
    return false;
}

void nested_quote_name(text_sink sink, const char *text, size_t bytes)
{
    size_t done = 0;
    text_sink_add(sink, "'");
    for (size_t i = 0; i < bytes; i++)
        if (text[i] == '\'' || text[i] == '\\') {
            sink.add(sink.context, text + done, i - done);
            text_sink_add(sink, "\\");
            done = i;
        }
    sink.add(sink.context, text + done, bytes - done);
    text_sink_add(sink, "'");
}

void nested_quote_text(text_sink sink, const char *text, size_t bytes)
{
    if (needs_quotes(text, bytes))
        nested_quote_name(sink, text, bytes);
    else
        sink.add(sink.context, text, bytes);
}

/* Writes d.ddde+15 without an exponent: `digits` after the first one, then zeros. */
static void add_plain_digits(text_sink sink, const char *text, const char *exponent)
{
    static const char zeros[] = "000000000000000";
    size_t places = (size_t)strtol(exponent + 1, NULL, 10);
    size_t whole = *text == '-' ? 2 : 1, after = (size_t)(exponent - text) - whole;
    after -= after ? 1 : 0; /* the point */
    size_t taken = after < places ? after : places;
    sink.add(sink.context, text, whole);
    sink.add(sink.context, text + whole + 1, taken);
    sink.add(sink.context, zeros, places - taken);
    text_sink_add(sink, ".");
    if (after > taken)
        sink.add(sink.context, text + whole + 1 + taken, after - taken);
    else
        text_sink_add(sink, "0");
}

void nested_quote_real(text_sink sink, const value *v)
{
    char text[DOUBLE_TEXT_BYTES];
    if (isnan(v->f64) || isinf(v->f64)) {
        text_sink_add(sink, isnan(v->f64) ? "nan" : v->f64 > 0 ? "inf" : "-inf");
        return;
    }
    size_t bytes =
        v->type.id == TYPE_FLOAT ? float_format((float)v->f64, text) : double_format(v->f64, text);
    const char *exponent = strchr(text, 'e');
    if (exponent && exponent[1] == '+' && strtol(exponent + 1, NULL, 10) < 16) {
        add_plain_digits(sink, text, exponent);
        return;
    }
    sink.add(sink.context, text, bytes);
    if (!exponent && !strchr(text, '.'))
        text_sink_add(sink, ".0");
}

void nested_quote_blob(text_sink sink, const string_view *view)
{
    static const char digits[] = "0123456789abcdef";
    const char *data = string_data(view);
    text_sink_add(sink, "'\\\\x");
    for (uint32_t i = 0; i < view->bytes; i++) {
        unsigned char byte = (unsigned char)data[i];
        sink.add(sink.context, (const char[]){digits[byte >> 4], digits[byte & 15]}, 2);
    }
    text_sink_add(sink, "'");
}
