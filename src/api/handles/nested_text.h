/* nested_text.h - a list, struct or map of a batch as text, as DuckDB prints it: [1, 2, NULL], {'a': 1, 'b': x}, {k=v}.
 * Texts within are in quotes where they could be taken for something else. */
#ifndef PISTACHIO_API_HANDLES_NESTED_TEXT_H
#define PISTACHIO_API_HANDLES_NESTED_TEXT_H

#include "base/row/nested_quote.h"
#include "base/time/zone.h"
#include "exec/operators/op_result.h"

/* The row's value, which is not NULL. zone NULL: UTC. */
void api_nested_text(const exec_batch_column *column, uint64_t row, const zone *zone,
                     text_sink sink);

#endif
