/* interval_text.c - the texts of intervals for the host. */
#include "base/text/interval_text.h"

size_t interval_format(interval_value interval, char *text)
{
    return interval_format_text(interval, text);
}

bool interval_parse(const char *text, size_t bytes, interval_value *out)
{
    return interval_parse_text(text, bytes, out);
}

bool interval_parse_fields(const char *text, size_t bytes, unsigned fields, interval_value *out)
{
    return interval_parse_fields_text(text, bytes, fields, out);
}
