/* bind_registry.c - see bind_registry.h. */
#include "sql/function/bind_registry.h"

#include "base/type/pg_type.h"
#include "sql/function/system_function.h"
#include "sql/types/parameter.h"

#include <ctype.h>

static const char *last_name(const TypeName *type)
{
    size_t count = list_length(type->names);
    return count ? strVal(list_nth(type->names, count - 1)) : "";
}

static const char *const kinds[] = {"regclass",    "regtype",       "regproc",     "regprocedure",
                                    "regoperator", "regnamespace",  "regrole",     "regoper",
                                    "regconfig",   "regdictionary", "regcollation"};

bool bind_is_registry(const TypeName *type)
{
    const char *name = last_name(type);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(name, kinds[i]) && !list_length(type->arrayBounds))
            return true;
    return false;
}

bool bind_is_registered(const TypeName *type, const expr *arg)
{
    if (!bind_is_registry(type))
        return false;
    if (!bind_is_literal(arg) || arg->constant.is_null)
        return false;
    for (size_t i = 0; i < arg->constant.bytes; i++)
        if (!isdigit((unsigned char)arg->constant.text[i]))
            return true;
    return false;
}

/* Copies the name without its schema and its quotes; letters that are not in quotes become small. Returns its bytes. */
static size_t read_name(const char *text, size_t bytes, char *out)
{
    bool is_quoted = false;
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++) {
        char c = text[i];
        bool is_doubled = is_quoted && c == '"' && i + 1 < bytes && text[i + 1] == '"';
        if (c == '"' && !is_doubled)
            is_quoted = !is_quoted;
        else if (c == '.' && !is_quoted)
            count = 0;
        else
            out[count++] = is_quoted ? c : (char)tolower((unsigned char)c);
        i += is_doubled;
    }
    out[count] = 0;
    return count;
}

/* Other names of types than those that pg_type has. */
static const char *const synonyms[][2] = {
    {"int", "int4"},     {"decimal", "numeric"}, {"float", "float8"},       {"double", "float8"},
    {"boolean", "bool"}, {"string", "text"},     {"char", "bpchar"},        {"blob", "bytea"},
    {"time", "time"},    {"smallint", "int2"},   {"datetime", "timestamp"},
};

/* Takes modifiers and brackets off the end of the name. Returns whether there were brackets. */
static bool cut_type(char *name)
{
    size_t bytes = strlen(name);
    bool is_array = bytes > 2 && !strcmp(name + bytes - 2, "[]");
    if (is_array)
        name[bytes - 2] = 0;
    char *modifier = strchr(name, '(');
    if (modifier) {
        const char *end = strchr(modifier, ')');
        memmove(modifier, end ? end + 1 : "", strlen(end ? end + 1 : "") + 1);
    }
    for (bytes = strlen(name); bytes && name[bytes - 1] == ' '; bytes--)
        name[bytes - 1] = 0;
    return is_array;
}

static int64_t type_oid(char *name)
{
    size_t count;
    const pg_type_entry *list = pg_type_list(&count);
    bool is_array = cut_type(name);
    const char *known = name;
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (!strcmp(name, synonyms[i][0]))
            known = synonyms[i][1];
    for (size_t i = 0; i < count; i++)
        if (!strcmp(known, list[i].name) || !strcmp(known, list[i].sql_name))
            return is_array ? list[i].array : list[i].oid;
    return 0;
}

static int64_t schema_oid(const char *name)
{
    static const struct {
        const char *name;
        int64_t oid;
    } known[] = {
        {"public", 2200}, {"main", 2200}, {"pg_catalog", 11}, {"information_schema", 13000}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i].name))
            return known[i].oid;
    return 0;
}

/* Finds the identifier of a name of the kind; 0: there is none. The identifier of a table or function is that of its name,
 * whether it is there or not. */
