/* sql.c - statements: which kind, and what each holds. */
#include "sql/statement/sql.h"

#include "base/cancel.h"
#include "base/setting/setting.h"
#include "base/system/guard.h"
#include "plan/nodes/nested_check.h"
#include "plan/nodes/verify.h"
#include "plan/nodes/visit.h"
#include "sql/expression/bind_expr.h"
#include "sql/expression/bind_macro.h"
#include "sql/expression/bind_scope.h"
#include "sql/query/bind_query.h"
#include "sql/query/bind_table.h"
#include "sql/query/bind_with.h"
#include "sql/statement/bind_ahead.h"
#include "sql/statement/bind_copy.h"
#include "sql/statement/bind_copy_client.h"
#include "sql/statement/bind_copy_keys.h"
#include "sql/statement/bind_named.h"
#include "sql/statement/bind_pragma.h"
#include "sql/statement/bind_rows.h"
#include "sql/statement/bind_schema.h"
#include "sql/statement/bind_variable.h"
#include "sql/statement/bind_wanted.h"
#include "sql/text/nesting.h"
#include "sql/text/summarize.h"
#include "sql/types/bind_columns.h"
#include "sql/types/parameter.h"
#include "storage/object_store.h"

#include <pthread.h>
#include <strings.h>

#define ZONE_MICROSECONDS_MAX ((int64_t)25 * 3600 * 1000000)

typedef struct preparer {
    binder binder;
    sql_text text;
    bind_parameters parameters;
    sql_statement *statement;
    const sql_session *session;
    bind_view executed; /* a prepared statement's text, whose places are not the user's */
} preparer;

static status no_memory(void)
{
    return status_no_memory("statement", sizeof(sql_statement));
}

/* ---- queries ---- */

static status prepare_query(preparer *p, const pg_node *tree, sql_kind kind)
{
    p->statement->kind = kind;
    p->binder.rounds.is_dry |=
        kind == SQL_EXPLAIN || kind == SQL_DESCRIBE || kind == SQL_CREATE_VIEW;
    if (!tree || !IsA(tree, SelectStmt))
        return bind_unsupported(&p->binder, p->text.start, "anything but a query in this place is");
    TRY(bind_statement(&p->binder, castNode(SelectStmt, tree)));
    TRY(plan_verify(&p->statement->query));
    return plan_check_nested(&p->statement->query, false);
}

static status prepare_explain(preparer *p, const ExplainStmt *tree)
{
    sql_kind kind = SQL_EXPLAIN;
    for (size_t i = 0; i < list_length(tree->options); i++) {
        const DefElem *option = castNode(DefElem, list_nth(tree->options, i));
        if (strcmp(option->defname, "analyze"))
            return bind_error(&p->binder, STATUS_KIND_UNSUPPORTED, option->location,
                              "EXPLAIN option \"%s\" is not supported", option->defname);
        kind = SQL_EXPLAIN_ANALYZE;
    }
    return prepare_query(p, tree->query, kind);
}

/* ---- views ---- */

/* "name" with quotes, those inside doubled. */
static char *quoted(arena *a, const char *name)
{
    char *text = arena_alloc(a, 2 * strlen(name) + 3), *to = text;
    if (!text)
        return NULL;
    *to++ = '"';
    for (; *name; name++) {
        if (*name == '"')
            *to++ = '"';
        *to++ = *name;
    }
    *to = '"';
    return text;
}

/* CREATE VIEW v (a, b) AS query is kept as SELECT * FROM (query) AS "v" ("a", "b"). */
static status add_view_names(preparer *p, const ViewStmt *tree)
{
    arena *a = p->binder.memory;
    const char *separator = "", *names = "";
    if (list_length(tree->aliases) > p->statement->query.root->columns.count)
        return bind_error(&p->binder, STATUS_KIND_INVALID, tree->view->location,
                          "view \"%s\" has %zu columns but %zu names", tree->view->relname,
                          p->statement->query.root->columns.count, list_length(tree->aliases));
    for (size_t i = 0; i < list_length(tree->aliases); i++, separator = ", ") {
        const char *name = quoted(a, strVal(list_nth(tree->aliases, i)));
        names = name ? arena_format(a, "%s%s%s", names, separator, name) : NULL;
        if (!names)
            return no_memory();
    }
    const char *view = quoted(a, tree->view->relname);
    p->statement->text =
        view ? arena_format(a, "SELECT * FROM (%s\n) AS %s (%s)", p->statement->text, view, names)
             : NULL;
    return p->statement->text ? STATUS_OK : no_memory();
}

