/* rewrite_files.c - tables whose folders have keys in their names are bound with one file open. Conditions on
 * keys say which of the others are wanted; these are opened when joins have been put in order, for which a
 * sample does. */
#include "plan/rules/scan/rewrite_files.h"

#include "parquet/table/table_given.h"
#include "parquet/table/table_listed.h"
#include "plan/edit/shared.h"
#include "plan/fold/fold.h"
#include "plan/nodes/visit.h"
#include "plan/rules/scan/file_bounds.h"
#include "plan/tree/column_set.h"
#include "plan/tree/rule.h"

/* A condition over the values of one folder after another. */
typedef struct key_walk {
    const plan_node *scan;
    plan_column_list columns; /* of the scan, that are keys */
    ARRAY(uint32_t) keys;     /* of each */
    column_set set;
} key_walk;

static status files_no_memory(void)
{
    return status_no_memory("plan", sizeof(expr));
}

static status files_find_keys(plan_statement *s, const plan_node *scan, key_walk *w)
{
    const pq_table *table = scan->scan.table;
    *w = (key_walk){.scan = scan};
    TRY(column_set_new(s->memory, s->next_column_id, &w->set));
    for (size_t i = 0; i < scan->columns.count; i++) {
        int32_t key = table->columns.items[scan->scan.sources.items[i]].key;
        if (key < 0)
            continue;
        column_set_add(&w->set, scan->columns.items[i].id);
        TRY(array_push(s->memory, &w->columns, scan->columns.items[i]));
        TRY(array_push(s->memory, &w->keys, (uint32_t)key));
    }
    return STATUS_OK;
}

static bool are_constants(const expr *e)
{
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (e->args[i]->kind != EXPR_CONSTANT)
            return false;
    return true;
}

/* The first of the constants among the others: true, false, or NULL where a NULL might be it. */
static value find_in_list(const expr *e)
{
    const value *wanted = &e->args[0]->constant;
    bool has_null = wanted->is_null;
    for (uint32_t i = 1; i < e->arg_count; i++) {
        const value *item = &e->args[i]->constant;
        has_null |= item->is_null;
        if (!wanted->is_null && !item->is_null && !value_compare(wanted, item))
            return value_bool(true);
    }
    return has_null ? value_null(type_make(TYPE_BOOL)) : value_bool(false);
}

/* Folding leaves lists, and logic of nothing but NULLs. */
static expr *fold_more(arena *a, expr *e)
{
    if (e->kind != EXPR_CALL || !e->arg_count || !are_constants(e))
        return e;
    if (e->op == EXPR_IN_LIST) {
        for (uint32_t i = 1; i < e->arg_count; i++)
            if (!type_equal(e->args[i]->type, e->args[0]->type))
                return e;
        const value found = find_in_list(e);
        return expr_new_constant(a, &found, e->position);
    }
    const value null = value_null(type_make(TYPE_BOOL));
    bool is_logic = e->op == EXPR_AND || e->op == EXPR_OR;
    for (uint32_t i = 0; i < e->arg_count && is_logic; i++)
        is_logic = e->args[i]->constant.is_null;
    return is_logic ? expr_new_constant(a, &null, e->position) : e;
}

static expr *fold_all(arena *a, expr *e)
{
    for (uint32_t i = 0; i < e->arg_count; i++) {
        e->args[i] = fold_all(a, e->args[i]);
        if (!e->args[i])
            return NULL;
    }
    e = expr_fold(a, e);
    return e ? fold_more(a, e) : NULL;
}

typedef enum verdict { VERDICT_OPEN, VERDICT_TRUE, VERDICT_FALSE } verdict;

/* Judges what the condition amounts to with the folder's values. */
static status rewrite_files_judge(arena *a, const key_walk *w, const expr *condition,
                                  const value *values, verdict *out)
{
    size_t count = w->columns.count;
    expr **constants = arena_alloc_array(a, count + 1, sizeof *constants);
    if (!constants)
        return files_no_memory();
    for (size_t i = 0; i < count; i++) {
        constants[i] = expr_new_constant(a, &values[w->keys.items[i]], -1);
        if (!constants[i])
            return files_no_memory();
    }
    expr *copy = expr_copy(a, condition);
    copy = copy ? expr_substitute(a, copy, &w->columns, constants) : NULL;
    copy = copy ? expr_copy(a, copy) : NULL;
    copy = copy ? fold_all(a, copy) : NULL;
    if (!copy)
        return files_no_memory();
    *out = VERDICT_OPEN;
    if (copy->kind == EXPR_CONSTANT)
        *out = !copy->constant.is_null && copy->constant.boolean ? VERDICT_TRUE : VERDICT_FALSE;
    return STATUS_OK;
}

/* Clears folders that the condition excludes; *decides: it is true in all that are left. */
static status apply(const key_walk *w, const expr *condition, bool *folders, bool *decides)
{
    const pq_table *table = w->scan->scan.table;
    *decides = true;
    for (size_t f = 0; f < table->hive.folders.count; f++) {
        arena *scratch;
        verdict v;
        if (!folders[f])
            continue;
        TRY(arena_new(&scratch));
        status st = rewrite_files_judge(scratch, w, condition, table->hive.folders.items[f], &v);
        arena_free(scratch);
        TRY(st);
        folders[f] = v != VERDICT_FALSE;
        *decides &= v != VERDICT_OPEN;
    }
    return STATUS_OK;
}

