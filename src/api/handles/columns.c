/* columns.c - the columns of what a statement returns, known from binding alone. */
#include "api/handles/columns.h"

#include "base/type/nested_type.h"

/* Returns the columns of statements whose rows the API makes: all text. */
static const char *const *made_names(sql_kind kind, uint32_t *out_count)
{
    static const char *const plan[] = {"plan"},
                             *const setting[] = {"name", "value", "default", "description"},
                             *const table[] = {"name", "kind", "rows", "columns"},
                             *const column[] = {"column", "type", "nullable"};
    *out_count = 0;
    switch (kind) {
    case SQL_EXPLAIN:
    case SQL_EXPLAIN_ANALYZE:
        *out_count = 1;
        return plan;
    case SQL_SHOW:
        *out_count = 4;
        return setting;
    case SQL_SHOW_TABLES:
        *out_count = 4;
        return table;
    case SQL_DESCRIBE:
        *out_count = 3;
        return column;
    default:
        return NULL;
    }
}

status api_type_text(arena *a, data_type type, const char **out)
{
    size_t bytes = nested_type_text(type, NULL, 0);
    char *text = arena_alloc(a, bytes + 1);
    if (!text)
        return status_no_memory("name of a type", bytes);
    nested_type_text(type, text, bytes + 1);
    *out = text;
    return STATUS_OK;
}

status api_columns_make(const sql_statement *statement, api_columns *out)
{
    const plan_statement *query = &statement->query;
    uint32_t count;
    const char *const *made = made_names(statement->kind, &count);
    if (statement->kind == SQL_QUERY)
        count = (uint32_t)query->root->columns.count;
    *out = (api_columns){.count = count};
    out->names = arena_alloc_array(query->memory, count + 1, sizeof *out->names);
    out->types = arena_alloc_array(query->memory, count + 1, sizeof *out->types);
    out->type_names = arena_alloc_array(query->memory, count + 1, sizeof *out->type_names);
    if (!out->names || !out->types || !out->type_names)
        return status_no_memory("result", count * sizeof *out->type_names);
    for (uint32_t i = 0; i < count; i++) {
        const plan_column *column = made ? NULL : &query->root->columns.items[i];
        out->names[i] = made ? made[i] : column->name;
        out->types[i] = made ? type_make(TYPE_VARCHAR) : column->type;
        TRY(api_type_text(query->memory, out->types[i], &out->type_names[i]));
    }
    return STATUS_OK;
}
