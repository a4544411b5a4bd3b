/* bind_registry.c - see bind_registry.h. */
#include "sql/expression/bind_registry.h"

#include "base/pg_type.h"

#include <ctype.h>

static const char *last_name(const TypeName *type)
{
    size_t count = list_length(type->names);
    return count ? strVal(list_nth(type->names, count - 1)) : "";
}

bool bind_is_registered(const TypeName *type, const expr *arg)
{
    const char *name = last_name(type);
    if (strcmp(name, "regclass") != 0 && strcmp(name, "regtype") != 0)
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

static int64_t type_oid(const char *name)
{
    size_t count;
    const pg_type_entry *list = pg_type_list(&count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(name, list[i].name) || !strcmp(name, list[i].sql_name))
            return list[i].oid;
    return 0;
}

status bind_registered(binder *b, const TypeName *type, const expr *arg, int32_t location,
                       expr **out)
{
    char *name = arena_alloc(b->memory, arg->constant.bytes + 1);
    if (!name)
        return bind_no_memory();
    size_t bytes = read_name(arg->constant.text, arg->constant.bytes, name);
    bool is_type = !strcmp(last_name(type), "regtype");
    value v = value_int(TYPE_INT64, is_type ? type_oid(name) : pg_oid_of_name(name, bytes));
    if (is_type && !v.i64)
        return bind_error(b, STATUS_KIND_NOT_FOUND, location, "type \"%s\" does not exist", name);
    return bind_constant(b, &v, location, out);
}
