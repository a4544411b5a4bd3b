/* regex_translate.c - PostgreSQL's advanced regular expressions as PCRE2 spells them, and what can
 * be said of every text that matches.
 *
 * Most of a pattern means the same in both and is passed on. Different are: which letters are
 * escapes (\y \m \M \A \Z \b \B \v \u), flags and options in front, newlines in negated brackets,
 * and what PCRE2 has besides (verbs). */
#include "device/host/regex_translate.h"

#include "device/host/regex.h"
#include "device/value/text_part.h"

#include <ctype.h>
#include <stdio.h>

typedef struct scan {
    const char *pattern;
    size_t bytes, at;
    arena *memory;
    regex_source *to;
    uint32_t depth; /* of parentheses */
    /* The literal that is being read: begins at a byte of `run`, its last character at `last`. */
    ARRAY(char) run;
    size_t last;
    bool run_at_start, run_is_open;
    bool has_choice; /* | outside parentheses: no literal is in all matches */
    bool is_plain;   /* nothing but literals and anchors so far */
    bool starts_at_start;
} scan;

status regex_error(const char *pattern, size_t bytes, size_t at, const char *what)
{
    size_t characters = 1;
    for (size_t i = 0; i < at && i < bytes; i++)
        characters += ((unsigned char)pattern[i] & 0xc0) != 0x80;
    bool is_long = bytes > 80;
    return status_new(STATUS_KIND_INVALID,
                      "invalid regular expression \"%.*s%s\": %s, at character %zu",
                      (int)(is_long ? 80 : bytes), pattern, is_long ? "..." : "", what, characters);
}

static status regex_translate_fail(const scan *s, size_t at, const char *what)
{
    return regex_error(s->pattern, s->bytes, at, what);
}

/* ---- output ---- */

static status regex_translate_put(scan *s, const char *text, size_t bytes, size_t origin)
{
    for (size_t i = 0; i < bytes; i++) {
        TRY(array_push(s->memory, &s->to->text, text[i]));
        TRY(array_push(s->memory, &s->to->origins, (uint32_t)origin));
    }
    return STATUS_OK;
}

static status regex_translate_put_text(scan *s, const char *text, size_t origin)
{
    return regex_translate_put(s, text, strlen(text), origin);
}

/* Bytes of the pattern as they stand, up to `end`. */
static status regex_translate_pass(scan *s, size_t end)
{
    for (; s->at < end; s->at++)
        TRY(regex_translate_put(s, &s->pattern[s->at], 1, s->at));
    return STATUS_OK;
}

/* ---- literals ---- */

/* The longest run so far is kept. */
static status end_run(scan *s)
{
    if (s->run_is_open && s->run.count > s->to->literal_bytes) {
        s->to->literal = arena_copy_text(s->memory, s->run.items, s->run.count);
        if (!s->to->literal)
            return status_no_memory("pattern", s->run.count);
        s->to->literal_bytes = s->run.count;
        s->to->literal_at_start = s->run_at_start;
    }
    s->run_is_open = false;
    s->run.count = 0;
    return STATUS_OK;
}

/* Notes something other than a literal character. */
static status no_literal(scan *s)
{
    s->is_plain = false;
    return end_run(s);
}

static bool keeps_literals(const scan *s)
{
    return !s->depth && !s->to->is_case_free;
}

/* A character that stands for itself. */
static status add_literal(scan *s, const char *text, size_t bytes)
{
    if (!keeps_literals(s))
        return no_literal(s);
    if (!s->run_is_open) {
        s->run_is_open = true;
        s->run_at_start = s->starts_at_start && s->is_plain && !s->to->literal_bytes;
    }
    s->last = s->run.count;
    for (size_t i = 0; i < bytes; i++)
        TRY(array_push(s->memory, &s->run, text[i]));
    return STATUS_OK;
}

/* Ends the run of literal characters before something that is repeated and may be missing; what is there at least
 * once ends the run all the same. */
static status end_repeated(scan *s, bool is_once)
{
    if (s->run_is_open && !is_once)
        s->run.count = s->last;
    return no_literal(s);
}

/* ---- escapes ---- */

