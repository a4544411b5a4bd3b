/* bind_rows.c - CREATE TABLE, with a query or a list of columns, and INSERT: which query gives the rows
 * of the file that is to be written. */
#include "sql/statement/bind_rows.h"

#include "arrowfile/arrowfile_table.h"
#include "base/type/json_type.h"
#include "parquet/write/writer.h"
#include "parquet/write/writer_stage.h"
#include "sql/expression/bind_expr.h"
#include "sql/expression/bind_scope.h"
#include "sql/function/bind_json.h"
#include "sql/query/bind_query.h"
#include "sql/query/bind_table.h"
#include "sql/relation/bind_arrow_files.h"
#include "sql/relation/bind_text_files.h"
#include "sql/statement/bind_copy_client.h"
#include "sql/statement/bind_schema.h"
#include "sql/text/tree.h"
#include "sql/types/bind_type.h"

#include <stdlib.h>
#include <strings.h>

static status bind_rows_at(const binder *b, status st, int32_t location)
{
    int32_t position = bind_position(b, location);
    return st && position >= 0 ? status_at(st, position) : st;
}

/* ---- CREATE TABLE ---- */

/* Begins what all forms share. */
static status begin_table(binder *b, const RangeVar *relation, bool replaces, bool if_not_exists,
                          sql_statement *out)
{
    out->kind = SQL_CREATE_TABLE;
    out->replace = replaces;
    TRY(bind_new_key(b, relation, &out->name));
    status st = sql_catalog_check_rows(b->catalog, out->name, replaces);
    out->is_there = st && if_not_exists;
    if (!out->is_there)
        return bind_rows_at(b, st, relation->location);
    status_free(st);
    return STATUS_OK;
}

static int rows_compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Checks that no two columns have one name. */
static status rows_check_names(const binder *b, const plan_column_list *columns, int32_t location)
{
    const char **names = arena_alloc_array(b->memory, columns->count, sizeof *names);
    if (!names)
        return bind_no_memory();
    for (size_t i = 0; i < columns->count; i++)
        names[i] = columns->items[i].name;
    qsort(names, columns->count, sizeof *names, rows_compare_names);
    for (size_t i = 1; i < columns->count; i++)
        if (!strcmp(names[i - 1], names[i]))
            return status_hint(bind_error(b, STATUS_KIND_INVALID, location,
                                          "two columns are named \"%s\"", names[i]),
                               "give one of them another name");
    return STATUS_OK;
}

/* Checks that the file can hold the columns. */
static status rows_check_columns(const binder *b, const plan_node *root, int32_t location)
{
    const plan_column_list *columns = &root->columns;
    for (size_t i = 0; i < columns->count; i++) {
        const plan_column *column = &columns->items[i];
        char type[TYPE_NAME_BYTES];
        if (!pq_writer_can_hold(column->type))
            return status_hint(bind_error(b, STATUS_KIND_UNSUPPORTED, location,
                                          "a table cannot hold column \"%s\" of type %s",
                                          column->name, type_name(column->type, type)),
                               "CAST(... AS varchar) keeps it as text");
    }
    return rows_check_names(b, columns, location);
}

/* By a projection: nodes that only pass columns on have their children's names once they are optimized. */
static status rows_name_columns(binder *b, const IntoClause *into, plan_node **root)
{
    size_t count = (*root)->columns.count;
    expr **exprs = arena_alloc_array(b->memory, count, sizeof *exprs);
    const char **names = arena_alloc_array(b->memory, count, sizeof *names);
    if (!exprs || !names)
        return bind_no_memory();
    if (list_length(into->colNames) > count)
        return bind_error(b, STATUS_KIND_INVALID, into->rel->location,
                          "table \"%s\" has %zu columns but %zu names", into->rel->relname, count,
                          list_length(into->colNames));
    for (size_t i = 0; i < count; i++) {
        const plan_column *column = &(*root)->columns.items[i];
        bool is_named = i < list_length(into->colNames);
        names[i] = is_named ? strVal(list_nth(into->colNames, i)) : column->name;
        exprs[i] = bind_column_expr(b, column);
        if (!exprs[i])
            return bind_no_memory();
    }
    return bind_project(b, *root, exprs, names, count, root);
}

static status rows_add_limit(binder *b, plan_node **root)
{
    plan_node *node;
    TRY(bind_new_node(b, PLAN_LIMIT, *root, &node));
    node->limit.has_limit = true;
    *root = node;
    return STATUS_OK;
}

