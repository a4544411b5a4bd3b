/* system_function.c - see system_function.h. */
#include "sql/function/system_function.h"

#include "base/type/pg_type.h"
#include "plan/fold/fold.h"
#include "sql/function/bind_function_time.h"
#include "sql/function/bind_nested_made.h"
#include "sql/function/bind_registry.h"
#include "sql/types/bind_modifier.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/function_call.h"
#include "sql/types/nested_cast.h"
#include "sql/types/nested_operator.h"
#include "sql/types/parameter.h"

typedef enum system_answer {
    ANSWER_TRUE,
    ANSWER_FALSE,
    ANSWER_NULL,      /* a text */
    ANSWER_NO_NUMBER, /* NULL, a bigint */
    ANSWER_TEXT,      /* this text */
    ANSWER_SCHEMA,    /* the first of the search path */
    ANSWER_CATALOG,   /* its catalog */
    ANSWER_NUMBER,    /* the number that the text is */
    ANSWER_NO_NAMES,  /* NULL, a list of texts */
    ANSWER_SCHEMAS,   /* names of the search path */
    ANSWER_SETTING,   /* of PostgreSQL's of the session */
    ANSWER_SET,       /* as ANSWER_SETTING, after it was set */
    ANSWER_OID,       /* of what has the name, of the kind that the text is */
    ANSWER_FUNCTION_NAME,
    ANSWER_VIEW, /* the query of the view that an oid is of */
    ANSWER_FORMAT_TYPE,
    ANSWER_MADE,     /* the expression that the text is */
    ANSWER_PRIVILEGE /* what only reads is allowed */
} system_answer;

#define ARGUMENTS_OF_FUNCTION                                                                      \
    "(SELECT array_to_string(list_transform(p.proargtypes, lambda t: format_type(t, NULL)), ', "   \
    "') "                                                                                          \
    "FROM pg_catalog.pg_proc AS p WHERE p.oid = $1)"

