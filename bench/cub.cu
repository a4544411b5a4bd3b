/* cub.cu - the stick that operators.c is measured by: NVIDIA's CUB on the same machine, over inputs of the same
 * kind, and random accesses by kernels that share nothing with ours. For scripts/gpu-check; no part of the program, which
 * knows nothing of CUB. Prints one JSON object.
 *
 *   cub [ROWS]   2^26 at first
 *
 * sort: the order of rows by one random key of 64 bits (DeviceRadixSort::SortPairs, the rows' numbers beside the keys);
 * scan: of each row, how many bits of a mask are set up to it (DeviceScan::InclusiveSum), 4.125 bytes a row as there.
 * independent reads and swaps: millions a second of random 8-byte reads, and of random compare-and-swaps of 8 bytes, over a
 * table of two words a row, as a join's probe and build do.
 * The best of some rounds by the host's clock, as in device_bench.h; inputs and scratch are there before. Exit code 77:
 * there is no device. */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define ROUNDS 5
#define SCAN_BYTES 4.125 /* a row */

static void must(cudaError_t result)
{
    if (result == cudaSuccess)
        return;
    fprintf(stderr, "error: %s\n", cudaGetErrorString(result));
    bool is_none = result == cudaErrorNoDevice || result == cudaErrorInsufficientDriver ||
                   result == cudaErrorInitializationError;
    exit(is_none ? 77 : 1);
}

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

struct bit_of {
    const uint64_t *words;
    __host__ __device__ uint32_t operator()(uint32_t row) const
    {
        return (uint32_t)(words[row >> 6] >> (row & 63) & 1);
    }
};

template <typename type> static type *take(size_t count)
{
    void *memory;
    must(cudaMalloc(&memory, count * sizeof(type)));
    return (type *)memory;
}

#define BLOCK 256
#define ROWS_PER_THREAD 4 /* as many accesses on their way */

__device__ static uint64_t place_of(uint64_t row, uint64_t words)
{
    uint64_t x = (row + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return (x ^ (x >> 32)) % words;
}

__global__ static void read_at_random(const uint64_t *table, uint64_t words, uint64_t rows,
                                      uint64_t *sums)
{
    uint64_t first = (uint64_t)blockIdx.x * BLOCK * ROWS_PER_THREAD + threadIdx.x, sum = 0;
#pragma unroll
    for (int i = 0; i < ROWS_PER_THREAD; i++)
        if (first + (uint64_t)i * BLOCK < rows)
            sum += table[place_of(first + (uint64_t)i * BLOCK, words)];
    sums[(uint64_t)blockIdx.x * BLOCK + threadIdx.x] = sum;
}

__global__ static void swap_at_random(unsigned long long *table, uint64_t words, uint64_t rows)
{
    uint64_t first = (uint64_t)blockIdx.x * BLOCK * ROWS_PER_THREAD + threadIdx.x;
#pragma unroll
    for (int i = 0; i < ROWS_PER_THREAD; i++)
        if (first + (uint64_t)i * BLOCK < rows)
            atomicCAS(&table[place_of(first + (uint64_t)i * BLOCK, words)], 0ull,
                      first + (uint64_t)i * BLOCK + 1);
}

/* The best round's seconds of `work`, which is given scratch as CUB's functions take it. */
template <typename function> static double time_of(function work)
{
    void *scratch = nullptr;
    size_t bytes = 0;
    double best = 0;
    must(work(scratch, bytes));
    must(cudaMalloc(&scratch, bytes ? bytes : 1));
    for (int round = 0; round < ROUNDS; round++) {
        auto start = std::chrono::steady_clock::now();
        must(work(scratch, bytes));
        must(cudaDeviceSynchronize());
        std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        best = round && best < taken.count() ? best : taken.count();
    }
    must(cudaFree(scratch));
    return best;
}

int main(int count, char **arguments)
{
    uint64_t rows = count > 1 ? strtoull(arguments[1], nullptr, 10) : (uint64_t)1 << 26;
    if (!rows || rows > (uint64_t)1 << 30) {
        fprintf(stderr, "usage: %s [ROWS]\n", arguments[0]);
        return 2;
    }
    int devices = 0;
    must(cudaGetDeviceCount(&devices));
    uint64_t *keys = take<uint64_t>(rows), *sorted = take<uint64_t>(rows);
    uint32_t *numbers = take<uint32_t>(rows), *order = take<uint32_t>(rows);
    {
        std::vector<uint64_t> host_keys(rows);
        std::vector<uint32_t> host_numbers(rows);
        for (uint64_t i = 0; i < rows; i++) {
            host_keys[i] = mixed(i + 1);
            host_numbers[i] = (uint32_t)i;
        }
        must(cudaMemcpy(keys, host_keys.data(), rows * sizeof *keys, cudaMemcpyHostToDevice));
        must(cudaMemcpy(numbers, host_numbers.data(), rows * sizeof *numbers,
                        cudaMemcpyHostToDevice));
    }
    double sort = time_of([=](void *scratch, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted, numbers, order,
                                               (int64_t)rows);
    });
    /* The keys' bits are the mask. */
    auto bits = thrust::make_transform_iterator(thrust::make_counting_iterator((uint32_t)0),
                                                bit_of{keys});
    double scan = time_of([=](void *scratch, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(scratch, bytes, bits, order, (int64_t)rows);
    });
    uint64_t words = 2 * rows, per_block = (uint64_t)BLOCK * ROWS_PER_THREAD;
    unsigned blocks = (unsigned)((rows + per_block - 1) / per_block);
    uint64_t *table = take<uint64_t>(words), *sums = take<uint64_t>((uint64_t)blocks * BLOCK);
    must(cudaMemset(table, 0, words * sizeof *table));
    double reads = time_of([=](void *scratch, size_t &bytes) {
        bytes = 1;
        if (scratch)
            read_at_random<<<blocks, BLOCK>>>(table, words, rows, sums);
        return cudaGetLastError();
    });
    double swaps = time_of([=](void *scratch, size_t &bytes) {
        bytes = 1;
        if (!scratch)
            return cudaSuccess;
        cudaError_t result = cudaMemsetAsync(table, 0, words * sizeof *table);
        swap_at_random<<<blocks, BLOCK>>>((unsigned long long *)table, words, rows);
        return result == cudaSuccess ? cudaGetLastError() : result;
    });
    double zeroing = time_of([=](void *scratch, size_t &bytes) {
        bytes = 1;
        return scratch ? cudaMemsetAsync(table, 0, words * sizeof *table) : cudaSuccess;
    });
    swaps = swaps > zeroing ? swaps - zeroing : swaps;
    cudaDeviceProp properties;
    must(cudaGetDeviceProperties(&properties, 0));
    printf("{\"device\": \"sm_%d%d\", \"rows\": %llu, \"cub\": %d,\n", properties.major,
           properties.minor, (unsigned long long)rows, CUB_VERSION);
    printf(" \"independent_reads_per_us\": %.2f,\n \"independent_swaps_per_us\": %.2f,\n",
           (double)rows / reads / 1e6, (double)rows / swaps / 1e6);
    printf(" \"cub_scan_gb_s\": %.2f,\n \"cub_sort_rows_per_us\": %.2f}\n",
           SCAN_BYTES * (double)rows / scan / 1e9, (double)rows / sort / 1e6);
    return 0;
}
