/* device.c - opening a CUDA device: what it must have, its context, the file of kernels. */
#include "base/fault.h"
#include "base/system/machine.h"
#include "base/system/mutex.h"
#include "device/cuda/capability.h"
#include "device/cuda/copy.h"
#include "device/cuda/cuda.h"
#include "device/cuda/kept.h"
#include "device/cuda/launch.h"
#include "device/cuda/memory.h"
#include "device/cuda/stream.h"
#include "device/cuda/wake.h"
#include "device/cuda/window.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DEFAULT_CHUNK_ROWS (1u << 20)
#define STREAMS 4
#define PART_FOR_OTHERS 16 /* of the memory: the driver's, the kernels' code and stacks */
#define KERNELS_FILE "pistachio.kernels"
#define KERNELS_BYTES_MAX ((size_t)256 << 20)

status cuda_enter(const cuda_device *dev)
{
    TRY(cuda_check((device *)&dev->base)); /* the first failure says more than those that follow */
    return cuda_status(dev->driver, dev->driver->cuCtxSetCurrent(dev->context), "cuCtxSetCurrent");
}

/* ---- the device ---- */

static status count_devices(const cuda_driver *driver, int *out)
{
    *out = 0;
    cuda_result result = driver->cuDeviceGetCount(out);
    if (result == CUDA_NO_DEVICE)
        *out = 0;
    return result == CUDA_NO_DEVICE ? STATUS_OK : cuda_status(driver, result, "cuDeviceGetCount");
}

static status choose_device(const cuda_driver *driver, unsigned ordinal, cuda_ordinal *out)
{
    int count;
    TRY(count_devices(driver, &count));
    if (ordinal >= (unsigned)count)
        return status_hint(status_new(STATUS_KIND_NOT_FOUND,
                                      "there is no device cuda:%u: the driver has %d", ordinal,
                                      count),
                           "nvidia-smi lists them; device = 'cpu' needs none");
    CUDA_TRY(driver, cuDeviceGet, out, (int)ordinal);
    return STATUS_OK;
}

static status find_node(const cuda_driver *driver, int ordinal, int *out)
{
    char bus_id[32] = "";
    cuda_ordinal chosen;
    CUDA_TRY(driver, cuDeviceGet, &chosen, ordinal);
    CUDA_TRY(driver, cuDeviceGetPCIBusId, bus_id, (int)sizeof bus_id, chosen);
    *out = machine_pci_node(bus_id);
    return STATUS_OK;
}

status dev_cuda_nodes(int **out_nodes, unsigned *out_count)
{
    const cuda_driver *driver;
    int count;
    *out_nodes = NULL;
    *out_count = 0;
    TRY(cuda_driver_open(&driver));
    TRY(count_devices(driver, &count));
    int *nodes = mem_new_array((size_t)count + 1, sizeof *nodes);
    if (!nodes)
        return status_no_memory("devices", (size_t)count * sizeof *nodes);
    status st = STATUS_OK;
    for (int i = 0; !st && i < count; i++)
        st = find_node(driver, i, &nodes[i]);
    if (st) {
        mem_free(nodes);
        return st;
    }
    *out_nodes = nodes;
    *out_count = (unsigned)count;
    return STATUS_OK;
}

status dev_cuda_memory(unsigned ordinal, uint64_t *out_bytes)
{
    const cuda_driver *driver;
    cuda_ordinal chosen;
    size_t bytes;
    *out_bytes = 0;
    TRY(cuda_driver_open(&driver));
    TRY(choose_device(driver, ordinal, &chosen));
    CUDA_TRY(driver, cuDeviceTotalMem_v2, &bytes, chosen);
    *out_bytes = bytes - bytes / PART_FOR_OTHERS;
    return STATUS_OK;
}

