/* hive_types.c - see hive_types.h. */
#include "parquet/table/hive_types.h"

#include "base/text/text_scan.h"
#include "base/text/type_parse.h"

#include <strings.h>

/* Returns where the item that begins at `at` ends: at a comma outside quotes and parentheses, or at the end. */
static const char *end_of_item(const char *at, const char *end)
{
    bool is_quoted = false;
    for (int depth = 0; at < end; at++) {
        if (*at == '"')
            is_quoted = !is_quoted;
        else if (!is_quoted && *at == '(')
            depth++;
        else if (!is_quoted && *at == ')')
            depth--;
        else if (!is_quoted && !depth && *at == ',')
            break;
    }
    return at;
}

/* Reads a name in double quotes, in which two are one. NULL: there is no memory. */
static char *read_quoted(arena *a, text_scan *s)
{
    char *name = arena_alloc(a, (size_t)(s->end - s->at) + 1), *to = name;
    for (s->at++; s->at < s->end; s->at++) {
        if (*s->at == '"' && (s->at + 1 == s->end || *++s->at != '"'))
            break;
        if (to)
            *to++ = *s->at;
    }
    if (s->at < s->end && *s->at == '"')
        s->at++;
    if (to)
        *to = 0;
    return name;
}

static char *hive_types_read_name(arena *a, text_scan *s)
{
    const char *first = s->at;
    if (s->at < s->end && *s->at == '"')
        return read_quoted(a, s);
    while (s->at < s->end && !scan_is_space(*s->at))
        s->at++;
    return arena_copy_text(a, first, (size_t)(s->at - first));
}

static status add_item(arena *a, const char *first, const char *end, pq_hive_type_list *out)
{
    text_scan s = scan_trimmed(first, (size_t)(end - first));
    pq_hive_type item = {.name = hive_types_read_name(a, &s)};
    if (!item.name)
        return status_no_memory("table", (size_t)(end - first));
    if (!type_parse(s.at, (size_t)(s.end - s.at), &item.type) || item.type.id == TYPE_BLOB ||
        item.type.id == TYPE_INTERVAL || item.type.id == TYPE_NULL)
        return status_hint(status_new(STATUS_KIND_INVALID,
                                      "hive_types: \"%.*s\" is not a key's name and a type",
                                      (int)(end - first), first),
                           "names and types as in CREATE TABLE, split by commas: 'zip varchar, "
                           "year integer'");
    if (pq_hive_types_find(out, item.name))
        return status_new(STATUS_KIND_INVALID, "hive_types: \"%s\" stands there twice", item.name);
    return array_push(a, out, item);
}

status pq_hive_types_parse(arena *a, const char *text, size_t bytes, pq_hive_type_list *out)
{
    const char *end = text + bytes;
    for (;;) {
        const char *item_end = end_of_item(text, end);
        TRY(add_item(a, text, item_end, out));
        if (item_end == end)
            return STATUS_OK;
        text = item_end + 1;
    }
}

const pq_hive_type *pq_hive_types_find(const pq_hive_type_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcasecmp(list->items[i].name, name))
            return &list->items[i];
    return NULL;
}
