/* kernel_parquet_batch.cu - all pages of a column in one launch, a block for each. Bits of pages lie
 * next to each other, so that two blocks may have a share in one word: they are added to words that
 * were zeroed before. */
#include "device/cuda/parts.cuh"

/* ---- bits ---- */

/* The lowest `width` bits of the word, which has no others, to bits from `at` on. */
DEVICE void add_bits(uint64_t *bits, uint64_t at, uint64_t word, unsigned width)
{
    unsigned offset = at % 64;
    if (word << offset)
        atomicOr((word64 *)&bits[at / 64], (word64)(word << offset));
    if (offset + width > 64 && word >> (64 - offset))
        atomicOr((word64 *)&bits[at / 64 + 1], (word64)(word >> (64 - offset)));
}

/* All threads together; bits may be NULL. *ones: of this thread. False: damaged. */
DEVICE bool add_runs(hybrid *h, uint64_t count, uint64_t *bits, uint64_t at, uint64_t *ones)
{
    for (uint64_t done = 0; done < count;) {
        hybrid_run run;
        if (!next_run(h, &run) || (!run.is_packed && run.value > 1))
            return false;
        uint64_t more = run.count < count - done ? run.count : count - done;
        for (uint64_t i = (uint64_t)threadIdx.x * 64; i < more; i += (uint64_t)blockDim.x * 64) {
            unsigned width = (unsigned)(more - i < 64 ? more - i : 64);
            uint64_t word = kernel_word_mask(width, 0);
            word = run.is_packed ? unpack(run.packed, run.packed_bytes, i, width)
                                 : run.value ? word : 0;
            *ones += (unsigned)__popcll(word);
            if (bits)
                add_bits(bits, at + done + i, word, width);
        }
        done += more;
    }
    return true;
}

/* BIT_PACKED levels go from the most significant bit down. */
DEVICE uint64_t add_old_levels(const uint8_t *bytes, uint64_t count, uint64_t *bits, uint64_t at)
{
    uint64_t ones = 0;
    for (uint64_t i = threadIdx.x; i < count; i += blockDim.x)
        if (bytes[i / 8] >> (7 - i % 8) & 1) {
            ones++;
            if (bits)
                add_bits(bits, at + i, 1, 1);
        }
    return ones;
}

DEVICE void add_ones(uint64_t *bits, uint64_t at, uint64_t count)
{
    for (uint64_t i = (uint64_t)threadIdx.x * 64; i < count; i += (uint64_t)blockDim.x * 64) {
        unsigned width = (unsigned)(count - i < 64 ? count - i : 64);
        add_bits(bits, at + i, kernel_word_mask(width, 0), width);
    }
}

/* Damaged levels: the page has no values. */
DEVICE void fail_levels(const parquet_batch_levels_arguments &a, parquet_page *p)
{
    for (uint64_t i = threadIdx.x; a.validity && i < p->row_count; i += blockDim.x) {
        uint64_t at = p->first_row + i;
        atomicAnd((word64 *)&a.validity[at / 64], (word64)~((uint64_t)1 << (at % 64)));
    }
    if (threadIdx.x == 0) {
        kernel_fail(a.error, DEV_ERROR_CORRUPT, p->location, p->level_start);
        p->valid_count = 0;
        p->values_at = p->unpacked_bytes;
    }
}

KERNEL_TOGETHER(parquet_batch_levels)
{
    __shared__ uint64_t sums[8];
    parquet_page *p = &a.pages[blockIdx.x];
    const uint8_t *page = PAGE_OF(a, p);
    uint32_t start = p->level_start, bytes = p->level_bytes;
    uint64_t ones = 0, valid;
    bool is_right = false;
    if (p->kind == PARQUET_PAGE_DICTIONARY)
        return;
    if (p->levels == PARQUET_LEVELS_NONE) {
        if (a.validity)
            add_ones(a.validity, p->first_row, p->row_count);
        return;
    }
    if (p->level_form == PARQUET_LEVEL_BITS) {
        bytes = p->row_count / 8 + (p->row_count % 8 > 0);
    } else if (p->level_form == PARQUET_LEVEL_LENGTH_RUNS) {
        bytes = p->unpacked_bytes >= 4 ? (uint32_t)load_bytes(page, 4) : UINT32_MAX;
        start = 4;
    }
    if (start <= p->unpacked_bytes && bytes <= p->unpacked_bytes - start) {
        hybrid h = {page + start, page + start + bytes, 1};
        is_right = true;
        if (p->level_form == PARQUET_LEVEL_BITS)
            ones = add_old_levels(page, p->row_count, a.validity, p->first_row);
        else
            is_right = add_runs(&h, p->row_count, a.validity, p->first_row, &ones);
    }
    kernel_block_scan(ones, sums, &valid);
    __syncthreads();
    if (!is_right || (p->levels == PARQUET_LEVELS_CHECK && valid != p->row_count)) {
        fail_levels(a, p);
    } else if (threadIdx.x == 0) {
        p->valid_count = (uint32_t)valid;
        p->values_at = start + bytes;
    }
}