status dev_cuda_capability(unsigned ordinal, int *out_major, int *out_minor)
{
    const cuda_driver *driver;
    cuda_ordinal chosen;
    *out_major = *out_minor = 0;
    TRY(cuda_driver_open(&driver));
    TRY(choose_device(driver, ordinal, &chosen));
    CUDA_TRY(driver, cuDeviceGetAttribute, out_major, CUDA_ATTRIBUTE_CAPABILITY_MAJOR, chosen);
    CUDA_TRY(driver, cuDeviceGetAttribute, out_minor, CUDA_ATTRIBUTE_CAPABILITY_MINOR, chosen);
    return STATUS_OK;
}

status dev_cuda_find_link(unsigned from, unsigned to, dev_cuda_link *out)
{
    const cuda_driver *driver;
    cuda_ordinal first, second;
    int can = 0;
    *out = (dev_cuda_link){0};
    TRY(cuda_driver_open(&driver));
    CUDA_TRY(driver, cuDeviceGet, &first, (int)from);
    CUDA_TRY(driver, cuDeviceGet, &second, (int)to);
    CUDA_TRY(driver, cuDeviceCanAccessPeer, &can, first, second);
    CUDA_TRY(driver, cuDeviceGetP2PAttribute, &out->rank, CUDA_LINK_RANK, first, second);
    out->is_direct = can;
    return STATUS_OK;
}

static const nvcomp_library *find_library(const cuda_driver *driver, dev_codecs *out)
{
    const nvcomp_library *library = nvcomp_find(driver, &out->by_what);
    out->library = nvcomp_codecs(library);
    out->all = CUDA_CODECS | out->library;
    return library;
}

status dev_cuda_codecs(dev_codecs *out)
{
    const cuda_driver *driver;
    *out = (dev_codecs){0};
    TRY(cuda_driver_open(&driver));
    find_library(driver, out);
    return STATUS_OK;
}

static status must_have(const cuda_device *dev, int attribute, const char *what)
{
    int value = 0;
    CUDA_TRY(dev->driver, cuDeviceGetAttribute, &value, attribute, dev->ordinal);
    return value ? STATUS_OK
                 : status_new(STATUS_KIND_UNSUPPORTED, "device cuda:%d has no %s", dev->ordinal,
                              what);
}

#define MULTIPROCESSOR_BLOCKS 8 /* of CUDA_BLOCK threads: as many as it can have */
#define CAPABILITY_MAJOR 8 /* the least: what the file of kernels begins with (cmake/Cuda.cmake) */

static status check_device(cuda_device *dev)
{
    int major = 0, minor = 0, multiprocessors = 0, is_registered_at_host = 0;
    TRY(must_have(dev, CUDA_ATTRIBUTE_UNIFIED_ADDRESSING,
                  "addresses that it shares with the host"));
    TRY(must_have(dev, CUDA_ATTRIBUTE_VIRTUAL_MEMORY, "virtual memory that programs may manage"));
    TRY(must_have(dev, CUDA_ATTRIBUTE_STREAM_WORDS, "words of 64 bits that streams write"));
    CUDA_TRY(dev->driver, cuDeviceGetAttribute, &major, CUDA_ATTRIBUTE_CAPABILITY_MAJOR,
             dev->ordinal);
    CUDA_TRY(dev->driver, cuDeviceGetAttribute, &minor, CUDA_ATTRIBUTE_CAPABILITY_MINOR,
             dev->ordinal);
    CUDA_TRY(dev->driver, cuDeviceGetAttribute, &multiprocessors, CUDA_ATTRIBUTE_MULTIPROCESSORS,
             dev->ordinal);
    CUDA_TRY(dev->driver, cuDeviceGetAttribute, &is_registered_at_host,
             CUDA_ATTRIBUTE_REGISTERED_AT_HOST, dev->ordinal);
    dev->takes_registered = is_registered_at_host;
    dev->multiprocessors = multiprocessors > 0 ? (uint64_t)multiprocessors : 1;
    dev->blocks_at_a_time = dev->multiprocessors * MULTIPROCESSOR_BLOCKS;
    snprintf(dev->isa, sizeof dev->isa, "sm_%d%d", major, minor);
    if (major < CAPABILITY_MAJOR)
        return status_hint(status_new(STATUS_KIND_UNSUPPORTED,
                                      "device cuda:%d is of %s: kernels are for sm_%d0 and later",
                                      dev->ordinal, dev->isa, CAPABILITY_MAJOR),
                           "device = 'cpu' needs none");
    return cuda_kept_context(dev);
}

