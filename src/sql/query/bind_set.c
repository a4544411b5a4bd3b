/* bind_set.c - UNION, INTERSECT, EXCEPT and VALUES.
 *
 *   UNION ALL       union all                       UNION       distinct of it
 *   INTERSECT       semi join of distinct rows      EXCEPT      anti join of distinct rows
 *   INTERSECT ALL   rows of both sides, counted; each as often as the smaller count says
 *   EXCEPT ALL      the left side's, as often as they are there more often
 *
 * In all joins here NULL equals NULL. */
#include "sql/query/bind_set.h"

#include "plan/nodes/visit.h"
#include "plan/tree/function.h"
#include "sql/expression/bind_expr.h"
#include "sql/query/bind_order.h"
#include "sql/types/bind_columns.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/binder.h"
#include "sql/types/nested_cast.h"

#include <strings.h>

/* ---- columns ---- */

/* Is column i an untyped literal, which takes the other side's type? */
static bool is_literal_column(const plan_node *node, size_t i)
{
    if (node->columns.items[i].type.id == TYPE_NULL)
        return true;
    return node->kind == PLAN_PROJECT && bind_is_literal(node->project.exprs.items[i]);
}

/* One column type for both sides of a set operation. */
static status bind_match_columns(binder *b, plan_node **left, plan_node **right,
                                 const char *operation, int32_t location)
{
    size_t count = (*left)->columns.count;
    if (count != (*right)->columns.count)
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "each %s query must have the same number of columns, not %zu and %zu",
                          operation, count, (*right)->columns.count);
    data_type *types = arena_alloc_array(b->memory, count, sizeof *types);
    if (!types)
        return bind_no_memory();
    for (size_t i = 0; i < count; i++) {
        char l_name[TYPE_NAME_BYTES], r_name[TYPE_NAME_BYTES];
        data_type l = (*left)->columns.items[i].type, r = (*right)->columns.items[i].type;
        bool l_literal = is_literal_column(*left, i), r_literal = is_literal_column(*right, i);
        bool is_one = false;
        if (type_is_nested(l) && type_is_nested(r))
            TRY(bind_nested_common(b, l, r, &types[i], &is_one));
        if (l_literal != r_literal)
            types[i] = l_literal ? r : l;
        else if (!is_one && !bind_common_type(l, r, &types[i]))
            return bind_error(b, STATUS_KIND_INVALID, location,
                              "%s types %s and %s cannot be matched", operation,
                              type_name(l, l_name), type_name(r, r_name));
        if (types[i].id == TYPE_NULL)
            types[i] = type_make(TYPE_VARCHAR);
    }
    TRY(bind_cast_columns(b, left, types));
    for (size_t i = 0; i < count; i++)
        (*left)->columns.items[i].type = types[i]; /* JSON beside texts is text */
    return bind_cast_columns(b, right, types);
}

static status column_exprs(binder *b, const plan_node *node, size_t count, expr_list *out)
{
    for (size_t i = 0; i < count; i++) {
        expr *e = bind_column_expr(b, &node->columns.items[i]);
        if (!e)
            return bind_no_memory();
        TRY(array_push(b->memory, out, e));
    }
    return STATUS_OK;
}

/* ---- UNION ---- */

static status new_union(binder *b, plan_node *left, uint32_t room, plan_node **out)
{
    bool extends = left->kind == PLAN_UNION;
    uint32_t count = extends ? left->child_count : 1;
    plan_node *node = plan_node_new(b->memory, PLAN_UNION, room);
    if (!node)
        return bind_no_memory();
    memcpy(node->children, extends ? left->children : &left, count * sizeof *node->children);
    node->child_count = count;
    for (size_t i = 0; i < left->columns.count; i++) {
        plan_column column = left->columns.items[i];
        column.id = bind_new_id(b);
        TRY(array_push(b->memory, &node->columns, column));
    }
    b->union_all = *out = node;
    b->union_room = room;
    return STATUS_OK;
}

