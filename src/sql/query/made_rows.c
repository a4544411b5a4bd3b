/* made_rows.c - see made_rows.h. Facts of files are in file_facts.c. The text of each names its arguments $1 and $2, and numbers members by a series: members of
 * one text are found in one document (json_read.c). */
#include "sql/query/made_rows.h"

#include "sql/function/bind_made.h"
#include "sql/query/pragma_text.h"
#include "sql/relation/file_facts.h"

/* Columns of member "#" of the JSON text P, which is at path O. */
#define MEMBER_ROWS(P, O)                                                                          \
    "json_member_key(" P ", \"#\") AS key, json_member(" P ", \"#\") AS value, "                   \
    "json_type(json_member(" P ", \"#\")) AS type, "                                               \
    "CASE WHEN json_type(json_member(" P ", \"#\")) NOT IN ('ARRAY', 'OBJECT', 'NULL') "           \
    "THEN json_member(" P ", \"#\") END AS atom, " O " || CASE WHEN json_type(" P                  \
    ") = 'ARRAY' THEN '[' || json_member_key(" P ", \"#\") || ']' "                                \
    "WHEN json_type(" P ") <> 'OBJECT' THEN '' "                                                   \
    "WHEN json_member_key(" P ", \"#\") ~ '^[A-Za-z][A-Za-z0-9_]*$' "                              \
    "THEN '.' || json_member_key(" P ", \"#\") "                                                   \
    "ELSE '.\"' || json_member_key(" P ", \"#\") || '\"' END AS fullkey, " O " AS path"
#define SERIES(P) " FROM generate_series(0, json_members(" P ") - 1) AS \"#\"(\"#\")"
#define MEMBER_PART "json_extract($1, $2)"
/* Columns of each value of the JSON text P and below it, of what json_nodes makes. */
#define TREE_ROWS(P)                                                                               \
    "node->>'k' AS key, node->'v'->>'$' AS value, node->>'t' AS type, node->>'a' AS atom, "        \
    "CAST(node->>'i' AS ubigint) AS id, CAST(node->>'p' AS ubigint) AS parent, "                   \
    "node->>'f' AS fullkey, node->>'o' AS path FROM (SELECT json_member(\"@\", \"#\") AS node "    \
    "FROM (SELECT json_nodes(" P ") AS \"@\") AS \"@\", generate_series(0, "                       \
    "json_members(\"@\") - 1) AS \"#\"(\"#\")) AS node"

static const struct made_rows_function {
    const char *name;
    uint32_t args;
    const char *text;
} functions[] = {
    {"pistachio_statements", 0, "* FROM pg_catalog.pistachio_statements"},
    {"pg_get_keywords", 0,
     "CAST(NULL AS varchar) AS word, CAST(NULL AS varchar) AS catcode, CAST(NULL AS varchar) AS "
     "catdesc WHERE false"},
    {"pg_options_to_table", 1,
     "CAST(NULL AS varchar) AS option_name, CAST(NULL AS varchar) AS option_value WHERE false"},
    {"pg_partition_tree", 1,
     "CAST(NULL AS bigint) AS relid, CAST(NULL AS bigint) AS parentrelid, CAST(NULL AS boolean) AS "
     "isleaf, "
     "CAST(NULL AS integer) AS level WHERE false"},
    {"pg_partition_ancestors", 1, "CAST(NULL AS bigint) AS relid WHERE false"},
    {"json_each", 1, MEMBER_ROWS("$1", "'$'") SERIES("$1")},
    {"json_each", 2, MEMBER_ROWS(MEMBER_PART, "$2") SERIES(MEMBER_PART)},
    {"json_tree", 1, TREE_ROWS("$1")},
    {"json_tree", 2, TREE_ROWS("$1, $2")},
    {"jsonb_each", 1, MEMBER_ROWS("$1", "'$'") SERIES("$1")},
    {"json_each_text", 1,
     "json_member_key($1, \"#\") AS key, json_member($1, \"#\")->>'$' AS value" SERIES("$1")},
    {"json_array_elements", 1,
     "json_member($1, \"#\") AS value" SERIES("$1") " WHERE json_type($1) = 'ARRAY'"},
    {"jsonb_array_elements", 1,
     "json_member($1, \"#\") AS value" SERIES("$1") " WHERE json_type($1) = 'ARRAY'"},
    {"json_array_elements_text", 1,
     "json_member($1, \"#\")->>'$' AS value" SERIES("$1") " WHERE json_type($1) = 'ARRAY'"},
    {"json_object_keys", 1,
     "json_member_key($1, \"#\") AS json_object_keys" SERIES(
         "$1") " WHERE json_type($1) = 'OBJECT'"},
};

