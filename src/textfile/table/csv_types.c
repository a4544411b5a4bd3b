/* csv_types.c - which types the texts of a column can be.
 *
 * A set of possible kinds for each value; those of all values are in all of the sets. */
#include "textfile/table/csv_types.h"

#include "base/text/moment_text.h"
#include "base/text/real_text.h"
#include "base/type/calendar.h"
#include "device/host/strptime.h"

/* The order is that of preference. */
typedef enum guess_kind {
    GUESS_BOOL,
    GUESS_INTEGER,
    GUESS_HUGE,
    GUESS_DOUBLE,
    GUESS_TIME,
    GUESS_DATE, /* 1995-03-15 */
    GUESS_TIMESTAMP,
    GUESS_TIMESTAMP_TZ,
    GUESS_FORMATS /* from here on: an order of day, month, year, and a form of the time behind it */
} guess_kind;

typedef enum date_order {
    ORDER_YMD2,
    ORDER_DMY,
    ORDER_MDY,
    ORDER_DMY2,
    ORDER_MDY2,
    ORDER_COUNT
} date_order;
typedef enum clock_form {
    CLOCK_NONE,
    CLOCK_MINUTES,
    CLOCK_SECONDS,
    CLOCK_FRACTION,
    CLOCK_HALF,
    CLOCK_COUNT
} clock_form;

#define BIT(kind) (UINT64_C(1) << (kind))
#define ALL_KINDS (BIT(GUESS_FORMATS + ORDER_COUNT * CLOCK_COUNT) - 1)

static const char *const order_formats[ORDER_COUNT] = {"%y#%m#%d", "%d#%m#%Y", "%m#%d#%Y",
                                                       "%d#%m#%y", "%m#%d#%y"};
static const char *const clock_formats[CLOCK_COUNT] = {"", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f",
                                                       " %I:%M:%S %p"};

/* ---- numbers and booleans ---- */

static bool is_word_of(text_scan s, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_scan at = s;
        if (scan_word(&at, words[i]) && scan_done(&at))
            return true;
    }
    return false;
}

/* An integer with leading zeros is a number of something else: a postal code, say. */
static uint64_t number_kinds(text_scan s)
{
    static const char *const specials[] = {"nan", "inf", "infinity"};
    text_scan digits = s;
    scan_char(&digits, '-');
    const char *first = digits.at;
    while (!scan_done(&digits) && scan_is_digit(*digits.at))
        digits.at++;
    size_t count = (size_t)(digits.at - first);
    if (count > 1 && *first == '0')
        return 0;
    int128 number;
    bool is_integer = count && scan_done(&digits);
    if (is_integer && int128_parse(s.at, (size_t)(s.end - s.at), &number)) {
        bool is_short = number == (int64_t)number;
        return (is_short ? BIT(GUESS_INTEGER) : 0) | BIT(GUESS_DOUBLE) |
               (count <= 38 ? BIT(GUESS_HUGE) : 0);
    }
    bool has_sign = !scan_done(&s) && *s.at == '+';
    if ((!has_sign && real_is_decimal(s)) ||
        is_word_of((text_scan){s.at + (s.at < s.end && *s.at == '-'), s.end}, specials, 3))
        return BIT(GUESS_DOUBLE);
    return 0;
}

/* ---- times ---- */

/* Digits, a separator, digits, the same separator, digits. */
typedef struct date_parts {
    int64_t number[3];
    size_t digits[3];
    char separator;
} date_parts;

static bool scan_date_parts(text_scan *s, date_parts *out)
{
    for (int i = 0; i < 3; i++) {
        const char *from = s->at;
        if (i && (scan_done(s) || !strchr("-/. ", *s->at) || (i == 2 && *s->at != out->separator)))
            return false;
        if (i)
            out->separator = *s->at++;
        from = s->at;
        if (!scan_digits(s, 1, i == 1 ? 2 : 4, &out->number[i]))
            return false;
        out->digits[i] = (size_t)(s->at - from);
    }
    return true;
}

