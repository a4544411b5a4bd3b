/* format_number.c - to_char of numbers by PostgreSQL's formats.
 *
 *     9,990.99    a place for each digit; places before the first digit that is shown are spaces, and the
 *                 sign stands in front of that, or of the point
 *
 * Numbers are rounded half away from zero to the places behind the point; what has more digits before it than there
 * are places is #. */
#include "device/host/host.h"
#include "device/host/number_format.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

#define DIGITS_BYTES 600     /* those of the largest double and of all places */
#define SIGNIFICANT_MAX 15   /* of a double */
#define ROMAN_BYTES 15       /* with spaces in front */
#define OUTPUT_BYTES_MORE 64 /* than two for each word: signs, exponent, one numeral */

/* A number, not negative: its digits, of which the last `scale` are behind the point. */
typedef struct digits {
    bool is_negative, is_finite;
    char text[DIGITS_BYTES];
    size_t count, scale;
} digits;

typedef struct output {
    const number_format *format;
    const digits *number;
    char *at;
    size_t blanks;     /* places before the first digit that is shown */
    size_t first;      /* of the number's digits, the one at place `blanks` */
    size_t kept;       /* places behind the point that are shown */
    size_t place;      /* the next one */
    bool is_overflown; /* # */
    bool has_sign;     /* it was written */
    bool is_in;        /* what was written last was a digit */
} output;

/* ---- digits ---- */

static void read_double(double number, size_t scale, digits *out)
{
    size_t kept = 0;
    int whole = snprintf(out->text, sizeof out->text, "%.0f", fabs(number));
    size_t most = whole < SIGNIFICANT_MAX ? (size_t)(SIGNIFICANT_MAX - whole) : 0;
    out->scale = scale < most ? scale : most;
    snprintf(out->text, sizeof out->text, "%.*f", (int)out->scale, fabs(number));
    for (const char *c = out->text; *c; c++)
        if (*c != '.')
            out->text[kept++] = *c;
    out->count = kept;
}

static void read_number(const host_call *c, uint64_t row, size_t scale, digits *out)
{
    const host_operand *x = &c->args[0];
    uint64_t at = row * x->stride;
    char text[INT128_TEXT_BYTES];
    *out = (digits){.is_finite = true};
    if (x->type.id == TYPE_DOUBLE) {
        double number = ((const double *)x->values)[at];
        out->is_negative = number < 0;
        out->is_finite = isfinite(number);
        if (out->is_finite)
            read_double(number, scale, out);
        return;
    }
    int128 number =
        x->type.width == 16 ? ((const int128 *)x->values)[at] : ((const int64_t *)x->values)[at];
    int128_format(number, 0, text);
    out->is_negative = number < 0;
    out->scale = x->type.scale;
    out->count = strlen(text) - out->is_negative;
    memcpy(out->text, text + out->is_negative, out->count);
}

/* One more than the digits say: in front of them, where all are 9. */
static void carry(digits *d)
{
    size_t i = d->count;
    while (i > 0 && d->text[i - 1] == '9')
        d->text[--i] = '0';
    if (i > 0) {
        d->text[i - 1]++;
        return;
    }
    memmove(d->text + 1, d->text, d->count++);
    d->text[0] = '1';
}

/* To so many digits behind the point, one before it at least. */
static void round_digits(digits *d, size_t scale)
{
    while (d->count <= d->scale && d->count + 1 < DIGITS_BYTES) {
        memmove(d->text + 1, d->text, d->count++);
        d->text[0] = '0';
    }
    for (; d->scale < scale && d->count + 1 < DIGITS_BYTES; d->scale++)
        d->text[d->count++] = '0';
    if (d->scale <= scale)
        return;
    size_t dropped = d->scale - scale;
    d->count -= dropped;
    d->scale = scale;
    bool goes_up = d->text[d->count] >= '5';
    if (goes_up)
        carry(d);
}

static bool is_zero(const digits *d)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->text[i] != '0')
            return false;
    return true;
}

/* ---- words ---- */

static void put(output *o, char c)
{
    *o->at++ = c;
}

static void put_text(output *o, const char *text)
{
    while (*text)
        put(o, *text++);
}

/* In front of the first digit that is shown. */
static void put_sign(output *o)
{
    const number_format *f = o->format;
    bool is_negative = o->number->is_negative;
    if (o->has_sign)
        return;
    o->has_sign = true;
    if (f->has_sign || f->is_trailing_sign)
        return;
    if (f->is_leading_sign)
        put(o, is_negative ? '-' : '+');
    else if (is_negative)
        put(o, f->has_brackets ? '<' : '-');
    else if (!f->is_bare)
        put(o, ' ');
}

