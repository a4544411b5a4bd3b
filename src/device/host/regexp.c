/* regexp.c - the functions of regular expressions: like, replace, substr, count, instr.
 *
 * A constant pattern is compiled once (plan); others when they change from one row to the next. */
#include "device/host/host.h"
#include "device/host/regex.h"
#include "device/nested_pack_bytes.h"
#include "device/value/text_part.h"

/* Places of the functions' optional arguments; 0: not there. */
typedef struct places {
    uint8_t flags, start, number, group, end_option;
} places;

static const places places_of[HOST_FUNCTION_COUNT] = {
    [HOST_REGEXP_LIKE] = {.flags = 2},
    [HOST_REGEXP_REPLACE] = {.flags = 3, .start = 4, .number = 5},
    [HOST_REGEXP_SUBSTR] = {.start = 2, .number = 3, .flags = 4, .group = 5},
    [HOST_REGEXP_EXTRACT] = {.group = 2, .flags = 3},
    [HOST_REGEXP_EXTRACT_ALL] = {.group = 2, .flags = 3},
    [HOST_REGEXP_EXTRACT_STRUCTS] = {.group = 2, .flags = 3},
    [HOST_REGEXP_EXTRACT_STRUCT] = {.group = 2, .flags = 3},
    [HOST_REGEXP_SPLIT] = {.flags = 2},
    [HOST_REGEXP_COUNT] = {.start = 2, .flags = 3},
    [HOST_REGEXP_INSTR] = {.start = 2, .number = 3, .end_option = 4, .flags = 5, .group = 6},
};

typedef struct state {
    regex_matcher *matcher;
    const regex *constant;
    /* The last row's pattern and flags, if they vary. */
    arena *memory;
    regex *last;
    string_view pattern, flags;
    /* The buffer in which a replaced text is put together, taken from a budget. */
    char *text;
    size_t bytes, capacity, bytes_max;
    mem_budget *budget; /* or NULL */
} state;

/* ---- patterns ---- */

/* Returns the flags of a function without such an argument. */
static string_view own_flags(host_function function)
{
    return string_view_make("i", function == HOST_REGEXP_ILIKE);
}

static status regexp_plan(host_function function, host_constants args, uint32_t arg_count,
                          arena *memory, const void **out)
{
    uint32_t place = places_of[function].flags;
    bool has_flags = place && place < arg_count;
    regex *r;
    if (!args[1] || (has_flags && !args[place]))
        return STATUS_OK;
    string_view flags = has_flags
                            ? string_view_make(args[place]->text, (uint32_t)args[place]->bytes)
                            : own_flags(function);
    TRY(regex_compile(args[1]->text, args[1]->bytes, string_data(&flags), flags.bytes, memory, &r));
    if (regex_is_global(r) && function != HOST_REGEXP_REPLACE)
        return status_new(STATUS_KIND_INVALID, "the option \"g\" is of regexp_replace alone");
    *out = r;
    return STATUS_OK;
}

static status regexp_begin(host_call *c)
{
    state *s = mem_new(sizeof *s);
    if (!s)
        return status_no_memory("regular expression", sizeof *s);
    c->state = s;
    s->constant = c->plan;
    s->budget = c->dev ? c->dev->budget : NULL;
    s->bytes_max = c->text_max ? c->text_max : HOST_TEXT_MAX;
    return regex_matcher_new(&s->matcher);
}

static void regexp_end(host_call *c)
{
    state *s = c->state;
    if (!s)
        return;
    regex_matcher_free(s->matcher);
    arena_free(s->memory);
    mem_free(s->text);
    if (s->budget)
        mem_budget_give(s->budget, s->capacity);
    mem_free(s);
}

const host_function_ops host_regexp_ops = {
    .plan = regexp_plan, .begin = regexp_begin, .end = regexp_end};

static bool same_text(const string_view *a, const string_view *b)
{
    return a->bytes == b->bytes && !memcmp(string_data(a), string_data(b), a->bytes);
}

static bool regexp_has(const host_call *c, uint32_t place)
{
    return place && place < c->arg_count;
}

/* The row's pattern. */
static status pattern_of(host_call *c, uint64_t row, const regex **out)
{
    state *s = c->state;
    uint32_t place = places_of[c->function].flags;
    const string_view own = own_flags(c->function), *pattern = host_text(c, 1, row);
    const string_view *flags = regexp_has(c, place) ? host_text(c, place, row) : &own;
    *out = s->constant;
    if (s->constant)
        return STATUS_OK;
    *out = s->last;
    if (s->last && same_text(pattern, &s->pattern) && same_text(flags, &s->flags))
        return STATUS_OK;
    arena_free(s->memory);
    s->memory = NULL;
    s->last = NULL;
    TRY(arena_new(&s->memory));
    TRY(regex_compile(string_data(pattern), pattern->bytes, string_data(flags), flags->bytes,
                      s->memory, &s->last));
    s->pattern = *pattern;
    s->flags = *flags;
    *out = s->last;
    return STATUS_OK;
}

