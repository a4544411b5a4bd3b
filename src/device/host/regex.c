/* regex.c - compiling regular expressions and matching texts in bounded time.
 *
 * A pattern is compiled twice: for UTF-8, and for texts that are ASCII, as nearly all are, byte by
 * byte, which is several times as fast. What every match contains is looked for first. A match may
 * take so many steps from each place where it may begin; long texts are matched from a number of
 * places at a time, with a look between at whether the query is cancelled. */
#include "device/host/regex.h"

#include "base/cancel.h"
#include "device/host/regex_translate.h"
#include "device/value/text_part.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define PATTERN_BYTES_MAX 65536
#define STEPS_MAX 1000000 /* some milliseconds */
#define STEPS_PER_BYTE 16
#define HEAP_KIB 16384 /* of the interpreter */
#define STARTS 4096    /* places to begin between two looks at cancellation */

struct regex {
    pcre2_code *utf8;
    pcre2_code *ascii; /* NULL: the same */
    const char *pattern;
    size_t pattern_bytes;
    regex_source source;
};

struct regex_matcher {
    pcre2_match_context *context;
    pcre2_match_data *data;
    uint64_t finds; /* so that many in one text look, too */
    const regex *of;
    const char *text;
    size_t bytes;
    bool is_looked_at, is_ascii, is_checked; /* of the text */
    int groups; /* of the match: one more than the last that is part of it */
};

/* ---- compiling ---- */

static void free_codes(void *object)
{
    regex *r = object;
    pcre2_code_free(r->utf8);
    pcre2_code_free(r->ascii);
}

static uint32_t options_of(const regex_source *s)
{
    uint32_t options = PCRE2_USE_OFFSET_LIMIT | (s->is_case_free ? PCRE2_CASELESS : 0u);
    if (s->is_literal)
        return options | PCRE2_LITERAL;
    options |= PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C;
    if (s->is_expanded)
        options |= PCRE2_EXTENDED;
    if (s->newline_ends_lines)
        options |= PCRE2_MULTILINE | PCRE2_ALT_CIRCUMFLEX;
    return s->newline_is_special ? options : options | PCRE2_DOTALL;
}

/* In words of PCRE2's, at the place in the pattern that was given. */
static status regex_describe(const regex *r, int code, size_t at)
{
    char text[128];
    const regex_source *s = &r->source;
    pcre2_get_error_message(code, (PCRE2_UCHAR *)text, sizeof text);
    size_t place = at < s->origins.count ? s->origins.items[at] : r->pattern_bytes;
    return regex_error(r->pattern, r->pattern_bytes, place, text);
}

static status host_regex_compile(const regex *r, uint32_t options, pcre2_code **out)
{
    const regex_source *s = &r->source;
    int error;
    PCRE2_SIZE at;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (!context)
        return status_no_memory("regular expression", 0);
    pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    *out = pcre2_compile((PCRE2_SPTR)(s->text.count ? s->text.items : ""), s->text.count,
                         options_of(s) | options, &error, &at, context);
    pcre2_compile_context_free(context);
    if (!*out)
        return regex_describe(r, error, at);
    /* If the system gives no memory that can be executed, the pattern is interpreted. */
    (void)pcre2_jit_compile(*out, PCRE2_JIT_COMPLETE);
    return STATUS_OK;
}

status regex_compile(const char *pattern, size_t bytes, const char *flags, size_t flag_bytes,
                     arena *memory, regex **out)
{
    if (bytes > PATTERN_BYTES_MAX)
        return status_new(STATUS_KIND_INVALID, "a regular expression of %zu bytes; the limit is %d",
                          bytes, PATTERN_BYTES_MAX);
    regex *r = arena_alloc(memory, sizeof *r);
    char *copy = arena_copy_text(memory, pattern, bytes);
    if (!r || !copy)
        return status_no_memory("regular expression", bytes);
    r->pattern = copy;
    r->pattern_bytes = bytes;
    TRY(regex_translate(copy, bytes, flags, flag_bytes, memory, &r->source));
    TRY(arena_on_free(memory, free_codes, r));
    TRY(host_regex_compile(r, PCRE2_UTF | (r->source.is_literal ? 0 : PCRE2_UCP), &r->utf8));
    if (r->source.is_ascii)
        TRY(host_regex_compile(r, 0, &r->ascii));
    *out = r;
    return STATUS_OK;
}

const regex_source *regex_source_of(const regex *r)
{
    return &r->source;
}

bool regex_is_global(const regex *r)
{
    return r->source.is_global;
}

uint32_t regex_groups(const regex *r)
{
    uint32_t count = 0;
    pcre2_pattern_info(r->utf8, PCRE2_INFO_CAPTURECOUNT, &count);
    return count;
}

/* ---- matching ---- */

status regex_matcher_new(regex_matcher **out)
{
    regex_matcher *m = mem_new(sizeof *m);
    *out = m;
    if (m) {
        m->context = pcre2_match_context_create(NULL);
        m->data = pcre2_match_data_create(REGEX_GROUPS_MAX, NULL);
    }
    if (!m || !m->context || !m->data) {
        regex_matcher_free(m);
        *out = NULL;
        return status_no_memory("regular expression", sizeof *m);
    }
    pcre2_set_heap_limit(m->context, HEAP_KIB);
    return STATUS_OK;
}

void regex_matcher_free(regex_matcher *m)
{
    if (!m)
        return;
    pcre2_match_context_free(m->context);
    pcre2_match_data_free(m->data);
    mem_free(m);
}

