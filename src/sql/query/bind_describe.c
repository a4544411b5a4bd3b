/* bind_describe.c - DESCRIBE and SUMMARIZE as items of FROM: a query is written that gives their rows. */
#include "sql/query/bind_describe.h"

#include "sql/expression/bind_scope.h"
#include "sql/query/bind_table.h"
#include "sql/text/summarize.h"
#include "sql/types/bind_columns.h"

#include <stdio.h>
#include <stdlib.h>

/* The columns that are described; nothing is computed of their rows. */
static status described_columns(binder *b, const DescribeStmt *tree, bind_scope *scope,
                                plan_column_list *out)
{
    bind_scope inner = {.parent = scope->parent, .ctes = scope->ctes};
    bool was_dry = b->rounds.is_dry;
    plan_node *node;
    if (tree->relation) {
        TRY(bind_table(b, tree->relation, &inner, &node));
    } else {
        b->rounds.is_dry = true;
        status st =
            b->bind_subquery(b, castNode(SelectStmt, tree->query), NULL, scope->ctes, &node);
        b->rounds.is_dry = was_dry;
        TRY(st);
        TRY(bind_resolve_nulls(b, &node));
    }
    *out = node->columns;
    return STATUS_OK;
}

static void bind_describe_put_text(FILE *to, const char *text)
{
    putc('\'', to);
    for (; *text; text++) {
        if (*text == '\'')
            putc('\'', to);
        putc(*text, to);
    }
    putc('\'', to);
}

static void write_description(FILE *to, const plan_column_list *columns)
{
    char type[TYPE_NAME_BYTES];
    fputs("SELECT column_name, column_type, \"null\", CAST(NULL AS varchar) AS \"key\", "
          "CAST(NULL AS varchar) AS \"default\", CAST(NULL AS varchar) AS extra FROM (VALUES ",
          to);
    for (size_t i = 0; i < columns->count; i++) {
        fprintf(to, "%s(%zu, ", i ? ", " : "", i);
        bind_describe_put_text(to, columns->items[i].name);
        fputs(", ", to);
        bind_describe_put_text(to, type_name(columns->items[i].type, type));
        fputs(columns->items[i].is_nullable ? ", 'YES')" : ", 'NO')", to);
    }
    fputs(") AS d(number, column_name, column_type, \"null\") ORDER BY number", to);
}

static status description_text(arena *a, const plan_column_list *columns, const char **out)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    if (!to)
        return status_no_memory("statement", 0);
    write_description(to, columns);
    bool is_written = !ferror(to);
    is_written &= !fclose(to);
    *out = is_written ? arena_copy_text(a, text, bytes) : NULL;
    (free)(text); /* the library's memory */
    return *out ? STATUS_OK : status_no_memory("statement", bytes);
}

static status summary_text(binder *b, const DescribeStmt *tree, const plan_column_list *columns,
                           const char **out)
{
    for (size_t i = 0; i < b->text->parameters.count; i++) {
        int32_t at = b->text->parameters.items[i].position;
        if (at >= tree->start && at < tree->end)
            return bind_unsupported(b, at, "a parameter in SUMMARIZE is");
    }
    const char *source = arena_copy_text(b->memory, b->text->parsed + tree->start,
                                         (size_t)(tree->end - tree->start));
    return source ? sql_summary_text(b->memory, source, tree->relation != NULL, columns, out)
                  : bind_no_memory();
}

status bind_describe(binder *b, const DescribeStmt *tree, const Alias *alias, bind_scope *scope,
                     plan_node **out)
{
    plan_column_list columns;
    const char *text;
    TRY(described_columns(b, tree, scope, &columns));
    if (tree->summarize)
        TRY(summary_text(b, tree, &columns, &text));
    else
        TRY(description_text(b->memory, &columns, &text));
    TRY(bind_view_query(b, "description", text, out));
    return bind_add_relation(b, scope, *out, NULL, alias, tree->start);
}