status bind_create_table_as(binder *b, const CreateTableAsStmt *tree, sql_statement *out)
{
    const IntoClause *into = tree->into;
    plan_node **root = &b->statement->root;
    if (tree->objtype != OBJECT_TABLE)
        return bind_unsupported(b, into->rel->location, "a materialized view is");
    if (list_length(into->options) || into->tableSpaceName || into->accessMethod ||
        into->onCommit > ONCOMMIT_PRESERVE_ROWS)
        return bind_unsupported(b, into->rel->location, "options of a table are");
    if (!tree->query || !IsA(tree->query, SelectStmt))
        return bind_unsupported(b, into->rel->location, "a table of anything but a query is");
    TRY(begin_table(b, into->rel, tree->replace, tree->if_not_exists, out));
    TRY(bind_statement(b, castNode(SelectStmt, tree->query)));
    if (into->skipData)
        TRY(rows_add_limit(b, root));
    if (list_length(into->colNames))
        TRY(rows_name_columns(b, into, root));
    return rows_check_columns(b, *root, into->rel->location);
}

static status rows_add_column(binder *b, const CreateStmt *tree, const pg_node *element,
                              plan_node *root)
{
    bind_modifier modifier;
    if (!IsA(element, ColumnDef))
        return bind_unsupported(b, tree->relation->location, "a constraint of a table is");
    const ColumnDef *definition = castNode(ColumnDef, element);
    plan_column column = {.id = bind_new_id(b), .name = definition->colname, .is_nullable = true};
    if (list_length(definition->constraints) || definition->raw_default || definition->collClause)
        return bind_unsupported(b, definition->location, "a constraint or default of a column is");
    TRY(bind_type_name(b, definition->typeName, &column.type, &modifier));
    if (modifier.scale < 0 || modifier.scale > modifier.precision)
        return bind_unsupported(b, definition->location,
                                "a column of decimals whose scale is not within their digits is");
    return array_push(b->memory, &root->columns, column);
}

status bind_create_table(binder *b, const CreateStmt *tree, sql_statement *out)
{
    int32_t location = tree->relation->location;
    if (list_length(tree->options) || list_length(tree->inhRelations) || tree->partspec ||
        tree->ofTypename || tree->tablespacename || tree->accessMethod ||
        tree->oncommit > ONCOMMIT_PRESERVE_ROWS)
        return bind_unsupported(b, location, "options of a table are");
    if (!list_length(tree->tableElts))
        return bind_error(b, STATUS_KIND_INVALID, location, "a table needs a column");
    TRY(begin_table(b, tree->relation, tree->replace, tree->if_not_exists, out));
    plan_node *root = plan_node_new(b->memory, PLAN_VALUES, 0);
    if (!root)
        return bind_no_memory();
    for (size_t i = 0; i < list_length(tree->tableElts); i++)
        TRY(rows_add_column(b, tree, list_nth(tree->tableElts, i), root));
    b->statement->root = root;
    return rows_check_columns(b, root, location);
}

/* ---- INSERT ---- */

/* Returns the number of the column with that name, or else with that name in another case; the number of columns:
 * there is none. */
static size_t rows_find_column(const pq_table *table, const char *name)
{
    size_t folded = table->columns.count;
    for (size_t i = 0; i < table->columns.count; i++) {
        const char *column = table->columns.items[i].name;
        if (!strcmp(column, name))
            return i;
        if (folded == table->columns.count && !strcasecmp(column, name))
            folded = i;
    }
    return folded;
}

/* A column that INSERT or COPY names. */
static const char *target_name(const InsertStmt *tree, size_t number, int32_t *out_location)
{
    const pg_node *node = list_nth(tree->cols, number);
    *out_location = tree->relation->location;
    if (IsA(node, String))
        return strVal(node);
    *out_location = castNode(ResTarget, node)->location;
    return castNode(ResTarget, node)->name;
}

