/* bind_subquery.c - subqueries in expressions: EXISTS, IN, ANY, ALL, and single values.
 *
 * They stay expressions, with a plan whose free column ids are the correlated references; the
 * optimizer turns them into joins. */
#include "sql/binder.h"

static status new_subquery(binder *b, expr_subquery_kind kind, data_type type, expr *arg,
                           plan_node *plan, int32_t location, expr **out)
{
    expr *e = expr_new(b->memory, EXPR_SUBQUERY, type, arg ? 1 : 0, bind_position(b, location));
    if (!e)
        return bind_no_memory();
    e->subquery_kind = kind;
    e->subquery = plan;
    e->is_nullable = kind != SUBQUERY_EXISTS;
    if (arg)
        e->args[0] = arg;
    *out = e;
    return STATUS_OK;
}

static status check_one_column(binder *b, const plan_node *plan, int32_t location)
{
    if (plan->columns.count == 1)
        return STATUS_OK;
    return bind_error(b, STATUS_KIND_INVALID, location, "subquery must return one column, not %zu",
                      plan->columns.count);
}

/* The left side and the subquery's column get one type. */
static status unify_with_column(binder *b, expr **arg, plan_node **plan, const char *operator,
                                int32_t location)
{
    expr *column = bind_column_expr(b, &(*plan)->columns.items[0]);
    if (!column)
        return bind_no_memory();
    TRY(bind_unify(b, arg, &column, location, operator));
    return bind_cast_columns(b, plan, &column->type);
}

static status bind_quantified(binder *b, const PgQuery__SubLink *link, bind_scope *scope,
                              plan_node *plan, expr **out)
{
    bool is_any = link->sub_link_type == PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK;
    const char *name =
        link->n_oper_name ? link->oper_name[link->n_oper_name - 1]->string->sval : "=";
    expr *arg;
    expr_op op;
    if (link->testexpr->node_case == PG_QUERY__NODE__NODE_ROW_EXPR)
        return bind_unsupported(b, link->location, "a row compared with a subquery is");
    if (!bind_comparison_op(name, &op))
        return bind_error(b, STATUS_KIND_UNSUPPORTED, link->location,
                          "operator %s before a subquery is not supported", name);
    TRY(bind_expr(b, link->testexpr, scope, &arg));
    TRY(check_one_column(b, plan, link->location));
    TRY(unify_with_column(b, &arg, &plan, name, link->location));
    TRY(new_subquery(b, is_any ? SUBQUERY_ANY : SUBQUERY_ALL, type_make(TYPE_BOOL), arg, plan,
                     link->location, out));
    (*out)->comparison = op;
    return STATUS_OK;
}

status bind_sublink(binder *b, const PgQuery__SubLink *link, bind_scope *scope, expr **out)
{
    plan_node *plan;
    switch (link->sub_link_type) {
    case PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK:
    case PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK:
    case PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK:
    case PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK:
        break;
    default:
        return bind_unsupported(b, link->location, "this kind of subquery is");
    }
    TRY(bind_select(b, link->subselect->select_stmt, scope, scope->ctes, &plan));
    if (link->sub_link_type == PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK)
        return new_subquery(b, SUBQUERY_EXISTS, type_make(TYPE_BOOL), NULL, plan, link->location,
                            out);
    if (link->sub_link_type != PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK)
        return bind_quantified(b, link, scope, plan, out);
    TRY(check_one_column(b, plan, link->location));
    TRY(bind_resolve_nulls(b, &plan));
    return new_subquery(b, SUBQUERY_SCALAR, plan->columns.items[0].type, NULL, plan, link->location,
                        out);
}