/* A chain of UNION ALLs becomes one node, whose room doubles. */
static status set_unite(binder *b, plan_node *left, plan_node *right, plan_node **out)
{
    uint32_t count = left->kind == PLAN_UNION ? left->child_count : 1;
    *out = left;
    if (left != b->union_all || count == b->union_room)
        TRY(new_union(b, left, count < 2 ? 2 : 2 * count, out));
    (*out)->children[(*out)->child_count++] = right;
    for (size_t i = 0; i < right->columns.count; i++)
        (*out)->columns.items[i].is_nullable |= right->columns.items[i].is_nullable;
    return STATUS_OK;
}

/* In a chain of UNIONs rows are made distinct once, at its end. */
static status unite_sides(binder *b, bool keeps_all, plan_node *left, plan_node *right,
                          plan_node **out)
{
    if (keeps_all)
        return set_unite(b, left, right, out);
    if (left == b->union_distinct)
        left = left->children[0];
    TRY(set_unite(b, left, right, out));
    TRY(bind_distinct(b, *out, out));
    b->union_distinct = *out;
    return STATUS_OK;
}

/* ---- INTERSECT, EXCEPT ---- */

static status join_rows(binder *b, plan_join_type type, plan_node *left, plan_node *right,
                        size_t key_count, plan_node **out)
{
    plan_node *node = plan_node_new(b->memory, PLAN_JOIN, 2);
    if (!node)
        return bind_no_memory();
    node->children[0] = left;
    node->children[1] = right;
    node->join.type = type;
    node->join.null_equal = true;
    TRY(column_exprs(b, left, key_count, &node->join.left_keys));
    TRY(column_exprs(b, right, key_count, &node->join.right_keys));
    for (size_t i = 0; i < left->columns.count; i++)
        TRY(array_push(b->memory, &node->columns, left->columns.items[i]));
    bool has_right = type == JOIN_INNER || type == JOIN_LEFT;
    for (size_t i = 0; has_right && i < right->columns.count; i++) {
        plan_column column = right->columns.items[i];
        column.is_nullable |= type == JOIN_LEFT;
        TRY(array_push(b->memory, &node->columns, column));
    }
    *out = node;
    return STATUS_OK;
}

static status distinct_rows(binder *b, bool is_intersect, plan_node *left, plan_node *right,
                            plan_node **out)
{
    TRY(bind_distinct(b, left, &left));
    return join_rows(b, is_intersect ? JOIN_SEMI : JOIN_ANTI, left, right, left->columns.count,
                     out);
}

status bind_except(binder *b, plan_node *left, plan_node *right, plan_node **out)
{
    return distinct_rows(b, false, left, right, out);
}

/* Distinct rows and how often each is there, as the last column. */
static status set_count_rows(binder *b, plan_node *node, plan_node **out)
{
    plan_column count = {.id = bind_new_id(b), .name = "count", .type = type_make(TYPE_INT64)};
    plan_aggregate call = {.function = AGGREGATE_COUNT_STAR, .position = -1};
    TRY(bind_distinct(b, node, out));
    TRY(array_push(b->memory, &(*out)->columns, count));
    return array_push(b->memory, &(*out)->aggregate.aggregates, call);
}

/* min(l, r), or max(l - r, 0) with a missing r as 0. */
static status times(binder *b, bool is_intersect, const plan_column *l, const plan_column *r,
                    expr **out)
{
    data_type number = type_make(TYPE_INT64);
    value nothing = value_int(TYPE_INT64, 0);
    expr *left = bind_column_expr(b, l), *right = bind_column_expr(b, r), *zero, *other_zero;
    if (!left || !right)
        return bind_no_memory();
    if (is_intersect)
        return bind_call2(b, EXPR_LEAST, number, left, right, -1, out);
    TRY(bind_constant(b, &nothing, -1, &zero));
    TRY(bind_constant(b, &nothing, -1, &other_zero));
    TRY(bind_call2(b, EXPR_COALESCE, number, right, zero, -1, &right));
    TRY(bind_call2(b, EXPR_SUBTRACT, number, left, right, -1, out));
    return bind_call2(b, EXPR_GREATEST, number, *out, other_zero, -1, out);
}

