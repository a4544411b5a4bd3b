/* ipc_schema.c - columns as Arrow's IPC format describes them (Schema.fbs). */
#include "api/ipc/ipc_schema.h"

#include "api/ipc/ipc_parts.h"
#include "arrowfile/arrow_type.h"

#include <stdlib.h>

/* A type: its number in the union, and the first fields of its table, of which -1 is not set. */
typedef struct ipc_type {
    const char *format;
    ipc_layout layout;
    uint8_t width;
    uint8_t number;
    int8_t fields[2];
} ipc_type;

/* By format; those that go on after a colon by their beginning. */
static const ipc_type types[] = {
    {"n", IPC_NULL, 0, ARROW_NULL, {-1, -1}},
    {"b", IPC_BITS, 0, ARROW_BOOL, {-1, -1}},
    {"c", IPC_FIXED, 1, ARROW_INT, {8, 1}},
    {"C", IPC_FIXED, 1, ARROW_INT, {8, 0}},
    {"s", IPC_FIXED, 2, ARROW_INT, {16, 1}},
    {"S", IPC_FIXED, 2, ARROW_INT, {16, 0}},
    {"i", IPC_FIXED, 4, ARROW_INT, {32, 1}},
    {"I", IPC_FIXED, 4, ARROW_INT, {32, 0}},
    {"l", IPC_FIXED, 8, ARROW_INT, {64, 1}},
    {"L", IPC_FIXED, 8, ARROW_INT, {64, 0}},
    {"f", IPC_FIXED, 4, ARROW_FLOAT, {1, -1}},
    {"g", IPC_FIXED, 8, ARROW_FLOAT, {2, -1}},
    {"u", IPC_OFFSETS, 4, ARROW_UTF8, {-1, -1}},
    {"U", IPC_OFFSETS, 8, ARROW_LARGE_UTF8, {-1, -1}},
    {"vu", IPC_VIEWS, 8, ARROW_LARGE_UTF8, {-1, -1}},
    {"z", IPC_OFFSETS, 4, ARROW_BINARY, {-1, -1}},
    {"Z", IPC_OFFSETS, 8, ARROW_LARGE_BINARY, {-1, -1}},
    {"vz", IPC_VIEWS, 8, ARROW_LARGE_BINARY, {-1, -1}},
    {"tdD", IPC_FIXED, 4, ARROW_DATE, {0, -1}},
    {"tdm", IPC_FIXED, 8, ARROW_DATE, {1, -1}},
    {"tts", IPC_FIXED, 4, ARROW_TIME, {0, 32}},
    {"ttm", IPC_FIXED, 4, ARROW_TIME, {1, 32}},
    {"ttu", IPC_FIXED, 8, ARROW_TIME, {2, 64}},
    {"ttn", IPC_FIXED, 8, ARROW_TIME, {3, 64}},
    {"tss:", IPC_FIXED, 8, ARROW_TIMESTAMP, {0, -1}},
    {"tsm:", IPC_FIXED, 8, ARROW_TIMESTAMP, {1, -1}},
    {"tsu:", IPC_FIXED, 8, ARROW_TIMESTAMP, {2, -1}},
    {"tsn:", IPC_FIXED, 8, ARROW_TIMESTAMP, {3, -1}},
    {"tDs", IPC_FIXED, 8, ARROW_DURATION, {0, -1}},
    {"tDm", IPC_FIXED, 8, ARROW_DURATION, {1, -1}},
    {"tDu", IPC_FIXED, 8, ARROW_DURATION, {2, -1}},
    {"tDn", IPC_FIXED, 8, ARROW_DURATION, {3, -1}},
    {"tiM", IPC_FIXED, 4, ARROW_INTERVAL, {0, -1}},
    {"tiD", IPC_FIXED, 8, ARROW_INTERVAL, {1, -1}},
    {"tin", IPC_FIXED, 16, ARROW_INTERVAL, {2, -1}},
    {"d:", IPC_FIXED, 16, ARROW_DECIMAL, {-1, -1}},
    {"w:", IPC_FIXED, 0, ARROW_FIXED_BINARY, {-1, -1}},
    {"+l", IPC_LIST, 4, ARROW_LIST, {-1, -1}},
    {"+L", IPC_LIST, 8, ARROW_LARGE_LIST, {-1, -1}},
    {"+m", IPC_LIST, 4, ARROW_MAP, {-1, -1}},
    {"+w:", IPC_FIXED_LIST, 0, ARROW_FIXED_LIST, {-1, -1}},
    {"+s", IPC_STRUCT, 0, ARROW_STRUCT, {-1, -1}},
};

/* Decimals' formats are "d:PRECISION,SCALE" and, of another width than 128 bits, ",BITS". */
static void read_decimal(const char *format, long numbers[3])
{
    char *end;
    numbers[0] = strtol(format + 2, &end, 10);
    numbers[1] = *end ? strtol(end + 1, &end, 10) : 0;
    numbers[2] = *end ? strtol(end + 1, &end, 10) : 128;
}

static status find_type(const char *format, const ipc_type **out)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        size_t bytes = strlen(types[i].format);
        bool goes_on = types[i].format[bytes - 1] == ':';
        if (goes_on ? !strncmp(format, types[i].format, bytes) : !strcmp(format, types[i].format)) {
            *out = &types[i];
            return STATUS_OK;
        }
    }
    *out = NULL;
    return status_new(STATUS_KIND_UNSUPPORTED, "Arrow's IPC format of \"%s\" is not supported",
                      format);
}

