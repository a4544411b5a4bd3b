/* kernel_cast.cu - casts among numbers, booleans and times; a thread a row. */
#include "device/cuda/cast.cuh"

DEVICE int128 load_exact(data_type type, const void *values, uint64_t i)
{
    if (type.id == TYPE_BOOL)
        return kernel_bit((const uint64_t *)values, i);
    WITH_INTEGER(type, return (int128)((const number *)values)[i];)
}

DEVICE double load_real(data_type type, const void *values, uint64_t i)
{
    return type.id == TYPE_FLOAT ? (double)((const float *)values)[i]
                                 : ((const double *)values)[i];
}

/* Casts a row. False: it does not fit. *out: if the target is an integer. */
DEVICE bool cast_row(const cast_number_arguments &a, uint64_t i, int128 *out)
{
    bool is_real = tile_type_is_real(a.from);
    int128 exact = is_real ? 0 : load_exact(a.from, a.values, i);
    double real = is_real ? load_real(a.from, a.values, i) : 0;
    if (a.to.id == TYPE_DOUBLE) {
        ((double *)a.out)[i] = cast_to_double(a.from, exact, real);
        return true;
    }
    if (a.to.id == TYPE_FLOAT)
        return cast_to_float(a.from, exact, real, (float *)a.out + i);
    return cast_to_exact(a.from, a.to, exact, real, out);
}

KERNEL_TOGETHER(cast_number)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    int128 result = 0;
    bool fits = i >= count || cast_row(a, i, &result);
    if (!fits && kernel_is_valid(a.validity, i))
        kernel_fail(a.error, DEV_ERROR_OVERFLOW, a.location, i);
    if (a.to.width == 0) {
        kernel_write_bit((uint64_t *)a.out, i, count, result != 0);
    } else if (i < count && a.to.width == 16) {
        ((int128 *)a.out)[i] = result;
    } else if (i < count && !tile_type_is_real(a.to)) {
        WITH_WIDTH(a.to.width, memcpy((bytes *)a.out + i, &result,
                                      sizeof(bytes) < 8 ? sizeof(bytes) : 8);)
    }
}
