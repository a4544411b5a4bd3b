/* text_failure.h - what is wrong with a record, and where. */
#ifndef PISTACHIO_EXEC_OPERATORS_TEXT_TEXT_FAILURE_H
#define PISTACHIO_EXEC_OPERATORS_TEXT_TEXT_FAILURE_H

#include "exec/operators/text/text_scan.h"

/* Puts the place of a byte of the piece in front of the failure. */
CHECKED status text_scan_place(const op_text_scan *op, const text_piece *p, uint32_t at, status st);
/* The failures have no place. */
CHECKED status text_wrong_row(const op_text_scan *op, uint32_t file, uint32_t field_count);
CHECKED status text_wrong_field(const text_column *c, text_field f, bool has_wrong_bytes);
CHECKED status text_wrong_record(const op_text_scan *op, const json_wrong *wrong);
CHECKED status text_open_quote(void);

#endif
