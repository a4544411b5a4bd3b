/* bind_virtual.c - see bind_virtual.h. */
#include "sql/expression/bind_virtual.h"

#include "parquet/table/table.h"
#include "sql/expression/bind_window.h"
#include "sql/types/bind_operator.h"

#include <strings.h>

static bool is_of_name(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool bind_virtual_names(const binder *b, const char *name)
{
    const char *text = b->text->parsed;
    size_t bytes = strlen(name);
    if (!b->is_from_item)
        return false;
    for (const char *at = text; (at = strcasestr(at, name)); at += bytes)
        if ((at == text || !is_of_name(at[-1])) && !is_of_name(at[bytes]))
            return true;
    return false;
}

bind_virtual bind_virtual_wanted(const binder *b, const pq_table *table)
{
    bind_virtual wanted = {.has_filename = bind_virtual_names(b, "filename"),
                           .has_row_number = bind_virtual_names(b, "file_row_number")};
    for (size_t i = 0; i < table->columns.count; i++) {
        const pq_table_column *column = &table->columns.items[i];
        wanted.is_taken |= column->key < 0 && !strcasecmp(column->name, "filename");
        wanted.has_row_number &= strcasecmp(column->name, "file_row_number") != 0;
    }
    bool has_none = table->given || table->united; /* of a lake, or of files that differ */
    wanted.has_filename &= !wanted.is_taken && !has_none;
    wanted.has_row_number &= !has_none && (!wanted.is_taken || table->file_total < 2);
    return wanted;
}

status bind_virtual_note(binder *b, uint32_t id)
{
    return array_push(b->memory, &b->virtual_columns, id);
}

/* The node's columns but one, and that one's expression after them under its name. */
static status put_last(binder *b, size_t left_out, expr *last, const char *name, plan_node **node)
{
    expr_list exprs = {0};
    ARRAY(const char *) names = {0};
    for (size_t i = 0; i < (*node)->columns.count; i++) {
        expr *e = bind_column_expr(b, &(*node)->columns.items[i]);
        if (!e)
            return bind_no_memory();
        if (i == left_out)
            continue;
        TRY(array_push(b->memory, &exprs, e));
        TRY(array_push(b->memory, &names, (*node)->columns.items[i].name));
    }
    TRY(array_push(b->memory, &exprs, last));
    TRY(array_push(b->memory, &names, name));
    return bind_project(b, *node, exprs.items, names.items, exprs.count, node);
}

static size_t virtual_find(const plan_node *node, const char *name)
{
    size_t i = 0;
    while (i < node->columns.count && strcmp(node->columns.items[i].name, name) != 0)
        i++;
    return i;
}

status bind_virtual_hide(binder *b, const char *name, plan_node **node)
{
    size_t at = virtual_find(*node, name);
    if (at == (*node)->columns.count)
        return STATUS_OK;
    expr *column = bind_column_expr(b, &(*node)->columns.items[at]);
    if (!column)
        return bind_no_memory();
    TRY(put_last(b, at, column, name, node));
    return bind_virtual_note(b, (*node)->columns.items[(*node)->columns.count - 1].id);
}

/* Sorts the rows by file, those of one file as they lie, and numbers them. */
static status number_by_file(binder *b, size_t file, plan_node **node, expr **out)
{
    plan_node *sort, *window;
    plan_window_call call = {.function = WINDOW_ROW_NUMBER, .position = -1};
    plan_column number = {
        .id = bind_new_id(b), .name = "row_number", .type = type_make(TYPE_INT64)};
    plan_sort_key key = {.key = bind_column_expr(b, &(*node)->columns.items[file])};
    expr *partition = bind_column_expr(b, &(*node)->columns.items[file]);
    if (!key.key || !partition)
        return bind_no_memory();
    TRY(bind_new_node(b, PLAN_SORT, *node, &sort));
    TRY(array_push(b->memory, &sort->sort.keys, key));
    sort->sort.keeps_order = true;
    TRY(bind_new_node(b, PLAN_WINDOW, sort, &window));
    TRY(array_push(b->memory, &window->window.partition, partition));
    TRY(array_push(b->memory, &window->columns, number));
    TRY(array_push(b->memory, &window->window.calls, call));
    *node = window;
    *out = bind_column_expr(b, &number);
    return *out ? STATUS_OK : bind_no_memory();
}

status bind_virtual_number(binder *b, const char *name, const char *file, uint64_t first,
                           plan_node **node)
{
    const value added = value_int(TYPE_INT64, (int64_t)first - 1);
    size_t by = file ? virtual_find(*node, file) : 0;
    expr *number, *constant;
    TRY(file ? number_by_file(b, by, node, &number) : bind_row_number(b, node, &number));
    TRY(bind_constant(b, &added, -1, &constant));
    TRY(bind_arithmetic(b, "+", number, constant, -1, &number));
    return put_last(b, (*node)->columns.count - 1, number, name, node);
}
