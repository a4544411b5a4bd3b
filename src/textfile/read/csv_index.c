/* csv_index.c - ends of fields and records: by masks of 64 bytes, or state by state. */
#include "textfile/read/csv_index.h"

#include "base/cancel.h"

#include <string.h>

#define BLOCK 64u
#define LOW_BITS UINT64_C(0x7f7f7f7f7f7f7f7f)
#define EACH_BYTE UINT64_C(0x0101010101010101)
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A bit for each of 64 bytes. */
typedef struct block_masks {
    uint64_t delimiters, feeds, returns, quotes, high;
} block_masks;

typedef struct indexer {
    const csv_form *form;
    const char *text;
    size_t bytes;
    csv_index *out;
    uint64_t inside; /* all ones: the next byte is in quotes */
    uint64_t
        before; /* bit 0: a delimiter, line end or closing quote is before the next byte (or nothing) */
    uint64_t closed;   /* bit 0: a closing quote is */
    uint64_t returned; /* bit 0: a \r outside quotes is */
    uint64_t high;
} indexer;

static status make_room(csv_index *x, size_t more)
{
    TRY(array_reserve(NULL, &x->ends, more));
    x->firsts.count = x->begins.count = x->record_count + 1;
    TRY(array_reserve(NULL, &x->firsts, more + 1));
    return array_reserve(NULL, &x->begins, more + 1);
}

/* ---- masks ---- */

static uint64_t bytes_equal(uint64_t word, char c)
{
    uint64_t t = word ^ (EACH_BYTE * (uint8_t)c);
    return ~(((t & LOW_BITS) + LOW_BITS) | t | LOW_BITS);
}

static uint64_t csv_index_bits_of_bytes(uint64_t high_bits)
{
    return (high_bits >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

static block_masks masks_scalar(const char *block, const csv_form *form)
{
    block_masks m = {0};
    for (unsigned i = 0; i < BLOCK; i += 8) {
        uint64_t word;
        memcpy(&word, block + i, sizeof word);
        m.delimiters |= csv_index_bits_of_bytes(bytes_equal(word, form->delimiter)) << i;
        m.feeds |= csv_index_bits_of_bytes(bytes_equal(word, '\n')) << i;
        m.returns |= csv_index_bits_of_bytes(bytes_equal(word, '\r')) << i;
        m.quotes |= csv_index_bits_of_bytes(bytes_equal(word, form->quote)) << i;
        m.high |= csv_index_bits_of_bytes(word & ~LOW_BITS) << i;
    }
    return m;
}

/* Each bit: the parity of those up to it. */
ALWAYS_INLINE uint64_t parities(uint64_t bits)
{
    for (unsigned shift = 1; shift < BLOCK; shift *= 2)
        bits ^= bits << shift;
    return bits;
}

/* Takes what is in quotes out of *separators. `pairs`: each \n behind a \r. False: a quote stands where the state machine has to look. */
ALWAYS_INLINE bool take_quotes(indexer *x, const block_masks *m, uint64_t pairs,
                               uint64_t *separators)
{
    uint64_t inside = parities(m->quotes) ^ x->inside;
    uint64_t opening = m->quotes & inside, closing = m->quotes & ~inside;
    *separators &= ~inside;
    uint64_t before = (*separators | closing | pairs) << 1 | x->before;
    uint64_t behind_closing = closing << 1 | x->closed;
    x->inside = 0 - (inside >> 63);
    x->before = (*separators | closing | pairs) >> 63;
    x->closed = closing >> 63;
    return !(opening & ~before) && !(behind_closing & ~(*separators | opening));
}

/* Adds the ends that a block has at `at`. Room for 64 more is there. */
ALWAYS_INLINE void add_ends(indexer *x, uint32_t at, uint64_t separators, uint64_t lines)
{
    csv_index *out = x->out;
    uint32_t *to = out->ends.items + out->ends.count;
    for (uint64_t bits = lines; bits; bits &= bits - 1) {
        uint64_t before = separators & ((bits & -bits) - 1);
        uint32_t end = at + (uint32_t)__builtin_ctzll(bits);
        out->record_count++;
        out->firsts.items[out->record_count] =
            (uint32_t)(out->ends.count + (size_t)__builtin_popcountll(before) + 1);
        bool is_pair = x->text[end] == '\r' && end + 1 < x->bytes && x->text[end + 1] == '\n';
        out->begins.items[out->record_count] = end + 1 + is_pair;
    }
    unsigned count = (unsigned)__builtin_popcountll(separators);
    out->ends.count += count;
    while (separators) {
        for (unsigned i = 0; i < 8; i++, separators &= separators - 1)
            to[i] = at + (separators ? (uint32_t)__builtin_ctzll(separators) : 0);
        to += 8;
    }
}

ALWAYS_INLINE bool index_block(indexer *x, uint32_t at, const block_masks *m)
{
    uint64_t lines = m->feeds | m->returns;
    if (__builtin_expect(m->returns | x->returned, 0)) {
        /* The first byte of \r\n is the end, the second is skipped. */
        lines &= ~(m->feeds & (m->returns << 1 | x->returned));
        x->returned = m->returns >> 63;
    }
    uint64_t separators = m->delimiters | lines;
    x->high |= m->high;
    if (m->quotes | x->inside | x->closed) {
        if (!take_quotes(x, m, m->feeds & ~lines, &separators))
            return false;
        lines &= separators;
    } else {
        x->before = separators >> 63 | (m->feeds & ~lines) >> 63;
    }
    add_ends(x, at, separators, lines);
    return true;
}

/* ---- by instruction set ---- */

typedef bool index_span(indexer *x, uint32_t from, uint32_t to);

/* Indexes whole blocks. */
#define INDEX_SPAN(name, masks_of)                                                                 \
    static bool name(indexer *x, uint32_t from, uint32_t to)                                       \
    {                                                                                              \
        const csv_form form = *x->form;                                                            \
        for (uint32_t at = from; at < to; at += BLOCK) {                                           \
            block_masks m = masks_of(x->text + at, &form);                                         \
            if (!form.quote)                                                                       \
                m.quotes = 0;                                                                      \
            if (!index_block(x, at, &m))                                                           \
                return false;                                                                      \
        }                                                                                          \
        return true;                                                                               \
    }

INDEX_SPAN(index_scalar, masks_scalar)

#if defined __x86_64__
#include <immintrin.h>

#define WITH_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt")))
#define WITH_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,bmi,bmi2,popcnt,lzcnt")))

WITH_AVX2 static inline uint64_t equal_avx2(__m256i low, __m256i high, char c)
{
    __m256i pattern = _mm256_set1_epi8(c);
    uint32_t a = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, pattern));
    uint32_t b = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, pattern));
    return (uint64_t)b << 32 | a;
}

