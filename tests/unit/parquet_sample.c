/* parquet_sample.c - the formulas of the sample table. */
#include "parquet_sample.h"

#define FILL(type, expression)                                                                     \
    do {                                                                                           \
        type *out = memory;                                                                        \
        for (int64_t i = 0; i < SAMPLE_ROWS; i++)                                                  \
            out[i] = (type)(expression);                                                           \
    } while (0)

static string_view text(arena *a, data_type type, int64_t i)
{
    char buffer[256];
    int bytes;
    if (type.id == TYPE_BLOB) {
        bytes = (int)(i % 5);
        for (int k = 0; k < bytes; k++)
            buffer[k] = (char)(250 + i + k);
    } else if (i % 2) {
        bytes = snprintf(buffer, sizeof buffer, "name-%d", (int)(i % 100));
    } else {
        memset(buffer, 'y' - (int)(i % 20), sizeof buffer);
        bytes = (int)(i % 100) + snprintf(buffer + i % 100, 32, "%d", (int)i);
    }
    return string_view_make(arena_copy_text(a, buffer, (size_t)bytes), (uint32_t)bytes);
}

static void fill(arena *a, data_type type, void *memory)
{
    int128 wide = power_of_ten(20) + 7;
    switch ((type_id)type.id) {
    case TYPE_BOOL:
        for (int64_t i = 0; i < SAMPLE_ROWS; i++)
            ((uint64_t *)memory)[i / 64] |= (uint64_t)(i % 3 == 0) << i % 64;
        break;
    case TYPE_INT8:
    case TYPE_UINT8:
        FILL(uint8_t, i * 37);
        break;
    case TYPE_INT16:
    case TYPE_UINT16:
        FILL(uint16_t, i * 7919);
        break;
    case TYPE_INT32:
    case TYPE_UINT32:
        FILL(uint32_t, i * 2654435761);
        break;
    case TYPE_INT64:
    case TYPE_UINT64:
        FILL(uint64_t, (uint64_t)i * 0x9e3779b97f4a7c15);
        break;
    case TYPE_FLOAT:
        FILL(float, i % 1000 == 5 ? (double)__builtin_nanf("") : (double)(i - 2000) / 8);
        break;
    case TYPE_DOUBLE:
        FILL(double, (double)(i * i - 500) / 16);
        break;
    case TYPE_DECIMAL:
        if (type.width == 16)
            FILL(int128, (i % 2 ? -1 : 1) * i * wide);
        else
            FILL(int64_t, (i % 2 ? -1 : 1) * i * 1234);
        break;
    case TYPE_DATE:
        FILL(int32_t, i * 7 % 20000 - 1000);
        break;
    case TYPE_TIME:
        FILL(int64_t, i * 17000001);
        break;
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_TZ:
        FILL(int64_t, (i - 100) * 86399999001);
        break;
    case TYPE_VARCHAR:
    case TYPE_BLOB:
        for (int64_t i = 0; i < SAMPLE_ROWS; i++)
            ((string_view *)memory)[i] = text(a, type, i);
        break;
    default:
        break;
    }
}

static void add(sample *s, const char *name, data_type type)
{
    uint64_t *validity = arena_alloc(s->memory, SAMPLE_ROWS / 8 + 8);
    for (uint64_t row = 0; row < SAMPLE_ROWS; row++)
        validity[row / 64] |= (uint64_t)(row % 7 != 3) << row % 64;
    void *memory = arena_alloc(s->memory, SAMPLE_ROWS * (type.width ? type.width : 1) + 8);
    fill(s->memory, type, memory);
    for (int nullable = 0; nullable < 2; nullable++) {
        size_t c = s->column_count++;
        CHECK(c < SAMPLE_COLUMNS_MAX);
        s->schema[c].name = arena_format(s->memory, "%s_%s", nullable ? "n" : "r", name);
        s->schema[c].type = type;
        s->schema[c].is_nullable = nullable;
        s->values[c].values = memory;
        s->values[c].validity = nullable ? validity : NULL;
    }
}

void sample_make(sample *s)
{
    static const struct {
        const char *name;
        type_id id;
    } simple[] = {
        {"bool", TYPE_BOOL},
        {"int8", TYPE_INT8},
        {"int16", TYPE_INT16},
        {"int32", TYPE_INT32},
        {"int64", TYPE_INT64},
        {"uint8", TYPE_UINT8},
        {"uint16", TYPE_UINT16},
        {"uint32", TYPE_UINT32},
        {"uint64", TYPE_UINT64},
        {"float", TYPE_FLOAT},
        {"double", TYPE_DOUBLE},
        {"date", TYPE_DATE},
        {"time", TYPE_TIME},
        {"timestamp", TYPE_TIMESTAMP},
        {"timestamp_tz", TYPE_TIMESTAMP_TZ},
        {"varchar", TYPE_VARCHAR},
        {"blob", TYPE_BLOB},
    };
    *s = (sample){0};
    CHECK_OK(arena_new(&s->memory));
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        add(s, simple[i].name, type_make(simple[i].id));
    data_type nanoseconds = type_make(TYPE_TIMESTAMP);
    nanoseconds.precision = 9;
    add(s, "timestamp_ns", nanoseconds);
    add(s, "decimal_9_2", type_decimal(9, 2));
    add(s, "decimal_18_4", type_decimal(18, 4));
    add(s, "decimal_25_4", type_decimal(25, 4));
    add(s, "decimal_38_10", type_decimal(38, 10));
    add(s, "null", type_make(TYPE_NULL));
}

void sample_free(sample *s)
{
    arena_free(s->memory);
}
