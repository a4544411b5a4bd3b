/* bind_copy_keys.c - COPY ... (PARTITION_BY (a, b)): rows of one combination of keys follow one another, so
 * that one file is open at a time. */
#include "sql/statement/bind_copy_keys.h"

#include "sql/types/binder.h"

#include <strings.h>

static status copy_keys_add_name(const binder *b, const DefElem *option, const pg_node *node,
                                 const char **names, size_t *count)
{
    if (!IsA(node, String))
        return bind_error(b, STATUS_KIND_INVALID, option->location,
                          "PARTITION_BY takes names of columns");
    names[(*count)++] = strVal(node);
    return STATUS_OK;
}

status bind_copy_keys(const binder *b, const DefElem *option, sql_copy *out)
{
    const pg_node *arg = option->arg;
    bool is_list = arg && IsA(arg, List);
    size_t count = is_list ? list_length(castNode(List, arg)) : 1;
    const char **names = arena_alloc_array(b->memory, count + 1, sizeof *names);
    if (!names)
        return bind_no_memory();
    if (!arg)
        return status_hint(bind_error(b, STATUS_KIND_INVALID, option->location,
                                      "PARTITION_BY lacks names of columns"),
                           "PARTITION_BY (a, b)");
    out->partition_by = names;
    for (size_t i = 0; i < count; i++)
        TRY(copy_keys_add_name(b, option, is_list ? list_nth(castNode(List, arg), i) : arg, names,
                               &out->partition_count));
    return STATUS_OK;
}

/* ---- the plan ---- */

static status copy_keys_no_such_column(const binder *b, const char *name, const plan_node *root)
{
    const char **names = arena_alloc_array(b->memory, root->columns.count + 1, sizeof *names);
    if (!names)
        return bind_no_memory();
    for (size_t i = 0; i < root->columns.count; i++)
        names[i] = root->columns.items[i].name;
    return bind_suggest(bind_error(b, STATUS_KIND_NOT_FOUND, -1,
                                   "PARTITION_BY: the rows have no column \"%s\"", name),
                        name, names, root->columns.count);
}

/* Values that are equal must have one text, and folders' names are text. */
static bool can_name(data_type type)
{
    return type_is_integer(type) || type_is_time(type) || type.id == TYPE_DECIMAL ||
           type.id == TYPE_BOOL || type.id == TYPE_VARCHAR || type.id == TYPE_UUID;
}

static status copy_keys_check_key(const binder *b, const plan_column *column)
{
    char type[TYPE_NAME_BYTES];
    if (!*column->name)
        return bind_error(b, STATUS_KIND_INVALID, -1,
                          "PARTITION_BY: a folder cannot be named by a column without a name");
    if (can_name(column->type))
        return STATUS_OK;
    return status_hint(
        bind_error(b, STATUS_KIND_UNSUPPORTED, -1, "PARTITION_BY: column \"%s\" is of type %s",
                   column->name, type_name(column->type, type)),
        "keys are integers, decimals, booleans, dates, times or varchar: CAST(... AS "
        "varchar)");
}

static status copy_keys_find_key(const binder *b, const plan_node *root, const char *name,
                                 bool *is_key, size_t *out)
{
    for (*out = 0; *out < root->columns.count; ++*out)
        if (!strcasecmp(root->columns.items[*out].name, name))
            break;
    if (*out == root->columns.count)
        return copy_keys_no_such_column(b, name, root);
    if (is_key[*out])
        return bind_error(b, STATUS_KIND_INVALID, -1, "PARTITION_BY has column \"%s\" twice", name);
    is_key[*out] = true;
    return copy_keys_check_key(b, &root->columns.items[*out]);
}

/* By the keys, and then as the query has sorted them. */
static status bind_copy_keys_sort_rows(binder *b, const plan_sort_key_list *keys, plan_node **root)
{
    plan_node *sort = *root;
    plan_sort_key_list all = *keys;
    if (sort->kind != PLAN_SORT || sort->sort.has_limit)
        TRY(bind_new_node(b, PLAN_SORT, *root, &sort));
    for (size_t i = 0; i < sort->sort.keys.count; i++)
        TRY(array_push(b->memory, &all, sort->sort.keys.items[i]));
    sort->sort.keys = all;
    *root = sort;
    return STATUS_OK;
}

/* Puts the other columns first, then the keys as they are listed. */
static status bind_copy_keys_order_columns(binder *b, const bool *is_key,
                                           const plan_sort_key_list *keys, plan_node **root)
{
    size_t count = (*root)->columns.count, at = 0;
    expr **exprs = arena_alloc_array(b->memory, count, sizeof *exprs);
    const char **names = arena_alloc_array(b->memory, count, sizeof *names);
    if (!exprs || !names)
        return bind_no_memory();
    for (size_t i = 0; i < count; i++)
        if (!is_key[i]) {
            names[at] = (*root)->columns.items[i].name;
            exprs[at] = bind_column_expr(b, &(*root)->columns.items[i]);
            if (!exprs[at++])
                return bind_no_memory();
        }
    for (size_t k = 0; k < keys->count; k++, at++) {
        names[at] = keys->items[k].key->name;
        exprs[at] = keys->items[k].key;
    }
    return bind_project(b, *root, exprs, names, count, root);
}

status bind_copy_partition(binder *b, const sql_copy *copy, plan_node **root)
{
    size_t count = (*root)->columns.count;
    plan_sort_key_list keys = {0};
    bool *is_key = arena_alloc_array(b->memory, count + 1, sizeof *is_key);
    if (!is_key)
        return bind_no_memory();
    for (size_t i = 0; i < copy->partition_count; i++) {
        size_t column;
        TRY(copy_keys_find_key(b, *root, copy->partition_by[i], is_key, &column));
        expr *key = bind_column_expr(b, &(*root)->columns.items[column]);
        if (!key)
            return bind_no_memory();
        TRY(array_push(b->memory, &keys, ((plan_sort_key){.key = key})));
    }
    if (keys.count == count)
        return bind_error(b, STATUS_KIND_INVALID, -1,
                          "PARTITION_BY lists all columns: none is left for the files");
    TRY(bind_copy_keys_sort_rows(b, &keys, root));
    return bind_copy_keys_order_columns(b, is_key, &keys, root);
}
