/* kernel_code.c - integer keys of several columns, or with holes too large to rank: as one number
 * each, found by open addressing. */
#include "device/cpu/kernel_keys_with.h"
#include "device/kernels/kernel_ops.h"

#if defined __AVX2__ || defined __AVX512F__
#include <immintrin.h>
#endif

/* How far ahead slots are fetched: within a batch of codes, or into the next one. */
#define AHEAD 24
#define BATCH 64

void ISA_(code_pack)(const code_pack_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t minimum = (uint64_t)a->minimum, range = a->range;
    if (!a->combine) {
        WITH_KEYS(for (size_t i = 0; i < count; i++) {
            uint64_t digit = (uint64_t)(int64_t)keys[i] - minimum;
            a->out[i] = digit < range ? digit + 1 : 0;
        })
    } else {
        WITH_KEYS(for (size_t i = 0; i < count; i++) {
            uint64_t digit = (uint64_t)(int64_t)keys[i] - minimum;
            bool has_code = (digit < range) & (a->out[i] != 0);
            a->out[i] = has_code ? (a->out[i] - 1) * range + digit + 1 : 0;
        })
    }
    for (size_t i = 0; a->validity && i < count; i++)
        a->out[i] = kernel_bit(a->validity, i) ? a->out[i] : 0;
}

/* Returns the slot at which a hash begins to look; a number of slots that is a power of two, as SQL's tables have,
 * costs no multiplication. */
static inline uint64_t code_start_of(uint64_t hash, uint64_t slots, bool is_power)
{
    return is_power ? hash & (slots - 1) : kernel_slot_of(hash, slots);
}

/* Slots are looked at line by line, as they lie in a cache line each: a hash says with which one of its line to
 * begin, then the others of that line follow, then those of the next. So of a table that is half full few codes
 * need a second line. */
#define LINE DEV_CODE_LINE

static inline uint64_t line_of(uint64_t at)
{
    return at & ~(uint64_t)(LINE - 1);
}

static inline uint64_t code_next_line(uint64_t line, uint64_t slots)
{
    return line + LINE == slots ? 0 : line + LINE;
}

static inline bool code_is_power_of_two(uint64_t slots)
{
    return !(slots & (slots - 1));
}

/* For constants `is_power` and `has_parts`: each loop has what it needs. */
#define LOOP static inline __attribute__((always_inline)) void

/* Finds the slots at which codes [first, first + BATCH), as far as there are any, begin to look. */
LOOP find_starts(const uint64_t *codes, size_t first, size_t count, uint64_t slots, bool is_power,
                 uint64_t *out)
{
    size_t end = first + BATCH < count ? first + BATCH : count;
    for (size_t i = first; i < end; i++)
        out[i % (2 * BATCH)] = code_start_of(kernel_mix(codes[i]), slots, is_power);
}

