/* kernel_parquet.cu - pages: levels, dictionary codes, booleans, PLAIN values, NULLs among them. */
#include "base/text/utf8.h"
#include "device/cuda/chain.cuh"
#include "device/cuda/parts.cuh"

/* ---- runs of single bits ---- */

/* The words [first, last) of `bits` that this thread has get the run's bits [at, at + count). */
DEVICE bool put_run(uint64_t *bits, const hybrid_run *run, uint64_t at, uint64_t count)
{
    uint64_t w = at / 64 / blockDim.x * blockDim.x + threadIdx.x;
    if (w < at / 64)
        w += blockDim.x;
    for (; w * 64 < at + count; w += blockDim.x) {
        uint64_t from = w * 64 > at ? w * 64 : at;
        uint64_t to = (w + 1) * 64 < at + count ? (w + 1) * 64 : at + count;
        unsigned width = (unsigned)(to - from);
        uint64_t word = width == 64 ? ~(uint64_t)0 : ((uint64_t)1 << width) - 1;
        if (run->is_packed)
            word = unpack(run->packed, run->packed_bytes, from - at, width);
        else if (!run->value)
            word = 0;
        bits[w] |= word << (from % 64);
    }
    return run->is_packed || run->value <= 1;
}

/* All threads together; each has the words whose number is its own, modulo the block's size. False:
 * damaged. */
DEVICE bool unpack_bits(hybrid *h, uint64_t count, uint64_t *bits)
{
    for (uint64_t w = threadIdx.x; w * 64 < count; w += blockDim.x)
        bits[w] = 0;
    bool is_right = true;
    for (uint64_t done = 0; done < count && is_right;) {
        hybrid_run run;
        if (!next_run(h, &run))
            return false;
        uint64_t more = run.count < count - done ? run.count : count - done;
        is_right = put_run(bits, &run, done, more);
        done += more;
    }
    return is_right;
}

/* BIT_PACKED levels go from the most significant bit down. */
DEVICE void unpack_old_levels(const uint8_t *bytes, uint64_t count, uint64_t *bits)
{
    for (uint64_t w = threadIdx.x; w * 64 < count; w += blockDim.x) {
        uint64_t word = 0;
        for (uint64_t i = w * 64; i < count && i < w * 64 + 64; i++)
            word |= (uint64_t)(bytes[i / 8] >> (7 - i % 8) & 1) << (i % 64);
        bits[w] = word;
    }
}

DEVICE uint64_t count_own_bits(const uint64_t *bits, uint64_t count)
{
    uint64_t ones = 0;
    for (uint64_t w = threadIdx.x; w * 64 < count; w += blockDim.x)
        ones += (unsigned)__popcll(bits[w]);
    return ones;
}

KERNEL_TOGETHER(parquet_levels)
{
    __shared__ uint64_t sums[8];
    uint32_t start = a.level_start, bytes = a.level_bytes;
    bool is_right = false;
    if (a.is_bit_packed) {
        bytes = a.row_count / 8 + (a.row_count % 8 > 0);
    } else if (a.with_length && a.page_bytes >= 4) {
        bytes = (uint32_t)load_bytes(a.page, 4);
        start = 4;
    } else if (a.with_length) {
        bytes = UINT32_MAX;
    }
    if (start <= a.page_bytes && bytes <= a.page_bytes - start) {
        hybrid h = {a.page + start, a.page + start + bytes, 1};
        is_right = true;
        if (a.is_bit_packed)
            unpack_old_levels(a.page, a.row_count, a.validity);
        else
            is_right = unpack_bits(&h, a.row_count, a.validity);
    }
    if (!is_right) {
        for (uint64_t w = threadIdx.x; w * 64 < a.row_count; w += blockDim.x)
            a.validity[w] = 0;
        if (threadIdx.x == 0)
            kernel_fail(a.error, DEV_ERROR_CORRUPT, a.location, start);
        start = a.page_bytes;
        bytes = 0;
    }
    uint64_t valid;
    kernel_block_scan(count_own_bits(a.validity, a.row_count), sums, &valid);
    if (threadIdx.x == 0) {
        a.words[0] = valid;
        a.words[1] = start + bytes;
    }
}

