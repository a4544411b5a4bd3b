/* pg_setting.h - PostgreSQL's settings of a session (pg_setting.def). The engine's own are not among them. */
#ifndef PISTACHIO_SERVER_PROTOCOL_PG_SETTING_H
#define PISTACHIO_SERVER_PROTOCOL_PG_SETTING_H

#include "server/protocol/wire.h"

#define PG_SETTING_COUNT 32
#define PG_SETTING_BYTES 128

typedef struct pg_settings {
    char values[PG_SETTING_COUNT][PG_SETTING_BYTES];
} pg_settings;

void pg_settings_init(pg_settings *settings);
/* Returns the setting's number, whatever the name's case; -1: there is none. */
int pg_setting_find(const char *name, size_t bytes);
const char *pg_setting_name(int number);
/* The value at first. */
const char *pg_setting_initial(int number);
const char *pg_setting_get(const pg_settings *settings, int number);
/* Sets the value, or with value NULL that at first, and tells the client if it is to know. */
CHECKED status pg_setting_set(pg_settings *settings, int number, const char *value,
                              wire_writer *out);
/* Sets what is the server's to say, unchecked; longer values are cut. */
void pg_setting_put(pg_settings *settings, const char *name, const char *value);
/* Sets all to their values at first but those that the server says. */
CHECKED status pg_settings_reset(pg_settings *settings, wire_writer *out);
/* Tells the client those that it is to know. */
void pg_settings_tell(const pg_settings *settings, wire_writer *out);
/* Tells the client one value: ParameterStatus. */
void pg_setting_tell(const char *name, const char *value, wire_writer *out);

#endif
