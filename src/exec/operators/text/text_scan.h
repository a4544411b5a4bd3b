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

/* ---- op_text_scan.c ---- */

/* ---- text_rejects.c ---- */

#endif
