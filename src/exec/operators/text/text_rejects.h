/* text_rejects.h - the records that ignore_errors leaves out, as rows that say why. */
#ifndef PISTACHIO_EXEC_OPERATORS_TEXT_TEXT_REJECTS_H
#define PISTACHIO_EXEC_OPERATORS_TEXT_TEXT_REJECTS_H

#include "exec/operators/text/text_scan.h"

/* Finds the piece's records that are left out. */
CHECKED status text_rejects_find(const op_text_scan *op, text_scan_local *local,
                                 uint32_t chunk_rows);
/* Makes a chunk of the next of them, of which there are some. */
CHECKED status text_rejects_chunk(const op_text_scan *op, text_scan_local *local,
                                  uint32_t chunk_rows, chunk **out);

#endif
