/* json_value.h - one value of JSON into a column, and what may be wrong with one. */
#ifndef PISTACHIO_TEXTFILE_READ_JSON_VALUE_H
#define PISTACHIO_TEXTFILE_READ_JSON_VALUE_H

#include "base/type/json_type.h"
#include "device/host/json/json_memory.h"
#include "textfile/read/json_walk.h"
#include "textfile/read/text_values.h"

/* ---- wrong records ---- */

typedef enum json_wrong_kind {
    JSON_WRONG_RECORD, /* it is not JSON */
    JSON_WRONG_VALUE,  /* it is not of its column's type */
    JSON_WRONG_FIELD,  /* it is not a column, or not a field of the column's type */
    JSON_WRONG_TWICE,  /* the field was there before */
    JSON_WRONG_SHAPE   /* the record is not an object, and no column is for it */
} json_wrong_kind;

#define JSON_SHOWN_BYTES 64

/* A record that cannot be read. */
typedef struct json_wrong {
    bool is_there;
    uint32_t row;
    uint32_t offset; /* of the place in the text */
    json_wrong_kind kind;
    uint32_t column;              /* of JSON_WRONG_VALUE */
    data_type type;               /* of JSON_WRONG_VALUE: what the value should be */
    const char *message;          /* of JSON_WRONG_RECORD: static text */
    char value[JSON_SHOWN_BYTES]; /* the value, or the field's name */
    char place[JSON_SHOWN_BYTES]; /* within the column: ".b[].c", or "" */
} json_wrong;

/* Notes what is wrong, with a text of the record. */
static inline void json_wrong_note(json_wrong *wrong, json_wrong_kind kind, const char *text,
                                   size_t bytes)
{
    wrong->is_there = true;
    wrong->kind = kind;
    bytes = bytes < sizeof wrong->value - 1 ? bytes : sizeof wrong->value - 1;
    memcpy(wrong->value, text, bytes);
    wrong->value[bytes] = '\0';
}

/* ---- values of documents ---- */

static inline json_kind json_kind_of(yyjson_val *v)
{
    switch (yyjson_get_type(v)) {
    case YYJSON_TYPE_BOOL:
        return JSON_BOOL;
    case YYJSON_TYPE_RAW:
    case YYJSON_TYPE_NUM:
        return JSON_NUMBER;
    case YYJSON_TYPE_STR:
        return JSON_TEXT;
    case YYJSON_TYPE_ARR:
    case YYJSON_TYPE_OBJ:
        return JSON_NESTED;
    default:
        return JSON_NULL;
    }
}

/* Returns the text of a value that is not nested. */
static inline const char *json_scalar_text(yyjson_val *v, size_t *bytes)
{
    if (yyjson_is_bool(v)) {
        *bytes = yyjson_get_bool(v) ? 4 : 5;
        return yyjson_get_bool(v) ? "true" : "false";
    }
    *bytes = yyjson_get_len(v);
    return yyjson_is_raw(v) ? yyjson_get_raw(v) : yyjson_get_str(v);
}

/* ---- columns ---- */

/* Room for texts that are too long for a string_view. */
typedef struct json_texts {
    char *at, *end;
} json_texts;

/* False: there is no room, which cannot be, because no text is longer than what it was read from. */
ALWAYS_INLINE bool json_texts_put(json_texts *texts, const char *text, size_t bytes,
                                  string_view *out)
{
    if (bytes > STRING_INLINE_BYTES) {
        if ((size_t)(texts->end - texts->at) < bytes)
            return false;
        memcpy(texts->at, text, bytes);
        text = texts->at;
        texts->at += bytes;
    }
    *out = string_view_make(text, (uint32_t)bytes);
    return true;
}

/* Puts the JSON of a value, without spaces. */
static inline bool json_texts_put_json(json_texts *texts, json_memory *memory, yyjson_val *v,
                                       string_view *out)
{
    size_t bytes;
    char *text = yyjson_val_write_opts(v, YYJSON_WRITE_NOFLAG, &memory->alc, &bytes, NULL);
    return text && json_texts_put(texts, text, bytes, out);
}

ALWAYS_INLINE void json_set_bit(uint64_t *bits, uint64_t row, bool is_set)
{
    uint64_t bit = UINT64_C(1) << row % 64;
    bits[row / 64] = is_set ? bits[row / 64] | bit : bits[row / 64] & ~bit;
}

static const text_rules json_rules; /* points, and no thousands */

/* Puts a value that is neither nested nor null, and not of the type json. False: it is not of the type. */
ALWAYS_INLINE bool json_put_scalar(data_type type, const char *format, json_kind kind,
                                   const char *text, size_t bytes, json_texts *texts, void *values,
                                   uint64_t row)
{
    void *target = (char *)values + row * type.width;
    bool is_plain = kind == JSON_NUMBER || kind == JSON_TEXT;
    bool boolean = false;
    if (type.id == TYPE_VARCHAR)
        return json_texts_put(texts, text, bytes, target);
    if (type.id == TYPE_INT64 && is_plain && parse_int64(text, bytes, target))
        return true;
    if (type.id == TYPE_DOUBLE && is_plain && parse_double(text, bytes, target))
        return true;
    if (type.id == TYPE_DATE && is_plain && !format && parse_date(text, bytes, target))
        return true;
    if (type.id != TYPE_BOOL)
        return text_parse_value(&json_rules, text, bytes, type, format, target);
    if (!bool_parse(text, bytes, &boolean))
        return false;
    json_set_bit(values, row, boolean);
    return true;
}

#endif
