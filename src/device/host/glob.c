/* glob.c - x GLOB y: * is any characters, ? one, [a-z] one of these, [!a-z] one of no others; a backslash takes the next
 * character as it is. Characters are code points. */
#include "device/host/host.h"
#include "device/value/text_part.h"

typedef struct glob_text {
    const char *at, *end;
} glob_text;

/* Takes the next character. */
static glob_text glob_next(glob_text *from)
{
    glob_text one = {from->at, from->at};
    one.end += text_skip(from->at, (size_t)(from->end - from->at), 1);
    from->at = one.end;
    return one;
}

static int glob_compare(glob_text a, glob_text b)
{
    size_t a_bytes = (size_t)(a.end - a.at), b_bytes = (size_t)(b.end - b.at);
    int order = memcmp(a.at, b.at, a_bytes < b_bytes ? a_bytes : b_bytes);
    return order ? order : (a_bytes > b_bytes) - (a_bytes < b_bytes);
}

static bool glob_is(const glob_text *pattern, char c)
{
    return pattern->at < pattern->end && *pattern->at == c;
}

/* Matches the character with the set whose [ was taken; *pattern is after its end. A set without an end matches nothing. */
static bool glob_set(glob_text *pattern, glob_text character)
{
    bool is_negated = glob_is(pattern, '!'), is_in = false;
    pattern->at += is_negated;
    for (bool is_first = true; is_first || !glob_is(pattern, ']'); is_first = false) {
        if (pattern->at == pattern->end)
            return false;
        glob_text low = glob_next(pattern), high = low, rest = *pattern;
        rest.at += glob_is(&rest, '-');
        if (rest.at > pattern->at && rest.at < rest.end && *rest.at != ']') {
            high = glob_next(&rest);
            *pattern = rest;
        }
        is_in |= glob_compare(low, character) <= 0 && glob_compare(character, high) <= 0;
    }
    pattern->at++;
    return is_in != is_negated;
}

/* Matches one character with what the pattern has for it, which is taken. */
static bool glob_one(glob_text *pattern, glob_text character)
{
    glob_text wanted = glob_next(pattern);
    if (*wanted.at == '?')
        return true;
    if (*wanted.at == '[')
        return glob_set(pattern, character);
    if (*wanted.at == '\\') {
        if (pattern->at == pattern->end)
            return false;
        wanted = glob_next(pattern);
    }
    return !glob_compare(wanted, character);
}

/* Goes on after the last star wherever the rest does not match: what stars before it have taken can stay. */
static bool glob_matches(glob_text text, glob_text pattern)
{
    glob_text after_star = {0}, star_text = {0};
    bool has_star = false;
    while (text.at < text.end || pattern.at < pattern.end) {
        if (glob_is(&pattern, '*')) {
            pattern.at++;
            has_star = true;
            after_star = pattern;
            star_text = text;
            continue;
        }
        if (text.at < text.end && pattern.at < pattern.end && glob_one(&pattern, glob_next(&text)))
            continue;
        if (!has_star || star_text.at == star_text.end)
            return false;
        glob_next(&star_text);
        text = star_text;
        pattern = after_star;
    }
    return true;
}

status host_glob(host_call *c, uint64_t row)
{
    const string_view *text = host_text(c, 0, row), *pattern = host_text(c, 1, row);
    host_put_boolean(
        c, row,
        glob_matches((glob_text){string_data(text), string_data(text) + text->bytes},
                     (glob_text){string_data(pattern), string_data(pattern) + pattern->bytes}));
    return STATUS_OK;
}