static status prepare_create_view(preparer *p, const ViewStmt *tree)
{
    const char *all = p->text.text;
    if (tree->withCheckOption > NO_CHECK_OPTION || list_length(tree->options))
        return bind_unsupported(&p->binder, tree->view->location, "options of a view are");
    if (p->text.parameters.count)
        return bind_unsupported(&p->binder, p->text.parameters.items[0].position,
                                "a parameter in a view is");
    TRY(prepare_query(p, tree->query, SQL_CREATE_VIEW));
    p->statement->replace = tree->replace;
    p->statement->is_temporary = tree->view->relpersistence == RELPERSISTENCE_TEMP;
    p->statement->uses = p->binder.uses;
    p->statement->text = all + (tree->querylocation < 0 ? 0 : tree->querylocation);
    if (list_length(tree->aliases))
        TRY(add_view_names(p, tree));
    if (p->binder.path.count)
        p->statement->text =
            bind_view_text(&p->binder, p->session->search_path, p->statement->text);
    TRY(bind_new_key(&p->binder, tree->view, &p->statement->name));
    return p->statement->text ? STATUS_OK : no_memory();
}

static status prepare_drop(preparer *p, const DropStmt *tree)
{
    bool is_view = tree->removeType == OBJECT_VIEW;
    if (tree->removeType == OBJECT_SCHEMA)
        return bind_drop_schema(&p->binder, tree, p->statement);
    if (!is_view && tree->removeType != OBJECT_TABLE)
        return bind_unsupported(&p->binder, p->text.start,
                                "DROP of anything but a view or table is");
    if (list_length(tree->objects) != 1)
        return bind_unsupported(&p->binder, p->text.start, "DROP of several at once is");
    const List *name = castNode(List, list_nth(tree->objects, 0));
    p->statement->kind = is_view ? SQL_DROP_VIEW : SQL_DROP_TABLE;
    p->statement->if_exists = tree->missing_ok;
    p->statement->cascades = tree->behavior == DROP_CASCADE;
    return bind_dropped_key(&p->binder, name, p->text.start, &p->statement->name);
}

/* ---- settings ---- */

static status sql_constant_text(preparer *p, const pg_node *node, const char **out)
{
    const A_Const *c = IsA(node, A_Const) ? castNode(A_Const, node) : NULL;
    *out = NULL;
    if (c && nodeTag(&c->val) == T_String)
        *out = c->val.sval.sval;
    else if (c && nodeTag(&c->val) == T_Float)
        *out = c->val.fval.fval;
    else if (c && nodeTag(&c->val) == T_Integer)
        *out = arena_format(p->binder.memory, "%d", c->val.ival.ival);
    else
        return bind_unsupported(&p->binder, bind_location(node), "a value of this kind is");
    return *out ? STATUS_OK : no_memory();
}

/* SET TIME ZONE INTERVAL '+02:00' HOUR TO MINUTE. */
static status zone_text(preparer *p, const pg_node *node, const char **out)
{
    const TypeCast *cast = IsA(node, TypeCast) ? castNode(TypeCast, node) : NULL;
    interval_value v;
    const char *text;
    zone z;
    if (!cast)
        return sql_constant_text(p, node, out);
    TRY(sql_constant_text(p, cast->arg, &text));
    if (!interval_parse(text, strlen(text), &v) || v.months || v.days ||
        v.microseconds <= -ZONE_MICROSECONDS_MAX || v.microseconds >= ZONE_MICROSECONDS_MAX)
        return bind_error(&p->binder, STATUS_KIND_INVALID, bind_location(node),
                          "\"%s\" is not an interval that a time zone can be", text);
    zone_make_fixed((int32_t)(v.microseconds / 1000000), &z);
    *out = arena_copy_text(p->binder.memory, z.name, strlen(z.name));
    return *out ? STATUS_OK : no_memory();
}

