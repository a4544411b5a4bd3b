/* figures.c - see figures.h. Figures of a GPU of this machine are a small text file in the user's cache:
 *
 *     pistachio device 1
 *     0.35 6e-06 5e+10 2e+12       seconds to open, of a launch; bytes a second of the link, of the memory */
#include "api/choice/figures.h"

#include "base/system/user_cache.h"

#include <stdio.h>
#include <string.h>

#define HEAD "pistachio device 1\n"
#define NAME_BYTES 24

/* From data sheets: the link is PCIe's of the generation at four fifths. */
static const struct generation {
    int capability; /* the least: major * 10 + minor */
    device_figures figures;
} generations[] = {
    {100, {0.3, 5e-6, 50e9, 3e12}}, /* B200: PCIe 5 */
    {90, {0.4, 4e-6, 55e9, 2e12}},  /* H100, H200: measured on an H200 */
    {86, {0.3, 5e-6, 25e9, 4e11}},  /* A10, L4, L40: PCIe 4 */
    {80, {0.3, 5e-6, 25e9, 7e11}},  /* A100 */
};
#define GENERATIONS (sizeof generations / sizeof *generations)

device_figures device_figures_best(void)
{
    return generations[0].figures;
}

device_figures device_figures_of(int major, int minor)
{
    size_t i = 0;
    while (i + 1 < GENERATIONS && major * 10 + minor < generations[i].capability)
        i++;
    return generations[i].figures;
}

static void figures_name(unsigned ordinal, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "cuda-%u", ordinal);
}

static bool is_right(double number)
{
    return number >= 0 && number < 1e18;
}

static bool read_figures(FILE *file, device_figures *out)
{
    char head[sizeof HEAD];
    return fgets(head, sizeof head, file) && !strcmp(head, HEAD) &&
           fscanf(file, "%lf %lf %lf %lf", &out->open_seconds, &out->launch_seconds,
                  &out->link_bytes, &out->memory_bytes) == 4 &&
           is_right(out->open_seconds) && is_right(out->launch_seconds) &&
           is_right(out->link_bytes) && is_right(out->memory_bytes) && out->link_bytes >= 1 &&
           out->memory_bytes >= 1;
}

bool device_figures_find(unsigned ordinal, device_figures *out)
{
    char name[NAME_BYTES], path[USER_CACHE_PATH_BYTES];
    figures_name(ordinal, name);
    FILE *file = user_cache_path(name, path) ? fopen(path, "re") : NULL;
    if (!file)
        return false;
    bool is_there = read_figures(file, out);
    fclose(file);
    return is_there;
}

status device_figures_keep(unsigned ordinal, const device_figures *figures)
{
    char name[NAME_BYTES], text[128];
    figures_name(ordinal, name);
    snprintf(text, sizeof text, HEAD "%.6g %.6g %.6g %.6g\n", figures->open_seconds,
             figures->launch_seconds, figures->link_bytes, figures->memory_bytes);
    return user_cache_replace(name, text);
}
