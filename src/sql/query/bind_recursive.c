/* bind_recursive.c - WITH RECURSIVE: first UNION [ALL] step.
 *
 * The rows are made before the statement is bound to its end: those of the first query are round 0, and a
 * round is what the step makes of the rows of the round before, until there are none. With UNION rows that
 * are there already are left out. A reference inside the step is a scan of the last round's rows, any other
 * one of all of them. Whose rows are not there yet ends the binding, with the query that makes them. */
#include "sql/query/bind_recursive.h"

#include "parquet/write/writer.h"
#include "parquet/write/writer_stage.h"
#include "sql/catalog/rounds.h"
#include "sql/query/bind_set.h"
#include "sql/query/bind_table.h"
#include "sql/query/bind_with.h"
#include "sql/types/bind_columns.h"
#include "sql/types/bind_type.h"
#include "sql/types/binder.h"

#include <stdio.h>

/* A node that has these columns, with ids of its own, and no rows. */
static status bind_recursive_no_rows(binder *b, const plan_column_list *columns, plan_node **out)
{
    plan_node *node = plan_node_new(b->memory, PLAN_VALUES, 0);
    if (!node)
        return bind_no_memory();
    for (size_t i = 0; i < columns->count; i++) {
        plan_column column = columns->items[i];
        column.id = bind_new_id(b);
        column.is_nullable = true;
        TRY(array_push(b->memory, &node->columns, column));
    }
    *out = node;
    return STATUS_OK;
}

/* The rows of one or of all rounds, under the query's own names. */
static status kept_rows(binder *b, const bind_cte *cte, uint32_t number, bool is_last_round,
                        const plan_column_list *columns, plan_node **out)
{
    char name[SQL_ROUND_NAME_BYTES];
    const sql_catalog_entry *entry;
    sql_round_table(number, is_last_round, name);
    TRY(sql_catalog_find(b->catalog, name, b->held, &entry));
    if (!entry || entry->table->columns.count != columns->count)
        return status_new(STATUS_KIND_INTERNAL, "recursive query \"%s\" has no rows", cte->name);
    TRY(bind_parts(b, &entry->parts, cte->name, NULL, out));
    for (size_t i = 0; i < columns->count; i++) {
        plan_column *column = &(*out)->columns.items[i];
        column->name = columns->items[i].name;
        if (type_equal(column->type,
                       columns->items[i].type)) /* json and oid have other names in files */
            column->type = columns->items[i].type;
    }
    if (!is_last_round && b->rounds.round == SQL_ROUND_MERGE) {
        b->rounds.parts = entry->parts;
        b->rounds.kept_parts = sql_parts_kept(&entry->parts);
    }
    return STATUS_OK;
}

status bind_recursive_reference(binder *b, bind_cte *cte, plan_node **out)
{
    if (cte->recursion == RECURSION_FIRST)
        return status_hint(
            bind_error(b, STATUS_KIND_INVALID, cte->tree->location,
                       "recursive query \"%s\" must not refer to itself but behind its UNION",
                       cte->name),
            "WITH RECURSIVE r AS (first UNION [ALL] step), where only step reads r");
    cte->references++;
    b->rounds.references++;
    TRY(bind_recursive_no_rows(b, cte->columns, out));
    return array_push(b->memory, &cte->places, *out);
}

/* Puts the last round's rows in the place of references inside the step. The query is numbered after those that its step reads,
 * so they are not known when the references are bound. */
static status fill_places(binder *b, const bind_cte *cte, uint32_t number)
{
    if (number != b->rounds.done || b->rounds.round == SQL_ROUND_FIRST)
        return STATUS_OK;
    for (size_t i = 0; i < cte->places.count; i++) {
        plan_node *place = cte->places.items[i], *rows;
        TRY(kept_rows(b, cte, number, true, &place->columns, &rows));
        for (size_t c = 0; c < place->columns.count; c++) {
            rows->columns.items[c].id = place->columns.items[c].id;
            rows->columns.items[c].is_nullable = true;
        }
        *place = *rows;
    }
    return STATUS_OK;
}