/* ---- arguments ---- */

/* An optional number of at least `least`. */
static status regexp_number_of(const host_call *c, uint32_t place, uint64_t row, const char *name,
                               int64_t least, int64_t otherwise, int64_t *out)
{
    *out = otherwise;
    if (!regexp_has(c, place))
        return STATUS_OK;
    *out = host_integer(c, place, row);
    return *out >= least
               ? STATUS_OK
               : status_new(STATUS_KIND_DATA,
                            "%lld is not a value of a regular expression's argument \"%s\"",
                            (long long)*out, name);
}

/* The byte at which character `number`, from 1, begins; behind the text: more than its bytes. */
static size_t byte_of(const char *text, size_t bytes, int64_t number)
{
    size_t at = 0;
    while (--number > 0 && at < bytes)
        at = text_character_end(text, bytes, at);
    return number > 0 ? bytes + 1 : at;
}

/* A row's match: which text, from where, which of several. */
typedef struct search {
    regex_matcher *matcher;
    const regex *pattern;
    const char *text;
    size_t bytes, from;
    int64_t number;
    uint32_t group;
} search;

static status search_begin(host_call *c, uint64_t row, int64_t least_number, int64_t number,
                           search *out)
{
    const places *at = &places_of[c->function];
    const string_view *view = host_text(c, 0, row);
    int64_t start, group;
    *out = (search){
        .matcher = ((state *)c->state)->matcher, .text = string_data(view), .bytes = view->bytes};
    TRY(pattern_of(c, row, &out->pattern));
    TRY(regexp_number_of(c, at->start, row, "start", 1, 1, &start));
    TRY(regexp_number_of(c, at->number, row, "N", least_number, number, &out->number));
    TRY(regexp_number_of(c, at->group, row, "subexpr", 0, 0, &group));
    out->from = byte_of(out->text, out->bytes, start);
    out->group = group < REGEX_GROUPS_MAX ? (uint32_t)group : REGEX_GROUPS_MAX;
    regex_begin(out->matcher, out->pattern, out->text, out->bytes);
    return STATUS_OK;
}

/* The next match; from where the one after it is looked for. */
static status find_next(search *s, bool *out_found)
{
    *out_found = false;
    if (s->from > s->bytes)
        return STATUS_OK;
    TRY(regex_find(s->matcher, s->from, out_found));
    if (*out_found)
        s->from = regex_next(s->matcher);
    return STATUS_OK;
}

/* The match with the number that is asked for. */
static status find_numbered(search *s, bool *out_found)
{
    do
        TRY(find_next(s, out_found));
    while (*out_found && --s->number > 0);
    return STATUS_OK;
}

/* ---- functions ---- */

status host_regexp_like(host_call *c, uint64_t row)
{
    search s;
    bool is_found;
    TRY(search_begin(c, row, 1, 1, &s));
    TRY(find_next(&s, &is_found));
    host_put_boolean(c, row, is_found);
    return STATUS_OK;
}

status host_regexp_count(host_call *c, uint64_t row)
{
    search s;
    bool is_found;
    int64_t count = 0;
    TRY(search_begin(c, row, 1, 1, &s));
    for (;; count++) {
        TRY(find_next(&s, &is_found));
        if (!is_found)
            break;
    }
    host_put_integer(c, row, count);
    return STATUS_OK;
}

status host_regexp_instr(host_call *c, uint64_t row)
{
    search s;
    bool is_found;
    int64_t end_option;
    size_t first, last;
    TRY(regexp_number_of(c, places_of[c->function].end_option, row, "endoption", 0, 0,
                         &end_option));
    if (end_option > 1)
        TRY(status_new(STATUS_KIND_DATA,
                       "%lld is not a value of a regular expression's argument \"endoption\"",
                       (long long)end_option));
    TRY(search_begin(c, row, 1, 1, &s));
    TRY(find_numbered(&s, &is_found));
    if (is_found && regex_group(s.matcher, s.group, &first, &last))
        host_put_integer(c, row, (int64_t)text_characters(s.text, end_option ? last : first) + 1);
    return STATUS_OK;
}

/* A group of a match, as a part of the text. */
static status put_group(host_call *c, uint64_t row, bool *out_found)
{
    search s;
    size_t first, last;
    TRY(search_begin(c, row, 1, 1, &s));
    TRY(find_numbered(&s, out_found));
    *out_found = *out_found && regex_group(s.matcher, s.group, &first, &last);
    if (*out_found)
        host_put_part(c, row, s.text + first, last - first);
    return STATUS_OK;
}