static status initial_value(preparer *p, const char *name, const char **out)
{
    setting_info info;
    for (unsigned i = 0; setting_describe(i, &info); i++)
        if (!strcasecmp(info.name, name)) {
            *out = info.initial;
            return STATUS_OK;
        }
    return status_hint(bind_error(&p->binder, STATUS_KIND_NOT_FOUND, p->text.start,
                                  "there is no setting named \"%s\"", name),
                       "SHOW ALL lists the settings");
}

/* Settings that SQL that is not trusted may change: neither files, nor what others share, nor the setting that says so. */
static status check_set(const preparer *p, const char *name, const char *text)
{
    bool is_on = true;
    bool is_lock = !strcasecmp(name, "enable_external_access");
    if (is_lock && bool_parse(text, strlen(text), &is_on) && !is_on)
        return STATUS_OK;
    if (!is_lock && setting_is_of_session(name))
        return STATUS_OK;
    const char *what = arena_format(p->binder.memory, "setting \"%s\"", name);
    return what ? bind_check_access(&p->binder, p->text.start, what) : no_memory();
}

static status prepare_set_value(preparer *p, const VariableSetStmt *tree)
{
    p->statement->kind = SQL_SET;
    p->statement->name = tree->name;
    switch (tree->kind) {
    case VAR_SET_VALUE:
        if (!strcasecmp(tree->name, "schema") || !strcasecmp(tree->name, "search_path")) {
            p->statement->name = "search_path";
            return bind_set_search_path(&p->binder, tree->args, p->text.start, &p->statement->text);
        }
        if (list_length(tree->args) != 1)
            return bind_unsupported(&p->binder, p->text.start, "SET to several values is");
        return strcasecmp(tree->name, "timezone")
                   ? sql_constant_text(p, list_nth(tree->args, 0), &p->statement->text)
                   : zone_text(p, list_nth(tree->args, 0), &p->statement->text);
    case VAR_RESET:
        p->statement->is_reset = true;
        return initial_value(p, tree->name, &p->statement->text);
    case VAR_SET_DEFAULT:
        return initial_value(p, tree->name, &p->statement->text);
    default:
        return bind_unsupported(&p->binder, p->text.start, "this form of SET is");
    }
}

static status prepare_set(preparer *p, const VariableSetStmt *tree)
{
    TRY(prepare_set_value(p, tree));
    return check_set(p, p->statement->name, p->statement->text);
}

/* Makes the query of a setting's value alone, as PostgreSQL's clients expect it; NULL: there is no such setting. */
static status show_value(preparer *p, const char *name, const char **out)
{
    const sql_activity session = sql_catalog_activity(p->binder.catalog);
    const char *value = NULL;
    if (session.setting)
        TRY(session.setting(session.context, name, NULL, &value));
    *out =
        value ? arena_format(p->binder.memory, "SELECT current_setting('%s') AS \"%s\"", name, name)
              : NULL;
    return value && !*out ? no_memory() : STATUS_OK;
}

static status prepare_show(preparer *p, const VariableShowStmt *tree)
{
    static const char *const words[] = {"tables", "schemas", "databases", "all tables"};
    const char *sql = NULL;
    p->statement->kind = SQL_SHOW;
    p->statement->name = tree->name;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(tree->name, words[i]))
            TRY(bind_show_schema(&p->binder, tree, p->statement, &sql));
    if (!sql && p->session->copies_to_client && strcmp(tree->name, "all") != 0)
        TRY(show_value(p, tree->name, &sql));
    if (!sql)
        return STATUS_OK;
    p->statement->kind = SQL_QUERY;
    TRY(bind_view_query(&p->binder, tree->name, sql, &p->statement->query.root));
    TRY(bind_finish_shared(&p->binder));
    return plan_verify(&p->statement->query);
}

/* PRAGMA name(argument), or CALL function(arguments). */
static status prepare_pragma(preparer *p, const PragmaStmt *tree)
{
    const pg_select *query;
    p->statement->kind = SQL_QUERY;
    if (tree->call) {
        TRY(bind_call_query(&p->binder, tree->call, &query));
        return prepare_query(p, (const pg_node *)query, SQL_QUERY);
    }
    TRY(bind_pragma(&p->binder, tree, &p->statement->query.root));
    TRY(bind_finish_shared(&p->binder));
    return plan_verify(&p->statement->query);
}

