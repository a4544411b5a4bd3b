/* text_scan.h - the parts of the scan of csv and JSON files. */
#ifndef PISTACHIO_EXEC_OPERATORS_TEXT_TEXT_SCAN_H
#define PISTACHIO_EXEC_OPERATORS_TEXT_TEXT_SCAN_H

#include "device/chunk.h"
#include "exec/sched/lock.h"
#include "textfile/read/json_rows.h"
#include "textfile/table/text_table.h"

/* A record that is left out. */
typedef struct text_reject {
    uint32_t begin, end;  /* its bytes in the piece */
    uint32_t row;         /* of the piece; TEXT_NO_ROW: it is not one */
    uint32_t field_count; /* of a record that is not a row */
} text_reject;
#define TEXT_NO_ROW UINT32_MAX

typedef struct op_text_scan {
    exec_operator base;
    const text_table *table;
    text_reading reading;
    exec_lock lock; /* of the reader */
    text_reader *reader;
} op_text_scan;

typedef struct text_scan_local {
    text_piece piece;
    bool has_piece;
    size_t next_row;            /* of the piece */
    text_rules rules;           /* of the piece's file */
    csv_wrong_row wrong;        /* told of when the rows before it have been given */
    uint64_t *bad;              /* ignore_errors: a bit for each row of the chunk */
    csv_wrong_list left_out;    /* ignore_errors: csv's records that are not rows */
    ARRAY(text_reject) rejects; /* of the piece, if these are the rows */
    size_t next_reject;
    uint64_t line; /* of the byte line_at of the piece */
    uint32_t line_at;
    json_memory memory; /* JSON: of a record, */
    json_making json;   /* and how it becomes a row */
} text_scan_local;

/* ---- text_failure.c ---- */

/* Puts the place of a byte of the piece in front of the failure. */
CHECKED status text_scan_place(const op_text_scan *op, const text_piece *p, uint32_t at, status st);
/* The failures have no place. */
CHECKED status text_wrong_row(const op_text_scan *op, uint32_t file, uint32_t field_count);
CHECKED status text_wrong_field(const text_column *c, text_field f, bool has_wrong_bytes);
CHECKED status text_wrong_record(const op_text_scan *op, const json_wrong *wrong);
CHECKED status text_open_quote(void);

/* ---- op_text_scan.c ---- */

/* Makes the fields of rows of the piece, from the first on. */
text_fields text_scan_fields(const text_scan_local *local, size_t first, uint32_t rows);
CHECKED status text_scan_constant(const op_text_scan *op, const text_column *c, device *host,
                                  uint32_t file, tensor **out);

/* ---- text_rejects.c ---- */

/* Finds the piece's records that are left out. */
CHECKED status text_rejects_find(const op_text_scan *op, text_scan_local *local,
                                 uint32_t chunk_rows);
/* Makes a chunk of the next of them, of which there are some. */
CHECKED status text_rejects_chunk(const op_text_scan *op, text_scan_local *local,
                                  uint32_t chunk_rows, chunk **out);

#endif