WITH_AVX2 static inline block_masks masks_avx2(const char *block, const csv_form *form)
{
    __m256i low = _mm256_loadu_si256((const __m256i *)block);
    __m256i high = _mm256_loadu_si256((const __m256i *)(block + 32));
    return (block_masks){.delimiters = equal_avx2(low, high, form->delimiter),
                         .feeds = equal_avx2(low, high, '\n'),
                         .returns = equal_avx2(low, high, '\r'),
                         .quotes = equal_avx2(low, high, form->quote),
                         .high = (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(low, high))};
}

WITH_AVX512 static inline block_masks masks_avx512(const char *block, const csv_form *form)
{
    __m512i bytes = _mm512_loadu_si512(block);
    return (block_masks){.delimiters =
                             _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(form->delimiter)),
                         .feeds = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\n')),
                         .returns = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\r')),
                         .quotes = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(form->quote)),
                         .high = _mm512_movepi8_mask(bytes)};
}

WITH_AVX2 INDEX_SPAN(index_avx2, masks_avx2)
WITH_AVX512 INDEX_SPAN(index_avx512, masks_avx512)
#endif

    static index_span *span_of(cpu_isa isa)
{
    cpu_note_use(isa);
#if defined __x86_64__
    if (isa >= CPU_ISA_AVX512)
        return index_avx512;
    if (isa >= CPU_ISA_AVX2)
        return index_avx2;
#endif
    return index_scalar;
}

/* Blocks of so many bytes between two looks for cancelling and room. */
#define SPAN_BYTES (64 * BLOCK)

/* *out_is_odd: a quote stands where only the state machine knows what it means. */
static status index_by_masks(indexer *x, cpu_isa isa, bool *out_is_odd)
{
    index_span *span = span_of(isa);
    size_t whole = x->bytes / BLOCK * BLOCK;
    *out_is_odd = false;
    x->before = 1;
    for (size_t at = 0; at < whole && !*out_is_odd; at += SPAN_BYTES) {
        size_t end = at + SPAN_BYTES < whole ? at + SPAN_BYTES : whole;
        TRY(cancel_check());
        TRY(make_room(x->out, end - at + 8));
        *out_is_odd = !span(x, (uint32_t)at, (uint32_t)end);
    }
    if (*out_is_odd || whole == x->bytes)
        return STATUS_OK;
    char last[BLOCK] = {0};
    memcpy(last, x->text + whole, x->bytes - whole);
    TRY(make_room(x->out, BLOCK + 8));
    block_masks m = masks_scalar(last, x->form);
    uint64_t there = (UINT64_C(1) << (x->bytes - whole)) - 1;
    m.delimiters &= there;
    m.quotes &= x->form->quote ? there : 0;
    *out_is_odd = !index_block(x, (uint32_t)whole, &m);
    return STATUS_OK;
}

/* ---- state by state ---- */

typedef enum state {
    AT_FIELD,
    IN_TEXT,
    IN_QUOTES,
    AFTER_QUOTE,
    AFTER_SPACES,
    IN_COMMENT /* that does not end here */
} state;