/* ---- COPY ---- */

/* Refuses what COPY cannot write to; else finds where it writes to and its options. */
static status prepare_copy_target(preparer *p, const CopyStmt *tree)
{
    sql_copy *copy = &p->statement->copy;
    bool is_to_client = !tree->filename && !tree->is_program && p->session->copies_to_client;
    if (!is_to_client)
        TRY(bind_check_access(&p->binder, p->text.start, "COPY"));
    if (!is_to_client && (!tree->filename || !*tree->filename || tree->is_program))
        return bind_unsupported(&p->binder, p->text.start, "COPY to anything but a file is");
    return is_to_client ? bind_copy_client(&p->binder, tree, copy)
                        : bind_copy_options(&p->binder, tree, copy);
}

/* Checks that the columns of options are copied. */
static status check_copied(const preparer *p, const sql_statement *s)
{
    const plan_column_list *columns = &s->query.root->columns;
    const char **names = arena_alloc_array(p->binder.memory, columns->count + 1, sizeof *names);
    if (!names)
        return bind_no_memory();
    for (size_t i = 0; i < columns->count; i++)
        names[i] = columns->items[i].name;
    return bind_copy_client_check(&p->binder, &s->copy, names, columns->count);
}

static status prepare_copy(preparer *p, const CopyStmt *tree)
{
    sql_statement *s = p->statement;
    bind_scope scope = {0};
    if (tree->is_from && !tree->filename && !tree->is_program && p->session->copies_from.take) {
        TRY(bind_copy_client(&p->binder, tree, &s->copy));
        TRY(bind_copy_from(&p->binder, tree, &p->session->copies_from, s));
        return plan_verify(&s->query);
    }
    if (tree->is_from) {
        TRY(bind_check_access(&p->binder, p->text.start, "COPY"));
        TRY(bind_copy_from(&p->binder, tree, NULL, s));
        return plan_verify(&s->query);
    }
    TRY(prepare_copy_target(p, tree));
    s->kind = s->copy.is_to_client ? SQL_QUERY : SQL_COPY;
    if (tree->query) {
        TRY(prepare_query(p, tree->query, s->kind));
    } else if (list_length(tree->attlist)) {
        const pg_node *query;
        TRY(bind_copy_columns(&p->binder, tree, &query));
        TRY(prepare_query(p, query, s->kind));
    } else {
        TRY(bind_table(&p->binder, tree->relation, &scope, &s->query.root));
        TRY(plan_verify(&s->query));
    }
    if (s->copy.is_to_client)
        return check_copied(p, s);
    s->query.keeps_parts = s->copy.is_per_rank;
    TRY(bind_copy_check(&p->binder, tree, &s->copy, s->query.root));
    return s->copy.partition_count ? bind_copy_partition(&p->binder, &s->copy, &s->query.root)
                                   : STATUS_OK;
}

/* ---- tables of rows ---- */

static status prepare_rows(preparer *p, const pg_node *tree)
{
    binder *b = &p->binder;
    if (IsA(tree, InsertStmt))
        TRY(bind_insert(b, castNode(InsertStmt, tree), p->statement));
    else if (IsA(tree, CreateStmt))
        TRY(bind_create_table(b, castNode(CreateStmt, tree), p->statement));
    else
        TRY(bind_create_table_as(b, castNode(CreateTableAsStmt, tree), p->statement));
    return plan_verify(&p->statement->query);
}

/* ---- DESCRIBE and SUMMARIZE ---- */

/* Copies the statement as a DESCRIBE, with its locations. */
static status describe(const preparer *p, sql_statement **out)
{
    static const char words[] = "describe ";
    sql_session session = *p->session;
    const char *rest;
    char *text = arena_copy_text(p->binder.memory, p->text.text, strlen(p->text.text));
    if (!text)
        return no_memory();
    memcpy(text + p->text.start, words, sizeof words - 1); /* SUMMARIZE has as many letters */
    session.is_tried = true;
    TRY(sql_prepare(&session, text, out, &rest));
    if ((*out)->query.root)
        return STATUS_OK;
    sql_statement_free(*out);
    return bind_error(&p->binder, STATUS_KIND_INVALID, p->text.start,
                      "SUMMARIZE takes a table or a query");
}

