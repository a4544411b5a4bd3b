/* wire_format.h - what a block of rows is made of; see wire.h. */
#ifndef PISTACHIO_NET_WIRE_WIRE_FORMAT_H
#define PISTACHIO_NET_WIRE_WIRE_FORMAT_H

#include <stdint.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values go out as they lie in memory");

#define WIRE_VERSION 1
#define WIRE_ALIGNMENT 8u
#define WIRE_ROWS_MAX (1u << 24) /* of a message, however few bytes they take */
#define WIRE_COLUMNS_MAX UINT16_MAX
#define WIRE_LARGE_BYTES_MAX (UINT32_MAX / 2)

enum { WIRE_ROWS = 1, WIRE_DICTIONARY, WIRE_PIECE };

typedef struct wire_block {
    uint8_t version, kind;
    uint16_t column_count; /* DICTIONARY: the column */
    uint32_t rows;         /* DICTIONARY: its entries */
    uint32_t bytes;        /* of all, this header included; a multiple of 8 */
    uint32_t number;       /* DICTIONARY: which; PIECE: where it begins in its block */
} wire_block;
_Static_assert(sizeof(wire_block) == 16, "as it goes out");

enum { WIRE_VALUES = 1, WIRE_CONSTANT, WIRE_CODES };

/* After it come validity, in whole words, if has_nulls; then values. */
typedef struct wire_column {
    uint8_t type, precision, scale, width;
    uint8_t form;
    uint8_t has_nulls;  /* CONSTANT: it is NULL, no value follows */
    uint8_t code_bytes; /* CODES */
    uint8_t zero;
    uint32_t number;     /* CODES: the dictionary */
    uint32_t text_bytes; /* of all texts, behind their lengths */
} wire_column;
_Static_assert(sizeof(wire_column) == 16, "as it goes out");

static inline uint64_t wire_aligned(uint64_t bytes)
{
    return (bytes + WIRE_ALIGNMENT - 1) & ~(uint64_t)(WIRE_ALIGNMENT - 1);
}

#endif
