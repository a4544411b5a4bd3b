/* lanes.c - lines such as "#   lane[0]:  2:tcp/eth0.0 md[1] -> md[1]/tcp/sysdev[255] am wireup". */
#include "net/ucx/lanes.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The name begins behind the resource's number; *out_bytes: without the number of its path. NULL: not a lane. */
static const char *lane_name(const char *line, size_t *out_bytes)
{
    const char *lane = strstr(line, "lane["), *end = strchr(line, '\n');
    const char *name = lane ? strstr(lane, "]:") : NULL;
    if (!name || (end && end < name))
        return NULL;
    name += 2;
    name += strspn(name, " ");
    name += strspn(name, "0123456789");
    name += *name == ':';
    size_t bytes = strcspn(name, " \n");
    *out_bytes = bytes;
    while (bytes && name[bytes - 1] >= '0' && name[bytes - 1] <= '9')
        bytes--;
    if (bytes && name[bytes - 1] == '.')
        *out_bytes = bytes - 1;
    return name;
}

static bool lanes_has(const char *list, const char *name, size_t bytes)
{
    for (const char *at = list; (at = strstr(at, " ")); at++)
        if (!strncmp(at + 1, name, bytes) && (at[1 + bytes] == ',' || !at[1 + bytes]))
            return true;
    return false;
}

void lanes_text(const char *printed, char out[LANES_TEXT_BYTES])
{
    size_t length = (size_t)snprintf(out, LANES_TEXT_BYTES, "ucx"), bytes;
    bool has_any = false;
    for (const char *line = printed; line; line = strchr(line, '\n'), line += line != NULL) {
        const char *name = lane_name(line, &bytes);
        if (!name || !bytes || lanes_has(out, name, bytes) || length + bytes + 3 > LANES_TEXT_BYTES)
            continue;
        length += (size_t)snprintf(out + length, LANES_TEXT_BYTES - length, "%s %.*s",
                                   has_any ? "," : "", (int)bytes, name);
        has_any = true;
    }
}
