/* similarity.c - how alike two texts are, character by character (UTF-8): edit distances, Jaccard, Jaro, Winkler.
 *
 * Memory grows with the sum of both lengths, never with their product, and is taken from the query's budget. */
#include "device/host/host.h"
#include "device/value/text_part.h"

#define CHARACTERS ((size_t)1 << 21) /* numbers that similarity_decode() gives */

typedef struct state {
    uint32_t *words;    /* scratch of a row */
    size_t bytes;       /* of it */
    uint8_t *seen;      /* by character, zero between rows: which of both texts has it (1, 2) */
    mem_budget *budget; /* or NULL */
} state;

/* Two decoded texts. */
typedef struct pair {
    const uint32_t *a, *b;
    size_t a_count, b_count;
} pair;

static status similarity_begin(host_call *c)
{
    state *s = mem_new(sizeof *s);
    if (!s)
        return status_no_memory("text similarity", sizeof *s);
    s->budget = c->dev ? c->dev->budget : NULL;
    c->state = s;
    return STATUS_OK;
}

static void similarity_end(host_call *c)
{
    state *s = c->state;
    if (!s)
        return;
    if (s->budget)
        mem_budget_give(s->budget, s->bytes);
    mem_free(s->words);
    mem_free(s->seen);
    mem_free(s);
}

const host_function_ops host_similarity_ops = {.begin = similarity_begin, .end = similarity_end};

/* Scratch of at least so many words, with unknown content. */
static status similarity_scratch(state *s, size_t words, uint32_t **out)
{
    size_t bytes = words * sizeof **out;
    if (bytes > s->bytes) {
        size_t wanted = bytes < 4096 ? 4096 : bytes;
        if (s->budget)
            TRY(mem_budget_take(s->budget, wanted - s->bytes, "text similarity"));
        void *larger = mem_resize(s->words, wanted);
        if (!larger) {
            if (s->budget)
                mem_budget_give(s->budget, wanted - s->bytes);
            return status_no_memory("text similarity", wanted);
        }
        s->words = larger;
        s->bytes = wanted;
    }
    *out = s->words;
    return STATUS_OK;
}

/* ---- characters ---- */

/* The character at *at, which moves behind it; below CHARACTERS whatever the bytes are. */
static uint32_t similarity_decode(const char *text, size_t bytes, size_t *at)
{
    unsigned char first = (unsigned char)text[*at];
    if (first < 0x80) {
        (*at)++;
        return first;
    }
    size_t from = *at;
    *at = text_character_end(text, bytes, from);
    uint32_t character = first & (first < 0xe0 ? 0x1f : first < 0xf0 ? 0x0f : 0x07);
    for (size_t i = from + 1; i < *at; i++)
        character = character << 6 | ((unsigned char)text[i] & 0x3f);
    return character & (CHARACTERS - 1);
}

static size_t decode_all(const string_view *view, uint32_t *out)
{
    const char *text = string_data(view);
    size_t count = 0;
    for (size_t at = 0; at < view->bytes;)
        out[count++] = similarity_decode(text, view->bytes, &at);
    return count;
}

/* The decoded texts of a row; *rest has room for `rows` arrays of either length + 2. */
static status similarity_pair_of(host_call *c, uint64_t row, size_t rows, pair *out,
                                 uint32_t **rest)
{
    const string_view *a = host_text(c, 0, row), *b = host_text(c, 1, row);
    size_t longer = a->bytes > b->bytes ? a->bytes : b->bytes;
    size_t words = (size_t)a->bytes + b->bytes + rows * (longer + 2);
    uint32_t *memory;
    TRY(similarity_scratch(c->state, words, &memory));
    out->a = memory;
    out->a_count = decode_all(a, memory);
    out->b = memory + a->bytes;
    out->b_count = decode_all(b, memory + a->bytes);
    *rest = memory + a->bytes + b->bytes;
    return STATUS_OK;
}