static const struct {
    const char *name;
    uint8_t least, most; /* arguments */
    uint8_t answer;
    const char *text;
} functions[] = {
    {"col_description", 2, 2, ANSWER_NULL, NULL},
    {"current_catalog", 0, 0, ANSWER_CATALOG, NULL},
    {"current_database", 0, 0, ANSWER_CATALOG, NULL},
    {"current_schema", 0, 0, ANSWER_SCHEMA, NULL},
    {"current_schemas", 1, 1, ANSWER_SCHEMAS, NULL},
    {"current_setting", 1, 2, ANSWER_SETTING, NULL},
    {"format_type", 2, 2, ANSWER_FORMAT_TYPE, NULL},
    {"getdatabaseencoding", 0, 0, ANSWER_TEXT, "UTF8"},
    {"has_any_column_privilege", 2, 3, ANSWER_PRIVILEGE, NULL},
    {"has_column_privilege", 3, 4, ANSWER_PRIVILEGE, NULL},
    {"has_database_privilege", 2, 3, ANSWER_PRIVILEGE, NULL},
    {"has_foreign_data_wrapper_privilege", 2, 3, ANSWER_TRUE, NULL},
    {"has_function_privilege", 2, 3, ANSWER_TRUE, NULL},
    {"has_language_privilege", 2, 3, ANSWER_TRUE, NULL},
    {"has_schema_privilege", 2, 3, ANSWER_PRIVILEGE, NULL},
    {"has_sequence_privilege", 2, 3, ANSWER_PRIVILEGE, NULL},
    {"has_server_privilege", 2, 3, ANSWER_TRUE, NULL},
    {"has_table_privilege", 2, 3, ANSWER_PRIVILEGE, NULL},
    {"has_tablespace_privilege", 2, 3, ANSWER_PRIVILEGE, NULL},
    {"has_type_privilege", 2, 3, ANSWER_TRUE, NULL},
    {"inet_client_addr", 0, 0, ANSWER_NULL, NULL},
    {"inet_client_port", 0, 0, ANSWER_NO_NUMBER, NULL},
    {"inet_server_addr", 0, 0, ANSWER_NULL, NULL},
    {"inet_server_port", 0, 0, ANSWER_NO_NUMBER, NULL},
    {"obj_description", 1, 2, ANSWER_NULL, NULL},
    {"parse_ident", 1, 1, ANSWER_MADE,
     "list_transform(regexp_extract_all($1::varchar, '\"(?:[^\"]|\"\")*\"|[^.\" ]+'), lambda p: "
     "CASE "
     "WHEN starts_with(p, '\"') THEN replace(p[2:-2], '\"\"', '\"') ELSE lower(p) END)"},
    {"pg_advisory_unlock_all", 0, 0, ANSWER_NULL, NULL},
    {"pg_char_to_encoding", 1, 1, ANSWER_NUMBER, "6"},
    {"pg_client_encoding", 0, 0, ANSWER_TEXT, "UTF8"},
    {"pg_collation_is_visible", 1, 1, ANSWER_TRUE, NULL},
    {"pg_column_is_updatable", 3, 3, ANSWER_FALSE, NULL},
    {"pg_conversion_is_visible", 1, 1, ANSWER_TRUE, NULL},
    {"pg_database_size", 1, 1, ANSWER_NO_NUMBER, NULL},
    {"pg_encoding_to_char", 1, 1, ANSWER_TEXT, "UTF8"},
    {"pg_function_is_visible", 1, 1, ANSWER_TRUE, NULL},
    {"pg_get_constraintdef", 1, 2, ANSWER_NULL, NULL},
    {"pg_get_expr", 2, 3, ANSWER_NULL, NULL},
    {"pg_get_function_arg_default", 2, 2, ANSWER_NULL, NULL},
    {"pg_get_function_arguments", 1, 1, ANSWER_MADE, ARGUMENTS_OF_FUNCTION},
    {"pg_get_function_identity_arguments", 1, 1, ANSWER_MADE, ARGUMENTS_OF_FUNCTION},
    {"pg_get_function_result", 1, 1, ANSWER_MADE,
     "(SELECT format_type(p.prorettype, NULL) FROM pg_catalog.pg_proc AS p WHERE p.oid = $1)"},
    {"pg_get_function_sqlbody", 1, 1, ANSWER_NULL, NULL},
    {"pg_get_functiondef", 1, 1, ANSWER_NULL, NULL},
    {"pg_get_indexdef", 1, 3, ANSWER_NULL, NULL},
    {"pg_get_partition_constraintdef", 1, 1, ANSWER_NULL, NULL},
    {"pg_get_partkeydef", 1, 1, ANSWER_NULL, NULL},
    {"pg_get_ruledef", 1, 2, ANSWER_NULL, NULL},
    {"pg_get_serial_sequence", 2, 2, ANSWER_NULL, NULL},
    {"pg_get_statisticsobjdef", 1, 1, ANSWER_NULL, NULL},
    {"pg_get_statisticsobjdef_columns", 1, 1, ANSWER_NULL, NULL},
    {"pg_get_statisticsobjdef_expressions", 1, 1, ANSWER_NO_NAMES, NULL},
    {"pg_get_triggerdef", 1, 2, ANSWER_NULL, NULL},
    {"pg_get_userbyid", 1, 1, ANSWER_TEXT, SYSTEM_NAME},
    {"pg_get_viewdef", 1, 2, ANSWER_VIEW, NULL},
    {"pg_has_role", 2, 3, ANSWER_TRUE, NULL},
    {"pg_indexes_size", 1, 1, ANSWER_NO_NUMBER, NULL},
    {"pg_is_in_recovery", 0, 0, ANSWER_FALSE, NULL},
    {"pg_is_other_temp_schema", 1, 1, ANSWER_FALSE, NULL},
    {"pg_my_temp_schema", 0, 0, ANSWER_NUMBER, "0"},
    {"pg_opclass_is_visible", 1, 1, ANSWER_TRUE, NULL},
    {"pg_operator_is_visible", 1, 1, ANSWER_TRUE, NULL},
    {"pg_opfamily_is_visible", 1, 1, ANSWER_TRUE, NULL},
    {"pg_relation_is_publishable", 1, 1, ANSWER_FALSE, NULL},
    {"pg_relation_is_updatable", 2, 2, ANSWER_NUMBER, "0"},
    {"pg_relation_size", 1, 2, ANSWER_NO_NUMBER, NULL},
    {"pg_stat_get_numscans", 1, 1, ANSWER_NO_NUMBER, NULL},
    {"pg_statistics_obj_is_visible", 1, 1, ANSWER_TRUE, NULL},
    {"pg_table_is_visible", 1, 1, ANSWER_TRUE, NULL},
    {"pg_table_size", 1, 1, ANSWER_NO_NUMBER, NULL},
    {"pg_tablespace_location", 1, 1, ANSWER_NULL, NULL},
    {"pg_tablespace_size", 1, 1, ANSWER_NO_NUMBER, NULL},
    {"pg_total_relation_size", 1, 1, ANSWER_NO_NUMBER, NULL},
    {"pg_ts_config_is_visible", 1, 1, ANSWER_TRUE, NULL},
    {"pg_ts_dict_is_visible", 1, 1, ANSWER_TRUE, NULL},
    {"pg_ts_parser_is_visible", 1, 1, ANSWER_TRUE, NULL},
    {"pg_ts_template_is_visible", 1, 1, ANSWER_TRUE, NULL},
    {"pg_type_is_visible", 1, 1, ANSWER_TRUE, NULL},
    {"regprocout", 1, 1, ANSWER_FUNCTION_NAME, NULL},
    {"set_config", 3, 3, ANSWER_SET, NULL},
    {"shobj_description", 2, 2, ANSWER_NULL, NULL},
    {"to_regclass", 1, 1, ANSWER_OID, "regclass"},
    {"to_regnamespace", 1, 1, ANSWER_OID, "regnamespace"},
    {"to_regproc", 1, 1, ANSWER_OID, "regproc"},
    {"to_regrole", 1, 1, ANSWER_OID, "regrole"},
    {"to_regtype", 1, 1, ANSWER_OID, "regtype"},
};