static status prepare_summarize(preparer *p, const DescribeStmt *tree)
{
    sql_statement *described;
    const char *source = p->text.text + p->text.start + strlen("summarize"), *text;
    if (p->text.parameters.count)
        return bind_unsupported(&p->binder, p->text.parameters.items[0].position,
                                "a parameter in SUMMARIZE is");
    TRY(describe(p, &described));
    status st = sql_summary_text(p->binder.memory, source, tree->relation != NULL,
                                 &described->query.root->columns, &text);
    sql_statement_free(described);
    TRY(st);
    p->statement->kind = SQL_QUERY;
    TRY(bind_view_query(&p->binder, "summary", text, &p->statement->query.root));
    TRY(bind_finish_shared(&p->binder));
    return plan_verify(&p->statement->query);
}

static status prepare_describe(preparer *p, const DescribeStmt *tree)
{
    bind_scope scope = {0};
    if (tree->summarize)
        return prepare_summarize(p, tree);
    if (tree->query)
        return prepare_query(p, tree->query, SQL_DESCRIBE);
    bind_name_list names = {0};
    p->statement->kind = SQL_DESCRIBE;
    TRY(bind_table(&p->binder, tree->relation, &scope, &p->statement->query.root));
    for (size_t i = 0; i < scope.nested.count; i++)
        TRY(array_push(p->binder.memory, &names, scope.nested.items[i].name));
    return bind_note_nested(&p->binder, &names);
}

/* ---- the column cache ---- */

/* Confined clients may fill what all share, but not empty it. */
static status prepare_cache(preparer *p, const CacheStmt *tree)
{
    if (tree->is_kept) {
        p->statement->query.fills_cache = true;
        return prepare_query(p, tree->query, SQL_CACHE);
    }
    TRY(bind_check_access(&p->binder, tree->location,
                          tree->query ? "UNCACHE TABLE" : "CLEAR CACHE"));
    p->statement->kind = SQL_CLEAR_CACHE;
    return tree->query ? prepare_query(p, tree->query, SQL_UNCACHE) : STATUS_OK;
}

/* ---- all of them ---- */

/* Returns the words of a statement that the grammar knows, and nothing else; or NULL. */
static const char *words_of(const pg_node *tree)
{
    switch (tree ? nodeTag(tree) : T_Invalid) {
    case T_ExecuteStmt:
        return "EXECUTE";
    default:
        return NULL;
    }
}

/* Statements that are not there, and what takes their place. */
static const struct {
    const char *words, *instead;
} missing_statements[] = {
    {"UPDATE", "CREATE OR REPLACE TABLE t AS SELECT ... FROM t makes a table of a session anew"},
    {"DELETE", "CREATE OR REPLACE TABLE t AS FROM t WHERE ... makes a table of a session anew"},
    {"MERGE", "CREATE OR REPLACE TABLE t AS SELECT ... makes a table of a session anew"},
    {"TRUNCATE", "CREATE OR REPLACE TABLE t AS FROM t LIMIT 0 makes a table of a session anew"},
    {"ALTER", "CREATE OR REPLACE TABLE t AS SELECT ... gives a table of a session other columns"},
    {"ABORT", "each statement stands alone: it happens or it does not"},
    {"PREPARE TRANSACTION", "each statement stands alone: it happens or it does not"},
    {"SET CONSTRAINTS", "there are no constraints"},
    {"SET ROLE", "there are no roles: who may connect is a setting of the server"},
    {"SET SESSION AUTHORIZATION", "there are no roles: who may connect is a setting of the server"},
    {"SHOW CREATE", "DESCRIBE t lists the columns of a table"},
    {"COPY FROM DATABASE", "COPY t TO 't.parquet' writes a table"},
    {"CREATE FUNCTION ... RETURNS", "CREATE MACRO f(x) AS expression"},
    {"BEGIN", "each statement stands alone: it happens or it does not"},
    {"START", "each statement stands alone: it happens or it does not"},
    {"COMMIT", "each statement stands alone: it happens or it does not"},
    {"ROLLBACK", "each statement stands alone: it happens or it does not"},
    {"SAVEPOINT", "each statement stands alone: it happens or it does not"},
    {"INSTALL", "there are no extensions: formats and object stores are built in"},
    {"LOAD", "there are no extensions: formats and object stores are built in"},
    {"CREATE EXTENSION", "there are no extensions: formats and object stores are built in"},
    {"CREATE TYPE", "CREATE MACRO can check a value; varchar keeps the names of an enum"},
    {"CREATE DOMAIN", "CREATE MACRO can check a value"},
    {"CREATE SEQUENCE", "row_number() OVER () numbers rows"},
    {"CREATE INDEX",
     "files need none: pistachio rewrite sorts them, and their statistics are used"},
    {"CREATE UNIQUE", "files need no index: pistachio rewrite sorts them"},
    {"CREATE MATERIALIZED", "CREATE TABLE ... AS keeps the rows of a query for the session"},
    {"REFRESH", "CREATE OR REPLACE TABLE ... AS keeps the rows of a query for the session"},
    {"CREATE SECRET", "keys of object stores come from the environment: docs/OBJECTS.md"},
    {"CREATE DATABASE", "ATTACH 'folder' AS name"},
    {"CREATE PROCEDURE", "CREATE MACRO"},
    {"EXPORT", "COPY t TO 't.parquet' writes a table"},
    {"IMPORT", "ATTACH 'folder' AS name reads the files of a folder"},
    {"DECLARE", "results come in batches by themselves"},
    {"VACUUM", "there is nothing to clean up: files are read as they are"},
    {"ANALYZE", "statistics are those of the files; SUMMARIZE t shows them"},
    {"CHECKPOINT", "there is nothing to be written: COPY writes files"}};

