/* kernel.h - inside the kernels: names per ISA, lazy counts, strings, error reports.
 *
 * Every kernel_*.c is compiled once per ISA with -DISA=scalar, avx2, avx512 or simulated, and
 * defines ISA_(name)(const name_arguments *a) for kernels of kernels.def. The scalar build is the
 * specification. */
#ifndef PISTACHIO_DEVICE_CPU_KERNEL_H
#define PISTACHIO_DEVICE_CPU_KERNEL_H

#include "device/device.h"
#include "device/kernels/kernel_ops.h"

#ifndef ISA
#define ISA scalar
#endif
#define ISA_PASTE2_(name, isa) name##_##isa
#define ISA_PASTE_(name, isa) ISA_PASTE2_(name, isa)
#define ISA_(name) ISA_PASTE_(kernel_##name, ISA)
#define ISA_TEXT2_(isa) #isa
#define ISA_TEXT_(isa) ISA_TEXT2_(isa)
#define ISA_TEXT ISA_TEXT_(ISA)

#define KERNEL(name, ...) void ISA_(name)(const name##_arguments *a);
#define CPU_KERNEL KERNEL
#define HOST_KERNEL(name, ...)
#include "device/kernels/kernels.def"
#undef KERNEL

/* The rows that a launch is for. */
static inline size_t kernel_count(dev_count count)
{
    if (count.actual && *count.actual < count.bound)
        return *count.actual;
    return count.bound;
}

#define simulated 1
#define scalar 2
#define avx2 3
#define avx512 4
/* Features of the machine that this file is compiled for, for code that is compiled once and chooses when it runs. */
#if ISA == 4
#define KERNEL_CPU_ISA CPU_ISA_AVX512
#elif ISA == 3
#define KERNEL_CPU_ISA CPU_ISA_AVX2
#else
#define KERNEL_CPU_ISA CPU_ISA_SCALAR
#endif
/* An offset that is added to an address inside a string_view: a device whose addresses differ from the host's sets it
 * before it runs kernels. */
#if ISA == 1
extern ptrdiff_t dev_simulated_offset;
#define KERNEL_STRING_OFFSET dev_simulated_offset
#else
#define KERNEL_STRING_OFFSET 0
#endif
#undef simulated
#undef scalar
#undef avx2
#undef avx512

static inline const char *kernel_string_data(const string_view *view)
{
    return view->bytes <= STRING_INLINE_BYTES ? view->inlined : view->data + KERNEL_STRING_OFFSET;
}

/* A view of bytes at the address that this process sees. */
static inline string_view kernel_string_make(const char *data, uint32_t bytes)
{
    string_view view = string_view_make(data, bytes);
    if (bytes > STRING_INLINE_BYTES)
        view.data = data - KERNEL_STRING_OFFSET;
    return view;
}

/* A loop of a kernel over i from first to count - 1, in blocks of rows between which it looks whether the launch is
 * still wanted (device.h) and else ends. `continue` may be used in it, `break` not. */
#define KERNEL_FOR(i, first, count)                                                                \
    for (size_t i = (first), i##_end = 0; i < (count) && !(i##_end && cancel_is_asked());)         \
        for (i##_end = (count)-i > CANCEL_STEPS ? i + CANCEL_STEPS : (count); i < i##_end; i++)

static inline bool kernel_bit(const uint64_t *bits, size_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

/* No validity: all valid. */
static inline bool kernel_is_valid(const uint64_t *validity, size_t i)
{
    return !validity || kernel_bit(validity, i);
}

/* The bits of word `word` that belong to `count` rows. */
static inline uint64_t kernel_word_mask(size_t count, size_t word)
{
    size_t left = count - word * 64;
    return left >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << left) - 1;
}

/* Reports a failure; the first one of the task stays. */
static inline void kernel_fail(dev_error *error, dev_error_code code, uint32_t location,
                               uint64_t detail)
{
    uint32_t none = DEV_ERROR_NONE;
    if (atomic_compare_exchange_strong(&error->code, &none, (uint32_t)code)) {
        error->location = location;
        error->detail = detail;
    }
}

static inline uint64_t kernel_mix(uint64_t x)
{
    return dev_mix(x);
}

/* The slot that a hash begins to look at, of any number of slots; other bits than a rank's decide. */
static inline uint64_t kernel_slot_of(uint64_t hash, uint64_t slot_count)
{
    return (uint64_t)((uint128)hash * slot_count >> 64);
}

#endif
