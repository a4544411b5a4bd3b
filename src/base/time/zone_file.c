/* zone_file.c - time zones as files have them: TZif of versions 1 to 4 (RFC 8536, RFC 9636).
 *
 *     header  counts of what follows; version 1: numbers of 32 bits
 *     data    transitions, the type of each, types (offset, summer?, abbreviation), abbreviations,
 *             leap seconds, two lists of flags
 *     header  from version 2 on: the same again, with numbers of 64 bits
 *     data
 *     footer  a POSIX rule between two ends of lines: what comes behind the last transition
 *
 * Nothing in a file is trusted. */
#include "base/time/zone_file.h"

#include "base/mem.h"
#include "base/time/zone.h"
#include "base/time/zone_rule.h"

#include <assert.h>

#define HEADER_BYTES 44
#define TYPE_BYTES 6
#define TRANSITIONS_MAX 100000
#define OFFSET_MAX (26 * 3600) /* RFC 8536, 3.2: more than -25 and less than 26 hours */

typedef struct zone_type {
    int32_t offset;
    char name[ZONE_SHORT_BYTES];
} zone_type;

struct zone_table {
    uint32_t transition_count;
    int64_t *transitions; /* ascending; before the first one types[0] holds */
    uint8_t *types_at;    /* from each transition on */
    zone_type types[256];
};

typedef struct header {
    uint8_t version; /* '\0', '2', ... */
    uint32_t utc_count, standard_count, leap_count, time_count, type_count, name_bytes;
} header;

static uint32_t read_32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int64_t zone_file_read_64(const uint8_t *at)
{
    return (int64_t)((uint64_t)read_32(at) << 32 | read_32(at + 4));
}

static bool zone_file_read_header(const uint8_t *at, size_t bytes, header *out)
{
    if (bytes < HEADER_BYTES || memcmp(at, "TZif", 4) != 0)
        return false;
    *out = (header){at[4],
                    read_32(at + 20),
                    read_32(at + 24),
                    read_32(at + 28),
                    read_32(at + 32),
                    read_32(at + 36),
                    read_32(at + 40)};
    return out->time_count <= TRANSITIONS_MAX && out->type_count >= 1 && out->type_count <= 256 &&
           out->name_bytes >= 1 && out->name_bytes <= 65536 && out->leap_count <= 65536 &&
           out->utc_count <= 256 && out->standard_count <= 256;
}

/* Returns the bytes that follow the header. */
static size_t data_bytes(const header *h, size_t number_bytes)
{
    return (size_t)h->time_count * (number_bytes + 1) + (size_t)h->type_count * TYPE_BYTES +
           h->name_bytes + (size_t)h->leap_count * (number_bytes + 4) + h->standard_count +
           h->utc_count;
}

static bool read_type(const uint8_t *at, const uint8_t *names, uint32_t name_bytes, zone_type *out)
{
    int32_t offset = (int32_t)read_32(at);
    uint32_t name = at[5];
    if (offset <= -OFFSET_MAX || offset >= OFFSET_MAX || name >= name_bytes)
        return false;
    size_t length = strnlen((const char *)names + name, name_bytes - name);
    if (name + length >= name_bytes)
        return false;
    /* A longer abbreviation is cut: nothing but to_char shows it. */
    length = length < ZONE_SHORT_BYTES ? length : ZONE_SHORT_BYTES - 1;
    out->offset = offset;
    memcpy(out->name, names + name, length);
    out->name[length] = '\0';
    return true;
}