static status unsupported_statement(preparer *p, const pg_node *tree)
{
    const char *words = p->text.refused ? p->text.refused : words_of(tree);
    status st = bind_error(&p->binder, STATUS_KIND_UNSUPPORTED, p->text.start,
                           "%s is not supported", words ? words : "this statement");
    for (size_t i = 0; words && i < sizeof missing_statements / sizeof *missing_statements; i++)
        if (!strcmp(words, missing_statements[i].words))
            return status_hint(st, "%s", missing_statements[i].instead);
    return status_hint(
        st, "there are SELECT, EXPLAIN, COPY ... TO, CREATE VIEW, DROP VIEW, CREATE TABLE, INSERT, "
            "DROP TABLE, ALTER ... RENAME TO, CREATE SCHEMA, ATTACH, USE, CREATE MACRO, PREPARE, "
            "EXECUTE, SET, RESET, SHOW, DESCRIBE, SUMMARIZE, PRAGMA, CALL and CACHE TABLE");
}

static status prepare_tree(preparer *p, const pg_node *tree)
{
    switch (nodeTag(tree)) {
    case T_SelectStmt:
        return prepare_query(p, tree, SQL_QUERY);
    case T_ExplainStmt:
        return prepare_explain(p, castNode(ExplainStmt, tree));
    case T_ViewStmt:
        return prepare_create_view(p, castNode(ViewStmt, tree));
    case T_DropStmt:
        return prepare_drop(p, castNode(DropStmt, tree));
    case T_CreateTableAsStmt:
    case T_CreateStmt:
    case T_InsertStmt:
        return prepare_rows(p, tree);
    case T_VariableSetStmt:
        return prepare_set(p, castNode(VariableSetStmt, tree));
    case T_VariableShowStmt:
        return prepare_show(p, castNode(VariableShowStmt, tree));
    case T_SetVariableStmt:
        return bind_set_variable(&p->binder, castNode(SetVariableStmt, tree), p->statement);
    case T_PragmaStmt:
        return prepare_pragma(p, castNode(PragmaStmt, tree));
    case T_PrepareStmt:
        return bind_prepare(&p->binder, castNode(PrepareStmt, tree), p->statement);
    case T_DeallocateStmt:
        return bind_deallocate(&p->binder, castNode(DeallocateStmt, tree), p->statement);
    case T_MacroStmt:
        return bind_macro_statement(&p->binder, castNode(MacroStmt, tree), p->statement);
    case T_DescribeStmt:
        return prepare_describe(p, castNode(DescribeStmt, tree));
    case T_CacheStmt:
        return prepare_cache(p, castNode(CacheStmt, tree));
    case T_CopyStmt:
        return prepare_copy(p, castNode(CopyStmt, tree));
    case T_RenameStmt:
        return bind_rename(&p->binder, castNode(RenameStmt, tree), p->statement);
    case T_SchemaStmt:
        return bind_create_schema(&p->binder, castNode(SchemaStmt, tree), p->statement);
    case T_AttachStmt:
        return bind_attach(&p->binder, castNode(AttachStmt, tree), p->statement);
    case T_UseStmt:
        return bind_use(&p->binder, castNode(UseStmt, tree), p->statement);
    default:
        return unsupported_statement(p, tree);
    }
}