static const FuncCall *made_rows_call(const RangeFunction *range)
{
    const Node *item = list_length(range->functions) ? list_nth(range->functions, 0) : NULL;
    if (item && IsA(item, List) && list_length(castNode(List, item)))
        item = list_nth(castNode(List, item), 0);
    bool is_one = item && IsA(item, FuncCall) && list_length(range->functions) == 1;
    return is_one ? castNode(FuncCall, item) : NULL;
}

/* Returns the function of that name; of several the one that takes as many arguments. */
static const struct made_rows_function *made_rows_find(const char *name, size_t args)
{
    const struct made_rows_function *found = NULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, name) && (!found || functions[i].args == args))
            found = &functions[i];
    return found;
}

static status made_rows_check(binder *b, const RangeFunction *range, const FuncCall *call,
                              const struct made_rows_function *found)
{
    size_t count = list_length(call->args);
    if (range->ordinality)
        return bind_unsupported(b, call->location, "WITH ORDINALITY of this function is");
    if (list_length(range->coldeflist))
        return bind_unsupported(b, call->location, "a list of columns with types is");
    if (!found || count == found->args)
        return STATUS_OK;
    return bind_error(b, STATUS_KIND_INVALID, call->location,
                      "function \"%s\" takes %u argument%s, not %zu", found->name, found->args,
                      found->args == 1 ? "" : "s", count);
}

static status made_rows_subquery(binder *b, const RangeFunction *range, SelectStmt *query,
                                 const char *name, const RangeSubselect **out)
{
    RangeSubselect *subselect = arena_alloc(b->memory, sizeof *subselect);
    Alias *alias = arena_alloc(b->memory, sizeof *alias);
    if (!subselect || !alias)
        return bind_no_memory();
    *alias = (Alias){.type = T_Alias, .aliasname = arena_copy_text(b->memory, name, strlen(name))};
    if (!alias->aliasname)
        return bind_no_memory();
    *subselect = (RangeSubselect){.type = T_RangeSubselect,
                                  .lateral = true,
                                  .subquery = (Node *)query,
                                  .alias = range->alias ? range->alias : alias};
    *out = subselect;
    return STATUS_OK;
}

status made_rows(binder *b, const RangeFunction *range, const RangeSubselect **out)
{
    const FuncCall *call = made_rows_call(range);
    SelectStmt *query;
    *out = NULL;
    if (!call)
        return STATUS_OK;
    const char *name = strVal(list_nth(call->funcname, list_length(call->funcname) - 1));
    const struct made_rows_function *found = made_rows_find(name, list_length(call->args));
    const char *text = found ? found->text : NULL;
    made_call m = {.tree = call, .nodes = list_items(call->args), .count = list_length(call->args)};
    if (!found)
        TRY(pragma_function_text(b, call, &text));
    if (!found && !text)
        TRY(file_facts_text(b, call, &text));
    if (!text)
        return STATUS_OK;
    TRY(made_rows_check(b, range, call, found));
    TRY(made_parse_query(b, &m, text, &query));
    return made_rows_subquery(b, range, query, name, out);
}

status made_rows_scalar(binder *b, const RangeFunction *range, const RangeSubselect **out)
{
    const FuncCall *call = made_rows_call(range);
    const char *name = strVal(list_nth(call->funcname, list_length(call->funcname) - 1));
    const char *column = range->alias ? range->alias->aliasname : name;
    Node *node = (Node *)call;
    made_call m = {.tree = call, .nodes = &node, .count = 1};
    SelectStmt *query;
    TRY(made_rows_check(b, range, call, NULL));
    TRY(made_parse_query(b, &m, "$1", &query));
    ResTarget *target = castNode(ResTarget, list_nth(query->targetList, 0));
    target->name = arena_copy_text(b->memory, column, strlen(column));
    return target->name ? made_rows_subquery(b, range, query, name, out) : bind_no_memory();
}
