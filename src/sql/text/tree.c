/* tree.c - nodes of parse trees that stand for others. */
#include "sql/text/tree.h"

pg_node *tree_string(arena *a, const char *text)
{
    String *node = arena_alloc(a, sizeof *node);
    if (!node)
        return NULL;
    node->type = T_String;
    node->sval = arena_copy_text(a, text, strlen(text));
    return node->sval ? (pg_node *)node : NULL;
}

List *tree_list(arena *a, pg_node *const *nodes, size_t count)
{
    List *list = arena_alloc(a, sizeof *list);
    if (!list || count > INT32_MAX / 2)
        return NULL;
    *list = (List){.type = T_List, .length = (int)count, .max_length = (int)count};
    list->elements = arena_alloc_array(a, count + 1, sizeof *list->elements);
    for (size_t i = 0; list->elements && i < count; i++) {
        if (!nodes[i])
            return NULL;
        list->elements[i] = nodes[i];
    }
    return list->elements ? list : NULL;
}

pg_node *tree_column(arena *a, const char *relation, const char *name, int32_t location)
{
    ColumnRef *node = arena_alloc(a, sizeof *node);
    pg_node *parts[2] = {relation ? tree_string(a, relation) : NULL, tree_string(a, name)};
    if (!node || (relation && !parts[0]))
        return NULL;
    node->type = T_ColumnRef;
    node->location = location;
    node->fields = tree_list(a, relation ? parts : parts + 1, relation ? 2 : 1);
    return node->fields ? (pg_node *)node : NULL;
}

pg_node *tree_text(arena *a, const char *text, int32_t location)
{
    A_Const *node = arena_alloc(a, sizeof *node);
    if (!node)
        return NULL;
    node->type = T_A_Const;
    node->location = location;
    node->val.sval.type = T_String;
    node->val.sval.sval = arena_copy_text(a, text, strlen(text));
    return node->val.sval.sval ? (pg_node *)node : NULL;
}

pg_node *tree_operator(arena *a, A_Expr_Kind kind, const char *name, pg_node *left, pg_node *right,
                       int32_t location)
{
    A_Expr *node = arena_alloc(a, sizeof *node);
    pg_node *word = tree_string(a, name);
    if (!node || !word)
        return NULL;
    node->type = T_A_Expr;
    node->kind = kind;
    node->lexpr = left;
    node->rexpr = right;
    node->location = location;
    node->name = tree_list(a, &word, 1);
    return node->name ? (pg_node *)node : NULL;
}