KERNEL_ALONE(parquet_booleans)
{
    uint64_t count = a.words[0];
    const uint8_t *at, *end;
    bool is_right = page_values(a.page, a.page_bytes, a.words, &at, &end) && end - at >= 4;
    if (is_right) {
        uint64_t bytes = load_bytes(at, 4);
        at += 4;
        hybrid h = {at, bytes < (uint64_t)(end - at) ? at + bytes : end, 1};
        is_right = unpack_bits(&h, count, a.out);
    }
    if (!is_right && count) {
        for (uint64_t w = threadIdx.x; w * 64 < count; w += blockDim.x)
            a.out[w] = 0;
        if (threadIdx.x == 0)
            kernel_fail(a.error, DEV_ERROR_CORRUPT, a.location, a.words[1]);
    }
}

/* ---- dictionary codes: each thread puts what short runs of its bytes have, a warp those of longer ones, the block the
 * longest ---- */

#define CODES_SPAN 32u       /* bytes of runs that a thread looks at */
#define CODES_SHORT 32u      /* values of a run that one thread puts */
#define CODES_LONG 2048u     /* those that the block puts, */
#define CODES_LONG_RUNS 16u  /* of so many runs of a window */

struct code_runs {
    const uint8_t *bytes;
    uint32_t end;
    unsigned width; /* of a code, in bits */
    uint8_t packed; /* header of packed runs, of which writers make many alike; 0: not known */
    static constexpr bool merges = true;

    /* Packed codes look like anything: a run begins where one of its length ends at another one, or at a repeated code
     * before one. */
    CHAIN_MEMBER uint32_t guess(uint32_t begin, uint32_t limit) const
    {
        uint32_t bytes_of_run = 1 + (packed >> 1) * width, bytes_of_code = (width + 7) / 8;
        for (uint32_t at = begin; packed && at < limit; at++) {
            if (bytes[at] != packed || end - at < bytes_of_run)
                continue;
            uint32_t left = end - at - bytes_of_run, behind = end - left;
            if (!left || bytes[behind] == packed)
                return at;
            if (!(bytes[behind] & 1) && left > 1 + bytes_of_code && bytes[behind + 1 + bytes_of_code] == packed)
                return at;
        }
        return packed ? CHAIN_UNKNOWN : begin;
    }

    /* Looks at a few runs from `at` on for one that is packed. */
    CHAIN_MEMBER void learn(uint32_t at)
    {
        packed = 0;
        for (unsigned i = 0; i < 4 && at < end && !packed; i++) {
            hybrid_run run;
            uint8_t header = bytes[at];
            packed = header & 1 && header < 128 ? header : 0;
            at = this->run(at, &run);
        }
    }

    CHAIN_MEMBER uint32_t run(uint32_t at, hybrid_run *out) const
    {
        hybrid h = {bytes + at, bytes + end, width};
        return next_run(&h, out) ? (uint32_t)(h.at - bytes) : CHAIN_CUT;
    }

    CHAIN_MEMBER uint32_t next(uint32_t at, uint64_t *count) const
    {
        hybrid_run run;
        at = this->run(at, &run);
        *count = at == CHAIN_CUT ? 0 : run.count;
        return at;
    }
};

/* Codes of a run, to out[place...]. */
typedef struct code_run {
    const uint8_t *packed; /* NULL: all are `value` */
    uint32_t packed_bytes, value;
    uint64_t place;
    uint32_t count;
} code_run;

typedef struct codes_shared {
    chain_shared chain;
    code_run runs[CODES_LONG_RUNS];
    uint32_t count;
} codes_shared;

/* The place where codes go, and the largest so far. */
typedef struct codes_output {
    uint32_t *codes;
    uint32_t largest;
    unsigned width;
} codes_output;

