/* text.c - growing text, and expressions as text. */
#include "plan/tree/text.h"

#include "base/system/guard.h"
#include "plan/tree/function.h"

#include <stdio.h>

static void plan_write(plan_writer *w, const char *text, size_t bytes)
{
    if (w->failed)
        return;
    status st = array_reserve(w->memory, &w->text, bytes);
    if (st) {
        status_free(st);
        w->failed = true;
        return;
    }
    if (bytes)
        memcpy(w->text.items + w->text.count, text, bytes);
    w->text.count += bytes;
}

void plan_write_text(plan_writer *w, const char *text)
{
    plan_write(w, text, strlen(text));
}

void plan_write_format(plan_writer *w, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int bytes = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (bytes >= 0 && (size_t)bytes < sizeof text) {
        plan_write(w, text, (size_t)bytes);
        return;
    }
    char *longer = bytes < 0 ? NULL : arena_alloc(w->memory, (size_t)bytes + 1);
    if (!longer) {
        w->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(longer, (size_t)bytes + 1, format, arguments);
    va_end(arguments);
    plan_write(w, longer, (size_t)bytes);
}

char *plan_writer_finish(plan_writer *w)
{
    plan_write(w, "", 1);
    return w->failed ? NULL : w->text.items;
}

/* ---- expressions ---- */

void plan_write_column(plan_writer *w, uint32_t id, const char *name)
{
    const char *known = w->names && id < w->name_count ? w->names[id] : NULL;
    if (known)
        plan_write_text(w, known);
    else
        plan_write_format(w, "%s#%u", name ? name : "", id);
}

static void write_constant(plan_writer *w, const value *v)
{
    if (v->is_null) {
        plan_write_text(w, "NULL");
        return;
    }
    bool is_text = type_is_text(v->type);
    bool is_quoted =
        is_text || type_is_time(v->type) || v->type.id == TYPE_INTERVAL || v->type.id == TYPE_UUID;
    if (is_quoted && !is_text) {
        char name[TYPE_NAME_BYTES];
        plan_write_format(w, "%s ", type_name(v->type, name));
    }
    char text[INTERVAL_TEXT_BYTES];
    if (is_quoted)
        plan_write_text(w, "'");
    if (is_text)
        plan_write(w, v->text, v->bytes);
    else
        plan_write(w, text, value_format(v, text, sizeof text));
    if (is_quoted)
        plan_write_text(w, "'");
}

static void write_list(plan_writer *w, expr *const *args, uint32_t count, const char *separator)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            plan_write_text(w, separator);
        plan_write_expr(w, args[i]);
    }
}

static void write_infix(plan_writer *w, const expr *e, const char *name)
{
    char separator[40];
    snprintf(separator, sizeof separator, " %s ", name);
    plan_write_text(w, "(");
    write_list(w, e->args, e->arg_count, separator);
    plan_write_text(w, ")");
}

static void write_postfix(plan_writer *w, const expr *e, const char *name)
{
    plan_write_text(w, "(");
    plan_write_expr(w, e->args[0]);
    plan_write_format(w, " %s)", name);
}

static void write_like(plan_writer *w, const expr *e, const char *name)
{
    plan_write_text(w, "(");
    plan_write_expr(w, e->args[0]);
    plan_write_format(w, " %s ", name);
    plan_write_expr(w, e->args[1]);
    if (e->arg_count > 2) {
        plan_write_text(w, " escape ");
        plan_write_expr(w, e->args[2]);
    }
    plan_write_text(w, ")");
}

static void text_write_call(plan_writer *w, const expr *e)
{
    const function_info *f = function_info_of(e->op);
    switch ((function_notation)f->notation) {
    case FUNCTION_NOTATION_INFIX:
        write_infix(w, e, f->name);
        return;
    case FUNCTION_NOTATION_LIKE:
        write_like(w, e, f->name);
        return;
    case FUNCTION_NOTATION_PREFIX:
        plan_write_format(w, "(%s ", f->name);
        plan_write_expr(w, e->args[0]);
        plan_write_text(w, ")");
        return;
    case FUNCTION_NOTATION_POSTFIX:
        write_postfix(w, e, f->name);
        return;
    case FUNCTION_NOTATION_IN:
        plan_write_text(w, "(");
        plan_write_expr(w, e->args[0]);
        plan_write_format(w, " %s (", f->name);
        write_list(w, e->args + 1, e->arg_count - 1, ", ");
        plan_write_text(w, "))");
        return;
    case FUNCTION_NOTATION_CALL:
        plan_write_format(w, "%s(", f->name);
        write_list(w, e->args, e->arg_count, ", ");
        plan_write_text(w, ")");
        return;
    }
}

static void write_case(plan_writer *w, const expr *e)
{
    plan_write_text(w, "CASE");
    for (uint32_t i = 0; i + 1 < e->arg_count; i += 2) {
        plan_write_text(w, " WHEN ");
        plan_write_expr(w, e->args[i]);
        plan_write_text(w, " THEN ");
        plan_write_expr(w, e->args[i + 1]);
    }
    plan_write_text(w, " ELSE ");
    plan_write_expr(w, e->args[e->arg_count - 1]);
    plan_write_text(w, " END");
}

static void write_subquery(plan_writer *w, const expr *e)
{
    switch (e->subquery_kind) {
    case SUBQUERY_SCALAR:
        plan_write_text(w, "(subquery)");
        return;
    case SUBQUERY_EXISTS:
        plan_write_text(w, "exists(subquery)");
        return;
    case SUBQUERY_ANY:
    case SUBQUERY_ALL:
        plan_write_text(w, "(");
        write_list(w, e->args, e->arg_count, ", ");
        plan_write_format(w, " %s %s (subquery))", expr_op_name(e->comparison),
                          e->subquery_kind == SUBQUERY_ANY ? "any" : "all");
        return;
    }
}

void plan_write_expr(plan_writer *w, const expr *e)
{
    if (!guard_may_go_on())
        return;
    char name[TYPE_NAME_BYTES];
    switch (e->kind) {
    case EXPR_COLUMN:
        plan_write_column(w, e->column_id, e->name);
        return;
    case EXPR_CONSTANT:
        write_constant(w, &e->constant);
        return;
    case EXPR_CALL:
        text_write_call(w, e);
        return;
    case EXPR_CAST:
        plan_write_text(w, "CAST(");
        plan_write_expr(w, e->args[0]);
        plan_write_format(w, " AS %s)", type_name(e->type, name));
        return;
    case EXPR_CASE:
        write_case(w, e);
        return;
    case EXPR_SUBQUERY:
        write_subquery(w, e);
        return;
    }
}
