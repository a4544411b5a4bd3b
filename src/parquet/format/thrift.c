/* thrift.c - reading Thrift's compact protocol. */
#include "parquet/format/thrift.h"

thrift_reader thrift_reader_make(const void *bytes, size_t length)
{
    return (thrift_reader){.start = bytes, .at = bytes, .end = (const uint8_t *)bytes + length};
}

/* Reads a number near the end of the bytes, which may break off in it. */
static uint64_t varint_slow(thrift_reader *reader)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (reader->at == reader->end)
            break;
        uint8_t byte = *reader->at++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return number;
    }
    reader->is_broken = true;
    return 0;
}

#define VARINT_BYTES 10

/* Reads a number. Far from the end of the bytes no byte asks whether it is there. */
static uint64_t varint(thrift_reader *reader)
{
    if (reader->end - reader->at < VARINT_BYTES)
        return varint_slow(reader);
    const uint8_t *at = reader->at;
    uint64_t number = *at & 0x7f;
    for (unsigned shift = 7; *at++ & 0x80; shift += 7) {
        if (shift > 63) {
            reader->is_broken = true;
            return 0;
        }
        number |= (uint64_t)(*at & 0x7f) << shift;
    }
    reader->at = at;
    return number;
}

static int64_t zigzag(uint64_t number)
{
    return (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
}

static uint8_t next_byte(thrift_reader *reader)
{
    if (reader->at == reader->end) {
        reader->is_broken = true;
        return 0;
    }
    return *reader->at++;
}

bool thrift_next_any(thrift_reader *reader, thrift_field *field)
{
    uint8_t head = next_byte(reader);
    if (reader->is_broken || head == THRIFT_STOP)
        return false;
    field->type = head & 15;
    if (field->type > THRIFT_STRUCT) {
        reader->is_broken = true;
        return false;
    }
    if (head >> 4)
        field->id = (int16_t)(field->id + (head >> 4));
    else
        field->id = (int16_t)zigzag(varint(reader));
    return !reader->is_broken;
}

int64_t thrift_int_any(thrift_reader *reader, const thrift_field *field)
{
    if (field->type == THRIFT_I8)
        return (int8_t)next_byte(reader);
    if (field->type < THRIFT_I16 || field->type > THRIFT_I64) {
        reader->is_broken = true;
        return 0;
    }
    return zigzag(varint(reader));
}

bool thrift_bool(thrift_reader *reader, const thrift_field *field)
{
    if (field->type != THRIFT_TRUE && field->type != THRIFT_FALSE)
        reader->is_broken = true;
    return field->type == THRIFT_TRUE;
}

const uint8_t *thrift_binary(thrift_reader *reader, const thrift_field *field, uint32_t *bytes)
{
    *bytes = 0;
    uint64_t length = field->type == THRIFT_BINARY ? varint(reader) : UINT64_MAX;
    if (reader->is_broken || length > (uint64_t)(reader->end - reader->at)) {
        reader->is_broken = true;
        return NULL;
    }
    const uint8_t *start = reader->at;
    reader->at += length;
    *bytes = (uint32_t)length;
    return start;
}

uint32_t thrift_list(thrift_reader *reader, const thrift_field *field, thrift_type *element)
{
    if (field->type != THRIFT_LIST && field->type != THRIFT_SET) {
        reader->is_broken = true;
        return 0;
    }
    uint8_t head = next_byte(reader);
    uint64_t count = head >> 4 == 15 ? varint(reader) : head >> 4;
    *element = head & 15;
    /* Every element takes a byte at least. fastparquet gives an empty list's elements no type. */
    bool has_type = !count || (*element <= THRIFT_STRUCT && *element != THRIFT_STOP);
    if (reader->is_broken || !has_type || count > (uint64_t)(reader->end - reader->at)) {
        reader->is_broken = true;
        return 0;
    }
    return (uint32_t)count;
}

thrift_field thrift_element(thrift_type element)
{
    return (thrift_field){.type = element};
}

bool thrift_enter(thrift_reader *reader, const thrift_field *field)
{
    if (field->type != THRIFT_STRUCT || reader->depth == THRIFT_DEPTH_MAX) {
        reader->is_broken = true;
        return false;
    }
    reader->depth++;
    return true;
}

void thrift_leave(thrift_reader *reader)
{
    reader->depth--;
}

/* Skips the names of a column's path, which each column chunk has. */
static void skip_binaries(thrift_reader *reader, uint64_t count)
{
    uint32_t bytes;
    thrift_field inner = thrift_element(THRIFT_BINARY);
    for (uint64_t i = 0; i < count && !reader->is_broken; i++)
        thrift_binary(reader, &inner, &bytes);
}

static void skip_elements(thrift_reader *reader, thrift_type element, uint64_t count)
{
    if (element == THRIFT_BINARY) {
        skip_binaries(reader, count);
        return;
    }
    thrift_field inner = thrift_element(element);
    for (uint64_t i = 0; i < count && !reader->is_broken; i++) {
        /* In lists a boolean is a byte. */
        if (element == THRIFT_TRUE || element == THRIFT_FALSE)
            next_byte(reader);
        else
            thrift_skip(reader, &inner);
    }
}

void thrift_skip(thrift_reader *reader, const thrift_field *field)
{
    uint32_t bytes;
    thrift_type element;
    switch (field->type) {
    case THRIFT_TRUE:
    case THRIFT_FALSE:
        break;
    case THRIFT_I8:
        next_byte(reader);
        break;
    case THRIFT_I16:
    case THRIFT_I32:
    case THRIFT_I64:
        varint(reader);
        break;
    case THRIFT_DOUBLE:
        if (reader->end - reader->at < 8)
            reader->is_broken = true;
        else
            reader->at += 8;
        break;
    case THRIFT_BINARY:
        thrift_binary(reader, field, &bytes);
        break;
    case THRIFT_LIST:
    case THRIFT_SET: {
        if (++reader->depth > THRIFT_DEPTH_MAX) {
            reader->is_broken = true;
            break;
        }
        uint32_t count = thrift_list(reader, field, &element);
        skip_elements(reader, element, count);
        reader->depth--;
        break;
    }
    case THRIFT_MAP: {
        uint64_t count = varint(reader);
        if (!count)
            break;
        uint8_t types = next_byte(reader);
        if (count > (uint64_t)(reader->end - reader->at) || ++reader->depth > THRIFT_DEPTH_MAX) {
            reader->is_broken = true;
            break;
        }
        for (uint64_t i = 0; i < count && !reader->is_broken; i++) {
            skip_elements(reader, types >> 4, 1);
            skip_elements(reader, types & 15, 1);
        }
        reader->depth--;
        break;
    }
    case THRIFT_STRUCT:
        if (thrift_enter(reader, field)) {
            thrift_field inner = {0};
            while (thrift_next(reader, &inner))
                thrift_skip(reader, &inner);
            thrift_leave(reader);
        }
        break;
    default:
        reader->is_broken = true;
    }
}
