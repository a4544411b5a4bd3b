/* levels.c - levels of a page, a byte each.
 *
 *     version 1    length, repetition levels | length, definition levels | values      all compressed together
 *     version 2    repetition levels | definition levels | values                      lengths in the header
 *
 * Levels of which the highest is 0 are not stored. */
#include "parquet/read/levels.h"

#include "base/cancel.h"
#include "device/value/parquet_runs.h"

/* The place of levels in the page. */
typedef struct level_bytes {
    uint32_t at, bytes;
} level_bytes;

static status levels_corrupt(const char *kind, const char *what)
{
    return status_new(STATUS_KIND_CORRUPT, "its %s levels %s", kind, what);
}

static unsigned bits_of(unsigned highest)
{
    return highest ? 32 - (unsigned)__builtin_clz(highest) : 0;
}

/* BIT_PACKED: from the most significant bit down. */
static void levels_unpack_old(const uint8_t *bytes, unsigned width, uint32_t count, uint8_t *out)
{
    uint64_t bit = 0;
    for (uint32_t i = 0; i < count; i++) {
        unsigned level = 0;
        for (unsigned b = 0; b < width; b++, bit++)
            level = level << 1 | (bytes[bit / 8] >> (7 - bit % 8) & 1);
        out[i] = (uint8_t)level;
    }
}

/* Levels of one bit: a byte's bits as bytes. */
static uint64_t spread_bits(uint8_t byte)
{
    const uint64_t ones = 0x0101010101010101, places = 0x8040201008040201;
    return (((byte * ones) & places) + 0x7f7f7f7f7f7f7f7f) >> 7 & ones;
}

/* Levels of two bits: eight of them as bytes. */
static uint64_t spread_pairs(uint16_t pairs)
{
    uint64_t x = (pairs | (uint64_t)pairs << 24) & 0x000000ff000000ff;
    x = (x | x << 12) & 0x000f000f000f000f;
    return (x | x << 6) & 0x0303030303030303;
}

/* Unpacks levels of three bits or more, eight at a time, from words that the run has whole; returns how many. */
static uint64_t unpack_level_words(const hybrid_run *run, unsigned width, uint64_t count,
                                   uint8_t *out)
{
    uint64_t done = 0, mask = (1u << width) - 1;
    for (; done + 8 <= count && done / 8 * width + 8 <= run->packed_bytes; done += 8) {
        uint64_t word;
        memcpy(&word, run->packed + done / 8 * width, sizeof word);
        for (unsigned k = 0; k < 8; k++)
            out[done + k] = (uint8_t)(word >> k * width & mask);
    }
    return done;
}

/* Unpacks levels, eight at a time; returns how many. */
static uint64_t unpack_bytes(const hybrid_run *run, unsigned width, uint64_t count, uint8_t *out)
{
    uint64_t done = 0;
    if (width > 2)
        return width <= 8 ? unpack_level_words(run, width, count, out) : 0;
    for (; done + 8 <= count; done += 8) {
        uint16_t pairs = 0;
        memcpy(&pairs, run->packed + done / 8 * width, width);
        uint64_t eight = width == 1 ? spread_bits((uint8_t)pairs) : spread_pairs(pairs);
        memcpy(out + done, &eight, sizeof eight);
    }
    return done;
}

static void unpack_run(const hybrid_run *run, unsigned width, uint64_t count, uint8_t *out)
{
    if (!run->is_packed) {
        memset(out, run->value > UINT8_MAX ? UINT8_MAX : (int)run->value, count);
        return;
    }
    unsigned mask = (1u << width) - 1;
    for (uint64_t i = unpack_bytes(run, width, count, out); i < count; i++) {
        uint64_t bit = i * width;
        unsigned word = run->packed[bit / 8];
        if (bit % 8 + width > 8)
            word |= (unsigned)run->packed[bit / 8 + 1] << 8;
        out[i] = (uint8_t)(word >> (bit % 8) & mask);
    }
}

static bool levels_unpack_runs(const uint8_t *bytes, uint32_t length, unsigned width,
                               uint32_t count, uint8_t *out)
{
    hybrid h = {bytes, bytes + length, width};
    for (uint64_t done = 0; done < count;) {
        hybrid_run run;
        if (!next_run(&h, &run))
            return false;
        uint64_t left = count - done, more = run.count < left ? run.count : left;
        unpack_run(&run, width, more, out + done);
        done += more;
    }
    return true;
}

