/* setting_preset.c - the setting join_variant, whose values are values of others. */
#include "base/setting/setting_preset.h"

#include <string.h>
#include <strings.h>

#define SWITCHES 3

static const char *const switch_names[SWITCHES] = {"synchronization", "overlap",
                                                   "registered_memory"};

/* PystachIO's variants of a join (section 3), as far as a statement's operators and scans have switches for
 * what they leave out; bench/shuffle.c has the join itself. */
static const struct {
    const char *name;
    const char *values[SWITCHES];
} variants[] = {
    {"blocking", {"blocking", "blocking", "off"}}, {"pooled", {"blocking", "blocking", "on"}},
    {"chunking", {"blocking", "chunking", "on"}},  {"deferred", {"deferred", "deferred", "on"}},
    {"full", {"deferred", "full", "on"}},
};
#define VARIANT_COUNT (sizeof variants / sizeof *variants)

unsigned setting_preset_switches(const char *name, const char *const **out)
{
    *out = switch_names;
    return strcasecmp(name, "join_variant") ? 0 : SWITCHES;
}

const char *setting_preset_value(const settings *s, unsigned number)
{
    for (size_t i = 0; i < VARIANT_COUNT; i++)
        if (!strcmp(s->join_variant.text, variants[i].name))
            return variants[i].values[number];
    return NULL;
}

static bool setting_preset_has_values(const settings *s, const char *const *values)
{
    bool is_registered = !strcmp(values[2], "on");
    return !strcmp(s->synchronization.text, values[0]) && !strcmp(s->overlap.text, values[1]) &&
           (s->registered_memory.number != 0) == is_registered;
}

void setting_preset_name(settings *s)
{
    const char *name = "custom";
    for (size_t i = 0; i < VARIANT_COUNT; i++)
        if (setting_preset_has_values(s, variants[i].values))
            name = variants[i].name;
    snprintf(s->join_variant.text, sizeof s->join_variant.text, "%s", name);
}
