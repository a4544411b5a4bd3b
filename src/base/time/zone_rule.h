/* zone_rule.h - POSIX rules of time zones. */
#ifndef PISTACHIO_BASE_TIME_ZONE_RULE_H
#define PISTACHIO_BASE_TIME_ZONE_RULE_H

#include "base/time/zone.h"

/* Parses a rule. False: the text, to its end, does not spell one. */
bool zone_rule_parse(const char *text, size_t bytes, zone_rule *out);
/* "+05:45": hours, and minutes and seconds where there are some; its bytes. Room: ZONE_SHORT_BYTES. */
size_t zone_offset_format(int32_t offset, char *text);
void zone_rule_at(const zone_rule *rule, int64_t instant, zone_span *out);

#endif