/* For each column of the table the one of the query, or -1. */
static status find_sources(const binder *b, const InsertStmt *tree, const pq_table *table,
                           size_t count, int *sources)
{
    size_t named = list_length(tree->cols) ? list_length(tree->cols) : table->columns.count;
    const char *name = tree->relation->relname;
    for (size_t i = 0; i < table->columns.count; i++)
        sources[i] = list_length(tree->cols) || i >= count ? -1 : (int)i;
    for (size_t i = 0; i < list_length(tree->cols); i++) {
        int32_t location;
        const char *target = target_name(tree, i, &location);
        size_t at = rows_find_column(table, target);
        if (at == table->columns.count)
            return bind_error(b, STATUS_KIND_NOT_FOUND, location,
                              "column \"%s\" of table \"%s\" does not exist", target, name);
        if (sources[at] >= 0)
            return bind_error(b, STATUS_KIND_INVALID, location, "column \"%s\" is named twice",
                              target);
        sources[at] = (int)i;
    }
    if (count > named || (list_length(tree->cols) && count < named))
        return bind_error(b, STATUS_KIND_INVALID, tree->relation->location,
                          "INSERT has %zu expressions for %zu columns", count, named);
    return STATUS_OK;
}

/* Makes a list of columns of BY NAME: those of the query. */
static status name_targets(binder *b, const InsertStmt *tree, const plan_node *root, List **out)
{
    size_t count = root->columns.count;
    pg_node **nodes = arena_alloc_array(b->memory, count + 1, sizeof *nodes);
    if (!nodes)
        return bind_no_memory();
    for (size_t i = 0; i < count; i++) {
        ResTarget *target = arena_alloc(b->memory, sizeof *target);
        if (!target)
            return bind_no_memory();
        *target = (ResTarget){.type = T_ResTarget,
                              .name = (char *)(uintptr_t)root->columns.items[i].name,
                              .location = tree->by_name_location};
        nodes[i] = (pg_node *)target;
    }
    *out = tree_list(b->memory, nodes, count);
    return *out ? STATUS_OK : bind_no_memory();
}

/* A value as the column has it: a text for a column of JSON must be JSON. */
static status cast_to_column(binder *b, expr *e, data_type type, int32_t location, expr **out)
{
    if (type_is_json(type))
        return bind_json_cast(b, e, false, location, out);
    if (type_is_json(e->type))
        TRY(bind_of_json(b, e, type, location, &e));
    return bind_cast(b, e, type, location, out);
}

/* The query's rows as rows of the table. */
static status cast_rows(binder *b, const InsertStmt *tree, const pq_table *table, plan_node **root)
{
    size_t count = table->columns.count;
    int32_t location = tree->relation->location;
    int *sources = arena_alloc_array(b->memory, count, sizeof *sources);
    expr **exprs = arena_alloc_array(b->memory, count, sizeof *exprs);
    const char **names = arena_alloc_array(b->memory, count, sizeof *names);
    if (!sources || !exprs || !names)
        return bind_no_memory();
    TRY(find_sources(b, tree, table, (*root)->columns.count, sources));
    for (size_t i = 0; i < count; i++) {
        const pq_table_column *column = &table->columns.items[i];
        value null = {.type = column->type, .is_null = true};
        names[i] = column->name;
        if (sources[i] < 0) {
            TRY(bind_constant(b, &null, location, &exprs[i]));
            continue;
        }
        expr *e = bind_column_expr(b, &(*root)->columns.items[sources[i]]);
        if (!e)
            return bind_no_memory();
        TRY(cast_to_column(b, e, column->type, location, &exprs[i]));
    }
    return bind_project(b, *root, exprs, names, count, root);
}

static status rows_find_table(binder *b, const RangeVar *relation, const sql_catalog_entry **out)
{
    const char *name = relation->relname;
    TRY(bind_find_table(b, relation, out));
    if (!*out)
        return status_hint(bind_error(b, STATUS_KIND_NOT_FOUND, relation->location,
                                      "table \"%s\" does not exist", name),
                           "CREATE TABLE makes one");
    if (!(*out)->parts.count)
        return status_hint(bind_error(b, STATUS_KIND_UNSUPPORTED, relation->location,
                                      "\"%s\" is %s, to which rows cannot be added", name,
                                      (*out)->view_sql ? "a view" : "a table of files"),
                           "rows can be added to what CREATE TABLE has made");
    return STATUS_OK;
}

/* The rows of the statement go to the table, with those of its last parts. */
static status add_rows(binder *b, const sql_catalog_entry *entry, sql_statement *out)
{
    plan_node **root = &b->statement->root;
    out->name = entry->name;
    out->parts = entry->parts;
    out->kept_parts = sql_parts_kept(&entry->parts);
    const sql_part_list anew = {.items = entry->parts.items + out->kept_parts,
                                .count = entry->parts.count - out->kept_parts};
    out->old_rows = sql_parts_rows(&anew);
    return bind_parts(b, &anew, entry->of.table, *root, root);
}