static status counted_rows(binder *b, bool is_intersect, plan_node *left, plan_node *right,
                           plan_node **out)
{
    size_t keys = left->columns.count;
    plan_node *joined, *repeat;
    TRY(set_count_rows(b, left, &left));
    TRY(set_count_rows(b, right, &right));
    TRY(join_rows(b, is_intersect ? JOIN_INNER : JOIN_LEFT, left, right, keys, &joined));
    TRY(bind_new_node(b, PLAN_REPEAT, joined, &repeat));
    repeat->columns.count = keys; /* the left side's columns alone */
    TRY(times(b, is_intersect, &joined->columns.items[keys],
              &joined->columns.items[joined->columns.count - 1], &repeat->repeat.count));
    *out = repeat;
    return STATUS_OK;
}

static int32_t set_location_of(const pg_select *select)
{
    while (select->op != SETOP_NONE)
        select = select->larg;
    return list_length(select->targetList) ? bind_location(list_nth(select->targetList, 0)) : -1;
}

/* ---- UNION BY NAME ---- */

static const plan_column *column_named(const plan_node *node, const char *name)
{
    for (size_t i = 0; i < node->columns.count; i++)
        if (!strcasecmp(node->columns.items[i].name, name))
            return &node->columns.items[i];
    return NULL;
}

/* Gives a side the columns of these names: its own, or NULL. */
static status columns_by_name(binder *b, const bind_name_list *names, plan_node **side)
{
    expr_list exprs = {0};
    for (size_t i = 0; i < names->count; i++) {
        const plan_column *column = column_named(*side, names->items[i]);
        value null = value_null(type_make(TYPE_NULL));
        expr *e = column ? bind_column_expr(b, column) : NULL;
        if (!column)
            TRY(bind_constant(b, &null, -1, &e));
        if (!e)
            return bind_no_memory();
        TRY(array_push(b->memory, &exprs, e));
    }
    return bind_project(b, *side, exprs.items, names->items, exprs.count, side);
}

/* The columns of the left side, then those that the right one alone has. */
static status match_names(binder *b, plan_node **left, plan_node **right)
{
    bind_name_list names = {0};
    for (size_t i = 0; i < (*left)->columns.count; i++)
        TRY(array_push(b->memory, &names, (*left)->columns.items[i].name));
    for (size_t i = 0; i < (*right)->columns.count; i++)
        if (!column_named(*left, (*right)->columns.items[i].name))
            TRY(array_push(b->memory, &names, (*right)->columns.items[i].name));
    TRY(columns_by_name(b, &names, left));
    return columns_by_name(b, &names, right);
}

status bind_set_operation(binder *b, const pg_select *select, bind_scope *scope, bind_cte *ctes,
                          plan_node **out)
{
    static const char *const names[] = {
        [SETOP_UNION] = "UNION", [SETOP_INTERSECT] = "INTERSECT", [SETOP_EXCEPT] = "EXCEPT"};
    bool is_intersect = select->op == SETOP_INTERSECT;
    plan_node *left, *right;
    bind_scope inner = {.parent = scope, .ctes = ctes};
    TRY(b->bind_subquery(b, select->larg, scope, ctes, &left));
    TRY(b->bind_subquery(b, select->rarg, scope, ctes, &right));
    if (select->by_name)
        TRY(match_names(b, &left, &right));
    TRY(bind_match_columns(b, &left, &right, names[select->op], set_location_of(select->rarg)));
    if (select->op == SETOP_UNION) {
        TRY(unite_sides(b, select->all, left, right, out));
    } else if (select->all) {
        TRY(counted_rows(b, is_intersect, left, right, out));
    } else {
        TRY(distinct_rows(b, is_intersect, left, right, out));
    }
    TRY(bind_order_output(b, select, out));
    return bind_limit(b, select, &inner, out);
}

/* ---- VALUES ---- */

typedef struct values_binding {
    binder *b;
    size_t row_count, column_count;
    expr **cells; /* row after row */
    bool is_constant;
    plan_column_list columns;
} values_binding;

static void bind_set_note_column(uint32_t id, void *context)
{
    (void)id;
    *(bool *)context = true;
}

