/* date_part.c - see date_part.h. */
#include "device/value/date_part.h"

#include <string.h>

static const char *const part_names[DEV_PART_COUNT] = {
    [DEV_PART_CENTURY] = "century",
    [DEV_PART_DAY] = "day",
    [DEV_PART_DECADE] = "decade",
    [DEV_PART_DOW] = "dow",
    [DEV_PART_DOY] = "doy",
    [DEV_PART_EPOCH] = "epoch",
    [DEV_PART_HOUR] = "hour",
    [DEV_PART_ISODOW] = "isodow",
    [DEV_PART_ISOYEAR] = "isoyear",
    [DEV_PART_JULIAN] = "julian",
    [DEV_PART_MICROSECONDS] = "microseconds",
    [DEV_PART_MILLENNIUM] = "millennium",
    [DEV_PART_MILLISECONDS] = "milliseconds",
    [DEV_PART_MINUTE] = "minute",
    [DEV_PART_MONTH] = "month",
    [DEV_PART_QUARTER] = "quarter",
    [DEV_PART_SECOND] = "second",
    [DEV_PART_WEEK] = "week",
    [DEV_PART_YEAR] = "year",
};

bool dev_part_find(const value *name, dev_date_part *out)
{
    static const struct {
        const char *name;
        dev_date_part part;
    } others[] = {{"centuries", DEV_PART_CENTURY},
                  {"millennia", DEV_PART_MILLENNIUM},
                  {"millenniums", DEV_PART_MILLENNIUM},
                  {"microsecond", DEV_PART_MICROSECONDS},
                  {"millisecond", DEV_PART_MILLISECONDS},
                  {"dayofweek", DEV_PART_DOW},
                  {"weekday", DEV_PART_DOW},
                  {"dayofyear", DEV_PART_DOY}};
    for (int p = 0; p < DEV_PART_COUNT; p++) {
        size_t bytes = strlen(part_names[p]);
        bool is_plural = name->bytes == bytes + 1 && name->text[bytes] == 's';
        if ((name->bytes == bytes || is_plural) && !memcmp(name->text, part_names[p], bytes)) {
            *out = (dev_date_part)p;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (name->bytes == strlen(others[i].name) &&
            !memcmp(name->text, others[i].name, name->bytes)) {
            *out = others[i].part;
            return true;
        }
    return false;
}

bool dev_part_is_of(dev_date_part part, data_type type)
{
    bool is_time_part = part == DEV_PART_HOUR || part == DEV_PART_MINUTE ||
                        part == DEV_PART_SECOND || part == DEV_PART_MILLISECONDS ||
                        part == DEV_PART_MICROSECONDS;
    bool is_week_part = part == DEV_PART_DOW || part == DEV_PART_DOY || part == DEV_PART_ISODOW ||
                        part == DEV_PART_ISOYEAR || part == DEV_PART_JULIAN ||
                        part == DEV_PART_WEEK;
    switch (type.id) {
    case TYPE_TIME:
        return is_time_part || part == DEV_PART_EPOCH;
    case TYPE_INTERVAL:
        return !is_week_part;
    default:
        return true;
    }
}
