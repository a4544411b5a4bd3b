/* abi.c - what device/cuda/driver.h declares of NVIDIA's driver is what the toolkit's cuda.h does: compiled beside it, never
 * run. Where something differs the compiler says what. abi.sh compiles it, and counts. */
#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

/* The one name that both have. */
#define CUDA_SUCCESS PISTACHIO_CUDA_SUCCESS
#include "device/cuda/driver.h"
#undef CUDA_SUCCESS

/* ---- numbers ---- */

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours " is " #theirs);
SAME(PISTACHIO_CUDA_SUCCESS, CUDA_SUCCESS)
SAME(CUDA_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY)
SAME(CUDA_STUB_LIBRARY, CUDA_ERROR_STUB_LIBRARY)
SAME(CUDA_NO_DEVICE, CUDA_ERROR_NO_DEVICE)
SAME(CUDA_INVALID_IMAGE, CUDA_ERROR_INVALID_IMAGE)
SAME(CUDA_NO_BINARY, CUDA_ERROR_NO_BINARY_FOR_GPU)
SAME(CUDA_INVALID_PTX, CUDA_ERROR_INVALID_PTX)
SAME(CUDA_NO_JIT_COMPILER, CUDA_ERROR_JIT_COMPILER_NOT_FOUND)
SAME(CUDA_UNSUPPORTED_PTX, CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
SAME(CUDA_NOT_FOUND, CUDA_ERROR_NOT_FOUND)
SAME(CUDA_NOT_READY, CUDA_ERROR_NOT_READY)
SAME(CUDA_OPERATING_SYSTEM, CUDA_ERROR_OPERATING_SYSTEM)
SAME(CUDA_SYSTEM_NOT_READY, CUDA_ERROR_SYSTEM_NOT_READY)
SAME(CUDA_DRIVER_MISMATCH, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)
SAME(CUDA_COMPAT_NOT_SUPPORTED, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE)
SAME(CUDA_UNKNOWN, CUDA_ERROR_UNKNOWN)
SAME(CUDA_ATTRIBUTE_UNIFIED_ADDRESSING, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING)
SAME(CUDA_ATTRIBUTE_MULTIPROCESSORS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
SAME(CUDA_ATTRIBUTE_REGISTERED_AT_HOST, CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM)
SAME(CUDA_ATTRIBUTE_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
SAME(CUDA_ATTRIBUTE_CAPABILITY_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
SAME(CUDA_ATTRIBUTE_VIRTUAL_MEMORY, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)
SAME(CUDA_ATTRIBUTE_STREAM_WORDS, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS)
SAME(CUDA_QUEUE_NON_BLOCKING, CU_STREAM_NON_BLOCKING)
SAME(CUDA_HOST_PORTABLE, CU_MEMHOSTALLOC_PORTABLE)
SAME(CUDA_HOST_MAPPED, CU_MEMHOSTALLOC_DEVICEMAP)
SAME(CUDA_HOST_PORTABLE, CU_MEMHOSTREGISTER_PORTABLE)
SAME(CUDA_HOST_MAPPED, CU_MEMHOSTREGISTER_DEVICEMAP)
SAME(CUDA_ALLOCATION_PINNED, CU_MEM_ALLOCATION_TYPE_PINNED)
SAME(CUDA_LOCATION_DEVICE, CU_MEM_LOCATION_TYPE_DEVICE)
SAME(CUDA_ACCESS_READ_WRITE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
SAME(CUDA_GRANULARITY_RECOMMENDED, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
SAME(CUDA_WAIT_AT_LEAST, CU_STREAM_WAIT_VALUE_GEQ)
SAME(CUDA_LINK_RANK, CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK)

/* ---- types ---- */

#define BYTES(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), #ours " is a " #theirs);
#define MEMBER(ours, member, theirs, other)                                                        \
    _Static_assert(offsetof(ours, member) == offsetof(theirs, other) &&                            \
                       sizeof((ours){0}.member) == sizeof((theirs){0}.other),                      \
                   #ours "." #member " is " #theirs "." #other);
BYTES(cuda_result, CUresult)
BYTES(cuda_ordinal, CUdevice)
BYTES(cuda_address, CUdeviceptr)
BYTES(cuda_allocation, CUmemGenericAllocationHandle)
BYTES(cuda_attribute, CUdevice_attribute)
BYTES(cuda_granularity, CUmemAllocationGranularity_flags)
BYTES(cuda_link_attribute, CUdevice_P2PAttribute)
BYTES(cuda_location, CUmemLocation)
MEMBER(cuda_location, type, CUmemLocation, type)
MEMBER(cuda_location, id, CUmemLocation, id)
BYTES(cuda_allocation_properties, CUmemAllocationProp)
MEMBER(cuda_allocation_properties, type, CUmemAllocationProp, type)
MEMBER(cuda_allocation_properties, handle_types, CUmemAllocationProp, requestedHandleTypes)
MEMBER(cuda_allocation_properties, location, CUmemAllocationProp, location)
MEMBER(cuda_allocation_properties, unused, CUmemAllocationProp, win32HandleMetaData)
MEMBER(cuda_allocation_properties, flags, CUmemAllocationProp, allocFlags)
BYTES(cuda_access, CUmemAccessDesc)
MEMBER(cuda_access, location, CUmemAccessDesc, location)
MEMBER(cuda_access, flags, CUmemAccessDesc, flags)

/* ---- functions ----
 * With our types put for the driver's they are declared once more: the compiler compares. A name that cuda.h makes another
 * one of by a macro is not the one that a program has which was compiled with it. */

/* Drivers before 12.8 have this form alone; later ones have it, too, but cuda.h declares it no more. */
#undef cuEventElapsedTime
CUresult CUDAAPI cuEventElapsedTime(float *milliseconds, CUevent before, CUevent after);

#define TEXT(name) #name
#define EXPANDED(name) TEXT(name)
#define FUNCTION(name, ...)                                                                        \
    _Static_assert(sizeof #name == sizeof EXPANDED(name), #name " is " EXPANDED(name));
#include "device/cuda/driver_functions.def"
#undef FUNCTION

#define cuda_result CUresult
#define cuda_ordinal CUdevice
#define cuda_address CUdeviceptr
#define cuda_allocation CUmemGenericAllocationHandle
#define cuda_attribute CUdevice_attribute
#define cuda_granularity CUmemAllocationGranularity_flags
#define cuda_context CUcontext
#define cuda_module CUmodule
#define cuda_function CUfunction
#define cuda_queue CUstream
#define cuda_allocation_properties CUmemAllocationProp
#define cuda_access CUmemAccessDesc
/* The names of the declaration that is compared with, so that one which is not there is an error. */
#define FUNCTION(name, ...)                                                                        \
    static CUresult (*const of_##name)(__VA_ARGS__) __attribute__((unused)) = name;                \
    CUresult name(__VA_ARGS__);
#include "device/cuda/driver_functions.def"
