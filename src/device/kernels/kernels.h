/* kernels.h - argument structs, identifiers and the table type, made from kernels.def.
 *
 * Included by kernel_types.h only. See kernels.def for how a kernel is declared. */
#ifndef PISTACHIO_DEVICE_KERNELS_KERNELS_H
#define PISTACHIO_DEVICE_KERNELS_KERNELS_H

#define DEV_ARGUMENT_BYTES 1024

/* One struct of arguments per kernel: compare_arguments, gather_arguments, ... */
#define POINTER(type, name) type *name;
#define VALUE(type, name) type name;
#define COUNT(name) dev_count name;
#define KERNEL(name, ...)                                                                          \
    typedef struct name##_arguments {                                                              \
        __VA_ARGS__                                                                                \
    } name##_arguments;                                                                            \
    static_assert(sizeof(name##_arguments) <= DEV_ARGUMENT_BYTES, #name);
#include "device/kernels/kernels.def"
#undef KERNEL
#undef POINTER
#undef VALUE
#undef COUNT

typedef enum dev_kernel_id {
#define KERNEL(name, ...) DEV_KERNEL_##name,
#include "device/kernels/kernels.def"
#undef KERNEL
    DEV_KERNEL_COUNT
} dev_kernel_id;

typedef void (*dev_kernel_function)(const void *arguments);

#endif
