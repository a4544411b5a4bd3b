/* fold_like.c - LIKE of constants: of folders' names above all, which a condition leaves out. */

#include "base/cancel.h"

#include <string.h>

#define TEXT_SEARCH(text, bytes, part, part_bytes)                                                 \
    fold_like_find_part(text, bytes, part, part_bytes)
#define TEXT_DIFFERS(left, right, bytes) (memcmp(left, right, bytes) != 0)
#define TEXT_IS_UNWANTED(step) ((step) % 256 == 255 && cancel_is_asked())

static size_t fold_like_find_part(const char *text, size_t bytes, const char *part,
                                  size_t part_bytes);

#include "device/value/like_states.h"
#include "plan/fold/fold_parts.h"
#include "plan/tree/expr.h"

#define DEFAULT_ESCAPE '\\'

static size_t fold_like_find_part(const char *text, size_t bytes, const char *part,
                                  size_t part_bytes)
{
    const char *found = memmem(text, bytes, part, part_bytes);
    return found ? (size_t)(found - text) : LIKE_NOWHERE;
}

/* ASCII in small letters; false: there are others, or no memory. */
static bool fold_like_lower(arena *a, const value *v, value *out)
{
    char *text = arena_copy_text(a, v->text, v->bytes);
    for (size_t i = 0; text && i < v->bytes; i++) {
        if ((unsigned char)text[i] >= 0x80)
            return false;
        text[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : text[i]);
    }
    if (text)
        *out = value_text(text, v->bytes);
    return text;
}

bool fold_like(arena *a, const expr *e, value *out)
{
    value text = e->args[0]->constant, pattern = e->args[1]->constant;
    const value *escape = e->arg_count > 2 ? &e->args[2]->constant : NULL;
    int escape_byte = !escape ? DEFAULT_ESCAPE : escape->bytes ? (unsigned char)*escape->text : -1;
    if (text.type.id != TYPE_VARCHAR || pattern.type.id != TYPE_VARCHAR ||
        (escape && escape->bytes > 1))
        return false;
    if (e->op == EXPR_ILIKE &&
        (!fold_like_lower(a, &text, &text) || !fold_like_lower(a, &pattern, &pattern)))
        return false;
    like_match match =
        like_matches_long(text.text, text.bytes, pattern.text, pattern.bytes, escape_byte);
    *out = value_bool(match == LIKE_YES);
    return match != LIKE_INVALID;
}
