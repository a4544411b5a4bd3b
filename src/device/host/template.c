/* template.c - reading formats of dates and times word by word: the longest name that fits. */
#include "device/host/template.h"

#include "device/text_part.h"

#include <ctype.h>
#include <string.h>

/* Names in capitals: in small letters alike, and those of names also like This. */
static const struct {
    const char *name;
    template_field field;
    unsigned digits;
} words[] = {
    {"HH12", TEMPLATE_HOUR_12, 2},     {"HH24", TEMPLATE_HOUR_24, 2},
    {"HH", TEMPLATE_HOUR_12, 2},       {"MI", TEMPLATE_MINUTE, 2},
    {"SSSSS", TEMPLATE_DAY_SECOND, 0}, {"SSSS", TEMPLATE_DAY_SECOND, 0},
    {"SS", TEMPLATE_SECOND, 2},        {"MS", TEMPLATE_FRACTION, 3},
    {"US", TEMPLATE_FRACTION, 6},      {"FF1", TEMPLATE_FRACTION, 1},
    {"FF2", TEMPLATE_FRACTION, 2},     {"FF3", TEMPLATE_FRACTION, 3},
    {"FF4", TEMPLATE_FRACTION, 4},     {"FF5", TEMPLATE_FRACTION, 5},
    {"FF6", TEMPLATE_FRACTION, 6},     {"A.M.", TEMPLATE_NOON, 1},
    {"P.M.", TEMPLATE_NOON, 1},        {"AM", TEMPLATE_NOON, 0},
    {"PM", TEMPLATE_NOON, 0},          {"Y,YYY", TEMPLATE_YEAR_COMMA, 4},
    {"YYYY", TEMPLATE_YEAR, 4},        {"YYY", TEMPLATE_YEAR, 3},
    {"YY", TEMPLATE_YEAR, 2},          {"Y", TEMPLATE_YEAR, 1},
    {"IYYY", TEMPLATE_ISO_YEAR, 4},    {"IYY", TEMPLATE_ISO_YEAR, 3},
    {"IY", TEMPLATE_ISO_YEAR, 2},      {"I", TEMPLATE_ISO_YEAR, 1},
    {"B.C.", TEMPLATE_ERA, 1},         {"A.D.", TEMPLATE_ERA, 1},
    {"BC", TEMPLATE_ERA, 0},           {"AD", TEMPLATE_ERA, 0},
    {"MONTH", TEMPLATE_MONTH_NAME, 9}, {"MON", TEMPLATE_MONTH_SHORT, 3},
    {"MM", TEMPLATE_MONTH, 2},         {"RM", TEMPLATE_MONTH_ROMAN, 4},
    {"DAY", TEMPLATE_DAY_NAME, 9},     {"DY", TEMPLATE_DAY_SHORT, 3},
    {"DDD", TEMPLATE_YEAR_DAY, 3},     {"IDDD", TEMPLATE_ISO_YEAR_DAY, 3},
    {"DD", TEMPLATE_DAY, 2},           {"ID", TEMPLATE_ISO_WEEK_DAY, 1},
    {"D", TEMPLATE_WEEK_DAY, 1},       {"WW", TEMPLATE_WEEK, 2},
    {"IW", TEMPLATE_ISO_WEEK, 2},      {"W", TEMPLATE_MONTH_WEEK, 1},
    {"CC", TEMPLATE_CENTURY, 2},       {"J", TEMPLATE_JULIAN, 0},
    {"Q", TEMPLATE_QUARTER, 0},        {"TZH", TEMPLATE_ZONE_HOURS, 0},
    {"TZM", TEMPLATE_ZONE_MINUTES, 0}, {"TZ", TEMPLATE_ZONE, 0},
    {"OF", TEMPLATE_OFFSET, 0},
};

static bool has_capital_form(template_field field)
{
    return field == TEMPLATE_MONTH_NAME || field == TEMPLATE_MONTH_SHORT ||
           field == TEMPLATE_DAY_NAME || field == TEMPLATE_DAY_SHORT;
}

/* Is `name` written at `text`, and how? */
static bool is_written(const char *text, const char *name, size_t bytes, bool has_capital,
                       template_case *out)
{
    bool is_upper = true, is_lower = true, is_capital = has_capital;
    for (size_t i = 0; i < bytes; i++) {
        char small = (char)tolower((unsigned char)name[i]);
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
        size_t bytes = strlen(words[i].name);
        template_case letters;
        if (bytes <= left && bytes > out->bytes &&
            is_written(s->format + s->at, words[i].name, bytes, has_capital_form(words[i].field),
                       &letters)) {
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
    return s->bytes - s->at >= 2 && is_written(s->format + s->at, upper, 2, false, &letters);
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

bool template_next(template_scan *s, template_word *out)
{
    bool is_bare = false;
    *out = (template_word){.field = TEMPLATE_TEXT};
    for (;;) {
        if (s->at < s->bytes && s->format[s->at] == '"') {
            s->in_quotes = !s->in_quotes;
            s->at++;
        } else if (!s->in_quotes && (stands(s, "FM") || stands(s, "FX") || stands(s, "TM"))) {
            is_bare |= stands(s, "FM");
            s->at += 2;
        } else {
            break;
        }
    }
    if (s->at >= s->bytes)
        return false;
    if (s->in_quotes || !find_word(s, out)) {
        take_text(s, out);
        return true;
    }
    out->text = s->format + s->at;
    s->at += out->bytes;
    out->is_bare = is_bare;
    if (stands(s, "TH")) {
        out->ordinal = s->format[s->at];
        s->at += 2;
    }
    return true;
}
