/* output_grid.c - see output_grid.h. */
#include "cli/output/output_grid.h"

#include "cli/output/cells.h"

#include <string.h>

#define MARKDOWN_WIDTH_MIN 3 /* "--:" is a rule to every reader of Markdown, ":" to none */
#define ELLIPSIS "\xe2\x80\xa6"

static char ellipsis_text[] = ELLIPSIS;
static const output_text ellipsis = {.items = ellipsis_text, .count = sizeof ELLIPSIS - 1};

static void grid_spaces(FILE *target, size_t count)
{
    for (; count; count--)
        putc_unlocked(' ', target);
}

bool grid_is_right(const output_grid *g, uint32_t column)
{
    return pistachio_column_get_class(g->result, column) == PISTACHIO_CLASS_NUMBER;
}

static size_t width_at(const output_grid *g, uint32_t place)
{
    return g->columns[place] == GRID_GAP ? 1 : g->widths[g->columns[place]];
}

static bool is_right_at(const output_grid *g, uint32_t place)
{
    return g->columns[place] != GRID_GAP && grid_is_right(g, g->columns[place]);
}

/* Prints one line of the text at a place. */
static void print_line(const output_grid *g, uint32_t place, const char *text, size_t bytes,
                       bool right, bool goes_on)
{
    size_t width = cells_width(text, bytes), room = width_at(g, place);
    bool is_cut = g->is_cut && width > room, is_end = place + 1 == g->count && !g->is_markdown;
    if (is_cut) {
        bytes = cells_fit(text, bytes, room - 1);
        width = cells_width(text, bytes) + 1;
    }
    size_t padding = width < room ? room - width : 0;
    fputs(place || g->is_markdown ? "| " : " ", g->target);
    if (right)
        grid_spaces(g->target, padding);
    fwrite(text, 1, bytes, g->target);
    if (is_cut)
        fputs(ELLIPSIS, g->target);
    if (!right && (!is_end || goes_on))
        grid_spaces(g->target, padding);
    if (!is_end || goes_on)
        putc_unlocked(goes_on ? '+' : ' ', g->target);
}

/* Prints the texts of a row, or of the header, in as many lines as the longest has. texts: NULL: each is a gap. */
static void print_texts(const output_grid *g, const output_text *texts, bool is_header)
{
    bool goes_on = true;
    memset(g->at, 0, g->count * sizeof *g->at);
    while (goes_on) {
        goes_on = false;
        for (uint32_t p = 0; p < g->count; p++) {
            bool is_last;
            const output_text *text =
                texts && g->columns[p] != GRID_GAP ? &texts[g->columns[p]] : &ellipsis;
            if (text == &ellipsis && g->at[p])
                text = &(const output_text){0}; /* once for the row */
            size_t start = g->at[p], bytes = output_text_line(text, &g->at[p], &is_last);
            print_line(g, p, text->count ? text->items + start : "", bytes,
                       !is_header && is_right_at(g, p), !is_last);
            goes_on |= !is_last;
        }
        fputs(g->is_markdown ? "|\n" : "\n", g->target);
    }
}

void grid_print_row(const output_grid *g, const output_text *texts)
{
    print_texts(g, texts, false);
}

void grid_print_gap(const output_grid *g)
{
    print_texts(g, NULL, false);
}

void grid_print_header(const output_grid *g)
{
    print_texts(g, g->names, true);
    if (g->types)
        print_texts(g, g->types, true);
    for (uint32_t p = 0; p < g->count; p++) {
        size_t width = width_at(g, p);
        fputs(g->is_markdown ? p ? " | " : "| " : p ? "-+-" : "-", g->target);
        for (size_t i = 0; i + 1 < width; i++)
            putc_unlocked('-', g->target);
        if (width)
            putc_unlocked(g->is_markdown && is_right_at(g, p) ? ':' : '-', g->target);
    }
    fputs(g->is_markdown ? " |\n" : "-\n", g->target);
}

void grid_widen(output_grid *g, uint32_t column, const output_text *text)
{
    size_t width = cells_width(text->items, text->count);
    g->widths[column] = width > g->widths[column] ? width : g->widths[column];
}

/* Makes the text of a header, and its column as wide. */
static bool make_head(output_grid *g, const char *text, uint32_t column, output_text *out)
{
    if (!output_text_make(text, strlen(text), g->is_markdown, &out[column]))
        return false;
    grid_widen(g, column, &out[column]);
    return true;
}

bool grid_init(output_grid *g, const pistachio_result *result, const output_options *options,
               FILE *target, bool has_types)
{
    uint32_t count = pistachio_column_count(result);
    *g = (output_grid){.result = result,
                       .target = target,
                       .is_markdown = options->format == OUTPUT_MARKDOWN,
                       .count = count};
    g->columns = mem_new_array(count, sizeof *g->columns);
    g->widths = mem_new_array(count, sizeof *g->widths);
    g->at = mem_new_array(count, sizeof *g->at);
    g->names = mem_new_array(count, sizeof *g->names);
    g->types = has_types ? mem_new_array(count, sizeof *g->types) : NULL;
    if (!g->columns || !g->widths || !g->at || !g->names || (has_types && !g->types))
        return false;
    for (uint32_t c = 0; c < count; c++) {
        g->columns[c] = c;
        g->widths[c] = g->is_markdown ? MARKDOWN_WIDTH_MIN : 0;
        if (!make_head(g, pistachio_column_name(result, c), c, g->names) ||
            (has_types && !make_head(g, pistachio_column_type(result, c), c, g->types)))
            return false;
    }
    return true;
}

void grid_release(output_grid *g)
{
    uint32_t count = pistachio_column_count(g->result);
    for (uint32_t c = 0; g->names && c < count; c++)
        array_release(&g->names[c]);
    for (uint32_t c = 0; g->types && c < count; c++)
        array_release(&g->types[c]);
    mem_free(g->columns);
    mem_free(g->widths);
    mem_free(g->at);
    mem_free(g->names);
    mem_free(g->types);
}
