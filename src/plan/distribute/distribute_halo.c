/* distribute_halo.c - a rank's rows between those that it borrows of its neighbours:
 *
 *     project [the columns that are wanted]
 *       filter [is_own]
 *         window [lag(x)] in the order of number
 *           sort number
 *             union
 *               project [..., true as is_own]
 *                 shared 1
 *               project [..., false as is_own]
 *                 give to later ranks
 *                   sort number descending, the first of them
 *                     shared 1
 *               project [..., false as is_own]
 *                 give to earlier ranks
 *                   sort number, the first of them
 *                     shared 1
 *
 * A rank with fewer rows than are needed gives all of them, and those of the ranks beyond it are there as well. */
#include "plan/distribute/distribute_halo.h"

#include "plan/distribute/distribute_shared.h"
#include "plan/edit/shared.h"
#include "plan/nodes/node_filter.h"
#include "plan/nodes/node_window.h"

typedef struct halo_plan {
    distributor *d;
    const distribute_halo *halo;
    const plan_node
        *rows; /* what the shared rows stand for: the windows read columns of these ids */
    uint32_t shared;
    int number;         /* place of the number among the columns */
    uint32_t is_own_id; /* of the union */
} halo_plan;

static status halo_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

/* ---- which calls ---- */

/* Returns whether lag or lead looks a known number of rows back (negative: ahead). */
static bool find_shift(const plan_window_call *call, int64_t *out)
{
    const expr *distance = call->arg_count > 1 ? call->args[1] : NULL;
    *out = 1;
    if (distance) {
        const value *v = &distance->constant;
        if (distance->kind != EXPR_CONSTANT || v->is_null || !type_is_integer(v->type))
            return false;
        int128 rows = value_int128(v);
        if (rows > DISTRIBUTE_HALO_ROWS_MOST || rows < -DISTRIBUTE_HALO_ROWS_MOST)
            return false;
        *out = (int64_t)rows;
    }
    if (call->function == WINDOW_LEAD)
        *out = -*out;
    return true;
}

/* Returns whether the bound is a few rows away, and how many behind the row (negative: before it). */
static bool find_bound(const plan_frame_bound *bound, int64_t *out)
{
    if (bound->kind == FRAME_UNBOUNDED_PRECEDING || bound->kind == FRAME_UNBOUNDED_FOLLOWING ||
        (bound->kind != FRAME_CURRENT && bound->offset > DISTRIBUTE_HALO_ROWS_MOST))
        return false;
    *out = bound->kind == FRAME_CURRENT     ? 0
           : bound->kind == FRAME_PRECEDING ? -(int64_t)bound->offset
                                            : (int64_t)bound->offset;
    return true;
}

/* Returns whether the call sees but a few rows, and from which to which, counted from its own. */
static bool find_reach(const plan_window_call *call, int64_t *first, int64_t *last)
{
    const plan_frame *frame = &call->frame;
    if (call->function == WINDOW_LAG || call->function == WINDOW_LEAD) {
        if (call->ignores_nulls || !find_shift(call, last))
            return false;
        *first = *last = -*last;
        return true;
    }
    return plan_window_has_frame(call) && frame->mode == FRAME_ROWS &&
           (frame->exclusion == FRAME_EXCLUDE_NONE || frame->exclusion == FRAME_EXCLUDE_CURRENT) &&
           find_bound(&frame->start, first) && find_bound(&frame->end, last);
}

bool distribute_halo_can(const plan_window_call *call)
{
    int64_t first, last;
    return find_reach(call, &first, &last);
}

status distribute_halo_add(arena *a, distribute_halo *halo, const plan_window_call *call,
                           const plan_column *column)
{
    int64_t first = 0, last = 0;
    (void)find_reach(call, &first, &last);
    if (first < 0 && (uint64_t)-first > halo->before)
        halo->before = (uint64_t)-first;
    if (last > 0 && (uint64_t)last > halo->behind)
        halo->behind = (uint64_t)last;
    return array_push(a, &halo->calls, ((distribute_halo_call){*call, *column}));
}

/* ---- nodes ---- */

static plan_node *halo_node(const halo_plan *h, plan_kind kind, uint32_t children)
{
    return distribute_node(h->d, kind, children, h->rows->position);
}

static expr *halo_column(const halo_plan *h, const plan_column *column)
{
    return plan_column_expr(h->d->statement->memory, column);
}

/* Sorts the node's rows by their numbers; limit: how many of the first ones are kept, 0: all. */
static status sort_by_number(const halo_plan *h, const plan_column *number, bool is_descending,
                             uint64_t limit, plan_node **io)
{
    plan_node *sort = halo_node(h, PLAN_SORT, 1);
    expr *key = halo_column(h, number);
    if (!sort || !key)
        return halo_no_memory();
    sort->columns = (*io)->columns;
    sort->children[0] = *io;
    sort->sort.has_limit = limit > 0;
    sort->sort.limit = limit;
    sort->estimated_rows =
        limit && (double)limit < (*io)->estimated_rows ? (double)limit : (*io)->estimated_rows;
    *io = sort;
    return array_push(h->d->statement->memory, &sort->sort.keys,
                      ((plan_sort_key){.key = key, .is_descending = is_descending}));
}

