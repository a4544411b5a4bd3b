/* bind_named.c - statements and macros that are kept by name: as views of names that SQL cannot write (sql/catalog). */
#include "sql/statement/bind_named.h"

#include "sql/expression/bind_expr.h"
#include "sql/expression/bind_macro.h"

#include <strings.h>

static status named_no_memory(void)
{
    return status_no_memory("statement", 0);
}

/* ---- PREPARE, DEALLOCATE ---- */

/* Parameters get their places when the statement is executed. */
static void pass_parameters(binder *b, sql_statement *out)
{
    sql_text *text = (sql_text *)b->text;
    for (size_t i = 0; i < text->parameters.count; i++)
        text->parameters.items[i].is_bound = true;
    out->parameter_count = 0;
}

status bind_prepare(binder *b, const PrepareStmt *tree, sql_statement *out)
{
    switch (tree->query ? nodeTag(tree->query) : T_Invalid) {
    case T_SelectStmt:
    case T_InsertStmt:
    case T_CopyStmt:
    case T_CreateTableAsStmt:
        break;
    default:
        return bind_unsupported(b, tree->query_location, "PREPARE of this statement is");
    }
    out->kind = SQL_CREATE_VIEW;
    out->tag = "PREPARE";
    out->replace = true;
    out->name = sql_catalog_prepared_name(b->memory, tree->name);
    out->text = b->text->text + tree->query_location;
    pass_parameters(b, out);
    return out->name ? STATUS_OK : named_no_memory();
}

/* Fails unless there is a prepared statement of that name. */
static status find_prepared(binder *b, const char *name, int32_t location,
                            const sql_catalog_entry **out)
{
    char *key = sql_catalog_prepared_name(b->memory, name);
    if (!key)
        return named_no_memory();
    TRY(sql_catalog_find(b->catalog, key, b->held, out));
    if (*out && (*out)->view_sql)
        return STATUS_OK;
    return status_hint(bind_error(b, STATUS_KIND_NOT_FOUND, location,
                                  "prepared statement \"%s\" does not exist", name),
                       "PREPARE makes one, for this connection alone");
}

status bind_deallocate(binder *b, const DeallocateStmt *tree, sql_statement *out)
{
    const sql_catalog_entry *entry;
    out->kind = tree->name ? SQL_DROP_VIEW : SQL_DEALLOCATE_ALL;
    out->tag = tree->name ? "DEALLOCATE" : "DEALLOCATE ALL";
    if (!tree->name)
        return STATUS_OK;
    TRY(find_prepared(b, tree->name, tree->location, &entry));
    out->name = sql_catalog_prepared_name(b->memory, tree->name);
    return out->name ? STATUS_OK : named_no_memory();
}

/* ---- EXECUTE ---- */

bool bind_is_execute(const sql_text *text)
{
    static const char word[] = "execute";
    return !text->is_empty && !text->refused &&
           !strncasecmp(text->parsed + text->start, word, sizeof word - 1);
}

static status execute_value(binder *b, const pg_node *node, value *out)
{
    bind_scope none = {.clause = "EXECUTE", .windowless = "EXECUTE"};
    expr *e;
    TRY(bind_expr(b, node, &none, &e));
    if (e->kind != EXPR_CONSTANT)
        return bind_error(b, STATUS_KIND_UNSUPPORTED, bind_location(node),
                          "a value of EXECUTE that is not constant is not supported");
    *out = e->constant;
    return STATUS_OK;
}

/* The number of the parameter that an argument is for: by its name, or its place. */
static status argument_number(binder *b, const ExecuteStmt *tree, const sql_text *text,
                              size_t place, const pg_node **value, size_t *out)
{
    *value = list_nth(tree->params, place);
    *out = place;
    if (!IsA(*value, NamedArgExpr))
        return STATUS_OK;
    const NamedArgExpr *named = castNode(NamedArgExpr, *value);
    *value = named->arg;
    for (size_t i = 0; i < text->parameter_names.count; i++) {
        const char *name = text->parameter_names.items[i];
        *out = i;
        if (name && !strcasecmp(name, named->name))
            return STATUS_OK;
    }
    return bind_error(b, STATUS_KIND_NOT_FOUND, named->location,
                      "prepared statement \"%s\" has no parameter $%s", tree->name, named->name);
}

static status execute_values(binder *b, const ExecuteStmt *tree, const sql_text *text, value **out)
{
    size_t count = text->parameter_names.count;
    if (list_length(tree->params) != count)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "prepared statement \"%s\" has %zu parameters, but is given %zu",
                          tree->name, count, list_length(tree->params));
    *out = arena_alloc_array(b->memory, count + 1, sizeof **out);
    if (!*out)
        return named_no_memory();
    for (size_t i = 0; i < count; i++) {
        const pg_node *node;
        size_t number;
        TRY(argument_number(b, tree, text, i, &node, &number));
        TRY(execute_value(b, node, &(*out)[number]));
    }
    return STATUS_OK;
}

status bind_execute(binder *b, const ExecuteStmt *tree, sql_text *text, bind_view *view)
{
    const sql_catalog_entry *entry;
    sql_text prepared;
    value *values;
    TRY(find_prepared(b, tree->name, tree->location, &entry));
    TRY(sql_text_make(b->memory, entry->view_sql, strlen(entry->view_sql), &prepared));
    TRY(execute_values(b, tree, &prepared, &values));
    TRY(bind_check_parameters(b));
    bind_parameters *p = b->parameters;
    size_t count = prepared.parameter_names.count;
    *p = (bind_parameters){.values = values, .count = (uint32_t)count};
    p->types = arena_alloc_array(b->memory, count + 1, sizeof *p->types);
    if (!p->types)
        return named_no_memory();
    *view = (bind_view){.name = entry->name};
    b->views = view;
    *text = prepared;
    return STATUS_OK;
}

/* ---- macros ---- */

status bind_macro_statement(binder *b, const MacroStmt *tree, sql_statement *out)
{
    if (b->text->parameters.count)
        return bind_unsupported(b, b->text->parameters.items[0].position,
                                "a parameter in a macro is");
    TRY(bind_check_macro(b, tree));
    out->kind = tree->is_drop ? SQL_DROP_VIEW : SQL_CREATE_VIEW;
    out->tag = tree->is_drop ? "DROP MACRO" : "CREATE MACRO";
    out->replace = tree->replace;
    out->is_temporary = tree->is_temporary;
    out->if_exists = tree->if_exists;
    out->cascades = tree->behavior == DROP_CASCADE;
    out->name = sql_catalog_macro_name(b->memory, tree->name);
    out->text = b->text->text;
    return out->name ? STATUS_OK : named_no_memory();
}