static status bind_text(binder *b, const char *text, expr **out)
{
    value v = value_text(text, strlen(text));
    TRY(bind_constant(b, &v, -1, out));
    return bind_cast(b, *out, type_make(TYPE_VARCHAR), -1, out);
}

static status bind_null(binder *b, type_id type, expr **out)
{
    value v = value_null(type_make(TYPE_NULL));
    TRY(bind_constant(b, &v, -1, out));
    return bind_cast(b, *out, type_make(type), -1, out);
}

static status bind_bigint(binder *b, int64_t number, expr **out)
{
    value v = value_int(TYPE_INT64, number);
    return bind_constant(b, &v, -1, out);
}

/* ---- format_type ---- */

static status compare(binder *b, expr_op op, const expr *left, int64_t right, expr **out)
{
    expr *copy = expr_copy(b->memory, left), *number;
    if (!copy)
        return bind_no_memory();
    TRY(bind_bigint(b, right, &number));
    return bind_comparison(b, op, copy, number, -1, out);
}

/* Makes a CASE of conditions and results, in turns, and what is else. */
static status make_case(binder *b, expr *const *parts, uint32_t count, expr **out)
{
    expr *node = expr_new(b->memory, EXPR_CASE, type_make(TYPE_VARCHAR), count, -1);
    if (!node)
        return bind_no_memory();
    memcpy(node->args, parts, count * sizeof *parts);
    node->is_nullable = true;
    *out = expr_fold(b->memory, node);
    return *out ? STATUS_OK : bind_no_memory();
}

/* Makes the text of (modifier - 4) >> shift & 65535: the digits that a decimal's modifier is made of. */
static status bind_digits(binder *b, const expr *modifier, int64_t shift, expr **out)
{
    expr *number = expr_copy(b->memory, modifier), *constant;
    bool is_done;
    if (!number)
        return bind_no_memory();
    TRY(bind_bigint(b, 4, &constant));
    TRY(bind_arithmetic(b, "-", number, constant, -1, &number));
    TRY(bind_bigint(b, shift, &constant));
    TRY(bind_bits(b, ">>", number, constant, -1, &is_done, &number));
    TRY(bind_bigint(b, 65535, &constant));
    TRY(bind_bits(b, "&", number, constant, -1, &is_done, &number));
    return bind_cast(b, number, type_make(TYPE_VARCHAR), -1, out);
}

/* "numeric(15,2)", or without a modifier "numeric". */
static status bind_numeric(binder *b, const expr *modifier, expr **out)
{
    data_type text = type_make(TYPE_VARCHAR);
    expr *parts[3], *joined, *next;
    TRY(compare(b, EXPR_GT, modifier, 0, &parts[0]));
    TRY(bind_text(b, "numeric(", &joined));
    TRY(bind_digits(b, modifier, 16, &next));
    TRY(bind_call2(b, EXPR_CONCAT, text, joined, next, -1, &joined));
    TRY(bind_text(b, ",", &next));
    TRY(bind_call2(b, EXPR_CONCAT, text, joined, next, -1, &joined));
    TRY(bind_digits(b, modifier, 0, &next));
    TRY(bind_call2(b, EXPR_CONCAT, text, joined, next, -1, &joined));
    TRY(bind_text(b, ")", &next));
    TRY(bind_call2(b, EXPR_CONCAT, text, joined, next, -1, &parts[1]));
    TRY(bind_text(b, "numeric", &parts[2]));
    return make_case(b, parts, 3, out);
}

