/* kernel_parquet_plain.cu - PLAIN values of all pages of a column, by several blocks a page: numbers, and texts after
 * their lengths.
 *
 * Where a text begins is known only when those before it are. So the bytes of a page are divided among its blocks, and
 * a block first guesses where a text begins in its part, and follows the lengths from there to the part's end. Then one
 * block looks whether each part goes on where the one before it came out, follows those again that do not, and counts:
 *
 *     parts         |. - - -|- . - -|- - . -|- - -.-|        .: the first text that begins there
 *     come out at          1|      2|       3|      4         is the first text of the next part, or it is followed again
 *
 * Then each block puts the texts of its part. */
#include "device/cuda/chain.cuh"
#include "device/cuda/parts.cuh"

/* ---- numbers ---- */

#define PLAIN_TURN 4u /* words of a thread that are loaded before one is stored */

/* Copies bytes to an address that words of 4 bytes may have, all threads of a block. */
DEVICE void block_copy(uint8_t *out, const uint8_t *from, uint64_t bytes)
{
    uint64_t head = (uintptr_t)out % 8 ? 4 : 0;
    head = head < bytes ? head : bytes;
    if (threadIdx.x < head)
        out[threadIdx.x] = from[threadIdx.x];
    out += head;
    from += head;
    bytes -= head;
    unsigned shift = (unsigned)((uintptr_t)from % 8) * 8;
    const uint64_t *words = (const uint64_t *)(from - shift / 8);
    uint64_t *target = (uint64_t *)out;
    /* Words of which both that they lie in are among the bytes. */
    uint64_t count = shift ? (bytes + shift / 8) / 8 : bytes / 8, i = threadIdx.x;
    count = shift && count ? count - 1 : count;
    for (; i + (PLAIN_TURN - 1) * CUDA_BLOCK < count; i += PLAIN_TURN * CUDA_BLOCK) {
        uint64_t low[PLAIN_TURN], high[PLAIN_TURN];
        KERNEL_UNROLLED
        for (unsigned k = 0; k < PLAIN_TURN; k++) {
            low[k] = words[i + k * CUDA_BLOCK];
            high[k] = shift ? words[i + k * CUDA_BLOCK + 1] : 0;
        }
        KERNEL_UNROLLED
        for (unsigned k = 0; k < PLAIN_TURN; k++)
            target[i + k * CUDA_BLOCK] = shift ? low[k] >> shift | high[k] << (64 - shift) : low[k];
    }
    for (; i < count; i += CUDA_BLOCK)
        target[i] = shift ? words[i] >> shift | words[i + 1] << (64 - shift) : words[i];
    for (uint64_t k = count * 8 + threadIdx.x; k < bytes; k += CUDA_BLOCK)
        out[k] = from[k];
}

/* Returns whether values are in the page as they are in memory. */
DEVICE bool is_copied(const parquet_batch_plain_arguments &a, unsigned width)
{
    bool is_number = a.physical == PQ_INT32 || a.physical == PQ_INT64 || a.physical == PQ_FLOAT || a.physical == PQ_DOUBLE;
    return is_number && a.conversion == PQ_CONVERT_NONE && a.type.width == width;
}

/* The page's values, as the kernel of one page takes them. */
DEVICE parquet_plain_arguments plain_of(const parquet_batch_plain_arguments &a, const parquet_page *p)
{
    parquet_plain_arguments one = {};
    one.page = a.dense ? a.dense + p->first_row * a.plain_width : PAGE_OF(a, p);
    one.page_bytes = a.dense ? p->valid_count * a.plain_width : p->unpacked_bytes;
    one.physical = a.physical;
    one.conversion = a.conversion;
    one.type_length = a.type_length;
    one.type = a.type;
    one.out = (uint8_t *)a.out + p->first_row * a.type.width;
    one.error = a.error;
    one.location = p->location;
    return one;
}

