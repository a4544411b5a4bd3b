/* writer_stage.c - values as type.h has them to values as Parquet stores them, without the NULLs.
 */
#include "parquet/write/writer_stage.h"

#include "base/text/uuid_text.h"
#include "base/type/nested_type.h"
#include "parquet/write/encode_plain.h"
#include "parquet/write/writer_column.h"

/* Bytes of the smallest two's complement number that holds `precision` digits. */
static uint32_t decimal_bytes(unsigned precision)
{
    uint32_t bytes = 1;
    while (bytes < 16 && (uint128)1 << (8 * bytes - 1) < (uint128)power_of_ten(precision))
        bytes++;
    return bytes;
}

status pq_column_layout(writer_column *column)
{
    char name[TYPE_NAME_BYTES];
    data_type type = column->type;
    switch ((type_id)type.id) {
    case TYPE_BOOL:
        column->physical = PQ_BOOLEAN;
        break;
    case TYPE_NULL:
    case TYPE_INT8:
    case TYPE_INT16:
    case TYPE_INT32:
    case TYPE_UINT8:
    case TYPE_UINT16:
    case TYPE_UINT32:
    case TYPE_DATE:
        column->physical = PQ_INT32;
        break;
    case TYPE_INT64:
    case TYPE_UINT64:
    case TYPE_TIME:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_TZ:
        column->physical = PQ_INT64;
        break;
    case TYPE_FLOAT:
        column->physical = PQ_FLOAT;
        break;
    case TYPE_DOUBLE:
        column->physical = PQ_DOUBLE;
        break;
    case TYPE_DECIMAL:
        column->physical = PQ_FIXED_LEN_BYTE_ARRAY;
        column->type_length = decimal_bytes(type.precision);
        if (type.width == 8 && type.precision <= 18) {
            column->physical = type.precision <= 9 ? PQ_INT32 : PQ_INT64;
            column->type_length = 0;
        }
        break;
    case TYPE_UUID:
        column->physical = PQ_FIXED_LEN_BYTE_ARRAY;
        column->type_length = UUID_BYTES;
        break;
    case TYPE_INTERVAL:
        column->physical = PQ_FIXED_LEN_BYTE_ARRAY;
        column->type_length = PQ_INTERVAL_BYTES;
        break;
    case TYPE_VARCHAR:
    case TYPE_BLOB:
        column->physical = PQ_BYTE_ARRAY;
        break;
    default:
        return status_new(STATUS_KIND_UNSUPPORTED, "type %s cannot be written to Parquet",
                          type_name(type, name));
    }
    return STATUS_OK;
}

bool pq_writer_can_hold(data_type type)
{
    writer_column column = {.type = type};
    if (type_is_nested(type)) {
        const nested_type *nested = nested_type_of(type);
        bool can = nested->field_count;
        for (uint32_t i = 0; i < nested->field_count && can; i++)
            can = pq_writer_can_hold(nested->fields[i].type);
        return can;
    }
    status st = pq_column_layout(&column);
    status_free(st);
    return !st &&
           type.id !=
               TYPE_INTERVAL; /* a file's have no microseconds: those alone are written again */
}

static inline bool writer_stage_is_valid(const uint64_t *validity, uint64_t row)
{
    return !validity || (validity[row / 64] >> row % 64 & 1);
}

/* Stores each row's value and steps on behind those that are there. */
#define STAGE(source_type, target_type, expression)                                                \
    do {                                                                                           \
        const source_type *source = values->values;                                                \
        target_type *target = room;                                                                \
        for (uint64_t row = 0; row < row_count; row++) {                                           \
            source_type x = source[row];                                                           \
            target[count] = (target_type)(expression);                                             \
            count += writer_stage_is_valid(values->validity, row);                                 \
        }                                                                                          \
    } while (0)

static void writer_stage_put_big_endian(uint8_t *target, uint32_t bytes, int128 number)
{
    for (uint32_t i = 0; i < bytes; i++)
        target[i] = (uint8_t)((uint128)number >> (8 * (bytes - 1 - i)));
}

/* Decimals as big-endian bytes or as 32 bits; they must fit the digits of the type. */
static status stage_decimals(const writer_column *column, const pq_column_values *values,
                             uint64_t row_count, void *room, uint64_t *out_count)
{
    int128 limit = power_of_ten(column->type.precision);
    uint64_t count = 0;
    for (uint64_t row = 0; row < row_count; row++) {
        if (!writer_stage_is_valid(values->validity, row))
            continue;
        int128 number = column->type.width == 16 ? ((const int128 *)values->values)[row]
                                                 : ((const int64_t *)values->values)[row];
        if (number >= limit || number <= -limit)
            return status_new(STATUS_KIND_DATA, "row %llu of the row group has more than %u digits",
                              (unsigned long long)row, column->type.precision);
        if (column->physical == PQ_INT32)
            ((int32_t *)room)[count++] = (int32_t)number;
        else
            writer_stage_put_big_endian((uint8_t *)room + count++ * column->type_length,
                                        column->type_length, number);
    }
    *out_count = count;
    return STATUS_OK;
}

