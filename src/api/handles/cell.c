/* cell.c - see cell.h. */
#include "api/handles/cell.h"

value api_value_at(const exec_batch_column *column, uint64_t row)
{
    value v = {.type = column->type};
    const void *values = column->values;
    switch (column->type.id) {
    case TYPE_BOOL:
        v.boolean = ((const uint64_t *)values)[row / 64] >> (row % 64) & 1;
        break;
    case TYPE_INT8:
        v.i64 = ((const int8_t *)values)[row];
        break;
    case TYPE_INT16:
        v.i64 = ((const int16_t *)values)[row];
        break;
    case TYPE_INT32:
    case TYPE_DATE:
        v.i64 = ((const int32_t *)values)[row];
        break;
    case TYPE_UINT8:
        v.u64 = ((const uint8_t *)values)[row];
        break;
    case TYPE_UINT16:
        v.u64 = ((const uint16_t *)values)[row];
        break;
    case TYPE_UINT32:
        v.u64 = ((const uint32_t *)values)[row];
        break;
    case TYPE_FLOAT:
        v.f64 = (double)((const float *)values)[row];
        break;
    case TYPE_DOUBLE:
        v.f64 = ((const double *)values)[row];
        break;
    case TYPE_INTERVAL:
        v.interval = ((const interval_value *)values)[row];
        break;
    case TYPE_DECIMAL:
    case TYPE_UUID:
        if (column->type.width == 16)
            v.i128 = ((const int128 *)values)[row];
        else
            v.i64 = ((const int64_t *)values)[row];
        break;
    default:
        v.i64 = ((const int64_t *)values)[row];
    }
    return v;
}