typedef struct escape {
    char letter;
    const char *text;       /* outside brackets; NULL: as it stands */
    const char *in_bracket; /* NULL: not there; "": as it stands */
} escape;

static const escape escapes[] = {
    {'a', NULL, ""},       {'b', "\\x08", "\\x08"},   {'B', "\\\\", "\\\\"},
    {'d', "[0-9]", "0-9"}, {'D', "[^0-9]", ""},       {'e', NULL, ""},
    {'f', NULL, ""},       {'n', NULL, ""},           {'r', NULL, ""},
    {'t', NULL, ""},       {'v', "\\x0b", "\\x0b"},   {'s', NULL, ""},
    {'S', NULL, ""},       {'w', NULL, ""},           {'W', NULL, ""},
    {'A', NULL, NULL},     {'m', "\\b(?=\\w)", NULL}, {'M', "\\b(?<=\\w)", NULL},
    {'y', "\\b", NULL},    {'Y', "\\B", NULL},        {'Z', "\\z", NULL},
};

static const escape *find_escape(char letter)
{
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (escapes[i].letter == letter)
            return &escapes[i];
    return NULL;
}

/* \xh..., \uhhhh, \Uhhhhhhhh: a character by its number. `at` is that of the backslash. */
static status regex_translate_put_number(scan *s, char letter)
{
    size_t first = s->at, digits = letter == 'u' ? 4 : letter == 'U' ? 8 : SIZE_MAX;
    size_t start = s->at + 2, end = start;
    char text[24];
    uint32_t number = 0;
    while (end < s->bytes && end - start < digits && isxdigit((unsigned char)s->pattern[end])) {
        char c = s->pattern[end++];
        number =
            number << 4 | (uint32_t)(isdigit((unsigned char)c) ? c - '0' : (c | 0x20) - 'a' + 10);
        if (number > 0x10ffff)
            return regex_translate_fail(s, first, "there is no such character");
    }
    if (end == start || (digits != SIZE_MAX && end - start != digits))
        return regex_translate_fail(s, first, "invalid escape \\ sequence");
    s->to->is_ascii &= number < 0x80;
    snprintf(text, sizeof text, "\\x{%x}", number);
    s->at = end;
    return regex_translate_put_text(s, text, first);
}

/* \p{..}, \P{..}, \pL: PCRE2's. */
static status put_property(scan *s)
{
    size_t end = s->at + 3;
    s->to->is_ascii = false;
    if (s->at + 2 < s->bytes && s->pattern[s->at + 2] == '{')
        while (end < s->bytes && s->pattern[end - 1] != '}')
            end++;
    return regex_translate_pass(s, end < s->bytes ? end : s->bytes);
}

/* All but 0 to 9, inside brackets. */
static status put_no_digit(scan *s, size_t origin)
{
    s->to->is_ascii = false; /* texts of bytes know no such numbers */
    return regex_translate_put_text(s, "\\x00-/:-\\x{10ffff}", origin);
}

static status read_escape(scan *s, bool in_bracket)
{
    size_t first = s->at;
    if (first + 1 >= s->bytes)
        return regex_translate_fail(s, first, "a \\ at the end");
    char letter = s->pattern[first + 1];
    const escape *e = find_escape(letter);
    if (letter == 'x' || letter == 'u' || letter == 'U')
        return regex_translate_put_number(s, letter);
    if (letter == 'p' || letter == 'P')
        return put_property(s);
    if (letter == 'D' && in_bracket) {
        s->at += 2;
        return put_no_digit(s, first);
    }
    if (e) {
        const char *text = in_bracket ? e->in_bracket : e->text;
        if (in_bracket && !text)
            return regex_translate_fail(s, first, "an escape that does not stand for characters");
        if (!text || !*text)
            return regex_translate_pass(s, first + 2);
        s->at += 2;
        return regex_translate_put_text(s, text, first);
    }
    if (letter & 0x80) { /* a character of several bytes stands for itself */
        s->at++;
        return regex_translate_pass(s, text_character_end(s->pattern, s->bytes, s->at));
    }
    if (letter == 'c')
        return regex_translate_pass(s, first + 3 < s->bytes ? first + 3 : s->bytes);
    if (isalpha((unsigned char)letter))
        return regex_translate_fail(s, first, "invalid escape \\ sequence");
    return regex_translate_pass(
        s, first + 2); /* a digit: what a group matched; else the character itself */
}