static void stage_uuids(const pq_column_values *values, uint64_t row_count, uint8_t *room,
                        uint64_t *out_count)
{
    const int128 *uuids = values->values;
    uint64_t count = 0;
    for (uint64_t row = 0; row < row_count; row++) {
        uuid_to_bytes(uuids[row], room + count * UUID_BYTES);
        count += writer_stage_is_valid(values->validity, row);
    }
    *out_count = count;
}

/* Months, days and milliseconds, which have no sign. */
static status stage_intervals(const pq_column_values *values, uint64_t row_count, uint8_t *room,
                              uint64_t *out_count)
{
    const interval_value *intervals = values->values;
    uint64_t count = 0;
    for (uint64_t row = 0; row < row_count; row++) {
        const interval_value *v = &intervals[row];
        if (!writer_stage_is_valid(values->validity, row))
            continue;
        if (v->months < 0 || v->days < 0 || v->microseconds < 0 ||
            v->microseconds / 1000 > UINT32_MAX)
            return status_new(
                STATUS_KIND_DATA,
                "row %llu of the row group is an interval with a negative part, or with more than "
                "2^32 milliseconds beside its days, which Parquet has not",
                (unsigned long long)row);
        const uint32_t parts[] = {(uint32_t)v->months, (uint32_t)v->days,
                                  (uint32_t)(v->microseconds / 1000)};
        memcpy(room + count++ * sizeof parts, parts, sizeof parts);
    }
    *out_count = count;
    return STATUS_OK;
}

static void stage_booleans(const pq_column_values *values, uint64_t row_count, uint8_t *room,
                           uint64_t *out_count)
{
    const uint64_t *bits = values->values;
    uint64_t count = 0;
    for (uint64_t row = 0; row < row_count; row++) {
        room[count] = bits[row / 64] >> row % 64 & 1;
        count += writer_stage_is_valid(values->validity, row);
    }
    *out_count = count;
}

/* The caller's values are in stored form. */
static bool is_stored(const writer_column *column, const pq_dense *dense)
{
    if (column->type.id == TYPE_UUID || column->type.id == TYPE_INTERVAL)
        return false;
    return column->type.id != TYPE_DECIMAL ? column->type.width == pq_dense_stride(dense)
                                           : column->physical == PQ_INT64;
}

status pq_stage(const writer_column *column, const pq_column_values *values, uint64_t row_count,
                pq_buffer *scratch, pq_dense *out)
{
    *out = (pq_dense){.physical = column->physical, .type_length = column->type_length};
    if (column->type.id == TYPE_NULL)
        return STATUS_OK;
    if (is_stored(column, out) && !values->validity) {
        out->values = values->values;
        out->count = row_count;
        return STATUS_OK;
    }
    pq_buffer_clear(scratch);
    void *room = pq_buffer_room(scratch, (row_count + 1) * pq_dense_stride(out));
    if (!room)
        return status_no_memory("column", row_count * pq_dense_stride(out));
    uint64_t count = 0;
    status st = STATUS_OK;
    if (column->type.id == TYPE_BOOL)
        stage_booleans(values, row_count, room, &count);
    else if (column->type.id == TYPE_UUID)
        stage_uuids(values, row_count, room, &count);
    else if (column->type.id == TYPE_INTERVAL)
        st = stage_intervals(values, row_count, room, &count);
    else if (column->type.id == TYPE_DECIMAL && column->physical != PQ_INT64)
        st = stage_decimals(column, values, row_count, room, &count);
    else if (column->type.id == TYPE_INT8)
        STAGE(int8_t, int32_t, x);
    else if (column->type.id == TYPE_INT16)
        STAGE(int16_t, int32_t, x);
    else if (column->type.id == TYPE_UINT8)
        STAGE(uint8_t, int32_t, x);
    else if (column->type.id == TYPE_UINT16)
        STAGE(uint16_t, int32_t, x);
    else if (column->type.width == 4)
        STAGE(uint32_t, uint32_t, x);
    else if (column->type.width == 8)
        STAGE(uint64_t, uint64_t, x);
    else
        STAGE(string_view, string_view, x);
    out->values = room;
    out->count = count;
    return st;
}
