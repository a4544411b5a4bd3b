/* bind_made.c - functions that are expressions of others. The expression is parsed where the function is called;
 * its parameters become the call's arguments, which are bound once, and its places the call's. */
#include "sql/function/bind_made.h"

#include "sql/types/bind_type.h"

static const made_aggregate aggregates[] = {
#define AGGREGATE_MADE(sql, arguments, count, type, takes_distinct, text, help)                    \
    {sql, arguments, text, count, takes_distinct, sizeof type == sizeof "json" && type[0] == 'j'},
#include "plan/tree/aggregates.def"
};

static void made_visit(const made_call *m, Node *node);

static void made_visit_list(const made_call *m, List *list)
{
    for (size_t i = 0; i < list_length(list); i++)
        made_visit(m, list_nth(list, i));
}

static void made_visit_call(const made_call *m, FuncCall *call)
{
    const char *name = strVal(list_nth(call->funcname, 0));
    made_visit_list(m, call->args);
    made_visit_list(m, call->agg_order);
    call->location = m->tree->location;
    if (!m->is_aggregate || !m->is_aggregate(name))
        return;
    call->agg_filter = m->filter;
    call->agg_order = m->tree->agg_order;
    call->agg_distinct = m->tree->agg_distinct;
    call->over = m->tree->over;
    call->ignore_nulls = m->tree->ignore_nulls;
}

static void made_visit_case(const made_call *m, CaseExpr *e)
{
    made_visit(m, e->arg);
    made_visit(m, e->defresult);
    for (size_t i = 0; i < list_length(e->args); i++) {
        CaseWhen *when = castNode(CaseWhen, list_nth(e->args, i));
        made_visit(m, when->expr);
        made_visit(m, when->result);
        when->location = m->tree->location;
    }
    e->location = m->tree->location;
}

static void made_visit_operator(const made_call *m, A_Expr *e)
{
    made_visit(m, e->lexpr);
    made_visit(m, e->rexpr);
    e->location = m->tree->location;
}

static void made_visit_parameter(const made_call *m, ParamRef *parameter)
{
    size_t number = (size_t)(m->sql[parameter->location + 1] - '1');
    if (number < m->count && m->args && m->args[number])
        parameter->bound = m->args[number];
    else if (number < m->count && m->nodes)
        parameter->node = m->nodes[number];
    parameter->location = m->tree->location;
}

static void made_visit_select(const made_call *m, SelectStmt *query)
{
    made_visit_list(m, query->targetList);
    made_visit_list(m, query->fromClause);
    made_visit_list(m, query->groupClause);
    if (query->whereClause)
        made_visit(m, query->whereClause);
    if (query->havingClause)
        made_visit(m, query->havingClause);
}

/* Visits the kinds of nodes that the lists' texts have. */
static void made_visit(const made_call *m, Node *node)
{
    switch (nodeTag(node)) {
    case T_List:
        made_visit_list(m, castNode(List, node));
        break;
    case T_ParamRef:
        made_visit_parameter(m, castNode(ParamRef, node));
        break;
    case T_A_Const:
        castNode(A_Const, node)->location = m->tree->location;
        break;
    case T_TypeCast:
        made_visit(m, castNode(TypeCast, node)->arg);
        castNode(TypeCast, node)->location = m->tree->location;
        castNode(TypeCast, node)->typeName->location = m->tree->location;
        break;
    case T_A_Expr:
        made_visit_operator(m, castNode(A_Expr, node));
        break;
    case T_NullTest:
        made_visit(m, castNode(NullTest, node)->arg);
        castNode(NullTest, node)->location = m->tree->location;
        break;
    case T_BoolExpr:
        made_visit_list(m, castNode(BoolExpr, node)->args);
        castNode(BoolExpr, node)->location = m->tree->location;
        break;
    case T_CoalesceExpr:
        made_visit_list(m, castNode(CoalesceExpr, node)->args);
        castNode(CoalesceExpr, node)->location = m->tree->location;
        break;
    case T_CaseExpr:
        made_visit_case(m, castNode(CaseExpr, node));
        break;
    case T_SQLValueFunction:
        castNode(SQLValueFunction, node)->location = m->tree->location;
        break;
    case T_ResTarget:
        made_visit(m, castNode(ResTarget, node)->val);
        castNode(ResTarget, node)->location = m->tree->location;
        break;
    case T_NamedArgExpr:
        made_visit(m, (Node *)castNode(NamedArgExpr, node)->arg);
        castNode(NamedArgExpr, node)->location = m->tree->location;
        break;
    case T_ColumnRef:
        castNode(ColumnRef, node)->location = m->tree->location;
        break;
    case T_RangeFunction:
        made_visit_list(m, castNode(RangeFunction, node)->functions);
        break;
    case T_RangeSubselect:
        made_visit(m, castNode(RangeSubselect, node)->subquery);
        break;
    case T_SubLink:
        made_visit(m, castNode(SubLink, node)->subselect);
        castNode(SubLink, node)->location = m->tree->location;
        break;
    case T_SelectStmt:
        made_visit_select(m, castNode(SelectStmt, node));
        break;
    case T_SortBy:
        made_visit(m, castNode(SortBy, node)->node);
        castNode(SortBy, node)->location = m->tree->location;
        break;
    case T_A_ArrayExpr:
        made_visit_list(m, castNode(A_ArrayExpr, node)->elements);
        castNode(A_ArrayExpr, node)->location = m->tree->location;
        break;
    case T_FuncCall:
        made_visit_call(m, castNode(FuncCall, node));
        break;
    default:
        break;
    }
}

