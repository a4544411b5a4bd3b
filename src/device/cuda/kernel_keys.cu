/* kernel_keys.cu - grouping keys to packed rows and back; hashing and moving packed rows. */
#include "device/cuda/keys.cuh"

/* The value's bytes, at most 16: all NaNs are one key, and so are both zeros. Returns how many. */
DEVICE unsigned key_value(data_type type, const void *values, uint64_t i, uint8_t *out)
{
    if (type.id == TYPE_BOOL) {
        out[0] = kernel_bit((const uint64_t *)values, i);
        return 1;
    }
    if (type.id == TYPE_FLOAT) {
        float x = ((const float *)values)[i];
        uint32_t bits = 0x7fc00000u;
        x += 0.0f;
        if (x == x)
            memcpy(&bits, &x, sizeof bits);
        memcpy(out, &bits, sizeof bits);
        return 4;
    }
    if (type.id == TYPE_DOUBLE) {
        double x = ((const double *)values)[i] + 0.0;
        uint64_t bits = 0x7ff8000000000000u;
        if (x == x)
            memcpy(&bits, &x, sizeof bits);
        memcpy(out, &bits, sizeof bits);
        return 8;
    }
    if (type.width) {
        WITH_WIDTH(type.width, bytes x = ((const bytes *)values)[i]; memcpy(out, &x, sizeof x);)
    }
    return type.width;
}

KERNEL_ALONE(keys_pack)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    uint8_t *row = a.rows + i * a.stride, value[16];
    unsigned bytes = key_value(a.type, a.values, i, value);
    bool is_valid = kernel_is_valid(a.validity, i);
    if (a.is_alone)
        *(uint64_t *)row = 0;
    for (unsigned k = 0; k < bytes; k++)
        row[a.offset + k] = is_valid ? value[k] : 0;
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
        WITH_WIDTH(a.type.width, bytes x; memcpy(&x, row + a.offset, sizeof x);
                   ((bytes *)a.values)[i] = x;)
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

KERNEL_ALONE(keys_own_text)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i < count)
        key_own_text((uint64_t *)(a.rows + i * a.stride), a.text_count, a.heap, a.heap_used);
}
