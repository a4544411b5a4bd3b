/* bind_table.c - tables and views by name, tables by path. */
#include "sql/query/bind_table.h"

#include "arrowfile/arrowfile_table.h"
#include "lake/lake.h"
#include "sql/catalog/definition.h"
#include "sql/expression/bind_scope.h"
#include "sql/expression/bind_virtual.h"
#include "sql/query/bind_with.h"
#include "sql/relation/bind_arrow_files.h"
#include "sql/relation/bind_text_files.h"
#include "sql/relation/bind_union.h"
#include "sql/relation/system_relation.h"
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
        bool is_virtual = bind_is_virtual(b, column.id);
        column.id = bind_new_id(b);
        if (is_virtual)
            TRY(bind_virtual_note(b, column.id));
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

/* Stands before and after the search path that a view was made with; SQL cannot begin with it. */
#define BIND_VIEW_PATH "\003"

char *bind_view_text(binder *b, const char *path, const char *sql)
{
    return arena_format(b->memory, BIND_VIEW_PATH "%s" BIND_VIEW_PATH "%s", path, sql);
}

status bind_view_of(binder *b, const sql_catalog_entry *view, plan_node **out)
{
    const sql_search_path outer = b->path;
    const char *sql = view->view_sql;
    b->path = (sql_search_path){0};
    if (*sql == *BIND_VIEW_PATH) {
        const char *end = strchr(sql + 1, *BIND_VIEW_PATH);
        char *text = end ? arena_copy_text(b->memory, sql + 1, (size_t)(end - sql - 1)) : NULL;
        if (!text)
            return bind_no_memory();
        TRY(sql_search_path_read(b->catalog, b->memory, text, &b->path, NULL));
        sql = end + 1;
    }
    status st = bind_view_query(b, view->name, sql, out);
    b->path = outer;
    return st;
}

static status bind_view_named(binder *b, const sql_catalog_entry *entry, int32_t location,
                              plan_node **out)
{
    int depth = 0;
    for (const bind_view *v = b->views; v; v = v->outer, depth++)
        if (!strcmp(v->name, entry->name) || depth > 50)
            return bind_error(b, STATUS_KIND_INVALID, location, "view \"%s\" refers to itself",
                              entry->of.table);
    status st = bind_view_of(b, entry, out);
    if (!st)
        return STATUS_OK;
    /* Its own position is one in the view's text. */
    status moved = status_new(status_get_kind(st), "%s", status_message(st));
    if (status_get_hint(st))
        moved = status_hint(moved, "%s", status_get_hint(st));
    status_free(st);
    moved = status_context(moved, "view \"%s\"", entry->of.table);
    int32_t position = bind_position(b, location);
    return position < 0 ? moved : status_at(moved, position);
}

/* Says which schema is missing, if one is. */
static status no_such_schema(binder *b, const sql_table_name *name, int32_t location)
{
    sql_table_name found;
    bool is_found = !name->schema;
    if (name->schema)
        TRY(sql_schema_named(b->catalog, b->memory, &b->path, name->catalog, name->schema, &found,
                             &is_found));
    if (is_found)
        return STATUS_OK;
    const char *dot = name->catalog ? "." : "", *of = name->catalog ? name->catalog : "";
    return status_hint(bind_error(b, STATUS_KIND_NOT_FOUND, location,
                                  "schema \"%s%s%s\" does not exist", of, dot, name->schema),
                       "SHOW SCHEMAS lists the schemas; CREATE SCHEMA and ATTACH make one");
}

