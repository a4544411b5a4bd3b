/* driver.h - NVIDIA's driver, found when the program runs: no header, library or run-time of CUDA is
 * needed to build it.
 *
 * The functions and their arguments are those of cuda.h 12.0 and later (docs.nvidia.com,
 * "CUDA Driver API"); names with _v2 are what cuda.h's macros make of the plain ones: tests/cuda/abi.c compares all of
 * it with a toolkit's cuda.h. Each gives 0 or an error's number. Threads: as the driver, any. */
#ifndef PISTACHIO_DEVICE_CUDA_DRIVER_H
#define PISTACHIO_DEVICE_CUDA_DRIVER_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef int cuda_result;              /* CUresult */
typedef int cuda_ordinal;             /* CUdevice */
typedef uint64_t cuda_address;        /* CUdeviceptr */
typedef uint64_t cuda_allocation;     /* CUmemGenericAllocationHandle */
typedef int cuda_attribute;           /* CUdevice_attribute */
typedef int cuda_granularity;         /* CUmemAllocationGranularity_flags */
typedef unsigned cuda_link_attribute; /* CUdevice_P2PAttribute */
typedef struct CUctx_st *cuda_context;
typedef struct CUmod_st *cuda_module;
typedef struct CUfunc_st *cuda_function;
typedef struct CUstream_st *cuda_queue;
typedef struct CUevent_st *cuda_mark;

typedef struct cuda_location { /* CUmemLocation */
    int type, id;
} cuda_location;

typedef struct cuda_allocation_properties { /* CUmemAllocationProp */
    int type, handle_types;
    cuda_location location;
    void *unused;
    unsigned char flags[8];
} cuda_allocation_properties;

typedef struct cuda_access { /* CUmemAccessDesc */
    cuda_location location;
    int flags;
} cuda_access;

enum {
    CUDA_SUCCESS = 0,
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_STUB_LIBRARY = 34,
    CUDA_NO_DEVICE = 100,
    CUDA_INVALID_IMAGE = 200,
    CUDA_NO_BINARY = 209, /* for the device */
    CUDA_INVALID_PTX = 218,
    CUDA_NO_JIT_COMPILER = 221,
    CUDA_UNSUPPORTED_PTX = 222, /* of a later version */
    CUDA_NOT_FOUND = 500,
    CUDA_NOT_READY = 600,
    CUDA_OPERATING_SYSTEM = 304,
    CUDA_SYSTEM_NOT_READY = 802,
    CUDA_DRIVER_MISMATCH = 803,
    CUDA_COMPAT_NOT_SUPPORTED = 804,
    CUDA_UNKNOWN = 999,

    CUDA_DRIVER_VERSION = 12000, /* the least */

    CUDA_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
    CUDA_ATTRIBUTE_MULTIPROCESSORS = 16,
    CUDA_ATTRIBUTE_REGISTERED_AT_HOST = 91, /* registered memory has one address for both */
    CUDA_ATTRIBUTE_CAPABILITY_MAJOR = 75,
    CUDA_ATTRIBUTE_CAPABILITY_MINOR = 76,
    CUDA_ATTRIBUTE_VIRTUAL_MEMORY = 102,
    CUDA_ATTRIBUTE_STREAM_WORDS = 122, /* words of 64 bits, written and waited for by streams */

    CUDA_QUEUE_NON_BLOCKING = 1,
    CUDA_HOST_PORTABLE = 1,
    CUDA_HOST_MAPPED = 2,
    CUDA_ALLOCATION_PINNED = 1,
    CUDA_LOCATION_DEVICE = 1,
    CUDA_ACCESS_READ_WRITE = 3,
    CUDA_GRANULARITY_RECOMMENDED = 1,
    CUDA_WAIT_AT_LEAST = 0,
    CUDA_LINK_RANK = 1, /* 0: the fastest of the machine's */
};

typedef struct cuda_driver {
#define FUNCTION(name, ...) cuda_result (*name)(__VA_ARGS__);
#include "device/cuda/driver_functions.def"
#undef FUNCTION
    /* Not the driver's, or NULL: told of each buffer that comes (bytes, room) and goes (0, room), so
     * that an emulation knows which bytes of the range are in use. */
    void (*watch_buffer)(uint64_t address, size_t bytes, size_t room);
    /* The thread has a device's lock (1), or gives it up (-1). */
    void (*watch_lock)(int more);
    /* Watches memory of the host's that is not pinned, and that copies may go through all the same; 0 bytes: it goes. */
    void (*watch_pageable)(const void *address, size_t bytes);
    unsigned
        slowness; /* a GPU is so many times faster: who waits for it sleeps longer; 1 for a GPU */
} cuda_driver;

/* The driver, loaded and initialized once in a process; one line says why there is none: no library
 * (libcuda.so.1, or what PISTACHIO_CUDA_LIBRARY names), one that is too old, or no device for it. A process that was
 * forked from one with a driver has none. */
CHECKED status cuda_driver_open(const cuda_driver **out);

/* "<call>: <the driver's text> (<name>)" of kind IO, or NO_MEMORY where the device has none; success
 * for 0. */
CHECKED status cuda_status(const cuda_driver *driver, cuda_result result, const char *call);

/* Calls driver function `name`; returns from the caller with its failure. */
#define CUDA_TRY(driver, name, ...) TRY(cuda_status((driver), (driver)->name(__VA_ARGS__), #name))

#endif
