/* hash.cuh - hashes of values, as on the CPU (device/cpu/kernel_move.c), and room in heaps. */
#ifndef PISTACHIO_DEVICE_CUDA_HASH_CUH
#define PISTACHIO_DEVICE_CUDA_HASH_CUH

#include "device/cuda/numbers.cuh"

#define KERNEL_NULL_HASH 0x9ae16a3b2f90404full

DEVICE uint64_t kernel_hash_bytes(const char *data, uint64_t bytes)
{
    uint64_t hash = bytes * 0x9e3779b97f4a7c15ull, word;
    for (; bytes >= 8; bytes -= 8, data += 8) {
        memcpy(&word, data, 8);
        hash = (hash ^ kernel_mix(word)) * 0x9fb21c651e98df25ull;
    }
    word = 0;
    for (uint64_t i = 0; i < bytes; i++)
        word |= (uint64_t)(uint8_t)data[i] << (8 * i);
    return kernel_mix(hash ^ word);
}

/* 16-byte numbers that fit 8 bytes hash like those. */
DEVICE uint64_t kernel_hash_wide(int128 number)
{
    int64_t low = (int64_t)number;
    if (low == number)
        return kernel_mix((uint64_t)low);
    return kernel_mix((uint64_t)low ^ kernel_mix((uint64_t)(number >> 64) + 1));
}

DEVICE uint64_t kernel_hash_double(double number)
{
    uint64_t bits;
    if (number == 0)
        number = 0; /* -0 too */
    if (number != number)
        return KERNEL_NULL_HASH + 1;
    memcpy(&bits, &number, sizeof bits);
    return kernel_mix(bits);
}

DEVICE uint64_t kernel_hash_value(data_type type, const void *values, uint64_t i)
{
    const kernel_view *text = (const kernel_view *)values + i;
    switch (type.id) {
    case TYPE_NULL:
        return KERNEL_NULL_HASH;
    case TYPE_BOOL:
        return kernel_mix(kernel_bit((const uint64_t *)values, i));
    case TYPE_FLOAT:
        return kernel_hash_double((double)((const float *)values)[i]);
    case TYPE_DOUBLE:
        return kernel_hash_double(((const double *)values)[i]);
    case TYPE_VARCHAR:
    case TYPE_BLOB:
        return kernel_hash_bytes(kernel_view_data(text), kernel_view_bytes(text));
    case TYPE_INTERVAL:
        return kernel_hash_wide(kernel_interval_weight((const interval_value *)values + i));
    default:
        break;
    }
    if (type.width == 16)
        return kernel_hash_wide(((const int128 *)values)[i]);
    return kernel_mix((uint64_t)kernel_load_integer(type, values, i));
}

/* Each thread of the block takes so many bytes of a heap; one addition for all of them. All threads come. */
DEVICE uint64_t kernel_take_room(uint64_t *used, uint64_t bytes)
{
    __shared__ uint64_t sums[8], base;
    uint64_t total, before = kernel_block_scan(bytes, sums, &total);
    if (threadIdx.x == 0)
        base = total ? kernel_atomic_add(used, total) : 0;
    __syncthreads();
    return base + before;
}

#endif