static status end_record(csv_index *out, size_t next)
{
    out->record_count++;
    TRY(array_reserve(NULL, &out->firsts, out->record_count + 1));
    TRY(array_reserve(NULL, &out->begins, out->record_count + 1));
    out->firsts.items[out->record_count] = (uint32_t)out->ends.count;
    out->begins.items[out->record_count] = (uint32_t)next;
    return STATUS_OK;
}

/* The state after a byte that neither ends the field nor is in quotes. */
static state step_outside(const csv_form *form, state now, char c)
{
    bool is_quote = form->quote && c == form->quote;
    switch (now) {
    case AT_FIELD:
        return is_quote ? IN_QUOTES : c == ' ' ? AT_FIELD : IN_TEXT;
    case AFTER_QUOTE:
        if (is_quote && form->escape == form->quote)
            return IN_QUOTES;
        return c == ' ' ? AFTER_SPACES : IN_TEXT;
    case AFTER_SPACES:
        return c == ' ' ? AFTER_SPACES : IN_TEXT;
    default:
        return IN_TEXT;
    }
}

/* The place behind a comment's line, which begins at `at`. */
static size_t skip_line(const indexer *x, size_t at)
{
    while (at < x->bytes && x->text[at] != '\n' && x->text[at] != '\r')
        at++;
    at += at + 1 < x->bytes && x->text[at] == '\r' && x->text[at + 1] == '\n';
    return at < x->bytes ? at + 1 : at;
}

static status index_by_states(indexer *x, state *out_state)
{
    const csv_form *form = x->form;
    csv_index *out = x->out;
    state now = AT_FIELD;
    for (size_t at = 0; at < x->bytes; at++) {
        char c = x->text[at];
        if (cancel_look(at))
            return cancel_check();
        if (form->comment && c == form->comment && at == out->begins.items[out->record_count]) {
            size_t next = skip_line(x, at);
            now = x->text[next - 1] == '\n' || x->text[next - 1] == '\r' ? AT_FIELD : IN_COMMENT;
            if (now == IN_COMMENT)
                break;
            out->begins.items[out->record_count] = (uint32_t)next;
            at = next - 1;
        } else if (now == IN_QUOTES) {
            if (c == form->escape && form->escape != form->quote && at + 1 < x->bytes)
                at++;
            else if (c == form->quote)
                now = AFTER_QUOTE;
        } else if (c == form->delimiter || c == '\n' || c == '\r') {
            TRY(array_push(NULL, &out->ends, (uint32_t)at));
            at += c == '\r' && at + 1 < x->bytes && x->text[at + 1] == '\n';
            if (c != form->delimiter)
                TRY(end_record(out, at + 1));
            now = AT_FIELD;
        } else {
            state next = step_outside(form, now, c);
            out->is_odd |= next == IN_TEXT && (now == AFTER_QUOTE || now == AFTER_SPACES);
            now = next;
        }
        x->high |= (uint8_t)c & 0x80;
    }
    *out_state = now;
    return STATUS_OK;
}

/* ---- the whole ---- */

static status index_begin(csv_index *out)
{
    out->ends.count = out->record_count = 0;
    out->is_open = out->is_odd = false;
    TRY(make_room(out, 1));
    out->firsts.items[0] = out->begins.items[0] = 0;
    return STATUS_OK;
}

/* The last record, if it has no line end of its own; or else what belongs to one that does not end here is dropped. */
static status finish(indexer *x, bool is_last, state last)
{
    csv_index *out = x->out;
    size_t begin = out->begins.items[out->record_count];
    if (is_last && begin < x->bytes && last == IN_COMMENT) {
        out->begins.items[out->record_count] = (uint32_t)x->bytes;
    } else if (is_last && begin < x->bytes) {
        TRY(array_push(NULL, &out->ends, (uint32_t)x->bytes));
        TRY(end_record(out, x->bytes));
        out->is_open = last == IN_QUOTES;
    }
    /* A \n that follows belongs to the last \r. */
    if (!is_last && out->record_count && out->begins.items[out->record_count] == x->bytes &&
        x->text[x->bytes - 1] == '\r')
        out->record_count--;
    out->ends.count = out->firsts.items[out->record_count];
    out->used = out->begins.items[out->record_count];
    out->is_ascii = !x->high;
    return STATUS_OK;
}

status csv_index_make(const csv_form *form, cpu_isa isa, const char *text, size_t bytes,
                      bool is_last, csv_index *out)
{
    bool is_odd = true;
    state last;
    indexer x = {.form = form, .text = text, .bytes = bytes, .out = out};
    TRY(index_begin(out));
    if (!form->comment && (!form->quote || form->escape == form->quote))
        TRY(index_by_masks(&x, isa, &is_odd));
    last = x.inside ? IN_QUOTES : AT_FIELD;
    if (is_odd) {
        x.high = 0;
        TRY(index_begin(out));
        TRY(index_by_states(&x, &last));
    }
    return finish(&x, is_last, last);
}

void csv_index_release(csv_index *index)
{
    array_release(&index->ends);
    array_release(&index->firsts);
    array_release(&index->begins);
}
