/* kernel_checksum.cu - CRC-32 of many pages (the field `crc` of Parquet's PageHeader: parquet.thrift), a
 * block for each slice of a page.
 *
 * A message is a polynomial over bits, the lowest bit of its first byte the highest power; its checksum the
 * rest of a division, of the message with its first 32 bits inverted, inverted in the end. Rests add up:
 * that of a page is the sum of those of its words, each multiplied with x to the power of the bits behind
 * it (as zlib's crc32_combine() puts two together). So each thread of a block takes every 256th word of the
 * slice, and multiplies what it has with one constant, from tables, for each word. */
#include "device/cuda/pages.cuh"

#define POLYNOMIAL 0xedb88320u /* without x^32; bit 31 is x^0 */
#define SLICE_WORDS (PARQUET_SLICE_BYTES / 4)
#define NIBBLES 8 /* of a word */
/* Numbers among `powers`: x^32, the distance of two words; then the distances of 32 words, and of the block's. */
#define ONE_WORD 5
#define WARP_WORDS 10
#define BLOCK_WORDS 13

/* x to the power of 2^k, modulo the polynomial; 2^32 is as 2^0 again. */
__constant__ const uint32_t powers[32] = {
    0x40000000, 0x20000000, 0x08000000, 0x00800000, 0x00008000, 0xedb88320, 0xb1e6b092, 0xa06a2517,
    0xed627dae, 0x88d14467, 0xd7bbfe6a, 0xec447f11, 0x8e7ea170, 0x6427800e, 0x4d47bae0, 0x09fe548f,
    0x83852d0f, 0x30362f1a, 0x7b5a9cc3, 0x31fec169, 0x9fec022a, 0x6c8dedc4, 0x15d6874d, 0x5fde7a4e,
    0xbad90e37, 0x2e4e5eef, 0x4eaba214, 0xa8a472c0, 0x429a969e, 0x148d302a, 0xc40ba6d0, 0xc4e22c3c};

DEVICE uint32_t times_x(uint32_t a)
{
    return a >> 1 ^ (POLYNOMIAL & (0 - (a & 1)));
}

DEVICE uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (int i = 31; i >= 0; i--) {
        product ^= b & (0 - (a >> i & 1));
        b = times_x(b);
    }
    return product;
}

/* x to the power of the bits of so many bytes, in all lanes of a warp: a factor each. */
DEVICE uint32_t power_of_bytes(uint32_t bytes)
{
    uint32_t power = bytes >> kernel_lane() & 1 ? powers[(kernel_lane() + 3) % 32] : 0x80000000u;
    for (unsigned step = 1; step < 32; step *= 2)
        power = multiply(power, __shfl_xor_sync(ALL_LANES, power, step));
    return power;
}

/* Joins the rests of 2^levels lanes, each of words one distance apart: lane 0 has that of all. */
DEVICE uint32_t join_rests(uint32_t rest, unsigned levels, unsigned distance)
{
    for (unsigned k = 0; k < levels; k++) {
        uint32_t behind = __shfl_down_sync(ALL_LANES, rest, 1u << k);
        rest = multiply(rest, powers[distance + k]) ^ behind;
    }
    return rest;
}

/* Fills tables of what each number of four bits at its place in a word becomes by going one block's words on. */
DEVICE void fill_tables(uint32_t *tables)
{
    for (uint32_t i = threadIdx.x; i < NIBBLES * 16; i += blockDim.x)
        tables[i] = multiply(i % 16 << (4 * (i / 16)), powers[BLOCK_WORDS]);
}

DEVICE uint32_t go_on(const uint32_t *tables, uint32_t rest)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < NIBBLES; i++)
        sum ^= tables[16 * i + (rest >> (4 * i) & 15)];
    return sum;
}

/* Words of a slice, where they lie at their addresses; the first of a page may begin before it. */
typedef struct checksum_slice {
    const uint32_t *words;
    uint32_t count;
    uint32_t behind;  /* bytes of the page behind them */
    uint32_t is_not;  /* bits of the first word that are not the page's */
} checksum_slice;