/* ---- values ---- */

DEVICE void place_booleans(const parquet_batch_plain_arguments &a, const parquet_page *p)
{
    uint64_t words[] = {p->valid_count, p->values_at}, count = p->valid_count, ones = 0;
    const uint8_t *at, *end;
    bool is_right = page_values(PAGE_OF(a, p), p->unpacked_bytes, words, &at, &end);
    if (is_right && p->kind == PARQUET_PAGE_RLE && count) {
        is_right = end - at >= 4;
        uint64_t bytes = is_right ? load_bytes(at, 4) : 0;
        at += is_right ? 4 : 0;
        hybrid h = {at, bytes < (uint64_t)(end - at) ? at + bytes : end, 1};
        is_right = is_right && add_runs(&h, count, (uint64_t *)a.out, p->first_row, &ones);
    } else if (is_right && count) {
        is_right = (count + 7) / 8 <= (uint64_t)(end - at);
        for (uint64_t i = (uint64_t)threadIdx.x * 64; is_right && i < count;
             i += (uint64_t)blockDim.x * 64) {
            unsigned width = (unsigned)(count - i < 64 ? count - i : 64);
            add_bits((uint64_t *)a.out, p->first_row + i, unpack(at, (count + 7) / 8, i, width),
                     width);
        }
    }
    if (!is_right && threadIdx.x == 0)
        kernel_fail(a.error, DEV_ERROR_CORRUPT, p->location, p->values_at);
}

KERNEL_STEP_TOGETHER(parquet_batch_plain_bits, parquet_batch_plain)
{
    const parquet_page *p = &a.pages[blockIdx.x];
    if (IS_ONE_OF(p, a.kinds))
        place_booleans(a, p);
}

/* Values [from, to) of `count` values of some bytes each, of which a page has all first bytes, then all second ones. */
template <class T> DEVICE void join_bytes(const uint8_t *values, uint64_t count, const part_range &range, void *out)
{
    for (uint64_t i = range.from + threadIdx.x; i < range.to; i += blockDim.x) {
        T number = 0;
        KERNEL_UNROLLED
        for (unsigned k = 0; k < sizeof(T); k++)
            number |= (T)((T)values[k * count + i] << (8 * k));
        ((T *)out)[i] = number;
    }
}

KERNEL_ALONE(parquet_batch_split)
{
    page_part part = part_of_block(extra);
    const parquet_page *p = &a.pages[part.page];
    if (p->kind != PARQUET_PAGE_SPLIT)
        return;
    uint64_t words[] = {p->valid_count, p->values_at}, count = p->valid_count, width = a.width;
    const uint8_t *values, *end;
    uint8_t *out = a.out + p->first_row * width;
    if (!page_values(PAGE_OF(a, p), p->unpacked_bytes, words, &values, &end) ||
        (uint64_t)(end - values) / width < count) {
        kernel_fail(a.error, DEV_ERROR_CORRUPT, p->location, p->values_at);
        count = 0;
    }
    part_range range = part_items(count, part, PART_UNIT);
    if (width == 8)
        join_bytes<uint64_t>(values, count, range, out);
    else if (width == 4)
        join_bytes<uint32_t>(values, count, range, out);
    else
        for (uint64_t i = range.from * width + threadIdx.x; i < range.to * width; i += blockDim.x)
            out[i] = values[i % width * count + i / width];
    part_zero(out + count * width, (p->row_count - count) * width, part);
}

/* ---- byte arrays ---- */

KERNEL_TOGETHER(parquet_batch_prefix_bytes)
{
    parquet_page *p = &a.pages[blockIdx.x];
    if (p->kind != PARQUET_PAGE_PREFIXES)
        return;
    uint64_t words[] = {p->valid_count, p->values_at};
    parquet_prefix_bytes_arguments one = {};
    one.page_bytes = p->unpacked_bytes;
    one.words = words;
    one.start = &p->tail_at;
    one.prefixes = a.prefixes + p->first_row;
    one.suffixes = a.lengths + p->first_row;
    one.out_bytes = &p->text_bytes;
    one.error = a.error;
    one.location = p->location;
    parquet_prefix_bytes_page(one);
}

