/* isa.c - picks the kernel table. Compiled without -m flags: no new instruction may run here. */
#include "device/cpu/tables.h"

const dev_kernel_function *dev_kernel_table(const char *isa, const char **out_name)
{
    static const dev_kernel_function *const tables[CPU_ISA_COUNT] = {
        [CPU_ISA_SCALAR] = kernel_table_scalar,
#if defined __x86_64__
        [CPU_ISA_AVX2] = kernel_table_avx2,
        [CPU_ISA_AVX512] = kernel_table_avx512,
#endif
    };
    cpu_isa found;
    if (!cpu_isa_find(isa, &found))
        return NULL;
    *out_name = cpu_isa_name(found);
    return tables[found];
}
