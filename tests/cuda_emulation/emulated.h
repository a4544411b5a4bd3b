/* emulated.h - what CUDA C has and C++ has not, for kernels that the host's compiler builds.
 *
 * One kernel runs at a time, one thread of it at a time, until it meets others or, now and then, comes to an atomic. Threads of a kernel that meets are fibers
 * (fibers.cpp); of the others they are calls. */
#ifndef PISTACHIO_EMULATED_H
#define PISTACHIO_EMULATED_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda/extra.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((unused))
#define __launch_bounds__(...)
#define __restrict__
/* In one place, so that it can be filled with rubbish before each block. */
#define __shared__ static __attribute__((section("emulated_shared")))
#define __constant__ static

struct emulated_index {
    unsigned x, y, z;
};
extern emulated_index threadIdx, blockIdx, blockDim, gridDim;

/* ---- kernels, by name ---- */

typedef bool emulated_question(const void *address);

struct emulated_kernel {
    const char *name;
    void (*call)(const void *job);
    bool is_together; /* threads meet */
    /* The largest count among them: what it may be, and once the stream is there what it is. */
    uint64_t (*rows)(const void *arguments), (*rows_now)(const void *arguments);
    /* Returns the name of an address that the device does not know, or NULL. */
    const char *(*strange)(const void *arguments, emulated_question *is_known);
    /* Lists what the kernel may write, one address after another. Returns their number. */
    unsigned (*outputs)(const void *arguments, void **out);
    size_t argument_bytes;
    const emulated_kernel *next;
    emulated_kernel(const char *name, void (*call)(const void *), bool is_together,
                    uint64_t (*rows)(const void *), uint64_t (*rows_now)(const void *),
                    const char *(*strange)(const void *, emulated_question *),
                    unsigned (*outputs)(const void *, void **), size_t argument_bytes);
};
extern const emulated_kernel *emulated_kernels;

#define KERNEL_FUNCTION(name, arguments, is_together, bounds)                                      \
    static void kernel_##name(const arguments##_arguments &a, const cuda_extra &extra);            \
    static const emulated_kernel emulated_##name(                                                  \
        "kernel_" #name,                                                                           \
        [](const void *p) {                                                                        \
            const auto *job = (const kernel_job<arguments##_arguments> *)p;                        \
            kernel_##name(job->a, job->extra);                                                     \
        },                                                                                         \
        is_together, emulated_rows_##arguments, emulated_rows_now_##arguments,                     \
        emulated_strange_##arguments, emulated_outputs_##arguments,                                \
        sizeof(arguments##_arguments));                                                            \
    static void kernel_##name(const arguments##_arguments &a __attribute__((unused)),              \
                              const cuda_extra &extra __attribute__((unused)))

/* ---- meeting ----
 * Who meets says as what: all that meet must say the same. What a lane brings along is put together with what the others
 * bring when all are there, and each is given its result: nobody reads a word of another's, so one meeting is enough. */

enum emulated_meeting {
    EMULATED_BARRIER,
    EMULATED_WARP,
    EMULATED_SHUFFLE, /* each gets what lane `from` brought */
    EMULATED_BALLOT,  /* a bit for each lane that brought one */
    EMULATED_OR,
    EMULATED_MATCH, /* a bit for each lane that brought the same */
};
/* Comes back when all threads of the block, or all of `mask` in the warp, are there. */
uint64_t emulated_meet(emulated_meeting kind, unsigned mask, uint64_t word = 0, unsigned from = 0);
/* Now and then other threads go on before this one does. */
void emulated_pause();

static inline void __syncthreads()
{
    emulated_meet(EMULATED_BARRIER, 0);
}

static inline void __syncwarp(unsigned mask = 0xffffffffu)
{
    emulated_meet(EMULATED_WARP, mask);
}

static inline void __threadfence()
{
}

template <class T> T emulated_shuffle(unsigned mask, T value, unsigned lane)
{
    static_assert(sizeof(T) <= 8, "a shuffle takes 4 or 8 bytes");
    uint64_t word = 0;
    memcpy(&word, &value, sizeof value);
    word = emulated_meet(EMULATED_SHUFFLE, mask, word, lane & 31);
    memcpy(&value, &word, sizeof value);
    return value;
}

template <class T> T __shfl_sync(unsigned mask, T value, int lane)
{
    return emulated_shuffle(mask, value, (unsigned)lane);
}

template <class T> T __shfl_up_sync(unsigned mask, T value, unsigned distance)
{
    unsigned lane = threadIdx.x & 31;
    return emulated_shuffle(mask, value, lane >= distance ? lane - distance : lane);
}

template <class T> T __shfl_down_sync(unsigned mask, T value, unsigned distance)
{
    unsigned lane = threadIdx.x & 31;
    return emulated_shuffle(mask, value, lane + distance < 32 ? lane + distance : lane);
}

template <class T> T __shfl_xor_sync(unsigned mask, T value, unsigned bits)
{
    return emulated_shuffle(mask, value, (threadIdx.x & 31) ^ bits);
}

static inline unsigned __ballot_sync(unsigned mask, int predicate)
{
    return (unsigned)emulated_meet(EMULATED_BALLOT, mask, predicate != 0);
}

static inline unsigned __reduce_or_sync(unsigned mask, unsigned value)
{
    return (unsigned)emulated_meet(EMULATED_OR, mask, value);
}

static inline unsigned __match_any_sync(unsigned mask, unsigned value)
{
    return (unsigned)emulated_meet(EMULATED_MATCH, mask, value);
}

/* ---- atomics: nothing else runs, but before and after one others may ---- */

template <class T, class F> T emulated_atomic(T *at, F change)
{
    emulated_pause();
    T old = *at;
    *at = change(old);
    emulated_pause();
    return old;
}

template <class T> T atomicAdd(T *at, T number)
{
    return emulated_atomic(at, [=](T old) { return (T)(old + number); });
}

template <class T> T atomicOr(T *at, T bits)
{
    return emulated_atomic(at, [=](T old) { return (T)(old | bits); });
}

template <class T> T atomicAnd(T *at, T bits)
{
    return emulated_atomic(at, [=](T old) { return (T)(old & bits); });
}

template <class T> T atomicXor(T *at, T bits)
{
    return emulated_atomic(at, [=](T old) { return (T)(old ^ bits); });
}

template <class T> T atomicMin(T *at, T number)
{
    return emulated_atomic(at, [=](T old) { return number < old ? number : old; });
}

template <class T> T atomicMax(T *at, T number)
{
    return emulated_atomic(at, [=](T old) { return number > old ? number : old; });
}

template <class T> T atomicExch(T *at, T number)
{
    return emulated_atomic(at, [=](T) { return number; });
}

template <class T> T atomicCAS(T *at, T expected, T number)
{
    return emulated_atomic(at, [=](T old) { return old == expected ? number : old; });
}

/* ---- bits ---- */

static inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
static inline int __clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
static inline int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
static inline int __ffs(int x)
{
    return __builtin_ffs(x);
}
static inline int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}

