/* zone.c - finding time zones by what SQL calls them, and the offset of a moment. */
#include "base/time/zone.h"

#include "base/mem.h"
#include "base/system/mutex.h"
#include "base/time/zone_file.h"
#include "base/time/zone_rule.h"
#include "base/type/type.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES_MAX ((size_t)1 << 20)
#define HOURS_MAX 25 /* an offset that is a number has less */

static const char *zone_folder(void)
{
    const char *folder = getenv("TZDIR");
    return folder && *folder ? folder : "/usr/share/zoneinfo";
}

/* ---- abbreviations ---- */

/* The abbreviations of PostgreSQL's default set that mean one offset and are in use; minutes east of UTC. */
static const struct {
    char name[5];
    int16_t minutes;
} abbreviations[] = {
    {"ACDT", 630},  {"ACST", 570}, {"ADT", -180}, {"AEDT", 660}, {"AEST", 600}, {"AKDT", -480},
    {"AKST", -540}, {"AST", -240}, {"AWST", 480}, {"BRT", -180}, {"BST", 60},   {"CDT", -300},
    {"CEST", 120},  {"CET", 60},   {"COT", -300}, {"CST", -360}, {"EAT", 180},  {"EDT", -240},
    {"EEST", 180},  {"EET", 120},  {"EST", -300}, {"HKT", 480},  {"HST", -600}, {"ICT", 420},
    {"IDT", 180},   {"IST", 120},  {"JST", 540},  {"KST", 540},  {"MDT", -360}, {"MEST", 120},
    {"MESZ", 120},  {"MET", 60},   {"MEZ", 60},   {"MST", -420}, {"NDT", -150}, {"NPT", 345},
    {"NST", -210},  {"NZDT", 780}, {"NZST", 720}, {"PDT", -420}, {"PET", -300}, {"PHT", 480},
    {"PKT", 300},   {"PST", -480}, {"SAST", 120}, {"WAT", 60},   {"WET", 0},
};

/* Finds an abbreviation of three or four letters; false: it is not known. */
static bool find_abbreviation(const char *name, size_t bytes, zone *out)
{
    for (size_t i = 0; i < sizeof abbreviations / sizeof *abbreviations; i++) {
        const char *known = abbreviations[i].name;
        if (strlen(known) != bytes || strncasecmp(known, name, bytes) != 0)
            continue;
        *out = (zone){.has_rule = true, .rule.offset = abbreviations[i].minutes * 60};
        memcpy(out->rule.standard, known, bytes + 1);
        memcpy(out->name, known, bytes + 1);
        return true;
    }
    return false;
}

/* As it is spelled, or NULL. */
static const char *utc_name(const char *name, size_t bytes)
{
    static const char *const names[] = {
        "UTC", "UCT", "Zulu", "Etc/UTC", "Etc/UCT", "Etc/Zulu", "Etc/Universal", "Universal", "Z"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == bytes && !strncasecmp(names[i], name, bytes))
            return names[i];
    return NULL;
}

bool zone_is_utc_name(const char *name, size_t bytes)
{
    return utc_name(name, bytes) != NULL;
}

static void make_utc(const char *name, zone *out)
{
    *out = (zone){.has_rule = true, .rule.standard = "UTC"};
    snprintf(out->name, sizeof out->name, "%s", name);
}

void zone_make_fixed(int32_t offset, zone *out)
{
    char west[ZONE_SHORT_BYTES];
    *out = (zone){.has_rule = true, .rule.offset = offset};
    zone_offset_format(offset, out->rule.standard);
    zone_offset_format(-offset, west);
    snprintf(out->name, sizeof out->name, "<%s>%s", out->rule.standard, west);
}

/* ---- files ---- */

/* Parts of letters, digits, + - _, with / between them: nothing that leads out of the folder. */
static bool is_file_name(const char *name, size_t bytes)
{
    if (!bytes || bytes >= ZONE_NAME_BYTES - 1)
        return false;
    for (size_t i = 0; i < bytes; i++) {
        bool is_part = isalnum((unsigned char)name[i]) || strchr("+-_", name[i]);
        bool is_between = name[i] == '/' && i && i + 1 < bytes && name[i - 1] != '/';
        if (!name[i] || !(is_part || is_between))
            return false;
    }
    return true;
}

