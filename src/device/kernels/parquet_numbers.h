/* parquet_numbers.h - numbers that kernels which decode pages get from the reader: the format's
 * physical types, as files have them, and what becomes of their values. */
#ifndef PISTACHIO_DEVICE_KERNELS_PARQUET_NUMBERS_H
#define PISTACHIO_DEVICE_KERNELS_PARQUET_NUMBERS_H

typedef enum pq_physical {
    PQ_BOOLEAN = 0,
    PQ_INT32 = 1,
    PQ_INT64 = 2,
    PQ_INT96 = 3,
    PQ_FLOAT = 4,
    PQ_DOUBLE = 5,
    PQ_BYTE_ARRAY = 6,
    PQ_FIXED_LEN_BYTE_ARRAY = 7
} pq_physical;

/* How a stored value becomes one of the SQL type. */
typedef enum pq_conversion {
    PQ_CONVERT_NONE,     /* same bytes, or an integer of another width, or a float as a double */
    PQ_CONVERT_BIG,      /* big-endian two's complement: decimals of (FIXED_LEN_)BYTE_ARRAY */
    PQ_CONVERT_INT96,    /* Julian day and nanoseconds: timestamp */
    PQ_CONVERT_MILLIS,   /* times 1000: time and timestamp of milliseconds */
    PQ_CONVERT_NANOS,    /* divided by 1000: time of nanoseconds */
    PQ_CONVERT_HALF,     /* float16 */
    PQ_CONVERT_UUID,     /* big-endian bytes to what TYPE_UUID has in memory */
    PQ_CONVERT_INTERVAL, /* 12 bytes: months, days and milliseconds, the last without a sign */
    PQ_CONVERT_WIDE /* this number and a decimal's scale, of (FIXED_LEN_)BYTE_ARRAY: to a double */
} pq_conversion;
#define PQ_WIDE_SCALE_MAX 200
#define PQ_INTERVAL_BYTES 12

#endif
