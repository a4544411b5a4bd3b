/* fuzz_zone_file.c - any bytes as a file of a time zone, and as a rule: what is taken gives spans that hold what was
 * asked for, and that meet. */
#include "base/time/zone.h"
#include "base/time/zone_file.h"
#include "base/time/zone_rule.h"
#include "fuzz.h"

#include <string.h>

static const int64_t instants[] = {
    INT64_MIN / 1000000, -62135596800, -2717650800,  -1,         0,
    1585443600,          2147483648,   253402300799, 4102444800, INT64_MAX / 1000000};

static void check_zone(const zone *z)
{
    for (size_t i = 0; i < sizeof instants / sizeof *instants; i++) {
        zone_span span = {0}, next = {0};
        zone_at(z, instants[i], &span);
        FUZZ_CHECK(span.from <= instants[i] && (instants[i] < span.to || span.to == INT64_MAX));
        FUZZ_CHECK(span.name && strlen(span.name) < ZONE_SHORT_BYTES);
        if (span.to < INT64_MAX) {
            zone_at(z, span.to, &next);
            FUZZ_CHECK(next.from == span.to);
        }
        zone_span local = {0};
        (void)zone_offset_of_local(z, instants[i], &local);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    zone z = {0}, rule = {.has_rule = true};
    zone_table *table;
    status_free(zone_table_parse(bytes, length, &table, &z.rule, &z.has_rule));
    if (table) {
        z.table = table;
        check_zone(&z);
        zone_table_free(table);
    }
    if (zone_rule_parse((const char *)bytes, length, &rule.rule))
        check_zone(&rule);
    return 0;
}
