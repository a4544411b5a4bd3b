/* nested_scan.c - see nested_scan.h. */
#include "base/text/nested_scan.h"

#include "base/type/nested_type.h"

#include <ctype.h>
#include <strings.h>

typedef struct nested_scan {
    const char *at, *end;
    data_type type;
    nested_parts parts;
} nested_scan;

static status no_value(const nested_scan *s)
{
    char name[TYPE_NAME_BYTES];
    return status_new(STATUS_KIND_DATA, "the text is not a value of type %s",
                      type_name(s->type, name));
}

/* ---- characters ---- */

static void skip_blanks(nested_scan *s)
{
    while (s->at < s->end && isspace((unsigned char)*s->at))
        s->at++;
}

static bool take(nested_scan *s, char c)
{
    skip_blanks(s);
    if (s->at == s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

/* Goes over a text in quotes. */
static bool skip_quotes(nested_scan *s)
{
    char quote = *s->at++;
    while (s->at < s->end && *s->at != quote)
        s->at += *s->at == '\\' && s->at + 1 < s->end ? 2 : 1;
    if (s->at >= s->end)
        return false;
    s->at++;
    return true;
}

/* Goes over a part up to one of the characters that end it, outside of brackets and quotes. */
static bool skip_part(nested_scan *s, const char *ends)
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

/* Goes over an element of PostgreSQL's arrays up to what ends it; lists within are whole. */
static bool skip_element(nested_scan *s)
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

/* ---- parts ---- */

static bool has_quotes(const nested_part *part)
{
    return part->bytes >= 2 && (*part->text == '\'' || *part->text == '"') &&
           part->text[part->bytes - 1] == *part->text;
}

/* The text between, without blanks at its ends. */
static nested_part part_between(const char *from, const char *to, bool is_of_array)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    nested_part part = {.text = from, .bytes = (size_t)(to - from), .is_of_array = is_of_array};
    part.is_quoted = !is_of_array && has_quotes(&part);
    part.is_null = !part.is_quoted && part.bytes == 4 && !strncasecmp(from, "null", 4);
    return part;
}

size_t nested_part_text(const nested_part *part, bool is_nested, char *out)
{
    const char *at = part->text + part->is_quoted,
               *end = part->text + part->bytes - part->is_quoted;
    size_t bytes = 0;
    if ((part->is_of_array && is_nested) || (!part->is_of_array && !part->is_quoted)) {
        if (part->bytes)
            memcpy(out, part->text, part->bytes);
        return part->bytes;
    }
    for (; at < end; at++) {
        if (part->is_of_array && *at == '"')
            continue;
        at += *at == '\\' && at + 1 < end;
        out[bytes++] = *at;
    }
    return bytes;
}

static status scan_part(nested_scan *s, const char *ends, nested_part *out)
{
    const char *from = s->at;
    if (!skip_part(s, ends))
        return no_value(s);
    *out = part_between(from, s->at, false);
    return STATUS_OK;
}

static status add_part(nested_scan *s, const char *ends, uint32_t field)
{
    nested_part part;
    TRY(scan_part(s, ends, &part));
    return s->parts.add(s->parts.context, field, &part);
}

/* ---- lists ---- */

/* Reads what follows the opening bracket. */
static status scan_array(nested_scan *s)
{
    for (bool is_first = true; !take(s, '}'); is_first = false) {
        if (!is_first && !take(s, ','))
            return no_value(s);
        skip_blanks(s);
        const char *from = s->at;
        if (!skip_element(s) || from == s->at)
            return no_value(s);
        nested_part part = part_between(from, s->at, true);
        TRY(s->parts.add(s->parts.context, 0, &part));
    }
    return STATUS_OK;
}

static status scan_list(nested_scan *s)
{
    if (take(s, '{'))
        return scan_array(s);
    if (!take(s, '['))
        return no_value(s);
    for (bool is_first = true; !take(s, ']'); is_first = false) {
        if (!is_first && !take(s, ','))
            return no_value(s);
        TRY(add_part(s, ",]", 0));
    }
    return STATUS_OK;
}

/* ---- structs ---- */

/* Whether the part's text is the name, in any case. */
static bool is_name(const nested_part *part, const char *name)
{
    const char *at = part->text + part->is_quoted,
               *end = part->text + part->bytes - part->is_quoted;
    for (; at < end && *name; at++, name++) {
        at += part->is_quoted && *at == '\\' && at + 1 < end;
        if (tolower((unsigned char)*at) != tolower((unsigned char)*name))
            return false;
    }
    return at == end && !*name;
}

/* Reads "name: value". */
static status scan_field(nested_scan *s)
{
    const nested_type *type = nested_type_of(s->type);
    nested_part name;
    TRY(scan_part(s, ":", &name));
    s->at++;
    for (uint32_t i = 0; i < type->field_count; i++)
        if (is_name(&name, type->fields[i].name))
            return add_part(s, ",}", i);
    return status_new(STATUS_KIND_DATA, "the struct has no field \"%.*s\"",
                      name.bytes > 80 ? 80 : (int)name.bytes, name.text);
}

static status scan_struct(nested_scan *s)
{
    uint32_t field_count = nested_type_of(s->type)->field_count;
    bool has_names = !take(s, '(');
    if (has_names && !take(s, '{'))
        return no_value(s);
    for (uint32_t i = 0; !take(s, has_names ? '}' : ')'); i++) {
        if (i && !take(s, ','))
            return no_value(s);
        skip_blanks(s);
        if (!has_names && i >= field_count)
            return no_value(s);
        TRY(has_names ? scan_field(s) : add_part(s, ",)", i));
    }
    return STATUS_OK;
}

/* ---- maps ---- */

static status scan_map(nested_scan *s)
{
    if (!take(s, '{'))
        return no_value(s);
    for (bool is_first = true; !take(s, '}'); is_first = false) {
        if (!is_first && !take(s, ','))
            return no_value(s);
        TRY(add_part(s, "=:", 0));
        s->at++;
        TRY(add_part(s, ",}", 1));
    }
    return STATUS_OK;
}

status nested_scan_parts(data_type type, const char *text, size_t bytes, nested_parts parts)
{
    nested_scan s = {text, text + bytes, type, parts};
    TRY(type.id == TYPE_LIST     ? scan_list(&s)
        : type.id == TYPE_STRUCT ? scan_struct(&s)
                                 : scan_map(&s));
    skip_blanks(&s);
    return s.at == s.end ? STATUS_OK : no_value(&s);
}