/* Values that are not texts after their lengths. */
KERNEL_ALONE_WIDE(parquet_batch_plain)
{
    page_part part = part_of_block(extra);
    const parquet_page *p = &a.pages[part.page];
    if (!IS_ONE_OF(p, a.kinds))
        return;
    uint64_t words[] = {p->valid_count, a.dense ? 0 : p->values_at}, count = p->valid_count;
    parquet_plain_arguments one = plain_of(a, p);
    const uint8_t *values, *end;
    unsigned width = stored_bytes(one);
    bool is_right = page_values(one.page, one.page_bytes, words, &values, &end) &&
                    count * width <= (uint64_t)(end - values);
    count = is_right ? count : 0;
    part_range range = part_items(count, part, PART_UNIT);
    if (is_copied(a, width))
        block_copy((uint8_t *)one.out + range.from * width, values + range.from * width,
                   (range.to - range.from) * width);
    else
        for (uint64_t i = range.from + threadIdx.x; i < range.to; i += CUDA_BLOCK)
            is_right &= convert_value(one, values + i * width, i);
    if (!is_right)
        kernel_fail(a.error, DEV_ERROR_CORRUPT, p->location, words[1]);
    part_zero((uint8_t *)one.out + count * a.type.width, (p->row_count - count) * a.type.width, part);
}

/* ---- texts ---- */

#define TEXTS_HOPS 8u /* lengths that are followed from a guess */

typedef struct text_part {
    uint64_t entry, count; /* where the first text begins, and texts of the part; in the end, those before it */
    uint64_t next;         /* where the first text after the part begins */
} text_part;

/* A page's texts, and the part of a block. */
typedef struct page_texts {
    plain_texts texts;
    uint32_t span; /* bytes of a thread */
    uint64_t count; /* of values that there must be */
} page_texts;

typedef struct texts_shared {
    chain_shared chain;
    word64 best;
    text_part parts[CUDA_BLOCK];
} texts_shared;

/* False: the page has no values, or none where they should begin. */
DEVICE bool texts_open(const parquet_batch_plain_arguments &a, const parquet_page *p, page_texts *t)
{
    uint64_t words[] = {p->valid_count, p->values_at};
    const uint8_t *at, *end;
    if (!p->valid_count || !page_values(PAGE_OF(a, p), p->unpacked_bytes, words, &at, &end) || at == end ||
        end - at >= CHAIN_BYTES_MAX)
        return false;
    uint32_t bytes = (uint32_t)(end - at);
    t->texts.values = at;
    t->texts.end = bytes;
    t->span = texts_span(bytes, p->valid_count);
    t->count = p->valid_count;
    return true;
}

DEVICE part_range texts_bytes(const page_texts &t, const page_part &part)
{
    return part_items(t.texts.end, part, t.span * CUDA_BLOCK);
}

/* The least of what the threads have; all come. */
DEVICE word64 block_least(word64 mine, word64 *shared)
{
    __syncthreads();
    if (threadIdx.x == 0)
        *shared = UINT64_MAX;
    __syncthreads();
    for (unsigned step = 16; step; step /= 2) {
        word64 other = __shfl_xor_sync(ALL_LANES, mine, step);
        mine = other < mine ? other : mine;
    }
    if (kernel_lane() == 0 && mine != UINT64_MAX)
        atomicMin(shared, mine);
    __syncthreads();
    return *shared;
}

/* Follows up to `hops` short texts from `at`, to `limit` or after it. CHAIN_UNKNOWN: there are others among them. */
DEVICE uint32_t texts_hop(const plain_texts &texts, uint32_t at, uint32_t limit, uint32_t *hops)
{
    uint32_t done = 0;
    for (; done < *hops && at < limit; done++) {
        uint64_t sum;
        if (!texts.is_short(at) || (at = texts.next(at, &sum)) == CHAIN_CUT)
            return CHAIN_UNKNOWN;
    }
    *hops = done;
    return at;
}

