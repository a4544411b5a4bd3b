/* avro.h - reads Avro object container files: those types of them that manifests are made of.
 *
 * A record becomes a tree of values. Unions are resolved. Fields are found by the id that their schema gives them
 * ("field-id"), else by name. Codecs: null, deflate, snappy, zstandard. */
#ifndef PISTACHIO_LAKE_LOG_AVRO_H
#define PISTACHIO_LAKE_LOG_AVRO_H

#include "base/mem.h"

typedef enum avro_kind {
    AVRO_NULL,
    AVRO_BOOL,
    AVRO_INT, /* of 32 or 64 bits, and an enum's number */
    AVRO_FLOAT,
    AVRO_DOUBLE,
    AVRO_BYTES, /* bytes, string, fixed */
    AVRO_RECORD,
    AVRO_ARRAY,
    AVRO_MAP, /* items: key, value, key, value ... */
    AVRO_UNION
} avro_kind;

typedef struct avro_type {
    avro_kind kind;
    const char *name; /* of a named type */
    bool is_fixed, is_enum;
    uint64_t bytes; /* of a fixed */
    /* Fields of a record, branches of a union, one item of an array or map. */
    const struct avro_type **parts;
    const char **field_names;
    int64_t *field_ids; /* -1: none */
    size_t part_count;
} avro_type;

typedef struct avro_value {
    avro_kind kind;
    const avro_type *type;
    union {
        int64_t number; /* bool, int */
        double real;
        struct {
            const uint8_t *bytes;
            size_t byte_count;
        };
        struct {
            struct avro_value *items; /* fields, elements */
            size_t item_count;
        };
    };
} avro_value;

/* Returns the field of a record; NULL: it has none, or it is null. `record` may be NULL. */
const avro_value *avro_field(const avro_value *record, int64_t id, const char *name);
/* Numbers and texts of fields; false and NULL: the field is not there, or of another type. Text in the arena. */
bool avro_field_int(const avro_value *record, int64_t id, const char *name, int64_t *out);
const char *avro_field_text(arena *a, const avro_value *record, int64_t id, const char *name);

/* Takes a record; it lives as long as the scratch arena, which is freed now and then. */
typedef status (*avro_taker)(void *context, const avro_value *record);

/* Reads the bytes of a file: each record is given to take. Failures do not name the file. */
CHECKED status avro_read(const void *bytes, size_t count, avro_taker take, void *context);

#endif
