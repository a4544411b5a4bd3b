/* text_table.c - columns of text. */
#include "parquet/inspect/text_table.h"

#include <stdarg.h>

static void inspect_text_table_add(text_table *table, const char *cell)
{
    status st = cell ? array_push(table->memory, &table->cells, cell) : STATUS_OK;
    table->has_failed |= st || !cell;
    status_free(st);
}

text_table text_table_make(arena *memory, const char *headings)
{
    text_table table = {.memory = memory};
    for (const char *at = headings; at;) {
        const char *bar = strchr(at, '|');
        inspect_text_table_add(&table,
                               arena_copy_text(memory, at, bar ? (size_t)(bar - at) : strlen(at)));
        table.column_count++;
        at = bar ? bar + 1 : NULL;
    }
    return table;
}

void text_table_add(text_table *table, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    inspect_text_table_add(table, arena_copy_text(table->memory, text, strlen(text)));
}

static bool is_first_byte(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

void text_table_add_text(text_table *table, const char *text, size_t bytes, size_t width_max)
{
    size_t width = 0, end = 0, cut = 0; /* cut: behind the character before the last that fits */
    for (; end < bytes; end++) {
        if (!is_first_byte(text[end]))
            continue;
        if (width == width_max)
            break;
        if (++width == width_max)
            cut = end;
    }
    bool is_cut = end < bytes;
    char *copy = arena_format(table->memory, "%.*s%s", (int)(is_cut ? cut : bytes), text,
                              is_cut ? "\u2026" : "");
    for (char *c = copy; c && *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '.';
    inspect_text_table_add(table, copy);
}

static size_t text_table_width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += is_first_byte(*text);
    return width;
}

static void text_table_print_cell(const char *text, size_t width, bool is_right, bool is_last,
                                  FILE *out)
{
    int padding = (int)(width - text_table_width_of(text));
    if (is_right)
        fprintf(out, "%*s%s", padding, "", text);
    else if (is_last)
        fputs(text, out);
    else
        fprintf(out, "%s%*s", text, padding, "");
}

status text_table_print(const text_table *table, FILE *out)
{
    size_t columns = table->column_count;
    size_t *widths = mem_new_array(columns + 1, sizeof *widths);
    if (table->has_failed || !widths) {
        mem_free(widths);
        return status_no_memory("table", table->cells.count * sizeof(char *));
    }
    for (size_t i = 0; i < table->cells.count; i++) {
        bool is_heading = i < columns && table->cells.items[i][0] == '>';
        size_t width = text_table_width_of(table->cells.items[i]) - is_heading;
        widths[i % columns] = width > widths[i % columns] ? width : widths[i % columns];
    }
    for (size_t i = 0; i < table->cells.count; i++) {
        size_t column = i % columns;
        bool is_right = table->cells.items[column][0] == '>', is_last = column + 1 == columns;
        fputs("  ", out);
        text_table_print_cell(table->cells.items[i] + (i < columns && is_right), widths[column],
                              is_right, is_last, out);
        if (is_last)
            fputc('\n', out);
    }
    mem_free(widths);
    return STATUS_OK;
}

char *bytes_format(uint64_t bytes, char *text)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double amount = (double)bytes;
    unsigned unit = 0;
    for (; amount >= 1024 && unit < 6; unit++)
        amount /= 1024;
    snprintf(text, BYTES_TEXT_BYTES, unit ? "%.1f %s" : "%.0f %s", amount, units[unit]);
    return text;
}
