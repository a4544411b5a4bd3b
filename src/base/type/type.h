/* type.h - SQL data types, the values of each, and their text.
 *
 * A data_type is four bytes and is passed by value. `width` is the physical size of a value and
 * no part of the type's identity: decimal(25,4) has 16-byte values, or 8-byte ones where
 * statistics prove that they fit. The types of lists, structs and maps are numbers of a table (nested_type.h). */
#ifndef PISTACHIO_BASE_TYPE_TYPE_H
#define PISTACHIO_BASE_TYPE_TYPE_H

#include "base/mem.h"
#include "base/status.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

typedef __int128 int128;
typedef unsigned __int128 uint128;

typedef enum type_id {
    TYPE_NULL, /* the type of a bare NULL; width 0, until cast */
    TYPE_BOOL, /* a bitmap, one bit a value, 64-bit words, least significant bit first */
    TYPE_INT8,
    TYPE_INT16,
    TYPE_INT32,
    TYPE_INT64,
    TYPE_UINT8,
    TYPE_UINT16,
    TYPE_UINT32,
    TYPE_UINT64,
    TYPE_FLOAT,
    TYPE_DOUBLE,
    TYPE_DECIMAL,   /* precision 1-38, scale <= precision; int64_t or int128 unscaled */
    TYPE_DATE,      /* int32_t days since 1970-01-01 */
    TYPE_TIME,      /* int64_t microseconds since midnight */
    TYPE_TIMESTAMP, /* int64_t since 1970-01-01 00:00; precision 6: microseconds, 9: nanoseconds */
    TYPE_TIMESTAMP_TZ, /* the same, in UTC */
    TYPE_INTERVAL,     /* interval_value, 16 bytes */
    TYPE_VARCHAR,      /* string_view, 16 bytes, UTF-8 */
    TYPE_BLOB,         /* string_view, 16 bytes, any bytes */
    TYPE_UUID,         /* int128: its bytes as a number, the sign bit turned over (uuid_text.h) */
    TYPE_LIST,         /* nested_value: rows of one child; this and the next two: nested_type.h */
    TYPE_STRUCT,       /* nested_value: a row of children with names */
    TYPE_MAP,          /* nested_value: rows of two children, keys and values */
    TYPE_ID_COUNT
} type_id;
#define TYPE_FLAT_COUNT TYPE_LIST /* types before it are not nested */

typedef struct data_type {
    uint8_t id;        /* a type_id */
    uint8_t precision; /* decimals: digits; timestamps: 6 or 9; json_type.h: 1; else 0 */
    uint8_t scale;     /* decimals: digits behind the point; else 0. Nested: both are a number */
    uint8_t width;     /* bytes of a value in memory; 0 for bool (bits) and null */
} data_type;

/* A string in memory: up to 12 bytes in place, else the first 4 and an address. The address is
 * valid on the device that holds the view. Bytes unused in place are zero, so that short strings
 * compare as two words. (Neumann and Freitag, CIDR 2020; Arrow's Utf8View is close to it.) */
typedef struct string_view {
    uint32_t bytes;
    union {
        char inlined[12];
        struct __attribute__((packed)) {
            char prefix[4];
            const char *data;
        };
    };
} string_view;
static_assert(sizeof(string_view) == 16, "two words");
#define STRING_INLINE_BYTES 12

typedef struct interval_value {
    int32_t months, days;
    int64_t microseconds;
} interval_value;

/* A list, struct or map in memory: rows [offset, offset + length) of the tensor's children. A struct's length is 1. Under
 * a NULL it is zero. */
typedef struct nested_value {
    uint32_t offset, length;
} nested_value;

/* A value on the host: literals, bounds, results. Text is borrowed. */
typedef struct value {
    data_type type;
    bool is_null;
    union {
        bool boolean;
        int64_t i64;  /* signed integers, date, time, timestamps, decimals of width 8 */
        uint64_t u64; /* unsigned integers */
        int128 i128;  /* decimals of width 16, UUIDs */
        double f64;   /* float and double */
        interval_value interval;
        struct {
            const char *text;
            size_t bytes;
        };
    };
} value;

data_type type_make(type_id id); /* not for decimals; timestamps get precision 6 */
/* width 8 up to 18 digits, else 16. */
data_type type_decimal(unsigned precision, unsigned scale);
/* Returns whether two types are the same SQL type, whatever the width. */
bool type_equal(data_type a, data_type b);
bool type_is_integer(data_type type); /* signed or unsigned */
bool type_is_signed(data_type type);  /* signed integers, decimals, floats */
bool type_is_numeric(data_type type);
bool type_is_text(data_type type); /* varchar or blob */
bool type_is_time(data_type type); /* date, time, timestamps */
static inline bool type_is_nested(data_type type)
{
    return type.id >= TYPE_LIST;
}
/* "decimal(15,2)", "varchar": as SQL spells it, into `text` of at least 40 bytes; returns text. The end of a nested
 * type's name that is longer is cut off: nested_type_text() writes it whole. */
char *type_name(data_type type, char *text);
#define TYPE_NAME_BYTES 40

/* Returns the bytes of a bit for each row, in whole words. */
static inline uint64_t bitmap_bytes(uint64_t rows)
{
    return (rows + 63) / 64 * 8;
}