DEVICE void put_code(codes_output *out, const code_run *run, uint32_t i)
{
    uint32_t code = run->packed ? (uint32_t)unpack(run->packed, run->packed_bytes,
                                                   (uint64_t)i * out->width, out->width)
                                : run->value;
    out->largest = code > out->largest ? code : out->largest;
    out->codes[run->place + i] = code;
}

/* The run of lane `lane`, by the warp. */
DEVICE void put_by_warp(codes_output *out, const code_run &its, unsigned lane)
{
    code_run run;
    run.packed = (const uint8_t *)(uintptr_t)__shfl_sync(ALL_LANES, (word64)(uintptr_t)its.packed, (int)lane);
    run.packed_bytes = __shfl_sync(ALL_LANES, its.packed_bytes, (int)lane);
    run.value = __shfl_sync(ALL_LANES, its.value, (int)lane);
    run.place = __shfl_sync(ALL_LANES, (word64)its.place, (int)lane);
    run.count = __shfl_sync(ALL_LANES, its.count, (int)lane);
    for (uint32_t i = kernel_lane(); i < run.count; i += CUDA_WARP)
        put_code(out, &run, i);
}

/* The runs of the thread, of which the first has value `place`; all threads together. */
DEVICE void put_runs(codes_output *out, const code_runs &runs, const chain_span &s, uint64_t place,
                     uint64_t count, codes_shared *shared)
{
    uint32_t at = s.entry;
    for (uint32_t k = 0; __ballot_sync(ALL_LANES, k < s.count && place < count); k++) {
        code_run mine = {NULL, 0, 0, place, 0};
        if (k < s.count && place < count) {
            hybrid_run run;
            at = runs.run(at, &run);
            uint64_t left = count - place;
            mine.packed = run.is_packed ? run.packed : NULL;
            mine.packed_bytes = (uint32_t)run.packed_bytes;
            mine.value = run.value;
            mine.count = (uint32_t)(run.count < left ? run.count : left);
            place += run.count;
        }
        if (mine.count >= CODES_LONG) {
            uint32_t number = atomicAdd(&shared->count, 1u);
            if (number < CODES_LONG_RUNS) {
                shared->runs[number] = mine;
                mine.count = 0;
            }
        }
        if (mine.count <= CODES_SHORT)
            for (uint32_t i = 0; i < mine.count; i++)
                put_code(out, &mine, i);
        unsigned lanes = __ballot_sync(ALL_LANES, mine.count > CODES_SHORT);
        for (; lanes; lanes &= lanes - 1)
            put_by_warp(out, mine, (unsigned)__ffs((int)lanes) - 1);
    }
}

DEVICE void put_long_runs(codes_output *out, const codes_shared *shared)
{
    uint32_t runs = shared->count < CODES_LONG_RUNS ? shared->count : CODES_LONG_RUNS;
    for (uint32_t k = 0; k < runs; k++)
        for (uint32_t i = threadIdx.x; i < shared->runs[k].count; i += blockDim.x)
            put_code(out, &shared->runs[k], i);
}

/* False: damaged. */
DEVICE bool put_codes(codes_output *out, code_runs &runs, uint64_t count, codes_shared *shared)
{
    uint64_t done = 0, total;
    uint32_t at = 0;
    while (done < count && at < runs.end) {
        chain_span s;
        if (threadIdx.x == 0)
            shared->count = 0;
        runs.learn(at);
        at = chain_window(runs, at, CODES_SPAN, &shared->chain, &s);
        uint64_t place = done + kernel_block_scan(s.sum, shared->chain.sums, &total);
        put_runs(out, runs, s, place, count, shared);
        __syncthreads();
        put_long_runs(out, shared);
        __syncthreads();
        done += total;
    }
    return done >= count;
}

