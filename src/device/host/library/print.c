/* print.c - printf and format: texts with values in their places.
 *
 * A format is gone through twice: once to count the text's bytes, once to write them. */

#include "device/host/host.h"
#include "device/host/library/print_spec.h"

#include <math.h>
#include <stdio.h>

/* Digits of a double with 308 digits before the point and PRINT_PRECISION_MAX after it, and 128 bits. */
#define NUMBER_BYTES 512

typedef struct printer {
    const host_call *call;
    uint64_t row;
    char *out; /* NULL: bytes are counted */
    uint64_t bytes;
} printer;

static void print_add(printer *p, const char *text, size_t bytes)
{
    if (p->out)
        memcpy(p->out + p->bytes, text, bytes);
    p->bytes += bytes;
}

static void print_fill(printer *p, const print_spec *spec, int64_t count)
{
    for (; count > 0; count--)
        print_add(p, spec->fill, spec->fill_bytes);
}

/* Adds a sign or prefix and what stands after it, in `width` characters; zeros stand between both. */
static void print_padded(printer *p, const print_spec *spec, const char *prefix,
                         size_t prefix_bytes, const char *text, size_t bytes, char own_align)
{
    int64_t characters = (int64_t)prefix_bytes;
    for (size_t i = 0; i < bytes; i++)
        characters += ((unsigned char)text[i] & 0xc0) != 0x80;
    int64_t more = spec->width > characters ? spec->width - characters : 0;
    char align = spec->align ? spec->align : own_align;
    int64_t before = align == '>' ? more : align == '^' ? more / 2 : 0;
    bool has_zeros = spec->fills_zeros && own_align == '>' && align != '<';
    if (has_zeros)
        before = 0;
    print_fill(p, spec, before);
    print_add(p, prefix, prefix_bytes);
    for (int64_t i = 0; has_zeros && i < more; i++)
        print_add(p, "0", 1);
    print_add(p, text, bytes);
    print_fill(p, spec, has_zeros ? 0 : more - before);
}

/* ---- texts ---- */

/* With a precision the first so many characters. */
static void print_text(printer *p, const print_spec *spec, const char *text, size_t bytes)
{
    size_t end = 0;
    for (int32_t left = spec->precision; spec->precision >= 0 && end < bytes; end++) {
        left -= ((unsigned char)text[end] & 0xc0) != 0x80;
        if (left < 0)
            break;
    }
    print_padded(p, spec, "", 0, text, spec->precision < 0 ? bytes : end, '<');
}

/* ---- numbers ---- */

static unsigned print_base(char type)
{
    return type == 'x' || type == 'X' ? 16 : type == 'o' ? 8 : type == 'b' || type == 'B' ? 2 : 10;
}

/* Writes digits of a number to the end of `room`; returns where they begin. */
static char *print_digits(uint128 number, const print_spec *spec, char *end)
{
    const char *digits = spec->type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    unsigned base = print_base(spec->type), count = 0;
    do {
        if (spec->thousands && count && count % 3 == 0)
            *--end = spec->thousands;
        *--end = digits[(unsigned)(number % base)];
        number /= base;
        count++;
    } while (number);
    for (; (int32_t)count < spec->precision; count++)
        *--end = '0';
    return end;
}

static void print_integer(printer *p, const print_spec *spec, int128 number)
{
    char room[NUMBER_BYTES], prefix[4];
    size_t prefix_bytes = 0;
    bool wraps = number < 0 && spec->is_unsigned;
    uint128 magnitude = wraps ? (uint64_t)number : number < 0 ? -(uint128)number : (uint128)number;
    const char *start = print_digits(magnitude, spec, room + sizeof room);
    if (number < 0 && !wraps)
        prefix[prefix_bytes++] = '-';
    else if (spec->sign)
        prefix[prefix_bytes++] = spec->sign;
    if (spec->is_alternate && print_base(spec->type) != 10 && (number || !spec->is_unsigned)) {
        prefix[prefix_bytes++] = '0';
        if (spec->type != 'o')
            prefix[prefix_bytes++] = spec->type;
    }
    print_padded(p, spec, prefix, prefix_bytes, start, (size_t)(room + sizeof room - start), '>');
}

/* The text of a double without a letter: the shortest that reads back, with a point. */
static size_t print_plain_real(double number, char *text)
{
    size_t bytes = double_format(number, text);
    if (strspn(text, "0123456789") == bytes) {
        memcpy(text + bytes, ".0", 2);
        bytes += 2;
    }
    return bytes;
}

/* Puts a mark between each three digits before the point. */
static size_t print_group(char mark, const char *text, size_t bytes, char *out)
{
    size_t whole = strspn(text, "0123456789"), made = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (i && i < whole && (whole - i) % 3 == 0)
            out[made++] = mark;
        out[made++] = text[i];
    }
    return made;
}

static void print_real(printer *p, const print_spec *spec, double number)
{
    char text[NUMBER_BYTES], grouped[NUMBER_BYTES + NUMBER_BYTES / 3];
    char form[8] = {'%', '.', '*', spec->type ? spec->type : 'g', 0};
    double magnitude = fabs(number);
    int precision = spec->precision < 0 ? 6 : spec->precision;
    size_t bytes = spec->type || spec->precision >= 0
                       ? (size_t)snprintf(text, sizeof text, form, precision, magnitude)
                       : print_plain_real(magnitude, text);
    char sign = signbit(number) ? '-' : spec->sign;
    const char *start = text;
    if (spec->thousands) {
        text[bytes] = 0;
        bytes = print_group(spec->thousands, text, bytes, grouped);
        start = grouped;
    }
    print_padded(p, spec, &sign, sign != 0, start, bytes, '>');
}

