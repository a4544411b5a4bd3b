/* arrowfile_table.h - a statement's table of Arrow files: their batches, and which columns they have.
 *
 * Everything is in the statement's arena; files are opened again when rows are read. */
#ifndef PISTACHIO_ARROWFILE_ARROWFILE_TABLE_H
#define PISTACHIO_ARROWFILE_ARROWFILE_TABLE_H

#include "arrowfile/arrowfile_schema.h"
#include "storage/file.h"

/* A message of a file that has rows: a batch, or values of a dictionary. */
typedef struct arrowfile_block {
    uint64_t offset; /* of its metadata, after the length */
    uint32_t metadata_bytes;
    bool is_dictionary, is_delta; /* values that are added to the dictionary's */
    int64_t dictionary;           /* its number */
    uint64_t body_bytes;          /* which lie behind the metadata */
} arrowfile_block;

typedef ARRAY(arrowfile_block) arrowfile_block_list;

typedef struct arrowfile_source {
    const char *path;
    file_version version;
    bool is_stream;              /* a dictionary is that which came last before a batch */
    arrowfile_block_list blocks; /* of files dictionaries first, of streams in their order */
    arrowfile_field *fields;
    uint32_t field_count;
    uint32_t *
        sources; /* by column of the table: its field here; ARROWFILE_NO_FIELD: the file has none */
} arrowfile_source;
#define ARROWFILE_NO_FIELD UINT32_MAX

typedef struct arrowfile_column {
    const char *name;
    data_type type;
    bool is_filename; /* its values are the files' paths */
} arrowfile_column;

typedef struct arrowfile_options {
    bool has_filename, union_by_name;
} arrowfile_options;

typedef struct arrowfile_table {
    const char *name; /* the path, perhaps a pattern */
    arrowfile_source *files;
    uint32_t file_count;
    ARRAY(arrowfile_column) columns;
    double estimated_rows;
} arrowfile_table;

/* Paths may be patterns; there is at least one. */
CHECKED status arrowfile_table_open(arena *a, const char *const *paths, size_t path_count,
                                    const arrowfile_options *options, arrowfile_table **out);
/* Returns whether the name is that of an Arrow file: .arrow, .arrows, .feather, .ipc. */
bool arrowfile_has_name(const char *path);

#endif
