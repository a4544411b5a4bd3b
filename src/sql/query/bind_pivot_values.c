/* bind_pivot_values.c - the values of a PIVOT without IN. They are computed before the statement, by a query of their own
 * (sql/catalog/rounds.h), which makes one text of them: 'a','b''c'. */
#include "sql/catalog/rounds.h"
#include "sql/query/bind_pivot.h"
#include "sql/text/tree.h"
#include "sql/types/bind_columns.h"
#include "sql/types/parameter.h"

/* NULL and t stand for the key and the source. */
#define VALUES_QUERY                                                                               \
    "SELECT string_agg('''' || replace(CAST(v AS varchar), '''', '''''') || '''', ',' ORDER BY "   \
    "v) "                                                                                          \
    "FROM (SELECT DISTINCT NULL AS v FROM t) AS q WHERE v IS NOT NULL"

/* Makes the query that gives the values. */
static status values_query(pivot_source *p, const PivotColumn *column, pg_select **out)
{
    pg_node *tree, *source = p->tree->source;
    TRY(sql_parse(p->b->memory, VALUES_QUERY, &tree));
    *out = castNode(SelectStmt, tree);
    const pg_node *range = list_nth((*out)->fromClause, 0);
    SelectStmt *inner = castNode(SelectStmt, castNode(RangeSubselect, range)->subquery);
    castNode(ResTarget, list_nth(inner->targetList, 0))->val = column->key;
    inner->fromClause = tree_list(p->b->memory, &source, 1);
    return inner->fromClause ? STATUS_OK : bind_no_memory();
}

/* Ends the binding: the values are needed first. */
static status ask_for_values(pivot_source *p, const PivotColumn *column)
{
    binder *b = p->b;
    pg_select *select;
    plan_node *root;
    TRY(values_query(p, column, &select));
    TRY(b->bind_subquery(b, select, NULL, p->inner.ctes, &root));
    b->rounds.makes_values = true;
    b->rounds.root = root;
    return status_new(STATUS_KIND_INTERNAL, "the values of PIVOT are not computed");
}

static status add_value(pivot_source *p, const char *text, size_t bytes, pivot_nodes *out)
{
    char *value = arena_alloc(p->b->memory, bytes + 1), *to = value;
    if (!value)
        return bind_no_memory();
    for (size_t i = 0; i < bytes; i++) {
        *to++ = text[i];
        i += text[i] == '\''; /* written twice */
    }
    *to = 0;
    pg_node *node = tree_text(p->b->memory, value, -1);
    return node ? pivot_target(p->b, value, node, out) : bind_no_memory();
}

/* Takes the text of the values apart. */
static status read_values(pivot_source *p, const char *text, pivot_nodes *out)
{
    while (*text == '\'') {
        const char *end = ++text;
        while (*end && (*end != '\'' || end[1] == '\''))
            end += *end == '\'' ? 2 : 1;
        TRY(add_value(p, text, (size_t)(end - text), out));
        text = *end ? end + 1 : end;
        text += *text == ',';
    }
    return STATUS_OK;
}

status pivot_find_values(pivot_source *p, const PivotColumn *column, pivot_nodes *out)
{
    binder *b = p->b;
    char name[SQL_ROUND_NAME_BYTES];
    const sql_catalog_entry *entry;
    if (b->parameters->is_described) /* rows are not known yet, and neither are these columns */
        return STATUS_OK;
    if (b->rounds.is_dry)
        return status_hint(
            bind_unsupported(b, column->location, "PIVOT without IN in this place is"),
            "list the values: ON key IN (...)");
    uint32_t number = b->rounds.count++;
    if (number >= b->rounds.done)
        return ask_for_values(p, column);
    sql_round_values(number, name);
    TRY(sql_catalog_find(b->catalog, name, b->held, &entry));
    if (!entry || !entry->view_sql)
        return bind_error(b, STATUS_KIND_INTERNAL, column->location,
                          "the values of PIVOT are lost");
    return read_values(p, entry->view_sql, out);
}
