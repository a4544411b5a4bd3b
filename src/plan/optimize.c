/* optimize.c - the rewrites, in order. */
#include "plan/optimize.h"

#include "plan/rewrite.h"

status plan_optimize(plan_statement *statement)
{
    for (size_t i = 0; i < statement->shared.count; i++) {
        TRY(rewrite_subqueries(statement, statement->shared.items[i], &statement->shared.items[i]));
        TRY(rewrite_filters(statement, statement->shared.items[i], &statement->shared.items[i]));
    }
    TRY(rewrite_subqueries(statement, statement->root, &statement->root));
    TRY(rewrite_filters(statement, statement->root, &statement->root));
    TRY(rewrite_runtime_filters(statement));
    TRY(rewrite_columns(statement));
    TRY(rewrite_ranges(statement));
    return plan_verify(statement);
}
