/* rule.c - see rule.h. */
#include "plan/tree/rule.h"

#include <stdio.h>
#include <strings.h>

typedef struct rule {
    const char *name;
    bool is_needed;
} rule;

static const rule rules[PLAN_RULE_COUNT] = {
#define RULE(name, is_needed, help) {#name, is_needed},
#define PART(name, help) {#name, false},
#include "plan/tree/optimizer_rules.def"
#undef RULE
#undef PART
};

const char *plan_rule_name(plan_rule rule)
{
    return rules[rule].name;
}

bool plan_rule_is_on(const plan_statement *statement, plan_rule rule)
{
    return !(statement->rules_off >> rule & 1);
}

static uint64_t all_optional(void)
{
    uint64_t bits = 0;
    for (unsigned r = 0; r < PLAN_RULE_COUNT; r++)
        if (!rules[r].is_needed)
            bits |= (uint64_t)1 << r;
    return bits;
}

static status with_names(status st)
{
    char names[256] = "";
    size_t at = 0;
    for (unsigned r = 0; r < PLAN_RULE_COUNT && at < sizeof names; r++)
        if (!rules[r].is_needed)
            at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", at ? ", " : "",
                                   rules[r].name);
    return status_hint(st, "these can be left out: %s; or all, or none", names);
}

static status rule_parse_name(const char *name, int bytes, uint64_t *bits)
{
    if (!bytes || (bytes == 4 && !strncasecmp(name, "none", 4)))
        return STATUS_OK;
    if (bytes == 3 && !strncasecmp(name, "all", 3)) {
        *bits |= all_optional();
        return STATUS_OK;
    }
    for (unsigned r = 0; r < PLAN_RULE_COUNT; r++) {
        if ((int)strlen(rules[r].name) != bytes || strncasecmp(name, rules[r].name, (size_t)bytes))
            continue;
        if (rules[r].is_needed)
            return with_names(status_new(STATUS_KIND_INVALID,
                                         "the optimizer rule \"%s\" cannot be left out",
                                         rules[r].name));
        *bits |= (uint64_t)1 << r;
        return STATUS_OK;
    }
    return with_names(
        status_new(STATUS_KIND_INVALID, "there is no optimizer rule named \"%.*s\"", bytes, name));
}

status plan_rules_parse(const char *names, uint64_t *out)
{
    static const char blanks[] = ", \t";
    *out = 0;
    for (const char *at = names + strspn(names, blanks); *at; at += strspn(at, blanks)) {
        size_t bytes = strcspn(at, blanks);
        TRY(rule_parse_name(at, (int)bytes, out));
        at += bytes;
    }
    return STATUS_OK;
}