static status check_insert(const binder *b, const InsertStmt *tree)
{
    int32_t location = tree->relation->location;
    if (tree->onConflictClause || list_length(tree->returningList) ||
        tree->override > OVERRIDING_NOT_SET)
        return bind_unsupported(b, location, "ON CONFLICT, RETURNING or OVERRIDING in INSERT is");
    if (!tree->selectStmt || !IsA(tree->selectStmt, SelectStmt))
        return bind_unsupported(b, location, "INSERT of anything but a query or VALUES is");
    if (tree->withClause && castNode(SelectStmt, tree->selectStmt)->withClause)
        return bind_unsupported(b, location, "WITH both before and behind INSERT is");
    if (tree->by_name && list_length(castNode(SelectStmt, tree->selectStmt)->valuesLists))
        return status_hint(bind_error(b, STATUS_KIND_INVALID, tree->by_name_location,
                                      "INSERT BY NAME needs a query whose columns have names"),
                           "SELECT 1 AS a, or leave BY NAME out");
    return STATUS_OK;
}

status bind_insert(binder *b, const InsertStmt *tree, sql_statement *out)
{
    const sql_catalog_entry *entry;
    plan_node **root = &b->statement->root;
    out->kind = SQL_INSERT;
    TRY(check_insert(b, tree));
    TRY(rows_find_table(b, tree->relation, &entry));
    pg_select *select = castNode(SelectStmt, tree->selectStmt);
    if (tree->withClause)
        select->withClause = tree->withClause;
    TRY(bind_statement(b, select));
    InsertStmt named = *tree;
    if (tree->by_name)
        TRY(name_targets(b, tree, *root, &named.cols));
    TRY(cast_rows(b, &named, entry->table, root));
    return add_rows(b, entry, out);
}

/* ---- COPY ... FROM ---- */

/* The columns that the file has values for, in their order. */
static status bind_rows_copied_columns(const binder *b, const InsertStmt *insert,
                                       const pq_table *table, text_said_type **out,
                                       size_t *out_count)
{
    size_t named = list_length(insert->cols), count = named ? named : table->columns.count;
    text_said_type *columns = arena_alloc_array(b->memory, count + 1, sizeof *columns);
    if (!columns)
        return bind_no_memory();
    for (size_t i = 0; i < count; i++) {
        int32_t location = insert->relation->location;
        const char *name = named ? target_name(insert, i, &location) : NULL;
        size_t at = named ? rows_find_column(table, name) : i;
        if (at == table->columns.count)
            return bind_error(b, STATUS_KIND_NOT_FOUND, location,
                              "column \"%s\" of table \"%s\" does not exist", name,
                              insert->relation->relname);
        for (size_t k = 0; named && k < i; k++)
            if (!strcmp(columns[k].name, table->columns.items[at].name))
                return bind_error(b, STATUS_KIND_INVALID, location, "column \"%s\" is named twice",
                                  name);
        columns[i] = (text_said_type){table->columns.items[at].name, table->columns.items[at].type};
    }
    *out = columns;
    *out_count = count;
    return STATUS_OK;
}

/* Returns the format that the options or the file's name say; else csv. */
static const char *copied_format(const CopyStmt *tree)
{
    text_kind kind;
    size_t bytes = strlen(tree->filename);
    for (size_t i = 0; i < list_length(tree->options); i++) {
        const DefElem *option = castNode(DefElem, list_nth(tree->options, i));
        if (!strcasecmp(option->defname, "format") && option->arg && IsA(option->arg, String))
            return strVal(option->arg);
    }
    if (text_kind_of_path(tree->filename, &kind))
        return kind == TEXT_JSON ? "json" : "csv";
    if (arrowfile_has_name(tree->filename))
        return "arrow";
    return bytes > 8 && !strcasecmp(tree->filename + bytes - 8, ".parquet") ? "parquet" : "csv";
}

