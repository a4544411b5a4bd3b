/* thrift.h - reading Thrift's compact protocol from bytes that may be hostile.
 *
 * A reader never goes past its end: a field that would sets is_broken, and from then on every read
 * gives zero and every loop ends, so that callers check once. Counts are bounded by the bytes that
 * are left, nesting by THRIFT_DEPTH_MAX. */
#ifndef PISTACHIO_PARQUET_FORMAT_THRIFT_H
#define PISTACHIO_PARQUET_FORMAT_THRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THRIFT_DEPTH_MAX 32

typedef enum thrift_type {
    THRIFT_STOP,
    THRIFT_TRUE,
    THRIFT_FALSE,
    THRIFT_I8,
    THRIFT_I16,
    THRIFT_I32,
    THRIFT_I64,
    THRIFT_DOUBLE,
    THRIFT_BINARY,
    THRIFT_LIST,
    THRIFT_SET,
    THRIFT_MAP,
    THRIFT_STRUCT
} thrift_type;

typedef struct thrift_reader {
    const uint8_t *start, *at, *end;
    bool is_broken;
    bool
        lacks_memory; /* it is broken, but the bytes may be well: a copy of some could not be made */
    unsigned depth;
} thrift_reader;

/* A position among a struct's fields. */
typedef struct thrift_field {
    int16_t id;
    thrift_type type;
} thrift_field;

thrift_reader thrift_reader_make(const void *bytes, size_t length);
/* The next field of the struct, from a zeroed *field on; false at its end. */
bool thrift_next(thrift_reader *reader, thrift_field *field);
/* Values of the field just met; of another type than the file's: broken. */
int64_t thrift_int(thrift_reader *reader, const thrift_field *field);
bool thrift_bool(thrift_reader *reader, const thrift_field *field);
/* Borrowed bytes. */
const uint8_t *thrift_binary(thrift_reader *reader, const thrift_field *field, uint32_t *bytes);
/* A list's number of elements, at most the bytes that are left; *element is their type. */
uint32_t thrift_list(thrift_reader *reader, const thrift_field *field, thrift_type *element);
/* An element of a list, as a field. */
thrift_field thrift_element(thrift_type element);
/* Around the reading of a struct: false: nested too deep. */
bool thrift_enter(thrift_reader *reader, const thrift_field *field);
void thrift_leave(thrift_reader *reader);
void thrift_skip(thrift_reader *reader, const thrift_field *field);

#endif
