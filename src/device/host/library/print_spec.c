/* print_spec.c - see print_spec.h. */
#include "device/host/library/print_spec.h"

#include "base/text/utf8.h"

#include <ctype.h>
#include <string.h>

static status print_wrong(const print_reader *r)
{
    return status_new(STATUS_KIND_DATA, "the format \"%.*s\" is wrong at byte %zu",
                      (int)(r->bytes < 60 ? r->bytes : 60), r->format, r->at + 1);
}

static char print_peek(const print_reader *r)
{
    return r->at < r->bytes ? r->format[r->at] : 0;
}

static bool print_take(print_reader *r, char c)
{
    bool is_there = r->at < r->bytes && r->format[r->at] == c;
    r->at += is_there;
    return is_there;
}

/* Reads digits; -1: there are none. */
static status print_number(print_reader *r, int32_t most, int32_t *out)
{
    *out = -1;
    while (isdigit((unsigned char)print_peek(r))) {
        *out = (*out < 0 ? 0 : *out) * 10 + (r->format[r->at++] - '0');
        if (*out > most)
            return print_wrong(r);
    }
    return STATUS_OK;
}

/* Gives the spec the argument of a number, or the next one (-1). */
static status print_place(print_reader *r, int32_t number, uint32_t *out)
{
    r->is_numbered |= number >= 0;
    r->is_in_order |= number < 0;
    if (r->is_numbered && r->is_in_order)
        return status_new(STATUS_KIND_DATA,
                          "the format \"%.*s\" has places with and without numbers",
                          (int)(r->bytes < 60 ? r->bytes : 60), r->format);
    *out = number >= 0 ? (uint32_t)number : r->next_arg++;
    return STATUS_OK;
}

static void print_begin(print_spec *out)
{
    *out = (print_spec){.fill = " ", .fill_bytes = 1, .precision = -1};
}

/* ---- printf ---- */

static bool print_flag(print_reader *r, print_spec *out)
{
    char c = print_peek(r);
    if (c == '-')
        out->align = '<';
    else if (c == '+' || (c == ' ' && !out->sign))
        out->sign = c;
    else if (c == '0')
        out->fills_zeros = true;
    else if (c == '#')
        out->is_alternate = true;
    else if (c == ',')
        out->thousands = c;
    else if (c != ' ')
        return false;
    r->at += c != 0;
    return c != 0;
}

/* Reads "2$", of an argument by its number. */
static status print_dollar(print_reader *r, int32_t *number)
{
    size_t start = r->at;
    TRY(print_number(r, PRINT_WIDTH_MAX, number));
    if (*number > 0 && print_take(r, '$')) {
        --*number;
        return STATUS_OK;
    }
    r->at = start;
    *number = -1;
    return STATUS_OK;
}

static status print_percent_width(print_reader *r, print_spec *out)
{
    if (print_take(r, '*')) {
        out->width_is_arg = true;
        return print_place(r, -1, &out->width_arg);
    }
    TRY(print_number(r, PRINT_WIDTH_MAX, &out->width));
    out->width = out->width < 0 ? 0 : out->width;
    return STATUS_OK;
}

static status print_precision(print_reader *r, print_spec *out)
{
    if (!print_take(r, '.'))
        return STATUS_OK;
    TRY(print_number(r, PRINT_PRECISION_MAX, &out->precision));
    out->precision = out->precision < 0 ? 0 : out->precision;
    return STATUS_OK;
}

status print_read_percent(print_reader *r, print_spec *out)
{
    int32_t number;
    print_begin(out);
    out->align = '>';
    TRY(print_dollar(r, &number));
    while (print_flag(r, out)) {
    }
    TRY(print_percent_width(r, out));
    TRY(print_precision(r, out));
    while (print_peek(r) && strchr("hlLjzt", print_peek(r)))
        r->at++;
    out->type = print_peek(r);
    if (!out->type)
        return print_wrong(r);
    r->at++;
    out->is_unsigned = strchr("uxXob", out->type) != NULL;
    return print_place(r, number, &out->arg);
}

/* ---- format ---- */

/* Reads [[fill]align]; a fill is any character before an align. */
static void print_align(print_reader *r, print_spec *out)
{
    static const char aligns[] = "<>^";
    bool is_character;
    if (r->at >= r->bytes)
        return;
    unsigned length = utf8_part(r->format + r->at, r->bytes - r->at, &is_character);
    size_t after = r->at + length;
    if (after < r->bytes && strchr(aligns, r->format[after]) && r->format[after]) {
        memcpy(out->fill, r->format + r->at, length);
        out->fill_bytes = (uint8_t)length;
        out->align = r->format[after];
        r->at = after + 1;
    } else if (print_peek(r) && strchr(aligns, print_peek(r))) {
        out->align = r->format[r->at++];
    }
}

static status print_braces_spec(print_reader *r, print_spec *out)
{
    print_align(r, out);
    if (print_peek(r) == '+' || print_peek(r) == ' ' || print_peek(r) == '-')
        out->sign = r->format[r->at++] == '-' ? 0 : r->format[r->at - 1];
    out->is_alternate = print_take(r, '#');
    out->fills_zeros = print_take(r, '0');
    TRY(print_number(r, PRINT_WIDTH_MAX, &out->width));
    out->width = out->width < 0 ? 0 : out->width;
    if (print_take(r, ','))
        out->thousands = ',';
    else if (print_take(r, 't') && r->at < r->bytes)
        out->thousands = r->format[r->at++];
    TRY(print_precision(r, out));
    if (print_peek(r) && print_peek(r) != '}')
        out->type = r->format[r->at++];
    return STATUS_OK;
}

status print_read_braces(print_reader *r, print_spec *out)
{
    int32_t number;
    print_begin(out);
    TRY(print_number(r, PRINT_WIDTH_MAX, &number));
    TRY(print_place(r, number, &out->arg));
    if (print_take(r, ':'))
        TRY(print_braces_spec(r, out));
    return print_take(r, '}') ? STATUS_OK : print_wrong(r);
}