/* *path ends with a part of a name in some case of letters: put it as the folder spells it. */
static bool respell_part(char *path, size_t part)
{
    bool is_found = false;
    path[part - 1] = '\0';
    DIR *folder = opendir(path);
    path[part - 1] = '/';
    if (!folder)
        return false;
    for (struct dirent *entry; !is_found && (entry = readdir(folder));)
        if (!strcasecmp(entry->d_name, path + part)) {
            memcpy(path + part, entry->d_name, strlen(path + part));
            is_found = true;
        }
    closedir(folder);
    return is_found;
}

/* Spells all parts after `from` as the folders do. */
static bool respell(char *path, size_t from)
{
    for (char *at = path + from, *end; *at; at = end) {
        end = at + strcspn(at, "/");
        char after = *end;
        *end = '\0';
        bool is_found = respell_part(path, (size_t)(at - path));
        *end = after;
        if (!is_found)
            return false;
        end += after == '/';
    }
    return true;
}

/* Reads all bytes of an open file; NULL in *out: it is not a plain file, or too large for a zone's. */
static status zone_read_bytes(int file, uint8_t **out, size_t *out_count)
{
    struct stat about;
    *out = NULL;
    *out_count = 0;
    if (fstat(file, &about) || !S_ISREG(about.st_mode) || (size_t)about.st_size > FILE_BYTES_MAX)
        return STATUS_OK;
    size_t room = (size_t)about.st_size;
    *out = mem_new(room + 1);
    if (!*out)
        return status_no_memory("time zone", room);
    while (*out_count < room) {
        ssize_t got = read(file, *out + *out_count, room - *out_count);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        *out_count += (size_t)got;
    }
    return STATUS_OK;
}

/* A zone that was read, kept until the process ends: at most as many as there are files. */
typedef struct known_zone {
    struct known_zone *next;
    zone zone;
    char path[];
} known_zone;

static pthread_mutex_t known_lock = MUTEX_INITIALIZER;
static known_zone *known;

static const zone *zone_find_known(const char *path)
{
    for (const known_zone *k = known; k; k = k->next)
        if (!strcmp(k->path, path))
            return &k->zone;
    return NULL;
}

void zone_forget(void)
{
    mutex_lock(&known_lock);
    for (known_zone *k = known, *next; k; k = next) {
        next = k->next;
        zone_table_free((zone_table *)k->zone.table);
        mem_free(k);
    }
    known = NULL;
    mutex_unlock(&known_lock);
}

/* *out_is_zone: the file is one. Under the lock. */
static status zone_load(int file, const char *path, size_t name, zone *out, bool *out_is_zone)
{
    uint8_t *bytes;
    size_t count, length = strlen(path);
    zone_table *table = NULL;
    memset(out, 0, sizeof *out);
    *out_is_zone = false;
    TRY(zone_read_bytes(file, &bytes, &count));
    status st =
        bytes ? zone_table_parse(bytes, count, &table, &out->rule, &out->has_rule) : STATUS_OK;
    mem_free(bytes);
    if (st || !table)
        return st;
    known_zone *k = mem_new(sizeof *k + length + 1);
    if (!k) {
        zone_table_free(table);
        return status_no_memory("time zone", sizeof *k + length);
    }
    out->table = table;
    snprintf(out->name, sizeof out->name, "%s", path + name);
    k->zone = *out;
    memcpy(k->path, path, length + 1);
    k->next = known;
    known = k;
    *out_is_zone = true;
    return STATUS_OK;
}

static status zone_find_path(char *path, size_t name, zone *out, bool *out_is_zone)
{
    const zone *found = zone_find_known(path);
    *out_is_zone = found != NULL;
    if (found) {
        *out = *found;
        return STATUS_OK;
    }
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 && respell(path, name)) {
        found = zone_find_known(path);
        *out_is_zone = found != NULL;
        if (found) {
            *out = *found;
            return STATUS_OK;
        }
        file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    }
    if (file < 0)
        return STATUS_OK;
    status st = zone_load(file, path, name, out, out_is_zone);
    close(file);
    return st;
}

