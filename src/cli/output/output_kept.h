/* output_kept.h - the first and the last rows of a result, as texts: what a terminal shows of many. */
#ifndef PISTACHIO_CLI_OUTPUT_OUTPUT_KEPT_H
#define PISTACHIO_CLI_OUTPUT_OUTPUT_KEPT_H

#include "cli/output/output_text.h"

typedef struct output_kept {
    uint32_t column_count;
    uint64_t limit; /* rows that are kept */
    uint64_t first; /* of them, those at the front; the rest are the last ones, in a ring */
    uint64_t rows;  /* of the result */
    output_text *cells;
} output_kept;

/* Returns false without memory; in each case kept_release is the caller's. */
bool kept_init(output_kept *kept, uint32_t column_count, uint64_t limit);
void kept_release(output_kept *kept);
/* Takes the rows of a batch. Returns false without memory. */
bool kept_add(output_kept *kept, const pistachio_batch *batch, const output_options *options);
/* Returns how many rows there are to show. */
uint64_t kept_count(const output_kept *kept);
/* Returns the texts, by column, of one of the rows to show, and its number in the result, from 0. */
const output_text *kept_row(const output_kept *kept, uint64_t shown, uint64_t *out_number);

#endif
