/* row_format.c - the formats' names. */
#include "base/row/row_format.h"

#include <string.h>
#include <strings.h>

static const char *const names[ROW_FORMAT_COUNT] = {
    [ROW_CSV] = "csv", [ROW_TSV] = "tsv", [ROW_JSON] = "json", [ROW_JSONL] = "jsonl"};

const char *row_format_name(row_format format)
{
    return names[format];
}

bool row_format_find(const char *name, size_t bytes, row_format *out)
{
    for (int i = 0; i < ROW_FORMAT_COUNT; i++)
        if (strlen(names[i]) == bytes && !strncasecmp(names[i], name, bytes)) {
            *out = (row_format)i;
            return true;
        }
    return false;
}

row_style row_style_default(row_format format)
{
    return (row_style){.format = format, .has_header = true, .delimiter = ',', .null_text = ""};
}
