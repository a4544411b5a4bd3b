/* isa.c - picks the kernel table. Compiled without -m flags: no new instruction may run here. */
#include "device/cpu/tables.h"

#include <string.h>

static bool machine_has(const char *isa)
{
    if (!strcmp(isa, "scalar"))
        return true;
#if defined __x86_64__
    __builtin_cpu_init();
    if (!strcmp(isa, "avx2"))
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
               __builtin_cpu_supports("fma");
    if (!strcmp(isa, "avx512"))
        return machine_has("avx2") && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd") &&
               __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
               __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512bitalg");
#endif
    return false;
}

const dev_kernel_function *dev_kernel_table(const char *isa, const char **out_name)
{
    static const struct {
        const char *name;
        const dev_kernel_function *table;
    } tables[] = {
#if defined __x86_64__
        {"avx512", kernel_table_avx512},
        {"avx2", kernel_table_avx2},
#endif
        {"scalar", kernel_table_scalar},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if ((!strcmp(isa, "auto") || !strcmp(isa, tables[i].name)) && machine_has(tables[i].name)) {
            *out_name = tables[i].name;
            return tables[i].table;
        }
    return NULL;
}
