/* bind_similar.c - patterns of SIMILAR TO as regular expressions, of GLOB as those of LIKE. */
#include "sql/types/bind_similar.h"

#include "device/host/regex_translate.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"

/* A constant text; NULL: it is NULL. */
static status similar_text(binder *b, expr *e, const char *what, int32_t location,
                           const value **out)
{
    TRY(bind_coerce(b, e, type_make(TYPE_VARCHAR), location, what, &e));
    if (e->kind != EXPR_CONSTANT)
        return bind_error(b, STATUS_KIND_UNSUPPORTED, location, "the %s has to be a constant",
                          what);
    *out = e->constant.is_null ? NULL : &e->constant;
    return STATUS_OK;
}

status bind_similar_pattern(binder *b, expr *pattern_arg, expr *escape_arg, bool has_parts,
                            int32_t location, expr **out)
{
    const value *pattern, *escape = NULL;
    value regular = {.type = type_make(TYPE_VARCHAR)};
    const char *text = "\\";
    TRY(similar_text(b, pattern_arg, "pattern of SIMILAR TO", location, &pattern));
    if (escape_arg) {
        TRY(similar_text(b, escape_arg, "escape of SIMILAR TO", location, &escape));
        if (escape && escape->bytes > 1)
            return bind_error(b, STATUS_KIND_INVALID, location,
                              "the escape of SIMILAR TO is one character");
        text = escape && escape->bytes ? escape->text : NULL;
    }
    regular.is_null = !pattern || (escape_arg && !escape);
    if (!regular.is_null) {
        status st = regex_from_similar(pattern->text, pattern->bytes, text, has_parts, b->memory,
                                       &regular.text, &regular.bytes);
        if (st)
            return status_at(st, bind_position(b, location));
    }
    return bind_constant(b, &regular, location, out);
}

/* ---- GLOB ---- */

/* Makes a pattern of LIKE of one of GLOB; *out NULL: it has more than stars and question marks. */
static status like_of_glob(binder *b, const value *glob, expr **out)
{
    value like = {.type = type_make(TYPE_VARCHAR)};
    char *text = arena_alloc(b->memory, 2 * glob->bytes + 1), *to = text;
    *out = NULL;
    if (!text)
        return bind_no_memory();
    for (size_t i = 0; i < glob->bytes; i++) {
        char c = glob->text[i];
        if (c == '[' || c == '\\')
            return STATUS_OK;
        if (c == '%' || c == '_')
            *to++ = '\\';
        *to++ = c == '*' ? '%' : c == '?' ? '_' : c;
    }
    like.text = text;
    like.bytes = (size_t)(to - text);
    return bind_constant(b, &like, -1, out);
}

status bind_glob(binder *b, expr *left, expr *right, int32_t location, expr **out)
{
    expr *sides[] = {left, right}, *like = NULL;
    for (int i = 0; i < 2; i++)
        TRY(bind_coerce(b, sides[i], type_make(TYPE_VARCHAR), location, "argument of GLOB",
                        &sides[i]));
    if (sides[1]->kind == EXPR_CONSTANT && !sides[1]->constant.is_null)
        TRY(like_of_glob(b, &sides[1]->constant, &like));
    if (like)
        sides[1] = like;
    return bind_call(b, like ? EXPR_LIKE : EXPR_GLOB, type_make(TYPE_BOOL), sides, 2, location,
                     out);
}
