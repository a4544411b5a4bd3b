/* adbc_info.c - GetInfo. */
#include "api/adbc/adbc_connection.h"
#include "api/adbc/adbc_error.h"
#include "api/adbc/adbc_objects.h"

#define FIELDS(list) sizeof(list) / sizeof *(list), list

static const arrow_build_field text_item[] = {{"u", "item", false, 0, NULL}};
static const arrow_build_field int_item[] = {{"i", "item", false, 0, NULL}};
static const arrow_build_field pair_fields[] = {{"i", "key", true, 0, NULL},
                                                {"+l", "value", false, FIELDS(int_item)}};
static const arrow_build_field pair[] = {{"+s", "entries", true, FIELDS(pair_fields)}};
static const arrow_build_field value_fields[] = {
    {"u", "string_value", false, 0, NULL},
    {"b", "bool_value", false, 0, NULL},
    {"l", "int64_value", false, 0, NULL},
    {"i", "int32_bitmask", false, 0, NULL},
    {"+l", "string_list", false, FIELDS(text_item)},
    {"+m", "int32_to_int32_list_map", false, FIELDS(pair)}};
enum { TEXT, BOOLEAN, INTEGER };
static const arrow_build_field fields[] = {
    {"I", "info_name", true, 0, NULL},
    {"+ud:0,1,2,3,4,5", "info_value", false, FIELDS(value_fields)}};

/* Facts that can be asked for. */
static const struct {
    uint32_t code;
    unsigned kind;
    const char *text; /* NULL: the version */
    int64_t number;
} infos[] = {
    {ADBC_INFO_VENDOR_NAME, TEXT, "Pistachio", 0},
    {ADBC_INFO_VENDOR_VERSION, TEXT, NULL, 0},
    {ADBC_INFO_VENDOR_SQL, BOOLEAN, NULL, true},
    {ADBC_INFO_VENDOR_SUBSTRAIT, BOOLEAN, NULL, false},
    {ADBC_INFO_DRIVER_NAME, TEXT, "ADBC Driver for Pistachio", 0},
    {ADBC_INFO_DRIVER_VERSION, TEXT, NULL, 0},
    {ADBC_INFO_DRIVER_ADBC_VERSION, INTEGER, NULL, ADBC_VERSION_1_1_0},
};

static bool is_asked(uint32_t code, const uint32_t *codes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (codes[i] == code)
            return true;
    return !codes;
}

AdbcStatusCode adbc_connection_get_info(struct AdbcConnection *connection, const uint32_t *codes,
                                        size_t count, struct ArrowArrayStream *out,
                                        struct AdbcError *error)
{
    pistachio_connection *open;
    arrow_build *build;
    AdbcStatusCode code = adbc_open_connection(connection, &open, error);
    if (code)
        return code;
    status st = arrow_build_new(fields, 2, &build);
    if (st)
        return adbc_fail(error, st);
    for (size_t i = 0; i < sizeof infos / sizeof *infos; i++) {
        arrow_build *info = arrow_build_child(build, 1);
        if (!is_asked(infos[i].code, codes, count))
            continue;
        arrow_build_int(arrow_build_child(build, 0), infos[i].code);
        arrow_build_pick(info, infos[i].kind);
        if (infos[i].kind == TEXT)
            arrow_build_text(arrow_build_child(info, TEXT),
                             infos[i].text ? infos[i].text : pistachio_version());
        else
            arrow_build_int(arrow_build_child(info, infos[i].kind), infos[i].number);
        arrow_build_end(build);
    }
    return adbc_fail(error, arrow_build_finish(build, out));
}
