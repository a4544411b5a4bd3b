/* figures.c - numbers as people read them. */
#include "cli/output/figures.h"

#include <inttypes.h>
#include <stdio.h>

const char *figures_bytes(uint64_t bytes, char *out)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    if (bytes < 1000)
        return figures_count(bytes, "byte", out);
    double number = (double)bytes / 1000;
    unsigned unit = 0;
    for (; number >= 999.95; unit++) /* which would be printed as 1000.0 */
        number /= 1000;
    snprintf(out, FIGURES_BYTES, "%.1f %s", number, units[unit]);
    return out;
}

const char *figures_count(uint64_t count, const char *noun, char *out)
{
    snprintf(out, FIGURES_BYTES, "%" PRIu64 " %s%s", count, noun, count == 1 ? "" : "s");
    return out;
}
