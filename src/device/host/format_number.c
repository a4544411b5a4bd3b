/* format_number.c - to_char of numbers by PostgreSQL's formats.
 *
 *     9,990.99    a place for each digit; places before the first digit that is shown are spaces, and the
 *                 sign stands in front of that, or of the point
 *
 * Numbers are rounded half away from zero to the places behind the point; what has more digits before it than there
 * are places is #. The places are walked as PostgreSQL's formatting.c does, digit by digit. */
#include "device/host/host.h"
#include "device/host/number_format.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

#define DIGITS_BYTES 700     /* those of the largest double and of all places */
#define ROMAN_BYTES 15       /* with spaces in front */
#define OUTPUT_BYTES_MORE 64 /* than two for each word: signs, exponent, numerals */

/* A number, not negative: its digits, of which the last `scale` are behind the point. */
typedef struct digits {
    bool is_negative;
    char text[DIGITS_BYTES];
    size_t count, scale;
} digits;

/* The text of a number without sign, 12.50, and the words' way along it. */
typedef struct output {
    number_format format; /* the row's own: numbers may have fewer places behind the point */
    char number[DIGITS_BYTES + 2];
    const char *next, *last;           /* of `number`; the last character that FM leaves, or NULL */
    bool is_negative, has_sign, is_in; /* the sign was written; what was written last was a digit */
    size_t blanks;                     /* places before the number's */
    size_t places, place;
    char *at;
    bool has_failed;
} output;

/* ---- digits ---- */

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

static void format_number_read_digits(int128 number, unsigned scale, digits *out)
{
    char text[INT128_TEXT_BYTES];
    size_t bytes = int128_format(number, 0, text);
    *out = (digits){.is_negative = number < 0, .scale = scale};
    out->count = bytes - out->is_negative;
    memcpy(out->text, text + out->is_negative, out->count);
}

/* ---- the number as text ---- */

/* Moves the digits that V asks for in front of the point, then rounds. */
static void exact_text(output *o, digits *d)
{
    size_t shift = o->format.shift, scale = o->format.fraction;
    for (; d->scale < shift && d->count + 1 < DIGITS_BYTES; d->scale++)
        d->text[d->count++] = '0';
    d->scale -= shift;
    round_digits(d, scale);
    size_t zeros = 0, whole = d->count - scale;
    while (zeros + 1 < whole && d->text[zeros] == '0')
        zeros++;
    o->is_negative = d->is_negative && !is_zero(d);
    snprintf(o->number, sizeof o->number, "%.*s%s%.*s", (int)(whole - zeros), d->text + zeros,
             scale ? "." : "", (int)scale, d->text + whole);
}

/* With at most as many digits as a double, or a real, has. */
static void double_text(output *o, double number, int most)
{
    char text[DIGITS_BYTES + 2];
    double shifted = number * pow(10, o->format.shift);
    if (!isfinite(shifted)) {
        o->is_negative = shifted < 0;
        snprintf(o->number, sizeof o->number, "%s", isnan(shifted) ? "NaN" : "Infinity");
        return;
    }
    int whole = snprintf(text, sizeof text, "%.0f", fabs(shifted));
    int fraction = (int)o->format.fraction;
    if (whole >= most)
        fraction = 0;
    else if (whole + fraction > most)
        fraction = most - whole;
    o->format.fraction = (unsigned)fraction;
    snprintf(text, sizeof text, "%.*f", fraction, shifted);
    o->is_negative = text[0] == '-';
    snprintf(o->number, sizeof o->number, "%s", text + o->is_negative);
}

/* Blanks in front, or # where there are too few places. */
static void fit_places(output *o)
{
    const number_format *f = &o->format;
    size_t whole = strcspn(o->number, ".");
    o->format.whole += f->shift;
    if (whole < f->whole) {
        o->blanks = f->whole - whole;
    } else if (whole > f->whole) {
        size_t bytes = f->whole + f->fraction + 1u;
        memset(o->number, '#', bytes);
        o->number[f->whole] = '.';
        o->number[bytes] = '\0';
    }
}

