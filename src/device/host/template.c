/* template.c - reading formats of dates and times word by word: the longest name that fits. */
#include "device/host/template.h"

#include "device/value/text_part.h"

#include <stdint.h>

/* Words of a format, in capitals. Small letters are the same word; names of months and days may also be written like This. */
static const struct {
    const char *name;
    uint8_t bytes;
    template_field field;
    unsigned digits;
} words[] = {
#define WORD(name, field, digits)                                                                  \
    {                                                                                              \
        name, sizeof name - 1, TEMPLATE_##field, digits                                            \
    }
    WORD("HH12", HOUR_12, 2),     WORD("HH24", HOUR_24, 2),
    WORD("HH", HOUR_12, 2),       WORD("MI", MINUTE, 2),
    WORD("SSSSS", DAY_SECOND, 0), WORD("SSSS", DAY_SECOND, 0),
    WORD("SS", SECOND, 2),        WORD("MS", FRACTION, 3),
    WORD("US", FRACTION, 6),      WORD("FF1", FRACTION, 1),
    WORD("FF2", FRACTION, 2),     WORD("FF3", FRACTION, 3),
    WORD("FF4", FRACTION, 4),     WORD("FF5", FRACTION, 5),
    WORD("FF6", FRACTION, 6),     WORD("A.M.", NOON, 1),
    WORD("P.M.", NOON, 1),        WORD("AM", NOON, 0),
    WORD("PM", NOON, 0),          WORD("Y,YYY", YEAR_COMMA, 4),
    WORD("YYYY", YEAR, 4),        WORD("YYY", YEAR, 3),
    WORD("YY", YEAR, 2),          WORD("Y", YEAR, 1),
    WORD("IYYY", ISO_YEAR, 4),    WORD("IYY", ISO_YEAR, 3),
    WORD("IY", ISO_YEAR, 2),      WORD("I", ISO_YEAR, 1),
    WORD("B.C.", ERA, 1),         WORD("A.D.", ERA, 1),
    WORD("BC", ERA, 0),           WORD("AD", ERA, 0),
    WORD("MONTH", MONTH_NAME, 9), WORD("MON", MONTH_SHORT, 3),
    WORD("MM", MONTH, 2),         WORD("RM", MONTH_ROMAN, 4),
    WORD("DAY", DAY_NAME, 9),     WORD("DY", DAY_SHORT, 3),
    WORD("DDD", YEAR_DAY, 3),     WORD("IDDD", ISO_YEAR_DAY, 3),
    WORD("DD", DAY, 2),           WORD("ID", ISO_WEEK_DAY, 1),
    WORD("D", WEEK_DAY, 1),       WORD("WW", WEEK, 2),
    WORD("IW", ISO_WEEK, 2),      WORD("W", MONTH_WEEK, 1),
    WORD("CC", CENTURY, 2),       WORD("J", JULIAN, 0),
    WORD("Q", QUARTER, 0),        WORD("TZH", ZONE_HOURS, 0),
    WORD("TZM", ZONE_MINUTES, 0), WORD("TZ", ZONE, 0),
    WORD("OF", OFFSET, 0),        WORD("FX", EXACT, 0),
#undef WORD
};

static bool has_capital_form(template_field field)
{
    return field == TEMPLATE_MONTH_NAME || field == TEMPLATE_MONTH_SHORT ||
           field == TEMPLATE_DAY_NAME || field == TEMPLATE_DAY_SHORT;
}

