/* figures.c - see figures.h. Figures of a GPU of this machine are a small text file in the user's cache:
 *
 *     pistachio device 1
 *     0.35 6e-06 5e+10 2e+12       seconds to open, of a launch; bytes a second of the link, of the memory */
#include "api/choice/figures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD "pistachio device 1\n"
#define PATH_ROOM 4096

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

/* Returns whether there is a place in the user's cache. */
static bool figures_find_path(unsigned ordinal, char *path)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *below = "";
    if (!cache || cache[0] != '/') { /* as its specification says */
        cache = getenv("HOME");
        below = "/.cache";
    }
    if (!cache || cache[0] != '/')
        return false;
    int length = snprintf(path, PATH_ROOM, "%s%s/pistachio/cuda-%u", cache, below, ordinal);
    return length > 0 && length < PATH_ROOM;
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
    char path[PATH_ROOM];
    FILE *file = figures_find_path(ordinal, path) ? fopen(path, "re") : NULL;
    if (!file)
        return false;
    bool is_there = read_figures(file, out);
    fclose(file);
    return is_there;
}

/* Makes the folders above a file, as far as they are missing. */
static void figures_make_folders(char *path)
{
    for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        (void)mkdir(path, 0700); /* without it, opening the file fails and says so */
        *slash = '/';
    }
}

status device_figures_keep(unsigned ordinal, const device_figures *figures)
{
    char path[PATH_ROOM], temporary[PATH_ROOM + 32];
    if (!figures_find_path(ordinal, path))
        return status_hint(status_new(STATUS_KIND_IO, "there is no folder to keep the result in"),
                           "set HOME or XDG_CACHE_HOME");
    figures_make_folders(path);
    snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
    FILE *file = fopen(temporary, "we");
    if (!file)
        return status_new_errno(errno, "could not write \"%s\"", temporary);
    fprintf(file, HEAD "%.6g %.6g %.6g %.6g\n", figures->open_seconds, figures->launch_seconds,
            figures->link_bytes, figures->memory_bytes);
    bool has_failed = ferror(file);
    has_failed |= fclose(file) != 0;
    if (!has_failed && !rename(temporary, path))
        return STATUS_OK;
    status st = status_new_errno(errno, "could not write \"%s\"", path);
    unlink(temporary);
    return st;
}