/* ---- words ---- */

static void format_number_put(output *o, char c)
{
    *o->at++ = c;
}

static void put_filler(output *o)
{
    if (!o->format.is_bare)
        format_number_put(o, ' ');
}

/* " .1" of 9.9 */
static bool hides_zero(const output *o)
{
    return !o->format.has_zero && o->next == o->number && o->number[0] == '0' &&
           o->format.fraction != 0;
}

/* In front of the first digit that is shown. */
static void put_sign(output *o)
{
    const number_format *f = &o->format;
    bool is_there = o->place >= o->blanks || (f->has_zero && f->first_zero == o->place);
    bool is_point_last = o->last && *o->last == '.';
    if (o->has_sign || !is_there || (hides_zero(o) && !is_point_last))
        return;
    if (f->has_sign && f->is_trailing_sign)
        return;
    o->has_sign = true;
    if (f->has_sign)
        format_number_put(o, o->is_negative ? '-' : '+');
    else if (f->has_brackets)
        format_number_put(o, o->is_negative ? '<' : ' ');
    else if (o->is_negative)
        format_number_put(o, '-');
    else
        put_filler(o);
}

static void put_character(output *o, number_word_kind kind)
{
    bool is_point_last = o->last && *o->last == '.';
    if (*o->next == '.') {
        if (!is_point_last || o->format.is_bare)
            format_number_put(o, '.');
    } else if (o->last && o->next > o->last && kind != NUMBER_ZERO) {
        ; /* FM has cut it */
    } else if (hides_zero(o)) {
        if (o->format.is_bare && is_point_last)
            format_number_put(o, '0');
        else
            put_filler(o);
    } else {
        format_number_put(
            o, *o->next); /* behind the number's end: of the text as well, as in PostgreSQL */
        o->is_in = true;
    }
    o->next += *o->next != '\0';
}

/* Brackets, or the sign, behind the last place. */
static void put_end(output *o)
{
    const number_format *f = &o->format;
    size_t end = o->places + (o->blanks ? 1 : 0) + f->has_point;
    if (o->last && o->last == o->next)
        end = o->place;
    if (o->place + 1 != end)
        return;
    if (o->has_sign && f->has_brackets)
        format_number_put(o, o->is_negative ? '>' : ' ');
    else if (f->has_sign && f->is_trailing_sign)
        format_number_put(o, o->is_negative ? '-' : '+');
}

/* A place of a digit, or the point. */
static void put_place(output *o, number_word_kind kind)
{
    const number_format *f = &o->format;
    if (f->is_roman)
        return;
    o->is_in = false;
    put_sign(o);
    if (o->place >= o->blanks) {
        put_character(o, kind);
    } else if (f->has_zero && f->first_zero <= o->place) {
        format_number_put(o, '0');
        o->is_in = true;
    } else {
        put_filler(o);
    }
    put_end(o);
    o->place++;
}

static void format_number_put_ordinal(output *o, char letters)
{
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    size_t bytes = strlen(o->number);
    if (o->is_negative || o->format.has_point || o->number[0] == '#' || o->format.is_roman)
        return;
    char last = bytes ? o->number[bytes - 1] : '\0';
    if (!isdigit((unsigned char)last)) {
        o->has_failed = true;
        return;
    }
    bool is_teen = bytes > 1 && o->number[bytes - 2] == '1';
    for (const char *c = endings[last > '3' || is_teen ? 0 : last - '0']; *c; c++)
        format_number_put(o, letters == 'A' ? (char)toupper((unsigned char)*c) : *c);
}

static void put_roman(output *o, char letters)
{
    for (size_t i = strlen(o->number); i < ROMAN_BYTES && !o->format.is_bare; i++)
        format_number_put(o, ' ');
    for (const char *c = o->number; *c; c++)
        format_number_put(o, letters == 'A' ? *c : (char)tolower((unsigned char)*c));
}