DEVICE checksum_slice slice_of(const uint8_t *page, uint32_t bytes, uint32_t number)
{
    uintptr_t from = (uintptr_t)page / 4 * 4, end = ((uintptr_t)page + bytes) / 4 * 4;
    uint32_t all = (uint32_t)((end - from) / 4), first = number * SLICE_WORDS;
    uint32_t left = first < all ? all - first : 0;
    checksum_slice s = {(const uint32_t *)from + first, left < SLICE_WORDS ? left : SLICE_WORDS, 0, 0};
    if (left) /* else no page's bytes are behind it but those that make no word */
        s.behind = (uint32_t)((uintptr_t)page + bytes - (uintptr_t)(s.words + s.count));
    s.is_not = number ? 0 : (1u << (8 * ((uintptr_t)page % 4))) - 1;
    return s;
}

/* The words of this thread: every 256th, and zeros before the first ones, which change nothing. */
DEVICE uint32_t rest_of_words(const checksum_slice &s, const uint32_t *tables)
{
    uint32_t rest = 0, rounds = (s.count + CUDA_BLOCK - 1) / CUDA_BLOCK;
    uint32_t zeros = rounds * CUDA_BLOCK - s.count;
    for (uint32_t at = threadIdx.x; at < rounds * CUDA_BLOCK; at += CUDA_BLOCK) {
        uint32_t word = at < zeros ? 0 : s.words[at - zeros];
        if (at == zeros)
            word &= ~s.is_not;
        rest = go_on(tables, rest) ^ word;
    }
    return rest;
}

/* Returns the rest of the bytes after a page's last word, fewer than four. */
DEVICE uint32_t rest_of_end(const uint8_t *page, uint32_t bytes)
{
    uintptr_t end = (uintptr_t)page + bytes, at = end / 4 * 4;
    uint32_t rest = 0;
    for (at = at > (uintptr_t)page ? at : (uintptr_t)page; at < end; at++) {
        rest ^= *(const uint8_t *)at;
        for (int bit = 0; bit < 8; bit++)
            rest = times_x(rest);
    }
    return rest;
}

KERNEL_TOGETHER(parquet_batch_checksums)
{
    __shared__ uint32_t tables[NIBBLES * 16], rests[CUDA_BLOCK / 32];
    const parquet_page *p = page_of_piece(a.pages, a.page_count, &parquet_page::first_slice, blockIdx.x);
    const uint8_t *page = a.stored + p->stored_at;
    uint32_t number = blockIdx.x - p->first_slice, slices = PARQUET_SLICES(p->stored_bytes);
    checksum_slice s = slice_of(page, p->stored_bytes, number);
    fill_tables(tables);
    __syncthreads();
    uint32_t rest = join_rests(rest_of_words(s, tables), 5, ONE_WORD);
    if (kernel_lane() == 0)
        rests[kernel_warp()] = rest;
    __syncthreads();
    if (kernel_warp())
        return;
    rest = kernel_lane() < CUDA_BLOCK / 32 ? rests[kernel_lane()] : 0;
    /* Four bytes more: a rest is that of the words with 32 zero bits behind them. */
    rest = multiply(join_rests(rest, 3, WARP_WORDS), power_of_bytes(s.behind + 4));
    if (number + 1 == slices)
        rest ^= multiply(UINT32_MAX, power_of_bytes(p->stored_bytes)) ^
                rest_of_end(page, p->stored_bytes);
    if (kernel_lane())
        return;
    unsigned *sum = (unsigned *)&extra.scratch[p - a.pages], *done = sum + 1;
    atomicXor(sum, (unsigned)rest);
    __threadfence();
    if (atomicAdd(done, 1u) + 1 < slices)
        return;
    __threadfence();
    if (~atomicXor(sum, 0u) != p->checksum)
        kernel_fail(a.error, DEV_ERROR_CHECKSUM, p->location, p->file_at);
}