/* The form of the time after a date; false: it is of another form. */
static bool scan_clock_form(text_scan *s, clock_form *out, bool *out_has_zone)
{
    int64_t clock, zone;
    *out_has_zone = false;
    *out = CLOCK_NONE;
    if (scan_done(s))
        return true;
    if (!scan_char(s, ' ') && !scan_char(s, 'T'))
        return false;
    const char *from = s->at;
    if (!scan_clock(s, 6, &clock))
        return false;
    size_t colons = 0;
    for (const char *at = from; at < s->at; at++) {
        colons += *at == ':';
        *out = *at == '.' ? CLOCK_FRACTION : *out;
    }
    if (scan_is_letter(s->at[-1]))
        *out = CLOCK_HALF;
    else if (*out != CLOCK_FRACTION)
        *out = colons == 1 ? CLOCK_MINUTES : CLOCK_SECONDS;
    return scan_zone(s, &zone, out_has_zone) && scan_done(s);
}

static bool is_day(int64_t year, int64_t month, int64_t day)
{
    int64_t days;
    return civil_to_days(year, month, day, false, &days);
}

static uint64_t order_kinds(const date_parts *d, clock_form clock)
{
    uint64_t kinds = 0;
    const int64_t *n = d->number;
    const size_t *l = d->digits;
    if (l[0] > 2 || (l[2] != 2 && l[2] != 4))
        return 0;
    int64_t year = l[2] == 4 ? n[2] : 2000 + n[2];
    date_order dmy = l[2] == 4 ? ORDER_DMY : ORDER_DMY2, mdy = l[2] == 4 ? ORDER_MDY : ORDER_MDY2;
    if (is_day(year, n[1], n[0]))
        kinds |= BIT(GUESS_FORMATS + (unsigned)dmy * CLOCK_COUNT + (unsigned)clock);
    if (is_day(year, n[0], n[1]))
        kinds |= BIT(GUESS_FORMATS + (unsigned)mdy * CLOCK_COUNT + (unsigned)clock);
    if (l[2] == 2 && l[0] == 2 && is_day(2000 + n[0], n[1], n[2]))
        kinds |= BIT(GUESS_FORMATS + ORDER_YMD2 * CLOCK_COUNT + (unsigned)clock);
    return kinds;
}

static uint64_t time_kinds(text_scan s, char *separator)
{
    date_parts d = {.separator = '\0'};
    clock_form clock;
    bool has_zone;
    int64_t ignored;
    text_scan at = s;
    if (scan_clock(&at, 6, &ignored) && scan_done(&at))
        return BIT(GUESS_TIME);
    if (!scan_date_parts(&s, &d) || !scan_clock_form(&s, &clock, &has_zone) ||
        (*separator && *separator != d.separator))
        return 0;
    *separator = d.separator;
    if (d.digits[0] != 4)
        return has_zone ? 0 : order_kinds(&d, clock);
    if (d.digits[2] > 2 || d.separator == ' ' || !is_day(d.number[0], d.number[1], d.number[2]))
        return 0;
    return has_zone              ? BIT(GUESS_TIMESTAMP_TZ)
           : clock == CLOCK_NONE ? BIT(GUESS_DATE) | BIT(GUESS_TIMESTAMP)
                                 : BIT(GUESS_TIMESTAMP);
}

/* ---- a column ---- */

/* Returns what a text can be by the formats that the user says. */
static uint64_t said_kinds(const csv_guess *guess, text_scan s)
{
    const char *const formats[] = {guess->date_format, guess->timestamp_format};
    static const guess_kind kinds[] = {GUESS_DATE, GUESS_TIMESTAMP};
    int64_t ignored;
    for (int i = 0; i < 2; i++)
        if (formats[i] &&
            strptime_text(s.at, (size_t)(s.end - s.at), formats[i], strlen(formats[i]), &ignored))
            return BIT(kinds[i]);
    return 0;
}

