/* rule.h - the rules of the optimizer: a function for each, their names, and those that a statement
 * leaves out.
 *
 * A rewrite takes a node and gives the node to put in its place. Columns keep their ids, so that
 * whatever is above needs no change. */
#ifndef PISTACHIO_PLAN_TREE_RULE_H
#define PISTACHIO_PLAN_TREE_RULE_H

#include "plan/tree/plan.h"

/* May a rule take this decision? Not if the statement leaves it out. */
bool plan_rule_is_on(const plan_statement *statement, plan_rule rule);
/* The rules that a list of names, split by commas, leaves out, as bits for rules_off. "none" or
 * nothing: none; "all": all that can be. The failure names what is wrong and what there is. */
CHECKED status plan_rules_parse(const char *names, uint64_t *out);
const char *plan_rule_name(plan_rule rule);

/* The rules: optimizer_rules.def. */
#define RULE(name, is_needed, help) CHECKED status rewrite_##name(plan_statement *statement);
#define PART(name, help)
#include "plan/tree/optimizer_rules.def"
#undef RULE
#undef PART

#endif