static status no_such_table(binder *b, const sql_table_name *of, int32_t location)
{
    sql_catalog_entry *entries;
    size_t count;
    const char *used = sql_search_path_first(&b->path).catalog;
    const char *name = sql_table_shown(b->memory, of, of->schema ? of->catalog : used);
    if (!name)
        return bind_no_memory();
    TRY(no_such_schema(b, of, location));
    TRY(sql_catalog_list(b->catalog, false, b->held, &entries, &count));
    const char **names = arena_alloc_array(b->memory, count + 1, sizeof *names);
    if (!names)
        return bind_no_memory();
    for (size_t i = 0; i < count; i++)
        if (!(names[i] = sql_table_shown(b->memory, &entries[i].of, used)))
            return bind_no_memory();
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

bool bind_looks_like_path(const char *name)
{
    size_t bytes = strlen(name);
    text_kind kind;
    return strchr(name, '/') || text_kind_of_path(name, &kind) || arrowfile_has_name(name) ||
           (bytes > 8 && !strcasecmp(name + bytes - 8, ".parquet"));
}

status bind_path_text(const binder *b, const bind_folders *options, const char *path,
                      const char **out)
{
    static const bind_folders none;
    const bind_folders *o = options ? options : &none;
    const char *said = o->hive_partitioning ? o->hive_partitioning : b->hive_partitioning;
    *out = path;
    if (o->hive_types)
        *out = arena_format(b->memory, "hive_types=(%s):%s", o->hive_types, *out);
    if (*out && said && (o->hive_partitioning || strcmp(said, "auto") != 0))
        *out = arena_format(b->memory, "hive_partitioning=%s:%s", said, *out);
    if (*out && o->has_filename)
        *out = arena_format(b->memory, "filename:%s", *out);
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
    TRY(bind_path_text(b, NULL, (*table)->name, &text));
    return sql_catalog_path(b->catalog, text, b->held, table);
}

static status open_path(binder *b, const char *text, int32_t location, pq_table **out)
{
    TRY(bind_check_access(b, location, "a path"));
    return table_at(b, sql_catalog_path(b->catalog, text, b->held, out), location);
}

status bind_union_path(binder *b, const char *path, const bind_folders *options, int32_t location,
                       bind_scan_list *list)
{
    const char *text;
    pq_table *first;
    TRY(bind_path_text(b, options, path, &text));
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

/* A table of files, and the columns that it has beside theirs. */
static status bind_with_virtual(binder *b, const bind_folders *options, pq_table *table,
                                const char *path, int32_t location, plan_node **out)
{
    bind_virtual wanted = bind_virtual_wanted(b, table);
    bool is_asked = options && options->has_row_number;
    bool has_row_number = is_asked || wanted.has_row_number;
    bool has_many = table->file_total > 1, has_own = options && options->has_filename;
    if (is_asked && (table->given || table->united || (wanted.is_taken && has_many)))
        return bind_error(b, STATUS_KIND_UNSUPPORTED, location,
                          "file_row_number of files that differ, or have a column filename, is "
                          "not supported");
    bool adds_filename = !has_own && (wanted.has_filename || (has_row_number && has_many));
    if (adds_filename) {
        const char *text = arena_format(b->memory, "filename:%s", table->name);
        if (!text)
            return bind_no_memory();
        TRY(table_at(b, sql_catalog_path(b->catalog, text, b->held, &table), location));
    }
    TRY(bind_files(b, table, path, location, out));
    if (has_row_number)
        TRY(bind_virtual_number(b, "file_row_number", has_many ? "filename" : NULL, 0, out));
    if (has_row_number && !is_asked)
        TRY(bind_virtual_hide(b, "file_row_number", out));
    return adds_filename ? bind_virtual_hide(b, "filename", out) : STATUS_OK;
}

status bind_table_path(binder *b, const char *path, const bind_folders *options, int32_t location,
                       plan_node **out)
{
    const char *text;
    pq_table *table;
    TRY(bind_path_text(b, options, path, &text));
    TRY(open_path(b, text, location, &table));
    TRY(check_plain(b, table, location));
    return bind_with_virtual(b, options, table, path, location, out);
}

status bind_lake(binder *b, const char *text, const char *path, int32_t location, plan_node **out)
{
    pq_table *table;
    TRY(open_path(b, text, location, &table));
    return bind_files(b, table, path, location, out);
}

status bind_find_table(binder *b, const RangeVar *range, const sql_catalog_entry **out)
{
    const sql_table_name name = {range->catalogname, range->schemaname, range->relname};
    return table_at(b, sql_search(b->catalog, b->memory, &b->path, &name, b->held, out),
                    range->location);
}

/* name VERSION AS OF 3: the table that the name or path means, in another state. */
static status bind_as_of(binder *b, const RangeVar *range, plan_node **out)
{
    const sql_catalog_entry *entry = NULL;
    const char *text = range->relname;
    if (!range->ispath)
        TRY(bind_find_table(b, range, &entry));
    if (entry && entry->table && !entry->parts.count)
        text = entry->table->name;
    if (entry || range->ispath || bind_looks_like_path(text))
        TRY(table_at(b, lake_text_as_of(b->memory, text, range->asof, &text), range->location));
    else
        return no_such_table(b, &(sql_table_name){range->catalogname, range->schemaname, text},
                             range->location);
    if (text)
        return bind_lake(b, text, range->relname, range->location, out);
    return status_hint(bind_error(b, STATUS_KIND_INVALID, range->location,
                                  "\"%s\" is not a Delta or Iceberg table, which have states",
                                  range->relname),
                       "delta_scan('path', version => 3) reads a table of an object store");
}

/* ---- pg_catalog and information_schema ---- */

/* schema NULL: a name alone, which may be a relation of pg_catalog. *out is NULL: there is no such relation. */
static status bind_system(binder *b, const char *schema, const char *name, plan_node **out)
{
    const char *sql;
    *out = NULL;
    TRY(system_relation_text(b, schema, name, bind_view_of, &sql));
    return sql ? bind_view_query(b, name, sql, out) : STATUS_OK;
}

static bool bind_table_is_system_schema(const char *schema)
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

/* Returns whether the text names rowid and the table has no such column. */
static bool wants_rowid(const binder *b, const pq_table *table)
{
    bool is_wanted = bind_virtual_names(b, "rowid");
    for (size_t i = 0; i < table->columns.count; i++)
        is_wanted &= strcasecmp(table->columns.items[i].name, "rowid") != 0;
    return is_wanted;
}

/* The parts of a table of the session with the numbers of their rows: those of one come after those of the one before. */
static status bind_numbered_parts(binder *b, const sql_part_list *parts, const char *name,
                                  plan_node **out)
{
    bind_scan_list list = {0};
    uint64_t first = 0;
    for (size_t i = 0; i < parts->count; i++) {
        plan_node *scan;
        TRY(bind_scan(b, parts->items[i]->table, name, &scan));
        TRY(bind_virtual_number(b, "rowid", NULL, first, &scan));
        TRY(array_push(b->memory, &list.scans, scan));
        first += parts->items[i]->table->row_count;
    }
    TRY(bind_unite(b, &list, out));
    return bind_virtual_hide(b, "rowid", out);
}

/* A table of the session. */
static status bind_rows_of(binder *b, const sql_catalog_entry *entry, int32_t location,
                           plan_node **out)
{
    const sql_part_list *parts = &entry->parts;
    if (wants_rowid(b, entry->table))
        return bind_numbered_parts(b, parts, entry->of.table, out);
    return parts->count > 1 ? bind_parts(b, parts, entry->of.table, NULL, out)
                            : bind_files(b, entry->table, entry->of.table, location, out);
}

/* A table or view of the catalog. */
static status bind_entry_of(binder *b, const sql_catalog_entry *entry, int32_t location,
                            plan_node **out)
{
    pq_table *table = entry->table;
    if (entry->view_sql)
        return bind_view_named(b, entry, location, out);
    if (entry->parts.count)
        return bind_rows_of(b, entry, location, out);
    TRY(table_at(b, reopen(b, entry, &table), location));
    TRY(check_plain(b, table, location));
    return bind_with_virtual(b, NULL, table, entry->of.table, location, out);
}

static status bind_path(binder *b, const char *path, int32_t location, plan_node **out)
{
    text_kind kind;
    if (text_kind_of_path(path, &kind))
        return bind_text_path(b, path, kind, location, out);
    return arrowfile_has_name(path) ? bind_arrow_path(b, path, location, out)
                                    : bind_table_path(b, path, NULL, location, out);
}

/* Notes that the statement itself, not a view in it, names the table or view. */
static status note_use(binder *b, const sql_catalog_entry *entry)
{
    if (b->views)
        return STATUS_OK;
    b->uses = sql_catalog_add_use(b->memory, b->uses, entry->name);
    return b->uses ? STATUS_OK : bind_no_memory();
}

/* The relation of FROM is found in *of. */
static status bind_table_bind_named(binder *b, const RangeVar *range, bind_relation *of,
                                    plan_node **out)
{
    const sql_catalog_entry *entry;
    TRY(bind_find_table(b, range, &entry));
    if (entry) {
        TRY(note_use(b, entry));
        of->catalog = entry->of.catalog;
        of->schema = entry->of.schema;
        return bind_entry_of(b, entry, range->location, out);
    }
    if (!range->schemaname && bind_looks_like_path(range->relname))
        return bind_path(b, range->relname, range->location, out);
    if (!range->schemaname)
        TRY(bind_system(b, NULL, range->relname, out));
    return *out ? STATUS_OK
                : no_such_table(
                      b, &(sql_table_name){range->catalogname, range->schemaname, range->relname},
                      range->location);
}

/* Bytes of a file's name without what says its format. */
static size_t stem_bytes(const char *name)
{
    text_kind kind;
    size_t bytes = strlen(name);
    if (bytes > 8 && !strcasecmp(name + bytes - 8, ".parquet"))
        return bytes - 8;
    if (!text_kind_of_path(name, &kind) && !arrowfile_has_name(name))
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
    bind_relation of = {.name = range->relname};
    *out = NULL;
    if (range->asof)
        TRY(bind_as_of(b, range, out));
    else if (range->ispath)
        TRY(bind_path(b, range->relname, range->location, out));
    else if (!range->schemaname)
        TRY(bind_cte_reference(b, range->relname, scope->ctes, out));
    else if (bind_table_is_system_schema(range->schemaname)) {
        TRY(bind_system_named(b, range, out));
        of.catalog = SQL_CATALOG;
        of.schema = range->schemaname;
    }
    if (!*out)
        TRY(bind_table_bind_named(b, range, &of, out));
    if (range->ispath) {
        of.name = bind_relation_of_path(b, range->relname);
        if (!of.name)
            return bind_no_memory();
    }
    return bind_add_table(b, scope, *out, &of, range->alias, range->location);
}