/* Finds the levels of a version 1 page; *at moves behind them. */
static status find_levels(const uint8_t *page, uint32_t page_bytes, pq_encoding encoding,
                          unsigned width, uint32_t count, const char *kind, uint32_t *at,
                          level_bytes *out)
{
    uint32_t left = page_bytes - *at;
    uint64_t bytes = ((uint64_t)count * width + 7) / 8;
    if (encoding != PQ_BIT_PACKED && encoding != PQ_RLE)
        return status_new(STATUS_KIND_UNSUPPORTED, "encoding %d of %s levels is not supported",
                          (int)encoding, kind);
    if (encoding == PQ_RLE) {
        uint32_t length;
        if (left < sizeof length)
            return levels_corrupt(kind, "break off");
        memcpy(&length, page + *at, sizeof length);
        bytes = length;
        *at += (uint32_t)sizeof length;
        left -= (uint32_t)sizeof length;
    }
    if (bytes > left)
        return levels_corrupt(kind, "are longer than the page");
    *out = (level_bytes){*at, (uint32_t)bytes};
    *at += (uint32_t)bytes;
    return STATUS_OK;
}

static status read_levels(const uint8_t *page, level_bytes where, bool is_old, unsigned highest,
                          uint32_t count, const char *kind, uint8_t *out)
{
    unsigned width = bits_of(highest);
    if (is_old)
        levels_unpack_old(page + where.at, width, count, out);
    else if (!levels_unpack_runs(page + where.at, where.bytes, width, count, out))
        return levels_corrupt(kind, "are fewer than its values");
    if (!pq_levels_within(out, count, (pq_level_range){highest + 1, PQ_LEVEL_MOST}))
        return STATUS_OK;
    unsigned most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = out[i] > most ? out[i] : most;
    return status_new(STATUS_KIND_CORRUPT, "its %s levels go up to %u, those of the column to %u",
                      kind, most, highest);
}

static status levels_count(const pq_leaf *leaf, unsigned slot_definition, pq_levels *out)
{
    unsigned highest = leaf->max_definition;
    out->slots = (uint32_t)pq_levels_within(out->definition, out->count,
                                            (pq_level_range){slot_definition, PQ_LEVEL_MOST});
    out->values =
        (uint32_t)pq_levels_within(out->definition, out->count, (pq_level_range){highest, highest});
    return cancel_seen();
}

static status levels_find(const pq_leaf *leaf, const pq_page_header *h, const uint8_t *page,
                          uint32_t page_bytes, level_bytes *repetition, level_bytes *definition,
                          uint32_t *out_end)
{
    uint32_t at = 0;
    if (h->type == PQ_PAGE_DATA_V2) {
        *repetition = (level_bytes){0, h->repetition_bytes};
        *definition = (level_bytes){h->repetition_bytes, h->definition_bytes};
        *out_end = h->repetition_bytes + h->definition_bytes;
        return *out_end <= page_bytes ? STATUS_OK
                                      : levels_corrupt("definition", "are longer than the page");
    }
    if (leaf->max_repetition)
        TRY(find_levels(page, page_bytes, h->repetition_encoding, bits_of(leaf->max_repetition),
                        h->value_count, "repetition", &at, repetition));
    if (leaf->max_definition)
        TRY(find_levels(page, page_bytes, h->definition_encoding, bits_of(leaf->max_definition),
                        h->value_count, "definition", &at, definition));
    *out_end = at;
    return STATUS_OK;
}

status pq_levels_read(device *dev, const pq_leaf *leaf, unsigned slot_definition,
                      const pq_page_header *h, const uint8_t *page, uint32_t page_bytes,
                      pq_levels *out)
{
    level_bytes repetition = {0}, definition = {0};
    bool is_v1 = h->type == PQ_PAGE_DATA;
    *out = (pq_levels){.count = h->value_count};
    TRY(levels_find(leaf, h, page, page_bytes, &repetition, &definition, &out->values_at));
    TRY(dev_alloc(dev, 2 * (uint64_t)h->value_count, "scan", &out->owner));
    out->repetition = out->owner->address;
    out->definition = out->repetition + h->value_count;
    if (!leaf->max_repetition)
        memset(out->repetition, 0, h->value_count);
    else
        TRY(read_levels(page, repetition, is_v1 && h->repetition_encoding == PQ_BIT_PACKED,
                        leaf->max_repetition, out->count, "repetition", out->repetition));
    if (!leaf->max_definition)
        memset(out->definition, 0, h->value_count);
    else
        TRY(read_levels(page, definition, is_v1 && h->definition_encoding == PQ_BIT_PACKED,
                        leaf->max_definition, out->count, "definition", out->definition));
    return levels_count(leaf, slot_definition, out);
}

