/* output_kept.c - see output_kept.h. Of a batch only those rows become texts that may be shown. */
#include "cli/output/output_kept.h"

bool kept_init(output_kept *k, uint32_t column_count, uint64_t limit)
{
    *k = (output_kept){.column_count = column_count, .limit = limit, .first = limit - limit / 2};
    k->cells = mem_new_array(limit * column_count, sizeof *k->cells);
    return k->cells != NULL;
}

void kept_release(output_kept *k)
{
    for (uint64_t i = 0; k->cells && i < k->limit * k->column_count; i++)
        array_release(&k->cells[i]);
    mem_free(k->cells);
}

/* Returns where the row of that number is kept. */
static output_text *output_kept_place_of(const output_kept *k, uint64_t number)
{
    uint64_t ring = k->limit - k->first;
    uint64_t place = number < k->first ? number : k->first + (number - k->first) % ring;
    return &k->cells[place * k->column_count];
}

bool kept_add(output_kept *k, const pistachio_batch *batch, const output_options *options)
{
    uint64_t rows = pistachio_batch_rows(batch), ring = k->limit - k->first;
    for (uint64_t row = 0; row < rows; row++) {
        uint64_t number = k->rows + row;
        if (number >= k->first && rows - row > ring)
            row = rows - ring; /* what comes before will not be shown */
        if (row == rows)
            break;
        output_text *cells = output_kept_place_of(k, k->rows + row);
        for (uint32_t c = 0; c < k->column_count; c++)
            if (!output_text_of_value(batch, c, row, options, &cells[c]))
                return false;
    }
    k->rows += rows;
    return true;
}

uint64_t kept_count(const output_kept *k)
{
    return k->rows < k->limit ? k->rows : k->limit;
}

const output_text *kept_row(const output_kept *k, uint64_t shown, uint64_t *out_number)
{
    *out_number = shown < k->first ? shown : k->rows - kept_count(k) + shown;
    return output_kept_place_of(k, *out_number);
}