/* ---- brackets ---- */

/* The end of [:alpha:], [.x.] or [=x=] at `at`; 0: none. */
static size_t class_end(const scan *s, size_t at)
{
    char kind = at + 1 < s->bytes ? s->pattern[at + 1] : 0;
    if (kind != ':' && kind != '.' && kind != '=')
        return 0;
    for (size_t end = at + 2; end + 1 < s->bytes; end++)
        if (s->pattern[end] == kind && s->pattern[end + 1] == ']')
            return end + 2;
    return 0;
}

static bool is_class(const scan *s, size_t end, const char *name)
{
    size_t bytes = strlen(name);
    return end - s->at == bytes + 4 && !memcmp(s->pattern + s->at + 2, name, bytes);
}

/* [:digit:] is 0 to 9 in every text, as \d is. Without regard to case [:upper:] and [:lower:] are any letter, which PCRE2 only
 * knows of bytes. */
static status read_class(scan *s, size_t end)
{
    size_t first = s->at;
    bool is_upper = is_class(s, end, "upper") || is_class(s, end, "lower");
    bool is_not_upper = is_class(s, end, "^upper") || is_class(s, end, "^lower");
    const char *text = is_class(s, end, "digit")             ? "0-9"
                       : s->to->is_case_free && is_upper     ? "[:alpha:]"
                       : s->to->is_case_free && is_not_upper ? "[:^alpha:]"
                                                             : NULL;
    if (!text && !is_class(s, end, "^digit"))
        return regex_translate_pass(s, end);
    s->at = end;
    return text ? regex_translate_put_text(s, text, first) : put_no_digit(s, first);
}

/* [[:<:]] and [[:>:]] look like brackets but stand for the borders of a word: PCRE2 knows them as well. */
static bool is_word_border(const scan *s)
{
    const char *at = s->pattern + s->at;
    return s->bytes - s->at >= 7 && (!memcmp(at, "[[:<:]]", 7) || !memcmp(at, "[[:>:]]", 7));
}

static status read_bracket(scan *s)
{
    size_t first = s->at;
    if (is_word_border(s))
        return regex_translate_pass(s, first + 7);
    TRY(regex_translate_pass(s, first + 1));
    if (s->at < s->bytes && s->pattern[s->at] == '^') {
        TRY(regex_translate_pass(s, s->at + 1));
        if (s->to->newline_is_special)
            TRY(regex_translate_put_text(s, "\\n", s->at));
    }
    if (s->at < s->bytes && s->pattern[s->at] == ']') {
        s->at++;
        TRY(regex_translate_put_text(s, "\\]", s->at - 1));
    }
    while (s->at < s->bytes && s->pattern[s->at] != ']') {
        size_t end = s->pattern[s->at] == '[' ? class_end(s, s->at) : 0;
        if (end)
            TRY(read_class(s, end));
        else if (s->pattern[s->at] == '\\')
            TRY(read_escape(s, true));
        else
            TRY(regex_translate_pass(s, s->at + 1));
    }
    if (s->at == s->bytes)
        return regex_translate_fail(s, first, "brackets [] not balanced");
    return regex_translate_pass(s, s->at + 1);
}

/* ---- the whole ---- */

static bool starts_bound(const scan *s)
{
    return s->at + 1 < s->bytes && isdigit((unsigned char)s->pattern[s->at + 1]);
}

/* *, +, ?, {n,m}, with what makes them short. */
static status read_quantifier(scan *s)
{
    char c = s->pattern[s->at];
    TRY(end_repeated(s, c == '+'));
    if (c == '{')
        while (s->at < s->bytes && s->pattern[s->at] != '}')
            TRY(regex_translate_pass(s, s->at + 1));
    TRY(regex_translate_pass(s, s->at < s->bytes ? s->at + 1 : s->at));
    if (s->at < s->bytes && s->pattern[s->at] == '?')
        return regex_translate_pass(s, s->at + 1);
    if (s->at < s->bytes && (s->pattern[s->at] == '*' || s->pattern[s->at] == '+'))
        return regex_translate_fail(s, s->at, "quantifier operand invalid");
    return STATUS_OK;
}

