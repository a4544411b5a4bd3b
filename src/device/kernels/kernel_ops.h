/* kernel_ops.h - the numbers by which kernels are told what to do, and the rank of a hash. */
#ifndef PISTACHIO_DEVICE_KERNELS_KERNEL_OPS_H
#define PISTACHIO_DEVICE_KERNELS_KERNEL_OPS_H

#include <stdbool.h>
#include <stdint.h>

/* Mixes 64 bits so that each input bit changes about half of the output bits (the finalizer of
 * MurmurHash3 with the constants of D. Stafford's variant 13). The hash of an integer (hash_values). */
static inline uint64_t dev_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* The rank of a hash (ranks_partition). */
static inline uint32_t dev_rank_of(uint64_t hash, uint32_t ranks)
{
    uint64_t mixed = hash * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)((mixed >> 32) * ranks >> 32);
}

/* Slots of codes (code_insert) are in lines of so many, the processor's of 64 bytes. */
#define DEV_CODE_LINE 8
/* Slots of two words: a code, and the row that took it. */
#define DEV_SLOT_PAIR 64
/* Values of NARROW tensors that share a least and a greatest value (narrow_bounds): 32 words of a mask. */
#define DEV_NARROW_BLOCK 2048

typedef enum dev_compare_op {
    DEV_COMPARE_EQ,
    DEV_COMPARE_NE,
    DEV_COMPARE_LT,
    DEV_COMPARE_LE,
    DEV_COMPARE_GT,
    DEV_COMPARE_GE
} dev_compare_op;

typedef enum dev_arithmetic_op {
    DEV_ADD,
    DEV_SUBTRACT,
    DEV_MULTIPLY,
    DEV_DIVIDE,
    DEV_MODULO
} dev_arithmetic_op;

/* On three-valued operands (a bit and its validity) unless said otherwise. */
typedef enum dev_logic_op {
    DEV_LOGIC_AND, /* these two also write out_validity */
    DEV_LOGIC_OR,
    DEV_LOGIC_NOT, /* of the left values */
    DEV_LOGIC_IS_TRUE,
    DEV_LOGIC_IS_FALSE,
    DEV_LOGIC_IS_NULL,
    DEV_LOGIC_IS_NOT_NULL,
    DEV_LOGIC_BOTH_VALID, /* of the two validities */
    DEV_LOGIC_BUT_NOT,    /* left is true and right is not true */
    DEV_LOGIC_SAME,       /* left values say whether two operands are equal; left_validity and
                             right_validity are theirs: equal, or both NULL */
    DEV_LOGIC_DIFFERENT   /* the contrary */
} dev_logic_op;

/* Numbers; integers and decimals keep their type (and `scale`). */
typedef enum dev_math_op {
    DEV_MATH_ROUND, /* to `digits` behind the point, half away from zero */
    DEV_MATH_TRUNC, /* to `digits`, towards zero */
    DEV_MATH_FLOOR,
    DEV_MATH_CEIL,
    DEV_MATH_ABS,
    DEV_MATH_SIGN,
    DEV_MATH_SQRT, /* doubles only from here on */
    DEV_MATH_LN,
    DEV_MATH_LOG10,
    DEV_MATH_EXP,
    DEV_MATH_LOG2,
    DEV_MATH_CBRT,
    DEV_MATH_DEGREES,
    DEV_MATH_RADIANS,
    DEV_MATH_SIN,
    DEV_MATH_COS,
    DEV_MATH_TAN,
    DEV_MATH_COT,
    DEV_MATH_ASIN,
    DEV_MATH_ACOS,
    DEV_MATH_ATAN,
    DEV_MATH_SINH,
    DEV_MATH_COSH,
    DEV_MATH_TANH,
    DEV_MATH_ASINH,
    DEV_MATH_ACOSH,
    DEV_MATH_ATANH,
    DEV_MATH_POWER, /* of two doubles from here on */
    DEV_MATH_ATAN2
} dev_math_op;

#define DEGREES_PER_RADIAN 57.29577951308232