/* Without the common start and end, which cost no edit; the shorter one second. */
static void strip(pair *p)
{
    while (p->a_count && p->b_count && *p->a == *p->b) {
        p->a++;
        p->b++;
        p->a_count--;
        p->b_count--;
    }
    while (p->a_count && p->b_count && p->a[p->a_count - 1] == p->b[p->b_count - 1]) {
        p->a_count--;
        p->b_count--;
    }
    if (p->a_count < p->b_count)
        *p = (pair){p->b, p->a, p->b_count, p->a_count};
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ---- Levenshtein ---- */

status host_levenshtein(host_call *c, uint64_t row)
{
    pair p;
    uint32_t *costs;
    TRY(similarity_pair_of(c, row, 1, &p, &costs));
    strip(&p);
    for (size_t j = 0; j <= p.b_count; j++)
        costs[j] = (uint32_t)j;
    uint64_t step = 1;
    for (size_t i = 0; i < p.a_count && p.b_count; i++) {
        uint32_t diagonal = costs[0], character = p.a[i];
        costs[0] = (uint32_t)i + 1;
        for (size_t j = 0; j < p.b_count; j++) {
            uint32_t replaced = diagonal + (character != p.b[j]);
            diagonal = costs[j + 1];
            costs[j + 1] = smaller(replaced, smaller(diagonal, costs[j]) + 1);
            if (cancel_look(step++))
                return cancel_check();
        }
    }
    host_put_integer(c, row, p.b_count ? costs[p.b_count] : (int64_t)p.a_count);
    return STATUS_OK;
}

/* ---- Damerau-Levenshtein ---- */

/* Rows of the matrix of distances, by the place in b from -1 on, after Zhao and Sahni: String correction using the
 * Damerau-Levenshtein distance (2019). */
typedef struct damerau {
    uint32_t *now, *before;
    uint32_t *swapped; /* the cost before the last pair of swapped characters began */
    uint32_t *last; /* by the place in b: the last row whose character is the one there; 0: none */
} damerau;

/* The row of one character of a. */
static status damerau_row(const pair *p, damerau *d, uint32_t i, uint32_t most)
{
    uint32_t character = p->a[i - 1], last_column = 0, from_last = most, cost_of_last = d->now[0];
    d->now[0] = i;
    for (uint32_t j = 1; j <= p->b_count; j++) {
        bool is_same = character == p->b[j - 1];
        uint32_t cost =
            smaller(d->before[j - 1] + !is_same, smaller(d->now[j - 1], d->before[j]) + 1);
        if (is_same) {
            d->swapped[j] = j > 1 ? d->before[j - 2] : most;
            from_last = cost_of_last;
            last_column = j;
            d->last[j] = i;
        } else if (last_column && j - last_column == 1 && d->last[j]) {
            cost = smaller(cost, d->swapped[j] + (i - d->last[j]));
        } else if (last_column && d->last[j] && i - d->last[j] == 1) {
            cost = smaller(cost, from_last + (j - last_column));
        }
        cost_of_last = d->now[j];
        d->now[j] = cost;
        if (cancel_look(j))
            return cancel_check();
    }
    return STATUS_OK;
}

status host_damerau_levenshtein(host_call *c, uint64_t row)
{
    pair p;
    uint32_t *rows;
    TRY(similarity_pair_of(c, row, 4, &p, &rows));
    strip(&p);
    size_t width = p.b_count + 2;
    uint32_t most = (uint32_t)p.a_count + 1;
    damerau d = {rows, rows + width, rows + 2 * width, rows + 3 * width};
    for (uint32_t j = 0; j < width; j++) {
        d.now[j] = j;
        d.before[j] = d.swapped[j] = most;
        d.last[j] = 0;
    }
    for (uint32_t i = 1; i <= p.a_count && p.b_count; i++) {
        uint32_t *other = d.now;
        d.now = d.before;
        d.before = other;
        if (cancel_look(i))
            return cancel_check();
        TRY(damerau_row(&p, &d, i, most));
    }
    host_put_integer(c, row, p.b_count ? d.now[p.b_count] : (int64_t)p.a_count);
    return STATUS_OK;
}

/* ---- Hamming ---- */

status host_hamming(host_call *c, uint64_t row)
{
    const string_view *a = host_text(c, 0, row), *b = host_text(c, 1, row);
    size_t a_at = 0, b_at = 0;
    int64_t count = 0;
    if (!a->bytes || !b->bytes)
        return status_new(STATUS_KIND_DATA, "hamming counts no differences of an empty text");
    for (uint64_t step = 1; a_at < a->bytes && b_at < b->bytes; step++) {
        count += similarity_decode(string_data(a), a->bytes, &a_at) !=
                 similarity_decode(string_data(b), b->bytes, &b_at);
        if (cancel_look(step))
            return cancel_check();
    }
    if (a_at < a->bytes || b_at < b->bytes)
        return status_new(STATUS_KIND_DATA,
                          "hamming compares texts of equal length, not of %zu and %zu characters",
                          text_characters(string_data(a), a->bytes),
                          text_characters(string_data(b), b->bytes));
    host_put_integer(c, row, count);
    return STATUS_OK;
}

/* ---- Jaccard ---- */

typedef struct census {
    uint64_t characters; /* different ones of both texts */
    uint64_t common;     /* in both of them */
} census;

static void count_characters(state *s, const string_view *view, uint8_t mark, census *out)
{
    const char *text = string_data(view);
    for (size_t at = 0; at < view->bytes;) {
        uint8_t *seen = &s->seen[similarity_decode(text, view->bytes, &at)];
        out->characters += !*seen;
        out->common += *seen && !(*seen & mark);
        *seen |= mark;
    }
}

static void forget_characters(state *s, const string_view *view)
{
    const char *text = string_data(view);
    for (size_t at = 0; at < view->bytes;)
        s->seen[similarity_decode(text, view->bytes, &at)] = 0;
}

status host_jaccard(host_call *c, uint64_t row)
{
    state *s = c->state;
    const string_view *a = host_text(c, 0, row), *b = host_text(c, 1, row);
    census both = {0};
    if (!a->bytes || !b->bytes)
        return status_new(STATUS_KIND_DATA, "jaccard compares no empty text");
    if (!s->seen && !(s->seen = mem_new(CHARACTERS)))
        return status_no_memory("text similarity", CHARACTERS);
    count_characters(s, a, 1, &both);
    count_characters(s, b, 2, &both);
    forget_characters(s, a);
    forget_characters(s, b);
    host_put_double(c, row, (double)both.common / (double)both.characters);
    return STATUS_OK;
}

/* ---- Jaro ---- */

#define WINKLER_FROM                                                                               \
    0.7 /* a likeness above it counts the common start, of at most so many characters */
#define WINKLER_PREFIX 4
#define WINKLER_WEIGHT 0.1

/* Pairs equal characters that are at most `bound` places apart, each once; marks them in a and in b. */
static status similarity_match(const pair *p, size_t bound, uint32_t *in_a, uint32_t *in_b,
                               uint64_t *out)
{
    uint64_t step = 1, count = 0;
    memset(in_a, 0, p->a_count * sizeof *in_a);
    memset(in_b, 0, p->b_count * sizeof *in_b);
    for (size_t j = 0; j < p->b_count; j++) {
        size_t at = j > bound ? j - bound : 0;
        size_t last = j + bound < p->a_count ? j + bound + 1 : p->a_count;
        for (; at < last && (in_a[at] || p->a[at] != p->b[j]); at++)
            if (cancel_look(step++))
                return cancel_check();
        if (at >= last)
            continue;
        in_a[at] = in_b[j] = 1;
        count++;
    }
    *out = count;
    return STATUS_OK;
}

/* Counts the matched characters, taken in order, that differ: twice the transpositions. */
static uint64_t count_moved(const pair *p, const uint32_t *in_a, const uint32_t *in_b)
{
    uint64_t moved = 0;
    for (size_t i = 0, j = 0; j < p->b_count; j++) {
        if (!in_b[j])
            continue;
        while (!in_a[i])
            i++;
        moved += p->a[i++] != p->b[j];
    }
    return moved;
}

static status jaro(const pair *p, uint32_t *rest, double *out)
{
    uint32_t *in_a = rest, *in_b = rest + p->a_count;
    uint64_t matches = 0;
    size_t half = (p->a_count > p->b_count ? p->a_count : p->b_count) / 2;
    *out = 0;
    TRY(similarity_match(p, half ? half - 1 : 0, in_a, in_b, &matches));
    if (!matches)
        return STATUS_OK;
    double count = (double)matches;
    uint64_t transpositions = count_moved(p, in_a, in_b) / 2;
    *out = (count / (double)p->a_count + count / (double)p->b_count +
            (count - (double)transpositions) / count) /
           3;
    return STATUS_OK;
}

/* Below the third argument: 0. */
static void put_likeness(host_call *c, uint64_t row, double likeness)
{
    if (c->arg_count < 3 || likeness >= host_double(c, 2, row))
        host_put_double(c, row, likeness);
}

status host_jaro_similarity(host_call *c, uint64_t row)
{
    pair p;
    uint32_t *rest;
    double likeness;
    TRY(similarity_pair_of(c, row, 2, &p, &rest));
    TRY(jaro(&p, rest, &likeness));
    put_likeness(c, row, likeness);
    return STATUS_OK;
}

status host_jaro_winkler_similarity(host_call *c, uint64_t row)
{
    pair p;
    uint32_t *rest;
    double likeness;
    size_t prefix = 0;
    TRY(similarity_pair_of(c, row, 2, &p, &rest));
    TRY(jaro(&p, rest, &likeness));
    while (prefix < WINKLER_PREFIX && prefix < p.a_count && prefix < p.b_count &&
           p.a[prefix] == p.b[prefix])
        prefix++;
    if (likeness > WINKLER_FROM)
        likeness += (double)prefix * WINKLER_WEIGHT * (1 - likeness);
    put_likeness(c, row, likeness);
    return STATUS_OK;
}