/* Files without names hold the rows. */
static status bind_recursive_check_columns(const binder *b, const bind_cte *cte,
                                           const plan_node *first)
{
    for (size_t i = 0; i < first->columns.count; i++) {
        const plan_column *column = &first->columns.items[i];
        char type[TYPE_NAME_BYTES];
        if (!pq_writer_can_hold(column->type))
            return status_hint(
                bind_error(b, STATUS_KIND_UNSUPPORTED, cte->tree->location,
                           "recursive query \"%s\" cannot have column \"%s\" of type %s", cte->name,
                           column->name, type_name(column->type, type)),
                "CAST(... AS varchar) keeps it as text");
    }
    return STATUS_OK;
}

static bool is_whole(data_type type)
{
    return type_is_integer(type) || (type.id == TYPE_DECIMAL && !type.scale);
}

/* The step's columns get the first query's types. Whole numbers that these cannot hold fail when they are computed. */
static status match_step(binder *b, const bind_cte *cte, const plan_node *first, plan_node **step)
{
    size_t count = first->columns.count;
    int32_t location = cte->tree->location;
    data_type *types = arena_alloc_array(b->memory, count + 1, sizeof *types), common;
    if (!types)
        return bind_no_memory();
    if ((*step)->columns.count != count)
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "each UNION query must have the same number of columns, not %zu and %zu",
                          count, (*step)->columns.count);
    for (size_t i = 0; i < count; i++) {
        char l[TYPE_NAME_BYTES], r[TYPE_NAME_BYTES];
        const plan_column *column = &first->columns.items[i];
        data_type given = (*step)->columns.items[i].type;
        types[i] = column->type;
        bool are_whole = is_whole(column->type) && is_whole(given);
        if (given.id != TYPE_NULL && !are_whole &&
            (!bind_common_type(column->type, given, &common) || !type_equal(common, column->type)))
            return status_hint(
                bind_error(b, STATUS_KIND_INVALID, location,
                           "column \"%s\" of recursive query \"%s\" is %s before UNION, but %s "
                           "behind it",
                           column->name, cte->name, type_name(column->type, l),
                           type_name(given, r)),
                "CAST the first query's column to what both can be");
    }
    return bind_cast_columns(b, step, types);
}

/* The first query's decimals get all digits before the point where the step needs more than they have:
 * a sum of the last round's value would need one more in each round. *out_wider: some did. */
static status widen_decimals(binder *b, plan_node **first, const plan_node *step, bool *out_wider)
{
    size_t count = (*first)->columns.count;
    data_type *types = arena_alloc_array(b->memory, count + 1, sizeof *types);
    *out_wider = false;
    if (!types)
        return bind_no_memory();
    for (size_t i = 0; i < count && i < step->columns.count; i++) {
        data_type had = (*first)->columns.items[i].type, given = step->columns.items[i].type, both;
        types[i] = had;
        if (had.id == TYPE_DECIMAL && bind_common_type(had, given, &both) &&
            both.id == TYPE_DECIMAL && both.scale == had.scale && !type_equal(both, had)) {
            types[i] = type_decimal(38, had.scale);
            *out_wider = true;
        }
    }
    return *out_wider && step->columns.count == count ? bind_cast_columns(b, first, types)
                                                      : STATUS_OK;
}

static status bind_step(binder *b, bind_cte *cte, bind_cte *ctes, const plan_node *first,
                        plan_node **out)
{
    cte->recursion = RECURSION_STEP;
    cte->references = 0;
    cte->places.count = 0;
    cte->columns = &first->columns;
    TRY(b->bind_subquery(b, castNode(SelectStmt, cte->tree->ctequery)->rarg, cte->scope, ctes,
                         out));
    cte->recursion = RECURSION_NONE;
    b->rounds.references -= cte->references;
    return STATUS_OK;
}