/* The slot that has the code, or takes it. All that look for one go the same way, so that it has one slot. */
static inline uint64_t claim(uint64_t *slots, uint64_t slot_count, uint64_t start, uint64_t code,
                             uint64_t *added)
{
    for (uint64_t line = line_of(start);; line = code_next_line(line, slot_count))
        for (uint64_t k = 0; k < LINE; k++) {
            uint64_t at = line + (start + k) % LINE;
            uint64_t there = __atomic_load_n(&slots[at], __ATOMIC_RELAXED);
            if (!there && __atomic_compare_exchange_n(&slots[at], &there, code, false,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
                ++*added;
                return at;
            }
            if (there == code)
                return at;
        }
}

LOOP insert(const code_insert_arguments *a, bool is_power)
{
    size_t count = kernel_count(a->count);
    uint64_t slots = a->slot_count, codes = 0, added = 0, starts[2 * BATCH];
    find_starts(a->codes, 0, count, slots, is_power, starts);
    for (size_t i = 0; i < count; i++) {
        if (i % BATCH == 0)
            find_starts(a->codes, i + BATCH, count, slots, is_power, starts);
        if (i + AHEAD < count)
            __builtin_prefetch(&a->slots[starts[(i + AHEAD) % (2 * BATCH)]], 1);
        uint64_t code = a->codes[i];
        a->out[i] = ROW_NULL;
        if (!code)
            continue;
        a->out[i] = (uint32_t)claim(a->slots, slots, starts[i % (2 * BATCH)], code, &added);
        codes++;
    }
    __atomic_fetch_add(&a->stats[0], codes, __ATOMIC_RELAXED);
    __atomic_fetch_add(&a->stats[1], added, __ATOMIC_RELAXED);
}

/* ---- slots with rows, for devices that have them: nothing is fetched ahead, slots are looked at one by one ---- */

static inline uint64_t *slot_at(uint64_t *slots, uint64_t at, uint32_t row_bits)
{
    return slots + (row_bits == DEV_SLOT_PAIR ? 2 * at : at);
}

static inline unsigned shift_of(uint32_t row_bits)
{
    return row_bits == DEV_SLOT_PAIR ? 0 : row_bits;
}

/* The slot that has the code, or takes it. */
static uint32_t claim_for_row(const code_insert_arguments *a, uint64_t code, uint64_t row,
                              uint64_t *added)
{
    unsigned shift = shift_of(a->row_bits);
    uint64_t own = code << shift | (shift ? row : 0);
    for (uint64_t at = kernel_slot_of(kernel_mix(code), a->slot_count);;
         at = at + 1 == a->slot_count ? 0 : at + 1) {
        uint64_t *slot = slot_at(a->slots, at, a->row_bits);
        uint64_t there = __atomic_load_n(slot, __ATOMIC_RELAXED);
        if (!there && __atomic_compare_exchange_n(slot, &there, own, false, __ATOMIC_RELAXED,
                                                  __ATOMIC_RELAXED)) {
            if (!shift)
                slot[1] = row;
            ++*added;
            return (uint32_t)at;
        }
        if (there >> shift == code)
            return (uint32_t)at;
    }
}

static void insert_rows(const code_insert_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t codes = 0, added = 0;
    for (size_t i = 0; i < count; i++) {
        a->out[i] = ROW_NULL;
        if (!a->codes[i])
            continue;
        a->out[i] = claim_for_row(a, a->codes[i], a->first_row + i, &added);
        codes++;
    }
    __atomic_fetch_add(&a->stats[0], codes, __ATOMIC_RELAXED);
    __atomic_fetch_add(&a->stats[1], added, __ATOMIC_RELAXED);
}

static uint32_t code_find_row(const code_find_arguments *a, uint64_t code)
{
    uint64_t hash = kernel_mix(code), at = kernel_slot_of(hash, a->slot_count);
    uint64_t first = a->parts > 1 ? dev_rank_of(hash, a->parts) * a->slot_count : 0;
    unsigned shift = shift_of(a->row_bits);
    for (; code; at = at + 1 == a->slot_count ? 0 : at + 1) {
        const uint64_t *slot = slot_at((uint64_t *)a->slots, first + at, a->row_bits);
        if (!*slot)
            break;
        if (*slot >> shift == code && !a->gives_rows)
            return (uint32_t)(first + at);
        if (*slot >> shift == code)
            return (uint32_t)(shift ? *slot & (((uint64_t)1 << shift) - 1) : slot[1]);
    }
    return ROW_NULL;
}

static void code_find_rows(const code_find_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++)
        a->out[i] = code_find_row(a, a->codes[i]);
}

/* ---- kernels ---- */

#define MADE_CODES 1024 /* at a time; whole words of validity */

/* Makes the codes of rows from `first` on out of one column of keys. Returns their number, 0 at the end. */
static size_t make_row_codes(data_type type, const void *keys, const uint64_t *validity,
                             size_t first, size_t count, int64_t minimum, uint64_t range,
                             uint64_t *out)
{
    size_t left = count - first, rows = left < MADE_CODES ? left : MADE_CODES;
    ISA_(code_pack)
    (&(code_pack_arguments){.type = type,
                            .keys = (const char *)keys + first * type.width,
                            .validity = validity ? validity + first / 64 : NULL,
                            .count = dev_count_exact(rows),
                            .minimum = minimum,
                            .range = range,
                            .out = out});
    return rows;
}

static void insert_keys(const code_insert_arguments *a)
{
    uint64_t codes[MADE_CODES];
    size_t count = kernel_count(a->count);
    for (size_t first = 0, rows; first < count; first += rows) {
        code_insert_arguments part = *a;
        rows = make_row_codes(a->type, a->keys, a->validity, first, count, a->minimum, a->range,
                              codes);
        part.codes = codes;
        part.count = dev_count_exact(rows);
        part.first_row += (uint32_t)first;
        part.out += first;
        ISA_(code_insert)(&part);
    }
}

