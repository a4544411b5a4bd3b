/* text_options.h - what a statement says of the text files that it reads. */
#ifndef PISTACHIO_TEXTFILE_TABLE_TEXT_OPTIONS_H
#define PISTACHIO_TEXTFILE_TABLE_TEXT_OPTIONS_H

#include "base/mem.h"
#include "base/type/type.h"
#include "textfile/read/text_source.h"

typedef enum text_kind { TEXT_CSV, TEXT_JSON } text_kind;

/* TEXT_AUTO: found in the sample. */
typedef enum text_choice { TEXT_AUTO, TEXT_NO, TEXT_YES } text_choice;

typedef enum text_json_format {
    TEXT_JSON_AUTO,
    TEXT_JSON_LINES,
    TEXT_JSON_VALUES
} text_json_format;

typedef ARRAY(const char *) text_name_list;

/* A column whose type is said; name NULL: by its place. */
typedef struct text_said_type {
    const char *name;
    data_type type;
} text_said_type;

#define TEXT_SAMPLE_ROWS 20480
/* Paths of rows that a client has sent begin so. */
#define TEXT_SENT_PATH "/proc/self/fd/"

typedef struct text_options {
    text_kind kind;
    const char *delimiter, *quote, *escape, *comment; /* NULL: found; "": there is none */
    text_choice header;
    text_name_list names;        /* in the place of the header's, from the first column on */
    ARRAY(text_said_type) types; /* the others are found */
    bool has_all_columns;        /* names and types are those of all columns: nothing is found */
    text_name_list nulls;        /* none: the empty text */
    const char *date_format, *timestamp_format; /* of strptime; NULL: found */
    const char *decimal, *thousands;            /* a character; NULL: a point, none */
    bool has_skip;
    uint64_t skip; /* lines that come first */
    bool all_varchar, ignores_errors, null_padding, union_by_name, has_filename, is_latin1;
    bool detects_nothing; /* auto_detect = false */
    bool gives_rejects;   /* the rows are the records that ignore_errors leaves out */
    uint64_t sample_rows; /* 0: TEXT_SAMPLE_ROWS; UINT64_MAX: all */
    size_t sample_bytes;  /* of a file; 0: the usual number */
    text_compression compression;
    /* The other options are those of JSON. */
    text_json_format json_format;
    text_choice json_records; /* NO: each record is the value of one column */
    uint64_t json_depth_most; /* arrays and objects that are deeper stay JSON */
    uint64_t json_map_fields; /* objects of so many fields may be maps */
    double json_field_share;  /* objects whose fields are there more rarely are maps */
} text_options;

/* DuckDB's. */
#define TEXT_JSON_MAP_FIELDS 200
#define TEXT_JSON_FIELD_SHARE 0.1

#endif
