/* optimize.c - runs the rules, in order. */
#include "plan/rules/optimize.h"

#include "base/system/guard.h"
#include "base/trace/trace.h"
#include "plan/nodes/verify.h"
#include "plan/tree/rule.h"

typedef struct rule {
    const char *name;
    bool is_needed;
    status (*apply)(plan_statement *statement); /* NULL: a part of the rule before it */
} rule;

static const rule rules[PLAN_RULE_COUNT] = {
#define RULE(name, is_needed, help) {#name, is_needed, rewrite_##name},
#define PART(name, help) {#name, false, NULL},
#include "plan/tree/optimizer_rules.def"
#undef RULE
#undef PART
};

/* ---- running ---- */

_Static_assert(PLAN_RULE_COUNT <= 64, "a bit of rules_off each");

/* Checks that a rule leaves a plan: after each in debug builds, else after the last. */
static status optimize_check(const plan_statement *statement, unsigned number)
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

static status optimize_check_columns(const plan_statement *statement)
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
    TRY(optimize_check_columns(statement));
    for (unsigned r = 0; r < PLAN_RULE_COUNT; r++) {
        bool is_on = rules[r].is_needed || plan_rule_is_on(statement, (plan_rule)r);
        if (rules[r].apply && is_on) {
            int64_t start = trace_now();
            TRY(rules[r].apply(statement));
            TRY(guard_check());
            statement->rule_nanoseconds[r] = (uint64_t)(trace_now() - start);
        }
        if (rules[r].apply)
            TRY(optimize_check(statement, r));
    }
    return STATUS_OK;
}
