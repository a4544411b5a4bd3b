/* bind_similar.c - patterns of SIMILAR TO as regular expressions. */
#include "sql/types/bind_similar.h"

#include "device/host/regex_translate.h"
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
