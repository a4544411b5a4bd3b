/* bind_sample.c - TABLESAMPLE and USING SAMPLE. A share of the rows is those for which a random number is small (system: one
 * number for each 2048 rows), a number of rows those of the smallest random numbers. With a seed the numbers are made of the
 * rows' own numbers, so that the same rows in the same order give the same sample. */
#include "sql/expression/bind_expr.h"
#include "sql/expression/bind_window.h"
#include "sql/query/query_parts.h"
#include "sql/text/tree.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"

#include <strings.h>

#define SAMPLE_PRIME 2147483647 /* 2^31 - 1 */

typedef struct sample {
    binder *b;
    const RangeTableSample *tree;
    double number;
    bool is_share; /* of 100; else a number of rows */
    bool by_blocks;
    expr *chance; /* of a row: from 0 to 1 */
    plan_node *node;
} sample;

/* ---- what is asked for ---- */

static status sample_size(sample *s)
{
    const A_Const *number = castNode(A_Const, list_nth(s->tree->args, 0));
    bool is_integer = nodeTag(&number->val) == T_Integer;
    const char *text = is_integer ? NULL : number->val.fval.fval;
    if (is_integer)
        s->number = number->val.ival.ival;
    else if (!double_parse(text, strlen(text), &s->number))
        return bind_error(s->b, STATUS_KIND_INVALID, s->tree->location, "the sample is too large");
    if (s->is_share && s->number > 100)
        return bind_error(s->b, STATUS_KIND_INVALID, s->tree->location,
                          "a sample has at most 100 percent of the rows");
    if (!s->is_share && (!is_integer || s->number < 0))
        return bind_error(s->b, STATUS_KIND_INVALID, s->tree->location,
                          "a sample has a whole number of rows");
    return STATUS_OK;
}

/* system and bernoulli take a share, reservoir rows, where neither is written. */
static status sample_method(sample *s)
{
    const RangeTableSample *tree = s->tree;
    const char *name = list_length(tree->method) ? strVal(list_nth(tree->method, 0)) : "reservoir";
    bool takes_share = !strcasecmp(name, "system") || !strcasecmp(name, "bernoulli");
    if (!takes_share && strcasecmp(name, "reservoir") != 0)
        return status_hint(bind_error(s->b, STATUS_KIND_NOT_FOUND, tree->location,
                                      "there is no way to sample named \"%s\"", name),
                           "there are bernoulli, system and reservoir");
    s->by_blocks = !strcasecmp(name, "system");
    s->is_share = tree->is_percent || (takes_share && !tree->is_rows);
    if (takes_share && !s->is_share)
        return bind_unsupported(s->b, tree->location, "a number of rows of this way to sample is");
    return sample_size(s);
}

/* ---- chances ---- */

static status integer(binder *b, int64_t number, expr **out)
{
    value v = value_int(TYPE_INT64, number);
    return bind_constant(b, &v, -1, out);
}

/* (left * right + more) % SAMPLE_PRIME */
static status scramble(binder *b, expr *left, expr *right, expr *more, expr **out)
{
    expr *prime;
    TRY(integer(b, SAMPLE_PRIME, &prime));
    TRY(bind_arithmetic(b, "*", left, right, -1, out));
    TRY(bind_arithmetic(b, "+", *out, more, -1, out));
    return bind_arithmetic(b, "%", *out, prime, -1, out);
}

/* Gives the rows numbers, and a column with what is made of each. */
static status add_column(sample *s, expr *e, expr **out)
{
    expr_list exprs = {0};
    ARRAY(const char *) names = {0};
    for (size_t i = 0; i < s->node->columns.count; i++) {
        expr *column = bind_column_expr(s->b, &s->node->columns.items[i]);
        if (!column)
            return bind_no_memory();
        TRY(array_push(s->b->memory, &exprs, column));
        TRY(array_push(s->b->memory, &names, s->node->columns.items[i].name));
    }
    TRY(array_push(s->b->memory, &exprs, e));
    TRY(array_push(s->b->memory, &names, (const char *)"sample"));
    TRY(bind_project(s->b, s->node, exprs.items, names.items, exprs.count, &s->node));
    *out = bind_column_expr(s->b, &s->node->columns.items[exprs.count - 1]);
    return *out ? STATUS_OK : bind_no_memory();
}

