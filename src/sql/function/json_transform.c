/* json_transform.c - see json_transform.h. */
#include "sql/function/json_transform.h"

#include <ctype.h>
#include <yyjson/yyjson.h>

/* Types in one another, at most. */
#define TRANSFORM_DEPTH_MAX 50

typedef struct transform {
    arena *memory;
    unsigned depth;
} transform;

static status transform_no_memory(void)
{
    return status_no_memory("json_transform", 0);
}

static status transform_failed(const char *what)
{
    return status_hint(status_new(STATUS_KIND_INVALID, "the type of json_transform %s", what),
                       "a type is written so: '{\"a\": \"integer\", \"b\": [\"varchar\"]}'; "
                       "json_structure(x) gives that of a JSON text");
}

/* Adds the value at `from` as one of the type to *out. */
static status transform_value(transform *t, yyjson_val *type, const char *from, const char **out);

/* A type's name has letters, digits and what stands in decimal(18, 3): nothing else becomes SQL. */
static bool is_type_name(const char *name, size_t bytes)
{
    bool is_name = bytes > 0;
    for (size_t i = 0; i < bytes; i++)
        is_name &= isalnum((unsigned char)name[i]) || strchr("_ (),[]", name[i]);
    return is_name;
}

static status transform_scalar(transform *t, yyjson_val *type, const char *from, const char **out)
{
    const char *name = yyjson_get_str(type);
    if (!is_type_name(name, yyjson_get_len(type)))
        return transform_failed("has a name that is not a type's");
    *out = !strcasecmp(name, "json")
               ? from
               : arena_format(t->memory, "TRY_CAST(json_extract_string(%s, '$') AS %s)", from,
                              strcasecmp(name, "null") ? name : "varchar");
    return *out ? STATUS_OK : transform_no_memory();
}

static status transform_list(transform *t, yyjson_val *type, const char *from, const char **out)
{
    const char *element;
    const char *name = arena_format(t->memory, "\"#%u\"", t->depth);
    if (!name)
        return transform_no_memory();
    if (yyjson_arr_size(type) != 1)
        return transform_failed("has an array without the one type of its elements");
    TRY(transform_value(t, yyjson_arr_get_first(type), name, &element));
    *out = arena_format(t->memory,
                        "CASE WHEN json_type(%s) = 'ARRAY' THEN list_transform(list_transform("
                        "range(json_members(%s)), lambda \"#\": json_member(%s, \"#\")), "
                        "lambda %s: %s) END",
                        from, from, from, name, element);
    return *out ? STATUS_OK : transform_no_memory();
}

/* Returns a key between double quotes, for a path in a text and for a name; those in it cannot be. */
static status transform_key(transform *t, yyjson_val *key, const char **out)
{
    const char *text = yyjson_get_str(key);
    if (strlen(text) != yyjson_get_len(key) || strpbrk(text, "\"\\'"))
        return status_new(STATUS_KIND_UNSUPPORTED,
                          "a key with a quote or a backslash in json_transform is not supported");
    *out = arena_format(t->memory, "\"%s\"", text);
    return *out ? STATUS_OK : transform_no_memory();
}

static status transform_struct(transform *t, yyjson_val *type, const char *from, const char **out)
{
    const char *fields = NULL;
    yyjson_obj_iter members = yyjson_obj_iter_with(type);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&members));) {
        const char *name, *field;
        TRY(transform_key(t, key, &name));
        const char *part = arena_format(t->memory, "json_extract(%s, '$.%s')", from, name);
        if (!part)
            return transform_no_memory();
        TRY(transform_value(t, yyjson_obj_iter_get_val(key), part, &field));
        fields = arena_format(t->memory, "%s%s%s := %s", fields ? fields : "", fields ? ", " : "",
                              name, field);
        if (!fields)
            return transform_no_memory();
    }
    if (!fields)
        return transform_failed("has an object without fields");
    *out = arena_format(t->memory, "CASE WHEN json_type(%s) <> 'NULL' THEN struct_pack(%s) END",
                        from, fields);
    return *out ? STATUS_OK : transform_no_memory();
}

static status transform_value(transform *t, yyjson_val *type, const char *from, const char **out)
{
    status st;
    if (++t->depth > TRANSFORM_DEPTH_MAX)
        return transform_failed("has too many types in one another");
    if (yyjson_is_str(type))
        st = transform_scalar(t, type, from, out);
    else if (yyjson_is_arr(type))
        st = transform_list(t, type, from, out);
    else if (yyjson_is_obj(type))
        st = transform_struct(t, type, from, out);
    else
        st = transform_failed("has a value that is not a text, an array or an object");
    t->depth--;
    return st;
}

/* ---- memory of yyjson ---- */

static void *transform_allocate(void *context, size_t bytes)
{
    return arena_alloc(context, bytes);
}

static void *transform_reallocate(void *context, void *old, size_t old_bytes, size_t bytes)
{
    void *anew = arena_alloc(context, bytes);
    if (anew && old)
        memcpy(anew, old, old_bytes < bytes ? old_bytes : bytes);
    return anew;
}

static void transform_free(void *context, void *old)
{
    (void)context, (void)old; /* the arena's */
}

status json_transform_text(arena *a, const char *type, size_t bytes, const char **out)
{
    const yyjson_alc memory = {transform_allocate, transform_reallocate, transform_free, a};
    transform t = {.memory = a};
    yyjson_doc *document = yyjson_read_opts((char *)(uintptr_t)type, bytes, 0, &memory, NULL);
    if (!document)
        return transform_failed("is not JSON");
    return transform_value(&t, yyjson_doc_get_root(document), "$1", out);
}