/* Guesses where the first text in [begin, limit) begins, or CHAIN_UNKNOWN: texts from there on are shorter than those
 * from elsewhere, whose lengths are any bytes. All threads come. */
DEVICE uint32_t texts_first(const plain_texts &texts, uint32_t begin, uint32_t limit, word64 *shared)
{
    for (uint32_t base = begin; base < limit; base += CUDA_BLOCK) {
        uint32_t at = base + threadIdx.x, hops = TEXTS_HOPS, next = CHAIN_UNKNOWN;
        if (at < limit)
            next = texts_hop(texts, at, texts.end, &hops);
        word64 mine = UINT64_MAX;
        if (next != CHAIN_UNKNOWN)
            mine = (word64)((uint64_t)(next - at) * TEXTS_HOPS / hops) << 32 | at;
        word64 best = block_least(mine, shared);
        if (best == UINT64_MAX)
            continue;
        uint32_t found = (uint32_t)best;
        hops = UINT32_MAX;
        mine = at < found && texts_hop(texts, at, found, &hops) == found ? at : UINT64_MAX;
        best = block_least(mine, shared);
        return best == UINT64_MAX ? found : (uint32_t)best;
    }
    return CHAIN_UNKNOWN;
}

/* Follows the texts that begin at `entry` and before `limit`. All threads come. */
DEVICE text_part texts_follow(const page_texts &t, uint64_t entry, uint64_t limit, chain_shared *shared)
{
    text_part part = {entry, 0, entry};
    while (part.next < limit) {
        chain_span s;
        uint64_t total;
        part.next = chain_window_until(t.texts, (uint32_t)part.next, (uint32_t)limit, t.span, shared, &s);
        kernel_block_scan(s.count, shared->sums, &total);
        part.count += total;
        __syncthreads();
    }
    return part;
}

/* The parts of texts of a launch, by page; then how many values each page has. */
DEVICE text_part *texts_parts(const cuda_extra &extra, uint32_t page)
{
    return (text_part *)extra.scratch + page * extra.step;
}

DEVICE uint64_t *texts_total(const parquet_batch_plain_arguments &a, const cuda_extra &extra, uint32_t page)
{
    return (uint64_t *)texts_parts(extra, a.page_count) + page;
}

KERNEL_STEP_TOGETHER_WIDE(parquet_batch_plain_guess, parquet_batch_plain)
{
    __shared__ texts_shared shared;
    page_part part = part_of_block(extra);
    const parquet_page *p = &a.pages[part.page];
    page_texts t;
    if (!IS_ONE_OF(p, a.kinds) || !texts_open(a, p, &t))
        return;
    part_range range = texts_bytes(t, part);
    if (range.from == range.to)
        return;
    uint64_t entry = 0;
    if (part.number)
        entry = texts_first(t.texts, (uint32_t)range.from, (uint32_t)range.to, &shared.best);
    text_part mine = texts_follow(t, entry, range.to, &shared.chain);
    if (threadIdx.x == 0)
        texts_parts(extra, part.page)[part.number] = mine;
}

/* Returns the first part that does not go on where the one before it came out; or CUDA_BLOCK. Sets what this thread's
 * part has before it. All threads come. */
DEVICE unsigned texts_wrong(texts_shared *shared, unsigned parts, uint64_t count, uint64_t *before, uint64_t *total)
{
    bool is_one = threadIdx.x < parts;
    text_part mine = {0, 0, 0};
    if (is_one)
        mine = shared->parts[threadIdx.x];
    *before = kernel_block_scan(mine.count, shared->chain.sums, total);
    uint64_t entry = threadIdx.x && is_one ? shared->parts[threadIdx.x - 1].next : 0;
    unsigned bits = __ballot_sync(ALL_LANES, is_one && mine.entry != entry && *before < count);
    if (kernel_lane() == 0)
        shared->chain.wrong[kernel_warp()] = bits;
    __syncthreads();
    return chain_first(shared->chain.wrong);
}