/* Makes a child of the union: all columns under ids of its own, and whether the rows are the rank's own. */
static status mark_rows(const halo_plan *h, plan_node *rows, bool is_own, plan_node **out)
{
    plan_statement *s = h->d->statement;
    const value mark = value_bool(is_own);
    plan_node *project = *out = halo_node(h, PLAN_PROJECT, 1);
    if (!project)
        return halo_no_memory();
    project->children[0] = rows;
    project->estimated_rows = rows->estimated_rows;
    for (size_t i = 0; i < rows->columns.count; i++) {
        plan_column column = rows->columns.items[i];
        expr *e = halo_column(h, &column);
        column.id = s->next_column_id++;
        TRY(plan_project_add(h->d->statement->memory, project, column, e));
    }
    const plan_column column = {
        .id = s->next_column_id++, .name = "is_own", .type = mark.type, .is_nullable = false};
    return plan_project_add(h->d->statement->memory, project, column,
                            expr_new_constant(s->memory, &mark, -1));
}

static status refer_to_rows(const halo_plan *h, plan_node **out)
{
    TRY(plan_shared_reference(h->d->statement, h->shared, out));
    (*out)->placement = PLACEMENT_PARTS;
    (*out)->estimated_rows = h->rows->estimated_rows;
    return STATUS_OK;
}

/* Makes the child of the union that other ranks give this one. */
static status borrow_rows(const halo_plan *h, plan_exchange_kind kind, uint64_t most,
                          plan_node **out)
{
    plan_node *rows;
    TRY(refer_to_rows(h, &rows));
    TRY(sort_by_number(h, &rows->columns.items[h->number], kind == EXCHANGE_LATER, most, &rows));
    TRY(distribute_exchange(h->d, &rows, kind, NULL));
    return mark_rows(h, rows, false, out);
}

/* Makes the union of the rank's rows, with the ids that the windows know, and its halo. */
static status unite_rows(halo_plan *h, plan_node **out)
{
    const distribute_halo *halo = h->halo;
    const plan_column_list *columns = &h->rows->columns;
    plan_node *own, *children[3];
    uint32_t count = 1;
    TRY(refer_to_rows(h, &own));
    TRY(mark_rows(h, own, true, &children[0]));
    if (halo->before)
        TRY(borrow_rows(h, EXCHANGE_LATER, halo->before, &children[count++]));
    if (halo->behind)
        TRY(borrow_rows(h, EXCHANGE_EARLIER, halo->behind, &children[count++]));
    plan_node *all = *out = halo_node(h, PLAN_UNION, count);
    if (!all)
        return halo_no_memory();
    all->estimated_rows = h->rows->estimated_rows;
    for (uint32_t i = 0; i < count; i++)
        all->children[i] = children[i];
    for (size_t i = 0; i < columns->count; i++)
        TRY(array_push(h->d->statement->memory, &all->columns, columns->items[i]));
    const plan_column is_own = {.id = h->is_own_id = h->d->statement->next_column_id++,
                                .name = "is_own",
                                .type = type_make(TYPE_BOOL)};
    return array_push(h->d->statement->memory, &all->columns, is_own);
}

/* Puts the calls over the rows. */
static status halo_window(const halo_plan *h, const plan_column *number, plan_node **io)
{
    arena *a = h->d->statement->memory;
    plan_node *window = halo_node(h, PLAN_WINDOW, 1);
    expr *key = halo_column(h, number);
    if (!window || !key)
        return halo_no_memory();
    window->children[0] = *io;
    window->estimated_rows = (*io)->estimated_rows;
    TRY(array_push(a, &window->window.order, ((plan_sort_key){.key = key})));
    for (size_t i = 0; i < (*io)->columns.count; i++)
        TRY(array_push(a, &window->columns, (*io)->columns.items[i]));
    for (size_t i = 0; i < h->halo->calls.count; i++) {
        TRY(array_push(a, &window->columns, h->halo->calls.items[i].column));
        TRY(array_push(a, &window->window.calls, h->halo->calls.items[i].call));
    }
    *io = window;
    return STATUS_OK;
}

/* Leaves the rank's own rows, with the columns that are wanted. */
static status keep_own(const halo_plan *h, const plan_column_list *columns, plan_node **io)
{
    expr_list conditions = {0};
    const plan_column is_own = {.id = h->is_own_id, .name = "is_own", .type = type_make(TYPE_BOOL)};
    expr *condition = halo_column(h, &is_own);
    plan_node *project = halo_node(h, PLAN_PROJECT, 1);
    if (!condition || !project)
        return halo_no_memory();
    TRY(array_push(h->d->statement->memory, &conditions, condition));
    TRY(plan_filter_over(h->d->statement->memory, *io, &conditions, &project->children[0]));
    project->children[0]->placement = PLACEMENT_PARTS;
    project->children[0]->estimated_rows = project->estimated_rows = h->rows->estimated_rows;
    for (size_t i = 0; i < columns->count; i++)
        TRY(plan_project_add(h->d->statement->memory, project, columns->items[i],
                             halo_column(h, &columns->items[i])));
    *io = project;
    return STATUS_OK;
}

status distribute_halo_over(distributor *d, plan_node **slot, const distribute_halo *halo,
                            uint32_t number_id, const plan_column_list *columns)
{
    halo_plan h = {.d = d, .halo = halo};
    plan_node *all;
    TRY(distribute_share(d, slot, &h.shared));
    h.rows = *slot;
    h.number = plan_column_index(h.rows, number_id);
    const plan_column *number = &h.rows->columns.items[h.number];
    TRY(unite_rows(&h, &all));
    TRY(sort_by_number(&h, number, false, 0, &all));
    TRY(halo_window(&h, number, &all));
    TRY(keep_own(&h, columns, &all));
    *slot = all;
    return STATUS_OK;
}
