/* node_window.c - its child's rows, which come in order, with what functions make of each row and the rows
 * around it. */
#include "plan/nodes/node_window.h"

#include "plan/nodes/node.h"
#include "plan/nodes/plan_text.h"
#include "plan/nodes/prune.h"

static void node_window_visit_bound(plan_frame_bound *bound, plan_visitor *visit, void *context)
{
    plan_visit_optional(&bound->key, visit, context);
    plan_visit_optional(&bound->limit, visit, context);
}

static void visit_call(plan_window_call *call, plan_visitor *visit, void *context)
{
    for (uint32_t i = 0; i < call->arg_count; i++)
        visit(&call->args[i], context);
    node_window_visit_bound(&call->frame.start, visit, context);
    node_window_visit_bound(&call->frame.end, visit, context);
}

static void window_visit(plan_node *node, plan_visitor *visit, void *context)
{
    plan_visit_list(&node->window.partition, visit, context);
    for (size_t i = 0; i < node->window.order.count; i++)
        visit(&node->window.order.items[i].key, context);
    for (size_t i = 0; i < node->window.calls.count; i++)
        visit_call(&node->window.calls.items[i], visit, context);
}

/* ---- EXPLAIN ---- */

static void write_bound(plan_writer *w, const plan_frame_bound *bound, bool is_range)
{
    static const char *const texts[] = {
        [FRAME_UNBOUNDED_PRECEDING] = "unbounded preceding",
        [FRAME_PRECEDING] = "preceding",
        [FRAME_CURRENT] = "current row",
        [FRAME_FOLLOWING] = "following",
        [FRAME_UNBOUNDED_FOLLOWING] = "unbounded following",
    };
    bool has_offset = bound->kind == FRAME_PRECEDING || bound->kind == FRAME_FOLLOWING;
    if (has_offset && is_range)
        plan_write_expr(w, bound->limit);
    else if (has_offset)
        plan_write_format(w, "%llu", (unsigned long long)bound->offset);
    plan_write_format(w, "%s%s", has_offset ? " " : "", texts[bound->kind]);
}

static void write_frame(plan_writer *w, const plan_frame *frame)
{
    static const char *const modes[] = {
        [FRAME_ROWS] = "rows", [FRAME_RANGE] = "range", [FRAME_GROUPS] = "groups"};
    static const char *const exclusions[] = {[FRAME_EXCLUDE_NONE] = "",
                                             [FRAME_EXCLUDE_CURRENT] = " exclude current row",
                                             [FRAME_EXCLUDE_GROUP] = " exclude group",
                                             [FRAME_EXCLUDE_TIES] = " exclude ties"};
    plan_write_format(w, " %s ", modes[frame->mode]);
    write_bound(w, &frame->start, frame->mode == FRAME_RANGE);
    plan_write_text(w, " to ");
    write_bound(w, &frame->end, frame->mode == FRAME_RANGE);
    plan_write_text(w, exclusions[frame->exclusion]);
}

bool plan_window_has_frame(const plan_window_call *call)
{
    return call->function == WINDOW_AGGREGATE || call->function == WINDOW_FIRST_VALUE ||
           call->function == WINDOW_LAST_VALUE || call->function == WINDOW_NTH_VALUE ||
           call->function >= WINDOW_STRING_AGG_FRAME;
}

static void window_write_call(plan_writer *w, const plan_window_call *call,
                              const plan_column *column)
{
    bool is_distinct = call->function == WINDOW_DISTINCT;
    bool is_aggregate = call->function == WINDOW_AGGREGATE || is_distinct;
    plan_write_format(w, "%s(%s",
                      is_aggregate ? plan_aggregate_name(call->aggregate)
                                   : plan_window_name(call->function),
                      is_distinct ? "distinct " : "");
    if (is_aggregate && !call->arg_count)
        plan_write_text(w, "*");
    for (uint32_t i = 0; i < call->arg_count; i++) {
        plan_write_text(w, i ? ", " : "");
        plan_write_expr(w, call->args[i]);
    }
    plan_write_text(w, call->ignores_nulls ? " ignore nulls)" : ")");
    if (plan_window_has_frame(call))
        write_frame(w, &call->frame);
    plan_write_text(w, " as ");
    plan_write_column(w, column->id, column->name);
}

static void write_order(plan_writer *w, const plan_node *node)
{
    plan_write_text(w, " order [");
    for (size_t i = 0; i < node->window.order.count; i++) {
        plan_write_text(w, i ? ", " : "");
        plan_write_expr(w, node->window.order.items[i].key);
    }
    plan_write_text(w, "]");
}

