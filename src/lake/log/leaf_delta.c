/* leaf_delta.c - DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY. */
#include "lake/log/leaf_rows.h"

#include "base/cancel.h"

#define BLOCK_VALUES_MAX (UINT64_C(1) << 20)

static status broken_delta(void)
{
    return status_new(STATUS_KIND_CORRUPT, "a page is damaged: its differences end early");
}

static status take_number(leaf_bytes *from, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 64 && from->at < from->end; shift += 7) {
        uint8_t byte = *from->at++;
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return STATUS_OK;
    }
    return broken_delta();
}

static uint64_t unzigzag(uint64_t number)
{
    return number >> 1 ^ -(number & 1);
}

static uint64_t leaf_delta_take_bits(const uint8_t *bytes, uint64_t bit, unsigned width)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < width; i++, bit++)
        number |= (uint64_t)(bytes[bit / 8] >> bit % 8 & 1) << i;
    return number;
}

typedef struct delta_block {
    uint64_t values, miniblocks, total;
} delta_block;

/* Adds the differences of a block to the numbers that are there. */
static status take_block(leaf_bytes *from, const delta_block *b, int64_t *out, size_t *done,
                         size_t most)
{
    uint64_t least;
    TRY(cancel_check());
    TRY(take_number(from, &least));
    least = unzigzag(least);
    const uint8_t *widths = from->at;
    if (b->miniblocks > (uint64_t)(from->end - from->at))
        return broken_delta();
    from->at += b->miniblocks;
    uint64_t in_each = b->values / b->miniblocks;
    for (uint64_t m = 0; m < b->miniblocks && *done < most; m++) {
        uint64_t bytes = in_each * widths[m] / 8;
        if (widths[m] > 64 || bytes > (uint64_t)(from->end - from->at))
            return broken_delta();
        for (uint64_t i = 0; i < in_each && *done < most; i++, (*done)++)
            out[*done] = (int64_t)((uint64_t)out[*done - 1] + least +
                                   leaf_delta_take_bits(from->at, i * widths[m], widths[m]));
        from->at += bytes;
    }
    return STATUS_OK;
}

status leaf_decode_delta(arena *a, leaf_bytes *from, size_t count, int64_t **out, size_t *out_count)
{
    delta_block b;
    uint64_t first;
    size_t done = 1;
    TRY(take_number(from, &b.values));
    TRY(take_number(from, &b.miniblocks));
    TRY(take_number(from, &b.total));
    TRY(take_number(from, &first));
    if (!b.miniblocks || b.values > BLOCK_VALUES_MAX || b.values % b.miniblocks ||
        b.values / b.miniblocks % 8 || !b.values || b.total > count)
        return broken_delta();
    *out = arena_alloc_array(a, b.total + 1, sizeof **out);
    if (!*out)
        return status_no_memory("lake", b.total * sizeof **out);
    (*out)[0] = (int64_t)unzigzag(first);
    while (done < b.total)
        TRY(take_block(from, &b, *out, &done, b.total));
    *out_count = b.total;
    return STATUS_OK;
}

/* Puts the first bytes of the text before in front of the text. */
static status join_prefix(arena *a, const leaf_value *before, uint64_t prefix, leaf_value *text)
{
    if (!prefix)
        return STATUS_OK;
    if (!before || prefix > before->count || prefix + text->count > UINT32_MAX)
        return broken_delta();
    uint8_t *whole = arena_alloc(a, prefix + text->count + 1);
    if (!whole)
        return status_no_memory("lake", prefix + text->count);
    memcpy(whole, before->bytes, prefix);
    memcpy(whole + prefix, text->bytes, text->count);
    *text = (leaf_value){.bytes = whole, .count = (uint32_t)(prefix + text->count)};
    return STATUS_OK;
}

status leaf_decode_texts(arena *a, leaf_bytes *from, size_t count, bool has_prefixes,
                         leaf_value *out)
{
    int64_t *prefixes = NULL, *lengths;
    size_t prefix_count = count, length_count;
    if (!count)
        return STATUS_OK;
    if (has_prefixes)
        TRY(leaf_decode_delta(a, from, count, &prefixes, &prefix_count));
    TRY(leaf_decode_delta(a, from, count, &lengths, &length_count));
    if (prefix_count < count || length_count < count)
        return broken_delta();
    for (size_t i = 0; i < count; i++) {
        if (lengths[i] < 0 || lengths[i] > from->end - from->at || (prefixes && prefixes[i] < 0))
            return broken_delta();
        out[i] = (leaf_value){.bytes = from->at, .count = (uint32_t)lengths[i]};
        from->at += lengths[i];
        if (prefixes)
            TRY(join_prefix(a, i ? &out[i - 1] : NULL, (uint64_t)prefixes[i], &out[i]));
    }
    return STATUS_OK;
}