KERNEL_TOGETHER(parquet_codes)
{
    __shared__ codes_shared shared;
    __shared__ uint32_t flag;
    uint64_t count = a.words[0];
    const uint8_t *at, *end;
    bool is_right = page_values(a.page, a.page_bytes, a.words, &at, &end);
    if (count && is_right) {
        is_right = at < end && *at <= 32 && end - at < CHAIN_BYTES_MAX;
        codes_output out = {a.out, 0, is_right ? *at : 0u};
        code_runs runs = {at + 1, is_right ? (uint32_t)(end - at) - 1 : 0, out.width, 0};
        is_right = is_right && put_codes(&out, runs, count, &shared) && out.largest < a.dictionary_rows;
    }
    if (block_any(!is_right, &flag)) {
        for (uint64_t i = threadIdx.x; i < count; i += blockDim.x)
            a.out[i] = 0;
        if (threadIdx.x == 0)
            kernel_fail(a.error, DEV_ERROR_CORRUPT, a.location, a.words[1]);
    }
}

/* ---- PLAIN ---- */

DEVICE unsigned stored_bytes(const parquet_plain_arguments &a)
{
    switch (a.physical) {
    case PQ_INT32:
    case PQ_FLOAT:
        return 4;
    case PQ_INT96:
        return 12;
    case PQ_FIXED_LEN_BYTE_ARRAY:
        return a.type_length;
    default:
        return 8;
    }
}

DEVICE bool convert_int96(const uint8_t *at, int64_t *out)
{
    int64_t nanoseconds = (int64_t)load_bytes(at, 8);
    int64_t days = (int64_t)(int32_t)load_bytes(at + 8, 4) - 2440588, microseconds;
    return !kernel_multiply_overflows(days, 86400000000, &microseconds) &
           !kernel_add_overflows(microseconds, nanoseconds / 1000, out);
}

/* The integer as the type has it: of 1, 2, 4, 8 or 16 bytes. */
DEVICE void store_integer(uint8_t width, void *out, uint64_t i, int64_t number)
{
    if (width == 16)
        ((int128 *)out)[i] = number;
    else
        WITH_WIDTH(width, memcpy((bytes *)out + i, &number,
                                 sizeof(bytes) < 8 ? sizeof(bytes) : 8);)
}

/* False: it is outside of what the type holds. */
DEVICE bool convert_number(const parquet_plain_arguments &a, const uint8_t *at, uint64_t i)
{
    bool is_32 = a.physical == PQ_INT32 || a.physical == PQ_FLOAT;
    int64_t x = is_32 ? (int64_t)(int32_t)load_bytes(at, 4) : (int64_t)load_bytes(at, 8);
    bool is_inside = true;
    if (a.conversion == PQ_CONVERT_MILLIS) {
        is_inside = is_32 || (x <= INT64_MAX / 1000 && x >= INT64_MIN / 1000);
        x = (int64_t)((uint64_t)x * 1000);
    } else if (a.conversion == PQ_CONVERT_NANOS) {
        x /= 1000;
    }
    store_integer(a.type.width, a.out, i, x);
    return is_inside;
}

DEVICE bool convert_value(const parquet_plain_arguments &a, const uint8_t *at, uint64_t i)
{
    byte_sink sink = {a.conversion, a.type.width, a.out};
    if (a.physical == PQ_FIXED_LEN_BYTE_ARRAY)
        return byte_sink_store(&sink, i, at, a.type_length);
    if (a.physical == PQ_INT96)
        return convert_int96(at, (int64_t *)a.out + i);
    if (a.physical == PQ_FLOAT && a.type.width == 8) {
        uint32_t bits = (uint32_t)load_bytes(at, 4);
        float single;
        memcpy(&single, &bits, sizeof single);
        ((double *)a.out)[i] = (double)single;
        return true;
    }
    return convert_number(a, at, i);
}

/* Values behind their lengths. */
struct plain_texts {
    const uint8_t *values;
    uint32_t end;
    static constexpr bool merges = false;

