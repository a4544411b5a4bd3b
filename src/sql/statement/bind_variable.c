/* bind_variable.c - SET VARIABLE: the value is computed before the statement, by a query of its own (sql/catalog/rounds.h),
 * and kept as the text of a constant: CAST('2020-01-01' AS date). getvariable (bind_function.c) binds that text. */
#include "sql/statement/bind_variable.h"

#include "base/type/nested_type.h"
#include "sql/catalog/rounds.h"
#include "sql/types/bind_columns.h"
#include "sql/types/parameter.h"

/* NULL stands for the value. The result is the value as a quoted text, or NULL. */
#define VALUE_QUERY                                                                                \
    "SELECT coalesce('''' || replace(CAST(v AS varchar), '''', '''''') || '''', 'NULL') FROM "     \
    "(SELECT NULL AS v) AS q"

/* Binds the query of the value's text, and finds the type of the value. */
static status variable_query(binder *b, Node *value, data_type *out_type, plan_node **out)
{
    pg_node *tree;
    plan_node *alone;
    TRY(sql_parse(b->memory, VALUE_QUERY, &tree));
    SelectStmt *outer = castNode(SelectStmt, tree);
    const RangeSubselect *range = castNode(RangeSubselect, list_nth(outer->fromClause, 0));
    SelectStmt *inner = castNode(SelectStmt, range->subquery);
    castNode(ResTarget, list_nth(inner->targetList, 0))->val = value;
    TRY(b->bind_subquery(b, inner, NULL, NULL, &alone));
    TRY(bind_resolve_nulls(b, &alone));
    *out_type = alone->columns.items[0].type;
    return b->bind_subquery(b, outer, NULL, NULL, out);
}

/* Returns the value's text that was computed before; the first time ends the binding. */
static status variable_value(binder *b, const SetVariableStmt *tree, data_type *out_type,
                             const char **out)
{
    char name[SQL_ROUND_NAME_BYTES];
    const sql_catalog_entry *entry;
    plan_node *root;
    *out = "NULL";
    TRY(variable_query(b, tree->value, out_type, &root));
    if (b->rounds.is_dry)
        return STATUS_OK;
    uint32_t number = b->rounds.count++;
    if (number >= b->rounds.done) {
        b->rounds.makes_values = true;
        b->rounds.root = root;
        return status_new(STATUS_KIND_INTERNAL, "the value of a variable is not computed");
    }
    sql_round_values(number, name);
    TRY(sql_catalog_find(b->catalog, name, b->held, &entry));
    if (!entry || !entry->view_sql)
        return bind_error(b, STATUS_KIND_INTERNAL, tree->location,
                          "the value of a variable is lost");
    *out = entry->view_sql;
    return STATUS_OK;
}

static status variable_text(binder *b, data_type type, const char *text, const char **out)
{
    size_t bytes = nested_type_text(type, NULL, 0);
    char *name = arena_alloc(b->memory, bytes + 1);
    if (!name)
        return bind_no_memory();
    nested_type_text(type, name, bytes + 1);
    *out = type.id == TYPE_NULL ? text : arena_format(b->memory, "CAST(%s AS %s)", text, name);
    return *out ? STATUS_OK : bind_no_memory();
}

status bind_set_variable(binder *b, const SetVariableStmt *tree, sql_statement *out)
{
    data_type type;
    const char *text;
    out->name = sql_catalog_variable_name(b->memory, tree->name);
    out->kind = tree->value ? SQL_CREATE_VIEW : SQL_DROP_VIEW;
    out->tag = tree->value ? "SET VARIABLE" : "RESET VARIABLE";
    out->replace = out->if_exists = true;
    if (!out->name)
        return bind_no_memory();
    if (!tree->value)
        return STATUS_OK;
    if (b->text->parameters.count)
        return bind_unsupported(b, b->text->parameters.items[0].position,
                                "a parameter in SET VARIABLE is");
    TRY(variable_value(b, tree, &type, &text));
    return variable_text(b, type, text, &out->text);
}