static status prepare_parameters(preparer *p)
{
    sql_statement *s = p->statement;
    s->parameter_count = (uint32_t)p->text.parameter_names.count;
    s->parameter_names = p->text.parameter_names.items;
    p->parameters.types = arena_alloc_array(p->binder.memory, (size_t)s->parameter_count + 1,
                                            sizeof *p->parameters.types);
    s->parameter_types = p->parameters.types; /* zeroed: TYPE_NULL */
    return s->parameter_types ? STATUS_OK : no_memory();
}

static status prepare_text(preparer *p)
{
    pg_node *tree;
    if (p->text.refused)
        return unsupported_statement(p, NULL);
    TRY(bind_ahead_parse(&p->binder, &tree));
    if (tree)
        TRY(prepare_tree(p, tree));
    sql_ahead_release(p->binder.held);
    return bind_check_parameters(&p->binder);
}

/* ---- deep trees ---- */

/* Stack that the binder needs for a level and for a UNION; sanitizers' frames are larger. */
#ifdef __SANITIZE_ADDRESS__
#define STACK_OF_LEVEL ((size_t)32 << 10)
#define STACK_OF_UNION ((size_t)64 << 10)
#else
#define STACK_OF_LEVEL ((size_t)8 << 10)
#define STACK_OF_UNION ((size_t)16 << 10)
#endif
#define STACK_BESIDES ((size_t)16 << 20)

typedef struct deep_call {
    preparer *preparer;
    cancel_flag *flag;
    uint32_t store;
    status st;
} deep_call;

static void *run_deep(void *context)
{
    deep_call *call = context;
    cancel_set(call->flag);
    object_store_use(call->store);
    guard_state before = guard_enter();
    call->st = guard_explain(prepare_text(call->preparer));
    guard_leave(before);
    return NULL;
}

/* On a thread whose stack is large enough; only what is used of that takes memory. */
static status prepare_deep(preparer *p)
{
    deep_call call = {.preparer = p, .flag = cancel_current(), .store = object_store_used()};
    pthread_attr_t attributes;
    pthread_t thread;
    size_t bytes = STACK_BESIDES + p->text.nesting.depth * STACK_OF_LEVEL +
                   p->text.nesting.unions * STACK_OF_UNION;
    if (pthread_attr_init(&attributes))
        return no_memory();
    bool is_started = !pthread_attr_setstacksize(&attributes, bytes) &&
                      !pthread_create(&thread, &attributes, run_deep, &call);
    pthread_attr_destroy(&attributes);
    if (!is_started)
        return status_no_memory("stack", bytes);
    pthread_join(thread, NULL);
    return call.st;
}

/* EXECUTE becomes the statement that it names. */
static status prepare_execute(preparer *p)
{
    pg_node *tree;
    if (p->text.nesting.depth > SQL_LEVELS_USUAL)
        return bind_unsupported(&p->binder, p->text.start, "EXECUTE with so deep expressions is");
    TRY(sql_parse(p->binder.memory, p->text.parsed, &tree));
    if (!tree || !IsA(tree, ExecuteStmt))
        return STATUS_OK;
    return bind_execute(&p->binder, castNode(ExecuteStmt, tree), &p->text, &p->executed);
}

static status prepare(preparer *p, const char *sql, size_t bytes)
{
    TRY(sql_text_make(p->binder.memory, sql, bytes, &p->text));
    p->statement->query.sql = p->text.text;
    TRY(prepare_parameters(p));
    if (p->text.is_empty)
        return STATUS_OK;
    if (bind_is_execute(&p->text))
        TRY(prepare_execute(p));
    uint32_t levels = p->text.nesting.depth + p->text.nesting.unions;
    return levels > SQL_LEVELS_USUAL ? prepare_deep(p) : prepare_text(p);
}

