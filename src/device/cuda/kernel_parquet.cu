/* kernel_parquet.cu - pages: levels, dictionary codes, booleans, PLAIN values, NULLs among them. */
#include "device/cuda/pages.cuh"

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

/* ---- dictionary codes ---- */

DEVICE uint32_t put_codes(const parquet_codes_arguments &a, const hybrid_run *run, unsigned width,
                          uint64_t done, uint64_t more)
{
    uint32_t largest = 0;
    for (uint64_t i = threadIdx.x; i < more; i += blockDim.x) {
        uint32_t code = run->is_packed ? (uint32_t)unpack(run->packed, run->packed_bytes,
                                                          i * width, width)
                                       : run->value;
        largest = code > largest ? code : largest;
        a.out[done + i] = code;
    }
    return largest;
}

DEVICE void parquet_codes_page(const parquet_codes_arguments &a)
{
    __shared__ uint32_t flag;
    uint64_t count = a.words[0];
    const uint8_t *at, *end;
    uint32_t largest = 0;
    bool is_right = page_values(a.page, a.page_bytes, a.words, &at, &end);
    if (count && is_right) {
        is_right = at < end && *at <= 32;
        hybrid h = {at + 1, end, is_right ? *at : 0u};
        for (uint64_t done = 0; is_right && done < count;) {
            hybrid_run run;
            is_right = next_run(&h, &run);
            if (!is_right)
                break;
            uint64_t more = run.count < count - done ? run.count : count - done;
            uint32_t code = put_codes(a, &run, h.bit_width, done, more);
            largest = code > largest ? code : largest;
            done += more;
        }
        is_right = is_right && largest < a.dictionary_rows;
    }
    if (block_any(!is_right, &flag)) {
        block_zero(a.out, count * sizeof *a.out);
        if (threadIdx.x == 0)
            kernel_fail(a.error, DEV_ERROR_CORRUPT, a.location, a.words[1]);
    }
}

KERNEL_TOGETHER(parquet_codes)
{
    parquet_codes_page(a);
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
    return convert_number(a, at, i);
}

/* The next values' places, which are behind their lengths: what only one thread can follow. */
DEVICE uint32_t follow_lengths(const uint8_t *values, uint64_t bytes, uint64_t *next, uint64_t wanted,
                               uint64_t *places)
{
    uint32_t found = 0;
    for (; found < wanted && bytes - *next >= 4; found++) {
        uint64_t length = load_bytes(values + *next, 4);
        if (length > bytes - *next - 4)
            break;
        places[found] = *next;
        *next += 4 + length;
    }
    return found;
}

/* True: a value is damaged. */
DEVICE bool convert_byte_arrays(const parquet_plain_arguments &a, const uint8_t *values,
                                uint64_t bytes, uint64_t count, uint64_t *places, uint32_t *found)
{
    byte_sink sink = {a.conversion, a.type.width, a.out};
    uint64_t next = 0;
    bool is_wrong = false;
    for (uint64_t first = 0; first < count; first += blockDim.x) {
        uint64_t wanted = count - first < blockDim.x ? count - first : blockDim.x;
        if (threadIdx.x == 0)
            *found = follow_lengths(values, bytes, &next, wanted, places);
        __syncthreads();
        uint32_t here = *found;
        if (threadIdx.x < here) {
            const uint8_t *at = values + places[threadIdx.x];
            is_wrong |= !byte_sink_store(&sink, first + threadIdx.x, at + 4,
                                         (uint32_t)load_bytes(at, 4));
        }
        __syncthreads();
        if (here < wanted)
            return true;
    }
    return is_wrong;
}

DEVICE void copy_bits_plain(const uint8_t *values, uint64_t count, uint64_t *out)
{
    for (uint64_t w = threadIdx.x; w * 64 < count; w += blockDim.x)
        out[w] = unpack(values, (count + 7) / 8, w * 64,
                        (unsigned)(count - w * 64 < 64 ? count - w * 64 : 64));
}

DEVICE void parquet_plain_page(const parquet_plain_arguments &a)
{
    __shared__ uint64_t places[CUDA_BLOCK];
    __shared__ uint32_t flag, found;
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
        is_right = !convert_byte_arrays(a, values, bytes, count, places, &found);
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

KERNEL_TOGETHER(parquet_plain)
{
    parquet_plain_page(a);
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

DEVICE void parquet_check_bounds_page(const parquet_check_bounds_arguments &a)
{
    uint64_t count = a.words[0];
    for (uint64_t i = threadIdx.x; i < count; i += blockDim.x) {
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
    parquet_check_bounds_page(a);
}
