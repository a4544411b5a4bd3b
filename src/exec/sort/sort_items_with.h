/* sort_items_with.h - sorting items of one width: included once for each, with
 * PISTACHIO_SORT_ITEM, its type, and NAMED(name).
 *
 * Items are whole numbers: code, then row number in the last `row_bits` bits. Rows of equal codes
 * are ascending at first, and no step moves one before another, so a step need not look at them.
 * A radix sort from the first bit that differs on, which leaves few items to an insertion sort. */

#ifndef PISTACHIO_SORT_ITEM
#error "which items?"
#endif
#define ITEM PISTACHIO_SORT_ITEM

#define SEARCHES 16
#define FEW_ITEMS 24
#define DIGIT_BITS 8
#define WIDE_DIGIT_BITS 11
#define WIDE_DIGIT_ITEMS (1u << 15)

static void NAMED(insertion_sort)(ITEM *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        ITEM moved = items[i];
        size_t at = i;
        for (; at && items[at - 1] > moved; at--)
            items[at] = items[at - 1];
        items[at] = moved;
    }
}

/* One past the highest bit that is not the same in all. */
static unsigned NAMED(varying_bits)(const ITEM *items, size_t count)
{
    ITEM varying = 0;
    for (size_t i = 1; i < count; i++)
        varying |= items[i] ^ items[0];
    uint64_t high = (uint64_t)((uint128)varying >> 64), low = (uint64_t)varying;
    return high ? 128 - (unsigned)__builtin_clzll(high)
                : (low ? 64 - (unsigned)__builtin_clzll(low) : 0);
}

