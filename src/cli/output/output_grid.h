/* output_grid.h - aligned columns: psql's header, rule and rows, or Markdown's. A value of several lines takes as many,
 * with a + where it goes on. */
#ifndef PISTACHIO_CLI_OUTPUT_OUTPUT_GRID_H
#define PISTACHIO_CLI_OUTPUT_OUTPUT_GRID_H

#include "cli/output/output_text.h"

#define GRID_GAP UINT32_MAX /* in the place of columns that are left out: a column of … */

typedef struct output_grid {
    const pistachio_result *result;
    FILE *target;
    bool is_markdown;
    bool is_cut;    /* values wider than their column end with … there; else they push the line */
    uint32_t count; /* places; at first each column of the result has one */
    uint32_t *columns;  /* by place: the column, or GRID_GAP */
    size_t *widths;     /* by column, in cells */
    size_t *at;         /* by place: bytes of the text that have been printed */
    output_text *names; /* by column: the header's */
    output_text *types; /* by column: below the names; NULL: no line of types */
} output_grid;

/* Returns false without memory; in each case grid_release is the caller's. */
bool grid_init(output_grid *grid, const pistachio_result *result, const output_options *options,
               FILE *target, bool has_types);
void grid_release(output_grid *grid);
/* Makes the column wide enough for the text. */
void grid_widen(output_grid *grid, uint32_t column, const output_text *text);
bool grid_is_right(const output_grid *grid, uint32_t column);
/* Prints names, types and the rule. */
void grid_print_header(const output_grid *grid);
/* Prints a row. texts: by column of the result. */
void grid_print_row(const output_grid *grid, const output_text *texts);
/* Prints a row of … in the place of rows that are left out. */
void grid_print_gap(const output_grid *grid);

#endif