/* Binds the two queries, which refer to nothing around them. *step NULL: it does not refer to itself. */
static status bind_both(binder *b, bind_cte *cte, plan_node **first, plan_node **step)
{
    const pg_select *select = castNode(SelectStmt, cte->tree->ctequery);
    uint32_t first_own_id = b->statement->next_column_id, nested = b->rounds.references;
    bind_cte *ctes = cte;
    bool is_outer, is_wider = false;
    if (select->withClause)
        TRY(bind_with(b, select->withClause, cte->scope, cte, &ctes));
    cte->recursion = RECURSION_FIRST;
    TRY(b->bind_subquery(b, select->larg, cte->scope, ctes, first));
    TRY(bind_resolve_nulls(b, first));
    TRY(bind_cte_names(b, cte->tree, *first));
    TRY(bind_step(b, cte, ctes, *first, step));
    if (cte->references)
        TRY(widen_decimals(b, first, *step, &is_wider));
    if (is_wider)
        TRY(bind_step(b, cte, ctes, *first, step));
    if (!cte->references) {
        *step = NULL;
        return STATUS_OK;
    }
    if (b->rounds.references != nested)
        return bind_unsupported(b, cte->tree->location,
                                "a recursive query that reads one around it is");
    TRY(bind_is_correlated(b, *step, first_own_id, &is_outer));
    if (!is_outer)
        TRY(bind_is_correlated(b, *first, first_own_id, &is_outer));
    if (is_outer && b->rounds.defers) {
        b->rounds.is_deferred = true;
        b->rounds.deferred_at = cte->tree->location;
        return bind_recursive_no_rows(b, &(*first)->columns, first);
    }
    if (is_outer)
        return bind_unsupported(b, cte->tree->location, SUBQUERY_OUTER_RECURSION);
    TRY(bind_recursive_check_columns(b, cte, *first));
    return match_step(b, cte, *first, step);
}

/* Rows of the next round. */
static status make_round(binder *b, const bind_cte *cte, plan_node *first, plan_node *step,
                         plan_node **out)
{
    bool is_distinct = !castNode(SelectStmt, cte->tree->ctequery)->all;
    uint32_t number = b->rounds.done;
    plan_node *before;
    if (b->rounds.round == SQL_ROUND_FIRST) {
        *out = first;
        return is_distinct ? bind_distinct(b, first, out) : STATUS_OK;
    }
    if (b->rounds.round == SQL_ROUND_MERGE) {
        TRY(kept_rows(b, cte, number, false, &first->columns, &before));
        const sql_part_list all = b->rounds.parts;
        const sql_part_list anew = {.items = all.items + b->rounds.kept_parts,
                                    .count = all.count - b->rounds.kept_parts};
        return bind_parts(b, &anew, cte->name, NULL, out);
    }
    *out = step;
    if (!is_distinct)
        return STATUS_OK;
    TRY(kept_rows(b, cte, number, false, &first->columns, &before));
    return bind_except(b, step, before, out);
}

status bind_recursive(binder *b, bind_cte *cte, bool *out_done, plan_node **out)
{
    const pg_select *select = castNode(SelectStmt, cte->tree->ctequery);
    plan_node *first, *step;
    *out_done = false;
    if (select->op != SETOP_UNION || list_length(select->sortClause) || select->limitCount ||
        select->limitOffset)
        return STATUS_OK; /* a reference to itself finds no such table */
    TRY(bind_both(b, cte, &first, &step));
    if (b->rounds.is_deferred) {
        *out_done = true;
        *out = first;
        return STATUS_OK;
    }
    if (!step)
        return STATUS_OK;
    *out_done = true;
    if (b->rounds.is_dry) {
        TRY(bind_recursive_no_rows(b, &first->columns, out));
        TRY(array_push(b->memory, &b->rounds.parts_of_dry, first));
        TRY(array_push(b->memory, &b->rounds.parts_of_dry, step));
        return array_push(b->memory, &b->rounds.dry, *out);
    }
    uint32_t number = b->rounds.count++;
    if (number < b->rounds.done)
        return kept_rows(b, cte, number, false, &first->columns, out);
    TRY(fill_places(b, cte, number));
    TRY(make_round(b, cte, first, step, &b->rounds.root));
    return status_new(STATUS_KIND_INTERNAL, "recursive query \"%s\" is not computed", cte->name);
}
