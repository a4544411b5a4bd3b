/* output_text.c - values as tables show them. */
#include "cli/output/output_text.h"

#include "cli/output/cells.h"

#define TAB_CELLS 8

static status output_text_append(output_text *out, const char *text, size_t bytes)
{
    TRY(array_reserve(NULL, out, bytes + 1)); /* a place is there, even for nothing */
    memcpy(out->items + out->count, text, bytes);
    out->count += bytes;
    return STATUS_OK;
}

/* Writes a control character out: a line break stays, a tab becomes blanks. */
static status append_control(output_text *out, uint32_t code, size_t column)
{
    char text[16];
    if (code == '\n')
        return output_text_append(out, "\n", 1);
    if (code == '\t')
        return output_text_append(out, "        ", TAB_CELLS - column % TAB_CELLS);
    if (code == '\r')
        return output_text_append(out, "\\r", 2);
    int bytes = snprintf(text, sizeof text, code < 0x80 ? "\\x%02X" : "\\u%04X", code);
    return output_text_append(out, text, (size_t)bytes);
}

static status output_text_make_plain(const char *text, size_t bytes, output_text *out)
{
    size_t done = 0, line = 0; /* of the text what is appended; where in `out` the line begins */
    for (size_t i = 0; i < bytes;) {
        uint32_t code;
        if (text[i] >= ' ' && text[i] < 0x7f) {
            i++;
            continue;
        }
        size_t next = i + cells_character(text + i, bytes - i, &code);
        if (cells_is_control(code)) {
            TRY(output_text_append(out, text + done, i - done));
            size_t column = code == '\t' ? cells_width(out->items + line, out->count - line) : 0;
            TRY(append_control(out, code, column));
            line = code == '\n' ? out->count : line;
            done = next;
        }
        i = next;
    }
    return output_text_append(out, text + done, bytes - done);
}

static bool is_ascii_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
}

static status make_markdown(const char *text, size_t bytes, output_text *out)
{
    size_t done = 0;
    for (size_t i = 0; i < bytes; i++) {
        const char *replaced = text[i] == '|'              ? "\\|"
                               : text[i] == '\\'           ? "\\\\"
                               : text[i] == '\n'           ? "<br>"
                               : text[i] == '\r'           ? ""
                               : is_ascii_control(text[i]) ? " "
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
    status st =
        is_markdown ? make_markdown(text, bytes, out) : output_text_make_plain(text, bytes, out);
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