/* ---- the largest count of each kernel's arguments ---- */

#include "device/kernels/kernel_types.h"

static inline uint64_t emulated_bound(const dev_count *count, uint64_t least)
{
    return count->bound > least ? count->bound : least;
}

static inline uint64_t emulated_actual(const dev_count *count, uint64_t least)
{
    uint64_t rows = count->actual && *count->actual < count->bound ? *count->actual : count->bound;
    return rows > least ? rows : least;
}

#define POINTER(type, name)
#define VALUE(type, name)
#define COUNT(name) rows = count_of(&a->name, rows);
#define KERNEL(name, ...)                                                                          \
    template <uint64_t count_of(const dev_count *, uint64_t)>                                      \
    static inline uint64_t emulated_largest_##name(const void *arguments)                          \
    {                                                                                              \
        const name##_arguments *a = (const name##_arguments *)arguments;                           \
        uint64_t rows = 0;                                                                         \
        (void)a;                                                                                   \
        __VA_ARGS__                                                                                \
        return rows;                                                                               \
    }                                                                                              \
    static uint64_t (*const emulated_rows_##name)(const void *) =                                  \
        emulated_largest_##name<emulated_bound>;                                                   \
    static uint64_t (*const emulated_rows_now_##name)(const void *) =                              \
        emulated_largest_##name<emulated_actual>;
#include "device/kernels/kernels.def"
#undef KERNEL
#undef POINTER
#undef COUNT

/* ---- the addresses among each kernel's arguments ---- */

#define POINTER(type, name)                                                                        \
    if (a->name && !is_known((const void *)a->name))                                               \
        return #name;
#define COUNT(name)                                                                                \
    if (a->name.actual && !is_known(a->name.actual))                                               \
        return #name;
#define KERNEL(name, ...)                                                                          \
    static inline const char *emulated_strange_##name(const void *arguments,                       \
                                                      emulated_question *is_known)                 \
    {                                                                                              \
        const name##_arguments *a = (const name##_arguments *)arguments;                           \
        (void)a, (void)is_known;                                                                   \
        __VA_ARGS__                                                                                \
        return nullptr;                                                                            \
    }
#include "device/kernels/kernels.def"
#undef KERNEL
#undef POINTER
#undef COUNT

/* ---- what each kernel may write ---- */

#define EMULATED_OUTPUTS 40 /* more than any kernel has */
static inline void emulated_add_output(void *address, void **out, unsigned *count)
{
    if (address)
        out[(*count)++] = address;
}
static inline void emulated_add_output(const void *, void **, unsigned *)
{
}

#define POINTER(type, name) emulated_add_output(a->name, out, &count);
#define COUNT(name)
#define KERNEL(name, ...)                                                                          \
    static inline unsigned emulated_outputs_##name(const void *arguments, void **out)              \
    {                                                                                              \
        const name##_arguments *a = (const name##_arguments *)arguments;                           \
        unsigned count = 0;                                                                        \
        (void)a, (void)out;                                                                        \
        __VA_ARGS__                                                                                \
        return count;                                                                              \
    }
#include "device/kernels/kernels.def"
#undef KERNEL
#undef POINTER
#undef VALUE
#undef COUNT

/* ---- faults.cpp: what kernels are made to do wrong ---- */

struct emulated_before; /* what a launch's outputs had */
/* A job of a launch is about to run. An error's number: it does not run, and the text says why. */
int emulated_fault_before(const emulated_kernel *kernel, const void *arguments, void *scratch,
                          char *why, size_t bytes, emulated_before **out);
/* It has run: one of the bytes that it wrote may be made another. Takes the state over. */
void emulated_fault_after(emulated_before *before);
/* Does not come back if the kernel is one that is to hang. */
void emulated_fault_hang(const emulated_kernel *kernel);
/* Whether the device is gone from the machine. */
bool emulated_fault_gone();

#endif
