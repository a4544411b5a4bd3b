/* tables.h - the kernel tables, one per ISA that was compiled. */
#ifndef PISTACHIO_DEVICE_CPU_TABLES_H
#define PISTACHIO_DEVICE_CPU_TABLES_H

#include "device/device.h"

extern const dev_kernel_function kernel_table_scalar[DEV_KERNEL_COUNT];
extern const dev_kernel_function kernel_table_simulated[DEV_KERNEL_COUNT];
#if defined __x86_64__
extern const dev_kernel_function kernel_table_avx2[DEV_KERNEL_COUNT];
extern const dev_kernel_function kernel_table_avx512[DEV_KERNEL_COUNT];
#endif

/* The best table that this machine can run, or the one named; NULL: there is none of that name
 * here. *out_name is set to its name. "auto" chooses. */
const dev_kernel_function *dev_kernel_table(const char *isa, const char **out_name);

#endif
