/* op_text_scan.h - rows of csv and JSON files. */
#ifndef PISTACHIO_EXEC_OPERATORS_TEXT_OP_TEXT_SCAN_H
#define PISTACHIO_EXEC_OPERATORS_TEXT_OP_TEXT_SCAN_H

#include "exec/operators/text/text_scan.h"

/* Makes the fields of rows of the piece, from the first on. */
text_fields text_scan_fields(const text_scan_local *local, size_t first, uint32_t rows);
CHECKED status text_scan_constant(const op_text_scan *op, const text_column *c, device *host,
                                  uint32_t file, tensor **out);

#endif