static status bind_format_type(binder *b, expr *const *args, int32_t location, expr **out)
{
    size_t count;
    const pg_type_entry *list = pg_type_list(&count);
    expr *oid, *modifier, **parts = arena_alloc_array(b->memory, 2 * count + 1, sizeof *parts);
    if (!parts)
        return bind_no_memory();
    TRY(bind_cast(b, args[0], type_make(TYPE_INT64), location, &oid));
    TRY(bind_cast(b, args[1], type_make(TYPE_INT64), location, &modifier));
    for (size_t i = 0; i < count; i++) {
        TRY(compare(b, EXPR_EQ, oid, list[i].oid, &parts[2 * i]));
        TRY(list[i].oid == PG_NUMERIC ? bind_numeric(b, modifier, &parts[2 * i + 1])
                                      : bind_text(b, list[i].sql_name, &parts[2 * i + 1]));
    }
    TRY(bind_text(b, "???", &parts[2 * count]));
    return make_case(b, parts, (uint32_t)(2 * count + 1), out);
}

/* Makes the name of the function that an identifier is of, if it reads or writes values of a type. */
static status bind_function_name(binder *b, expr *oid, int32_t location, expr **out)
{
    size_t count, made = 0;
    const pg_type_entry *list = pg_type_list(&count);
    expr **parts = arena_alloc_array(b->memory, 2 * PG_FUNCTION_ENDS * count + 1, sizeof *parts);
    if (!parts)
        return bind_no_memory();
    TRY(bind_cast(b, oid, type_make(TYPE_INT64), location, &oid));
    for (size_t i = 0; i < count; i++)
        for (size_t end = 0; end < PG_FUNCTION_ENDS; end++) {
            const char *name = arena_format(b->memory, "%s%s", list[i].io, pg_function_ends[end]);
            if (!name)
                return bind_no_memory();
            if (i && !strcmp(list[i].io, list[i - 1].io)) /* of many arrays alike */
                continue;
            TRY(compare(b, EXPR_EQ, oid, pg_oid_of_name(name, strlen(name)), &parts[made]));
            TRY(bind_text(b, name, &parts[made + 1]));
            made += 2;
        }
    TRY(bind_cast(b, oid, type_make(TYPE_VARCHAR), location, &parts[made]));
    return make_case(b, parts, (uint32_t)made + 1, out);
}

/* Binds an expression in which $1 is the argument. */
static status bind_made_answer(binder *b, const char *text, expr *arg, int32_t location, expr **out)
{
    bind_scope none = {0};
    FuncCall place = {.location = location};
    made_call made = {.tree = &place, .args = &arg, .count = 1};
    const Node *tree;
    TRY(made_parse(b, &made, text, &tree));
    return b->bind_expression(b, tree, &none, out);
}

static status bind_view_definition(binder *b, expr *oid, int32_t location, expr **out)
{
    static const char text[] =
        "(SELECT r.ev_action FROM pg_catalog.pg_rewrite AS r WHERE r.ev_class = $1)";
    return bind_made_answer(b, text, oid, location, out);
}

/* ---- the session ---- */

static status bind_schemas(binder *b, int32_t location, expr **out)
{
    size_t count = b->path.count ? b->path.count : 1;
    expr **names = arena_alloc_array(b->memory, count, sizeof *names);
    if (!names)
        return bind_no_memory();
    for (size_t i = 0; i < count; i++)
        TRY(bind_text(b, b->path.count ? b->path.items[i].schema : "public", &names[i]));
    return bind_list_of(b, names, count, location, out);
}

