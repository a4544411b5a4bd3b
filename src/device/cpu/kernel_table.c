/* kernel_table.c - the table of all kernels of one ISA. */
#include "device/cpu/kernel.h"
#include "device/cpu/tables.h"

#define KERNEL(name, ...)                                                                          \
    static void call_##name(const void *arguments)                                                 \
    {                                                                                              \
        ISA_(name)(arguments);                                                                     \
    }
#define CPU_KERNEL KERNEL
#define HOST_KERNEL(name, ...)                                                                     \
    static void call_##name(const void *arguments)                                                 \
    {                                                                                              \
        dev_##name(arguments);                                                                     \
    }
#include "device/kernels/kernels.def"
#undef KERNEL

const dev_kernel_function ISA_(table)[DEV_KERNEL_COUNT] = {
#define KERNEL(name, ...) [DEV_KERNEL_##name] = call_##name,
#include "device/kernels/kernels.def"
#undef KERNEL
};