/* ---- the file of kernels ---- */

/* How nvcc's file begins. */
typedef struct fat_header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* behind the header */
} fat_header;
#define FAT_MAGIC 0xba55ed50

static status kernels_path(char *path, size_t bytes)
{
    const char *given = getenv("PISTACHIO_CUDA_KERNELS");
    char program[4096];
    ssize_t length = given ? 0 : readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return status_new_errno(errno, "could not find the program's folder");
    program[length] = '\0';
    char *slash = strrchr(program, '/');
    if (slash)
        slash[1] = '\0';
    int written = given ? snprintf(path, bytes, "%s", given)
                        : snprintf(path, bytes, "%s" KERNELS_FILE, program);
    return written < (int)bytes ? STATUS_OK
                                : status_new(STATUS_KIND_INVALID,
                                             "the file of kernels has a name "
                                             "of more than %zu bytes",
                                             bytes);
}

static status no_kernels(status st)
{
    return status_hint(st,
                       "kernels are built where nvcc is (docs/CUDA.md), and lie beside the program "
                       "or where PISTACHIO_CUDA_KERNELS says");
}

static status read_whole(FILE *file, const char *path, char **out)
{
    fat_header header;
    size_t count = fread(&header, 1, sizeof header, file);
    if (count < sizeof header || header.magic != FAT_MAGIC)
        return no_kernels(
            status_new(STATUS_KIND_CORRUPT, "file \"%s\" does not hold kernels", path));
    if (header.header_bytes < sizeof header || header.bytes > KERNELS_BYTES_MAX)
        return no_kernels(status_new(STATUS_KIND_CORRUPT, "file \"%s\" is damaged", path));
    size_t bytes = header.header_bytes + (size_t)header.bytes;
    char *content = fault_check(FAULT_ALLOC) ? NULL : mem_new(bytes + 1);
    if (!content)
        return status_no_memory("kernels", bytes);
    rewind(file);
    count = fread(content, 1, bytes + 1, file);
    if (count != bytes) {
        mem_free(content);
        return no_kernels(status_new(
            STATUS_KIND_CORRUPT, "file \"%s\" is cut short, or has bytes behind its end", path));
    }
    *out = content;
    return STATUS_OK;
}

/* How to mend that the driver does not take the kernels; NULL: they are not the reason. */
static const char *how_to_load(cuda_result result)
{
    switch (result) {
    case CUDA_UNSUPPORTED_PTX:
    case CUDA_INVALID_PTX:
    case CUDA_NO_BINARY:
    case CUDA_INVALID_IMAGE:
        return "are the kernels of a later nvcc than the driver? Update the driver, or build them "
               "with an nvcc of its version of CUDA or before (-DPISTACHIO_NVCC=FILE), 12.8 or "
               "later";
    case CUDA_OUT_OF_MEMORY:
        return "nvidia-smi shows which programs have the device's memory";
    case CUDA_NO_JIT_COMPILER:
        return "for this device the driver compiles the kernels itself, with its "
               "libnvidia-ptxjitcompiler.so.1, which is missing: install all of the driver";
    default:
        return NULL;
    }
}

static status load_module(cuda_device *dev, const char *content)
{
    int version = 0;
    cuda_result result = dev->driver->cuModuleLoadData(&dev->module, content);
    if (!result)
        return STATUS_OK;
    status st = no_kernels(cuda_status(dev->driver, result, "cuModuleLoadData"));
    const char *hint = how_to_load(result);
    if (!hint || dev->driver->cuDriverGetVersion(&version))
        return st;
    return status_hint(
        status_context(st, "with a driver for CUDA %d.%d", version / 1000, version % 1000 / 10),
        "%s", hint);
}

