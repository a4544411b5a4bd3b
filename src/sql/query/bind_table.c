/* bind_table.c - tables and views by name, tables by path. */
#include "sql/query/bind_table.h"

#include "lake/lake.h"
#include "sql/expression/bind_scope.h"
#include "sql/files/bind_text_files.h"
#include "sql/query/bind_union.h"
#include "sql/query/bind_with.h"
#include "sql/query/system_relation.h"
#include "sql/types/bind_columns.h"
#include "sql/types/binder.h"

#include <strings.h>

/* Says that a decimal of more digits than the type has is not read as one. */
static status note_digits(binder *b, const pq_table *table, const pq_table_column *column)
{
    if (table->given)
        return STATUS_OK;
    const pq_leaf *leaf = &table->files.items[0].metadata->leaves[column->leaf];
    if (type_is_nested(column->type) || leaf->conversion < PQ_CONVERT_WIDE)
        return STATUS_OK;
    return bind_notice(b,
                       "column \"%s\" of \"%s\" is %s, of more than 38 digits, and read as double",
                       column->name, table->name, leaf->annotation);
}

static status bind_scan(binder *b, pq_table *table, const char *name, plan_node **out)
{
    plan_node *node = plan_node_new(b->memory, PLAN_SCAN, 0);
    if (!node)
        return bind_no_memory();
    node->scan.table = table;
    node->scan.table_name = name;
    for (size_t i = 0; i < table->columns.count; i++) {
        if (pq_table_nested_name(table, (uint32_t)i))
            continue;
        const pq_table_column *source = &table->columns.items[i];
        plan_column column = {.id = bind_new_id(b),
                              .name = source->name,
                              .type = source->type,
                              .is_nullable = source->is_nullable};
        TRY(note_digits(b, table, source));
        b->statement->has_nested |= type_is_nested(source->type);
        TRY(array_push(b->memory, &node->columns, column));
        TRY(array_push(b->memory, &node->scan.sources, (uint32_t)i));
        TRY(array_push(b->memory, &node->scan.filter_only, false));
    }
    *out = node;
    return STATUS_OK;
}

/* ---- several scans as one ---- */

status bind_unite(binder *b, const bind_scan_list *list, plan_node **out)
{
    size_t count = list->scans.count;
    *out = list->scans.items[0];
    if (count == 1)
        return STATUS_OK;
    plan_node *node = plan_node_new(b->memory, PLAN_UNION, (uint32_t)count);
    if (!node)
        return bind_no_memory();
    memcpy(node->children, list->scans.items, count * sizeof *node->children);
    for (size_t i = 0; i < (*out)->columns.count; i++) {
        plan_column column = (*out)->columns.items[i];
        column.id = bind_new_id(b);
        for (size_t c = 1; c < count; c++)
            column.is_nullable |= list->scans.items[c]->columns.items[i].is_nullable;
        TRY(array_push(b->memory, &node->columns, column));
    }
    *out = node;
    return STATUS_OK;
}

status bind_parts(binder *b, const sql_part_list *parts, const char *name, plan_node *more,
                  plan_node **out)
{
    bind_scan_list list = {0};
    for (size_t i = 0; i < parts->count; i++) {
        plan_node *scan;
        TRY(bind_scan(b, parts->items[i]->table, name, &scan));
        TRY(array_push(b->memory, &list.scans, scan));
    }
    if (more)
        TRY(array_push(b->memory, &list.scans, more));
    return bind_unite(b, &list, out);
}

/* A scan of the table, or of each kind of its files. */
static status bind_files(binder *b, pq_table *first, const char *name, int32_t location,
                         plan_node **out)
{
    bind_scan_list list = {0};
    for (pq_table *table = first; table; table = table->united) {
        plan_node *scan;
        TRY(bind_scan(b, table, name, &scan));
        scan->position = bind_position(b, location);
        TRY(array_push(b->memory, &list.scans, scan));
    }
    if (list.scans.count > 1)
        TRY(bind_union_by_first(b, &list));
    return bind_unite(b, &list, out);
}

/* ---- views ---- */

status bind_view_query(binder *b, const char *name, const char *sql, plan_node **out)
{
    sql_text *text = arena_alloc(b->memory, sizeof *text);
    pg_node *tree;
    if (!text)
        return bind_no_memory();
    TRY(sql_text_make(b->memory, sql, strlen(sql), text));
    TRY(sql_parse(b->memory, text->text, &tree));
    if (!tree || !IsA(tree, SelectStmt))
        return status_new(STATUS_KIND_INVALID, "it is not a query");
    const sql_text *outer_text = b->text;
    const bind_view *outer_views = b->views;
    const bind_macro *outer_macro = b->macro;
    bind_view view = {outer_views, name};
    b->macro = NULL;
    b->text = text;
    b->views = &view;
    status st = b->bind_subquery(b, castNode(SelectStmt, tree), NULL, NULL, out);
    if (!st)
        st = bind_resolve_nulls(b, out);
    b->text = outer_text;
    b->views = outer_views;
    b->macro = outer_macro;
    return st;
}

