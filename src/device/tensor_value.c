/* tensor_value.c - see tensor_value.h. */
#include "device/tensor_value.h"

value tensor_value(const tensor *t, uint64_t row)
{
    value v = {.type = t->type};
    if (t->form == TENSOR_CONSTANT)
        return t->constant;
    if (t->validity && !(t->validity[row / 64] >> (row % 64) & 1))
        return value_null(t->type);
    const char *at = (const char *)t->values + row * t->type.width;
    switch (t->type.id) {
    case TYPE_NULL:
        return value_null(t->type);
    case TYPE_BOOL:
        v.boolean = ((const uint64_t *)t->values)[row / 64] >> (row % 64) & 1;
        break;
    case TYPE_INT8:
        v.i64 = *(const int8_t *)at;
        break;
    case TYPE_INT16:
        v.i64 = *(const int16_t *)at;
        break;
    case TYPE_INT32:
    case TYPE_DATE:
        v.i64 = *(const int32_t *)at;
        break;
    case TYPE_UINT8:
        v.u64 = *(const uint8_t *)at;
        break;
    case TYPE_UINT16:
        v.u64 = *(const uint16_t *)at;
        break;
    case TYPE_UINT32:
        v.u64 = *(const uint32_t *)at;
        break;
    case TYPE_FLOAT:
        v.f64 = (double)*(const float *)at;
        break;
    case TYPE_DOUBLE:
        v.f64 = *(const double *)at;
        break;
    case TYPE_INTERVAL:
        v.interval = *(const interval_value *)at;
        break;
    case TYPE_VARCHAR:
    case TYPE_BLOB: {
        const string_view *view = (const string_view *)at;
        v.text = string_data(view);
        v.bytes = view->bytes;
        break;
    }
    default:
        if (t->type.width == 16)
            v.i128 = *(const int128 *)at;
        else
            v.i64 = *(const int64_t *)at;
    }
    return v;
}