static void find_keys(const code_find_arguments *a)
{
    uint64_t codes[MADE_CODES];
    size_t count = kernel_count(a->count);
    for (size_t first = 0, rows; first < count; first += rows) {
        code_find_arguments part = *a;
        rows = make_row_codes(a->type, a->keys, a->validity, first, count, a->minimum, a->range,
                              codes);
        part.codes = codes;
        part.count = dev_count_exact(rows);
        part.out += first;
        ISA_(code_find)(&part);
    }
}

void ISA_(code_insert)(const code_insert_arguments *a)
{
    if (!a->codes) {
        insert_keys(a);
        return;
    }
    if (a->row_bits) {
        insert_rows(a);
        return;
    }
    if (code_is_power_of_two(a->slot_count))
        insert(a, true);
    else
        insert(a, false);
}

/* Which of a line's slots have the code, a bit each; *out_free: which are free. */
static inline unsigned match_line(const uint64_t *line, uint64_t code, unsigned *out_free)
{
#if defined __AVX512F__
    __m512i there = _mm512_loadu_si512(line);
    *out_free = _mm512_testn_epi64_mask(there, there);
    return _mm512_cmpeq_epi64_mask(there, _mm512_set1_epi64((int64_t)code));
#elif defined __AVX2__
    __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)line);
    __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(line + 4));
    __m256i wanted = _mm256_set1_epi64x((int64_t)code), none = _mm256_setzero_si256();
    *out_free = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(low, none))) |
                (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(high, none)))
                    << 4;
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(low, wanted))) |
           (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(high, wanted))) << 4;
#else
    unsigned matches = 0, free = 0;
    for (unsigned k = 0; k < LINE; k++) {
        matches |= (unsigned)(line[k] == code) << k;
        free |= (unsigned)!line[k] << k;
    }
    *out_free = free;
    return matches;
#endif
}

/* A line with a free slot is the last one in which a code can be. */
static inline uint32_t find_code(const uint64_t *slots, uint64_t first, uint64_t slot_count,
                                 uint64_t start, uint64_t code)
{
    const uint64_t *part = slots + first;
    uint64_t line = line_of(start);
    unsigned free, matches = match_line(part + line, code, &free);
    while (!(matches | free)) {
        line = code_next_line(line, slot_count);
        matches = match_line(part + line, code, &free);
    }
    uint32_t at = (uint32_t)(first + line) + (uint32_t)__builtin_ctz(matches | 1u << LINE);
    return code && matches ? at : ROW_NULL;
}

LOOP find(const code_find_arguments *a, bool has_parts, bool is_power)
{
    size_t count = kernel_count(a->count);
    uint64_t slots = a->slot_count, starts[2 * BATCH];
    find_starts(a->codes, 0, count, slots, is_power, starts);
    for (size_t i = 0; i < count; i++) {
        if (i % BATCH == 0)
            find_starts(a->codes, i + BATCH, count, slots, is_power, starts);
        if (i + AHEAD < count) {
            uint64_t first =
                has_parts ? dev_rank_of(kernel_mix(a->codes[i + AHEAD]), a->parts) * slots : 0;
            __builtin_prefetch(&a->slots[first + line_of(starts[(i + AHEAD) % (2 * BATCH)])]);
        }
        uint64_t code = a->codes[i];
        uint64_t first = has_parts ? dev_rank_of(kernel_mix(code), a->parts) * slots : 0;
        a->out[i] = find_code(a->slots, first, slots, starts[i % (2 * BATCH)], code);
    }
}

void ISA_(code_find)(const code_find_arguments *a)
{
    bool is_power = code_is_power_of_two(a->slot_count);
    if (!a->codes) {
        find_keys(a);
        return;
    }
    if (a->row_bits) {
        code_find_rows(a);
        return;
    }
    if (a->parts > 1 && is_power)
        find(a, true, true);
    else if (a->parts > 1)
        find(a, true, false);
    else if (is_power)
        find(a, false, true);
    else
        find(a, false, false);
}