/* Numbers of a row in its partition. */
typedef enum over_number_op {
    OVER_ROW_NUMBER, /* bigints */
    OVER_RANK,
    OVER_DENSE_RANK,
    OVER_PERCENT_RANK, /* doubles */
    OVER_CUME_DIST
} over_number_op;

/* Parts of a text, as views of its bytes. */
typedef enum dev_slice_op {
    DEV_SLICE_SUBSTRING, /* first: position from 1; second: length */
    DEV_SLICE_FROM,      /* first: position from 1; to the end */
    DEV_SLICE_LEFT,      /* first: characters; negative: all but the last */
    DEV_SLICE_RIGHT      /* first: characters; negative: all but the first */
} dev_slice_op;

typedef enum dev_trim_op { DEV_TRIM_LEFT = 1, DEV_TRIM_RIGHT = 2, DEV_TRIM_BOTH = 3 } dev_trim_op;

/* Text to int64. */
typedef enum dev_measure_op {
    DEV_MEASURE_CHARACTERS,
    DEV_MEASURE_BYTES,
    DEV_MEASURE_POSITION /* where the second begins, in characters from 1; 0: nowhere */
} dev_measure_op;

/* New text. */
typedef enum dev_build_op {
    DEV_BUILD_UPPER,
    DEV_BUILD_LOWER,
    DEV_BUILD_REVERSE,
    DEV_BUILD_CONCAT,  /* first || second */
    DEV_BUILD_REPLACE, /* second replaced by third in first */
    DEV_BUILD_ENCODE,  /* a blob as text (base/text/blob_text.h) */
    DEV_BUILD_DECODE   /* and a text as blob */
} dev_build_op;

/* How a compiled LIKE pattern is laid out: this, then piece_count ends (uint32_t) of pieces in the
 * bytes behind them. The pieces stand in order with any text between; the first is at the start and
 * the last at the end where said. In a piece with wildcards the byte DEV_PATTERN_ANY_BYTE stands
 * for any one character (it occurs in no UTF-8 text). */
typedef struct dev_pattern {
    uint32_t piece_count; /* 0: the empty pattern if anchored, else anything */
    uint32_t piece_bytes;
    uint8_t at_start, at_end, has_wildcards, unused;
} dev_pattern;
#define DEV_PATTERN_ANY_BYTE 0xff

typedef enum dev_date_part {
    DEV_PART_CENTURY,
    DEV_PART_DAY,
    DEV_PART_DECADE,
    DEV_PART_DOW, /* Sunday is 0 */
    DEV_PART_DOY,
    DEV_PART_EPOCH, /* double */
    DEV_PART_HOUR,
    DEV_PART_ISODOW, /* Monday is 1 */
    DEV_PART_ISOYEAR,
    DEV_PART_JULIAN, /* double: days since noon of 4714-11-24 BC, but counted from midnight */
    DEV_PART_MICROSECONDS,
    DEV_PART_MILLENNIUM,
    DEV_PART_MILLISECONDS,
    DEV_PART_MINUTE,
    DEV_PART_MONTH,
    DEV_PART_QUARTER,
    DEV_PART_SECOND,
    DEV_PART_WEEK,
    DEV_PART_YEAR,
    DEV_PART_COUNT
} dev_date_part;

static inline bool dev_part_is_real(dev_date_part part)
{
    return part == DEV_PART_EPOCH || part == DEV_PART_JULIAN;
}

typedef enum dev_time_op {
    DEV_TIME_DATE_ADD_DAYS,          /* date, int32: date */
    DEV_TIME_DATE_DIFFERENCE,        /* date, date: int64 */
    DEV_TIME_TIMESTAMP_ADD_INTERVAL, /* timestamp, interval: timestamp */
    DEV_TIME_TIMESTAMP_DIFFERENCE,   /* timestamp, timestamp: interval */
    DEV_TIME_INTERVAL_ADD,           /* interval, interval: interval */
    DEV_TIME_INTERVAL_MULTIPLY,      /* interval, double: interval */
    DEV_TIME_INTERVAL_DIVIDE         /* interval, double: interval */
} dev_time_op;

#endif
