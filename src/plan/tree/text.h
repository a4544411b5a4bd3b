/* text.h - growing text in an arena, for EXPLAIN and messages.
 *
 * Appending without memory marks the text as failed and does nothing more, so that writers need
 * not check each step. */
#ifndef PISTACHIO_PLAN_TREE_TEXT_H
#define PISTACHIO_PLAN_TREE_TEXT_H

#include "plan/tree/plan.h"

typedef struct plan_writer {
    arena *memory;
    ARRAY(char) text; /* no closing NUL until plan_writer_finish */
    bool failed;
    /* How columns are called, by id; NULL, also as an entry: name#id. */
    const char *const *names;
    uint32_t name_count;
} plan_writer;

void plan_write_text(plan_writer *w, const char *text);
void plan_write_format(plan_writer *w, const char *format, ...) PRINTF_LIKE(2, 3);
/* A column, as the writer's names call it. */
void plan_write_column(plan_writer *w, uint32_t id, const char *name);
/* SQL-like text of an expression (no subquery's plan is spelled out). */
void plan_write_expr(plan_writer *w, const expr *e);
/* The text with a closing NUL, or NULL if memory ran out. */
char *plan_writer_finish(plan_writer *w);

#endif