/* Something else is to be computed first. */
static status prepare_round(preparer *p)
{
    sql_statement *s = p->statement;
    const bind_rounds *rounds = &p->binder.rounds;
    s->kind = SQL_ROUND;
    s->makes_values = rounds->makes_values;
    s->parts = rounds->parts;
    s->kept_parts = rounds->kept_parts;
    s->query.root = rounds->root;
    TRY(bind_resolve_nulls(&p->binder, &s->query.root));
    TRY(bind_finish_shared(&p->binder));
    return plan_verify(&s->query);
}

/* The session's, unless it is UTC: plans of those that never heard of zones stay as they are. */
static status set_zone(preparer *p)
{
    const char *name = p->session->timezone;
    if (!name || zone_is_utc_name(name, strlen(name)))
        return STATUS_OK;
    zone *z = arena_alloc(p->binder.memory, sizeof *z);
    if (!z)
        return no_memory();
    TRY(zone_find_setting(name, z));
    p->statement->zone = p->binder.zone = z;
    return STATUS_OK;
}

static status set_path(preparer *p)
{
    const char *text = p->session->search_path;
    binder *b = &p->binder;
    if (!text || !strcmp(text, SQL_SCHEMA))
        return STATUS_OK;
    return sql_search_path_read(b->catalog, b->memory, text, &b->path, NULL);
}

static status prepare_first(const sql_session *session, const char *sql, sql_statement **out,
                            const char **out_rest)
{
    arena *memory;
    size_t with_end, bytes = sql_statement_length(sql, &with_end);
    *out = NULL;
    *out_rest = sql + with_end;
    TRY(arena_new(&memory));
    preparer p = {.binder = {.memory = memory,
                             .catalog = session->catalog,
                             .hive_partitioning = session->hive_partitioning,
                             .is_confined = session->is_confined,
                             .keeps_lists = session->keeps_lists,
                             .list_kept = session->list_kept,
                             .statement_time = session->statement_time,
                             .bind_subquery = bind_select,
                             .bind_expression = bind_expr,
                             .bind_macro = bind_macro_call},
                  .parameters = {.is_described = session->is_described,
                                 .values = session->values,
                                 .count = session->value_count,
                                 .declared = session->declared,
                                 .declared_count = session->declared_count},
                  .session = session};
    p.statement = arena_alloc(memory, sizeof *p.statement);
    if (!p.statement) {
        arena_free(memory);
        return no_memory();
    }
    p.statement->kind = SQL_EMPTY;
    p.statement->query.memory = memory;
    p.statement->query.next_column_id = 1;
    p.statement->query.replaces_text = session->replaces_text;
    p.statement->query.ignores_checksums = session->ignores_checksums;
    p.statement->held.memory = memory;
    p.binder.held = &p.statement->held;
    p.binder.rounds = (bind_rounds){.done = session->rounds.done,
                                    .round = session->rounds.round,
                                    .is_dry = session->is_described || session->is_tried};
    p.binder.statement = &p.statement->query;
    p.binder.notices = &p.statement->notices;
    p.binder.text = &p.text;
    p.binder.parameters = &p.parameters;
    status st = set_zone(&p);
    if (!st)
        st = set_path(&p);
    if (!st)
        st = prepare(&p, sql, bytes);
    if (p.binder.rounds.root) {
        status_free(st);
        st = prepare_round(&p);
    }
    if (!st)
        st = guard_check();
    if (st) {
        sql_statement_free(p.statement);
        return st;
    }
    if (session->is_tried)
        bind_find_wanted(&p.binder, &p.statement->query, &p.statement->wanted);
    *out = p.statement;
    return STATUS_OK;
}

status sql_prepare(const sql_session *session, const char *sql, sql_statement **out,
                   const char **out_rest)
{
    guard_state before = guard_enter();
    status st = guard_explain(prepare_first(session, sql, out, out_rest));
    guard_leave(before);
    return st;
}

void sql_statement_free(sql_statement *statement)
{
    if (!statement)
        return;
    sql_held_release(&statement->held);
    arena_free(statement->query.memory);
}