/* A block a page: parts one after another, and how many values each has before it. */
KERNEL_STEP_TOGETHER_WIDE(parquet_batch_plain_join, parquet_batch_plain)
{
    __shared__ texts_shared shared;
    page_part part = {blockIdx.x, 0, (uint32_t)extra.step};
    const parquet_page *p = &a.pages[part.page];
    if (!IS_ONE_OF(p, a.kinds) || !p->valid_count)
        return;
    page_texts t;
    uint64_t before = 0, total = 0;
    if (texts_open(a, p, &t)) {
        uint64_t size = part_size(t.texts.end, part.parts, t.span * CUDA_BLOCK);
        unsigned parts = (unsigned)((t.texts.end + size - 1) / size), wrong;
        text_part *all = texts_parts(extra, part.page);
        if (threadIdx.x < parts)
            shared.parts[threadIdx.x] = all[threadIdx.x];
        __syncthreads();
        while ((wrong = texts_wrong(&shared, parts, t.count, &before, &total)) < CUDA_BLOCK) {
            uint64_t entry = wrong ? shared.parts[wrong - 1].next : 0;
            part.number = wrong;
            text_part right = texts_follow(t, entry, texts_bytes(t, part).to, &shared.chain);
            __syncthreads();
            if (threadIdx.x == 0)
                shared.parts[wrong] = right;
            __syncthreads();
        }
        if (threadIdx.x < parts) {
            all[threadIdx.x].entry = shared.parts[threadIdx.x].entry;
            all[threadIdx.x].count = before;
        }
    }
    if (threadIdx.x)
        return;
    *texts_total(a, extra, part.page) = total;
    if (total < p->valid_count)
        kernel_fail(a.error, DEV_ERROR_CORRUPT, p->location, p->values_at);
}

/* Puts the texts of a part, of which the first has value `i`. False: one of them does not fit the type. */
DEVICE bool texts_put(const page_texts &t, uint64_t at, uint64_t limit, uint64_t i, const byte_sink &sink,
                      chain_shared *shared)
{
    bool is_right = true;
    while (at < limit && i < t.count) {
        chain_span s;
        uint64_t total, sum;
        at = chain_window_until(t.texts, (uint32_t)at, (uint32_t)limit, t.span, shared, &s);
        uint64_t mine = i + kernel_block_scan(s.count, shared->sums, &total);
        for (uint32_t k = 0, from = s.entry; k < s.count && mine < t.count; k++, mine++) {
            is_right &= byte_sink_store(&sink, mine, t.texts.values + from + 4, t.texts.length(from));
            from = t.texts.next(from, &sum);
        }
        i += total;
        __syncthreads();
    }
    return is_right;
}

KERNEL_STEP_TOGETHER_WIDE(parquet_batch_plain_texts, parquet_batch_plain)
{
    __shared__ chain_shared shared;
    page_part part = part_of_block(extra);
    const parquet_page *p = &a.pages[part.page];
    if (!IS_ONE_OF(p, a.kinds))
        return;
    uint8_t *out = (uint8_t *)a.out + p->first_row * a.type.width;
    byte_sink sink = {a.conversion, a.type.width, out};
    uint64_t count = p->valid_count ? *texts_total(a, extra, part.page) : 0;
    page_texts t;
    if (count && texts_open(a, p, &t)) {
        part_range range = texts_bytes(t, part);
        text_part mine = {0, 0, 0};
        if (range.from < range.to)
            mine = texts_parts(extra, part.page)[part.number];
        if (!texts_put(t, mine.entry, range.to, mine.count, sink, &shared))
            kernel_fail(a.error, DEV_ERROR_CORRUPT, p->location, p->values_at);
    }
    count = count < p->valid_count ? count : p->valid_count;
    part_zero(out + count * a.type.width, (p->row_count - count) * a.type.width, part);
}
