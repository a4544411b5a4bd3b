/* pg_setting.c - see pg_setting.h. */
#include "server/protocol/pg_setting.h"

#include "server/engine.h"

#include <assert.h>
#include <stdio.h>
#include <strings.h>

static const struct {
    const char *name, *initial;
    bool is_told;
    const char *allowed;
} list[] = {
#define PG_SETTING(name, initial, is_told, allowed) {name, initial, is_told, allowed},
#include "server/protocol/pg_setting.def"
};
static_assert(sizeof list / sizeof *list == PG_SETTING_COUNT, "PG_SETTING_COUNT is not the list's");

void pg_settings_init(pg_settings *settings)
{
    for (int i = 0; i < PG_SETTING_COUNT; i++)
        snprintf(settings->values[i], PG_SETTING_BYTES, "%s", list[i].initial);
}

int pg_setting_find(const char *name, size_t bytes)
{
    for (int i = 0; i < PG_SETTING_COUNT; i++)
        if (strlen(list[i].name) == bytes && !strncasecmp(list[i].name, name, bytes))
            return i;
    return -1;
}

const char *pg_setting_name(int number)
{
    return list[number].name;
}

const char *pg_setting_initial(int number)
{
    return list[number].initial;
}

const char *pg_setting_get(const pg_settings *settings, int number)
{
    return settings->values[number];
}

/* Returns whether the value begins with one that is allowed. */
static bool is_allowed(const char *allowed, const char *value)
{
    for (const char *at = allowed;; at++) {
        size_t bytes = strcspn(at, "|");
        if (!strncasecmp(value, at, bytes))
            return true;
        at += bytes;
        if (!*at)
            return false;
    }
}

/* Returns the value that is kept: all spellings of the one encoding are UTF8. */
static const char *stored_value(int number, const char *value)
{
    return !strcmp(list[number].name, "client_encoding") ? "UTF8" : value;
}

void pg_setting_tell(const char *name, const char *value, wire_writer *out)
{
    wire_begin(out, 'S');
    wire_text(out, name);
    wire_text(out, value);
    wire_finish(out);
}

status pg_setting_set(pg_settings *settings, int number, const char *value, wire_writer *out)
{
    const char *name = list[number].name;
    if (!strcmp(list[number].allowed, "-"))
        return status_new(STATUS_KIND_INVALID, "parameter \"%s\" cannot be changed", name);
    if (!value)
        value = list[number].initial;
    if (!is_allowed(list[number].allowed, value))
        return status_new(STATUS_KIND_UNSUPPORTED, "\"%s\" is not supported for %s", value, name);
    if (strlen(value) >= PG_SETTING_BYTES)
        return status_new(STATUS_KIND_INVALID, "a value of %s has fewer than %d bytes", name,
                          PG_SETTING_BYTES);
    snprintf(settings->values[number], PG_SETTING_BYTES, "%s", stored_value(number, value));
    if (list[number].is_told)
        pg_setting_tell(name, settings->values[number], out);
    return STATUS_OK;
}

void pg_setting_put(pg_settings *settings, const char *name, const char *value)
{
    int number = pg_setting_find(name, strlen(name));
    snprintf(settings->values[number], PG_SETTING_BYTES, "%s", value);
}

status pg_settings_reset(pg_settings *settings, wire_writer *out)
{
    for (int i = 0; i < PG_SETTING_COUNT; i++)
        if (strcmp(list[i].allowed, "-") != 0 && strcmp(settings->values[i], list[i].initial) != 0)
            TRY(pg_setting_set(settings, i, NULL, out));
    return STATUS_OK;
}

void pg_settings_tell(const pg_settings *settings, wire_writer *out)
{
    for (int i = 0; i < PG_SETTING_COUNT; i++)
        if (list[i].is_told)
            pg_setting_tell(list[i].name, settings->values[i], out);
}
