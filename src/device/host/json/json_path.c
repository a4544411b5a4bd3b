/* json_path.c - see json_path.h. */
#include "device/host/json/json_path.h"

#include <ctype.h>

typedef struct path_reader {
    arena *memory;
    const char *text;
    size_t bytes, at;
    json_path *path;
} path_reader;

static status path_wrong(const path_reader *r)
{
    return status_new(STATUS_KIND_INVALID, "the JSON path \"%.*s\" is wrong at character %zu",
                      (int)(r->bytes < 60 ? r->bytes : 60), r->text, r->at + 1);
}

static status path_wild(const path_reader *r)
{
    return status_new(STATUS_KIND_UNSUPPORTED,
                      "the JSON path \"%.*s\" means several values, which is not supported",
                      (int)(r->bytes < 60 ? r->bytes : 60), r->text);
}

static bool path_has(const path_reader *r, char c)
{
    return r->at < r->bytes && r->text[r->at] == c;
}

/* Reads an integer of up to 9 digits that ends there. */
static bool path_number(const char *text, size_t bytes, int64_t *out)
{
    size_t at = bytes && *text == '-';
    int64_t number = 0;
    if (at == bytes || bytes - at > 9)
        return false;
    for (size_t i = at; i < bytes; i++) {
        if (!isdigit((unsigned char)text[i]))
            return false;
        number = number * 10 + (text[i] - '0');
    }
    *out = at ? -number : number;
    return true;
}

/* Adds a step whose key has `bytes` bytes at `start` of the keys. */
static status json_path_add_key(path_reader *r, json_step_kind kind, size_t start)
{
    json_step step = {.kind = kind};
    step.bytes = (uint32_t)(r->path->keys.count - start);
    step.key = r->path->keys.items ? r->path->keys.items + start : "";
    step.is_number = kind == JSON_STEP_EITHER && path_number(step.key, step.bytes, &step.index);
    r->path->has_negative |= step.is_number && step.index < 0;
    return array_push(r->memory, &r->path->steps, step);
}

static status path_push(path_reader *r, char c)
{
    return array_push(r->memory, &r->path->keys, c);
}

/* Reads up to a closing quote; a backslash takes the character after it as it is. */
static status path_quoted(path_reader *r, char quote)
{
    for (r->at++; r->at < r->bytes && r->text[r->at] != quote; r->at++) {
        if (r->text[r->at] == '\\' && r->at + 1 < r->bytes)
            r->at++;
        TRY(path_push(r, r->text[r->at]));
    }
    if (r->at == r->bytes)
        return path_wrong(r);
    r->at++;
    return STATUS_OK;
}

/* Reads what stands after a point. */
static status path_member(path_reader *r)
{
    size_t start = r->path->keys.count;
    r->at++;
    if (path_has(r, '*') || path_has(r, '.'))
        return path_wild(r);
    if (path_has(r, '"')) {
        TRY(path_quoted(r, '"'));
        return json_path_add_key(r, JSON_STEP_KEY, start);
    }
    for (; r->at < r->bytes && r->text[r->at] != '.' && r->text[r->at] != '['; r->at++)
        TRY(path_push(r, r->text[r->at]));
    return r->path->keys.count > start ? json_path_add_key(r, JSON_STEP_KEY, start) : path_wrong(r);
}

/* Reads [1], [-1], [#-1], ["key"]. */
static status path_bracket(path_reader *r)
{
    json_step step = {.kind = JSON_STEP_INDEX};
    size_t start = r->path->keys.count, from = ++r->at;
    if (path_has(r, '*'))
        return path_wild(r);
    if (path_has(r, '"') || path_has(r, '\'')) {
        TRY(path_quoted(r, r->text[r->at]));
        TRY(json_path_add_key(r, JSON_STEP_KEY, start));
    } else {
        from += path_has(r, '#');
        for (r->at = from; r->at < r->bytes && r->text[r->at] != ']';)
            r->at++;
        if (!path_number(r->text + from, r->at - from, &step.index) ||
            (r->text[from - 1] == '#' && step.index >= 0)) {
            r->at = from;
            return path_wrong(r);
        }
        r->path->has_negative |= step.index < 0;
        TRY(array_push(r->memory, &r->path->steps, step));
    }
    if (!path_has(r, ']'))
        return path_wrong(r);
    r->at++;
    return STATUS_OK;
}

static status path_dollar(path_reader *r)
{
    for (r->at = 1; r->at < r->bytes;) {
        if (path_has(r, '.'))
            TRY(path_member(r));
        else if (path_has(r, '['))
            TRY(path_bracket(r));
        else
            return path_wrong(r);
    }
    return STATUS_OK;
}

/* Reads /a/1/b, in which ~1 is a slash and ~0 a tilde. */
static status path_pointer(path_reader *r)
{
    while (r->at < r->bytes) {
        size_t start = r->path->keys.count;
        for (r->at++; r->at < r->bytes && r->text[r->at] != '/'; r->at++) {
            bool is_escape = r->text[r->at] == '~' && r->at + 1 < r->bytes &&
                             (r->text[r->at + 1] == '0' || r->text[r->at + 1] == '1');
            r->at += is_escape;
            TRY(path_push(r, !is_escape ? r->text[r->at] : r->text[r->at] == '0' ? '~' : '/'));
        }
        TRY(json_path_add_key(r, JSON_STEP_EITHER, start));
    }
    return STATUS_OK;
}

/* Reads {a,1,"b c"}. */
static status path_list(path_reader *r)
{
    if (r->bytes < 2 || r->text[0] != '{' || r->text[r->bytes - 1] != '}')
        return path_wrong(r);
    r->bytes--;
    r->at = 1;
    while (r->at < r->bytes) {
        size_t start = r->path->keys.count;
        if (path_has(r, '"'))
            TRY(path_quoted(r, '"'));
        else
            for (; r->at < r->bytes && r->text[r->at] != ','; r->at++)
                TRY(path_push(r, r->text[r->at]));
        TRY(json_path_add_key(r, JSON_STEP_EITHER, start));
        if (r->at < r->bytes && !path_has(r, ','))
            return path_wrong(r);
        r->at++;
    }
    return STATUS_OK;
}

status json_path_parse(arena *a, const char *text, size_t bytes, bool is_list, json_path *out)
{
    path_reader r = {.memory = a, .text = text, .bytes = bytes, .path = out};
    out->steps.count = out->keys.count = 0;
    out->has_negative = false;
    /* Keys stay where they are. */
    TRY(array_reserve(a, &out->keys, bytes + 1));
    if (is_list)
        return path_list(&r);
    if (path_has(&r, '$'))
        return path_dollar(&r);
    if (path_has(&r, '/'))
        return path_pointer(&r);
    memcpy(out->keys.items, text, bytes);
    out->keys.count = bytes;
    return json_path_add_key(&r, JSON_STEP_KEY, 0);
}

void json_path_release(json_path *path)
{
    array_release(&path->steps);
    array_release(&path->keys);
}
