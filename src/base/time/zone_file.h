/* zone_file.h - time zones from files. */
#ifndef PISTACHIO_BASE_TIME_ZONE_FILE_H
#define PISTACHIO_BASE_TIME_ZONE_FILE_H

#include "base/time/zone.h"

/* Makes a table of a file's bytes, checked; NULL in *out: they are not a zone's. rule_out: of its end. */
CHECKED status zone_table_parse(const uint8_t *bytes, size_t count, zone_table **out,
                                zone_rule *rule_out, bool *out_has_rule);
void zone_table_free(zone_table *table);
/* False: the instant is not before the last transition, and the zone has a rule. */
bool zone_table_at(const zone_table *table, bool has_rule, int64_t instant, zone_span *out);
/* Returns the time of its last transition. */
int64_t zone_table_end(const zone_table *table);

#endif