static status bind_set_bind_rows(values_binding *v, const pg_select *select, bind_scope *scope)
{
    v->is_constant = true;
    for (size_t row = 0; row < v->row_count; row++) {
        const List *list = castNode(List, list_nth(select->valuesLists, row));
        if (list_length(list) != v->column_count)
            return bind_error(v->b, STATUS_KIND_INVALID,
                              list_length(list) ? bind_location(list_nth(list, 0)) : -1,
                              "VALUES lists must all be the same length");
        for (size_t i = 0; i < v->column_count; i++) {
            expr **cell = &v->cells[row * v->column_count + i];
            bool has_column = false;
            TRY(bind_expr(v->b, list_nth(list, i), scope, cell));
            expr_visit_columns(*cell, bind_set_note_column, &has_column);
            v->is_constant &= !has_column && expr_is_repeatable(*cell);
        }
    }
    return STATUS_OK;
}

static status type_columns(values_binding *v)
{
    binder *b = v->b;
    expr **column = arena_alloc_array(b->memory, v->row_count, sizeof *column);
    if (!column)
        return bind_no_memory();
    for (size_t i = 0; i < v->column_count; i++) {
        plan_column made = {.name = arena_format(b->memory, "column%zu", i + 1)};
        for (size_t row = 0; row < v->row_count; row++)
            column[row] = v->cells[row * v->column_count + i];
        TRY(bind_coerce_values(b, column, v->row_count, -1, "VALUES", &made.type));
        for (size_t row = 0; row < v->row_count; row++) {
            v->cells[row * v->column_count + i] = column[row];
            made.is_nullable |= column[row]->is_nullable;
        }
        if (!made.name)
            return bind_no_memory();
        made.id = bind_new_id(b);
        TRY(array_push(b->memory, &v->columns, made));
    }
    return STATUS_OK;
}

/* Rows that are not constant: a projection each. */
static status unite_rows(values_binding *v, plan_node **out)
{
    binder *b = v->b;
    const char **names = arena_alloc_array(b->memory, v->column_count, sizeof *names);
    plan_node *all = plan_node_new(b->memory, PLAN_UNION, (uint32_t)v->row_count);
    if (!names || !all)
        return bind_no_memory();
    for (size_t i = 0; i < v->column_count; i++)
        names[i] = v->columns.items[i].name;
    for (size_t row = 0; row < v->row_count; row++) {
        plan_node *single;
        TRY(bind_one_row(b, &single));
        TRY(bind_project(b, single, v->cells + row * v->column_count, names, v->column_count,
                         &all->children[row]));
    }
    all->columns = v->columns;
    *out = all;
    return STATUS_OK;
}

static status constant_rows(values_binding *v, plan_node **out)
{
    plan_node *node = plan_node_new(v->b->memory, PLAN_VALUES, 0);
    if (!node)
        return bind_no_memory();
    node->columns = v->columns;
    TRY(array_reserve(v->b->memory, &node->values.rows, v->row_count));
    for (size_t row = 0; row < v->row_count; row++)
        TRY(array_push(v->b->memory, &node->values.rows, v->cells + row * v->column_count));
    *out = node;
    return STATUS_OK;
}

status bind_values(binder *b, const pg_select *select, bind_scope *scope, bind_cte *ctes,
                   plan_node **out)
{
    values_binding v = {.b = b, .row_count = list_length(select->valuesLists)};
    bind_scope inner = {.parent = scope, .ctes = ctes, .clause = "VALUES"};
    v.column_count = list_length(castNode(List, list_nth(select->valuesLists, 0)));
    v.cells = arena_alloc_array(b->memory, v.row_count * v.column_count, sizeof *v.cells);
    if (!v.cells)
        return bind_no_memory();
    if (v.row_count > UINT32_MAX)
        return bind_unsupported(b, -1, "VALUES of more than 4,294,967,295 rows is");
    TRY(bind_set_bind_rows(&v, select, &inner));
    TRY(type_columns(&v));
    if (v.is_constant)
        TRY(constant_rows(&v, out));
    else
        TRY(unite_rows(&v, out));
    TRY(bind_order_output(b, select, out));
    return bind_limit(b, select, &inner, out);
}