/* The numbers of the data at `at`, all of which is there. False: they cannot be. */
static bool zone_file_read_data(const uint8_t *at, const header *h, size_t number_bytes,
                                zone_table *table)
{
    const uint8_t *types_at = at + (size_t)h->time_count * number_bytes;
    const uint8_t *types = types_at + h->time_count;
    const uint8_t *names = types + (size_t)h->type_count * TYPE_BYTES;
    if (h->leap_count) /* a clock that counts leap seconds: no timestamps of ours do */
        return false;
    for (uint32_t i = 0; i < h->type_count; i++)
        if (!read_type(types + (size_t)i * TYPE_BYTES, names, h->name_bytes, &table->types[i]))
            return false;
    for (uint32_t i = 0; i < h->time_count; i++) {
        const uint8_t *number = at + i * number_bytes;
        int64_t time = number_bytes == 8 ? zone_file_read_64(number) : (int32_t)read_32(number);
        if (types_at[i] >= h->type_count || (i && time <= table->transitions[i - 1]))
            return false;
        table->transitions[i] = time;
        table->types_at[i] = types_at[i];
    }
    table->transition_count = h->time_count;
    return true;
}

static bool zone_file_read_footer(const uint8_t *at, size_t bytes, zone_rule *out,
                                  bool *out_has_rule)
{
    *out_has_rule = false;
    if (bytes < 2 || at[0] != '\n')
        return false;
    const uint8_t *end = memchr(at + 1, '\n', bytes - 1);
    if (!end)
        return false;
    *out_has_rule = end > at + 1;
    return !*out_has_rule || zone_rule_parse((const char *)at + 1, (size_t)(end - at) - 1, out);
}

/* Finds the data. *out_bytes: after the last block. False: there are too few bytes, or the header is not a zone's. */
static bool find_data(const uint8_t *bytes, size_t count, header *h, size_t *number_bytes,
                      size_t *out_start)
{
    size_t start = HEADER_BYTES;
    *number_bytes = 4;
    if (!zone_file_read_header(bytes, count, h) || count - start < data_bytes(h, 4))
        return false;
    if (h->version >= '2') {
        size_t second = start + data_bytes(h, 4);
        if (!zone_file_read_header(bytes + second, count - second, h))
            return false;
        *number_bytes = 8;
        start = second + HEADER_BYTES;
    }
    *out_start = start;
    return count - start >= data_bytes(h, *number_bytes);
}

status zone_table_parse(const uint8_t *bytes, size_t count, zone_table **out, zone_rule *rule_out,
                        bool *out_has_rule)
{
    header h;
    size_t number_bytes, start;
    *out = NULL;
    *out_has_rule = false;
    if (!find_data(bytes, count, &h, &number_bytes, &start))
        return STATUS_OK;
    zone_table *table = mem_new(sizeof *table);
    if (!table)
        return status_no_memory("time zone", sizeof *table);
    table->transitions = mem_new_array((size_t)h.time_count + 1, sizeof *table->transitions);
    table->types_at = mem_new_array((size_t)h.time_count + 1, sizeof *table->types_at);
    if (!table->transitions || !table->types_at) {
        zone_table_free(table);
        return status_no_memory("time zone", h.time_count * sizeof *table->transitions);
    }
    size_t end = start + data_bytes(&h, number_bytes);
    bool is_right = zone_file_read_data(bytes + start, &h, number_bytes, table) &&
                    (number_bytes == 4 ||
                     zone_file_read_footer(bytes + end, count - end, rule_out, out_has_rule));
    if (is_right)
        *out = table;
    else
        zone_table_free(table);
    return STATUS_OK;
}

void zone_table_free(zone_table *table)
{
    if (!table)
        return;
    mem_free(table->transitions);
    mem_free(table->types_at);
    mem_free(table);
}

int64_t zone_table_end(const zone_table *table)
{
    return table->transition_count ? table->transitions[table->transition_count - 1] : INT64_MIN;
}

bool zone_table_at(const zone_table *table, bool has_rule, int64_t instant, zone_span *out)
{
    uint32_t low = 0, high = table->transition_count; /* of the first one behind the instant */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (table->transitions[middle] <= instant)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == table->transition_count && has_rule)
        return false;
    const zone_type *type = &table->types[low ? table->types_at[low - 1] : 0];
    out->from = low ? table->transitions[low - 1] : INT64_MIN;
    out->to = low < table->transition_count ? table->transitions[low] : INT64_MAX;
    out->offset = type->offset;
    out->name = type->name;
    return true;
}