void pq_levels_set_validity(const pq_levels *levels, const pq_leaf *leaf, unsigned slot_definition,
                            uint64_t *validity)
{
    const uint8_t *definition = levels->definition;
    unsigned highest = leaf->max_definition;
    uint64_t slot = 0;
    if (levels->slots == levels->count) {
        for (uint64_t i = 0; i < levels->count; i += PQ_LEVEL_BITS)
            validity[i / PQ_LEVEL_BITS] = pq_levels_mask(definition + i, levels->count - i,
                                                         (pq_level_range){highest, highest});
        return;
    }
    memset(validity, 0, bitmap_bytes(levels->slots));
    for (uint32_t i = 0; slot < levels->slots; i++) {
        validity[slot / 64] |= (uint64_t)(definition[i] == highest) << (slot % 64);
        slot += definition[i] >= slot_definition;
    }
}

/* ---- many levels at a time ---- */

typedef uint8_t level_vector __attribute__((vector_size(16)));
enum { LANES = sizeof(level_vector), VECTORS_MOST = 255 /* whose lanes' sums are bytes */ };

static inline level_vector load_levels(const uint8_t *from)
{
    level_vector v;
    memcpy(&v, from, sizeof v);
    return v;
}

/* Gives 255 for each level in the range, else 0. */
static inline level_vector lanes_within(level_vector v, uint8_t low, uint8_t span)
{
    return (level_vector)((level_vector)(v - low) <= span);
}

static inline bool is_within_level(uint8_t level, pq_level_range range)
{
    return level >= range.low && level <= range.high;
}

static uint64_t sum_level_lanes(level_vector v)
{
    uint64_t sum = 0;
    for (int k = 0; k < LANES; k++)
        sum += v[k];
    return sum;
}

static uint64_t vectors_of(uint64_t levels)
{
    return levels / LANES < VECTORS_MOST ? levels / LANES : VECTORS_MOST;
}

static bool is_empty_range(pq_level_range range)
{
    return range.low > PQ_LEVEL_MOST || range.high < range.low;
}

uint64_t pq_levels_within(const uint8_t *levels, uint64_t count, pq_level_range range)
{
    uint64_t within = 0, i = 0;
    if (is_empty_range(range))
        return 0;
    uint8_t low = (uint8_t)range.low, span = (uint8_t)(range.high - range.low);
    while (count - i >= LANES) {
        level_vector sums = {0};
        for (uint64_t n = vectors_of(count - i); n; n--, i += LANES)
            sums -= lanes_within(load_levels(levels + i), low, span);
        within += sum_level_lanes(sums);
    }
    for (; i < count; i++)
        within += is_within_level(levels[i], range);
    return within;
}

uint64_t pq_levels_both(const uint8_t *repetition, pq_level_range repetitions,
                        const uint8_t *definition, pq_level_range definitions, uint64_t count)
{
    uint64_t both = 0, i = 0;
    if (is_empty_range(repetitions) || is_empty_range(definitions))
        return 0;
    uint8_t low = (uint8_t)repetitions.low, span = (uint8_t)(repetitions.high - repetitions.low);
    uint8_t lowest = (uint8_t)definitions.low,
            definition_span = (uint8_t)(definitions.high - definitions.low);
    while (count - i >= LANES) {
        level_vector sums = {0};
        for (uint64_t n = vectors_of(count - i); n; n--, i += LANES)
            sums -= lanes_within(load_levels(repetition + i), low, span) &
                    lanes_within(load_levels(definition + i), lowest, definition_span);
        both += sum_level_lanes(sums);
    }
    for (; i < count; i++)
        both += is_within_level(repetition[i], repetitions) &&
                is_within_level(definition[i], definitions);
    return both;
}

/* Gives a bit for each of eight bytes that are 0 or 255. */
static uint64_t bits_of_bytes(uint64_t bytes)
{
    return (bytes & 0x8040201008040201) * 0x0101010101010101 >> 56;
}

uint64_t pq_levels_mask(const uint8_t *levels, uint64_t count, pq_level_range range)
{
    uint64_t bits = 0, i = 0;
    if (is_empty_range(range))
        return 0;
    if (count > PQ_LEVEL_BITS)
        count = PQ_LEVEL_BITS;
    uint8_t low = (uint8_t)range.low, span = (uint8_t)(range.high - range.low);
    for (; i + LANES <= count; i += LANES) {
        level_vector lanes = lanes_within(load_levels(levels + i), low, span);
        uint64_t halves[2];
        memcpy(halves, &lanes, sizeof halves);
        bits |= (bits_of_bytes(halves[0]) | bits_of_bytes(halves[1]) << 8) << i;
    }
    for (; i < count; i++)
        bits |= (uint64_t)is_within_level(levels[i], range) << i;
    return bits;
}

void pq_levels_release(pq_levels *levels)
{
    dev_buffer_unref(levels->owner);
    *levels = (pq_levels){0};
}