static status find_file(const char *name, size_t bytes, zone *out, bool *out_is_zone)
{
    const char *folder = zone_folder();
    char path[4096];
    *out_is_zone = false;
    if (!is_file_name(name, bytes) || strlen(folder) + bytes + 2 > sizeof path)
        return STATUS_OK;
    int from = snprintf(path, sizeof path, "%s/", folder);
    memcpy(path + from, name, bytes);
    path[(size_t)from + bytes] = '\0';
    mutex_lock(&known_lock);
    status st = zone_find_path(path, (size_t)from, out, out_is_zone);
    mutex_unlock(&known_lock);
    /* A name that is also an abbreviation's means the file's only with a colon. */
    zone shadow;
    if (!st && *out_is_zone && find_abbreviation(out->name, strlen(out->name), &shadow)) {
        memmove(out->name + 1, out->name, strlen(out->name) + 1);
        out->name[0] = ':';
    }
    return st;
}

/* ---- all of them ---- */

static status not_known(const char *name, size_t bytes)
{
    const char *folder = zone_folder();
    status st = status_new(STATUS_KIND_INVALID, "time zone \"%.*s\" is not known",
                           (int)(bytes < 80 ? bytes : 80), name);
    if (access(folder, R_OK | X_OK))
        return status_hint(st,
                           "there are no zones in %s: install the package tzdata, or name their "
                           "folder in TZDIR",
                           folder);
    return status_hint(st, "write a name as in %s (Europe/Berlin), or an offset", folder);
}

static bool find_rule(const char *name, size_t bytes, zone *out)
{
    *out = (zone){.has_rule = true};
    if (bytes >= ZONE_NAME_BYTES || !zone_rule_parse(name, bytes, &out->rule))
        return false;
    memcpy(out->name, name, bytes);
    return true;
}

static status find_named(const char *name, size_t bytes, zone *out)
{
    bool is_found;
    bool is_file = bytes && *name == ':';
    const char *utc = is_file ? NULL : utc_name(name, bytes);
    if (utc) {
        make_utc(utc, out);
        return STATUS_OK;
    }
    TRY(find_file(name + is_file, bytes - is_file, out, &is_found));
    if (is_found || (!is_file && find_rule(name, bytes, out)))
        return STATUS_OK;
    return not_known(name, bytes);
}

status zone_find(const char *name, size_t bytes, zone *out)
{
    if (find_abbreviation(name, bytes, out))
        return STATUS_OK;
    return find_named(name, bytes, out);
}

status zone_find_setting(const char *text, zone *out)
{
    double hours;
    size_t bytes = strlen(text), sign = *text == '+';
    if (!double_parse(text + sign, bytes - sign, &hours))
        return find_named(text, bytes, out);
    if (!(fabs(hours) < HOURS_MAX))
        return status_new(STATUS_KIND_INVALID, "time zone \"%s\" is out of range", text);
    int32_t offset = (int32_t)(hours * 3600);
    if (offset)
        zone_make_fixed(offset, out);
    else
        make_utc("UTC", out);
    return STATUS_OK;
}

/* ---- moments ---- */

void zone_at(const zone *z, int64_t instant, zone_span *span)
{
    if (instant >= span->from && instant < span->to)
        return;
    if (z->table && zone_table_at(z->table, z->has_rule, instant, span))
        return;
    zone_rule_at(&z->rule, instant, span);
    if (z->table && span->from < zone_table_end(z->table))
        span->from = zone_table_end(z->table);
}

int32_t zone_offset_of_local(const zone *z, int64_t local, zone_span *span)
{
    /* The change that may concern it is the next one after a day before: no offset is as large. */
    zone_span after = {0};
    zone_at(z, local - 86400, span);
    int64_t boundary = span->to;
    if (boundary == INT64_MAX)
        return span->offset;
    int64_t by_before = local - span->offset;
    if (by_before < boundary - 2 * 86400) /* nor is a difference of offsets */
        return span->offset;
    zone_at(z, boundary, &after);
    int64_t by_after = local - after.offset;
    if (by_before < boundary && by_after < boundary)
        return span->offset;
    if (by_before >= boundary && by_after >= boundary)
        return after.offset;
    return by_before > by_after ? span->offset : after.offset;
}