/* Copies the constant text of an argument; *out is NULL where it is NULL. */
static status constant_text(binder *b, const char *function, const expr *arg, int32_t location,
                            const char **out)
{
    bind_note_type(b, arg, type_make(TYPE_VARCHAR));
    if (!bind_is_literal(arg))
        return bind_error(b, STATUS_KIND_UNSUPPORTED, location,
                          "%s of something else than a constant text is not supported", function);
    *out = arg->constant.is_null
               ? NULL
               : arena_copy_text(b->memory, arg->constant.text, arg->constant.bytes);
    return *out || arg->constant.is_null ? STATUS_OK : bind_no_memory();
}

/* Conditions and results of a CASE. */
typedef struct setting_parts {
    binder *b;
    const expr *name;
    ARRAY(expr *) items;
} setting_parts;

/* Adds a setting: its value, if the name is its. */
static status add_setting(void *argument, const char *name, const char *setting,
                          const char *initial)
{
    setting_parts *parts = argument;
    binder *b = parts->b;
    expr *copy = expr_copy(b->memory, parts->name), *text, *condition;
    (void)initial;
    if (!copy)
        return bind_no_memory();
    TRY(bind_text(b, name, &text));
    TRY(bind_comparison(b, EXPR_EQ, copy, text, -1, &condition));
    TRY(array_push(b->memory, &parts->items, condition));
    TRY(bind_text(b, setting, &text));
    return array_push(b->memory, &parts->items, text);
}

/* Binds the value of the setting whose name each row has. */
static status bind_setting_of_row(binder *b, const expr *name, expr **out)
{
    const sql_activity session = sql_catalog_activity(b->catalog);
    setting_parts parts = {.b = b, .name = name};
    expr *null;
    TRY(bind_null(b, TYPE_VARCHAR, &null));
    if (session.list_settings)
        TRY(session.list_settings(session.context, add_setting, &parts));
    TRY(array_push(b->memory, &parts.items, null));
    *out = null;
    return parts.items.count == 1
               ? STATUS_OK
               : make_case(b, parts.items.items, (uint32_t)parts.items.count, out);
}

/* Binds the value of a setting. The new one of set_config is set as the statement is bound, to run. */
static status bind_setting(binder *b, bool is_set, expr *const *args, size_t count,
                           int32_t location, expr **out)
{
    const sql_activity session = sql_catalog_activity(b->catalog);
    const char *name, *new = NULL, *found = NULL,
                      *function = is_set ? "set_config" : "current_setting";
    if (!is_set && args[0]->type.id == TYPE_VARCHAR && !bind_is_literal(args[0]))
        return bind_setting_of_row(b, args[0], out);
    TRY(constant_text(b, function, args[0], location, &name));
    if (is_set)
        TRY(constant_text(b, function, args[1], location, &new));
    if (!name || b->parameters->is_described)
        return bind_null(b, TYPE_VARCHAR, out);
    if (session.setting)
        TRY(session.setting(session.context, name, new, &found));
    if (found)
        return bind_text(b, found, out);
    if (!is_set && count == 2)
        return bind_null(b, TYPE_VARCHAR, out);
    return status_hint(bind_error(b, STATUS_KIND_NOT_FOUND, location, "%s knows no setting \"%s\"",
                                  function, name),
                       "SET and SHOW have the engine's settings");
}

/* Binds whether a privilege is there, whose name is the last argument: tables of files are read and not changed. A name that
 * each row has counts as one of reading. */
static status bind_privilege(binder *b, expr *const *args, size_t count, expr **out)
{
    static const char *const writing[] = {"insert",     "update",  "delete", "truncate",
                                          "references", "trigger", "create"};
    const expr *name = args[count - 1];
    bool is_known = bind_is_literal(name) && !name->constant.is_null, is_writing = false;
    for (size_t i = 0; is_known && i < sizeof writing / sizeof *writing; i++) {
        size_t bytes = strlen(writing[i]);
        is_writing |=
            name->constant.bytes >= bytes && !strncasecmp(name->constant.text, writing[i], bytes);
    }
    value v = value_bool(!is_writing);
    return bind_constant(b, &v, -1, out);
}

/* ---- all of them ---- */

static status bind_session_answer(binder *b, size_t function, expr *const *args, size_t count,
                                  int32_t location, expr **out)
{
    data_type list;
    switch (functions[function].answer) {
    case ANSWER_NO_NAMES:
        TRY(bind_null(b, TYPE_VARCHAR, out));
        TRY(bind_list_type(b, type_make(TYPE_VARCHAR), &list));
        return bind_cast(b, *out, list, location, out);
    case ANSWER_SCHEMAS:
        return bind_schemas(b, location, out);
    case ANSWER_SETTING:
    case ANSWER_SET:
        return bind_setting(b, functions[function].answer == ANSWER_SET, args, count, location,
                            out);
    case ANSWER_OID:
        return bind_registered_name(b, functions[function].text, args[0], location, out);
    default:
        return bind_null(b, TYPE_VARCHAR, out);
    }
}

