/* optimize.c - runs the rules, in order. */
#include "plan/optimize.h"

#include "base/guard.h"
#include "base/trace.h"
#include "plan/rewrite.h"

#include <stdio.h>
#include <strings.h>

typedef struct rule {
    const char *name;
    bool is_needed;
    status (*apply)(plan_statement *statement); /* NULL: a part of the rule before it */
} rule;

static const rule rules[PLAN_RULE_COUNT] = {
#define RULE(name, is_needed, help) {#name, is_needed, rewrite_##name},
#define PART(name, help) {#name, false, NULL},
#include "plan/optimizer_rules.def"
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

/* ---- leaving rules out ---- */

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

static status parse_name(const char *name, int bytes, uint64_t *bits)
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
        TRY(parse_name(at, (int)bytes, out));
        at += bytes;
    }
    return STATUS_OK;
}

/* ---- running ---- */

_Static_assert(PLAN_RULE_COUNT <= 64, "a bit of rules_off each");

/* What a rule leaves must be a plan. Checked after each in debug builds, else after the last. */
static status check(const plan_statement *statement, unsigned number)
{
    bool is_last = true;
    for (unsigned r = number + 1; r < PLAN_RULE_COUNT; r++)
        is_last &= !rules[r].apply;
#ifndef NDEBUG
    is_last = true;
#endif
    if (!is_last)
        return STATUS_OK;
    return status_context(plan_verify(statement), "after the optimizer rule \"%s\"",
                          rules[number].name);
}

/* Columns of a statement's rows: messages between ranks number them by 16 bits. */
#define COLUMNS_MAX UINT16_MAX

static status check_columns(const plan_statement *statement)
{
    size_t count = statement->root->columns.count;
    if (count <= COLUMNS_MAX)
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_UNSUPPORTED,
                                  "the statement gives rows of %zu columns: %d is the most", count,
                                  COLUMNS_MAX),
                       "select fewer columns");
}

status plan_optimize(plan_statement *statement)
{
    TRY(check_columns(statement));
    for (unsigned r = 0; r < PLAN_RULE_COUNT; r++) {
        bool is_on = rules[r].is_needed || plan_rule_is_on(statement, (plan_rule)r);
        if (rules[r].apply && is_on) {
            int64_t start = trace_now();
            TRY(rules[r].apply(statement));
            TRY(guard_check());
            statement->rule_nanoseconds[r] = (uint64_t)(trace_now() - start);
        }
        if (rules[r].apply)
            TRY(check(statement, r));
    }
    return STATUS_OK;
}

/* ---- for rules that take one tree at a time ---- */

status plan_each_tree(plan_statement *statement,
                      status (*rewrite)(plan_statement *statement, plan_node *node,
                                        plan_node **out))
{
    for (size_t i = 0; i < statement->shared.count; i++)
        TRY(rewrite(statement, statement->shared.items[i], &statement->shared.items[i]));
    return rewrite(statement, statement->root, &statement->root);
}
