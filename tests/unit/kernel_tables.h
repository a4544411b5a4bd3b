/* kernel_tables.h - the kernels of each ISA as tables of functions; the CUDA device's as well. */
#ifndef PISTACHIO_KERNEL_TABLES_H
#define PISTACHIO_KERNEL_TABLES_H

#include "device/cpu/tables.h"

/* As dev_kernel_table; and "cuda": each function launches the kernel on the CUDA device, emulated or a GPU that reads
 * the host's memory, and waits for it. NULL: this machine, or this run of the test, has none. (tests/cuda_emulation and
 * scripts/gpu-check run the tests of kernels once more with PISTACHIO_CUDA_LIBRARY.) */
const dev_kernel_function *test_kernel_table(const char *isa, const char **out_name);

/* Runs what follows for each v of [first, end) for which the file's table_of() has one: a machine without AVX-512 may have a GPU. */
#define EACH_TABLE(v, first, end)                                                                  \
    for (size_t v = (first); v < (end); v++)                                                       \
        if (table_of(v))

/* Returns whether the table that was asked for last is CUDA's: which failed row is reported, and where in a heap a
 * text is, is not said then. */
bool test_is_cuda(const char *isa);

/* Writes each NaN of an array of floats or doubles in one way: where an operation makes one, a CPU and a GPU set different bits.
 * Arrays of other types stay as they are. */
void test_unify_nans(data_type type, void *values, size_t count);

/* One kernel of such a table; NULL: there is none. */
dev_kernel_function test_kernel(const char *isa, dev_kernel_id id);

#endif
