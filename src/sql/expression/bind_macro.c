/* bind_macro.c - macros: CREATE MACRO keeps its own text, which is parsed again where the macro is called. The body is bound
 * in the place of the call, with the arguments' trees where it names a parameter. */
#include "sql/expression/bind_macro.h"

#include "sql/catalog/definition.h"

#include "base/system/guard.h"
#include "sql/expression/bind_expr.h"
#include "sql/expression/bind_scope.h"
#include "sql/types/bind_columns.h"

#include <strings.h>

/* Macros in one another. */
#define MACRO_DEPTH_MAX 50

/* ---- a macro ---- */

static status macro_find(binder *b, const char *name, const sql_catalog_entry **out)
{
    char *key = sql_catalog_macro_name(b->memory, name);
    return key ? sql_catalog_find(b->catalog, key, b->held, out) : bind_no_memory();
}

static status macro_parse(binder *b, const sql_catalog_entry *entry, sql_text **out_text,
                          const MacroStmt **out)
{
    pg_node *tree;
    *out_text = arena_alloc(b->memory, sizeof **out_text);
    if (!*out_text)
        return bind_no_memory();
    TRY(sql_text_make(b->memory, entry->view_sql, strlen(entry->view_sql), *out_text));
    TRY(sql_parse(b->memory, (*out_text)->parsed, &tree));
    if (!tree || !IsA(tree, MacroStmt))
        return status_new(STATUS_KIND_INTERNAL, "a macro is not one any more");
    *out = castNode(MacroStmt, tree);
    return STATUS_OK;
}

static const NamedArgExpr *macro_parameter(const MacroStmt *macro, size_t i)
{
    return castNode(NamedArgExpr, list_nth(macro->parameters, i));
}

/* ---- arguments ---- */

static status wrong_arguments(binder *b, const MacroStmt *macro, const FuncCall *call)
{
    return bind_error(b, STATUS_KIND_INVALID, call->location,
                      "macro \"%s\" takes %zu arguments, not %zu", macro->name,
                      list_length(macro->parameters), list_length(call->args));
}

/* Puts an argument in its place: that of its name, or the next. */
static status place_argument(binder *b, const MacroStmt *macro, const FuncCall *call, size_t number,
                             const pg_node **args)
{
    const pg_node *arg = list_nth(call->args, number);
    size_t count = list_length(macro->parameters);
    if (!IsA(arg, NamedArgExpr)) {
        if (number >= count)
            return wrong_arguments(b, macro, call);
        args[number] = arg;
        return STATUS_OK;
    }
    const NamedArgExpr *named = castNode(NamedArgExpr, arg);
    for (size_t i = 0; i < count; i++)
        if (!strcasecmp(macro_parameter(macro, i)->name, named->name)) {
            args[i] = named->arg;
            return STATUS_OK;
        }
    return bind_error(b, STATUS_KIND_NOT_FOUND, named->location,
                      "macro \"%s\" has no parameter \"%s\"", macro->name, named->name);
}

/* Fills in the frame: the names of the parameters, and the trees that stand for them. */
static status macro_frame(binder *b, const MacroStmt *macro, const FuncCall *call, bind_macro *out)
{
    size_t count = list_length(macro->parameters);
    out->names = arena_alloc_array(b->memory, count + 1, sizeof *out->names);
    out->args = arena_alloc_array(b->memory, count + 1, sizeof *out->args);
    out->is_own = arena_alloc_array(b->memory, count + 1, sizeof *out->is_own);
    if (!out->names || !out->args || !out->is_own)
        return bind_no_memory();
    out->count = count;
    for (size_t i = 0; i < list_length(call->args); i++)
        TRY(place_argument(b, macro, call, i, out->args));
    for (size_t i = 0; i < count; i++) {
        out->names[i] = macro_parameter(macro, i)->name;
        out->is_own[i] = !out->args[i];
        if (!out->args[i])
            out->args[i] = macro_parameter(macro, i)->arg;
        if (!out->args[i])
            return wrong_arguments(b, macro, call);
    }
    return STATUS_OK;
}

static status check_depth(binder *b, const MacroStmt *macro, int32_t location)
{
    int depth = 0;
    for (const bind_macro *m = b->macro; m; m = m->outer)
        depth++;
    return depth < MACRO_DEPTH_MAX ? STATUS_OK
                                   : bind_error(b, STATUS_KIND_INVALID, location,
                                                "macro \"%s\" refers to itself", macro->name);
}

