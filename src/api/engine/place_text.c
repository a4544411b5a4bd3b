/* place_text.c - a rank's number and its host's name in the place of {rank} and {host}. */
#include "api/engine/place_text.h"

#include <stdio.h>
#include <unistd.h>

static status place_text_put(char **text, size_t *count, const char *more, size_t bytes)
{
    char *grown = mem_resize(*text, *count + bytes + 1);
    if (!grown)
        return status_no_memory("text", *count + bytes);
    memcpy(grown + *count, more, bytes);
    *count += bytes;
    grown[*count] = 0;
    *text = grown;
    return STATUS_OK;
}

status api_place_text(const char *text, unsigned rank, const char *host, char **out)
{
    char number[16], machine[256] = "";
    size_t count = 0;
    snprintf(number, sizeof number, "%u", rank);
    if (!host)
        (void)gethostname(machine, sizeof machine - 1);
    *out = NULL;
    status st = place_text_put(out, &count, "", 0);
    while (*text && !st) {
        const char *with = !strncmp(text, "{rank}", 6)   ? number
                           : !strncmp(text, "{host}", 6) ? host ? host : machine
                                                         : NULL;
        st = with ? place_text_put(out, &count, with, strlen(with))
                  : place_text_put(out, &count, text, 1);
        text += with ? 6 : 1;
    }
    if (st) {
        mem_free(*out);
        *out = NULL;
    }
    return st;
}

status api_place_settings(settings *s, unsigned rank, const char *host)
{
    static const char *const names[] = {"temp_directory", "trace", "timeline"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = settings_get(s, names[i]);
        char *replaced;
        if (!strchr(text, '{'))
            continue;
        TRY(api_place_text(text, rank, host, &replaced));
        status st = settings_set(s, names[i], replaced);
        mem_free(replaced);
        TRY(st);
    }
    return STATUS_OK;
}
