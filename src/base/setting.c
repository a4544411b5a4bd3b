/* setting.c - parsing and checking settings. */
#include "base/setting.h"

#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

typedef enum kind { COUNT, BYTES, CHOICE, TEXT, BOOL } kind;

static const struct entry {
    const char *name;
    kind kind;
    const char *initial;
    uint64_t minimum, maximum;
    const char *choices, *help;
    size_t offset;
} entries[] = {
#define SETTING(name, kind, initial, minimum, maximum, choices, help)                              \
    {#name, kind, initial, minimum, maximum, choices, help, offsetof(settings, name)},
#include "base/settings.def"
#undef SETTING
};
#define ENTRY_COUNT (sizeof entries / sizeof *entries)

unsigned setting_core_count(void)
{
    cpu_set_t set;
    if (!sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (unsigned)count : 1;
}

uint64_t setting_memory_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    uint64_t bytes =
        pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : (uint64_t)1 << 30;
    FILE *f = fopen("/sys/fs/cgroup/memory.max", "re");
    unsigned long long limit;
    if (f) {
        if (fscanf(f, "%llu", &limit) == 1 && limit < bytes)
            bytes = limit;
        fclose(f);
    }
    return bytes;
}

/* "1GB", "1.5 GiB", "100000", "80%": decimal units by the SI, binary ones with an i. */
static bool parse_bytes(const char *text, uint64_t *out)
{
    static const struct {
        const char *name;
        double factor;
    } units[] = {
        {"", 1},      {"B", 1},      {"KB", 1e3},      {"MB", 1e6},      {"GB", 1e9},
        {"TB", 1e12}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1 << 30}, {"TiB", 1099511627776.0},
        {"K", 1e3},   {"M", 1e6},    {"G", 1e9},       {"T", 1e12}};
    char *end;
    double number = strtod(text, &end);
    if (end == text || !(number >= 0))
        return false;
    while (isspace((unsigned char)*end))
        end++;
    if (!strcmp(end, "%")) {
        *out = (uint64_t)(number / 100 * (double)setting_memory_bytes());
        return number <= 100;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcasecmp(end, units[i].name)) {
            *out = (uint64_t)(number * units[i].factor);
            return number * units[i].factor < 1e18;
        }
    return false;
}

static bool parse_count(const char *text, uint64_t *out)
{
    char *end;
    *out = 0;
    if (!strcasecmp(text, "auto"))
        return true;
    if (!isdigit((unsigned char)*text))
        return false;
    *out = strtoull(text, &end, 10);
    return !*end && *out;
}

static bool is_choice(const char *choices, const char *text)
{
    size_t length = strlen(text);
    for (const char *at = choices; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (!strncasecmp(at, text, length) && (at[length] == '|' || !at[length]))
            return true;
    return false;
}

static bool parse_bool(const char *text, uint64_t *out)
{
    *out = !strcasecmp(text, "on") || !strcasecmp(text, "true") || !strcmp(text, "1") ||
           !strcasecmp(text, "yes");
    return *out || !strcasecmp(text, "off") || !strcasecmp(text, "false") || !strcmp(text, "0") ||
           !strcasecmp(text, "no");
}

static const struct entry *find(const char *name)
{
    for (size_t i = 0; i < ENTRY_COUNT; i++)
        if (!strcasecmp(entries[i].name, name))
            return &entries[i];
    return NULL;
}

static status out_of_bounds(const struct entry *e, const char *text)
{
    return status_new(STATUS_KIND_INVALID,
                      "setting %s cannot be \"%s\": it must be from %llu to %llu", e->name, text,
                      (unsigned long long)e->minimum,
                      (unsigned long long)(e->maximum ? e->maximum : INT64_MAX));
}

static status parse(const struct entry *e, const char *text, setting_value *out)
{
    static const char *const forms[] = {[COUNT] = "a whole number or auto",
                                        [BYTES] = "a size as 1GB, 512MiB or 80%",
                                        [BOOL] = "on or off"};
    bool is_right = true;
    out->number = 0;
    if (e->kind == COUNT)
        is_right = parse_count(text, &out->number);
    else if (e->kind == BYTES)
        is_right = parse_bytes(text, &out->number);
    else if (e->kind == BOOL)
        is_right = parse_bool(text, &out->number);
    else if (e->kind == CHOICE && !is_choice(e->choices, text))
        return status_new(STATUS_KIND_INVALID, "setting %s cannot be \"%s\": it is one of %s",
                          e->name, text, e->choices);
    if (!is_right)
        return status_new(STATUS_KIND_INVALID, "setting %s cannot be \"%s\": it is %s", e->name,
                          text, forms[e->kind]);
    bool is_auto = e->kind == COUNT && out->number == 0;
    if (!is_auto && (e->kind == COUNT || e->kind == BYTES) &&
        (out->number < e->minimum || (e->maximum && out->number > e->maximum)))
        return out_of_bounds(e, text);
    if (strlen(text) >= sizeof out->text)
        return status_new(STATUS_KIND_INVALID, "setting %s is longer than %zu bytes", e->name,
                          sizeof out->text - 1);
    memcpy(out->text, text, strlen(text) + 1);
    return STATUS_OK;
}

status settings_set(settings *s, const char *name, const char *text)
{
    const struct entry *e = find(name);
    if (!e)
        return status_hint(
            status_new(STATUS_KIND_NOT_FOUND, "there is no setting named \"%s\"", name),
            "SHOW ALL lists the settings");
    setting_value parsed;
    TRY(parse(e, text, &parsed));
    memcpy((char *)s + e->offset, &parsed, sizeof parsed);
    return STATUS_OK;
}

status settings_init(settings *s)
{
    for (size_t i = 0; i < ENTRY_COUNT; i++) {
        char variable[64];
        TRY(settings_set(s, entries[i].name, entries[i].initial));
        int bytes = snprintf(variable, sizeof variable, "PISTACHIO_%s", entries[i].name);
        for (int c = 0; c < bytes; c++)
            variable[c] = (char)toupper((unsigned char)variable[c]);
        const char *text = getenv(variable);
        status st = text ? settings_set(s, entries[i].name, text) : STATUS_OK;
        if (st)
            return status_context(st, "environment variable %s", variable);
    }
    return STATUS_OK;
}

const char *settings_get(const settings *s, const char *name)
{
    const struct entry *e = find(name);
    return e ? ((const setting_value *)((const char *)s + e->offset))->text : NULL;
}

bool setting_describe(unsigned index, setting_info *out)
{
    if (index >= ENTRY_COUNT)
        return false;
    const struct entry *e = &entries[index];
    *out = (setting_info){e->name, e->initial, e->choices, e->help};
    return true;
}