static uint64_t kinds_of(const csv_guess *guess, const char *text, size_t bytes, char *separator)
{
    static const char *const booleans[] = {"true", "false", "t", "f", "yes", "no"};
    text_scan s = scan_trimmed(text, bytes);
    if (scan_done(&s))
        return 0;
    if (!scan_is_digit(*s.at) && is_word_of(s, booleans, 6))
        return BIT(GUESS_BOOL);
    uint64_t said = said_kinds(guess, s);
    if (said)
        return said;
    bool is_negative;
    uint64_t kinds = number_kinds(s);
    if (scan_infinity(text, bytes, &is_negative)) /* a number among numbers, a date among dates */
        return kinds | BIT(GUESS_DATE) | BIT(GUESS_TIMESTAMP) | BIT(GUESS_TIMESTAMP_TZ);
    return kinds || !scan_is_digit(*s.at) ? kinds : time_kinds(s, separator);
}

void csv_guess_add(csv_guess *guess, const char *text, size_t bytes)
{
    guess->has_values = true;
    if (guess->refused != ALL_KINDS)
        guess->refused |= ALL_KINDS & ~kinds_of(guess, text, bytes, &guess->separator);
}

void csv_guess_add_of(csv_guess *guess, csv_guess_class class, const char *text, size_t bytes)
{
    static const uint64_t numbers = BIT(GUESS_INTEGER) | BIT(GUESS_HUGE) | BIT(GUESS_DOUBLE);
    static const uint64_t kept[] = {[GUESS_OF_BOOL] = BIT(GUESS_BOOL),
                                    [GUESS_OF_NUMBER] = numbers,
                                    [GUESS_OF_TEXT] = ALL_KINDS & ~(numbers | BIT(GUESS_BOOL)),
                                    [GUESS_OF_OTHER] = 0};
    csv_guess_add(guess, text, bytes);
    guess->refused |= ALL_KINDS & ~kept[class];
}

void csv_guess_unite(csv_guess *guess, const csv_guess *from)
{
    bool differs = guess->separator && from->separator && guess->separator != from->separator;
    guess->has_values |= from->has_values;
    guess->refused |= from->refused | (differs ? ALL_KINDS : 0);
    guess->separator = guess->separator ? guess->separator : from->separator;
}

bool csv_guess_fits(const csv_guess *guess, const char *text, size_t bytes)
{
    char separator = guess->separator;
    uint64_t left = ALL_KINDS & ~guess->refused;
    return !guess->has_values || !left || kinds_of(guess, text, bytes, &separator) & (left & -left);
}

static status format_of(arena *a, const csv_guess *guess, unsigned kind, data_type *out,
                        const char **out_format)
{
    unsigned order = (kind - GUESS_FORMATS) / CLOCK_COUNT;
    unsigned clock = (kind - GUESS_FORMATS) % CLOCK_COUNT;
    char *format = arena_format(a, "%s%s", order_formats[order], clock_formats[clock]);
    if (!format)
        return status_no_memory("csv", sizeof order_formats);
    for (char *at = format; *at; at++)
        *at = *at == '#' ? guess->separator : *at;
    *out_format = format;
    *out = type_make(clock == CLOCK_NONE ? TYPE_DATE : TYPE_TIMESTAMP);
    return STATUS_OK;
}

status csv_guess_type(arena *a, const csv_guess *guess, data_type *out, const char **out_format)
{
    static const type_id types[GUESS_FORMATS] = {
        [GUESS_BOOL] = TYPE_BOOL,           [GUESS_INTEGER] = TYPE_INT64,
        [GUESS_HUGE] = TYPE_DECIMAL,        [GUESS_DOUBLE] = TYPE_DOUBLE,
        [GUESS_TIME] = TYPE_TIME,           [GUESS_DATE] = TYPE_DATE,
        [GUESS_TIMESTAMP] = TYPE_TIMESTAMP, [GUESS_TIMESTAMP_TZ] = TYPE_TIMESTAMP_TZ};
    uint64_t left = ALL_KINDS & ~guess->refused;
    *out_format = NULL;
    *out = type_make(TYPE_VARCHAR);
    if (!guess->has_values || !left)
        return STATUS_OK;
    unsigned kind = (unsigned)__builtin_ctzll(left);
    if (kind >= GUESS_FORMATS)
        return format_of(a, guess, kind, out, out_format);
    *out = kind == GUESS_HUGE ? type_decimal(38, 0) : type_make(types[kind]);
    return STATUS_OK;
}