static status bind_view_named(binder *b, const sql_catalog_entry *entry, int32_t location,
                              plan_node **out)
{
    int depth = 0;
    for (const bind_view *v = b->views; v; v = v->outer, depth++)
        if (!strcmp(v->name, entry->name) || depth > 50)
            return bind_error(b, STATUS_KIND_INVALID, location, "view \"%s\" refers to itself",
                              entry->name);
    status st = bind_view_query(b, entry->name, entry->view_sql, out);
    if (!st)
        return STATUS_OK;
    /* Its own position is one in the view's text. */
    status moved = status_new(status_get_kind(st), "%s", status_message(st));
    if (status_get_hint(st))
        moved = status_hint(moved, "%s", status_get_hint(st));
    status_free(st);
    moved = status_context(moved, "view \"%s\"", entry->name);
    int32_t position = bind_position(b, location);
    return position < 0 ? moved : status_at(moved, position);
}

static status no_such_table(binder *b, const char *name, int32_t location)
{
    sql_catalog_entry *entries;
    size_t count;
    TRY(sql_catalog_list(b->catalog, false, b->held, &entries, &count));
    const char **names = arena_alloc_array(b->memory, count + 1, sizeof *names);
    if (!names)
        return bind_no_memory();
    for (size_t i = 0; i < count; i++)
        names[i] = entries[i].name;
    status st = bind_error(b, STATUS_KIND_NOT_FOUND, location, "table \"%s\" does not exist", name);
    st = status_hint(st, count ? "SHOW TABLES lists the tables; FROM 'path.parquet' reads a file"
                               : "there are no tables; FROM 'path.parquet' reads a file");
    return bind_suggest(st, name, names, count);
}

static status table_at(binder *b, status st, int32_t location)
{
    int32_t position = bind_position(b, location);
    return st && position >= 0 ? status_at(st, position) : st;
}

static bool looks_like_path(const char *name)
{
    size_t bytes = strlen(name);
    text_kind kind;
    return strchr(name, '/') || text_kind_of_path(name, &kind) ||
           (bytes > 8 && !strcasecmp(name + bytes - 8, ".parquet"));
}

/* The text of a table whose folders are to be taken as the options say; NULL: as the setting does. */
static status with_options(const binder *b, const bind_folders *options, const char *text,
                           const char **out)
{
    static const bind_folders none;
    const bind_folders *o = options ? options : &none;
    const char *said = o->hive_partitioning ? o->hive_partitioning : b->hive_partitioning;
    *out = text;
    if (o->hive_types)
        *out = arena_format(b->memory, "hive_types=(%s):%s", o->hive_types, *out);
    if (*out && said && (o->hive_partitioning || strcmp(said, "auto") != 0))
        *out = arena_format(b->memory, "hive_partitioning=%s:%s", said, *out);
    return *out ? STATUS_OK : bind_no_memory();
}

/* Elsewhere a table has one list of columns. */
static status check_plain(const binder *b, const pq_table *table, int32_t location)
{
    if (!table->spec.is_united)
        return STATUS_OK;
    return bind_error(b, STATUS_KIND_UNSUPPORTED, location,
                      "union_by_name is an option of read_parquet(path, union_by_name => true)");
}

/* A table of the catalog's that has keys in its folders' names though it shall not, or none though others of
 * its files have some. */
static status reopen(binder *b, const sql_catalog_entry *entry, pq_table **table)
{
    const char *said = b->hive_partitioning, *text;
    if (entry->parts.count || !said || !strcmp(said, "auto") ||
        !strcmp(said, "on") == ((*table)->hive.keys.count > 0))
        return STATUS_OK;
    TRY(with_options(b, NULL, (*table)->name, &text));
    return sql_catalog_path(b->catalog, text, table);
}

static status open_path(binder *b, const char *text, int32_t location, pq_table **out)
{
    TRY(bind_check_access(b, location, "a path"));
    return table_at(b, sql_catalog_path(b->catalog, text, out), location);
}

status bind_union_path(binder *b, const char *path, const bind_folders *options, int32_t location,
                       bind_scan_list *list)
{
    const char *text;
    pq_table *first;
    TRY(with_options(b, options, path, &text));
    text = arena_format(b->memory, "union_by_name:%s", text);
    if (!text)
        return bind_no_memory();
    TRY(open_path(b, text, location, &first));
    for (pq_table *table = first; table; table = table->united) {
        plan_node *scan;
        TRY(bind_scan(b, table, path, &scan));
        scan->position = bind_position(b, location);
        TRY(array_push(b->memory, &list->scans, scan));
    }
    return STATUS_OK;
}

status bind_table_path(binder *b, const char *path, const bind_folders *options, int32_t location,
                       plan_node **out)
{
    const char *text;
    pq_table *table;
    TRY(with_options(b, options, path, &text));
    TRY(open_path(b, text, location, &table));
    TRY(check_plain(b, table, location));
    return bind_files(b, table, path, location, out);
}

status bind_lake(binder *b, const char *text, const char *path, int32_t location, plan_node **out)
{
    pq_table *table;
    TRY(open_path(b, text, location, &table));
    return bind_files(b, table, path, location, out);
}