/* Moves the items to `target` by a digit; ends[d]: where the items of d end. */
static void NAMED(scatter)(const ITEM *source, ITEM *target, size_t count, unsigned shift,
                           uint32_t digits, uint32_t *ends)
{
    memset(ends, 0, digits * sizeof *ends);
    for (size_t i = 0; i < count; i++)
        ends[(uint32_t)(source[i] >> shift) & (digits - 1)]++;
    uint32_t sum = 0;
    for (uint32_t d = 0; d < digits; d++) {
        uint32_t here = ends[d];
        ends[d] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        target[ends[(uint32_t)(source[i] >> shift) & (digits - 1)]++] = source[i];
}

/* Two digits that are all that varies: the last one first. */
static void NAMED(sort_two_digits)(ITEM *items, ITEM *scratch, size_t count, unsigned shift)
{
    uint32_t ends[1u << WIDE_DIGIT_BITS];
    NAMED(scatter)(items, scratch, count, shift, 1u << WIDE_DIGIT_BITS, ends);
    NAMED(scatter)(scratch, items, count, shift + WIDE_DIGIT_BITS, 1u << WIDE_DIGIT_BITS, ends);
}

static void NAMED(sort)(ITEM *items, ITEM *scratch, size_t count, unsigned row_bits);

/* By the highest digit of `bits` bits that varies, then what has the same. ends: room for 2^bits. */
static inline void NAMED(sort_by_digit)(ITEM *items, ITEM *scratch, size_t count, unsigned top,
                                        unsigned row_bits, unsigned bits, uint32_t *ends)
{
    uint32_t first = 0;
    unsigned shift = top - row_bits > bits ? top - bits : row_bits;
    NAMED(scatter)(items, scratch, count, shift, 1u << bits, ends);
    memcpy(items, scratch, count * sizeof *items);
    for (uint32_t d = 0; shift > row_bits && d < 1u << bits; first = ends[d++])
        if (ends[d] - first > 1)
            NAMED(sort)(items + first, scratch + first, ends[d] - first, row_bits);
}

static void NAMED(sort_digit)(ITEM *items, ITEM *scratch, size_t count, unsigned top,
                              unsigned row_bits)
{
    uint32_t ends[1u << DIGIT_BITS];
    NAMED(sort_by_digit)(items, scratch, count, top, row_bits, DIGIT_BITS, ends);
}

/* For so many items that a wide digit's places are worth their memory. */
static void NAMED(sort_wide_digit)(ITEM *items, ITEM *scratch, size_t count, unsigned top,
                                   unsigned row_bits)
{
    uint32_t ends[1u << WIDE_DIGIT_BITS];
    NAMED(sort_by_digit)(items, scratch, count, top, row_bits, WIDE_DIGIT_BITS, ends);
}

/* scratch: room for as many. */
static void NAMED(sort)(ITEM *items, ITEM *scratch, size_t count, unsigned row_bits)
{
    if (count <= FEW_ITEMS) {
        NAMED(insertion_sort)(items, count);
        return;
    }
    unsigned top = NAMED(varying_bits)(items, count);
    if (top <= row_bits)
        return;
    if (top <= row_bits + 2 * WIDE_DIGIT_BITS && count >= 1u << WIDE_DIGIT_BITS)
        NAMED(sort_two_digits)(items, scratch, count, row_bits);
    else if (count >= WIDE_DIGIT_ITEMS)
        NAMED(sort_wide_digit)(items, scratch, count, top, row_bits);
    else
        NAMED(sort_digit)(items, scratch, count, top, row_bits);
}

/* The item, and behind it so many bits. */
static inline ITEM NAMED(behind)(ITEM item, unsigned bits, uint64_t word)
{
    return (bits < 8 * sizeof item ? item << bits : 0) | (ITEM)word;
}

/* Makes at most as many items as a batch has rows. Pieces are put together in words, as many as there is room for in
 * one. */
static void NAMED(make_some)(const sort_keys *keys, const sort_bounds *bounds,
                             const sort_code *code, const sort_row_list *rows, unsigned row_bits,
                             ITEM *items)
{
    uint64_t values[BATCH_ROWS], words[BATCH_ROWS];
    unsigned held = 0; /* bits in words */
    memset(items, 0, rows->count * sizeof *items);
    memset(words, 0, rows->count * sizeof *words);
    for (uint32_t p = 0; p < code->piece_count; p++) {
        unsigned bits = code->pieces[p].bits;
        sort_piece_values(keys, bounds, &code->pieces[p], rows, values);
        if (held + bits > 64) {
            for (uint64_t i = 0; i < rows->count; i++)
                items[i] = NAMED(behind)(items[i], held, words[i]);
            memset(words, 0, rows->count * sizeof *words);
            held = 0;
        }
        for (uint64_t i = 0; i < rows->count; i++)
            words[i] = (held ? words[i] << (bits & 63) : 0) | values[i];
        held += bits;
    }
    for (uint64_t i = 0; i < rows->count; i++)
        items[i] = NAMED(behind)(items[i], held, words[i]) << row_bits | sort_row_at(rows, i);
}

/* Items of the rows. */
static void NAMED(make)(const sort_keys *keys, const sort_bounds *bounds, const sort_code *code,
                        const sort_row_list *rows, unsigned row_bits, ITEM *items)
{
    for (uint64_t first = 0; first < rows->count; first += BATCH_ROWS) {
        sort_row_list batch = batch_of(rows, first);
        NAMED(make_some)(keys, bounds, code, &batch, row_bits, items + first);
    }
}

#define DECODE(ctype, wide)                                                                        \
    do {                                                                                           \
        ctype *values = out;                                                                       \
        wide base = (wide)d->base;                                                                 \
        for (size_t i = 0; i < count; i++)                                                         \
            values[i] = (ctype)(base + (((uint64_t)(items[i] >> d->shift) ^ d->turn) & d->mask));  \
    } while (0)

/* The values that items were made of. */
static void NAMED(decode)(const sort_decoder *d, const ITEM *items, size_t count, void *out)
{
    switch (d->width) {
    case 1:
        DECODE(uint8_t, uint64_t);
        break;
    case 2:
        DECODE(uint16_t, uint64_t);
        break;
    case 4:
        DECODE(uint32_t, uint64_t);
        break;
    case 8:
        DECODE(uint64_t, uint64_t);
        break;
    default:
        DECODE(uint128, uint128);
    }
}
#undef DECODE

/* Which part each of a few items belongs to: that many cuts are not above it. Step by step for all
 * of them, without branches: where a search goes nobody can foresee. */
static inline __attribute__((always_inline)) void
NAMED(find_some_parts)(const ITEM *cuts, uint32_t cut_count, const ITEM *items, uint32_t count,
                       uint16_t *parts)
{
    uint32_t at[SEARCHES] = {0};
    for (uint32_t left = cut_count; left > 1; left -= left / 2)
        for (uint32_t i = 0; i < count; i++)
            at[i] += -(uint32_t)(cuts[at[i] + left / 2 - 1] <= items[i]) & (left / 2);
    for (uint32_t i = 0; i < count; i++)
        parts[i] = (uint16_t)(at[i] + (cut_count && cuts[at[i]] <= items[i]));
}

static void NAMED(find_parts)(const ITEM *cuts, uint32_t cut_count, const ITEM *items, size_t count,
                              uint16_t *parts)
{
    size_t i = 0;
    for (; i + SEARCHES <= count; i += SEARCHES)
        NAMED(find_some_parts)(cuts, cut_count, items + i, SEARCHES, parts + i);
    NAMED(find_some_parts)(cuts, cut_count, items + i, (uint32_t)(count - i), parts + i);
}

#undef SEARCHES
#undef FEW_ITEMS
#undef DIGIT_BITS
#undef WIDE_DIGIT_BITS
#undef WIDE_DIGIT_ITEMS
#undef ITEM
