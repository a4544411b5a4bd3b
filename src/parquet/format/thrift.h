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
bool thrift_next_any(thrift_reader *reader, thrift_field *field);
int64_t thrift_int_any(thrift_reader *reader, const thrift_field *field);

/* Reads the next field of the struct, from a zeroed *field on; false at its end. Fields whose number is less than 16 above that of
 * the field before, as most are, take no call. */
static inline bool thrift_next(thrift_reader *reader, thrift_field *field)
{
    uint8_t head = !reader->is_broken && reader->at != reader->end ? *reader->at : 0;
    thrift_type type = head & 15;
    if (!(head >> 4) || type > THRIFT_STRUCT)
        return thrift_next_any(reader, field);
    reader->at++;
    field->type = type;
    field->id = (int16_t)(field->id + (head >> 4));
    return true;
}

/* Reads the value of the field just met; of another type than the file's: broken. Numbers of one byte take no call. */
static inline int64_t thrift_int(thrift_reader *reader, const thrift_field *field)
{
    bool is_varint = field->type >= THRIFT_I16 && field->type <= THRIFT_I64;
    if (!is_varint || reader->at == reader->end || *reader->at & 0x80)
        return thrift_int_any(reader, field);
    uint8_t number = *reader->at++;
    return (number >> 1) ^ -(number & 1);
}

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
