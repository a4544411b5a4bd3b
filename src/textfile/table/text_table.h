/* text_table.h - a statement's table of text files: how they are read, and which columns they have.
 *
 * Everything is in the statement's arena; files are opened again when rows are read. */
#ifndef PISTACHIO_TEXTFILE_TABLE_TEXT_TABLE_H
#define PISTACHIO_TEXTFILE_TABLE_TEXT_TABLE_H

#include "textfile/read/csv_rows.h"
#include "textfile/read/json_nested.h"
#include "textfile/read/text_reader.h"
#include "textfile/read/text_values.h"
#include "textfile/table/text_options.h"

typedef struct text_column {
    const char *name;
    data_type type;
    const char *format;        /* of dates and timestamps, for strptime; NULL: the usual forms */
    json_name field;           /* of JSON, if its name is not the column's; text NULL: it is */
    const json_format *fields; /* of nested values: how dates and timestamps in them are written */
    bool is_filename;          /* its values are the files' paths */
} text_column;

typedef struct text_table {
    const char *name; /* the path, perhaps a pattern */
    const text_options *options;
    text_file *files; /* sorted by path */
    uint32_t file_count;
    ARRAY(text_column) columns;
    bool has_whole_records; /* of JSON: each is the value of the only column */
    text_rules rules;       /* but for quote and escape, which are the file's */
    double estimated_rows;
} text_table;

/* The paths may be patterns. */
CHECKED status text_table_open(arena *a, const text_name_list *paths, const text_options *options,
                               text_table **out);
/* Names of files that are text: .csv, .tsv, .json, .jsonl, .ndjson, each perhaps with .gz behind it. */
bool text_kind_of_path(const char *path, text_kind *out);

#endif