status ipc_layout_of(const char *format, ipc_layout *out, uint32_t *out_width)
{
    const ipc_type *type;
    long decimal[3];
    TRY(find_type(format, &type));
    *out = type->layout;
    *out_width = type->width;
    if (type->number == ARROW_FIXED_BINARY || type->number == ARROW_FIXED_LIST)
        *out_width = (uint32_t)strtoul(strchr(format, ':') + 1, NULL, 10);
    if (type->number != ARROW_DECIMAL)
        return STATUS_OK;
    read_decimal(format, decimal);
    *out_width = (uint32_t)decimal[2] / 8;
    return STATUS_OK;
}

/* ---- tables ---- */

uint32_t ipc_message_begin(flat *f)
{
    flat_begin(f);
    uint32_t message = flat_table(f, 4);
    flat_set(f, message, 0, IPC_VERSION);
    return message;
}

void ipc_message_link(flat *f, uint32_t message, ipc_header kind, uint32_t header,
                      uint64_t body_bytes)
{
    flat_set(f, message, 1, kind);
    flat_link(f, message, 2, header);
    flat_set(f, message, 3, body_bytes);
}

/* Makes the table of the type, whose fields come from the format where they are not in the list. */
static uint32_t make_type(flat *f, const ipc_type *type, const struct ArrowSchema *column)
{
    uint32_t table = flat_table(f, 3);
    const char *colon = strchr(column->format, ':');
    long decimal[3];
    for (unsigned i = 0; i < 2; i++)
        if (type->fields[i] >= 0)
            flat_set(f, table, i, (uint64_t)type->fields[i]);
    if (type->number == ARROW_DECIMAL) {
        read_decimal(column->format, decimal);
        for (unsigned i = 0; i < 3; i++)
            flat_set(f, table, i, (uint32_t)decimal[i]);
    } else if (type->number == ARROW_TIMESTAMP && colon[1]) {
        flat_link(f, table, 1, flat_text(f, colon + 1, strlen(colon + 1)));
    } else if (type->number == ARROW_FIXED_BINARY || type->number == ARROW_FIXED_LIST) {
        flat_set(f, table, 0, strtoul(colon + 1, NULL, 10));
    } else if (type->number == ARROW_MAP) {
        flat_set(f, table, 0, !!(column->flags & ARROW_FLAG_MAP_KEYS_SORTED));
    }
    return table;
}

/* Takes a length and so many bytes of the metadata, as a text. */
static uint32_t take_text(flat *f, const char **at)
{
    int32_t bytes;
    memcpy(&bytes, *at, sizeof bytes);
    uint32_t text = flat_text(f, *at + sizeof bytes, (size_t)bytes);
    *at += sizeof bytes + (size_t)bytes;
    return text;
}

static uint32_t make_metadata(flat *f, const char *at)
{
    int32_t count;
    memcpy(&count, at, sizeof count);
    at += sizeof count;
    uint32_t pairs = flat_vector(f, (size_t)count, 4);
    for (int32_t i = 0; i < count; i++) {
        uint32_t pair = flat_table(f, 2);
        flat_link_item(f, pairs, (size_t)i, pair);
        flat_link(f, pair, 0, take_text(f, &at));
        flat_link(f, pair, 1, take_text(f, &at));
    }
    return pairs;
}

/* Makes a table Field of a column, with those of its children. Dictionaries have numbers from 0 in this order. */
static status make_ipc_field(flat *f, const struct ArrowSchema *column, int64_t *dictionaries,
                             uint32_t *out)
{
    const ipc_type *type, *codes;
    const struct ArrowSchema *values = column->dictionary ? column->dictionary : column;
    TRY(find_type(values->format, &type));
    TRY(find_type(column->format, &codes));
    uint32_t field = *out = flat_table(f, 7);
    flat_link(f, field, 0, flat_text(f, column->name, strlen(column->name)));
    flat_set(f, field, 1, !!(column->flags & ARROW_FLAG_NULLABLE));
    flat_set(f, field, 2, type->number);
    flat_link(f, field, 3, make_type(f, type, values));
    if (column->dictionary) {
        uint32_t encoding = flat_table(f, 2);
        flat_link(f, field, 4, encoding);
        flat_set(f, encoding, 0, (uint64_t)(*dictionaries)++);
        flat_link(f, encoding, 1, make_type(f, codes, column));
    }
    uint32_t children = flat_vector(f, (size_t)values->n_children, 4);
    flat_link(f, field, 5, children);
    for (int64_t i = 0; i < values->n_children; i++) {
        uint32_t child;
        TRY(make_ipc_field(f, values->children[i], dictionaries, &child));
        flat_link_item(f, children, (size_t)i, child);
    }
    if (column->metadata)
        flat_link(f, field, 6, make_metadata(f, column->metadata));
    return STATUS_OK;
}

status ipc_schema_make(flat *f, const struct ArrowSchema *columns, uint32_t *out)
{
    int64_t dictionaries = 0;
    uint32_t schema = *out = flat_table(f, 2);
    uint32_t fields = flat_vector(f, (size_t)columns->n_children, 4);
    flat_link(f, schema, 1, fields);
    for (int64_t i = 0; i < columns->n_children; i++) {
        uint32_t field;
        TRY(make_ipc_field(f, columns->children[i], &dictionaries, &field));
        flat_link_item(f, fields, (size_t)i, field);
    }
    return STATUS_OK;
}