/* One block: texts lie behind those of the pages before. */
KERNEL_STEP_TOGETHER(parquet_batch_prefix_bytes_sum, parquet_batch_prefix_bytes)
{
    __shared__ uint64_t sums[CUDA_BLOCK / 32];
    uint64_t base = 0, total;
    for (uint32_t first = 0; first < a.page_count; first += CUDA_BLOCK) {
        uint32_t i = first + threadIdx.x;
        bool is_one = i < a.page_count && a.pages[i].kind == PARQUET_PAGE_PREFIXES;
        uint64_t at = base + kernel_block_scan(is_one ? a.pages[i].text_bytes : 0, sums, &total);
        if (is_one)
            a.pages[i].text_at = at;
        base += total;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *a.out_bytes = base;
}

KERNEL_TOGETHER_WIDE(parquet_batch_prefix_copy)
{
    const parquet_page *p = &a.pages[blockIdx.x];
    if (p->kind != PARQUET_PAGE_PREFIXES)
        return;
    uint64_t words[] = {p->valid_count, p->values_at};
    parquet_prefix_copy_arguments one = {};
    one.page = PAGE_OF(a, p);
    one.words = words;
    one.start = &p->tail_at;
    one.bytes = &p->text_bytes;
    one.prefixes = a.prefixes + p->first_row;
    one.lengths = a.lengths + p->first_row;
    one.out = a.out + p->text_at;
    parquet_prefix_copy_page(one);
}

/* The values of a page whose lengths are known. */
typedef struct known_strings {
    const uint8_t *source;
    uint64_t bytes, start;
    const int32_t *lengths;
} known_strings;

/* False: the page has none. */
DEVICE bool strings_open(const parquet_batch_strings_arguments &a, const parquet_page *p, known_strings *s)
{
    bool is_together = p->kind == PARQUET_PAGE_PREFIXES;
    s->source = is_together ? a.texts + p->text_at : PAGE_OF(a, p);
    s->bytes = is_together ? p->text_bytes : p->unpacked_bytes;
    s->start = is_together ? 0 : p->tail_at;
    s->lengths = a.lengths + p->first_row;
    return is_together || p->kind == PARQUET_PAGE_LENGTHS;
}

/* How long the values of each part are together. */
KERNEL_STEP_TOGETHER(parquet_batch_strings_sum, parquet_batch_strings)
{
    __shared__ uint64_t sums[CUDA_BLOCK / 32];
    page_part part = part_of_block(extra);
    const parquet_page *p = &a.pages[part.page];
    known_strings s;
    if (!strings_open(a, p, &s))
        return;
    part_range range = part_items(p->valid_count, part, PART_UNIT);
    uint64_t sum = 0, total;
    for (uint64_t i = range.from + threadIdx.x; i < range.to; i += CUDA_BLOCK)
        sum += s.lengths[i] > 0 ? (uint64_t)s.lengths[i] : 0;
    kernel_block_scan(sum, sums, &total);
    if (threadIdx.x == 0)
        extra.scratch[blockIdx.x] = total;
}

/* Value i, of `length` bytes from byte `at` on; zero where it is wrong, which returns false. */
DEVICE bool put_string(const parquet_batch_strings_arguments &a, const known_strings &s, uint8_t *out, uint64_t i,
                       uint64_t at, int64_t length)
{
    byte_sink sink = {a.conversion, a.type.width, out};
    bool is_right = length >= 0 && at <= s.bytes && (uint64_t)length <= s.bytes - at &&
                    (!a.type_length || (uint64_t)length == a.type_length);
    if (is_right)
        return byte_sink_store(&sink, i, s.source + at, (uint32_t)length);
    for (unsigned k = 0; k < a.type.width; k++)
        out[i * a.type.width + k] = 0;
    return false;
}

KERNEL_TOGETHER(parquet_batch_strings)
{
    __shared__ uint64_t sums[CUDA_BLOCK / 32];
    page_part part = part_of_block(extra);
    const parquet_page *p = &a.pages[part.page];
    known_strings s;
    if (!strings_open(a, p, &s))
        return;
    uint8_t *out = (uint8_t *)a.out + p->first_row * a.type.width;
    uint64_t next = s.start + sum_of_parts(extra, part, sums);
    part_range range = part_items(p->valid_count, part, PART_UNIT);
    bool is_right = true;
    for (uint64_t first = range.from; first < range.to; first += CUDA_BLOCK) {
        uint64_t i = first + threadIdx.x, total;
        int64_t length = i < range.to ? s.lengths[i] : 0;
        uint64_t at = next + kernel_block_scan(length > 0 ? (uint64_t)length : 0, sums, &total);
        if (i < range.to)
            is_right &= put_string(a, s, out, i, at, length);
        next += total;
        __syncthreads();
    }
    if (!is_right)
        kernel_fail(a.error, DEV_ERROR_CORRUPT, p->location, next);
    part_zero(out + (uint64_t)p->valid_count * a.type.width, (uint64_t)(p->row_count - p->valid_count) * a.type.width, part);
}

/* ---- bounds, NULLs, runs ---- */

KERNEL_ALONE(parquet_batch_bounds)
{
    page_part part = part_of_block(extra);
    const parquet_page *p = &a.pages[part.page];
    if (!IS_ONE_OF(p, a.kinds))
        return;
    uint64_t words[] = {p->valid_count, p->values_at};
    parquet_check_bounds_arguments one = {};
    one.type = a.type;
    one.values = a.rows ? a.values : (const uint8_t *)a.values + p->first_row * a.type.width;
    one.rows = a.rows ? a.rows + p->first_row : NULL;
    one.words = words;
    one.minimum = a.minimum;
    one.maximum = a.maximum;
    one.error = a.error;
    one.location = p->location;
    parquet_check_bounds_page(one, part_items(p->valid_count, part, PART_UNIT));
}

KERNEL_ALONE(parquet_batch_text)
{
    page_part part = part_of_block(extra);
    const parquet_page *p = &a.pages[part.page];
    if (!IS_ONE_OF(p, a.kinds))
        return;
    uint64_t words[] = {p->valid_count, p->values_at};
    parquet_check_text_arguments one = {};
    one.values = a.values + p->first_row;
    one.words = words;
    one.error = a.error;
    one.location = p->location;
    parquet_check_text_page(one, part_items(p->valid_count, part, PART_UNIT));
}

/* How many rows of each part are valid. */
KERNEL_STEP_TOGETHER(parquet_batch_spread_count, parquet_batch_spread)
{
    __shared__ uint64_t sums[CUDA_BLOCK / 32];
    page_part part = part_of_block(extra);
    const parquet_page *p = &a.pages[part.page];
    if (p->kind == PARQUET_PAGE_DICTIONARY)
        return;
    part_range range = part_items(p->row_count, part, PART_UNIT);
    uint64_t from = p->first_row + range.from, to = p->first_row + range.to, ones = 0, total;
    for (uint64_t word = from / 64 + threadIdx.x; word * 64 < to; word += CUDA_BLOCK) {
        uint64_t bits = a.validity[word] & kernel_word_mask(to, word);
        ones += (unsigned)__popcll(word * 64 < from ? bits >> (from % 64) : bits);
    }
    kernel_block_scan(ones, sums, &total);
    if (threadIdx.x == 0)
        extra.scratch[blockIdx.x] = total;
}

KERNEL_TOGETHER(parquet_batch_spread)
{
    __shared__ uint64_t sums[CUDA_BLOCK / 32];
    page_part part = part_of_block(extra);
    const parquet_page *p = &a.pages[part.page];
    if (p->kind == PARQUET_PAGE_DICTIONARY)
        return;
    part_range range = part_items(p->row_count, part, PART_UNIT);
    uint64_t next = p->first_row + sum_of_parts(extra, part, sums), end = p->first_row + range.to;
    for (uint64_t first = p->first_row + range.from; first < end; first += CUDA_BLOCK) {
        uint64_t i = first + threadIdx.x, total;
        bool is_valid = i < end && kernel_bit(a.validity, i);
        uint64_t from = next + kernel_block_scan(is_valid, sums, &total);
        next += total;
        if (!a.width) {
            if (is_valid && kernel_bit((const uint64_t *)a.dense, from))
                add_bits((uint64_t *)a.out, i, 1, 1);
        } else if (i < end) {
            uint64_t fill[2] = {a.fill_low, 0};
            WITH_WIDTH(a.width, bytes value; memcpy(&value, fill, sizeof value);
                       if (is_valid) value = ((const bytes *)a.dense)[from];
                       ((bytes *)a.out)[i] = value;)
        }
        __syncthreads();
    }
}

KERNEL_ALONE(parquet_run_rows)
{
    const parquet_run *run = &a.runs[blockIdx.x];
    for (uint64_t i = threadIdx.x; i < run->count; i += blockDim.x)
        a.out[run->at + i] = (uint32_t)(run->from + i);
}