status made_parse_query(binder *b, made_call *m, const char *text, SelectStmt **out)
{
    Node *statement;
    m->sql = arena_format(b->memory, "select %s", text);
    if (!m->sql)
        return bind_no_memory();
    TRY(sql_parse(b->memory, m->sql, &statement));
    *out = castNode(SelectStmt, statement);
    made_visit_list(m, (*out)->targetList);
    made_visit_list(m, (*out)->fromClause);
    made_visit(m, (*out)->whereClause);
    return STATUS_OK;
}

status made_parse(binder *b, made_call *m, const char *text, const Node **out)
{
    SelectStmt *query;
    TRY(made_parse_query(b, m, text, &query));
    *out = castNode(ResTarget, list_nth(query->targetList, 0))->val;
    return STATUS_OK;
}

/* ---- aggregates ---- */

const made_aggregate *made_find(const char *name)
{
    for (size_t i = 0; i < sizeof aggregates / sizeof *aggregates; i++)
        if (!strcmp(aggregates[i].name, name))
            return &aggregates[i];
    return NULL;
}

status made_check(binder *b, const FuncCall *tree, const made_aggregate *found)
{
    if (tree->agg_star || list_length(tree->args) != found->args)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "aggregate \"%s\" takes %u argument%s, not %zu", found->name, found->args,
                          found->args == 1 ? "" : "s", list_length(tree->args));
    if (tree->agg_within_group)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "aggregate \"%s\" takes no WITHIN GROUP", found->name);
    if (tree->agg_distinct && !found->takes_distinct)
        return bind_unsupported(b, tree->location, "DISTINCT in this aggregate is");
    return STATUS_OK;
}

/* Fails unless the argument is what the list says, a number or a boolean. */
status made_check_type(binder *b, const FuncCall *tree, const made_aggregate *found,
                       const expr *arg)
{
    char type[TYPE_NAME_BYTES];
    bool is_boolean = !strcmp(found->arguments, "boolean");
    if (found->makes_json || !strcmp(found->arguments, "x"))
        return STATUS_OK;
    bool is_fit = arg->type.id == TYPE_NULL || bind_is_literal(arg) ||
                  (is_boolean ? arg->type.id == TYPE_BOOL : type_is_numeric(arg->type));
    if (is_fit)
        return STATUS_OK;
    return bind_error(b, STATUS_KIND_INVALID, tree->location,
                      "argument of \"%s\" must be %s, not %s", found->name,
                      is_boolean ? "boolean" : "a number", type_name(arg->type, type));
}

/* A bound expression as a node. */
status made_node(binder *b, const expr *e, int32_t location, Node **out)
{
    ParamRef *node = arena_alloc(b->memory, sizeof *node);
    if (!node)
        return bind_no_memory();
    *node = (ParamRef){.type = T_ParamRef, .location = location, .bound = e};
    *out = (Node *)node;
    return STATUS_OK;
}