/* (?i) behind the start would change what the rest means; (?i:rest) may stand anywhere. */
static status refuse_options(scan *s)
{
    size_t end = s->at;
    while (end < s->bytes && (islower((unsigned char)s->pattern[end]) || s->pattern[end] == '-'))
        end++;
    bool is_option = end > s->at && end < s->bytes && s->pattern[end] == ')';
    return is_option ? regex_translate_fail(s, s->at, "embedded options stand at the start")
                     : STATUS_OK;
}

static status regex_translate_read_open(scan *s)
{
    TRY(no_literal(s));
    if (s->at + 1 < s->bytes && s->pattern[s->at + 1] == '*')
        return regex_translate_fail(s, s->at + 1, "quantifier operand invalid");
    if (s->at + 2 < s->bytes && s->pattern[s->at + 1] == '?' && s->pattern[s->at + 2] == '#') {
        while (s->at < s->bytes && s->pattern[s->at] != ')')
            TRY(regex_translate_pass(s, s->at + 1));
        return regex_translate_pass(s, s->at < s->bytes ? s->at + 1 : s->at);
    }
    s->depth++;
    TRY(regex_translate_pass(s, s->at + 1));
    if (s->at == s->bytes || s->pattern[s->at] != '?')
        return STATUS_OK;
    TRY(regex_translate_pass(s, s->at + 1)); /* no quantifier */
    return refuse_options(s);
}

/* Keeps the run of literal characters before the end of the text. */
static status keep_ending(scan *s)
{
    if (!s->run_is_open)
        return STATUS_OK;
    s->to->ending = arena_copy_text(s->memory, s->run.items, s->run.count);
    if (!s->to->ending)
        return status_no_memory("pattern", s->run.count);
    s->to->ending_bytes = s->run.count;
    return STATUS_OK;
}

static status read_anchor(scan *s)
{
    bool is_start = s->pattern[s->at] == '^', is_whole = !s->to->newline_ends_lines && !s->depth;
    if (is_whole && !is_start && s->at + 1 == s->bytes)
        TRY(keep_ending(s));
    TRY(end_run(s));
    if (is_whole && is_start && !s->at)
        s->starts_at_start = true;
    else if (is_whole && !is_start && s->at + 1 == s->bytes)
        s->to->ends_at_end = true;
    else
        s->is_plain = false;
    return regex_translate_pass(s, s->at + 1);
}

/* In an expanded pattern, up to the end of the line. */
static status read_comment(scan *s)
{
    while (s->at < s->bytes && s->pattern[s->at] != '\n')
        TRY(regex_translate_pass(s, s->at + 1));
    return STATUS_OK;
}

static status regex_translate_read_plain(scan *s)
{
    size_t end = text_character_end(s->pattern, s->bytes, s->at);
    if (s->to->is_expanded)
        TRY(no_literal(s));
    else
        TRY(add_literal(s, s->pattern + s->at, end - s->at));
    return regex_translate_pass(s, end);
}

static status read_backslash(scan *s)
{
    size_t first = s->at;
    TRY(read_escape(s, false));
    char letter = s->pattern[first + 1];
    bool is_itself = !isalnum((unsigned char)letter) && s->at == first + 2 && !(letter & 0x80);
    return is_itself ? add_literal(s, s->pattern + first + 1, 1) : no_literal(s);
}

