/* nested_quote.c - see nested_quote.h. */
#include "base/nested_quote.h"

#include <ctype.h>
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