static void put_sign_behind(output *o)
{
    const number_format *f = o->format;
    bool is_negative = o->number->is_negative;
    if (f->is_trailing_sign)
        put(o, is_negative ? '-' : '+');
    else if (f->has_brackets && is_negative)
        put(o, '>');
    else if (f->has_brackets && !f->is_bare)
        put(o, ' ');
}

static void put_digit(output *o)
{
    const number_format *f = o->format;
    size_t place = o->place++;
    bool is_blank = place < o->blanks, is_cut = place >= f->whole + o->kept;
    o->is_in = !is_blank;
    if (is_blank && !f->is_bare)
        put(o, ' ');
    if (!is_blank && !is_cut) {
        put_sign(o);
        put(o, o->is_overflown ? '#' : o->number->text[o->first + place - o->blanks]);
    }
    if (place + 1 == f->whole + f->fraction)
        put_sign_behind(o);
}

static void put_group(output *o)
{
    if (o->is_in)
        put(o, ',');
    else if (!o->format->is_bare)
        put(o, ' ');
}

static void put_named_sign(output *o, bool is_there, char sign)
{
    if (is_there)
        put(o, sign);
    else if (!o->format->is_bare)
        put(o, ' ');
}

static void put_ordinal(output *o, char letters)
{
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    const digits *d = o->number;
    if (d->is_negative || o->format->has_point || o->is_overflown || o->format->is_roman)
        return;
    int last = d->text[d->count - 1] - '0';
    bool is_teen = d->count > 1 && d->text[d->count - 2] == '1';
    for (const char *c = endings[last > 3 || is_teen ? 0 : last]; *c; c++)
        put(o, letters == 'A' ? (char)toupper((unsigned char)*c) : *c);
}

