/* cpu_features.c - what the processor says of itself. Compiled without -m flags: no new instruction
 * may run here. */
#include "base/system/cpu_features.h"

#include "base/maximum.h"

#include <string.h>

#if defined __x86_64__
#include <cpuid.h>
#endif

static const struct {
    const char *name, *features;
} isas[CPU_ISA_COUNT] = {
    [CPU_ISA_SCALAR] = {"scalar", ""},
    [CPU_ISA_AVX2] = {"avx2", "avx2 bmi bmi2 fma popcnt lzcnt"},
    [CPU_ISA_AVX512] = {"avx512", "avx512f avx512bw avx512dq avx512vl avx512cd avx512vbmi "
                                  "avx512vbmi2 avx512vpopcntdq avx512bitalg"},
};

const char *cpu_isa_name(cpu_isa isa)
{
    return isas[isa].name;
}

const char *cpu_isa_features(cpu_isa isa)
{
    return isas[isa].features;
}

#if defined __x86_64__
/* Not all compilers know the name. */
static bool has_lzcnt(void)
{
    unsigned a, b, c = 0, d;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("popcnt") && has_lzcnt();
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq") &&
           __builtin_cpu_supports("avx512bitalg");
}

static cpu_isa ask_machine(void)
{
    __builtin_cpu_init();
    if (!has_avx2())
        return CPU_ISA_SCALAR;
    return has_avx512() ? CPU_ISA_AVX512 : CPU_ISA_AVX2;
}

bool cpu_may_multiply(cpu_isa bound)
{
    return bound >= CPU_ISA_AVX2 && __builtin_cpu_supports("pclmul") &&
           __builtin_cpu_supports("sse4.1");
}

bool cpu_may_multiply_wide(cpu_isa bound)
{
    return bound >= CPU_ISA_AVX512 && cpu_may_multiply(bound) &&
           __builtin_cpu_supports("vpclmulqdq");
}
#else
static cpu_isa ask_machine(void)
{
    return CPU_ISA_SCALAR;
}

bool cpu_may_multiply(cpu_isa bound)
{
    (void)bound;
    return false;
}

bool cpu_may_multiply_wide(cpu_isa bound)
{
    (void)bound;
    return false;
}
#endif

/* Asking is slow in a virtual machine, so it is done once; two threads that do get one answer. */
cpu_isa cpu_isa_best(void)
{
    static _Atomic int known = -1;
    int best = atomic_load_explicit(&known, memory_order_relaxed);
    if (best < 0) {
        best = (int)ask_machine();
        atomic_store_explicit(&known, best, memory_order_relaxed);
    }
    return (cpu_isa)best;
}

bool cpu_isa_find(const char *name, cpu_isa *out)
{
    cpu_isa best = cpu_isa_best();
    if (!strcmp(name, "auto")) {
        *out = best;
        return true;
    }
    for (cpu_isa isa = CPU_ISA_SCALAR; isa <= best; isa++)
        if (!strcmp(name, isas[isa].name)) {
            *out = isa;
            return true;
        }
    return false;
}

static _Atomic uint64_t used;

void cpu_note_use(cpu_isa isa)
{
    maximum_raise(&used, isa);
}

cpu_isa cpu_take_used(void)
{
    return (cpu_isa)atomic_exchange_explicit(&used, CPU_ISA_SCALAR, memory_order_relaxed);
}