/* name VERSION AS OF 3: the table that the name or path means, in another state. */
static status bind_as_of(binder *b, const RangeVar *range, plan_node **out)
{
    const sql_catalog_entry *entry = NULL;
    const char *text = range->relname;
    if (!range->ispath)
        TRY(table_at(b, sql_catalog_find(b->catalog, range->relname, b->held, &entry),
                     range->location));
    if (entry && entry->table && !entry->parts.count)
        text = entry->table->name;
    if (entry || range->ispath || looks_like_path(text))
        TRY(table_at(b, lake_text_as_of(b->memory, text, range->asof, &text), range->location));
    else
        return no_such_table(b, text, range->location);
    if (text)
        return bind_lake(b, text, range->relname, range->location, out);
    return status_hint(bind_error(b, STATUS_KIND_INVALID, range->location,
                                  "\"%s\" is not a Delta or Iceberg table, which have states",
                                  range->relname),
                       "delta_scan('path', version => 3) reads a table of an object store");
}

/* ---- pg_catalog and information_schema ---- */

static status bind_listed_view(binder *b, const sql_catalog_entry *view, plan_node **out)
{
    return bind_view_query(b, view->name, view->view_sql, out);
}

/* schema NULL: a name alone, which may be a relation of pg_catalog. *out is NULL: there is no such relation. */
static status bind_system(binder *b, const char *schema, const char *name, plan_node **out)
{
    const char *sql;
    *out = NULL;
    TRY(system_relation_text(b, schema, name, bind_listed_view, &sql));
    return sql ? bind_view_query(b, name, sql, out) : STATUS_OK;
}

static bool is_system_schema(const char *schema)
{
    return schema && (!strcmp(schema, "pg_catalog") || !strcmp(schema, "information_schema"));
}

static status bind_system_named(binder *b, const RangeVar *range, plan_node **out)
{
    TRY(bind_system(b, range->schemaname, range->relname, out));
    if (*out)
        return STATUS_OK;
    return bind_error(b, STATUS_KIND_NOT_FOUND, range->location, "table \"%s.%s\" does not exist",
                      range->schemaname, range->relname);
}

/* ---- tables by name and path ---- */

status bind_table_named(binder *b, const char *name, bool is_path, int32_t location,
                        plan_node **out)
{
    const sql_catalog_entry *entry = NULL;
    if (!is_path)
        TRY(table_at(b, sql_catalog_find(b->catalog, name, b->held, &entry), location));
    if (!entry && !is_path && !looks_like_path(name)) {
        TRY(bind_system(b, NULL, name, out));
        return *out ? STATUS_OK : no_such_table(b, name, location);
    }
    if (entry && entry->view_sql)
        return bind_view_named(b, entry, location, out);
    if (entry && entry->parts.count > 1)
        return bind_parts(b, &entry->parts, entry->name, NULL, out);
    text_kind kind;
    if (!entry && text_kind_of_path(name, &kind))
        return bind_text_path(b, name, kind, location, out);
    if (!entry)
        return bind_table_path(b, name, NULL, location, out);
    pq_table *table = entry->table;
    TRY(table_at(b, reopen(b, entry, &table), location));
    TRY(check_plain(b, table, location));
    return bind_files(b, table, entry->name, location, out);
}

/* Bytes of a file's name without what says its format. */
static size_t stem_bytes(const char *name)
{
    text_kind kind;
    size_t bytes = strlen(name);
    if (bytes > 8 && !strcasecmp(name + bytes - 8, ".parquet"))
        return bytes - 8;
    if (!text_kind_of_path(name, &kind))
        return bytes;
    if (bytes > 3 && !strcasecmp(name + bytes - 3, ".gz"))
        bytes -= 3;
    while (name[--bytes] != '.') {
    }
    return bytes;
}

/* "dir/orders.parquet" is called orders. */
const char *bind_relation_of_path(binder *b, const char *path)
{
    const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path;
    return arena_copy_text(b->memory, start, stem_bytes(start));
}

status bind_table(binder *b, const RangeVar *range, bind_scope *scope, plan_node **out)
{
    const char *path = range->ispath ? range->relname : NULL, *relation = range->relname;
    const char *schema = range->schemaname;
    bool is_system = is_system_schema(schema);
    if (range->catalogname ||
        (schema && !is_system && strcmp(schema, "main") && strcmp(schema, "public")))
        return bind_unsupported(b, range->location, "a schema in front of a table's name is");
    *out = NULL;
    if (range->asof)
        TRY(bind_as_of(b, range, out));
    else if (!path && !schema)
        TRY(bind_cte_reference(b, range->relname, scope->ctes, out));
    if (is_system)
        TRY(bind_system_named(b, range, out));
    if (!*out)
        TRY(bind_table_named(b, path ? path : range->relname, path != NULL, range->location, out));
    if (path) {
        relation = bind_relation_of_path(b, path);
        if (!relation)
            return bind_no_memory();
    }
    return bind_add_relation(b, scope, *out, relation, range->alias, range->location);
}
