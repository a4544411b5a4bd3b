/* translate.c - arguments' device addresses to real ones, field by field from kernels.def. */
#include "device/cpu/tables.h"
#include "device/simulated/memory.h"
#include "device/simulated/simulated.h"

#define POINTER(type, name) a->name = simulated_real(a->name);
#define VALUE(type, name)
#define COUNT(name) a->name.actual = simulated_real(a->name.actual);
#define KERNEL(name, ...)                                                                          \
    static void translate_##name(void *arguments)                                                  \
    {                                                                                              \
        name##_arguments *a = arguments;                                                           \
        (void)a;                                                                                   \
        __VA_ARGS__                                                                                \
    }
#include "device/kernels/kernels.def"
#undef KERNEL
#undef POINTER
#undef VALUE
#undef COUNT

static void (*const translations[DEV_KERNEL_COUNT])(void *arguments) = {
#define KERNEL(name, ...) [DEV_KERNEL_##name] = translate_##name,
#include "device/kernels/kernels.def"
#undef KERNEL
};

void simulated_run(dev_kernel_id kernel, void *arguments)
{
    translations[kernel](arguments);
    kernel_table_simulated[kernel](arguments);
}