static status load_kernels(cuda_device *dev)
{
    char path[4096], *content = NULL;
    TRY(kernels_path(path, sizeof path));
    if (cuda_kept_module(dev, path))
        return STATUS_OK;
    FILE *file = fopen(path, "rb");
    if (!file)
        return no_kernels(status_new_errno(errno, "could not open the kernels, file \"%s\"", path));
    status st = read_whole(file, path, &content);
    fclose(file);
    TRY(st);
    st = load_module(dev, content);
    if (!st)
        st = no_kernels(cuda_kernels_find(dev));
    mem_free(content); /* no sooner: drivers load functions when they are looked for */
    if (!st)
        cuda_kept_add_module(dev, path);
    else if (dev->module && !atomic_load(&dev->is_lost))
        dev->driver->cuModuleUnload(dev->module);
    return status_context(st, "file \"%s\" for %s", path, dev->isa);
}

void dev_cuda_unpin(device *dev)
{
    ((cuda_device *)dev)->is_unpinned = true;
}

/* ---- other devices of the process ----
 * Memory is mapped piece by piece (piece.c), so access to it is given piece by piece as well: cuCtxEnablePeerAccess is about
 * memory of cuMemAlloc alone. Without access the driver copies by way of the host's memory. */

/* The memory that is there already. */
static status give_access(const cuda_device *dev, int peer)
{
    cuda_access access = {{CUDA_LOCATION_DEVICE, peer}, CUDA_ACCESS_READ_WRITE};
    for (const cuda_piece *piece = dev->memory.device_pieces; piece; piece = piece->next)
        CUDA_TRY(dev->driver, cuMemSetAccess, (uintptr_t)piece->address, piece->bytes, &access, 1);
    return STATUS_OK;
}

static status cuda_meet(device *base, const device *other_base)
{
    cuda_device *dev = (cuda_device *)base;
    int can = 0, peer = ((const cuda_device *)other_base)->ordinal;
    if (peer == dev->ordinal || peer >= CUDA_PEERS_MAX)
        return STATUS_OK;
    TRY(cuda_enter(dev));
    CUDA_TRY(dev->driver, cuDeviceCanAccessPeer, &can, peer, dev->ordinal);
    if (!can)
        return STATUS_OK;
    cuda_lock(dev);
    status st = give_access(dev, peer);
    if (!st)
        dev->peers |= (uint64_t)1 << peer;
    cuda_unlock(dev);
    return status_context(st, "access of cuda:%d to the memory of cuda:%d", peer, dev->ordinal);
}

/* ---- opening and closing ---- */

static void *cuda_client_enter(device *base)
{
    cuda_context before = NULL;
    if (((cuda_device *)base)->driver->cuCtxGetCurrent(&before))
        return NULL;
    return before;
}

/* Leaves the context. A thread that had none may keep ours: the run-time library would make it the thread's itself. */
static void cuda_client_leave(device *base, void *before)
{
    if (before)
        ((cuda_device *)base)->driver->cuCtxSetCurrent(before);
}

/* The thread's context from before, but ours only if somebody else holds it, too: else it is gone. */
static void restore_context(const cuda_device *dev, cuda_context before)
{
    unsigned flags;
    int is_held = 1;
    if (before && before == dev->context)
        is_held =
            !dev->driver->cuDevicePrimaryCtxGetState(dev->ordinal, &flags, &is_held) && is_held;
    if (before && is_held)
        dev->driver->cuCtxSetCurrent(before);
}

/* Notes, for a device that nobody else uses any more, that the driver does not give its context. */
static void find_lost(cuda_device *dev, cuda_result result)
{
    if (!result || atomic_load(&dev->is_lost))
        return;
    dev->lost = status_context(cuda_status(dev->driver, result, "cuCtxSetCurrent"),
                               "device cuda:%d", dev->ordinal);
    atomic_store(&dev->is_lost, true);
}

/* The context and the module in it stay for the next device, unless they are lost. */
static void release_context(cuda_device *dev)
{
    cuda_context before = cuda_client_enter(&dev->base);
    if (dev->context)
        find_lost(dev, dev->driver->cuCtxSetCurrent(dev->context));
    if (dev->context) {
        cuda_streams_end(dev);
        cuda_memory_close(dev);
        dev->driver->cuCtxSetCurrent(NULL);
    }
    if (dev->context && atomic_load(&dev->is_lost))
        cuda_kept_lose(dev);
    restore_context(dev, before);
}