    /* There are four bytes. */
    CHAIN_MEMBER uint32_t length(uint32_t at) const
    {
        return (uint32_t)load_bytes(values + at, 4);
    }

    CHAIN_MEMBER uint32_t next(uint32_t at, uint64_t *) const
    {
        uint32_t left = end - at;
        if (left < 4)
            return CHAIN_CUT;
        uint32_t bytes = length(at);
        return bytes <= left - 4 ? at + 4 + bytes : CHAIN_CUT;
    }

    CHAIN_MEMBER bool is_short(uint32_t at) const
    {
        return end - at >= 4 && !values[at + 2] && !values[at + 3];
    }

    /* Guesses where a value of less than 65,536 bytes is followed by another one, or by nothing. */
    CHAIN_MEMBER uint32_t guess(uint32_t begin, uint32_t limit) const
    {
        for (uint32_t at = begin; at < limit; at++) {
            uint64_t sum;
            if (!is_short(at))
                continue;
            uint32_t behind = next(at, &sum);
            if (behind == end || (behind != CHAIN_CUT && is_short(behind)))
                return at;
        }
        return CHAIN_UNKNOWN;
    }
};

/* Returns the bytes that a thread looks at: a few values. */
DEVICE uint32_t texts_span(uint32_t bytes, uint64_t count)
{
    uint64_t span = 4 * (uint64_t)bytes / count;
    return span < 32 ? 32 : span > 4096 ? 4096 : (uint32_t)span;
}

/* True: a value is damaged. count > 0. */
DEVICE bool convert_byte_arrays(const parquet_plain_arguments &a, const uint8_t *values,
                                uint32_t bytes, uint64_t count, chain_shared *shared)
{
    byte_sink sink = {a.conversion, a.type.width, a.out};
    plain_texts texts = {values, bytes};
    uint64_t done = 0, total;
    uint32_t at = 0, span = texts_span(bytes, count);
    bool is_wrong = false;
    while (bytes < CHAIN_BYTES_MAX && done < count && at < bytes) {
        chain_span s;
        at = chain_window(texts, at, span, shared, &s);
        uint64_t i = done + kernel_block_scan(s.count, shared->sums, &total), sum;
        done += total;
        for (uint32_t k = 0, from = s.entry; k < s.count && i < count; k++, i++) {
            is_wrong |= !byte_sink_store(&sink, i, values + from + 4, texts.length(from));
            from = texts.next(from, &sum);
        }
    }
    return is_wrong || done < count;
}

DEVICE void copy_bits_plain(const uint8_t *values, uint64_t count, uint64_t *out)
{
    for (uint64_t w = threadIdx.x; w * 64 < count; w += blockDim.x)
        out[w] = unpack(values, (count + 7) / 8, w * 64,
                        (unsigned)(count - w * 64 < 64 ? count - w * 64 : 64));
}

KERNEL_STEP_TOGETHER_WIDEST(parquet_plain, parquet_plain)
{
    __shared__ chain_shared shared;
    __shared__ uint32_t flag;
    uint64_t count = a.words[0];
    const uint8_t *values, *end;
    bool is_right = page_values(a.page, a.page_bytes, a.words, &values, &end);
    uint64_t bytes = (uint64_t)(end - values);
    unsigned width = stored_bytes(a);
    if (is_right && a.physical == PQ_BOOLEAN) {
        is_right = (count + 7) / 8 <= bytes;
        if (is_right)
            copy_bits_plain(values, count, (uint64_t *)a.out);
    } else if (is_right && a.physical == PQ_BYTE_ARRAY) {
        is_right = !count || !convert_byte_arrays(a, values, (uint32_t)bytes, count, &shared);
    } else if (is_right) {
        is_right = count * width <= bytes;
        for (uint64_t i = threadIdx.x; is_right && i < count; i += blockDim.x)
            is_right = convert_value(a, values + i * width, i);
    }
    if (block_any(!is_right, &flag)) {
        block_zero(a.out, type_values_bytes_of(a.type, count));
        if (threadIdx.x == 0)
            kernel_fail(a.error, DEV_ERROR_CORRUPT, a.location, a.words[1]);
    }
}

