/* print_spec.h - what printf and format say about a value: %-8.2f, {:>8.2f}. */
#ifndef PISTACHIO_DEVICE_HOST_LIBRARY_PRINT_SPEC_H
#define PISTACHIO_DEVICE_HOST_LIBRARY_PRINT_SPEC_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Widths and precisions are at most so large. */
#define PRINT_WIDTH_MAX 10000
#define PRINT_PRECISION_MAX 100

typedef struct print_spec {
    uint32_t arg; /* its number, from 0 */
    char fill[4]; /* a character */
    uint8_t fill_bytes;
    char align;     /* < > ^; 0: numbers right, texts left */
    char sign;      /* + or a blank; 0: none where a number is positive */
    char thousands; /* 0: digits are not grouped */
    char type;      /* a letter; 0: as the value is */
    bool is_alternate, fills_zeros, is_unsigned;
    int32_t width, precision; /* precision -1: none */
    bool width_is_arg;        /* printf's *, number `width_arg` */
    uint32_t width_arg;
} print_spec;

/* A format while it is read. */
typedef struct print_reader {
    const char *format;
    size_t bytes, at;
    uint32_t next_arg;
    bool is_numbered, is_in_order; /* which kind of places there were */
} print_reader;

/* Reads what stands after a % that is not another's. */
CHECKED status print_read_percent(print_reader *r, print_spec *out);
/* Reads what stands after a { up to its }. */
CHECKED status print_read_braces(print_reader *r, print_spec *out);

#endif