static status bind_answer(binder *b, size_t function, expr *const *args, size_t count,
                          int32_t location, expr **out)
{
    value v = value_bool(functions[function].answer == ANSWER_TRUE);
    switch (functions[function].answer) {
    case ANSWER_TRUE:
    case ANSWER_FALSE:
        return bind_constant(b, &v, -1, out);
    case ANSWER_NO_NUMBER:
        return bind_null(b, TYPE_INT64, out);
    case ANSWER_TEXT:
        return bind_text(b, functions[function].text, out);
    case ANSWER_SCHEMA:
        return bind_text(b, b->path.count ? b->path.items[0].schema : "public", out);
    case ANSWER_CATALOG:
        return bind_text(b, sql_search_path_first(&b->path).catalog, out);
    case ANSWER_VIEW:
        return bind_view_definition(b, args[0], location, out);
    case ANSWER_FUNCTION_NAME:
        return bind_function_name(b, args[0], location, out);
    case ANSWER_FORMAT_TYPE:
        return bind_format_type(b, args, location, out);
    case ANSWER_MADE:
        return bind_made_answer(b, functions[function].text, args[0], location, out);
    case ANSWER_PRIVILEGE:
        return bind_privilege(b, args, count, out);
    case ANSWER_NUMBER:
        return bind_bigint(b, *functions[function].text - '0', out);
    default:
        return bind_session_answer(b, function, args, count, location, out);
    }
}

status bind_system_function(binder *b, const char *name, expr *const *args, size_t count,
                            int32_t location, bool *out_is_found, expr **out)
{
    *out_is_found = false;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, name) && count >= functions[i].least &&
            count <= functions[i].most) {
            *out_is_found = true;
            return bind_answer(b, i, args, count, location, out);
        }
    return STATUS_OK;
}

bool bind_is_system_function(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, name))
            return true;
    return false;
}

/* ---- format ---- */

/* Reads what stands after % in a format of PostgreSQL's: a number of a value with $, which may be absent, and s, I or L. Returns its
 * bytes; 0: it is something else. */
static size_t read_conversion(const char *at, const char *end, uint32_t *value, char *letter)
{
    const char *begin = at;
    uint32_t number = 0;
    while (at < end && *at >= '0' && *at <= '9' && number < 100000)
        number = 10 * number + (uint32_t)(*at++ - '0');
    if (at > begin && (at == end || *at++ != '$' || !number))
        return 0;
    *value = number;
    *letter = at < end ? *at : 0;
    return *letter == 's' || *letter == 'I' || *letter == 'L' ? (size_t)(at + 1 - begin) : 0;
}

bool bind_is_pg_format(const expr *format)
{
    uint32_t value;
    char letter;
    if (!bind_is_literal(format) || format->constant.is_null)
        return false;
    const char *at = format->constant.text, *end = at + format->constant.bytes;
    bool is_found = false;
    for (; at < end; at++) {
        if (*at == '{')
            return false;
        if (*at == '%' && at + 1 < end && at[1] == '%')
            at++;
        else if (*at == '%' && !read_conversion(at + 1, end, &value, &letter))
            return false;
        else
            is_found |= *at == '%';
    }
    return is_found;
}

/* Joins a text of the format, and after it a value as the conversion says. */
static status join_conversion(const function_call *c, const char *text, size_t bytes,
                              uint32_t value, char letter, expr **out)
{
    const data_type type = type_make(TYPE_VARCHAR);
    const char *how = letter == 's'   ? "coalesce($1::varchar, '')"
                      : letter == 'I' ? "quote_ident($1::varchar)"
                                      : "quote_nullable($1)";
    function_call one = *c;
    expr *part = NULL;
    char *copy = arena_copy_text(c->b->memory, text, bytes);
    if (!copy)
        return bind_no_memory();
    TRY(bind_text(c->b, copy, &part));
    TRY(bind_call2(c->b, EXPR_CONCAT, type, *out, part, c->tree->location, out));
    if (!letter)
        return STATUS_OK;
    if (value >= c->count)
        return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                          "the format asks for value %u, and %zu are there", value, c->count - 1);
    one.args = &c->args[value];
    one.count = 1;
    TRY(bind_made(&one, how, &part));
    return bind_call2(c->b, EXPR_CONCAT, type, *out, part, c->tree->location, out);
}

