/* bind_pragma.c - see bind_pragma.h. */
#include "sql/statement/bind_pragma.h"

#include "sql/query/bind_table.h"
#include "sql/query/pragma_text.h"
#include "sql/text/tree.h"
#include "sql/types/bind_columns.h"

status bind_pragma(binder *b, const PragmaStmt *tree, plan_node **out)
{
    const char *text;
    TRY(pragma_text(b, tree->name, tree->args, tree->location, &text));
    text = arena_format(b->memory, "SELECT %s", text);
    if (!text)
        return bind_no_memory();
    status st = bind_view_query(b, tree->name, text, out);
    return st ? status_at(st, bind_position(b, tree->location)) : STATUS_OK;
}

status bind_call_query(binder *b, Node *call, const pg_select **out)
{
    static A_Star star = {.type = T_A_Star};
    Node *all = (Node *)&star, *range_node, *item, *target_node;
    SelectStmt *select = arena_alloc(b->memory, sizeof *select);
    RangeFunction *range = arena_alloc(b->memory, sizeof *range);
    ColumnRef *column = arena_alloc(b->memory, sizeof *column);
    ResTarget *target = arena_alloc(b->memory, sizeof *target);
    if (!select || !range || !column || !target)
        return bind_no_memory();
    int32_t location = castNode(FuncCall, call)->location;
    item = (Node *)tree_list(b->memory, &call, 1);
    *range = (RangeFunction){.type = T_RangeFunction, .functions = tree_list(b->memory, &item, 1)};
    *column = (ColumnRef){
        .type = T_ColumnRef, .fields = tree_list(b->memory, &all, 1), .location = location};
    *target = (ResTarget){.type = T_ResTarget, .val = (Node *)column, .location = location};
    range_node = (Node *)range;
    target_node = (Node *)target;
    *select = (SelectStmt){.type = T_SelectStmt,
                           .targetList = tree_list(b->memory, &target_node, 1),
                           .fromClause = tree_list(b->memory, &range_node, 1)};
    if (!item || !range->functions || !column->fields || !select->targetList || !select->fromClause)
        return bind_no_memory();
    *out = select;
    return STATUS_OK;
}