static void window_write(plan_writer *w, const plan_node *node)
{
    size_t first = node->columns.count - node->window.calls.count;
    if (node->window.partition.count) {
        plan_write_text(w, " partition [");
        plan_write_exprs(w, &node->window.partition, ", ");
        plan_write_text(w, "]");
    }
    if (node->window.order.count)
        write_order(w, node);
    plan_write_text(w, " [");
    for (size_t i = 0; i < node->window.calls.count; i++) {
        plan_write_text(w, i ? ", " : "");
        window_write_call(w, &node->window.calls.items[i], &node->columns.items[first + i]);
    }
    plan_write_text(w, "]");
}

/* ---- what must hold ---- */

typedef struct column_check {
    plan_verifier *verifier;
    status st; /* the first failure */
    bool takes_constants;
    const plan_node *node;
} column_check;

static void window_check_column(expr **slot, void *context)
{
    column_check *c = context;
    bool is_constant = c->takes_constants && (*slot)->kind == EXPR_CONSTANT;
    if (c->st)
        return;
    c->st = plan_verify_expr(c->verifier, *slot);
    if (!c->st && (*slot)->kind != EXPR_COLUMN && !is_constant)
        c->st = plan_verify_error(c->node, "a key or an argument that is not a column");
}

static status verify_bound(const plan_node *node, const plan_window_call *call,
                           const plan_frame_bound *bound)
{
    bool has_offset = bound->kind == FRAME_PRECEDING || bound->kind == FRAME_FOLLOWING;
    bool has_limit = has_offset && call->frame.mode == FRAME_RANGE;
    if (!bound->key != !has_limit || !bound->limit != !has_limit)
        return plan_verify_error(node, "a frame's bound with a limit too many or too few");
    if (has_limit && (bound->key->type.id != bound->limit->type.id ||
                      bound->key->type.scale != bound->limit->type.scale))
        return plan_verify_error(node, "a frame's limit has another type than the key");
    return STATUS_OK;
}

static status window_verify_call(const plan_node *node, const plan_window_call *call)
{
    if (call->arg_count > PLAN_WINDOW_ARGUMENTS)
        return plan_verify_error(node, "too many arguments");
    if (call->function == WINDOW_AGGREGATE &&
        !call->arg_count != (call->aggregate == AGGREGATE_COUNT_STAR))
        return plan_verify_error(node, "aggregate without argument");
    uint32_t takes = call->function == WINDOW_DISTINCT   ? 1
                     : call->function >= WINDOW_QUANTILE ? 3
                     : call->function > WINDOW_AGGREGATE ? 2
                                                         : call->arg_count;
    if (call->arg_count != takes)
        return plan_verify_error(node, "a function without all of its arguments");
    TRY(verify_bound(node, call, &call->frame.start));
    return verify_bound(node, call, &call->frame.end);
}

static status window_verify(plan_verifier *v, const plan_node *node)
{
    size_t calls = node->window.calls.count, passed = node->columns.count - calls;
    column_check check = {.verifier = v, .takes_constants = true, .node = node};
    if (calls > node->columns.count)
        return plan_verify_error(node, "numbers of columns and functions differ");
    for (size_t i = 0; i < calls; i++)
        TRY(window_verify_call(node, &node->window.calls.items[i]));
    plan_verify_show_children(v, node, 1);
    window_visit((plan_node *)node, window_check_column, &check);
    plan_verify_show_children(v, node, -1);
    TRY(check.st);
    TRY(plan_verify_passed(v, node, 0, passed));
    return plan_verify_made(v, node, passed, node->columns.count);
}

/* ---- columns ---- */

static void window_add_visited(expr **slot, void *context)
{
    column_set_add_expr(context, *slot);
}

static status window_prune(plan_statement *s, plan_node *node, const column_set *needed)
{
    column_set below;
    size_t first = node->columns.count - node->window.calls.count, kept = 0;
    plan_column_list made = {0}, columns = {0};
    for (size_t i = 0; i < node->window.calls.count; i++) {
        const plan_column *column = &node->columns.items[first + i];
        if (!column_set_has(needed, column->id))
            continue;
        TRY(array_push(s->memory, &made, *column));
        node->window.calls.items[kept++] = node->window.calls.items[i];
    }
    node->window.calls.count = kept;
    TRY(column_set_copy(s->memory, needed, &below));
    window_visit(node, window_add_visited, &below);
    TRY(plan_prune(s, node->children[0], &below));
    for (size_t i = 0; i < node->children[0]->columns.count; i++)
        TRY(array_push(s->memory, &columns, node->children[0]->columns.items[i]));
    for (size_t i = 0; i < made.count; i++)
        TRY(array_push(s->memory, &columns, made.items[i]));
    node->columns = columns;
    return STATUS_OK;
}

const plan_node_ops plan_node_window = {
    .visit = window_visit, .write = window_write, .verify = window_verify, .prune = window_prune};
