/* pg_type.c - see pg_type.h. */
#include "server/pg_type.h"

static const struct {
    uint16_t oid;
    int16_t size;
} pg_types[TYPE_ID_COUNT] = {
    [TYPE_NULL] = {PG_TEXT, -1},
    [TYPE_BOOL] = {PG_BOOL, 1},
    [TYPE_INT8] = {PG_INT2, 2},
    [TYPE_INT16] = {PG_INT2, 2},
    [TYPE_INT32] = {PG_INT4, 4},
    [TYPE_INT64] = {PG_INT8, 8},
    [TYPE_UINT8] = {PG_INT2, 2},
    [TYPE_UINT16] = {PG_INT4, 4},
    [TYPE_UINT32] = {PG_INT8, 8},
    [TYPE_UINT64] = {PG_NUMERIC, -1},
    [TYPE_FLOAT] = {PG_FLOAT4, 4},
    [TYPE_DOUBLE] = {PG_FLOAT8, 8},
    [TYPE_DECIMAL] = {PG_NUMERIC, -1},
    [TYPE_DATE] = {PG_DATE, 4},
    [TYPE_TIME] = {PG_TIME, 8},
    [TYPE_TIMESTAMP] = {PG_TIMESTAMP, 8},
    [TYPE_TIMESTAMP_TZ] = {PG_TIMESTAMPTZ, 8},
    [TYPE_INTERVAL] = {PG_INTERVAL, 16},
    [TYPE_VARCHAR] = {PG_TEXT, -1},
    [TYPE_BLOB] = {PG_BYTEA, -1},
    [TYPE_UUID] = {PG_UUID, 16},
};

pg_type pg_type_of(data_type type)
{
    pg_type made = {pg_types[type.id].oid, pg_types[type.id].size, -1};
    if (type.id == TYPE_DECIMAL) /* VARHDRSZ more than the two numbers */
        made.modifier = (type.precision << 16 | type.scale) + 4;
    return made;
}
