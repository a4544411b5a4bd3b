/* try_cast.c - casts of texts that give NULL where they fail. */
#include "device/host/host.h"
#include "device/value/text_value.h"

/* Writes the value at its place; false: the text is not one. */
static bool try_cast_parse(const char *text, size_t bytes, data_type type, void *out)
{
    switch (type.id) {
    case TYPE_FLOAT:
        return float_parse(text, bytes, out);
    case TYPE_DOUBLE:
        return double_parse(text, bytes, out);
    default:
        return cast_text_to_value(text, bytes, type, out);
    }
}

status host_try_cast(host_call *c, uint64_t row)
{
    const string_view *view = host_text(c, 0, row);
    const char *text = string_data(view);
    size_t width = c->type.width;
    bool boolean = false, fits;
    if (width) {
        char *at = (char *)c->values + row * width;
        fits = try_cast_parse(text, view->bytes, c->type, at);
        if (!fits)
            memset(at, 0, width);
    } else {
        fits = boolean_parse(text, view->bytes, &boolean);
        host_put_boolean(c, row, fits && boolean);
    }
    if (!fits)
        host_put_null(c, row);
    return STATUS_OK;
}