static status copy_source(binder *b, const CopyStmt *tree, const InsertStmt *insert,
                          const pq_table *table, plan_node **out)
{
    text_said_type *columns;
    size_t count;
    const char *format = copied_format(tree);
    TRY(bind_rows_copied_columns(b, insert, table, &columns, &count));
    if (!strcasecmp(format, "parquet"))
        TRY(bind_table_path(b, tree->filename, NULL, -1, out));
    else if (!strcasecmp(format, "arrow"))
        TRY(bind_arrow_path(b, tree->filename, -1, out));
    else if (!strcasecmp(format, "json") || !strcasecmp(format, "csv"))
        TRY(bind_text_copy(b, tree->filename, strcasecmp(format, "csv") ? TEXT_JSON : TEXT_CSV,
                           tree->options, columns, count, out));
    else
        return status_hint(bind_error(b, STATUS_KIND_INVALID, b->text->start,
                                      "COPY ... FROM has no format \"%s\"", format),
                           "csv, json, parquet or arrow");
    if ((*out)->columns.count != count)
        return bind_error(b, STATUS_KIND_INVALID, insert->relation->location,
                          "file \"%s\" has %zu columns, not %zu", tree->filename,
                          (*out)->columns.count, count);
    return STATUS_OK;
}

/* Returns the type that the values of a column are read as: texts that are cast to the column's type, where a csv file
 * has no values of it or where they are still to be checked. */
static data_type exchanged_type(const sql_copy *copy, data_type type)
{
    bool is_text =
        type_is_nested(type) || type_is_json(type) || (type.id == TYPE_BLOB && !copy->is_binary);
    return is_text ? type_make(TYPE_VARCHAR) : type;
}

/* The source of rows that the client sends. */
static status client_source(binder *b, const InsertStmt *insert, const pq_table *table,
                            const sql_copy_source *client, const sql_copy *copy, plan_node **out)
{
    text_said_type *columns;
    size_t count;
    const char *path;
    TRY(bind_rows_copied_columns(b, insert, table, &columns, &count));
    const char **names = arena_alloc_array(b->memory, count + 1, sizeof *names);
    sql_copy_column *sent = arena_alloc_array(b->memory, count + 1, sizeof *sent);
    if (!names || !sent)
        return bind_no_memory();
    for (size_t i = 0; i < count; i++) {
        names[i] = columns[i].name;
        sent[i] = (sql_copy_column){columns[i].name, columns[i].type};
        columns[i].type = exchanged_type(copy, columns[i].type);
    }
    TRY(bind_copy_client_check(b, copy, names, count));
    TRY(client->take(client->context, copy, sent, (uint32_t)count, &path));
    return bind_text_exchange(b, path, columns, count, out);
}

/* Leaves out the rows that do not fulfil the condition of WHERE. */
static status filter_copied(binder *b, const CopyStmt *tree, plan_node *rows, plan_node **out)
{
    bind_scope scope = {.clause = "the condition of COPY ... FROM"};
    expr *condition;
    TRY(bind_add_relation(b, &scope, rows, tree->relation->relname, NULL,
                          tree->relation->location));
    TRY(bind_condition(b, tree->whereClause, &scope, "WHERE", &condition));
    if (expr_has_subquery(condition))
        return bind_unsupported(b, bind_location(tree->whereClause),
                                "a subquery in the condition of COPY ... FROM is");
    return bind_filter(b, rows, condition, out);
}

/* Checks the condition of WHERE before the client is asked for rows. */
static status check_condition(binder *b, const CopyStmt *tree, const pq_table *table)
{
    plan_node *row = plan_node_new(b->memory, PLAN_VALUES, 0), *filtered;
    if (!row)
        return bind_no_memory();
    for (size_t i = 0; i < table->columns.count; i++) {
        plan_column column = {.id = bind_new_id(b),
                              .name = table->columns.items[i].name,
                              .type = table->columns.items[i].type,
                              .is_nullable = true};
        TRY(array_push(b->memory, &row->columns, column));
    }
    return filter_copied(b, tree, row, &filtered);
}

status bind_copy_from(binder *b, const CopyStmt *tree, const sql_copy_source *client,
                      sql_statement *out)
{
    const sql_catalog_entry *entry;
    plan_node **root = &b->statement->root;
    InsertStmt insert = {.relation = tree->relation, .cols = tree->attlist};
    bool has_source = client || (tree->filename && *tree->filename);
    if (!has_source || tree->is_program || !tree->relation)
        return bind_unsupported(b, b->text->start, "COPY ... FROM of anything but a file is");
    out->kind = SQL_INSERT;
    TRY(rows_find_table(b, tree->relation, &entry));
    if (tree->whereClause)
        TRY(check_condition(b, tree, entry->table));
    TRY(client ? client_source(b, &insert, entry->table, client, &out->copy, root)
               : copy_source(b, tree, &insert, entry->table, root));
    TRY(cast_rows(b, &insert, entry->table, root));
    if (tree->whereClause)
        TRY(filter_copied(b, tree, *root, root));
    return add_rows(b, entry, out);
}
