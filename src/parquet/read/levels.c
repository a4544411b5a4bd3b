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

/* Levels of two bits: a byte's four as bytes. */
static uint32_t spread_pairs(uint8_t byte)
{
    return (byte | (uint32_t)byte << 6 | (uint32_t)byte << 12 | (uint32_t)byte << 18) & 0x03030303;
}

/* Unpacks levels of one or two bits, whole bytes at a time; returns how many. */
static uint64_t unpack_bytes(const uint8_t *packed, unsigned width, uint64_t count, uint8_t *out)
{
    uint64_t done = 0;
    for (; width == 1 && done + 8 <= count; done += 8) {
        uint64_t eight = spread_bits(packed[done / 8]);
        memcpy(out + done, &eight, sizeof eight);
    }
    for (; width == 2 && done + 4 <= count; done += 4) {
        uint32_t four = spread_pairs(packed[done / 4]);
        memcpy(out + done, &four, sizeof four);
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
    for (uint64_t i = unpack_bytes(run->packed, width, count, out); i < count; i++) {
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
    unsigned most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = out[i] > most ? out[i] : most;
    if (most > highest)
        return status_new(STATUS_KIND_CORRUPT,
                          "its %s levels go up to %u, those of the column to %u", kind, most,
                          highest);
    return STATUS_OK;
}

static status levels_count(const pq_leaf *leaf, unsigned slot_definition, pq_levels *out)
{
    uint32_t slots = 0, values = 0;
    for (uint32_t i = 0; i < out->count; i++) {
        slots += out->definition[i] >= slot_definition;
        values += out->definition[i] == leaf->max_definition;
    }
    out->slots = slots;
    out->values = values;
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
    memset(out->repetition, 0, 2 * (size_t)h->value_count);
    if (leaf->max_repetition)
        TRY(read_levels(page, repetition, is_v1 && h->repetition_encoding == PQ_BIT_PACKED,
                        leaf->max_repetition, out->count, "repetition", out->repetition));
    if (leaf->max_definition)
        TRY(read_levels(page, definition, is_v1 && h->definition_encoding == PQ_BIT_PACKED,
                        leaf->max_definition, out->count, "definition", out->definition));
    return levels_count(leaf, slot_definition, out);
}

void pq_levels_set_validity(const pq_levels *levels, const pq_leaf *leaf, unsigned slot_definition,
                            uint64_t *validity)
{
    uint64_t slot = 0;
    memset(validity, 0, bitmap_bytes(levels->slots));
    for (uint32_t i = 0; i < levels->count; i++) {
        if (levels->definition[i] < slot_definition)
            continue;
        validity[slot / 64] |= (uint64_t)(levels->definition[i] == leaf->max_definition)
                               << (slot % 64);
        slot++;
    }
}

void pq_levels_release(pq_levels *levels)
{
    dev_buffer_unref(levels->owner);
    *levels = (pq_levels){0};
}
