/* setting.h - the settings: one table (settings.def), parsed, checked, shown. */
#ifndef PISTACHIO_BASE_SETTING_SETTING_H
#define PISTACHIO_BASE_SETTING_SETTING_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SETTING_TEXT_BYTES 256

/* One value. */
typedef struct setting_value {
    char text[SETTING_TEXT_BYTES]; /* as it was given */
    uint64_t number;               /* COUNT, BYTES, BOOL; 0 for auto. SECRET: see secret.h */
} setting_value;

typedef struct settings {
#define SETTING(name, kind, initial, minimum, maximum, choices, help) setting_value name;
#include "base/setting/settings.def"
#undef SETTING
} settings;

enum {
#define SETTING(name, ...) SETTING_INDEX_##name,
#include "base/setting/settings.def"
#undef SETTING
    SETTING_COUNT
};

/* Defaults, then the environment (PISTACHIO_THREADS, ...). */
CHECKED status settings_init(settings *s);
/* A setting from text; the failure names what is allowed. */
CHECKED status settings_set(settings *s, const char *name, const char *text);
/* Its text, or NULL: no such setting. A secret's is "***". */
const char *settings_get(const settings *s, const char *name);
/* The text that settings_set would take, a secret's too: for another rank, and nobody else. NULL: no such setting. */
const char *settings_reveal(const settings *s, const char *name);

/* Settings of a session, over those of its database. Zeroed: nothing. */
typedef struct settings_layer {
    settings values;
    bool is_set[SETTING_COUNT];
} settings_layer;
/* INVALID for a setting of the process. */
CHECKED status settings_layer_set(settings_layer *layer, const char *name, const char *text);
/* The database's value is in force again. */
CHECKED status settings_layer_reset(settings_layer *layer, const char *name);
/* Puts what the layer has set in the place of what s has. */
void settings_layer_apply(const settings_layer *layer, settings *s);

typedef struct setting_info {
    const char *name, *initial, *choices, *help;
} setting_info;
/* The index-th setting; false behind the last. */
bool setting_describe(unsigned index, setting_info *out);

/* Returns whether a session may set it whose SQL is not trusted: no file and no other session is concerned. True for
 * a name that no setting has. */
bool setting_is_of_session(const char *name);

/* docs/CONFIG.md. */
void settings_print_markdown(FILE *to);

/* Returns the number of cores that auto means. */
unsigned setting_core_count(void);
uint64_t setting_memory_bytes(void); /* the smaller of physical memory and the control group's */

#endif