status host_regexp_substr(host_call *c, uint64_t row)
{
    bool is_found;
    TRY(put_group(c, row, &is_found));
    if (!is_found)
        host_put_null(c, row);
    return STATUS_OK;
}

status host_regexp_extract(host_call *c, uint64_t row)
{
    bool is_found;
    return put_group(c, row, &is_found);
}

/* substring(text from pattern): the first group, if there is one. */
status host_regexp_part(host_call *c, uint64_t row)
{
    search s;
    bool is_found;
    size_t first, last;
    TRY(search_begin(c, row, 1, 1, &s));
    TRY(find_next(&s, &is_found));
    if (is_found && regex_group(s.matcher, regex_groups(s.pattern) > 0, &first, &last))
        host_put_part(c, row, s.text + first, last - first);
    else
        host_put_null(c, row);
    return STATUS_OK;
}

/* ---- replacing ---- */

static status regexp_grow(state *s, size_t bytes)
{
    if (bytes > s->bytes_max)
        return status_new(STATUS_KIND_DATA, "a text would have more than %zu bytes", s->bytes_max);
    size_t wanted = bytes < 512 ? 1024 : bytes * 2;
    if (s->budget)
        TRY(mem_budget_take(s->budget, wanted - s->capacity, "regular expression"));
    char *larger = mem_resize(s->text, wanted);
    if (!larger) {
        if (s->budget)
            mem_budget_give(s->budget, wanted - s->capacity);
        return status_no_memory("text", wanted);
    }
    s->text = larger;
    s->capacity = wanted;
    return STATUS_OK;
}

static status regexp_append(state *s, const char *text, size_t bytes)
{
    if (s->capacity - s->bytes < bytes)
        TRY(regexp_grow(s, s->bytes + bytes));
    if (bytes)
        memcpy(s->text + s->bytes, text, bytes);
    s->bytes += bytes;
    return STATUS_OK;
}

static status append_group(state *s, const search *found, uint32_t group)
{
    size_t first, last;
    if (!regex_group(found->matcher, group, &first, &last))
        return STATUS_OK;
    return regexp_append(s, found->text + first, last - first);
}

/* The replacement of a match: \1 to \9 stand for groups, \& for all of it. */
static status append_replacement(state *s, const search *found, const string_view *view)
{
    const char *text = string_data(view);
    size_t bytes = view->bytes, at = 0;
    while (at < bytes) {
        const char *escape = memchr(text + at, '\\', bytes - at);
        size_t plain = escape ? (size_t)(escape - text) : bytes;
        TRY(regexp_append(s, text + at, plain - at));
        at = plain + 2;
        char letter = plain + 1 < bytes ? text[plain + 1] : 0;
        if (!escape)
            break;
        if (letter >= '1' && letter <= '9')
            TRY(append_group(s, found, (uint32_t)(letter - '0')));
        else if (letter == '&')
            TRY(append_group(s, found, 0));
        else if (letter == '\\' || plain + 1 >= bytes)
            TRY(regexp_append(s, "\\", 1));
        else
            TRY(regexp_append(s, text + plain, 2));
    }
    return STATUS_OK;
}

/* A replacement of one group alone, of a match that is the whole text: a part of it. */
static bool is_one_group(const search *found, const string_view *replacement, size_t *out_first,
                         size_t *out_last)
{
    const char *text = string_data(replacement);
    size_t first, last;
    if (replacement->bytes != 2 || text[0] != '\\' || text[1] < '1' || text[1] > '9' ||
        !regex_group(found->matcher, 0, &first, &last) || first > 0 || last < found->bytes)
        return false;
    return regex_group(found->matcher, (uint32_t)(text[1] - '0'), out_first, out_last);
}

/* All matches from the one that was found on, or that one alone. */
static status device_host_regexp_replace(state *s, search *found, const string_view *replacement,
                                         bool is_global)
{
    size_t copied = 0, first = 0, last = 0;
    bool is_found = true;
    s->bytes = 0;
    while (is_found) {
        (void)regex_group(found->matcher, 0, &first, &last);
        TRY(regexp_append(s, found->text + copied, first - copied));
        TRY(append_replacement(s, found, replacement));
        copied = last;
        if (!is_global)
            break;
        TRY(find_next(found, &is_found));
    }
    return regexp_append(s, found->text + copied, found->bytes - copied);
}

