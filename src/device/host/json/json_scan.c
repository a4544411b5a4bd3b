/* json_scan.c - see json_scan.h. A failure is a NULL position. */
#include "device/host/json/json_scan.h"

#include <ctype.h>

#if defined __SSE2__
#include <emmintrin.h>
#endif

/* Levels of a value that is passed over. */
#define DEPTH_MAX 64

typedef struct json_scanner {
    const char *start, *end;
    json_part *found;
    size_t commas;   /* of the outermost container, by scan_value */
    bool has_escape; /* the string before has one */
} json_scanner;

static inline const char *scan_space(const json_scanner *s, const char *at)
{
    if (at < s->end && (unsigned char)*at > ' ')
        return at;
    while (at < s->end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

/* ---- scalars ---- */

static inline bool is_plain_byte(char c)
{
    return c != '"' && c != '\\' && (unsigned char)c >= 0x20;
}

#if defined __SSE2__
#define SCAN_BLOCK 16

/* Returns a bit for each byte of a block that a string does not have as it is. */
static inline unsigned special_bytes(const char *block)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)block);
    __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    __m128i slashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quotes, slashes), controls));
}

/* Returns the first byte that a string does not have as it is. The last block is read again from where it begins. */
static inline const char *scan_plain(const json_scanner *s, const char *at)
{
    for (; s->end - at >= SCAN_BLOCK; at += SCAN_BLOCK) {
        unsigned special = special_bytes(at);
        if (special)
            return at + __builtin_ctz(special);
    }
    ptrdiff_t passed = SCAN_BLOCK - (s->end - at);
    if (at - s->start >= passed) {
        unsigned special = special_bytes(at - passed) >> passed;
        return special ? at + __builtin_ctz(special) : s->end;
    }
    while (at < s->end && is_plain_byte(*at))
        at++;
    return at;
}
#else
static const char *scan_plain(const json_scanner *s, const char *at)
{
    while (at < s->end && is_plain_byte(*at))
        at++;
    return at;
}
#endif

/* Returns what stands behind an escape. */
static const char *scan_escape(const json_scanner *s, const char *at)
{
    if (s->end - at < 2)
        return NULL;
    if (at[1] && strchr("\"\\/bfnrt", at[1]))
        return at + 2;
    if (at[1] != 'u' || s->end - at < 6 || at[2] == 'd' || at[2] == 'D')
        return NULL;
    for (int i = 2; i < 6; i++)
        if (!isxdigit((unsigned char)at[i]))
            return NULL;
    return at + 6;
}

/* Goes on in a string at a byte that it does not have as it is. */
static __attribute__((noinline)) const char *scan_escaped(json_scanner *s, const char *at)
{
    s->has_escape = true;
    for (;;) {
        if (at >= s->end || (unsigned char)*at < 0x20)
            return NULL;
        if (*at == '"')
            return at + 1;
        at = scan_escape(s, at);
        if (!at)
            return NULL;
        at = scan_plain(s, at);
    }
}

/* Returns what stands behind a string's closing quote. */
static inline const char *scan_string(json_scanner *s, const char *at)
{
    s->has_escape = false;
    at = scan_plain(s, at + 1);
    return at < s->end && *at == '"' ? at + 1 : scan_escaped(s, at);
}

static const char *scan_digits(const json_scanner *s, const char *at)
{
    const char *start = at;
    while (at < s->end && *at >= '0' && *at <= '9')
        at++;
    return at > start ? at : NULL;
}

static const char *scan_number(const json_scanner *s, const char *at)
{
    at += *at == '-';
    const char *start = at;
    at = scan_digits(s, at);
    if (!at || (*start == '0' && at > start + 1))
        return NULL;
    if (at < s->end && *at == '.' && !(at = scan_digits(s, at + 1)))
        return NULL;
    if (at < s->end && (*at | 0x20) == 'e') {
        at++;
        at += at < s->end && (*at == '+' || *at == '-');
        at = scan_digits(s, at);
    }
    return at;
}

static const char *scan_word(const json_scanner *s, const char *at)
{
    const char *word = *at == 't' ? "true" : *at == 'f' ? "false" : "null";
    size_t bytes = strlen(word);
    return (size_t)(s->end - at) >= bytes && !memcmp(at, word, bytes) ? at + bytes : NULL;
}

static const char *scan_scalar(json_scanner *s, const char *at)
{
    if (*at == '"')
        return scan_string(s, at);
    return *at == 't' || *at == 'f' || *at == 'n' ? scan_word(s, at) : scan_number(s, at);
}

/* ---- values that are passed over ---- */

/* Returns the value behind a key. */
static const char *scan_key(json_scanner *s, const char *at)
{
    if (at >= s->end || *at != '"' || !(at = scan_string(s, at)))
        return NULL;
    at = scan_space(s, at);
    return at < s->end && *at == ':' ? scan_space(s, at + 1) : NULL;
}

/* Goes on behind a value: to the next one, or behind all containers that end here. A bit of `objects` says of a level
 * what it is; the lowest is that of the deepest. */
