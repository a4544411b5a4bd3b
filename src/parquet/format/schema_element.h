/* schema_element.h - inside the reader of schemas: an element as the file has it, before the tree is flattened. */
#ifndef PISTACHIO_PARQUET_FORMAT_SCHEMA_ELEMENT_H
#define PISTACHIO_PARQUET_FORMAT_SCHEMA_ELEMENT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pq_element {
    const char *name;
    int64_t physical, type_length, repetition, child_count, converted, scale, precision;
    int64_t logical, unit; /* LogicalType's field; its time unit: 1 milli, 2 micro, 3 nano */
    int64_t integer_width;
    int64_t field_id;
    bool is_signed, is_utc;
} pq_element;

enum { ABSENT = -1 };
enum { REQUIRED, OPTIONAL, REPEATED };
enum { /* ConvertedType */
       CONVERTED_UTF8,
       CONVERTED_MAP = 1,
       CONVERTED_MAP_KEY_VALUE = 2,
       CONVERTED_LIST = 3,
       CONVERTED_ENUM = 4,
       CONVERTED_DECIMAL = 5,
       CONVERTED_DATE = 6,
       CONVERTED_TIME_MILLIS = 7,
       CONVERTED_TIME_MICROS = 8,
       CONVERTED_TIMESTAMP_MILLIS = 9,
       CONVERTED_TIMESTAMP_MICROS = 10,
       CONVERTED_UINT_8 = 11,
       CONVERTED_INT_64 = 18,
       CONVERTED_JSON = 19,
       CONVERTED_BSON = 20,
       CONVERTED_INTERVAL = 21
};
enum { /* LogicalType's fields */
       LOGICAL_STRING = 1,
       LOGICAL_MAP = 2,
       LOGICAL_LIST = 3,
       LOGICAL_ENUM = 4,
       LOGICAL_DECIMAL = 5,
       LOGICAL_DATE = 6,
       LOGICAL_TIME = 7,
       LOGICAL_TIMESTAMP = 8,
       LOGICAL_INTEGER = 10,
       LOGICAL_UNKNOWN = 11,
       LOGICAL_JSON = 12,
       LOGICAL_BSON = 13,
       LOGICAL_UUID = 14,
       LOGICAL_FLOAT16 = 15
};

#endif