/* A number from 0 to 1 that is made of the row's number and the seed. */
static status chance_of_seed(sample *s, int64_t seed)
{
    binder *b = s->b;
    expr *number, *factor, *more, *mixed, *again, *prime;
    TRY(bind_row_number(s->b, &s->node, &number));
    TRY(integer(b, 48271, &factor));
    TRY(integer(b, 12345 + (seed & 0x7fffffff) * 16807, &more));
    TRY(integer(b, SAMPLE_PRIME, &prime));
    TRY(bind_arithmetic(b, "%", number, prime, -1, &number));
    TRY(scramble(b, number, factor, more, &mixed));
    TRY(add_column(s, mixed, &mixed)); /* it is read twice */
    again = expr_copy(b->memory, mixed);
    if (!again)
        return bind_no_memory();
    TRY(integer(b, 7, &more));
    TRY(scramble(b, mixed, again, more, &mixed));
    TRY(integer(b, 69621, &factor));
    TRY(integer(b, 1, &more));
    TRY(scramble(b, mixed, factor, more, &mixed));
    TRY(bind_cast(b, mixed, type_make(TYPE_DOUBLE), -1, &mixed));
    value most = value_double(SAMPLE_PRIME);
    TRY(bind_constant(b, &most, -1, &prime));
    return bind_arithmetic(b, "/", mixed, prime, -1, &s->chance);
}

static status random_chance(sample *s)
{
    FuncCall call = {.type = T_FuncCall, .location = -1};
    bind_scope none = {0};
    pg_node *name = tree_string(s->b->memory, s->by_blocks ? "random_block" : "random");
    call.funcname = tree_list(s->b->memory, &name, 1);
    if (!name || !call.funcname)
        return bind_no_memory();
    return bind_expr(s->b, (pg_node *)&call, &none, &s->chance);
}

static status find_chance(sample *s)
{
    const pg_node *seed = s->tree->repeatable;
    if (!seed)
        return random_chance(s);
    if (!IsA(seed, A_Const) || nodeTag(&castNode(A_Const, seed)->val) != T_Integer)
        return bind_unsupported(s->b, bind_location(seed), "a seed other than an integer is");
    return chance_of_seed(s, castNode(A_Const, seed)->val.ival.ival);
}

/* ---- rows ---- */

static status take_share(sample *s)
{
    value share = value_double(s->number / 100);
    expr *constant, *condition;
    TRY(bind_constant(s->b, &share, -1, &constant));
    TRY(bind_comparison(s->b, EXPR_LT, s->chance, constant, -1, &condition));
    return bind_filter(s->b, s->node, condition, &s->node);
}

static status bind_sample_take_rows(sample *s)
{
    plan_node *sorted, *limited;
    plan_sort_key key = {0};
    TRY(add_column(s, s->chance, &key.key));
    TRY(bind_new_node(s->b, PLAN_SORT, s->node, &sorted));
    TRY(array_push(s->b->memory, &sorted->sort.keys, key));
    sorted->sort.has_limit = s->number > 0;
    sorted->sort.limit = (uint64_t)s->number;
    TRY(bind_new_node(s->b, PLAN_LIMIT, sorted, &limited));
    limited->limit.has_limit = true;
    limited->limit.limit = (uint64_t)s->number;
    s->node = limited;
    return STATUS_OK;
}

status bind_sample(binder *b, const RangeTableSample *tree, plan_node **node)
{
    sample s = {.b = b, .tree = tree, .node = *node};
    TRY(sample_method(&s));
    TRY(find_chance(&s));
    TRY(s.is_share ? take_share(&s) : bind_sample_take_rows(&s));
    *node = s.node;
    return STATUS_OK;
}
