/* output_screen.c - see output_screen.h. Texts are cut first, down to CELLS_LEAST; then columns of the middle are left
 * out. Digits are never cut: a number without its end is another number. */
#include "cli/output/output_screen.h"

#include "cli/output/cells.h"
#include "cli/output/output_grid.h"
#include "cli/output/output_kept.h"
#include "cli/output/progress.h"

#include <string.h>

#define CELLS_LEAST 16
#define BETWEEN 3 /* cells between two columns */

typedef struct screen {
    output_grid grid;
    output_kept kept;
    size_t *least; /* by column: what its numbers take; 0: texts, which may be cut */
    size_t *wide;  /* by column: what names and values take */
} screen;

/* Returns the cells of a line if texts are cut to `most`. */
static size_t cells_of_line(const screen *s, size_t most)
{
    size_t cells = BETWEEN * s->grid.count - 1;
    for (uint32_t p = 0; p < s->grid.count; p++) {
        uint32_t column = s->grid.columns[p];
        size_t wide = column == GRID_GAP ? 1 : s->wide[column];
        size_t least = column == GRID_GAP ? 1 : s->least[column];
        cells += wide <= most ? wide : most > least ? most : least;
    }
    return cells;
}

/* Returns the largest width of texts with which lines fit, or `least`. */
static size_t find_most(const screen *s, size_t least, size_t room)
{
    size_t low = least, high = room;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (cells_of_line(s, middle) <= room)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Shows `count` of the columns, those of the middle left out. */
static void leave_columns(output_grid *grid, uint32_t all, uint32_t count)
{
    uint32_t front = count - count / 2;
    for (uint32_t p = 0; p < front; p++)
        grid->columns[p] = p;
    grid->columns[front] = GRID_GAP;
    for (uint32_t p = 0; p < count / 2; p++)
        grid->columns[front + 1 + p] = all - count / 2 + p;
    grid->count = count + 1;
}

/* Returns how many columns are shown. */
static uint32_t fit_columns(screen *s, size_t room)
{
    uint32_t all = s->grid.count, count = all;
    while (cells_of_line(s, CELLS_LEAST) > room && count > 1)
        leave_columns(&s->grid, all, --count);
    bool is_tight = cells_of_line(s, CELLS_LEAST) > room;
    size_t most = find_most(s, is_tight ? 1 : CELLS_LEAST, room);
    for (uint32_t c = 0; c < all; c++) {
        size_t narrow = most > s->least[c] ? most : s->least[c];
        s->grid.widths[c] = s->wide[c] < narrow ? s->wide[c] : narrow;
    }
    return count;
}

static bool screen_init(screen *s, const pistachio_result *result, const output_options *options,
                        FILE *target)
{
    uint32_t count = pistachio_column_count(result);
    if (!grid_init(&s->grid, result, options, target, true) ||
        !kept_init(&s->kept, count, options->screen.max_rows))
        return false;
    s->grid.is_cut = true;
    s->least = mem_new_array(count, sizeof *s->least);
    s->wide = mem_new_array(count, sizeof *s->wide);
    return s->least && s->wide;
}

static void screen_release(screen *s)
{
    kept_release(&s->kept);
    grid_release(&s->grid);
    mem_free(s->least);
    mem_free(s->wide);
}

/* Measures the rows that are shown. */
static void measure_columns(screen *s)
{
    uint64_t number;
    for (uint32_t c = 0; c < s->grid.count; c++) {
        for (uint64_t i = 0; i < kept_count(&s->kept); i++) {
            const output_text *text = &kept_row(&s->kept, i, &number)[c];
            size_t cells = cells_width(text->items, text->count);
            if (grid_is_right(&s->grid, c) && cells > s->least[c])
                s->least[c] = cells;
            grid_widen(&s->grid, c, text);
        }
        s->wide[c] = s->grid.widths[c];
    }
}

static void print_count(const screen *s, uint32_t all, uint32_t columns)
{
    uint64_t rows = s->kept.rows, shown = kept_count(&s->kept);
    fprintf(s->grid.target, "(%llu row%s", (unsigned long long)rows, rows == 1 ? "" : "s");
    if (shown < rows)
        fprintf(s->grid.target, ", %llu shown", (unsigned long long)shown);
    if (columns < all)
        fprintf(s->grid.target, "; %u columns, %u shown", all, columns);
    fputs(")\n", s->grid.target);
}

static void output_screen_print_kept(screen *s, size_t room)
{
    uint32_t all = s->grid.count, columns = all;
    uint64_t number, expected = 0;
    measure_columns(s);
    if (room)
        columns = fit_columns(s, room);
    grid_print_header(&s->grid);
    for (uint64_t i = 0; i < kept_count(&s->kept); i++) {
        const output_text *texts = kept_row(&s->kept, i, &number);
        if (number != expected)
            grid_print_gap(&s->grid);
        grid_print_row(&s->grid, texts);
        expected = number + 1;
    }
    if (expected < s->kept.rows)
        grid_print_gap(&s->grid);
    print_count(s, all, columns);
}

pistachio_error *output_screen_table(pistachio_result *result, const output_options *options,
                                     FILE *target, uint64_t *out_rows)
{
    screen s = {0};
    bool has_memory = screen_init(&s, result, options, target);
    pistachio_error *error = NULL;
    const pistachio_batch *batch = NULL;
    while (has_memory && !(error = progress_next(result, &batch)) && batch)
        has_memory = kept_add(&s.kept, batch, options);
    *out_rows = s.kept.rows;
    if (has_memory && !error)
        output_screen_print_kept(&s, options->screen.columns);
    if (!has_memory)
        fputs("error: no memory to lay the table out\n", stderr);
    screen_release(&s);
    return error;
}