static void cuda_close(device *base)
{
    cuda_device *dev = (cuda_device *)base;
    cuda_waker_release(&dev->waker);
    release_context(dev);
    status_free(dev->lost);
    mutex_destroy(&dev->lock);
    mutex_destroy(&dev->idle_lock);
    pthread_cond_destroy(&dev->grown);
    mem_free(dev);
}

static const dev_ops cuda_ops = {
    .abi = DEV_ABI,
    .name = "cuda",
    .close = cuda_close,
    .stream_open = cuda_stream_open,
    .stream_close = cuda_stream_close,
    .stream_drain = cuda_stream_drain,
    .stream_flush = cuda_stream_flush,
    .stream_wait = cuda_stream_wait,
    .alloc = cuda_alloc,
    .release = cuda_release,
    .export = cuda_export,
    .lend = cuda_lend,
    .memory_notify = cuda_memory_notify,
    .memory_wait = cuda_memory_wait,
    .host_alloc = cuda_host_alloc,
    .host_free = cuda_host_free,
    .host_piece = cuda_host_piece,
    .launch = cuda_launch,
    .copy_in = cuda_copy_in,
    .copy_out = cuda_copy_out,
    .copy = cuda_copy,
    .zero = cuda_zero,
    .copy_from = cuda_copy_from,
    .meet = cuda_meet,
    .event_record = cuda_event_record,
    .event_notify = cuda_event_notify,
    .event_reached = cuda_event_reached,
    .event_wait = cuda_event_wait,
    .event_free = cuda_event_free,
    .client_enter = cuda_client_enter,
    .client_leave = cuda_client_leave,
    .check = cuda_check,
};

/* How many rows a chunk has unless it is said: few where there is little memory. */
static uint32_t choose_chunk_rows(const cuda_device *dev)
{
    uint64_t limit = mem_budget_limit(dev->base.budget), memory = dev->memory.range_bytes;
    memory = limit && limit < memory ? limit : memory;
    return dev_chunk_rows(dev->base.budget,
                          dev_large_chunk_rows(memory, dev->multiprocessors, DEFAULT_CHUNK_ROWS));
}

static status open_device(cuda_device *dev, unsigned ordinal)
{
    TRY(cuda_debug_read(&dev->debug));
    TRY(choose_device(dev->driver, ordinal, &dev->ordinal));
    TRY(check_device(dev));
    TRY(cuda_enter(dev));
    TRY(cuda_memory_open(dev));
    if (!dev->base.chunk_rows)
        dev->base.chunk_rows = choose_chunk_rows(dev);
    return load_kernels(dev);
}

status dev_open_cuda(unsigned ordinal, uint32_t chunk_rows, mem_budget *budget, device **out)
{
    const cuda_driver *driver;
    *out = NULL;
    TRY(cuda_driver_open(&driver));
    cuda_device *dev = mem_new(sizeof *dev);
    if (!dev)
        return status_no_memory("device", sizeof *dev);
    mutex_init(&dev->lock);
    mutex_init(&dev->idle_lock);
    pthread_cond_init(&dev->grown, NULL);
    cuda_waker_init(&dev->waker);
    dev->driver = driver;
    dev->memory.closed_end = &dev->memory.closed;
    dev->base = (device){
        .ops = &cuda_ops,
        .memory = DEV_MEMORY_CUDA,
        .ordinal = ordinal,
        .chunk_rows = chunk_rows,
        .stream_count = STREAMS,
        .isa = dev->isa,
        .host_isa = CPU_ISA_SCALAR,
        .runs_tiles = true,
        .has_rows_in_slots = true,
        .budget = mem_budget_ref(budget),
        .references = 1,
    };
    dev->library = find_library(driver, &dev->base.codecs);
    status st = open_device(dev, ordinal);
    if (st) {
        dev_close(&dev->base);
        return st;
    }
    *out = &dev->base;
    return STATUS_OK;
}
