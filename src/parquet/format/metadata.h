/* metadata.h - a Parquet file's footer and page headers, as structs.
 *
 * Specification: parquet.thrift and LogicalTypes.md of github.com/apache/parquet-format. Everything
 * lives in the arena that is given; nothing points into the bytes that were parsed. */
#ifndef PISTACHIO_PARQUET_FORMAT_METADATA_H
#define PISTACHIO_PARQUET_FORMAT_METADATA_H

#include "base/mem.h"
#include "base/type/type.h"
#include "parquet/format/format.h"

/* A part of a nested column: the column itself, or what is in it, down to its leaves.
 *
 * A value of a leaf has a repetition level, of how many lists it continues (0: it begins a row), and a definition level, how
 * far down its place is there. A node has a slot where what it is in has an element or a row: where the definition level
 * is at least slot_definition. */
typedef struct pq_node {
    const char *name;
    data_type type;
    uint32_t leaf, leaf_count;   /* those below it, or itself */
    uint16_t definition;         /* from this level on it is not NULL */
    uint16_t slot_definition;    /* from this level on it is there, perhaps as NULL */
    uint16_t element_definition; /* lists, maps: from this level on there is an element */
    uint16_t repetition;         /* lists that it is in: values of a higher level continue it */
    int32_t field_id;            /* as a leaf's */
    uint32_t child_count;        /* struct: fields; list: 1; map: 2 */
    const struct pq_node **children;
} pq_node;

/* A leaf of the schema: what a file has columns of. */
typedef struct pq_leaf {
    const char *name; /* path with dots for nested ones */
    const char *top;  /* of that path the first name: the column as users see it */
    data_type type;   /* TYPE_NULL: nothing but NULLs */
    pq_physical physical;
    pq_conversion conversion;
    uint32_t type_length; /* FIXED_LEN_BYTE_ARRAY */
    uint32_t number;      /* among the leaves of its file's footer */
    int32_t field_id; /* that the writer gave it, for tables whose columns are renamed; 0: none */
    uint16_t max_definition, max_repetition;
    bool is_refused;  /* its annotation is not a type */
    bool is_constant; /* no file has it: each row has the value that the chunk's statistics say */
    bool is_nested;   /* inside a list, map or struct: cannot be read as a column */
    const char *annotation; /* what the file says of the type, "" for nothing: for people */
    const pq_node *node;    /* of the first leaf of a nested column: the column; else NULL */
} pq_leaf;

/* Bounds are in the order of value_compare. Those that cannot be trusted are left out: NaN, text in
 * the order of signed bytes, values that do not fit the type. */
typedef struct pq_statistics {
    bool has_min, has_max;
    bool is_min_exact, is_max_exact; /* the value occurs; text may have been cut */
    value min, max;                  /* of the leaf's type; text in the arena */
    int64_t null_count;              /* -1: not known */
    int64_t distinct_count;          /* -1: not known */
} pq_statistics;

/* A part of the file; bytes 0: there is none. */
typedef struct pq_range {
    uint64_t offset, bytes;
} pq_range;

typedef struct pq_column_chunk {
    pq_codec codec;
    uint64_t value_count;
    uint64_t offset; /* of the first page, dictionary page included */
    uint64_t compressed_bytes, uncompressed_bytes;
    uint32_t spare_bytes; /* that may belong to it in addition: its writer counted too few */
    bool has_dictionary;
    uint32_t encodings; /* a bit per pq_encoding, of levels and dictionary as well */
    pq_range column_index, offset_index;
    pq_range bloom; /* bytes 0: the length is not known; offset 0: there is none */
    pq_statistics statistics;
} pq_column_chunk;

typedef struct pq_row_group {
    uint64_t row_count;
    uint64_t offset; /* of its first page */
    uint64_t compressed_bytes, uncompressed_bytes;
    pq_column_chunk *chunks; /* one per leaf */
} pq_row_group;

typedef struct pq_key_value {
    const char *key;
    uint32_t value_bytes;
} pq_key_value;

typedef struct pq_metadata {
    uint64_t row_count;
    int64_t version;
    const char *created_by;
    uint32_t leaf_count, row_group_count, key_value_count;
    pq_leaf *leaves;
    pq_row_group *row_groups;
    pq_key_value *key_values; /* of the application: pandas', Spark's, Arrow's schema */
} pq_metadata;

typedef struct pq_page_header {
    pq_page_type type; /* index and other pages are to be passed over */
    uint32_t compressed_bytes, uncompressed_bytes;
    bool has_checksum;
    uint32_t checksum;
    uint32_t value_count;
    pq_encoding encoding, definition_encoding, repetition_encoding;
    uint32_t definition_bytes, repetition_bytes; /* version 2 */
    bool is_compressed;                          /* version 2: the values are */
} pq_page_header;

/* `footer`: the Thrift bytes in front of the footer's length. file_bytes bounds the offsets. */
CHECKED status pq_metadata_parse(arena *a, const void *footer, size_t footer_bytes,
                                 uint64_t file_bytes, pq_metadata **out);

/* *out_header_bytes: where the page's own bytes begin. */
CHECKED status pq_page_header_parse(const void *bytes, size_t length, pq_page_header *out,
                                    size_t *out_header_bytes);

#endif
