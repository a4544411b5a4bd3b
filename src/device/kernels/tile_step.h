/* tile_step.h - a run of an expression's instructions that one launch computes (KERNEL expression):
 * its steps, as host and kernels agree on them. C, C++ and CUDA.
 *
 * A step reads registers and fills one, for all rows of a tile; which rows are a tile is the kernel's
 * affair. A register holds a value of each row and whether it is there:
 *
 *     0 .. TILE_WORDS - 1                numbers and times of up to 64 bits; of 128 two registers,
 *                                        named by the first
 *     TILE_WORDS .. TILE_REGISTERS - 1   booleans
 *
 * A step never fills a register that it reads. Results that are wanted outside of the run are stored by
 * the step that computes them; all else is never in the device's memory. */
#ifndef PISTACHIO_DEVICE_KERNELS_TILE_STEP_H
#define PISTACHIO_DEVICE_KERNELS_TILE_STEP_H

#include "base/type/portable.h"

#define TILE_INPUTS 8
#define TILE_OUTPUTS 4
#define TILE_STEPS 28
#define TILE_CONSTANTS 16 /* words */
#define TILE_WORDS 8
#define TILE_REGISTERS 32

typedef enum tile_kind {
    TILE_LOAD,       /* input args[0]; of `type`, or, where the input has no values, NULLs alone */
    TILE_CONSTANT,   /* constants[args[0]], of 128 bits two of them; op: it is NULL */
    TILE_COMPARE,    /* op: a dev_compare_op; of values of type `from` */
    TILE_RANGE,      /* from constants[args[1]] to constants[args[1] + 1]; of type `from` */
    TILE_LOGIC,      /* op: a dev_logic_op; args of `logic`: left, right; SAME, DIFFERENT: the
                      operands and, third, whether they are equal */
    TILE_CHOOSE,     /* condition, first, second */
    TILE_ARITHMETIC, /* op: a dev_arithmetic_op */
    TILE_CAST        /* from `from` to `type` */
} tile_kind;

#define TILE_CHECKED 1    /* arithmetic, casts: looks for overflow */
#define TILE_LEFT_WIDE 2  /* arithmetic: the operand has 128 bits */
#define TILE_RIGHT_WIDE 4 /* likewise */

typedef struct tile_step {
    uint8_t kind; /* a tile_kind */
    uint8_t op;
    uint8_t flags;
    uint8_t target; /* register */
    uint8_t output; /* the result is stored as output - 1; 0: it is not */
    uint8_t args[3];
    data_type type; /* of the result */
    data_type from;
    uint32_t location; /* for errors */
} tile_step;

typedef struct tile_code {
    uint64_t constants[TILE_CONSTANTS];
    tile_step steps[TILE_STEPS];
    uint32_t step_count;
} tile_code;

PORTABLE bool tile_type_is_real(data_type type)
{
    return type.id == TYPE_FLOAT || type.id == TYPE_DOUBLE;
}

PORTABLE bool tile_type_is_narrow(data_type type)
{
    return type.id >= TYPE_BOOL && type.id <= TYPE_DECIMAL && type.id != TYPE_UINT64 &&
           type.width <= 8;
}

/* A cast that keeps the number, in 64 bits, or makes a double of it: nothing is multiplied or rounded. */
PORTABLE bool tile_cast_is_plain(data_type from, data_type to)
{
    if (!tile_type_is_narrow(from) || !tile_type_is_narrow(to) || to.id == TYPE_FLOAT)
        return false;
    if (to.id == TYPE_DOUBLE)
        return from.scale == 0;
    return !tile_type_is_real(from) && from.scale == to.scale;
}

/* Does the step take arithmetic of 128 bits? */
PORTABLE bool tile_step_is_wide(const tile_step *s)
{
    return s->type.width == 16 || s->from.width == 16 ||
           (s->flags & (TILE_LEFT_WIDE | TILE_RIGHT_WIDE)) ||
           (s->kind == TILE_CAST && !tile_cast_is_plain(s->from, s->type));
}

#endif
