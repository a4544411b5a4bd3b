/* pg_type.c - see pg_type.h. */
#include "base/type/pg_type.h"

#include "base/type/alias_type.h"
#include "base/type/nested_type.h"

#include <stdio.h>

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
    [TYPE_LIST] = {PG_JSON, -1}, /* of lists, structs and maps; of others: pg_array_of */
    [TYPE_STRUCT] = {PG_JSON, -1},
    [TYPE_MAP] = {PG_JSON, -1},
};

static const pg_type aliases[] = {[ALIAS_OID] = {PG_OID, 4, -1},
                                  [ALIAS_REGPROC] = {PG_REGPROC, 4, -1},
                                  [ALIAS_CHAR] = {PG_CHAR, 1, -1}};

pg_type pg_type_of(data_type type)
{
    if (type_alias_of(type))
        return aliases[type_alias_of(type)];
    pg_type made = {pg_types[type.id].oid, pg_types[type.id].size, -1};
    if (type.id == TYPE_DECIMAL) /* VARHDRSZ more than the two numbers */
        made.modifier = (type.precision << 16 | type.scale) + 4;
    if (!pg_is_array(type))
        return made;
    made = pg_type_of(nested_type_of(type)->fields[0].type);
    return (pg_type){pg_type_find(made.oid)->array, -1, made.modifier};
}

bool pg_is_array(data_type type)
{
    return type.id == TYPE_LIST && !type_is_nested(nested_type_of(type)->fields[0].type);
}

