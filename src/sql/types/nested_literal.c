/* nested_literal.c - see nested_literal.h.
 *
 *     list    [a, 'b', NULL], or as PostgreSQL has it {a,"b",NULL}
 *     struct  {name: a, 'other': b}, (a, b)
 *     map     {key=value}, {key: value}
 *
 * Parts are trimmed; in quotes a backslash goes before a quote or a backslash that belongs to the text. */
#include "sql/types/nested_literal.h"

#include "base/guard.h"
#include "base/nested_type.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"

#include <ctype.h>
#include <strings.h>

typedef struct nested_text_scan {
    binder *b;
    const char *at, *end;
    data_type type;
    int32_t location;
} nested_text_scan;

static status no_value(const nested_text_scan *s)
{
    char name[TYPE_NAME_BYTES];
    return bind_error(s->b, STATUS_KIND_DATA, s->location, "the text is not a value of type %s",
                      type_name(s->type, name));
}

static void skip_blanks(nested_text_scan *s)
{
    while (s->at < s->end && isspace((unsigned char)*s->at))
        s->at++;
}

static bool take(nested_text_scan *s, char c)
{
    skip_blanks(s);
    if (s->at == s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

/* Goes over a text in quotes. */
static bool skip_quotes(nested_text_scan *s)
{
    char quote = *s->at++;
    while (s->at < s->end && *s->at != quote)
        s->at += *s->at == '\\' && s->at + 1 < s->end ? 2 : 1;
    if (s->at >= s->end)
        return false;
    s->at++;
    return true;
}

/* Goes over a part up to one of the characters that end it, or the closing one, outside of brackets and quotes. */
static bool skip_part(nested_text_scan *s, const char *ends)
{
    int depth = 0;
    while (s->at < s->end) {
        char c = *s->at;
        if (!depth && c && strchr(ends, c))
            return true;
        if (c == '\'' || c == '"') {
            if (!skip_quotes(s))
                return false;
            continue;
        }
        depth += c && strchr("[{(", c) ? 1 : 0;
        depth -= c && strchr("]})", c) ? 1 : 0;
        s->at++;
    }
    return false;
}

/* The text between, without blanks at its ends and without its quotes. */
static status part_text(nested_text_scan *s, const char *from, const char *to, bool *out_is_quoted,
                        const char **out)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    *out_is_quoted = to - from >= 2 && (*from == '\'' || *from == '"') && to[-1] == *from;
    char *text = arena_copy_text(s->b->memory, from, (size_t)(to - from));
    *out = text;
    if (!text)
        return bind_no_memory();
    if (!*out_is_quoted)
        return STATUS_OK;
    char *put = text;
    for (const char *at = text + 1; at + 1 < text + (to - from); at++) {
        at += *at == '\\' && at + 2 < text + (to - from);
        *put++ = *at;
    }
    *put = 0;
    return STATUS_OK;
}

/* Reads a part and casts it. */
static status part_value(nested_text_scan *s, const char *ends, data_type type, expr **out)
{
    const char *from = s->at, *text;
    bool is_quoted;
    value v = value_null(type_make(TYPE_NULL));
    if (!skip_part(s, ends))
        return no_value(s);
    TRY(part_text(s, from, s->at, &is_quoted, &text));
    if (is_quoted || strcasecmp(text, "null") != 0)
        v = value_text(text, strlen(text));
    TRY(bind_constant(s->b, &v, s->location, out));
    return bind_cast(s->b, *out, type, s->location, out);
}

/* ---- PostgreSQL's arrays ---- */

/* Goes over an element up to what ends it; lists within are whole. */
static bool skip_element(nested_text_scan *s)
{
    int depth = 0;
    for (; s->at < s->end && (depth || !strchr(",}", *s->at)); s->at++) {
        depth += *s->at == '{' ? 1 : *s->at == '}' ? -1 : 0;
        if (*s->at == '"') {
            if (!skip_quotes(s))
                return false;
            s->at--;
        } else if (*s->at == '\\' && s->at + 1 < s->end) {
            s->at++;
        }
    }
    return s->at < s->end;
}

/* Copies the element without its quotes and backslashes; *out_is_plain: there were none. */
static char *element_text(arena *memory, const char *from, const char *to, bool *out_is_plain)
{
    char *text = arena_alloc(memory, (size_t)(to - from) + 1), *put = text;
    *out_is_plain = true;
    for (const char *at = from; text && at < to; at++) {
        *out_is_plain &= *at != '"' && *at != '\\';
        if (*at == '"')
            continue;
        at += *at == '\\' && at + 1 < to;
        *put++ = *at;
    }
    if (text)
        *put = 0;
    return text;
}

static status element_value(nested_text_scan *s, data_type type, expr **out)
{
    bool is_plain = true;
    skip_blanks(s);
    const char *from = s->at, *to;
    char *text;
    if (!skip_element(s) || from == s->at)
        return no_value(s);
    for (to = s->at; isspace((unsigned char)to[-1]);)
        to--;
    text = type_is_nested(type) ? arena_copy_text(s->b->memory, from, (size_t)(to - from))
                                : element_text(s->b->memory, from, to, &is_plain);
    if (!text)
        return bind_no_memory();
    value v = value_text(text, strlen(text));
    if (is_plain && !strcasecmp(text, "null"))
        v = value_null(type_make(TYPE_NULL));
    TRY(bind_constant(s->b, &v, s->location, out));
    return bind_cast(s->b, *out, type, s->location, out);
}

/* Reads what follows the opening bracket. */
static status literal_array(nested_text_scan *s, expr **out)
{
    ARRAY(expr *) items = {0};
    expr *item;
    for (bool is_first = true; !take(s, '}'); is_first = false) {
        if (!is_first && !take(s, ','))
            return no_value(s);
        TRY(element_value(s, nested_type_of(s->type)->fields[0].type, &item));
        TRY(array_push(s->b->memory, &items, item));
    }
    return bind_call(s->b, EXPR_LIST_VALUE, s->type, items.items, (uint32_t)items.count,
                     s->location, out);
}

/* ---- all of them ---- */

static status literal_list(nested_text_scan *s, expr **out)
{
    ARRAY(expr *) items = {0};
    expr *item;
    if (take(s, '{'))
        return literal_array(s, out);
    if (!take(s, '['))
        return no_value(s);
    for (bool is_first = true; !take(s, ']'); is_first = false) {
        if (!is_first && !take(s, ','))
            return no_value(s);
        TRY(part_value(s, ",]", nested_type_of(s->type)->fields[0].type, &item));
        TRY(array_push(s->b->memory, &items, item));
    }
    return bind_call(s->b, EXPR_LIST_VALUE, s->type, items.items, (uint32_t)items.count,
                     s->location, out);
}

static int literal_field(const nested_type *type, const char *name)
{
    for (uint32_t i = 0; i < type->field_count; i++)
        if (!strcasecmp(type->fields[i].name, name))
            return (int)i;
    return -1;
}

/* Reads "name: value". */
static status named_field(nested_text_scan *s, expr **fields)
{
    const nested_type *type = nested_type_of(s->type);
    const char *from = s->at, *name;
    bool is_quoted;
    if (!skip_part(s, ":"))
        return no_value(s);
    TRY(part_text(s, from, s->at++, &is_quoted, &name));
    int field = literal_field(type, name);
    if (field < 0)
        return bind_error(s->b, STATUS_KIND_DATA, s->location, "the struct has no field \"%s\"",
                          name);
    return part_value(s, ",}", type->fields[field].type, &fields[field]);
}

static status literal_struct(nested_text_scan *s, expr **out)
{
    const nested_type *type = nested_type_of(s->type);
    expr **fields = arena_alloc_array(s->b->memory, (size_t)type->field_count + 1, sizeof *fields);
    uint32_t count = 0;
    if (!fields)
        return bind_no_memory();
    bool has_names = !take(s, '(');
    if (has_names && !take(s, '{'))
        return no_value(s);
    for (; !take(s, has_names ? '}' : ')'); count++) {
        if (count && !take(s, ','))
            return no_value(s);
        skip_blanks(s);
        if (has_names)
            TRY(named_field(s, fields));
        else if (count < type->field_count)
            TRY(part_value(s, ",)", type->fields[count].type, &fields[count]));
        else
            return no_value(s);
    }
    for (uint32_t i = 0; i < type->field_count; i++) {
        value null = value_null(type->fields[i].type);
        if (!fields[i])
            TRY(bind_constant(s->b, &null, s->location, &fields[i]));
    }
    return bind_call(s->b, EXPR_STRUCT_PACK, s->type, fields, type->field_count, s->location, out);
}

static status literal_map(nested_text_scan *s, expr **out)
{
    const nested_type *type = nested_type_of(s->type);
    ARRAY(expr *) parts[2] = {{0}, {0}};
    expr *part, *lists[2];
    if (!take(s, '{'))
        return no_value(s);
    for (bool is_first = true; !take(s, '}'); is_first = false) {
        if (!is_first && !take(s, ','))
            return no_value(s);
        TRY(part_value(s, "=:", type->fields[0].type, &part));
        s->at++;
        TRY(array_push(s->b->memory, &parts[0], part));
        TRY(part_value(s, ",}", type->fields[1].type, &part));
        TRY(array_push(s->b->memory, &parts[1], part));
    }
    for (int k = 0; k < 2; k++) {
        data_type list;
        TRY(nested_type_make_list(type->fields[k].type, &list));
        TRY(nested_type_keep(s->b->memory, list));
        TRY(bind_call(s->b, EXPR_LIST_VALUE, list, parts[k].items, (uint32_t)parts[k].count,
                      s->location, &lists[k]));
    }
    return bind_call(s->b, EXPR_MAP, s->type, lists, 2, s->location, out);
}

status bind_nested_literal(binder *b, const expr *literal, data_type type, int32_t location,
                           expr **out)
{
    const char *text = literal->constant.text;
    nested_text_scan s = {b, text, text + literal->constant.bytes, type, location};
    TRY(guard_check());
    skip_blanks(&s);
    TRY(type.id == TYPE_LIST     ? literal_list(&s, out)
        : type.id == TYPE_STRUCT ? literal_struct(&s, out)
                                 : literal_map(&s, out));
    skip_blanks(&s);
    return s.at == s.end ? STATUS_OK : no_value(&s);
}