static char small_letter(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

/* Is `name` written at `text`, and how? */
static bool template_is_written(const char *text, const char *name, size_t bytes, bool has_capital,
                                template_case *out)
{
    bool is_upper = true, is_lower = true, is_capital = has_capital;
    if (small_letter(text[0]) != small_letter(name[0])) /* nearly all of a list: this is per row */
        return false;
    for (size_t i = 0; i < bytes; i++) {
        char small = small_letter(name[i]);
        is_upper &= text[i] == name[i];
        is_lower &= text[i] == small;
        is_capital &= text[i] == (i ? small : name[i]);
    }
    *out = is_upper ? TEMPLATE_UPPER : is_lower ? TEMPLATE_LOWER : TEMPLATE_CAPITAL;
    return is_upper || is_lower || is_capital;
}

/* The longest word at the place. */
static bool find_word(const template_scan *s, template_word *out)
{
    size_t left = s->bytes - s->at;
    out->bytes = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t bytes = words[i].bytes;
        template_case letters;
        if (bytes <= left && bytes > out->bytes &&
            template_is_written(s->format + s->at, words[i].name, bytes,
                                has_capital_form(words[i].field), &letters)) {
            out->field = words[i].field;
            out->digits = words[i].digits;
            out->letters = letters;
            out->bytes = bytes;
        }
    }
    return out->bytes;
}

static bool stands(const template_scan *s, const char *upper)
{
    template_case letters;
    return s->bytes - s->at >= 2 &&
           template_is_written(s->format + s->at, upper, 2, false, &letters);
}

/* One character as it stands; a backslash in quotes, or before a quote, takes the next one. */
static void take_text(template_scan *s, template_word *out)
{
    bool is_escape = s->format[s->at] == '\\' && s->at + 1 < s->bytes &&
                     (s->in_quotes || s->format[s->at + 1] == '"');
    s->at += is_escape;
    *out = (template_word){.text = s->format + s->at, .is_quoted = s->in_quotes};
    s->at = text_character_end(s->format, s->bytes, s->at);
    out->bytes = (size_t)(s->format + s->at - out->text);
}

template_scan template_begin(const host_call *c, uint64_t row)
{
    const string_view *format = host_text(c, 1, row);
    return (template_scan){.format = string_data(format), .bytes = format->bytes, .words = c->plan};
}

status template_plan(host_function function, host_constants args, uint32_t arg_count, arena *memory,
                     const void **out)
{
    (void)function;
    if (arg_count < 2 || !args[1] || args[1]->is_null)
        return STATUS_OK;
    template_scan s = {.format = args[1]->text, .bytes = args[1]->bytes}, again = s;
    template_word w;
    size_t count = 0;
    while (template_next(&s, &w))
        count++;
    size_t bytes = sizeof(template_words) + count * sizeof w;
    template_words *words = arena_alloc(memory, bytes);
    if (!words)
        return status_no_memory("format", bytes);
    while (template_next(&again, &w))
        words->items[words->count++] = w;
    *out = words;
    return STATUS_OK;
}

const host_function_ops host_template_ops = {.plan = template_plan};

bool template_next(template_scan *s, template_word *out)
{
    bool is_bare = false, is_local = false;
    if (s->words) {
        bool has = s->number < s->words->count;
        if (has)
            *out = s->words->items[s->number++];
        return has;
    }
    *out = (template_word){.field = TEMPLATE_TEXT};
    while (s->at < s->bytes && s->format[s->at] == '"') {
        s->in_quotes = !s->in_quotes;
        s->at++;
    }
    /* One prefix; what else stands behind it but a field takes nothing of it. */
    if (!s->in_quotes && (stands(s, "FM") || stands(s, "TM"))) {
        is_bare = stands(s, "FM");
        is_local = stands(s, "TM");
        s->at += 2;
        if (s->at < s->bytes && s->format[s->at] == '"')
            return template_next(s, out);
    }
    if (s->at >= s->bytes)
        return false;
    if (s->in_quotes || !find_word(s, out)) {
        take_text(s, out);
        return true;
    }
    out->text = s->format + s->at;
    s->at += out->bytes;
    out->is_bare = is_bare || (is_local && has_capital_form(out->field));
    if (stands(s, "TH")) {
        out->ordinal = s->format[s->at];
        s->at += 2;
    } else if (stands(s, "SP")) {
        s->at += 2; /* spelled out: PostgreSQL knows the word, and does nothing */
    }
    return true;
}
