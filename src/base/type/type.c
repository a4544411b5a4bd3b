/* type.c - the data types: widths, names, kinds. */
#include "base/type/type.h"

#include "base/type/alias_type.h"
#include "base/type/json_type.h"
#include "base/type/nested_type.h"

#include <assert.h>
#include <stdio.h>

static const struct {
    const char *name;
    uint8_t width;
} types[TYPE_ID_COUNT] = {
    [TYPE_NULL] = {"null", 0},
    [TYPE_BOOL] = {"boolean", 0},
    [TYPE_INT8] = {"tinyint", 1},
    [TYPE_INT16] = {"smallint", 2},
    [TYPE_INT32] = {"integer", 4},
    [TYPE_INT64] = {"bigint", 8},
    [TYPE_UINT8] = {"utinyint", 1},
    [TYPE_UINT16] = {"usmallint", 2},
    [TYPE_UINT32] = {"uinteger", 4},
    [TYPE_UINT64] = {"ubigint", 8},
    [TYPE_FLOAT] = {"float", 4},
    [TYPE_DOUBLE] = {"double", 8},
    [TYPE_DECIMAL] = {"decimal", 8},
    [TYPE_DATE] = {"date", 4},
    [TYPE_TIME] = {"time", 8},
    [TYPE_TIMESTAMP] = {"timestamp", 8},
    [TYPE_TIMESTAMP_TZ] = {"timestamp with time zone", 8},
    [TYPE_INTERVAL] = {"interval", 16},
    [TYPE_VARCHAR] = {"varchar", 16},
    [TYPE_BLOB] = {"blob", 16},
    [TYPE_UUID] = {"uuid", 16},
    [TYPE_LIST] = {"list", sizeof(nested_value)},
    [TYPE_STRUCT] = {"struct", sizeof(nested_value)},
    [TYPE_MAP] = {"map", sizeof(nested_value)},
};

data_type type_make(type_id id)
{
    assert(id < TYPE_ID_COUNT && id != TYPE_DECIMAL);
    data_type type = {.id = (uint8_t)id, .width = types[id].width};
    if (id == TYPE_TIMESTAMP || id == TYPE_TIMESTAMP_TZ)
        type.precision = 6;
    return type;
}

data_type type_decimal(unsigned precision, unsigned scale)
{
    assert(precision >= 1 && precision <= 38 && scale <= precision);
    return (data_type){.id = TYPE_DECIMAL,
                       .precision = (uint8_t)precision,
                       .scale = (uint8_t)scale,
                       .width = precision <= 18 ? 8 : 16};
}

bool type_equal(data_type a, data_type b)
{
    bool has_aliases = a.id == TYPE_VARCHAR || a.id == TYPE_INT64;
    bool are_alike =
        a.id == b.id && (a.precision == b.precision || has_aliases) && a.scale == b.scale;
    return are_alike || (a.id == b.id && type_is_nested(a) && nested_type_is_equal(a, b));
}

bool type_is_integer(data_type type)
{
    return type.id >= TYPE_INT8 && type.id <= TYPE_UINT64;
}

bool type_is_signed(data_type type)
{
    return (type.id >= TYPE_INT8 && type.id <= TYPE_INT64) ||
           (type.id >= TYPE_FLOAT && type.id <= TYPE_DECIMAL);
}

bool type_is_numeric(data_type type)
{
    return type.id >= TYPE_INT8 && type.id <= TYPE_DECIMAL;
}

bool type_is_text(data_type type)
{
    return type.id == TYPE_VARCHAR || type.id == TYPE_BLOB;
}

bool type_is_time(data_type type)
{
    return type.id >= TYPE_DATE && type.id <= TYPE_TIMESTAMP_TZ;
}

static const char *const alias_names[] = {
    [ALIAS_OID] = "oid", [ALIAS_REGPROC] = "regproc", [ALIAS_CHAR] = "\"char\""};

char *type_name(data_type type, char *text)
{
    assert(type.id < TYPE_ID_COUNT);
    const char *name = types[type.id].name;
    if (type.id == TYPE_DECIMAL)
        snprintf(text, TYPE_NAME_BYTES, "decimal(%u,%u)", (unsigned)type.precision,
                 (unsigned)type.scale);
    else if (type.id == TYPE_TIMESTAMP && type.precision == 9)
        snprintf(text, TYPE_NAME_BYTES, "timestamp_ns");
    else if (type.id == TYPE_TIMESTAMP_TZ && type.precision == 9)
        snprintf(text, TYPE_NAME_BYTES, "timestamp_ns with time zone");
    else if (type_is_nested(type))
        nested_type_text(type, text, TYPE_NAME_BYTES);
    else if (type_alias_of(type))
        snprintf(text, TYPE_NAME_BYTES, "%s", alias_names[type_alias_of(type)]);
    else if (type_is_json(type))
        snprintf(text, TYPE_NAME_BYTES, "json");
    else
        snprintf(text, TYPE_NAME_BYTES, "%s", name);
    return text;
}