static status regex_translate_read_next(scan *s)
{
    switch (s->pattern[s->at]) {
    case '\\':
        return read_backslash(s);
    case '[':
        TRY(no_literal(s));
        return read_bracket(s);
    case '(':
        return regex_translate_read_open(s);
    case ')':
        if (!s->depth)
            return regex_translate_fail(s, s->at, "parentheses () not balanced");
        s->depth--;
        return regex_translate_pass(s, s->at + 1);
    case '|':
        s->has_choice |= !s->depth;
        TRY(no_literal(s));
        return regex_translate_pass(s, s->at + 1);
    case '^':
    case '$':
        return read_anchor(s);
    case '.':
        TRY(no_literal(s));
        return regex_translate_pass(s, s->at + 1);
    case '{':
        if (!starts_bound(s))
            return regex_translate_read_plain(s);
        return read_quantifier(s);
    case '*':
    case '+':
    case '?':
        return read_quantifier(s);
    case '#':
        if (s->to->is_expanded)
            return read_comment(s);
        return regex_translate_read_plain(s);
    default:
        return regex_translate_read_plain(s);
    }
}

/* ---- flags ---- */

/* A letter of the flags' argument, or of (?letters) in front. */
static bool read_flag(regex_source *to, char letter)
{
    switch (letter) {
    case 'c':
        to->is_case_free = false;
        return true;
    case 'e':
    case 't':
        return true;
    case 'i':
        to->is_case_free = true;
        return true;
    case 'm':
    case 'n':
        to->newline_ends_lines = to->newline_is_special = true;
        return true;
    case 'p':
        to->newline_ends_lines = false;
        to->newline_is_special = true;
        return true;
    case 'q':
        to->is_literal = true;
        return true;
    case 's':
        to->newline_ends_lines = to->newline_is_special = false;
        return true;
    case 'w':
        to->newline_ends_lines = true;
        to->newline_is_special = false;
        return true;
    case 'x':
        to->is_expanded = true;
        return true;
    default:
        return false;
    }
}

static status read_flags(const char *flags, size_t bytes, regex_source *to)
{
    for (size_t i = 0; i < bytes; i++)
        if (flags[i] == 'g')
            to->is_global = true;
        else if (!read_flag(to, flags[i]))
            return status_hint(status_new(STATUS_KIND_INVALID,
                                          "invalid option of a regular expression: \"%.*s\"",
                                          (int)(bytes < 40 ? bytes : 40), flags),
                               "options are g, c, i, m, n, p, q, s, w and x");
    return STATUS_OK;
}

/* (?i) and the like, in front. */
static status read_options(scan *s)
{
    if (s->bytes - s->at < 4 || memcmp(s->pattern + s->at, "(?", 2) ||
        !isalpha((unsigned char)s->pattern[s->at + 2]))
        return STATUS_OK;
    size_t end = s->at + 2;
    while (end < s->bytes && isalpha((unsigned char)s->pattern[end]))
        end++;
    if (end == s->bytes || s->pattern[end] != ')')
        return STATUS_OK; /* (?i: ...) */
    for (size_t i = s->at + 2; i < end; i++)
        if (!read_flag(s->to, s->pattern[i]))
            return regex_translate_fail(s, i, "invalid embedded option");
    s->at = end + 1;
    return STATUS_OK;
}

/* ***= says that the rest is literal, ***: that it is a pattern. */
static status read_director(scan *s)
{
    if (s->bytes < 4 || memcmp(s->pattern, "***", 3) ||
        (s->pattern[3] != '=' && s->pattern[3] != ':'))
        return read_options(s);
    s->at = 4;
    if (s->pattern[3] == '=') {
        s->to->is_literal = true;
        return STATUS_OK;
    }
    return read_options(s);
}

static bool regex_translate_is_ascii(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if ((unsigned char)text[i] >= 0x80)
            return false;
    return true;
}

static status read_literally(scan *s)
{
    while (s->at < s->bytes) {
        size_t end = text_character_end(s->pattern, s->bytes, s->at);
        TRY(add_literal(s, s->pattern + s->at, end - s->at));
        TRY(regex_translate_pass(s, end));
    }
    return STATUS_OK;
}