DEVICE void parquet_split_page(const parquet_split_arguments &a)
{
    uint64_t count = a.words[0], width = a.width;
    const uint8_t *values, *end;
    if (!page_values(a.page, a.page_bytes, a.words, &values, &end) ||
        (uint64_t)(end - values) / width < count) {
        block_zero(a.out, count * width);
        if (threadIdx.x == 0)
            kernel_fail(a.error, DEV_ERROR_CORRUPT, a.location, a.words[1]);
        return;
    }
    for (uint64_t i = threadIdx.x; i < count * width; i += blockDim.x)
        a.out[i] = values[i % width * count + i / width];
}

KERNEL_ALONE(parquet_split)
{
    parquet_split_page(a);
}

/* Rows below one word of validity are those of the words before: each turn of the block is a tile
 * of CUDA_BLOCK rows. */
KERNEL_TOGETHER(parquet_spread)
{
    __shared__ uint64_t sums[8];
    uint64_t next = 0;
    for (uint64_t first = 0; first < a.row_count; first += blockDim.x) {
        uint64_t i = first + threadIdx.x, total;
        bool is_valid = i < a.row_count && kernel_bit(a.validity, i);
        uint64_t from = next + kernel_block_scan(is_valid, sums, &total);
        next += total;
        if (!a.width) {
            kernel_write_bit((uint64_t *)a.out, i, a.row_count,
                             is_valid && kernel_bit((const uint64_t *)a.dense, from));
        } else if (i < a.row_count) {
            uint64_t fill[2] = {a.fill_low, 0};
            WITH_WIDTH(a.width, bytes value; memcpy(&value, fill, sizeof value);
                       if (is_valid) value = ((const bytes *)a.dense)[from];
                       ((bytes *)a.out)[i] = value;)
        }
        __syncthreads();
    }
}

/* Without a sign, x - minimum wraps for each x below minimum to more than the width of the range. */
template <class T> DEVICE bool is_outside(const parquet_check_bounds_arguments &a, uint64_t i)
{
    T x = ((const T *)a.values)[a.rows ? a.rows[i] : i];
    T minimum = (T)a.minimum, span = (T)((T)a.maximum - minimum);
    return (T)(x - minimum) > span;
}

DEVICE void parquet_check_bounds_page(const parquet_check_bounds_arguments &a, part_range range)
{
    for (uint64_t i = range.from + threadIdx.x; i < range.to; i += blockDim.x) {
        bool outside = a.type.width == 1   ? is_outside<uint8_t>(a, i)
                       : a.type.width == 2 ? is_outside<uint16_t>(a, i)
                       : a.type.width == 4 ? is_outside<uint32_t>(a, i)
                       : a.type.width == 8 ? is_outside<uint64_t>(a, i)
                                           : is_outside<uint128>(a, i);
        if (outside) {
            kernel_fail(a.error, DEV_ERROR_BOUNDS, a.location, 0);
            return;
        }
    }
}

KERNEL_ALONE(parquet_check_bounds)
{
    part_range all = {0, a.words[0]};
    parquet_check_bounds_page(a, all);
}

DEVICE void parquet_check_text_page(const parquet_check_text_arguments &a, part_range range)
{
    for (uint64_t i = range.from + threadIdx.x; i < range.to; i += blockDim.x) {
        const kernel_view *view = (const kernel_view *)a.values + i;
        uint64_t bytes = kernel_view_bytes(view);
        uint64_t valid = utf8_valid_bytes(kernel_view_data(view), bytes);
        if (valid < bytes) {
            kernel_fail(a.error, DEV_ERROR_TEXT, a.location, (a.first + i) << 32 | valid);
            return;
        }
    }
}

KERNEL_ALONE(parquet_check_text)
{
    part_range all = {0, a.words[0]};
    parquet_check_text_page(a, all);
}