static void put_named_sign(output *o, bool is_there, char sign)
{
    if (is_there)
        format_number_put(o, sign);
    else
        put_filler(o);
}

static void format_number_put_word(output *o, const number_word *w)
{
    bool is_negative = o->is_negative, is_roman = o->format.is_roman;
    switch (w->kind) {
    case NUMBER_TEXT:
    case NUMBER_CURRENCY:
        format_number_put(o, w->letter);
        break;
    case NUMBER_DIGIT:
    case NUMBER_ZERO:
    case NUMBER_POINT:
        put_place(o, w->kind);
        break;
    case NUMBER_GROUP:
        if (o->is_in)
            format_number_put(o, ',');
        else
            put_filler(o);
        break;
    case NUMBER_MINUS:
        put_named_sign(o, is_negative, '-');
        break;
    case NUMBER_PLUS:
        put_named_sign(o, !is_negative && !is_roman, '+');
        break;
    case NUMBER_SIGN:
        format_number_put(o, is_roman ? '\0' : is_negative ? '-' : '+');
        break;
    case NUMBER_ORDINAL:
        format_number_put_ordinal(o, w->letter);
        break;
    case NUMBER_ROMAN:
        put_roman(o, w->letter);
    }
}

/* ---- the number in its places ---- */

/* FM cuts zeros behind the point that the format has no 0 for. */
static void find_last(output *o)
{
    const number_format *f = &o->format;
    const char *point = strchr(o->number, '.');
    if (!f->is_bare || !f->has_point || !point)
        return;
    o->last = point;
    for (const char *c = point + 1; *c; c++)
        if (*c != '0')
            o->last = c;
    if (f->last_zero > o->blanks) {
        size_t zero = f->last_zero - o->blanks, most = strlen(o->number) - 1;
        const char *kept = o->number + (zero < most ? zero : most);
        o->last = o->last < kept ? kept : o->last;
    }
}

static void put_words(output *o)
{
    number_format *f = &o->format;
    if (f->has_plus || f->has_minus) {
        o->has_sign = f->has_minus;
    } else {
        if (!o->is_negative && f->is_bare)
            f->has_brackets = false;
        o->has_sign = !o->is_negative && f->is_bare && !f->has_sign;
        if (f->has_sign && f->whole == f->before_sign)
            f->is_trailing_sign = true;
    }
    find_last(o);
    o->next = o->number;
    o->places = f->whole + f->fraction - 1u + (!o->has_sign && o->blanks == 0);
    for (size_t i = 0; i < f->words.count; i++)
        format_number_put_word(o, &f->words.items[i]);
}