static int64_t bind_registry_oid_of(const char *kind, char *name, size_t bytes)
{
    if (!strcmp(kind, "regtype"))
        return type_oid(name);
    if (!strcmp(kind, "regnamespace"))
        return schema_oid(name);
    if (!strcmp(kind, "regrole"))
        return strcmp(name, "pistachio") ? 0 : 10;
    return pg_oid_of_name(name, bytes);
}

static status read_registered(binder *b, const char *kind, const expr *arg, char **out_name,
                              int64_t *out)
{
    char *name = arena_alloc(b->memory, arg->constant.bytes + 1);
    if (!name)
        return bind_no_memory();
    size_t bytes = read_name(arg->constant.text, arg->constant.bytes, name);
    *out_name = arena_copy_text(b->memory, name, bytes);
    *out = bind_registry_oid_of(kind, name, bytes);
    return *out_name ? STATUS_OK : bind_no_memory();
}

/* Returns whether there is a table or view of the name, or a relation of pg_catalog. */
static status is_table(binder *b, const char *name, bool *out)
{
    const sql_table_name of = {NULL, NULL, name};
    const sql_catalog_entry *entry = NULL;
    *out = !strncmp(name, "pg_", 3);
    if (!*out)
        TRY(sql_search(b->catalog, b->memory, &b->path, &of, b->held, &entry));
    *out |= entry != NULL;
    return STATUS_OK;
}

status bind_registered_name(binder *b, const char *kind, const expr *arg, int32_t location,
                            expr **out)
{
    value v = value_null(type_make(TYPE_INT64));
    char *name;
    int64_t oid;
    bool is_there = true;
    if (!bind_is_literal(arg))
        return bind_unsupported(b, location, "the name of something else than a constant text is");
    if (!arg->constant.is_null) {
        TRY(read_registered(b, kind, arg, &name, &oid));
        if (!strcmp(kind, "regclass"))
            TRY(is_table(b, name, &is_there));
        if (oid && is_there)
            v = value_int(TYPE_INT64, oid);
    }
    bind_note_type(b, arg, type_make(TYPE_VARCHAR));
    return bind_constant(b, &v, location, out);
}

status bind_registered(binder *b, const TypeName *type, const expr *arg, int32_t location,
                       expr **out)
{
    const char *kind = last_name(type);
    char *name;
    int64_t oid;
    TRY(read_registered(b, kind, arg, &name, &oid));
    value v = value_int(TYPE_INT64, oid);
    if (!oid)
        return bind_error(b, STATUS_KIND_NOT_FOUND, location, "%s \"%s\" does not exist",
                          !strcmp(kind, "regtype")        ? "type"
                          : !strcmp(kind, "regnamespace") ? "schema"
                                                          : "role",
                          name);
    return bind_constant(b, &v, location, out);
}

bool bind_is_regtype(const Node *node)
{
    const TypeName *type = IsA(node, TypeCast) ? castNode(TypeCast, node)->typeName : NULL;
    return type && bind_is_registry(type) &&
           !strcmp(strVal(list_nth(type->names, list_length(type->names) - 1)), "regtype");
}

status bind_type_text(binder *b, expr *oid, int32_t location, expr **out)
{
    value none = value_null(type_make(TYPE_NULL));
    expr *args[] = {oid, NULL};
    bool is_found;
    TRY(bind_constant(b, &none, -1, &args[1]));
    return bind_system_function(b, "format_type", args, 2, location, &is_found, out);
}

status bind_rename_type(binder *b, expr *e, data_type type, expr **out)
{
    *out = e;
    if (e->type.id != type.id || e->type.precision == type.precision)
        return STATUS_OK;
    expr *copy = expr_copy(b->memory, e);
    if (!copy)
        return bind_no_memory();
    copy->type = type;
    if (copy->kind == EXPR_CONSTANT)
        copy->constant.type = type;
    *out = copy;
    return STATUS_OK;
}

status bind_function_text(binder *b, expr *oid, int32_t location, expr **out)
{
    expr *args[] = {oid};
    bool is_found;
    return bind_system_function(b, "regprocout", args, 1, location, &is_found, out);
}