static const pg_type_entry entries[] = {
    {PG_BOOL, 1000, 0, 1, "bool", "boolean", 'B', "bool"},
    {PG_BYTEA, 1001, 0, -1, "bytea", "bytea", 'U', "bytea"},
    {PG_CHAR, 1002, 0, 1, "char", "\"char\"", 'Z', "char"},
    {PG_NAME, 1003, 0, 64, "name", "name", 'S', "name"},
    {PG_INT8, 1016, 0, 8, "int8", "bigint", 'N', "int8"},
    {PG_INT2, 1005, 0, 2, "int2", "smallint", 'N', "int2"},
    {PG_INT2VECTOR, 1006, 21, -1, "int2vector", "int2vector", 'A', "int2vector"},
    {PG_INT4, 1007, 0, 4, "int4", "integer", 'N', "int4"},
    {PG_REGPROC, 1008, 0, 4, "regproc", "regproc", 'N', "regproc"},
    {PG_TEXT, 1009, 0, -1, "text", "text", 'S', "text"},
    {PG_OID, 1028, 0, 4, "oid", "oid", 'N', "oid"},
    {PG_OIDVECTOR, 1013, 26, -1, "oidvector", "oidvector", 'A', "oidvector"},
    {PG_JSON, 199, 0, -1, "json", "json", 'U', "json_"},
    {199, 0, PG_JSON, -1, "_json", "json[]", 'A', "array_"},
    {PG_FLOAT4, 1021, 0, 4, "float4", "real", 'N', "float4"},
    {PG_FLOAT8, 1022, 0, 8, "float8", "double precision", 'N', "float8"},
    {PG_UNKNOWN, 0, 0, -2, "unknown", "unknown", 'X', "unknown"},
    {1000, 0, PG_BOOL, -1, "_bool", "boolean[]", 'A', "array_"},
    {1001, 0, PG_BYTEA, -1, "_bytea", "bytea[]", 'A', "array_"},
    {1002, 0, PG_CHAR, -1, "_char", "\"char\"[]", 'A', "array_"},
    {1003, 0, PG_NAME, -1, "_name", "name[]", 'A', "array_"},
    {1005, 0, PG_INT2, -1, "_int2", "smallint[]", 'A', "array_"},
    {1006, 0, PG_INT2VECTOR, -1, "_int2vector", "int2vector[]", 'A', "array_"},
    {1007, 0, PG_INT4, -1, "_int4", "integer[]", 'A', "array_"},
    {1008, 0, PG_REGPROC, -1, "_regproc", "regproc[]", 'A', "array_"},
    {1009, 0, PG_TEXT, -1, "_text", "text[]", 'A', "array_"},
    {1013, 0, PG_OIDVECTOR, -1, "_oidvector", "oidvector[]", 'A', "array_"},
    {1014, 0, PG_BPCHAR, -1, "_bpchar", "character[]", 'A', "array_"},
    {1015, 0, PG_VARCHAR, -1, "_varchar", "character varying[]", 'A', "array_"},
    {1016, 0, PG_INT8, -1, "_int8", "bigint[]", 'A', "array_"},
    {1021, 0, PG_FLOAT4, -1, "_float4", "real[]", 'A', "array_"},
    {1022, 0, PG_FLOAT8, -1, "_float8", "double precision[]", 'A', "array_"},
    {1028, 0, PG_OID, -1, "_oid", "oid[]", 'A', "array_"},
    {PG_BPCHAR, 1014, 0, -1, "bpchar", "character", 'S', "bpchar"},
    {PG_VARCHAR, 1015, 0, -1, "varchar", "character varying", 'S', "varchar"},
    {PG_DATE, 1182, 0, 4, "date", "date", 'D', "date_"},
    {PG_TIME, 1183, 0, 8, "time", "time without time zone", 'D', "time_"},
    {PG_TIMESTAMP, 1115, 0, 8, "timestamp", "timestamp without time zone", 'D', "timestamp_"},
    {1115, 0, PG_TIMESTAMP, -1, "_timestamp", "timestamp without time zone[]", 'A', "array_"},
    {1182, 0, PG_DATE, -1, "_date", "date[]", 'A', "array_"},
    {1183, 0, PG_TIME, -1, "_time", "time without time zone[]", 'A', "array_"},
    {PG_TIMESTAMPTZ, 1185, 0, 8, "timestamptz", "timestamp with time zone", 'D', "timestamptz_"},
    {1185, 0, PG_TIMESTAMPTZ, -1, "_timestamptz", "timestamp with time zone[]", 'A', "array_"},
    {PG_INTERVAL, 1187, 0, 16, "interval", "interval", 'T', "interval_"},
    {1187, 0, PG_INTERVAL, -1, "_interval", "interval[]", 'A', "array_"},
    {1231, 0, PG_NUMERIC, -1, "_numeric", "numeric[]", 'A', "array_"},
    {PG_NUMERIC, 1231, 0, -1, "numeric", "numeric", 'N', "numeric_"},
    {PG_REGCLASS, 2210, 0, 4, "regclass", "regclass", 'N', "regclass"},
    {PG_REGTYPE, 2211, 0, 4, "regtype", "regtype", 'N', "regtype"},
    {2210, 0, PG_REGCLASS, -1, "_regclass", "regclass[]", 'A', "array_"},
    {2211, 0, PG_REGTYPE, -1, "_regtype", "regtype[]", 'A', "array_"},
    {2249, 0, 0, -1, "record", "record", 'P', "record_"},
    {2275, 0, 0, -2, "cstring", "cstring", 'P', "cstring_"},
    {2276, 0, 0, 4, "any", "\"any\"", 'P', "any_"},
    {2277, 0, 0, -1, "anyarray", "anyarray", 'P', "anyarray_"},
    {2278, 0, 0, 4, "void", "void", 'P', "void_"},
    {2279, 0, 0, 4, "trigger", "trigger", 'P', "trigger_"},
    {2281, 0, 0, 8, "internal", "internal", 'P', "internal_"},
    {PG_ANYELEMENT, 0, 0, 4, "anyelement", "anyelement", 'P', "anyelement_"},
    {PG_UUID, 2951, 0, 16, "uuid", "uuid", 'U', "uuid_"},
    {2951, 0, PG_UUID, -1, "_uuid", "uuid[]", 'A', "array_"},
    {PG_JSONB, 3807, 0, -1, "jsonb", "jsonb", 'U', "jsonb_"},
    {3807, 0, PG_JSONB, -1, "_jsonb", "jsonb[]", 'A', "array_"},
    {3838, 0, 0, 4, "event_trigger", "event_trigger", 'P', "event_trigger_"},
};

const pg_type_entry *pg_type_list(size_t *out_count)
{
    *out_count = sizeof entries / sizeof *entries;
    return entries;
}

const pg_type_entry *pg_type_find(uint32_t oid)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (entries[i].oid == oid)
            return &entries[i];
    return NULL;
}

int64_t pg_oid_of_name(const char *name, size_t bytes)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return PG_FIRST_OID + hash % (INT32_MAX - PG_FIRST_OID);
}

const char *const pg_function_ends[PG_FUNCTION_ENDS] = {"in", "out", "recv", "send"};

size_t pg_function_name(int64_t oid, char out[PG_FUNCTION_BYTES])
{
    for (size_t i = 0; oid && i < sizeof entries / sizeof *entries; i++)
        for (size_t end = 0; end < PG_FUNCTION_ENDS; end++) {
            int bytes =
                snprintf(out, PG_FUNCTION_BYTES, "%s%s", entries[i].io, pg_function_ends[end]);
            if (pg_oid_of_name(out, (size_t)bytes) == oid)
                return (size_t)bytes;
        }
    return (size_t)snprintf(out, PG_FUNCTION_BYTES, oid ? "%lld" : "-", (long long)oid);
}
