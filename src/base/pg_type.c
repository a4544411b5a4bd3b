/* pg_type.c - see pg_type.h. */
#include "base/pg_type.h"

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
    [TYPE_LIST] = {PG_TEXT, -1}, /* as text */
    [TYPE_STRUCT] = {PG_TEXT, -1},
    [TYPE_MAP] = {PG_TEXT, -1},
};

pg_type pg_type_of(data_type type)
{
    pg_type made = {pg_types[type.id].oid, pg_types[type.id].size, -1};
    if (type.id == TYPE_DECIMAL) /* VARHDRSZ more than the two numbers */
        made.modifier = (type.precision << 16 | type.scale) + 4;
    return made;
}

static const pg_type_entry entries[] = {
    {PG_BOOL, 1, "bool", "boolean", 'B'},
    {PG_BYTEA, -1, "bytea", "bytea", 'U'},
    {PG_NAME, 64, "name", "name", 'S'},
    {PG_INT8, 8, "int8", "bigint", 'N'},
    {PG_INT2, 2, "int2", "smallint", 'N'},
    {PG_INT4, 4, "int4", "integer", 'N'},
    {PG_TEXT, -1, "text", "text", 'S'},
    {PG_OID, 4, "oid", "oid", 'N'},
    {PG_FLOAT4, 4, "float4", "real", 'N'},
    {PG_FLOAT8, 8, "float8", "double precision", 'N'},
    {PG_UNKNOWN, -2, "unknown", "unknown", 'X'},
    {PG_BPCHAR, -1, "bpchar", "character", 'S'},
    {PG_VARCHAR, -1, "varchar", "character varying", 'S'},
    {PG_DATE, 4, "date", "date", 'D'},
    {PG_TIME, 8, "time", "time without time zone", 'D'},
    {PG_TIMESTAMP, 8, "timestamp", "timestamp without time zone", 'D'},
    {PG_TIMESTAMPTZ, 8, "timestamptz", "timestamp with time zone", 'D'},
    {PG_INTERVAL, 16, "interval", "interval", 'T'},
    {PG_NUMERIC, -1, "numeric", "numeric", 'N'},
    {PG_UUID, 16, "uuid", "uuid", 'U'},
};

const pg_type_entry *pg_type_list(size_t *out_count)
{
    *out_count = sizeof entries / sizeof *entries;
    return entries;
}

int64_t pg_oid_of_name(const char *name, size_t bytes)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return PG_FIRST_OID + hash % (INT32_MAX - PG_FIRST_OID);
}