status bind_pg_format(const function_call *c, expr **out)
{
    const expr *format = c->args[0];
    const char *at = format->constant.text, *end = at + format->constant.bytes, *begin = at;
    uint32_t next = 1, value;
    char letter;
    TRY(bind_text(c->b, "", out));
    for (; at < end; at++) {
        if (*at != '%')
            continue;
        bool is_percent = at[1] == '%';
        size_t bytes = is_percent ? 1 : read_conversion(at + 1, end, &value, &letter);
        if (!is_percent && value)
            next = value;
        TRY(join_conversion(c, begin, (size_t)(at - begin) + is_percent, next,
                            is_percent ? 0 : letter, out));
        next += !is_percent;
        at += bytes;
        begin = at + 1;
    }
    return join_conversion(c, begin, (size_t)(end - begin), 0, 0, out);
}

/* ---- variables of the session ---- */

status bind_getvariable(const function_call *c, expr **out)
{
    const expr *arg = c->args[0];
    const sql_catalog_entry *entry;
    const value null = value_null(type_make(TYPE_NULL));
    bind_scope none = {0};
    made_call made = {.tree = c->tree};
    const Node *tree;
    if (arg->kind != EXPR_CONSTANT || arg->constant.is_null)
        return status_hint(bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                                      "the name of a variable must be a constant"),
                           "getvariable('name')");
    char *key = arena_copy_text(c->b->memory, arg->constant.text, arg->constant.bytes);
    for (char *at = key; at && *at; at++)
        *at = *at >= 'A' && *at <= 'Z' ? (char)(*at + ('a' - 'A')) : *at;
    key = key ? sql_catalog_variable_name(c->b->memory, key) : NULL;
    if (!key)
        return bind_no_memory();
    TRY(sql_catalog_find(c->b->catalog, key, c->b->held, &entry));
    if (!entry || !entry->view_sql)
        return bind_constant(c->b, &null, c->tree->location, out);
    TRY(made_parse(c->b, &made, entry->view_sql, &tree));
    return c->b->bind_expression(c->b, tree, &none, out);
}

/* ---- functions without parentheses ---- */

status bind_sql_value_function(binder *b, const SQLValueFunction *f, expr **out)
{
    bool is_found;
    switch (f->op) {
    case SVFOP_CURRENT_DATE:
        return bind_statement_time(b, TYPE_DATE, f->location, out);
    case SVFOP_CURRENT_TIMESTAMP:
        return bind_statement_time(b, TYPE_TIMESTAMP_TZ, f->location, out);
    case SVFOP_CURRENT_TIMESTAMP_N:
        TRY(bind_statement_time(b, TYPE_TIMESTAMP_TZ, f->location, out));
        return bind_round_time(b, *out, f->typmod, f->location, out);
    case SVFOP_LOCALTIMESTAMP:
        return bind_statement_time(b, TYPE_TIMESTAMP, f->location, out);
    case SVFOP_LOCALTIMESTAMP_N:
        TRY(bind_statement_time(b, TYPE_TIMESTAMP, f->location, out));
        return bind_round_time(b, *out, f->typmod, f->location, out);
    case SVFOP_LOCALTIME:
        return bind_statement_time(b, TYPE_TIME, f->location, out);
    case SVFOP_LOCALTIME_N:
        TRY(bind_statement_time(b, TYPE_TIME, f->location, out));
        return bind_round_time(b, *out, f->typmod, f->location, out);
    case SVFOP_CURRENT_SCHEMA:
        return bind_system_function(b, "current_schema", NULL, 0, f->location, &is_found, out);
    case SVFOP_CURRENT_CATALOG:
        return bind_system_function(b, "current_database", NULL, 0, f->location, &is_found, out);
    case SVFOP_CURRENT_ROLE:
    case SVFOP_CURRENT_USER:
    case SVFOP_SESSION_USER:
    case SVFOP_USER: /* one name is all of these */
        return bind_text(b, SYSTEM_NAME, out);
    default:
        return bind_unsupported(b, f->location, "this function is");
    }
}
