/* kernel_types.h - what a kernel needs to know of its launch: counts, errors, argument structs.
 *
 * For compilers of C, of C++ and of CUDA: device.h has what only the host needs. */
#ifndef PISTACHIO_DEVICE_KERNELS_KERNEL_TYPES_H
#define PISTACHIO_DEVICE_KERNELS_KERNEL_TYPES_H

#include "base/type/portable.h"
#include "device/kernels/aggregate_state.h"
#include "device/kernels/parquet_page.h"
#include "device/kernels/tile_step.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DEV_ABI 18 /* raise with every change of device.h, and of an argument's meaning */

/* A number of rows that the host may not know yet: at most `bound`, and exactly min(bound,
 * *actual) once the stream has got there. actual == NULL: exactly `bound`. */
typedef struct dev_count {
    uint64_t bound;
    const uint64_t *actual; /* device address */
} dev_count;

/* Failures that kernels report: the first one of a task wins (compare and swap on `code`). */
typedef enum dev_error_code {
    DEV_ERROR_NONE,
    DEV_ERROR_OVERFLOW, /* a number does not fit its type */
    DEV_ERROR_DIVISION_BY_ZERO,
    DEV_ERROR_CAST,          /* text that does not read as a value of the type */
    DEV_ERROR_ARGUMENT,      /* a function's argument is out of its domain */
    DEV_ERROR_MULTIPLE_ROWS, /* a scalar subquery gave more than one row */
    DEV_ERROR_CORRUPT,       /* page bytes break the format */
    DEV_ERROR_BOUNDS,        /* a page's value is not within what the footer says */
    DEV_ERROR_NULL,          /* a NULL where it was said that there is none: our fault */
    DEV_ERROR_CHECKSUM,      /* of a page; the detail is where it begins in the file */
    DEV_ERROR_LIBRARY,       /* a library of the device's did not do its work */
    DEV_ERROR_TEXT,       /* a page's text is not UTF-8; the detail: its number << 32 | its byte */
    DEV_ERROR_NANOSECONDS /* an interval's microseconds do not fit them */
} dev_error_code;

/* C++ has no _Atomic: there the word is swapped by the compiler's own functions. */
#ifdef __cplusplus
#define DEV_ATOMIC(type) type
#else
#define DEV_ATOMIC(type) _Atomic type
#endif

typedef struct dev_error {
    DEV_ATOMIC(uint32_t) code; /* a dev_error_code */
    uint32_t location;         /* what the launch gave: SQL position, a reader's number, or none */
    uint64_t detail;           /* row, or byte offset */
} dev_error;

#define DEV_LOCATION_NONE UINT32_MAX

/* In an index: no row, which gives NULL. */
#define ROW_NULL UINT32_MAX

/* The kernels' identifiers, argument structs and table type. */
#include "device/kernels/kernels.h"

/* The addresses of a run of steps, by number: fields of one name lie one behind the other. */
PORTABLE void *tile_address(const expression_arguments *a, size_t first, unsigned number)
{
    void *address;
    const char *at = (const char *)a + first + number * sizeof address;
    memcpy(&address, __builtin_assume_aligned(at, sizeof address), sizeof address);
    return address;
}
#define TILE_INPUT(a, number)                                                                      \
    ((const void *)tile_address((a), offsetof(expression_arguments, input0), (number)))
#define TILE_VALIDITY(a, number)                                                                   \
    ((const uint64_t *)tile_address((a), offsetof(expression_arguments, validity0), (number)))
#define TILE_INDEX(a, number)                                                                      \
    ((const uint32_t *)tile_address((a), offsetof(expression_arguments, index0), (number)))
#define TILE_OUT(a, number) tile_address((a), offsetof(expression_arguments, out0), (number))
#define TILE_OUT_VALIDITY(a, number)                                                               \
    ((uint64_t *)tile_address((a), offsetof(expression_arguments, out_validity0), (number)))

#endif
