/* error.c - statuses as the public interface shows them: a pistachio_error is a status, under a
 * name that says nothing of it. */

#include "api/handles/error.h"

#include "base/mem.h"
#include "base/text/text_place.h"

#include <stdio.h>

pistachio_error *api_error(status st)
{
    return (pistachio_error *)st;
}

/* The public type is never defined, so nothing else is ever behind such a pointer. */
static status status_of(const pistachio_error *error)
{
    return (status)(void *)error;
}

status api_error_status(pistachio_error *error)
{
    return status_of(error);
}

char *api_error_text(status st, const char *sql)
{
    const char *message = status_message(st), *hint = status_get_hint(st);
    char place[TEXT_PLACE_BYTES] = "";
    if (sql && status_position(st) >= 0)
        text_place_show(sql, (size_t)status_position(st), place);
    size_t bytes = strlen(message) + strlen(place) + (hint ? strlen(hint) : 0) + 32;
    char *text = mem_new(bytes);
    if (text)
        snprintf(text, bytes, "%s%s%s%s%s", message, *place ? "\n" : "", place,
                 hint ? "\nhint: " : "", hint ? hint : "");
    return text;
}

pistachio_error *api_null_argument(const char *name)
{
    return api_error(status_new(STATUS_KIND_INVALID, "argument \"%s\" is NULL", name));
}

pistachio_error_kind pistachio_error_get_kind(const pistachio_error *error)
{
    return (pistachio_error_kind)status_get_kind(status_of(error));
}

const char *pistachio_error_message(const pistachio_error *error)
{
    return status_message(status_of(error));
}

const char *pistachio_error_hint(const pistachio_error *error)
{
    return status_get_hint(status_of(error));
}

int64_t pistachio_error_position(const pistachio_error *error)
{
    return status_position(status_of(error));
}

void pistachio_error_free(pistachio_error *error)
{
    status_free(status_of(error));
}
