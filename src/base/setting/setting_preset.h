/* setting_preset.h - inside setting.c: a setting whose values stand for values of several others. */
#ifndef PISTACHIO_BASE_SETTING_SETTING_PRESET_H
#define PISTACHIO_BASE_SETTING_SETTING_PRESET_H

#include "base/setting/setting.h"

/* The names of the settings that this one sets, *out; how many: 0 of a setting of its own. */
unsigned setting_preset_switches(const char *name, const char *const **out);
/* Returns what the number-th of them is to be, as the preset has just been set; NULL: what it is. */
const char *setting_preset_value(const settings *s, unsigned number);
/* Gives the preset the name of the values that there are, "custom" if no preset has them. */
void setting_preset_name(settings *s);

#endif
