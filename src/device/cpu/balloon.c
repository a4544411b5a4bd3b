/* balloon.c - looks for a virtio balloon with free page reporting (virtio 1.2, 5.5.3): of whole huge pages. */
#include "device/cpu/balloon.h"

#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define BALLOON "0x0005"
#define BALLOON_REPORTS 5 /* the feature's number */

/* A line of a file of the system, or an empty one. */
static void balloon_read_line(const char *path, char *out, int bytes)
{
    FILE *file = fopen(path, "r");
    if (!file || !fgets(out, bytes, file))
        *out = 0;
    if (file)
        fclose(file);
}

static bool balloon_reports(const char *device_path)
{
    char line[128], path[512];
    balloon_read_line(device_path, line, sizeof line);
    if (strncmp(line, BALLOON, strlen(BALLOON)) != 0)
        return false;
    snprintf(path, sizeof path, "%.*s/features", (int)(strlen(device_path) - strlen("/device")),
             device_path);
    balloon_read_line(path, line, sizeof line);
    return strlen(line) > BALLOON_REPORTS && line[BALLOON_REPORTS] == '1';
}

static bool is_reported;

static void look_for_balloon(void)
{
    glob_t found;
    if (!glob("/sys/bus/virtio/devices/*/device", 0, NULL, &found))
        for (size_t i = 0; i < found.gl_pathc; i++)
            is_reported = is_reported || balloon_reports(found.gl_pathv[i]);
    globfree(&found);
}

bool cpu_are_huge_pages_dear(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look_for_balloon);
    return is_reported;
}
