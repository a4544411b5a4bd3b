/* kernel_keys_with.h - integer-like join keys of 1 to 8 bytes as arrays of their C type. */
#ifndef PISTACHIO_DEVICE_CPU_KERNEL_KEYS_WITH_H
#define PISTACHIO_DEVICE_CPU_KERNEL_KEYS_WITH_H

#include "device/cpu/kernel.h"

#define WITH_KEYS_OF(ctype, body)                                                                  \
    do {                                                                                           \
        const ctype *keys = a->keys;                                                               \
        body                                                                                       \
    } while (0)
/* Runs `body` with `keys` for a launch's a->keys of a->type. */
#define WITH_KEYS(body)                                                                            \
    switch (a->type.id) {                                                                          \
    case TYPE_UINT8:                                                                               \
        WITH_KEYS_OF(uint8_t, body);                                                               \
        break;                                                                                     \
    case TYPE_UINT16:                                                                              \
        WITH_KEYS_OF(uint16_t, body);                                                              \
        break;                                                                                     \
    case TYPE_UINT32:                                                                              \
        WITH_KEYS_OF(uint32_t, body);                                                              \
        break;                                                                                     \
    case TYPE_INT8:                                                                                \
        WITH_KEYS_OF(int8_t, body);                                                                \
        break;                                                                                     \
    case TYPE_INT16:                                                                               \
        WITH_KEYS_OF(int16_t, body);                                                               \
        break;                                                                                     \
    case TYPE_INT32:                                                                               \
    case TYPE_DATE:                                                                                \
        WITH_KEYS_OF(int32_t, body);                                                               \
        break;                                                                                     \
    default:                                                                                       \
        WITH_KEYS_OF(int64_t, body);                                                               \
    }

#endif
