/* zone.h - time zones by name: from the system's files (TZif, RFC 8536), by POSIX rules, abbreviations.
 *
 * Seconds are since 1970; an instant's are UTC's, local ones are what a clock of the zone shows, read as if
 * it were UTC. Offsets are seconds east of UTC. */
#ifndef PISTACHIO_BASE_TIME_ZONE_H
#define PISTACHIO_BASE_TIME_ZONE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ZONE_NAME_BYTES 128
#define ZONE_SHORT_BYTES 16 /* an abbreviation, closed by NUL */

/* When a year's summer time begins or ends. */
typedef struct zone_day {
    enum { ZONE_DAY_OF_MONTH, ZONE_DAY_OF_YEAR, ZONE_DAY_WITHOUT_LEAP } kind;
    int month, week, day; /* Mm.w.d; n; Jn */
    int32_t time;         /* of that day, by the clock that is in force until then */
} zone_day;

/* A POSIX rule: "CET-1CEST,M3.5.0,M10.5.0/3". */
typedef struct zone_rule {
    char standard[ZONE_SHORT_BYTES], summer[ZONE_SHORT_BYTES];
    int32_t offset, summer_offset;
    bool has_summer;
    zone_day begin, end; /* of the summer time */
} zone_rule;

/* The transitions of a file; the process keeps each that it has read. */
typedef struct zone_table zone_table;

/* A zone: copied as it likes. */
typedef struct zone {
    const zone_table *table; /* NULL: the rule is all */
    bool has_rule;           /* behind the table's last transition */
    zone_rule rule;
    char name[ZONE_NAME_BYTES]; /* as zone_find takes it, and files spell it */
} zone;

/* Instants `from` to before `to` have this offset. Zeroed: none has. */
typedef struct zone_span {
    int64_t from, to;
    int32_t offset;
    const char *name; /* its abbreviation: the zone's memory */
} zone_span;

/* Finds what AT TIME ZONE and texts of moments take: an abbreviation (EST), a name of a file in any case of letters
 * (Europe/Berlin), a POSIX rule. A colon in front: a file's name alone. */
CHECKED status zone_find(const char *name, size_t bytes, zone *out);
/* Finds what the setting takes: a number of hours east of UTC, a name of a file, a POSIX rule. */
CHECKED status zone_find_setting(const char *text, zone *out);
/* UTC by that or a like name, for which no file is opened. */
bool zone_is_utc_name(const char *name, size_t bytes);
/* The zone so many seconds east of UTC. */
void zone_make_fixed(int32_t offset, zone *out);

/* Frees what was kept of files: for tests, when no zone of one is in use. */
void zone_forget(void);

/* The offset of an instant, with what is near to it; *span is what was found before, or zeroed. */
void zone_at(const zone *z, int64_t instant, zone_span *span);
/* The offset that a local time has. As in PostgreSQL: of one that is skipped that from before the gap, of
 * one that comes twice that of the second time. *span as above. */
int32_t zone_offset_of_local(const zone *z, int64_t local, zone_span *span);

#endif