status regex_translate(const char *pattern, size_t bytes, const char *flags, size_t flag_bytes,
                       arena *memory, regex_source *out)
{
    *out = (regex_source){.is_ascii = regex_translate_is_ascii(pattern, bytes)};
    scan s = {.pattern = pattern, .bytes = bytes, .memory = memory, .to = out, .is_plain = true};
    TRY(read_flags(flags, flag_bytes, out));
    if (out->is_literal)
        TRY(read_literally(&s));
    else
        TRY(read_director(&s));
    while (s.at < bytes)
        TRY(out->is_literal ? read_literally(&s) : regex_translate_read_next(&s));
    if (s.depth)
        return regex_translate_fail(&s, bytes, "parentheses () not balanced");
    TRY(end_run(&s));
    if (s.has_choice)
        out->literal_bytes = out->ending_bytes = 0;
    out->literal_is_all = s.is_plain && !s.has_choice && out->literal_bytes > 0 &&
                          (out->literal_at_start || !s.starts_at_start);
    return STATUS_OK;
}

/* ---- SIMILAR TO ---- */

/* Returns whether a character stands for itself in SIMILAR TO, but not in a regular expression. */
static bool regex_translate_is_special(char c)
{
    return c == '.' || c == '^' || c == '$' || c == '\\';
}

typedef ARRAY(char) char_list;

static status regex_translate_append(arena *memory, char_list *to, const char *text)
{
    for (; *text; text++)
        TRY(array_push(memory, to, *text));
    return STATUS_OK;
}

typedef struct similar {
    arena *memory;
    char_list to;
    bool in_bracket;
    unsigned
        parts; /* of a pattern that has three: how many have begun; the first matches as little as it can */
} similar;

static status translate_similar(similar *s, char c)
{
    bool is_lazy = s->parts == 1;
    if (s->in_bracket) {
        if (c == '\\')
            TRY(array_push(s->memory, &s->to, '\\'));
        return array_push(s->memory, &s->to, c);
    }
    if (c == '%')
        return regex_translate_append(s->memory, &s->to, is_lazy ? ".*?" : ".*");
    if (c == '_')
        return regex_translate_append(s->memory, &s->to, ".");
    if (c == '(')
        return regex_translate_append(s->memory, &s->to, "(?:");
    if (regex_translate_is_special(c))
        TRY(array_push(s->memory, &s->to, '\\'));
    TRY(array_push(s->memory, &s->to, c));
    return is_lazy && strchr("*+?}", c) ? array_push(s->memory, &s->to, '?') : STATUS_OK;
}

/* <escape>" parts a pattern: the middle part becomes a group. */
static status regex_translate_next_part(similar *s, const char *pattern, size_t bytes, size_t at)
{
    if (s->parts == 3)
        return regex_error(pattern, bytes, at, "more than two separators");
    return regex_translate_append(s->memory, &s->to, s->parts++ == 1 ? ")(" : ")(?:");
}

static bool has_separator(const char *pattern, size_t bytes, const char *escape)
{
    for (size_t i = 0; escape && i + 1 < bytes; i++)
        if (pattern[i] == *escape && pattern[++i] == '"')
            return true;
    return false;
}

static status translate_all(similar *s, const char *pattern, size_t bytes, const char *escape)
{
    TRY(regex_translate_append(s->memory, &s->to, "^(?:"));
    for (size_t i = 0; i < bytes; i++) {
        char c = pattern[i];
        if (escape && c == *escape) {
            if (++i == bytes)
                return regex_error(pattern, bytes, i - 1, "an escape at the end");
            if (s->parts && pattern[i] == '"') {
                TRY(regex_translate_next_part(s, pattern, bytes, i));
                continue;
            }
            TRY(array_push(s->memory, &s->to, '\\')); /* so that \d is what it is elsewhere */
            TRY(array_push(s->memory, &s->to, pattern[i]));
            continue;
        }
        TRY(translate_similar(s, c));
        s->in_bracket = s->in_bracket ? c != ']' : c == '[';
    }
    return regex_translate_append(s->memory, &s->to, ")$");
}

status regex_from_similar(const char *pattern, size_t bytes, const char *escape, bool has_parts,
                          arena *memory, const char **out, size_t *out_bytes)
{
    similar s = {.memory = memory, .parts = has_parts && has_separator(pattern, bytes, escape)};
    TRY(translate_all(&s, pattern, bytes, escape));
    *out = s.to.items;
    *out_bytes = s.to.count;
    return STATUS_OK;
}
