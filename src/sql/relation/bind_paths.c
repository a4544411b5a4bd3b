/* bind_paths.c - paths as arguments: constants that the binder folds, so that files can be opened while the statement is bound. */
#include "sql/relation/bind_paths.h"

#include "base/system/guard.h"
#include "base/text/nested_scan.h"
#include "base/type/nested_type.h"

typedef struct path_binding {
    binder *b;
    const char *function;
    int32_t call, location; /* of the call; of the argument that is looked at */
    bound_path_list *out;
} path_binding;

static status no_path(const path_binding *p)
{
    return bind_error(p->b, STATUS_KIND_INVALID, p->call,
                      "arguments of %s must be paths in quotes, or constants that give such",
                      p->function);
}

static status is_null(const path_binding *p)
{
    return bind_error(p->b, STATUS_KIND_INVALID, p->location, "a path of %s is NULL", p->function);
}

static status put_path(path_binding *p, const char *text, size_t bytes)
{
    char *path = arena_copy_text(p->b->memory, text, bytes);
    if (!path)
        return bind_no_memory();
    if (memchr(text, '\0', bytes))
        return bind_error(p->b, STATUS_KIND_INVALID, p->location, "a path has a zero byte");
    return array_push(p->b->memory, p->out, ((bound_path){path, p->location}));
}

/* ---- lists ---- */

static bool is_list_of_texts(data_type type)
{
    return type.id == TYPE_LIST && nested_type_of(type)->fields[0].type.id == TYPE_VARCHAR;
}

/* Takes an element of a list's text. */
static status add_element(void *context, uint32_t field, const nested_part *part)
{
    (void)field;
    path_binding *p = context;
    if (part->is_null)
        return is_null(p);
    char *text = arena_alloc(p->b->memory, part->bytes + 1);
    if (!text)
        return bind_no_memory();
    return put_path(p, text, nested_part_text(part, false, text));
}

static status add_expression(path_binding *p, const expr *e);

/* A list as text, as variables are kept, or of elements. */
static status add_list(path_binding *p, const expr *e)
{
    const expr *text = e->kind == EXPR_CALL && e->arg_count ? e->args[0] : NULL;
    if (text && e->op == EXPR_NESTED_OF_TEXT && text->kind == EXPR_CONSTANT &&
        !text->constant.is_null)
        return nested_scan_parts(e->type, text->constant.text, text->constant.bytes,
                                 (nested_parts){add_element, p});
    if (e->kind != EXPR_CALL || e->op != EXPR_LIST_VALUE)
        return no_path(p);
    for (uint32_t i = 0; i < e->arg_count; i++)
        TRY(add_expression(p, e->args[i]));
    return STATUS_OK;
}

/* ---- expressions ---- */

/* An element of a list that is constant, by a number that is; NULL where there is none. */
static status add_one(path_binding *p, const expr *e)
{
    bound_path_list all = {0};
    path_binding of_list = {p->b, p->function, p->call, p->location, &all};
    const expr *number = e->args[1];
    if (!is_list_of_texts(e->args[0]->type) || number->kind != EXPR_CONSTANT ||
        !type_is_integer(number->type) || number->constant.is_null)
        return no_path(p);
    TRY(add_list(&of_list, e->args[0]));
    int64_t at = number->constant.i64, count = (int64_t)all.count;
    at = at < 0 ? count + at : at - 1;
    return at < 0 || at >= count ? is_null(p) : array_push(p->b->memory, p->out, all.items[at]);
}

static status add_expression(path_binding *p, const expr *e)
{
    TRY(guard_check());
    if (e->kind == EXPR_CALL && e->op == EXPR_LIST_ELEMENT)
        return add_one(p, e);
    if (e->kind == EXPR_CONSTANT && e->constant.is_null)
        return is_null(p);
    if (e->kind == EXPR_CONSTANT && e->type.id == TYPE_VARCHAR)
        return put_path(p, e->constant.text, e->constant.bytes);
    return is_list_of_texts(e->type) ? add_list(p, e) : no_path(p);
}

static status add_path_argument(path_binding *p, const pg_node *node)
{
    bind_scope none = {0};
    expr *e;
    TRY(guard_check());
    if (IsA(node, A_ArrayExpr)) {
        const List *elements = castNode(A_ArrayExpr, node)->elements;
        for (size_t i = 0; i < list_length(elements); i++)
            TRY(add_path_argument(p, list_nth(elements, i)));
        return STATUS_OK;
    }
    int32_t location = bind_location(node);
    p->location = location >= 0 ? location : p->call;
    if (IsA(node, A_Const) && nodeTag(&castNode(A_Const, node)->val) == T_String)
        return array_push(p->b->memory, p->out,
                          ((bound_path){castNode(A_Const, node)->val.sval.sval, p->location}));
    if (IsA(node, SubLink))
        return no_path(p);
    status st = p->b->bind_expression(p->b, node, &none, &e);
    if (st && IsA(node, ColumnRef)) { /* a column, and not an argument of a macro */
        status_free(st);
        return no_path(p);
    }
    return st ? st : add_expression(p, e);
}

status bind_paths(binder *b, const pg_node *node, const char *function, int32_t location,
                  bound_path_list *out)
{
    path_binding p = {b, function, location, location, out};
    return add_path_argument(&p, node);
}
