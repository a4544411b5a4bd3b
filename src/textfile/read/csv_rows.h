/* csv_rows.h - from records to rows: those without fields are left out, others have as many as there are columns. */
#ifndef PISTACHIO_TEXTFILE_READ_CSV_ROWS_H
#define PISTACHIO_TEXTFILE_READ_CSV_ROWS_H

#include "textfile/read/csv_index.h"

typedef struct csv_row_rules {
    uint32_t column_count;
    bool has_padding; /* fields that are missing at the end are NULL */
    bool skips_wrong; /* rows of another number of fields are left out */
} csv_row_rules;

/* A record that cannot be a row. */
typedef struct csv_wrong_row {
    bool is_there;
    uint32_t begin, end, field_count; /* its bytes; its fields, 0: a quote is not closed */
} csv_wrong_row;

typedef ARRAY(csv_wrong_row) csv_wrong_list;

/* Skips the first record that has fields, if it is the header. Changes the index: firsts and begins, record_count of them, are of
 * rows from now on, each with column_count fields at least. The first wrong row, if they are not left out, ends the rows;
 * those left out are added to the list, unless it is NULL. Missing fields have an end before their beginning. */
CHECKED status csv_rows_make(const csv_row_rules *rules, bool has_header, csv_index *index,
                             csv_wrong_list *left_out, csv_wrong_row *wrong);

#endif
