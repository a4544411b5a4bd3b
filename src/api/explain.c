/* explain.c - EXPLAIN and EXPLAIN ANALYZE: the plan as rows of text. */
#include "api/internal.h"

#include <stdio.h>

typedef struct annotation {
    const exec_query *query;
    char text[256];
} annotation;

/* All operators of a node together: a join has a build and a probe, an aggregate a sink and a
 * source. */
static const char *annotate(const plan_node *node, void *context)
{
    annotation *a = context;
    uint64_t rows = 0, nanoseconds = 0, bytes = 0, memory = 0;
    for (size_t i = 0; i < a->query->operators.count; i++) {
        const exec_operator *op = a->query->operators.items[i];
        if (op->plan != node)
            continue;
        rows += atomic_load(&op->metrics.rows_out);
        nanoseconds += atomic_load(&op->metrics.nanoseconds);
        bytes += atomic_load(&op->metrics.bytes_read);
        uint64_t peak = atomic_load(&op->metrics.memory_peak);
        memory = peak > memory ? peak : memory;
    }
    int at = snprintf(a->text, sizeof a->text, "  (rows %llu, %.3f s of all threads",
                      (unsigned long long)rows, (double)nanoseconds / 1e9);
    if (bytes)
        at += snprintf(a->text + at, sizeof a->text - (size_t)at, ", read %.1f MB",
                       (double)bytes / 1e6);
    if (memory)
        at += snprintf(a->text + at, sizeof a->text - (size_t)at, ", memory %.1f MB",
                       (double)memory / 1e6);
    snprintf(a->text + at, sizeof a->text - (size_t)at, ")");
    return a->text;
}

status api_explain(pistachio_result *result, bool with_metrics)
{
    static const char *const names[] = {"plan"};
    plan_statement *plan = &result->statement->query;
    annotation context = {.query = result->query};
    char *text = plan_text(plan->memory, plan, with_metrics ? annotate : NULL, &context);
    if (!text)
        return status_no_memory("plan", 0);
    result->made = (api_rows){.column_count = 1, .names = names};
    for (char *line = text; line && *line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = 0;
        const char *cells[] = {line};
        TRY(api_made_row(result, cells));
        line = end ? end + 1 : NULL;
    }
    return STATUS_OK;
}