static bool regex_is_ascii(const char *text, size_t bytes)
{
    uint64_t word, all = 0;
    for (; bytes >= sizeof word; text += sizeof word, bytes -= sizeof word) {
        memcpy(&word, text, sizeof word);
        all |= word;
    }
    for (; bytes; bytes--)
        all |= (unsigned char)*text++;
    return !(all & 0x8080808080808080u);
}

void regex_begin(regex_matcher *m, const regex *r, const char *text, size_t bytes)
{
    m->of = r;
    m->text = text;
    m->bytes = bytes;
    m->is_looked_at = false;
    m->groups = 0;
    uint64_t steps = STEPS_MAX + (uint64_t)bytes * STEPS_PER_BYTE;
    pcre2_set_match_limit(m->context, steps > UINT32_MAX ? UINT32_MAX : (uint32_t)steps);
}

/* Whether what every match contains is there. */
static bool may_match(const regex_matcher *m, size_t from)
{
    const regex_source *s = &m->of->source;
    size_t ending = s->ending_bytes;
    if (ending &&
        (m->bytes - from < ending || memcmp(m->text + m->bytes - ending, s->ending, ending) != 0))
        return false;
    if (!s->literal_bytes)
        return true;
    if (s->literal_at_start)
        return !from && m->bytes >= s->literal_bytes &&
               !memcmp(m->text, s->literal, s->literal_bytes);
    return memmem(m->text + from, m->bytes - from, s->literal, s->literal_bytes);
}

static status regex_failure(const regex_matcher *m, int code)
{
    const regex *r = m->of;
    int shown = (int)(r->pattern_bytes < 80 ? r->pattern_bytes : 80);
    if (code <= PCRE2_ERROR_UTF8_ERR1 && code >= PCRE2_ERROR_UTF8_ERR21)
        return status_new(STATUS_KIND_DATA,
                          "a text that the regular expression \"%.*s\" is to match is not UTF-8",
                          shown, r->pattern);
    if (code == PCRE2_ERROR_MATCHLIMIT || code == PCRE2_ERROR_DEPTHLIMIT ||
        code == PCRE2_ERROR_HEAPLIMIT)
        return status_hint(status_new(STATUS_KIND_DATA,
                                      "the regular expression \"%.*s\" takes too many steps on a "
                                      "text of %zu bytes",
                                      shown, r->pattern, m->bytes),
                           "repetitions inside repetitions, as in (a+)+, take time that doubles "
                           "with each character");
    return status_new(STATUS_KIND_DATA,
                      "the regular expression \"%.*s\" fails with PCRE2's error %d", shown,
                      r->pattern, code);
}

/* Matches that begin at `from` or up to STARTS behind it. */
static int match_some(regex_matcher *m, size_t from)
{
    if (!m->is_looked_at)
        m->is_checked = m->is_ascii = regex_is_ascii(m->text, m->bytes);
    m->is_looked_at = true;
    const pcre2_code *code = m->is_ascii && m->of->ascii ? m->of->ascii : m->of->utf8;
    uint32_t options = m->is_checked ? PCRE2_NO_UTF_CHECK : 0;
    bool is_long = m->bytes - from > STARTS;
    pcre2_set_offset_limit(m->context, is_long ? from + STARTS : PCRE2_UNSET);
    int result =
        pcre2_match(code, (PCRE2_SPTR)m->text, m->bytes, from, options, m->data, m->context);
    if (result == PCRE2_ERROR_JIT_STACKLIMIT) /* the interpreter's lies on the heap */
        result = pcre2_match(code, (PCRE2_SPTR)m->text, m->bytes, from, options | PCRE2_NO_JIT,
                             m->data, m->context);
    m->is_checked |= result >= PCRE2_ERROR_NOMATCH;
    return result;
}

/* The first byte of a character at or behind `at`. */
static size_t character_at(const regex_matcher *m, size_t at)
{
    while (at < m->bytes && text_is_continuation(m->text[at]))
        at++;
    return at;
}

status regex_find(regex_matcher *m, size_t from, bool *out_found)
{
    *out_found = false;
    if (cancel_look(++m->finds))
        TRY(cancel_check());
    if (!may_match(m, from))
        return STATUS_OK;
    int result = match_some(m, from);
    while (result == PCRE2_ERROR_NOMATCH && m->bytes - from > STARTS) {
        TRY(cancel_check());
        from = character_at(m, from + STARTS);
        result = match_some(m, from);
    }
    if (result < 0 && result != PCRE2_ERROR_NOMATCH)
        return regex_failure(m, result);
    *out_found = result >= 0;
    m->groups = result ? result : REGEX_GROUPS_MAX;
    return STATUS_OK;
}

bool regex_group(const regex_matcher *m, uint32_t group, size_t *out_start, size_t *out_end)
{
    const PCRE2_SIZE *places = pcre2_get_ovector_pointer(m->data);
    if ((int)group >= m->groups || places[2 * group] == PCRE2_UNSET)
        return false;
    *out_start = places[2 * group];
    *out_end = places[2 * group + 1];
    return true;
}

size_t regex_next(const regex_matcher *m)
{
    const PCRE2_SIZE *places = pcre2_get_ovector_pointer(m->data);
    if (places[1] > places[0])
        return places[1];
    return places[1] < m->bytes ? character_at(m, places[1] + 1) : m->bytes + 1;
}
