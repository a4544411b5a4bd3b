/* setting.c - parsing and checking settings. */
#include "base/setting/setting.h"

#include "base/setting/setting_preset.h"
#include "base/system/secret.h"
#include "base/text/nearest.h"
#include "base/time/zone.h"
#include "base/type/type.h"

#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

typedef enum kind { COUNT, BYTES, CHOICE, TEXT, BOOL, ZONE, SECRET } kind;

static const struct entry {
    const char *name;
    kind kind;
    const char *initial;
    uint64_t minimum, maximum;
    const char *choices, *help;
    size_t offset;
    bool is_of_process, is_of_files;
} entries[] = {
#define ENTRY(name, kind, initial, minimum, maximum, choices, help, is_of_process, is_of_files)    \
    {                                                                                              \
        #name,         kind,       initial, minimum,                                               \
        maximum,       choices,    help,    offsetof(settings, name),                              \
        is_of_process, is_of_files},
#define SETTING(...) ENTRY(__VA_ARGS__, false, false)
#define SETTING_OF_PROCESS(...) ENTRY(__VA_ARGS__, true, false)
#define SETTING_OF_FILES(...) ENTRY(__VA_ARGS__, false, true)
#include "base/setting/settings.def"
#undef SETTING
#undef ENTRY
};
#define ENTRY_COUNT (sizeof entries / sizeof *entries)
static_assert(ENTRY_COUNT == SETTING_COUNT, "one list");

