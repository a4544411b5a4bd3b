/* nested_function.h - functions of lists, structs and maps, on host devices.
 *
 * A function gets columns of equal length and makes one. They are FLAT, but for lists and structs of which nested_takes_indexed()
 * says so. It moves pairs and row numbers where it can: a slice
 * shares the children of its list, and sorted, reversed or chosen elements are INDEXED over them. */
#ifndef PISTACHIO_DEVICE_NESTED_NESTED_FUNCTION_H
#define PISTACHIO_DEVICE_NESTED_NESTED_FUNCTION_H

#include "device/tensor.h"

typedef enum nested_function {
#define NESTED_FUNCTION(NAME, name, nulls) NESTED_##NAME,
#include "device/nested/nested_functions.def"
    NESTED_FUNCTION_COUNT
} nested_function;

/* Functions that compute an expression for each element: exec/expression/program_run_lambda.c. */
typedef enum lambda_function {
    LAMBDA_TRANSFORM,
    LAMBDA_REDUCE,
    LAMBDA_REDUCE_FROM
} lambda_function;

typedef struct nested_args {
    dev_stream *stream; /* of a host device */
    data_type type;     /* of the result */
    uint64_t count;     /* rows */
    tensor *const *args;
    const bool
        *repeats; /* by argument: it has the same value in all rows; NULL: nothing is known */
    uint32_t arg_count;
    int64_t number; /* FIELD: which one; RANGE: 1 if the end belongs to it */
} nested_args;

/* Computes a function for all rows; *out gets a tensor of any form. Failures are in words, without a place. */
CHECKED status nested_compute(nested_function function, const nested_args *c, tensor **out);
/* Whether the first argument may be INDEXED: the function reads its rows through the index. */
bool nested_takes_indexed(nested_function function);
/* NULL if any argument is. */
bool nested_is_strict(nested_function function);

#endif