static void print_character(printer *p, const print_spec *spec, int128 number)
{
    char text = number > 0 && number < 128 ? (char)number : '?';
    print_padded(p, spec, "", 0, &text, 1, '<');
}

/* ---- values ---- */

static status print_wrong_type(const print_spec *spec, const char *what)
{
    return status_new(STATUS_KIND_DATA, "\"%c\" in a format does not fit a %s", spec->type, what);
}

static bool print_is_real_letter(char type)
{
    return type && strchr("eEfFgG", type);
}

static bool print_is_integer_letter(char type)
{
    return type && strchr("dixXoubB", type);
}

static status print_whole(printer *p, const print_spec *spec, int128 number)
{
    if (print_is_real_letter(spec->type))
        print_real(p, spec, (double)number);
    else if (spec->type == 'c')
        print_character(p, spec, number);
    else if (!spec->type || spec->type == 's' || print_is_integer_letter(spec->type))
        print_integer(p, spec, number);
    else
        return print_wrong_type(spec, "whole number");
    return STATUS_OK;
}

static status print_boolean(printer *p, const print_spec *spec, bool boolean)
{
    const char *word = boolean ? "true" : "false";
    if (print_is_integer_letter(spec->type))
        return print_whole(p, spec, boolean);
    if (spec->type && spec->type != 's')
        return print_wrong_type(spec, "boolean");
    print_text(p, spec, word, strlen(word));
    return STATUS_OK;
}

static status print_value(printer *p, const print_spec *spec)
{
    const host_operand *x = &p->call->args[spec->arg + 1];
    uint64_t at = p->row * x->stride;
    switch (x->type.id) {
    case TYPE_BOOL:
        return print_boolean(p, spec, ((const uint64_t *)x->values)[at / 64] >> (at % 64) & 1);
    case TYPE_INT64:
        return print_whole(p, spec, ((const int64_t *)x->values)[at]);
    case TYPE_DECIMAL:
        return print_whole(p, spec, ((const int128 *)x->values)[at]);
    case TYPE_DOUBLE:
        if (spec->type && spec->type != 's' && !print_is_real_letter(spec->type))
            return print_wrong_type(spec, "double");
        print_spec plain = *spec;
        plain.type = spec->type == 's' ? 0 : spec->type;
        print_real(p, &plain, ((const double *)x->values)[at]);
        return STATUS_OK;
    default:
        break;
    }
    const string_view *text = (const string_view *)x->values + at;
    if (spec->type && spec->type != 's')
        return print_wrong_type(spec, "text");
    print_text(p, spec, string_data(text), text->bytes);
    return STATUS_OK;
}

static status print_check_arg(const printer *p, const print_reader *r, uint32_t arg)
{
    if (arg + 1 < p->call->arg_count)
        return STATUS_OK;
    return status_new(STATUS_KIND_DATA, "the format \"%.*s\" asks for value %u of %u",
                      (int)(r->bytes < 60 ? r->bytes : 60), r->format, arg + 1,
                      p->call->arg_count - 1);
}

/* Takes a width that is an argument; a negative one is to the left. */
static status print_take_width(const printer *p, const print_reader *r, print_spec *spec)
{
    if (!spec->width_is_arg)
        return STATUS_OK;
    TRY(print_check_arg(p, r, spec->width_arg));
    const host_operand *x = &p->call->args[spec->width_arg + 1];
    if (x->type.id != TYPE_INT64)
        return print_wrong_type(spec, "width that is not an integer");
    int64_t width = ((const int64_t *)x->values)[p->row * x->stride];
    if (width < -PRINT_WIDTH_MAX || width > PRINT_WIDTH_MAX)
        return status_new(STATUS_KIND_DATA, "a width of %lld in a format is out of range",
                          (long long)width);
    spec->align = width < 0 ? '<' : spec->align;
    spec->width = (int32_t)(width < 0 ? -width : width);
    return STATUS_OK;
}

/* ---- formats ---- */

static status print_place_of(printer *p, print_reader *r, const print_spec *read)
{
    print_spec spec = *read;
    TRY(print_take_width(p, r, &spec));
    TRY(print_check_arg(p, r, spec.arg));
    return print_value(p, &spec);
}

/* Goes through a format; `open` begins a place, twice it is itself. */
static status print_all(printer *p, print_reader *r, char open)
{
    print_spec spec;
    while (r->at < r->bytes) {
        char c = r->format[r->at++];
        bool is_close = open == '{' && c == '}';
        if (c != open && !is_close) {
            print_add(p, &c, 1);
        } else if (r->at < r->bytes && r->format[r->at] == c) {
            print_add(p, &c, 1);
            r->at++;
        } else if (is_close) {
            return status_new(STATUS_KIND_DATA, "the format \"%.*s\" has a } without its {",
                              (int)(r->bytes < 60 ? r->bytes : 60), r->format);
        } else {
            TRY(open == '%' ? print_read_percent(r, &spec) : print_read_braces(r, &spec));
            TRY(print_place_of(p, r, &spec));
        }
    }
    return STATUS_OK;
}

static status print_row(host_call *c, uint64_t row, char open)
{
    const string_view *format = host_text(c, 0, row);
    const print_reader start = {.format = string_data(format), .bytes = format->bytes};
    print_reader r = start;
    printer p = {.call = c, .row = row};
    TRY(print_all(&p, &r, open));
    TRY(host_put_room(c, p.bytes, &p.out));
    p.bytes = 0;
    r = start;
    TRY(print_all(&p, &r, open));
    host_put_filled(c, row, p.bytes);
    return STATUS_OK;
}

status host_printf(host_call *c, uint64_t row)
{
    return print_row(c, row, '%');
}

status host_format(host_call *c, uint64_t row)
{
    return print_row(c, row, '{');
}