static unsigned count_cores(void)
{
    cpu_set_t set;
    if (!sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (unsigned)count : 1;
}

/* As it was when it was first asked for: later the thread may be bound to a share of them
 * (cli/ranks/bind.h). */
unsigned setting_core_count(void)
{
    static _Atomic unsigned cores;
    if (!cores)
        cores = count_cores();
    return cores;
}

uint64_t setting_memory_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    uint64_t bytes =
        pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : (uint64_t)1 << 30;
    /* Files of control groups, version 2 and 1; "max" means that there is no limit. */
    static const char *const limits[] = {"/sys/fs/cgroup/memory.max",
                                         "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        FILE *f = fopen(limits[i], "re");
        unsigned long long limit;
        if (!f)
            continue;
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
    size_t digits = strspn(text, "0123456789.");
    const char *end = text + digits + strspn(text + digits, " ");
    double number;
    if (!double_parse(text, digits, &number))
        return false;
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

static bool setting_parse_count(const char *text, uint64_t *out)
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

/* The choice as the table spells it, or NULL. */
/* The choice "name:N" is any number of up to three digits behind the colon. */
static bool is_numbered(const char *choice, size_t choice_length, const char *text, size_t length)
{
    size_t name = choice_length - 1; /* with the colon */
    return length > name && length <= name + 3 && !strncasecmp(choice, text, name) &&
           strspn(text + name, "0123456789") == length - name;
}

/* Writes the choice as the list spells it. */
static bool find_choice(const char *choices, const char *text, size_t length, char *out)
{
    for (const char *at = choices, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, "|");
        size_t choice_length = (size_t)(end - at);
        if (choice_length > 2 && !strncmp(end - 2, ":N", 2)) {
            if (!is_numbered(at, choice_length, text, length))
                continue;
            memcpy(out, at, choice_length - 1);
            return true;
        }
        if (choice_length == length && !strncasecmp(at, text, length)) {
            memcpy(out, at, length);
            return true;
        }
    }
    return false;
}

static bool parse_bool(const char *text, uint64_t *out)
{
    *out = !strcasecmp(text, "on") || !strcasecmp(text, "true") || !strcmp(text, "1") ||
           !strcasecmp(text, "yes");
    return *out || !strcasecmp(text, "off") || !strcasecmp(text, "false") || !strcmp(text, "0") ||
           !strcasecmp(text, "no");
}

static const struct entry *setting_find(const char *name)
{
    for (size_t i = 0; i < ENTRY_COUNT; i++)
        if (!strcasecmp(entries[i].name, name))
            return &entries[i];
    return NULL;
}

/* "16MiB", "1GiB", "12": a size in the largest unit that divides it. */
static const char *format_bound(const struct entry *e, uint64_t number, char *out, size_t bytes)
{
    static const char *const units[] = {"", "KiB", "MiB", "GiB", "TiB"};
    unsigned unit = 0;
    for (; e->kind == BYTES && number && number % 1024 == 0 && unit < 4; unit++)
        number /= 1024;
    snprintf(out, bytes, "%llu%s", (unsigned long long)number, units[unit]);
    return out;
}

/* " from 1 to 4096", ", 16MiB or more", or nothing where any will do. */
static const char *format_bounds(const struct entry *e, char *out, size_t bytes)
{
    char minimum[32], maximum[32];
    format_bound(e, e->minimum, minimum, sizeof minimum);
    format_bound(e, e->maximum, maximum, sizeof maximum);
    if (e->maximum)
        snprintf(out, bytes, " from %s to %s", minimum, maximum);
    else if (e->minimum)
        snprintf(out, bytes, ", %s or more", minimum);
    else
        out[0] = '\0';
    return out;
}

/* The failure for a text that is not of the setting's kind, or out of its bounds. */
static status setting_wrong_value(const struct entry *e, const char *text)
{
    static const char *const forms[] = {[COUNT] = "auto or a whole number",
                                        [BYTES] = "a size as 1GB, 512MiB or 80%",
                                        [CHOICE] = "one of ",
                                        [BOOL] = "on or off"};
    char bounds[96] = "";
    if (e->kind == COUNT || e->kind == BYTES)
        format_bounds(e, bounds, sizeof bounds);
    return status_new(STATUS_KIND_INVALID, "setting %s cannot be \"%s\": it is %s%s%s", e->name,
                      text, forms[e->kind], e->kind == CHOICE ? e->choices : "", bounds);
}

/* The zone's name as its file is named. */
static status parse_zone(const char *text, setting_value *out)
{
    zone z;
    TRY(zone_find_setting(text, &z));
    snprintf(out->text, sizeof out->text, "%s", z.name + (z.name[0] == ':'));
    return STATUS_OK;
}

#define HIDDEN "***"

static status parse_secret(const char *text, setting_value *out)
{
    TRY(secret_keep(text, &out->number));
    snprintf(out->text, sizeof out->text, "%s", *text ? HIDDEN : "");
    return STATUS_OK;
}

static status setting_parse(const struct entry *e, const char *text, setting_value *out)
{
    size_t length = strlen(text);
    size_t most = e->kind == SECRET ? SECRET_BYTES_MAX : sizeof out->text - 1;
    if (length > most)
        return status_new(STATUS_KIND_INVALID, "setting %s is longer than %zu bytes", e->name,
                          most);
    memset(out, 0, sizeof *out);
    if (e->kind == SECRET)
        return parse_secret(text, out);
    memcpy(out->text, text, length);

    bool is_right = true, has_bounds = e->kind == COUNT || e->kind == BYTES;
    switch (e->kind) {
    case COUNT:
        is_right = setting_parse_count(text, &out->number);
        break;
    case BYTES:
        is_right = parse_bytes(text, &out->number);
        break;
    case BOOL:
        is_right = parse_bool(text, &out->number);
        break;
    case CHOICE:
        is_right = find_choice(e->choices, text, length, out->text);
        break;
    case ZONE:
        return parse_zone(text, out);
    case TEXT:
    case SECRET:
        break;
    }
    if (!is_right)
        return setting_wrong_value(e, text);
    bool is_auto = e->kind == COUNT && out->number == 0;
    if (has_bounds && !is_auto &&
        (out->number < e->minimum || (e->maximum && out->number > e->maximum)))
        return setting_wrong_value(e, text);
    return STATUS_OK;
}

static status no_setting(const char *name)
{
    const char *names[ENTRY_COUNT];
    for (size_t i = 0; i < ENTRY_COUNT; i++)
        names[i] = entries[i].name;
    const char *nearest = nearest_name(name, names, ENTRY_COUNT);
    status st = status_new(STATUS_KIND_NOT_FOUND, "there is no setting named \"%s\"", name);
    return nearest ? status_hint(st, "did you mean %s? SHOW ALL lists the settings", nearest)
                   : status_hint(st, "SHOW ALL lists the settings");
}

static status set_one(settings *s, const struct entry *e, const char *text)
{
    setting_value parsed;
    TRY(setting_parse(e, text, &parsed));
    memcpy((char *)s + e->offset, &parsed, sizeof parsed);
    return STATUS_OK;
}

status settings_set(settings *s, const char *name, const char *text)
{
    const struct entry *e = setting_find(name);
    const char *const *switches;
    if (!e)
        return no_setting(name);
    TRY(set_one(s, e, text));
    unsigned count = setting_preset_switches(e->name, &switches);
    for (unsigned i = 0; i < count; i++) {
        const char *value = setting_preset_value(s, i);
        if (value)
            TRY(set_one(s, setting_find(switches[i]), value));
    }
    setting_preset_name(s);
    return STATUS_OK;
}

status settings_init(settings *s)
{
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < ENTRY_COUNT; i++)
        TRY(settings_set(s, entries[i].name, entries[i].initial));
    for (size_t i = 0; i < ENTRY_COUNT; i++) {
        char variable[64];
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

/* ---- layers ---- */

static const struct entry *find_for_layer(const char *name, status *out_failure)
{
    const struct entry *e = setting_find(name);
    if (!e)
        *out_failure = no_setting(name);
    else if (e->is_of_process)
        *out_failure = status_hint(
            status_new(STATUS_KIND_INVALID,
                       "setting %s is the whole database's and cannot be set for a session",
                       e->name),
            "give it when the database is opened");
    else
        return e;
    return NULL;
}

/* And what it sets, if it is a preset. */
static void setting_mark(settings_layer *layer, const struct entry *e, bool is_set)
{
    const char *const *switches;
    unsigned count = setting_preset_switches(e->name, &switches);
    layer->is_set[e - entries] = is_set;
    for (unsigned i = 0; i < count; i++)
        if (!is_set || setting_preset_value(&layer->values, i))
            layer->is_set[setting_find(switches[i]) - entries] = is_set;
}

status settings_layer_set(settings_layer *layer, const char *name, const char *text)
{
    status st = STATUS_OK;
    const struct entry *e = find_for_layer(name, &st);
    if (!e)
        return st;
    TRY(settings_set(&layer->values, name, text));
    setting_mark(layer, e, true);
    return STATUS_OK;
}

status settings_layer_reset(settings_layer *layer, const char *name)
{
    status st = STATUS_OK;
    const struct entry *e = find_for_layer(name, &st);
    if (e)
        setting_mark(layer, e, false);
    return st;
}

void settings_layer_apply(const settings_layer *layer, settings *s)
{
    for (size_t i = 0; i < ENTRY_COUNT; i++)
        if (layer->is_set[i])
            memcpy((char *)s + entries[i].offset, (const char *)&layer->values + entries[i].offset,
                   sizeof(setting_value));
    setting_preset_name(s);
}

const char *settings_get(const settings *s, const char *name)
{
    const struct entry *e = setting_find(name);
    return e ? ((const setting_value *)((const char *)s + e->offset))->text : NULL;
}

const char *settings_reveal(const settings *s, const char *name)
{
    const struct entry *e = setting_find(name);
    if (!e)
        return NULL;
    const setting_value *v = (const setting_value *)((const char *)s + e->offset);
    return e->kind == SECRET ? secret_text(v->number) : v->text;
}

bool setting_is_of_session(const char *name)
{
    const struct entry *e = setting_find(name);
    return !e || !(e->is_of_process || e->is_of_files);
}

bool setting_describe(unsigned index, setting_info *out)
{
    if (index >= ENTRY_COUNT)
        return false;
    const struct entry *e = &entries[index];
    *out = (setting_info){e->name, e->initial, e->choices, e->help};
    return true;
}

/* Prints the values that may be given, as the docs say it. */
static void print_values(const struct entry *e, FILE *to)
{
    char bounds[96];
    switch (e->kind) {
    case COUNT:
        fprintf(to, "`auto`, a number%s", format_bounds(e, bounds, sizeof bounds));
        break;
    case BYTES:
        fprintf(to, "a size (`1GB`, `512MiB`, `80%%`)%s", format_bounds(e, bounds, sizeof bounds));
        break;
    case BOOL:
        fputs("`on`, `off`", to);
        break;
    case TEXT:
        fputs("text", to);
        break;
    case SECRET:
        fputs("text, shown as `***`", to);
        break;
    case ZONE:
        fputs("a time zone (`Europe/Berlin`, `+02`)", to);
        break;
    case CHOICE:
        for (const char *at = e->choices, *end; *at; at = *end ? end + 1 : end) {
            end = at + strcspn(at, "|");
            fprintf(to, "%s`%.*s`", at == e->choices ? "" : ", ", (int)(end - at), at);
        }
        break;
    }
}

void settings_print_markdown(FILE *to)
{
    fputs("# Settings\n\n"
          "Each setting can be given in four ways; a later one wins over an earlier one:\n\n"
          "1. the environment: `PISTACHIO_THREADS=4`\n"
          "2. the command line: `pistachio --set threads=4`\n"
          "3. the library: an option of `pistachio_open`\n"
          "4. SQL: `SET threads = 4`; `SHOW threads` and `SHOW ALL` print them\n\n"
          "This page is made from `src/base/setting/settings.def` by `scripts/update-docs`.\n\n"
          "| name | values | default | meaning |\n|---|---|---|---|\n",
          to);
    for (size_t i = 0; i < ENTRY_COUNT; i++) {
        const struct entry *e = &entries[i];
        fprintf(to, "| `%s` | ", e->name);
        print_values(e, to);
        fprintf(to, " | `%s` | %s |\n", e->initial, e->help);
    }
}