static const char *scan_after(json_scanner *s, const char *at, uint64_t *objects, unsigned *depth)
{
    while (*depth) {
        bool is_object = *objects & 1;
        at = scan_space(s, at);
        if (at >= s->end)
            return NULL;
        if (*at == ',') {
            s->commas += *depth == 1;
            at = scan_space(s, at + 1);
            return is_object ? scan_key(s, at) : at;
        }
        if (*at != (is_object ? '}' : ']'))
            return NULL;
        at++;
        *objects >>= 1;
        --*depth;
    }
    return at;
}

/* Returns what stands behind the value. */
static const char *scan_value(json_scanner *s, const char *at)
{
    uint64_t objects = 0;
    unsigned depth = 0;
    do {
        if (at >= s->end)
            return NULL;
        bool is_object = *at == '{';
        if (is_object || *at == '[') {
            const char *first = scan_space(s, at + 1);
            if (++depth > DEPTH_MAX || first >= s->end)
                return NULL;
            objects = objects << 1 | is_object;
            at = first;
            if (*first != (is_object ? '}' : ']')) {
                at = is_object ? scan_key(s, first) : first;
                if (!at)
                    return NULL;
                continue;
            }
            at++;
            objects >>= 1;
            depth--;
        } else if (!(at = scan_scalar(s, at))) {
            return NULL;
        }
        at = scan_after(s, at, &objects, &depth);
    } while (at && depth);
    return at;
}

/* ---- the value that is looked for ---- */

/* Returns whether a number would be written with the same digits: a whole one of at most 17, or one of at most 15 whose
 * fraction ends in another digit than 0; -0 is written otherwise. */
static bool is_written_number(const char *at, const char *end)
{
    const char *digits = at + (*at == '-'), *point = NULL;
    for (const char *c = digits; c < end; c++) {
        if (*c == '.')
            point = c;
        else if (*c < '0' || *c > '9')
            return false;
    }
    if (!point)
        return end - digits <= 17 && !(*digits == '0' && digits > at);
    return end - digits <= 16 && end[-1] != '0' && (*digits != '0' || point[1] != '0');
}

static const char *scan_found(json_scanner *s, const char *at)
{
    s->commas = 0;
    const char *end = scan_value(s, at);
    if (!end)
        return NULL;
    bool has_elements = *at == '[' && *scan_space(s, at + 1) != ']';
    bool is_number = *at == '-' || (*at >= '0' && *at <= '9');
    bool is_word = *at == 't' || *at == 'f' || *at == 'n';
    bool is_so = is_number ? is_written_number(at, end) : is_word || (*at == '"' && !s->has_escape);
    *s->found = (json_part){at, (size_t)(end - at), has_elements ? s->commas + 1 : 0, is_so};
    return end;
}

static const char *scan_step(json_scanner *s, const char *at, const json_step *step, size_t steps);

static bool scan_is_key(const json_step *step, const char *key, const char *end)
{
    return step->kind != JSON_STEP_INDEX && (size_t)(end - key) == (size_t)step->bytes + 2 &&
           !memcmp(key + 1, step->key, step->bytes);
}

static const char *scan_object(json_scanner *s, const char *at, const json_step *step, size_t steps)
{
    bool is_met = false;
    at = scan_space(s, at + 1);
    if (at < s->end && *at == '}')
        return at + 1;
    for (;;) {
        const char *key = at;
        if (at >= s->end || *at != '"' || !(at = scan_string(s, at)) || s->has_escape)
            return NULL;
        bool is_key = !is_met && scan_is_key(step, key, at);
        is_met |= is_key;
        at = scan_space(s, at);
        if (at >= s->end || *at != ':')
            return NULL;
        at = scan_space(s, at + 1);
        at = is_key ? scan_step(s, at, step + 1, steps - 1) : scan_value(s, at);
        if (!at || (at = scan_space(s, at)) >= s->end)
            return NULL;
        if (*at == '}')
            return at + 1;
        if (*at != ',')
            return NULL;
        at = scan_space(s, at + 1);
    }
}

static const char *json_scan_array(json_scanner *s, const char *at, const json_step *step,
                                   size_t steps)
{
    bool is_index = step->kind == JSON_STEP_INDEX || step->is_number;
    at = scan_space(s, at + 1);
    if (at < s->end && *at == ']')
        return at + 1;
    for (int64_t number = 0;; number++) {
        bool is_it = is_index && number == step->index;
        at = is_it ? scan_step(s, at, step + 1, steps - 1) : scan_value(s, at);
        if (!at || (at = scan_space(s, at)) >= s->end)
            return NULL;
        if (*at == ']')
            return at + 1;
        if (*at != ',')
            return NULL;
        at = scan_space(s, at + 1);
    }
}

/* Returns what stands behind the value; the path's rest leads into it. */
static const char *scan_step(json_scanner *s, const char *at, const json_step *step, size_t steps)
{
    if (at >= s->end)
        return NULL;
    if (!steps)
        return scan_found(s, at);
    return *at == '{'   ? scan_object(s, at, step, steps)
           : *at == '[' ? json_scan_array(s, at, step, steps)
                        : scan_value(s, at);
}

bool json_scan(const char *text, size_t bytes, const json_path *path, json_part *out)
{
    json_scanner s = {.start = text, .end = text + bytes, .found = out};
    *out = (json_part){0};
    if (path->has_negative || path->steps.count > DEPTH_MAX)
        return false;
    const char *at = scan_step(&s, scan_space(&s, text), path->steps.items, path->steps.count);
    return at && scan_space(&s, at) == s.end;
}
