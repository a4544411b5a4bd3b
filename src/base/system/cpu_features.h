/* cpu_features.h - what instructions this machine has, and which of them code may use: the one place
 * that asks the processor.
 *
 * Whoever chooses between implementations is given a cpu_isa as its bound: the setting isa, which
 * never names more than the machine has. CPU_ISA_SCALAR is the specification: no vector code of
 * ours runs (libraries choose for themselves). Any thread. */
#ifndef PISTACHIO_BASE_SYSTEM_CPU_FEATURES_H
#define PISTACHIO_BASE_SYSTEM_CPU_FEATURES_H

#include <stdbool.h>

/* Each has what those before it have. */
typedef enum cpu_isa {
    CPU_ISA_SCALAR,
    CPU_ISA_AVX2,   /* all of flags_avx2 in cmake/Kernels.cmake */
    CPU_ISA_AVX512, /* all of flags_avx512 */
    CPU_ISA_COUNT
} cpu_isa;

/* As in SET isa. */
const char *cpu_isa_name(cpu_isa isa);
/* The features that it needs beyond the one before it, as the compiler's -m options name them, split
 * by spaces. */
const char *cpu_isa_features(cpu_isa isa);
/* The best of this machine. */
cpu_isa cpu_isa_best(void);
/* "auto" or a name. False: there is none of that name, or this machine lacks some of it. */
bool cpu_isa_find(const char *name, cpu_isa *out);

/* Carry-less multiplication of 16 bytes (pclmul, sse4.1), which counts as AVX2; of 64 at once
 * (vpclmulqdq), as AVX-512. */
bool cpu_may_multiply(cpu_isa bound);
bool cpu_may_multiply_wide(cpu_isa bound);

/* Code that chose an implementation says so, for tests. */
void cpu_note_use(cpu_isa isa);
/* The highest that was noted since the last call. */
cpu_isa cpu_take_used(void);

#endif
