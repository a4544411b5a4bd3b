/* json_walk.c - passes over objects and arrays within a record. */
#include "textfile/read/json_walk.h"

#define DEPTH_MAX 64 /* of brackets; deeper ones are odd */

typedef struct nest_walk {
    const char *at, *end;
    uint64_t
        objects; /* bit 0: whether the innermost bracket is an object's; bit 1: the one around it */
    unsigned depth;
    bool is_compact;
} nest_walk;

static void nest_spaces(nest_walk *w)
{
    const char *at = walk_spaces(w->at, w->end);
    w->is_compact &= at == w->at;
    w->at = at;
}

/* Passes a space, the byte and a space. False: another byte is there. */
static bool nest_take(nest_walk *w, char c)
{
    nest_spaces(w);
    if (w->at >= w->end || *w->at != c)
        return false;
    w->at++;
    nest_spaces(w);
    return w->at < w->end;
}

/* Passes the name of an object's field. */
static bool nest_name(nest_walk *w)
{
    const char *close = *w->at == '"' ? walk_string(w->at + 1, w->end) : NULL;
    if (!close)
        return false;
    w->at = close + 1;
    return nest_take(w, ':');
}

static char closing_bracket(const nest_walk *w)
{
    return w->objects & 1 ? '}' : ']';
}

static void nest_leave(nest_walk *w)
{
    w->at++;
    w->objects >>= 1;
    w->depth--;
}

/* Enters a bracket up to its first value. *is_value false: it was empty, and has been passed. */
static bool nest_enter(nest_walk *w, bool *is_value)
{
    if (w->depth == DEPTH_MAX)
        return false;
    w->objects = w->objects << 1 | (*w->at == '{');
    w->depth++;
    w->at++;
    nest_spaces(w);
    if (w->at >= w->end)
        return false;
    *is_value = *w->at != closing_bracket(w);
    if (!*is_value)
        nest_leave(w);
    return !*is_value || !(w->objects & 1) || nest_name(w);
}

/* Passes what follows a value, up to the next value or the end of the outermost bracket. */
static bool nest_after(nest_walk *w)
{
    while (w->depth) {
        nest_spaces(w);
        if (w->at >= w->end)
            return false;
        if (*w->at != closing_bracket(w))
            return nest_take(w, ',') && (!(w->objects & 1) || nest_name(w));
        nest_leave(w);
    }
    return true;
}

static bool nest_scalar(nest_walk *w)
{
    json_field f;
    const char *after = NULL;
    if (*w->at == '"') {
        after = walk_string(w->at + 1, w->end);
        after = after ? after + 1 : NULL;
    } else if (*w->at == 't' || *w->at == 'f' || *w->at == 'n') {
        after = walk_word(w->at, w->end, &f.kind);
    } else {
        after = walk_number(w->at, w->end);
    }
    w->at = after;
    return after != NULL;
}

const char *json_walk_nested(const char *at, const char *end, bool *is_compact)
{
    nest_walk w = {.at = at, .end = end, .is_compact = true};
    do {
        bool is_value = true;
        bool is_bracket = *w.at == '{' || *w.at == '[';
        if (!(is_bracket ? nest_enter(&w, &is_value) : nest_scalar(&w)))
            return NULL;
        if (is_bracket && is_value)
            continue;
        if (!nest_after(&w))
            return NULL;
    } while (w.depth);
    *is_compact = w.is_compact;
    return w.at;
}