/* ---- a call ---- */

/* An error in a macro's body has no place of its own. */
static status macro_failed(binder *b, status st, const MacroStmt *macro, int32_t location)
{
    int32_t position = bind_position(b, location);
    if (!st || b->macro || status_get_kind(st) == STATUS_KIND_CANCELLED)
        return st; /* the outermost says so */
    st = status_context(st, "macro \"%s\"", macro->name);
    return position < 0 ? st : status_at(st, position);
}

typedef struct macro_call {
    binder *b;
    const MacroStmt *macro;
    bind_macro frame;
    bind_view view;
    sql_text *text;
} macro_call;

/* Notes that the statement itself, not a view or macro in it, calls the macro. */
static status macro_note_use(binder *b, const sql_catalog_entry *entry)
{
    if (b->views)
        return STATUS_OK;
    b->uses = sql_catalog_add_use(b->memory, b->uses, entry->name);
    return b->uses ? STATUS_OK : bind_no_memory();
}

/* Finds the macro of a call; false: there is none of this kind. */
static status macro_begin(binder *b, const FuncCall *call, bind_scope *scope, bool is_table,
                          macro_call *out, bool *out_is_macro)
{
    const char *name = strVal(list_nth(call->funcname, list_length(call->funcname) - 1));
    const sql_catalog_entry *entry;
    *out_is_macro = false;
    TRY(macro_find(b, name, &entry));
    if (!entry || !entry->view_sql)
        return STATUS_OK;
    TRY(macro_parse(b, entry, &out->text, &out->macro));
    if (out->macro->is_table != is_table)
        return STATUS_OK;
    *out_is_macro = true;
    TRY(macro_note_use(b, entry));
    TRY(check_depth(b, out->macro, call->location));
    out->b = b;
    out->frame = (bind_macro){.outer = b->macro,
                              .scope = scope,
                              .lambda = b->lambda,
                              .text = b->text,
                              .views = b->views,
                              .own = out->text};
    TRY(macro_frame(b, out->macro, call, &out->frame));
    out->view = (bind_view){.outer = b->views, .name = entry->name};
    return STATUS_OK;
}

static void macro_enter(macro_call *c)
{
    c->b->macro = &c->frame;
    c->b->text = c->text;
    c->b->views = &c->view;
}

static void macro_leave(macro_call *c)
{
    c->b->macro = c->frame.outer;
    c->b->text = c->frame.text;
    c->b->views = c->frame.views;
}

status bind_macro_call(binder *b, const FuncCall *call, bind_scope *scope, bool *out_is_macro,
                       expr **out)
{
    macro_call c;
    TRY(guard_check());
    TRY(macro_begin(b, call, scope, false, &c, out_is_macro));
    if (!*out_is_macro)
        return STATUS_OK;
    macro_enter(&c);
    status st = bind_expr(b, c.macro->body, scope, out);
    macro_leave(&c);
    return macro_failed(b, st, c.macro, call->location);
}

status bind_macro_table(binder *b, const FuncCall *call, bind_scope *scope, bool *out_is_macro,
                        plan_node **out)
{
    macro_call c;
    bind_scope *around = arena_alloc(b->memory, sizeof *around);
    if (!around)
        return bind_no_memory();
    *around = (bind_scope){.parent = scope->lateral ? scope->lateral : scope->parent};
    TRY(macro_begin(b, call, around, true, &c, out_is_macro));
    if (!*out_is_macro)
        return STATUS_OK;
    macro_enter(&c);
    status st = b->bind_subquery(b, castNode(SelectStmt, c.macro->body), around->parent, NULL, out);
    if (!st)
        st = bind_resolve_nulls(b, out);
    macro_leave(&c);
    return macro_failed(b, st, c.macro, call->location);
}

/* ---- CREATE MACRO ---- */

status bind_check_macro(binder *b, const MacroStmt *tree)
{
    const sql_catalog_entry *entry;
    TRY(macro_find(b, tree->name, &entry));
    if (tree->is_drop ? entry || tree->if_exists : !entry || tree->replace)
        return STATUS_OK;
    if (tree->is_drop)
        return bind_error(b, STATUS_KIND_NOT_FOUND, tree->location,
                          "there is no macro named \"%s\"", tree->name);
    return status_hint(bind_error(b, STATUS_KIND_INVALID, tree->location,
                                  "there is a macro named \"%s\" already", tree->name),
                       "CREATE OR REPLACE MACRO replaces it");
}
