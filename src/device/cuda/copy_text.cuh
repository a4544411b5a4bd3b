/* copy_text.cuh - inside the kernels that copy texts: a warp copies those of its lanes together.
 *
 *   texts of lanes    abcde  fgh  (none)  ijklmnopqr
 *   where they go     ...abcde fghijklm nopqr...      a lane a word of 8 bytes, side by side
 *
 * A thread that copied its text by itself would write a byte where the lanes beside it write others far away. */
#ifndef PISTACHIO_DEVICE_CUDA_COPY_TEXT_CUH
#define PISTACHIO_DEVICE_CUDA_COPY_TEXT_CUH

#include "device/cuda/kernel.cuh"

/* Up to 8 bytes at `at`, of a text of which `before` bytes stand before them and `left` from there on. In words that lie
 * at their addresses, where those are of the text alone. */
DEVICE uint64_t copy_load(const char *at, unsigned count, unsigned before, unsigned left)
{
    unsigned shift = (unsigned)(uint64_t)at % 8;
    uint64_t word = 0;
    if (before >= shift && left >= (shift ? 16 - shift : 8)) {
        const uint64_t *words = (const uint64_t *)(at - shift);
        word = words[0] >> (8 * shift);
        if (count > 8 - shift)
            word |= words[1] << (64 - 8 * shift);
        return count < 8 ? word & (((uint64_t)1 << (8 * count)) - 1) : word;
    }
    for (unsigned i = 0; i < count; i++)
        word |= (uint64_t)(uint8_t)at[i] << (8 * i);
    return word;
}

/* Returns as a word those of the bytes [*low, high) that the text `owner` of the warp's has; *low moves past them. */
DEVICE uint64_t copy_piece(const char *source, unsigned bytes, unsigned end, unsigned owner,
                           unsigned *low, unsigned high)
{
    unsigned its_end = __shfl_sync(ALL_LANES, end, (int)owner);
    unsigned its_bytes = __shfl_sync(ALL_LANES, bytes, (int)owner);
    const char *its = (const char *)__shfl_sync(ALL_LANES, (uint64_t)source, (int)owner);
    if (*low >= high)
        return 0;
    unsigned left = its_end - *low, before = its_bytes - left;
    unsigned count = left < high - *low ? left : high - *low;
    *low += count;
    return copy_load(its + before, count, before, left);
}

/* A lane's word of 8 bytes, of which [from, to) are the texts'. */
DEVICE void copy_store(char *word, unsigned from, unsigned to, uint64_t value)
{
    if (to - from == 8)
        *(uint64_t *)word = value;
    else
        for (unsigned k = from; k < to; k++)
            word[k] = (char)(value >> (8 * k));
}

#define COPY_BYTES_MAX (1u << 26) /* of a text: those of a warp are counted in 32 bits */

/* Copies each lane's bytes, which may be 0, to where it says; the bytes of the next lane have their place after those
 * of one lane. All lanes come. */
DEVICE void kernel_copy_texts(char *target, const char *source, uint64_t text_bytes)
{
    unsigned bytes = (unsigned)text_bytes, end = bytes;
    unsigned texts = __ballot_sync(ALL_LANES, bytes != 0);
    if (__ballot_sync(ALL_LANES, text_bytes >= COPY_BYTES_MAX)) {
        if (text_bytes)
            memcpy(target, source, text_bytes);
        return;
    }
    for (unsigned step = 1; step < CUDA_WARP; step *= 2) {
        unsigned before = __shfl_up_sync(ALL_LANES, end, step);
        end += kernel_lane() >= step ? before : 0;
    }
    unsigned first_text = texts ? (unsigned)__ffs((int)texts) - 1 : 0;
    char *start = (char *)__shfl_sync(ALL_LANES, (uint64_t)target, (int)first_text);
    unsigned skew = (unsigned)(uint64_t)start % 8;
    unsigned all = texts ? skew + __shfl_sync(ALL_LANES, end, CUDA_WARP - 1) : 0;
    end += skew; /* counted from a word's beginning */
    for (unsigned first = 0; first < all; first += CUDA_WARP * 8) {
        unsigned at = first + kernel_lane() * 8, owner = 0;
        unsigned low = at > skew ? at : skew, high = at + 8 < all ? at + 8 : all;
        uint64_t value = 0;
        for (unsigned step = CUDA_WARP / 2; step; step /= 2)
            owner += __shfl_sync(ALL_LANES, end, (int)(owner + step - 1)) <= low ? step : 0;
        unsigned from = low;
        while (__ballot_sync(ALL_LANES, low < high)) {
            unsigned shift = 8 * (low - at);
            uint64_t piece = copy_piece(source, bytes, end, owner, &low, high);
            value |= piece ? piece << shift : 0;
            unsigned behind = texts & ~((2u << owner) - 1);
            owner = behind ? (unsigned)__ffs((int)behind) - 1 : owner;
        }
        if (from < high)
            copy_store(start - skew + at, from - at, high - at, value);
    }
}

#endif
