/* role.c - see role.h. */
#include "server/access/role.h"

#include "exec/sched/weight.h"

#include <stdio.h>
#include <string.h>

#define SECONDS_MAX 8640000

void role_limits_init(role_limits *out)
{
    *out = (role_limits){.group = ROLE_GROUP_DEFAULT, .weight = EXEC_WEIGHT_NORMAL};
}

/* Returns the value of a word NAME=VALUE, or NULL. */
static const char *value_of(const char *word, size_t bytes, const char *name, size_t *out_bytes)
{
    size_t before = strlen(name);
    if (bytes <= before || memcmp(word, name, before) != 0)
        return NULL;
    *out_bytes = bytes - before;
    return word + before;
}

static bool read_number(const char *text, size_t bytes, uint64_t most, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] < '0' || text[i] > '9' || *out > most / 10)
            return false;
        *out = *out * 10 + (uint64_t)(text[i] - '0');
    }
    return *out <= most;
}

/* Reads bytes: a number with kB, MB, GB, KiB, MiB or GiB, or without. */
static bool read_memory(const char *text, size_t bytes, uint64_t *out)
{
    static const struct {
        const char *name;
        uint64_t bytes;
    } units[] = {{"", 1},          {"kB", 1000},     {"MB", 1000000}, {"GB", 1000000000},
                 {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
    size_t digits = 0;
    while (digits < bytes && text[digits] >= '0' && text[digits] <= '9')
        digits++;
    if (!digits || !read_number(text, digits, UINT32_MAX * UINT64_C(1000), out))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == bytes - digits &&
            !memcmp(text + digits, units[i].name, bytes - digits))
            return !__builtin_mul_overflow(*out, units[i].bytes, out) && *out >= ROLE_MEMORY_LEAST;
    return false;
}

static bool read_priority(const char *text, size_t bytes, unsigned *out)
{
    static const struct {
        const char *name;
        unsigned weight;
    } priorities[] = {
        {"low", EXEC_WEIGHT_LOW}, {"normal", EXEC_WEIGHT_NORMAL}, {"high", EXEC_WEIGHT_HIGH}};
    for (size_t i = 0; i < sizeof priorities / sizeof *priorities; i++)
        if (strlen(priorities[i].name) == bytes && !memcmp(text, priorities[i].name, bytes)) {
            *out = priorities[i].weight;
            return true;
        }
    return false;
}

static bool role_read_word(role_limits *limits, const char *word, size_t bytes)
{
    size_t count;
    uint64_t seconds;
    const char *value = value_of(word, bytes, "group=", &count);
    if (value) {
        if (count >= ROLE_GROUP_BYTES)
            return false;
        snprintf(limits->group, sizeof limits->group, "%.*s", (int)count, value);
        return true;
    }
    value = value_of(word, bytes, "priority=", &count);
    if (value)
        return read_priority(value, count, &limits->weight);
    value = value_of(word, bytes, "catalog=", &count);
    if (value) {
        limits->writes_catalog = count == 5 && !memcmp(value, "write", 5);
        return limits->writes_catalog || (count == 4 && !memcmp(value, "read", 4));
    }
    value = value_of(word, bytes, "rows=", &count);
    if (value)
        return read_number(value, count, INT64_MAX, &limits->rows);
    value = value_of(word, bytes, "memory=", &count);
    if (value)
        return read_memory(value, count, &limits->memory);
    value = value_of(word, bytes, "timeout=", &count);
    if (!value || !read_number(value, count, SECONDS_MAX, &seconds))
        return false;
    limits->milliseconds = (int64_t)seconds * 1000;
    return true;
}

bool role_limits_read(role_limits *limits, const char *text, size_t bytes)
{
    for (const char *at = text, *end = text + bytes; at < end;) {
        size_t count = 0;
        while (at + count < end && !strchr(" \t\r", at[count]))
            count++;
        if (count && !role_read_word(limits, at, count))
            return false;
        at += count + 1;
    }
    return true;
}
