/* blob_text.c - hexadecimal and escaped bytes for the host. */
#include "base/text/blob_text.h"

#include "base/text/blob_digits.h"

bool blob_parse(const char *text, size_t bytes, char *out, size_t *out_bytes)
{
    return blob_parse_text(text, bytes, out, out_bytes);
}

void blob_format(const char *data, size_t bytes, char *out)
{
    blob_format_text(data, bytes, out);
}