/* Returns the bytes of so many values in memory. */
static inline uint64_t type_values_bytes(data_type type, uint64_t rows)
{
    return type.width ? rows * type.width : bitmap_bytes(rows);
}

/* The string's bytes. */
static inline const char *string_data(const string_view *view)
{
    return view->bytes <= STRING_INLINE_BYTES ? view->inlined : view->data;
}

/* Begins to fetch the string's bytes from the given one on. Always inline, as every function that calls this has to be
 * that does nothing else: gcc takes one that only prefetches for one without an effect, and drops its calls. */
static inline __attribute__((always_inline)) void string_prefetch(const string_view *view,
                                                                  uint32_t from)
{
    if (view->bytes > STRING_INLINE_BYTES)
        __builtin_prefetch(view->data + (from < view->bytes ? from : 0));
}

static inline string_view string_view_make(const char *data, uint32_t bytes)
{
    string_view view;
    memset(&view, 0, sizeof view);
    view.bytes = bytes;
    if (bytes <= STRING_INLINE_BYTES) {
        if (bytes)
            memcpy(view.inlined, data, bytes);
    } else {
        memcpy(view.prefix, data, 4);
        view.data = data;
    }
    return view;
}

value value_null(data_type type);
value value_bool(bool boolean);
value value_int(type_id id, int64_t number);
value value_double(double number);
value value_text(const char *text, size_t bytes);
value value_decimal(int128 unscaled, data_type type);
/* The unscaled integer of an integer, decimal, date, time, timestamp or UUID. */
int128 value_int128(const value *v);
/* -1, 0, 1; both of the same type, neither NULL. Text by bytes; NaN is greatest. */
int value_compare(const value *a, const value *b);

/* ---- text ----
 * Formatting writes a closing NUL and returns the bytes before it; the room is stated. */

#define INT128_TEXT_BYTES 44
size_t int128_format(int128 number, unsigned scale, char *text); /* INT128_TEXT_BYTES */
#define DOUBLE_TEXT_BYTES 32
size_t double_format(double number, char *text); /* shortest text that reads back; PostgreSQL's */
size_t float_format(float number, char *text);
#define DATE_TEXT_BYTES 24
size_t date_format(int32_t days, char *text);
#define TIMESTAMP_TEXT_BYTES 48
size_t time_format(int64_t microseconds, char *text);
size_t timestamp_format(int64_t count, unsigned precision, bool is_utc, char *text);
#define UUID_BYTES 16
#define UUID_TEXT_BYTES 36
#define INTERVAL_TEXT_BYTES 80
size_t interval_format(interval_value interval, char *text); /* PostgreSQL's default style */
/* Any value as SQL prints it ("" for NULL). Text of a varchar is copied whole; a blob as \x hex.
 * Returns the bytes needed; writes at most `room` with a closing NUL. */
size_t value_format(const value *v, char *text, size_t room);

/* Parses the whole text (spaces around it allowed); false: it does not spell a number. */
bool int128_parse(const char *text, size_t bytes, int128 *out);
/* Rounds half away from zero to `scale`; false also when it does not fit 38 digits. */
bool decimal_parse(const char *text, size_t bytes, unsigned scale, int128 *out);
bool double_parse(const char *text, size_t bytes, double *out);
bool float_parse(const char *text, size_t bytes, float *out); /* not by way of a double */
bool bool_parse(const char *text, size_t bytes, bool *out);
bool date_parse(const char *text, size_t bytes, int32_t *out_days);
/* A time zone suffix (Z, +hh[:mm]) is read and means nothing; in dates and timestamps neither, but
 * that it is applied where with_zone: a timestamptz. */
bool time_parse(const char *text, size_t bytes, int64_t *out_microseconds);
bool timestamp_parse(const char *text, size_t bytes, unsigned precision, bool with_zone,
                     int64_t *out);
/* '1 year 2 mons', '90 days', '1 day 02:03:04', 'P1Y2M'. */
bool interval_parse(const char *text, size_t bytes, interval_value *out);
/* As INTERVAL '...' DAY TO HOUR reads it: fields of base/text/interval_text.h. */
bool interval_parse_fields(const char *text, size_t bytes, unsigned fields, interval_value *out);

/* ---- the calendar (proleptic Gregorian; H. Hinnant, "chrono-compatible date algorithms") ---- */
int32_t date_from_civil(int32_t year, unsigned month, unsigned day); /* no checks */
void date_to_civil(int32_t days, int32_t *year, unsigned *month, unsigned *day);
unsigned date_month_days(int32_t year, unsigned month); /* 28 to 31 */
/* Adds months, the day clipped to the target month's last. */
int32_t date_add_months(int32_t days, int32_t months);

/* ---- 128-bit helpers ---- */
/* unscaled / 10^scale, rounded once: the nearest, ties to even. scale <= 38. */
double decimal_to_double(int128 unscaled, unsigned scale);
float decimal_to_float(int128 unscaled, unsigned scale);
extern const int64_t power_of_ten_64[19];
int128 power_of_ten(unsigned exponent); /* exponent <= 38 */
/* 10^38 - 1, the largest decimal. */
#define DECIMAL_MAX (power_of_ten(38) - 1)

#endif
