/* kernel_keys.cu - grouping keys to packed rows and back; hashing and moving packed rows. */
#include "device/cuda/keys.cuh"

/* The value's bytes, with zeros behind them: all NaNs are one key, and so are both zeros. */
DEVICE kernel_pair key_value(data_type type, const void *values, uint64_t i)
{
    kernel_pair key = {0, 0};
    if (type.id == TYPE_BOOL) {
        key.low = kernel_bit((const uint64_t *)values, i);
    } else if (type.id == TYPE_FLOAT) {
        float x = ((const float *)values)[i] + 0.0f;
        uint32_t bits = 0x7fc00000u;
        if (x == x)
            memcpy(&bits, &x, sizeof bits);
        key.low = bits;
    } else if (type.id == TYPE_DOUBLE) {
        double x = ((const double *)values)[i] + 0.0;
        key.low = 0x7ff8000000000000u;
        if (x == x)
            memcpy(&key.low, &x, sizeof x);
    } else if (type.width) {
        WITH_WIDTH(type.width, bytes x = ((const bytes *)values)[i]; memcpy(&key, &x, sizeof x);)
    }
    return key;
}

/* A key lies at any byte of its row; at its own width most do, and are moved at once. */
DEVICE bool key_is_aligned(const uint8_t *at, unsigned bytes)
{
    return (uint64_t)at % (bytes < 8 ? bytes : 8) == 0;
}

DEVICE void put_key(uint8_t *at, unsigned bytes, kernel_pair key)
{
    if (!key_is_aligned(at, bytes)) {
        for (unsigned k = 0; k < bytes; k++)
            at[k] = (uint8_t)((k < 8 ? key.low : key.high) >> (8 * (k % 8)));
    } else if (bytes == 1) {
        *at = (uint8_t)key.low;
    } else if (bytes == 2) {
        *(uint16_t *)at = (uint16_t)key.low;
    } else if (bytes == 4) {
        *(uint32_t *)at = (uint32_t)key.low;
    } else {
        ((uint64_t *)at)[0] = key.low;
        if (bytes == 16)
            ((uint64_t *)at)[1] = key.high;
    }
}

DEVICE kernel_pair get_key(const uint8_t *at, unsigned bytes)
{
    kernel_pair key = {0, 0};
    if (!key_is_aligned(at, bytes)) {
        for (unsigned k = 0; k < bytes; k++)
            *(k < 8 ? &key.low : &key.high) |= (uint64_t)at[k] << (8 * (k % 8));
    } else if (bytes == 1) {
        key.low = *at;
    } else if (bytes == 2) {
        key.low = *(const uint16_t *)at;
    } else if (bytes == 4) {
        key.low = *(const uint32_t *)at;
    } else {
        key.low = ((const uint64_t *)at)[0];
        key.high = bytes == 16 ? ((const uint64_t *)at)[1] : 0;
    }
    return key;
}

KERNEL_ALONE(keys_pack)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    uint8_t *row = a.rows + i * a.stride;
    unsigned bytes = a.type.id == TYPE_BOOL ? 1 : a.type.width;
    bool is_valid = kernel_is_valid(a.validity, i);
    kernel_pair key = {0, 0};
    if (is_valid)
        key = key_value(a.type, a.values, i);
    if (a.is_alone)
        *(uint64_t *)row = 0;
    if (bytes)
        put_key(row + a.offset, bytes, key);
    if (is_valid)
        return;
    if (!bytes)
        row[a.offset] = 0;
    if (a.has_null_bits)
        row[a.null_bit / 8] |= (uint8_t)(1u << a.null_bit % 8);
    else
        kernel_fail(a.error, DEV_ERROR_NULL, DEV_LOCATION_NONE, 0);
}

KERNEL_TOGETHER(keys_unpack)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    const uint8_t *row = a.rows + (i < count ? i : 0) * a.stride;
    if (a.type.id == TYPE_BOOL) {
        kernel_write_bit((uint64_t *)a.values, i, count, i < count && (row[a.offset] & 1));
    } else if (i < count && a.type.width) {
        kernel_pair key = get_key(row + a.offset, a.type.width);
        WITH_WIDTH(a.type.width, memcpy((bytes *)a.values + i, &key, sizeof(bytes));)
    }
    if (a.validity)
        kernel_write_bit(a.validity, i, count,
                         i < count && !(row[a.null_bit / 8] >> a.null_bit % 8 & 1));
}

KERNEL_ALONE(keys_hash)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    key_shape shape = {a.stride / 8, a.text_count, a.interval_count};
    if (i >= count)
        return;
    const uint64_t *row = key_row(a.rows, a.stride, i);
    a.out[i] = a.is_narrow ? key_hash_narrow(row) : key_hash(row, shape);
}

/* A thread a byte where rows are not of whole words, else a word. */
KERNEL_ALONE(keys_gather)
{
    uint64_t count = kernel_count(a.count), at = kernel_row();
    uint32_t unit = a.stride % 8 ? 1 : 8, units = a.stride / unit;
    uint64_t i = at / units, k = at % units;
    if (i >= count)
        return;
    const uint8_t *from = a.rows + (uint64_t)a.index[i] * a.stride + k * unit;
    uint8_t *to = a.out + i * a.stride + k * unit;
    if (unit == 8)
        *(uint64_t *)to = *(const uint64_t *)from;
    else
        *to = *from;
}

KERNEL_TOGETHER(keys_text_bytes)
{
    uint64_t count = kernel_count(a.count), i = kernel_row(), sum = 0;
    for (uint32_t k = 0; i < count && k < a.text_count; k++) {
        uint32_t bytes = (uint32_t)key_row(a.rows, a.stride, i)[k * 2];
        sum += bytes > STRING_INLINE_BYTES ? bytes : 0;
    }
    kernel_add_total(sum, a.out_total);
}

/* A block takes room for its texts by one addition, and they lie side by side. */
KERNEL_TOGETHER(keys_own_text)
{
    __shared__ uint64_t sums[CUDA_BLOCK / CUDA_WARP], first;
    uint64_t count = kernel_count(a.count), i = kernel_row(), total;
    uint64_t *row = (uint64_t *)(a.rows + i * a.stride);
    uint64_t bytes = i < count ? key_text_bytes(row, a.text_count) : 0;
    uint64_t before = kernel_block_scan(bytes, sums, &total);
    if (threadIdx.x == 0)
        first = total ? kernel_atomic_add(a.heap_used, total) : 0;
    __syncthreads();
    if (bytes)
        key_move_text(row, a.text_count, a.heap + first + before);
}