status host_regexp_replace(host_call *c, uint64_t row)
{
    state *s = c->state;
    const string_view *replacement = host_text(c, 2, row);
    search found;
    bool is_found;
    size_t first, last;
    TRY(search_begin(c, row, 0, -1, &found));
    /* N: 0 is all of them; without it the flag says so. */
    bool is_global = found.number < 0 ? regex_is_global(found.pattern) : found.number == 0;
    TRY(find_numbered(&found, &is_found));
    if (!is_found) {
        host_put_part(c, row, found.text, found.bytes);
        return STATUS_OK;
    }
    if (is_one_group(&found, replacement, &first, &last) &&
        (!is_global || found.from > found.bytes)) {
        host_put_part(c, row, found.text + first, last - first);
        return STATUS_OK;
    }
    TRY(device_host_regexp_replace(s, &found, replacement, is_global));
    return host_put_text(c, row, s->text, s->bytes);
}

/* ---- lists and structs, as the bytes that nested_pack.h makes of them ---- */

static status append_byte(state *s, uint8_t byte)
{
    return regexp_append(s, (const char *)&byte, 1);
}

/* A text that is there: its bytes, 00 as 00 ff, and its end. */
static status append_packed(state *s, const char *text, size_t bytes)
{
    static const char zero[] = {0, (char)NESTED_ZERO};
    TRY(append_byte(s, NESTED_IS_THERE));
    while (bytes) {
        const char *end = memchr(text, 0, bytes);
        size_t piece = end ? (size_t)(end - text) : bytes;
        TRY(regexp_append(s, text, piece));
        if (!end)
            break;
        TRY(regexp_append(s, zero, sizeof zero));
        text += piece + 1;
        bytes -= piece + 1;
    }
    return regexp_append(s, "\0", 2);
}

/* A group of a match, NULL if it has no part in it. */
static status append_packed_group(state *s, const search *found, uint32_t group)
{
    size_t first, last;
    if (!regex_group(found->matcher, group, &first, &last))
        return append_byte(s, NESTED_IS_NULL);
    return append_packed(s, found->text + first, last - first);
}

static status check_groups(const search *s)
{
    if (s->group <= regex_groups(s->pattern))
        return STATUS_OK;
    return status_new(STATUS_KIND_DATA, "the pattern has %u groups, and not a number %u",
                      regex_groups(s->pattern), s->group);
}

static status extract_all(host_call *c, uint64_t row, bool makes_structs)
{
    state *s = c->state;
    search found;
    bool is_found;
    TRY(search_begin(c, row, 1, 1, &found));
    TRY(check_groups(&found));
    s->bytes = 0;
    for (;;) {
        TRY(find_next(&found, &is_found));
        if (!is_found)
            break;
        if (makes_structs)
            TRY(append_byte(s, NESTED_IS_THERE));
        for (uint32_t i = makes_structs ? 1 : found.group; i <= found.group; i++)
            TRY(append_packed_group(s, &found, i));
    }
    return host_put_text(c, row, s->text, s->bytes);
}

status host_regexp_extract_all(host_call *c, uint64_t row)
{
    return extract_all(c, row, false);
}

status host_regexp_extract_structs(host_call *c, uint64_t row)
{
    return extract_all(c, row, true);
}

/* The groups of the first match; empty texts where there is none. */
status host_regexp_extract_struct(host_call *c, uint64_t row)
{
    state *s = c->state;
    search found;
    bool is_found;
    size_t first, last;
    TRY(search_begin(c, row, 1, 1, &found));
    TRY(check_groups(&found));
    TRY(find_next(&found, &is_found));
    s->bytes = 0;
    for (uint32_t i = 1; i <= found.group; i++)
        if (is_found && regex_group(found.matcher, i, &first, &last))
            TRY(append_packed(s, found.text + first, last - first));
        else
            TRY(append_packed(s, "", 0));
    return host_put_text(c, row, s->text, s->bytes);
}

/* The parts of a text between matches. A match without characters where a part begins comes after its first one. */
status host_regexp_split(host_call *c, uint64_t row)
{
    state *s = c->state;
    search found;
    size_t at = 0, first = 0, last = 0;
    TRY(search_begin(c, row, 1, 1, &found));
    s->bytes = 0;
    while (at < found.bytes) {
        bool is_found;
        TRY(regex_find(found.matcher, at, &is_found));
        if (!is_found || !regex_group(found.matcher, 0, &first, &last))
            break;
        if (first == last && first == at) {
            first = last = text_character_end(found.text, found.bytes, at);
            if (first >= found.bytes)
                break;
        }
        TRY(append_packed(s, found.text + at, first - at));
        at = last;
    }
    TRY(append_packed(s, found.text + at, found.bytes - at));
    return host_put_text(c, row, s->text, s->bytes);
}
