/* output_text.c - values as tables show them. */
#include "cli/output/output_text.h"

#define TAB_CELLS 8

static status output_text_append(output_text *out, const char *text, size_t bytes)
{
    TRY(array_reserve(NULL, out, bytes + 1)); /* a place is there, even for nothing */
    memcpy(out->items + out->count, text, bytes);
    out->count += bytes;
    return STATUS_OK;
}

static status append_control(output_text *out, char c, size_t column)
{
    char code[8];
    if (c == '\n')
        return output_text_append(out, "\n", 1);
    if (c == '\t')
        return output_text_append(out, "        ", TAB_CELLS - column % TAB_CELLS);
    if (c == '\r')
        return output_text_append(out, "\\r", 2);
    int bytes = snprintf(code, sizeof code, "\\x%02X", (unsigned char)c);
    return output_text_append(out, code, (size_t)bytes);
}

static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
}

static status make_plain(const char *text, size_t bytes, output_text *out)
{
    size_t done = 0, column = 0;
    for (size_t i = 0; i < bytes; i++) {
        column += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (!is_control(text[i]))
            continue;
        TRY(output_text_append(out, text + done, i - done));
        TRY(append_control(out, text[i], column - 1));
        column = text[i] == '\n'   ? 0
                 : text[i] == '\t' ? (column + TAB_CELLS - 1) / TAB_CELLS * TAB_CELLS
                 : text[i] == '\r' ? column + 1
                                   : column + 3;
        done = i + 1;
    }
    return output_text_append(out, text + done, bytes - done);
}

static status make_markdown(const char *text, size_t bytes, output_text *out)
{
    size_t done = 0;
    for (size_t i = 0; i < bytes; i++) {
        const char *replaced = text[i] == '|'        ? "\\|"
                               : text[i] == '\\'     ? "\\\\"
                               : text[i] == '\n'     ? "<br>"
                               : text[i] == '\r'     ? ""
                               : is_control(text[i]) ? " "
                                                     : NULL;
        if (!replaced)
            continue;
        TRY(output_text_append(out, text + done, i - done));
        TRY(output_text_append(out, replaced, strlen(replaced)));
        done = i + 1;
    }
    return output_text_append(out, text + done, bytes - done);
}

bool output_text_make(const char *text, size_t bytes, bool is_markdown, output_text *out)
{
    out->count = 0;
    status st = is_markdown ? make_markdown(text, bytes, out) : make_plain(text, bytes, out);
    bool is_made = !st;
    status_free(st);
    return is_made;
}

bool output_text_of_value(const pistachio_batch *batch, uint32_t column, uint64_t row,
                          const output_options *options, output_text *out)
{
    size_t bytes;
    const char *text = pistachio_text(batch, column, row, &bytes);
    if (!text) {
        text = options->null_text;
        bytes = strlen(text);
    }
    return output_text_make(text, bytes, options->format == OUTPUT_MARKDOWN, out);
}

size_t output_text_width(const char *text, size_t bytes)
{
    size_t width = 0, widest = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\n')
            width = 0;
        else
            width += ((unsigned char)text[i] & 0xc0) != 0x80;
        widest = width > widest ? width : widest;
    }
    return widest;
}

size_t output_text_line(const output_text *text, size_t *at, bool *out_is_last)
{
    const char *start = text->items + *at;
    size_t left = text->count - *at;
    const char *end = left ? memchr(start, '\n', left) : NULL;
    size_t bytes = end ? (size_t)(end - start) : left;
    *out_is_last = !end;
    *at += bytes + (end != NULL);
    return bytes;
}
