/* measure.c - numbers for the reader's eye: bytes with a unit, bars. */
#include "device/host/host.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>

/* ---- numbers of bytes ---- */

/* In the largest of the units that gives 1 or more, with one digit, cut. */
static status put_bytes(host_call *c, uint64_t row, uint64_t base, const char *const units[5])
{
    int64_t number = host_integer(c, 0, row);
    uint64_t count = number < 0 ? -(uint64_t)number : (uint64_t)number, tenths, unit = 1;
    const char *sign = number < 0 ? "-" : "";
    char text[48];
    int power = 0;
    while (power < 5 && count / unit >= base) {
        unit *= base;
        power++;
    }
    tenths = count % unit / (unit < 10 ? 1 : unit / 10);
    if (power && base == 1024)
        tenths = (count % unit >> 10 * (power - 1)) * 10 / 1024;
    int length = power ? snprintf(text, sizeof text, "%s%llu.%llu %s", sign,
                                  (unsigned long long)(count / unit), (unsigned long long)tenths,
                                  units[power - 1])
                       : snprintf(text, sizeof text, "%s%llu byte%s", sign,
                                  (unsigned long long)count, count == 1 ? "" : "s");
    return host_put_text(c, row, text, (size_t)length);
}

status host_format_bytes(host_call *c, uint64_t row)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    return put_bytes(c, row, 1024, units);
}

status host_format_decimal_bytes(host_call *c, uint64_t row)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB"};
    return put_bytes(c, row, 1000, units);
}

static const struct {
    const char *name;
    double bytes;
} byte_units[] = {
    {"b", 1},     {"byte", 1},   {"bytes", 1},     {"k", 1e3},       {"kb", 1e3},
    {"m", 1e6},   {"mb", 1e6},   {"g", 1e9},       {"gb", 1e9},      {"t", 1e12},
    {"tb", 1e12}, {"kib", 1024}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 0x1p40},
};

static double measure_unit_of(const char *name)
{
    for (size_t i = 0; i < sizeof byte_units / sizeof *byte_units; i++)
        if (!strcasecmp(name, byte_units[i].name))
            return byte_units[i].bytes;
    return 0;
}

status host_parse_bytes(host_call *c, uint64_t row)
{
    const string_view *view = host_text(c, 0, row);
    char text[64], unit[16] = "";
    double number = -1;
    size_t bytes = view->bytes < sizeof text ? view->bytes : 0;
    memcpy(text, string_data(view), bytes);
    text[bytes] = 0;
    int read = sscanf(text, "%32lf %15s %c", &number, unit, &(char){0});
    double product = number * measure_unit_of(unit);
    if (read != 2 || memchr(text, 'x', bytes) || !(number >= 0) || !measure_unit_of(unit) ||
        !(product < 0x1p63))
        return status_hint(status_new(STATUS_KIND_DATA, "\"%.*s\" is not a number of bytes",
                                      (int)(view->bytes < 60 ? view->bytes : 60),
                                      string_data(view)),
                           "write a number and b, kB, MB, GB, TB, KiB, MiB, GiB or TiB");
    host_put_integer(c, row, (int64_t)product);
    return STATUS_OK;
}

/* ---- bars ---- */

#define BAR_WIDTH 80 /* without the fourth argument */
#define BAR_WIDTH_MAX 1000
#define BLOCK_BYTES 3 /* of U+2588 to U+258F in UTF-8: full, then 7/8 to 1/8 */

static char *put_block(char *to, unsigned eighths)
{
    to[0] = (char)0xe2;
    to[1] = (char)0x96;
    to[2] = (char)(0x90 - eighths);
    return to + BLOCK_BYTES;
}

status host_bar(host_call *c, uint64_t row)
{
    double x = host_double(c, 0, row), low = host_double(c, 1, row), high = host_double(c, 2, row);
    double width = c->arg_count > 3 ? host_double(c, 3, row) : BAR_WIDTH;
    if (!(width >= 1 && width <= BAR_WIDTH_MAX))
        return status_new(STATUS_KIND_DATA, "a bar's width of %g is not between 1 and %d", width,
                          BAR_WIDTH_MAX);
    double length = isnan(x) || isnan(low) || isnan(high) || x <= low ? 0
                    : x >= high                                       ? width
                                : width * (x - low) / (high - low);
    if (!isfinite(length))
        return status_new(STATUS_KIND_DATA, "a bar from %g to %g has no finite length for %g", low,
                          high, x);
    unsigned eighths = (unsigned)(length * 8);
    char *room, *at;
    TRY(host_put_room(c, (BAR_WIDTH_MAX + 1) * BLOCK_BYTES, &room));
    at = room;
    unsigned used = 0;
    for (; eighths; used++) {
        at = put_block(at, eighths < 8 ? eighths : 8);
        eighths -= eighths < 8 ? eighths : 8;
    }
    for (; used < (unsigned)width; used++)
        *at++ = ' ';
    host_put_filled(c, row, (size_t)(at - room));
    return STATUS_OK;
}