/* Of 1 to 3999. */
static void put_roman(output *o, char letters)
{
    static const struct {
        int number;
        const char *text;
    } numerals[] = {{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"},
                    {90, "XC"},  {50, "L"},   {40, "XL"}, {10, "X"},   {9, "IX"},
                    {5, "V"},    {4, "IV"},   {1, "I"}};
    const digits *d = o->number;
    char text[ROMAN_BYTES + 2] = "";
    size_t bytes = 0;
    int number = 0;
    for (size_t i = 0; d->is_finite && !d->is_negative && i < d->count && number < 4000; i++)
        number = number * 10 + (d->text[i] - '0');
    if (number < 1 || number > 3999) {
        put_text(o, "###############");
        return;
    }
    for (size_t i = 0; i < sizeof numerals / sizeof *numerals; i++)
        for (; number >= numerals[i].number; number -= numerals[i].number)
            for (const char *c = numerals[i].text; *c; c++)
                text[bytes++] = *c;
    for (size_t i = bytes; i < ROMAN_BYTES && !o->format->is_bare; i++)
        put(o, ' ');
    for (const char *c = text; *c; c++)
        put(o, letters == 'A' ? *c : (char)tolower((unsigned char)*c));
}

static void put_word(output *o, const number_word *w)
{
    bool is_negative = o->number->is_negative;
    switch (w->kind) {
    case NUMBER_TEXT:
    case NUMBER_CURRENCY:
        put(o, w->letter);
        break;
    case NUMBER_DIGIT:
        if (!o->format->is_roman)
            put_digit(o);
        break;
    case NUMBER_POINT:
        put_sign(o);
        put(o, '.');
        o->is_in = false;
        break;
    case NUMBER_GROUP:
        put_group(o);
        break;
    case NUMBER_MINUS:
        put_named_sign(o, is_negative, '-');
        break;
    case NUMBER_PLUS:
        o->has_sign |= !is_negative;
        put_named_sign(o, !is_negative, '+');
        break;
    case NUMBER_SIGN:
        put(o, is_negative ? '-' : '+');
        break;
    case NUMBER_ORDINAL:
        put_ordinal(o, w->letter);
        break;
    case NUMBER_ROMAN:
        put_roman(o, w->letter);
    }
}

/* ---- the number in its places ---- */

/* Behind the point what is not 0, and what a 0 of the format wants; without FM all. */
static size_t kept_places(const number_format *f, const digits *d)
{
    size_t kept = f->fraction, least = f->last_zero > f->whole ? f->last_zero - f->whole : 0;
    while (f->is_bare && kept > least && d->text[d->count - f->fraction + kept - 1] == '0')
        kept--;
    return kept;
}

/* The number's digits are as many behind the point as the format's. */
static void place_digits(output *o)
{
    const number_format *f = o->format;
    const digits *d = o->number;
    size_t zeros = 0, whole = d->count - f->fraction;
    while (zeros + 1 < whole && d->text[zeros] == '0')
        zeros++;
    o->kept = kept_places(f, d);
    size_t shown = whole - zeros;
    /* " .1" of 9.9; but "0." of FM9.9, and where there are no places behind the point */
    bool is_hidden = d->text[zeros] == '0' && f->fraction && f->first_zero == f->whole && o->kept;
    if (is_hidden || (d->text[zeros] == '0' && !f->whole))
        shown = 0;
    o->is_overflown = shown > f->whole;
    o->blanks = o->is_overflown ? 0 : f->whole - shown;
    o->first = whole - shown;
}

/* Zeros in front, up to the format's first 0. */
static void add_zeros(output *o, digits *d)
{
    for (; o->blanks > o->format->first_zero && !o->is_overflown; o->blanks--) {
        if (o->first > 0) {
            o->first--;
            continue;
        }
        memmove(d->text + 1, d->text, d->count++);
        d->text[0] = '0';
    }
}

static void format_number(const number_format *f, digits *d, output *o)
{
    if (d->is_finite) {
        round_digits(d, f->fraction);
        place_digits(o);
        add_zeros(o, d);
    } else {
        o->is_overflown = true;
        o->kept = f->fraction;
    }
    for (size_t i = 0; i < f->words.count; i++)
        put_word(o, &f->words.items[i]);
}

/* 1.23e+04 */
static void format_scientific(const number_format *f, digits *d, output *o)
{
    size_t zeros = 0;
    while (zeros + 1 < d->count && d->text[zeros] == '0')
        zeros++;
    d->count -= zeros;
    memmove(d->text, d->text + zeros, d->count);
    int exponent = d->text[0] == '0' ? 0 : (int)d->count - (int)d->scale - 1;
    size_t wanted = 1 + f->fraction, before = d->count;
    d->scale = d->count > wanted ? d->count - wanted : 0;
    round_digits(d, 0);
    exponent += before > wanted && d->count > wanted; /* 9.99 became 10.0 */
    put(o, d->is_negative ? '-' : ' ');
    for (size_t i = 0; i < wanted; i++) {
        if (i == 1)
            put(o, '.');
        put(o, i < d->count ? d->text[i] : '0');
    }
    o->at += snprintf(o->at, 8, "e%+03d", exponent);
}

/* ---- the function ---- */

static status plan(host_function function, host_constants args, uint32_t arg_count, arena *memory,
                   const void **out)
{
    (void)function, (void)arg_count;
    if (!args[1])
        return STATUS_OK;
    number_format *format = arena_alloc(memory, sizeof *format);
    if (!format)
        return status_no_memory("format", sizeof *format);
    *out = format;
    return number_format_parse(args[1]->text, args[1]->bytes, memory, format);
}

const host_function_ops host_to_char_number_ops = {.plan = plan};

static status put_formatted(host_call *c, uint64_t row, const number_format *f)
{
    digits d;
    char *room;
    size_t scale = f->is_scientific ? SIGNIFICANT_MAX : f->fraction + f->shift;
    TRY(host_put_room(c, f->words.count * 2 + OUTPUT_BYTES_MORE, &room));
    read_number(c, row, scale, &d);
    output o = {.format = f, .number = &d, .at = room};
    if (f->is_scientific && d.is_finite) {
        format_scientific(f, &d, &o);
    } else {
        if (d.is_finite && c->args[0].type.id != TYPE_DOUBLE)
            round_digits(&d, scale);
        d.is_negative &= c->args[0].type.id == TYPE_DOUBLE || !is_zero(&d);
        /* Those behind V count as whole ones. */
        for (; d.is_finite && d.scale < scale && d.count < DIGITS_BYTES - 1; d.scale++)
            d.text[d.count++] = '0';
        d.scale = f->fraction;
        format_number(f, &d, &o);
    }
    host_put_filled(c, row, (size_t)(o.at - room));
    return STATUS_OK;
}

status host_to_char_number(host_call *c, uint64_t row)
{
    number_format own;
    const string_view *format = host_text(c, 1, row);
    if (c->plan)
        return put_formatted(c, row, c->plan);
    status st = number_format_parse(string_data(format), format->bytes, NULL, &own);
    if (!st)
        st = put_formatted(c, row, &own);
    array_release(&own.words);
    return st;
}