/* Writes a number from 1 to 3999. */
static void roman_text(int64_t number, char *out)
{
    static const struct {
        int number;
        const char *text;
    } numerals[] = {{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"},
                    {90, "XC"},  {50, "L"},   {40, "XL"}, {10, "X"},   {9, "IX"},
                    {5, "V"},    {4, "IV"},   {1, "I"}};
    if (number < 1 || number > 3999) {
        memset(out, '#', ROMAN_BYTES);
        out[ROMAN_BYTES] = '\0';
        return;
    }
    for (size_t i = 0; i < sizeof numerals / sizeof *numerals; i++)
        for (; number >= numerals[i].number; number -= numerals[i].number)
            for (const char *c = numerals[i].text; *c; c++)
                *out++ = *c;
    *out = '\0';
}

/* 1.23e+04 of a decimal, rounded half away from zero. */
static void scientific_text(output *o, digits *d)
{
    size_t zeros = 0;
    while (zeros + 1 < d->count && d->text[zeros] == '0')
        zeros++;
    d->count -= zeros;
    memmove(d->text, d->text + zeros, d->count);
    int exponent = d->text[0] == '0' ? 0 : (int)d->count - (int)d->scale - 1;
    size_t wanted = 1 + o->format.fraction, before = d->count;
    d->scale = d->count > wanted ? d->count - wanted : 0;
    round_digits(d, 0);
    exponent += before > wanted && d->count > wanted; /* 9.99 became 10.0 */
    format_number_put(o, d->is_negative ? '-' : ' ');
    for (size_t i = 0; i < wanted; i++) {
        if (i == 1)
            format_number_put(o, '.');
        format_number_put(o, i < d->count ? d->text[i] : '0');
    }
    o->at += snprintf(o->at, 8, "e%+03d", exponent);
}

static void scientific_double(output *o, double number)
{
    const number_format *f = &o->format;
    if (isfinite(number)) {
        o->at += snprintf(o->at, f->fraction + 16u, "%+.*e", (int)f->fraction, number);
        return;
    }
    size_t bytes = f->whole + f->fraction + 6u;
    memset(o->at, '#', bytes);
    o->at[0] = ' ';
    o->at[f->whole + 1u] = '.';
    o->at += bytes;
}

/* ---- the function ---- */

static status format_number_plan(host_function function, host_constants args, uint32_t arg_count,
                                 arena *memory, const void **out)
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

const host_function_ops host_to_char_number_ops = {.plan = format_number_plan};

static status put_double(output *o, double number, int most)
{
    if (o->format.is_roman) {
        double whole = rint(number);
        roman_text(whole >= 1 && whole < 4000 ? (int64_t)whole : 0, o->number);
        o->is_negative = false;
    } else if (o->format.is_scientific) {
        char *first = o->at;
        scientific_double(o, number);
        *first = *first == '+' ? ' ' : *first;
        return STATUS_OK;
    } else {
        double_text(o, number, most);
        fit_places(o);
    }
    put_words(o);
    return STATUS_OK;
}

static status put_exact(output *o, int128 number, data_type type)
{
    digits d;
    if (o->format.is_scientific && type.id != TYPE_DECIMAL)
        return put_double(o, (double)number, DBL_DIG);
    format_number_read_digits(number, type.scale, &d);
    if (o->format.is_roman) {
        round_digits(&d, 0);
        int64_t whole = 0;
        for (size_t i = 0; !d.is_negative && i < d.count && whole < 4000; i++)
            whole = whole * 10 + (d.text[i] - '0');
        roman_text(whole, o->number);
    } else if (o->format.is_scientific) {
        scientific_text(o, &d);
        return STATUS_OK;
    } else {
        exact_text(o, &d);
        fit_places(o);
    }
    put_words(o);
    return STATUS_OK;
}

static status put_formatted(host_call *c, uint64_t row, const number_format *f)
{
    const host_operand *x = &c->args[0];
    uint64_t at = row * x->stride;
    char *room;
    TRY(host_put_room(c,
                      f->words.count * (f->is_roman ? ROMAN_BYTES : 2) + f->fraction + f->whole +
                          OUTPUT_BYTES_MORE,
                      &room));
    output o = {.format = *f, .at = room};
    if (f->is_roman) { /* signs and places say nothing beside it */
        o.format.has_sign = o.format.has_minus = o.format.has_plus = o.format.has_brackets = false;
        o.format.whole = o.format.fraction = o.format.shift = 0;
    }
    status st;
    if (x->type.id == TYPE_DOUBLE)
        st = put_double(&o, ((const double *)x->values)[at], DBL_DIG);
    else if (x->type.id == TYPE_FLOAT)
        st = put_double(&o, ((const float *)x->values)[at], FLT_DIG);
    else if (x->type.width == 16)
        st = put_exact(&o, ((const int128 *)x->values)[at], x->type);
    else
        st = put_exact(&o, ((const int64_t *)x->values)[at], x->type);
    if (!st && o.has_failed)
        st = status_new(STATUS_KIND_DATA, "\"%s\" is not a number that TH can follow", o.number);
    if (!st)
        host_put_filled(c, row, strnlen(room, (size_t)(o.at - room)));
    return st;
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