static void close_table(void *table)
{
    pq_table_close(table);
}

/* The statement's from now on. */
static status files_take(plan_statement *s, plan_node *scan, pq_table *table)
{
    status st = arena_on_free(s->memory, close_table, table);
    if (st)
        pq_table_close(table);
    else
        scan->scan.table = table;
    return st;
}

/* Marks the folders that the scan's conditions leave; those that all their rows meet are dropped. */
static status mark_folders(const key_walk *w, plan_node *scan, bool *folders)
{
    const pq_table *table = scan->scan.table;
    size_t kept = 0;
    for (size_t i = 0; i < table->listed.count; i++)
        folders[table->listed.items[i].folder] = true;
    for (size_t i = 0; i < scan->scan.filters.count; i++) {
        expr *condition = scan->scan.filters.items[i];
        bool decides = false;
        if (column_set_meets(&w->set, condition))
            TRY(apply(w, condition, folders, &decides));
        if (!decides)
            scan->scan.filters.items[kept++] = condition;
    }
    scan->scan.filters.count = kept;
    return STATUS_OK;
}

/* Marks the files of these folders that may have rows, as far as bounds that were told say. */
static void mark_files(const plan_node *scan, const bool *folders, bool *files)
{
    const pq_table *table = scan->scan.table;
    for (size_t i = 0; i < table->listed.count; i++) {
        const pq_listed_file *f = &table->listed.items[i];
        files[i] = (!table->hive.folders.count || folders[f->folder]) &&
                   (!f->given || file_bounds_may_hold(scan, &f->given->facts));
    }
}

static bool files_are_all(const pq_table *table, const bool *files)
{
    for (size_t i = 0; i < table->listed.count; i++)
        if (!files[i])
            return false;
    return true;
}

/* Loads the parts of a table whose bounds leave rows for the conditions. */
static status load_parts(plan_statement *s, plan_node *scan)
{
    const pq_given *given = scan->scan.table->given;
    pq_table *loaded;
    bool *parts = arena_alloc_array(s->memory, given->parts.count + 1, sizeof *parts);
    if (!parts)
        return files_no_memory();
    for (size_t i = 0; i < given->parts.count; i++)
        parts[i] = file_bounds_may_hold(scan, &given->parts.items[i].facts);
    TRY(pq_table_load_parts(scan->scan.table, parts, &loaded));
    return files_take(s, scan, loaded);
}

status plan_narrow_scan(plan_statement *s, plan_node *scan)
{
    key_walk w;
    pq_table *narrow;
    if (!scan->scan.table->is_closed)
        return STATUS_OK;
    if (pq_table_is_in_parts(scan->scan.table))
        TRY(load_parts(s, scan));
    const pq_table *table = scan->scan.table;
    bool *folders = arena_alloc_array(s->memory, table->hive.folders.count + 1, sizeof *folders);
    bool *files = arena_alloc_array(s->memory, table->listed.count + 1, sizeof *files);
    if (!folders || !files)
        return files_no_memory();
    TRY(files_find_keys(s, scan, &w));
    TRY(mark_folders(&w, scan, folders));
    mark_files(scan, folders, files);
    if (table->files.count > 1 && files_are_all(table, files))
        return STATUS_OK; /* a sample of the same files is open */
    TRY(pq_table_narrow(table, files, &narrow));
    return files_take(s, scan, narrow);
}

status plan_open_scan(plan_statement *s, plan_node *scan)
{
    pq_table *opened;
    if (!scan->scan.table->is_closed)
        return STATUS_OK;
    TRY(pq_table_open_listed(scan->scan.table, &opened));
    return files_take(s, scan, opened);
}

static status open_below(plan_statement *s, plan_node *node, plan_node **out)
{
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(open_below(s, node->children[i], &node->children[i]));
    *out = node;
    return node->kind == PLAN_SCAN ? plan_open_scan(s, node) : STATUS_OK;
}

status plan_open_scans(plan_statement *statement)
{
    return plan_each_tree(statement, open_below);
}

/* The keys of a join may leave out files while the query runs. */
static bool may_narrow(const plan_node *scan)
{
    for (size_t i = 0; i < scan->scan.runtime_filters.count; i++) {
        int column = plan_column_index(scan, scan->scan.runtime_filters.items[i].column_id);
        if (scan->scan.table->columns.items[scan->scan.sources.items[column]].key >= 0)
            return true;
    }
    return false;
}

static status open_fixed(plan_statement *s, plan_node *node, plan_node **out)
{
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(open_fixed(s, node->children[i], &node->children[i]));
    *out = node;
    return node->kind == PLAN_SCAN && !may_narrow(node) ? plan_open_scan(s, node) : STATUS_OK;
}

status rewrite_files(plan_statement *statement)
{
    return plan_each_tree(statement, open_fixed);
}
