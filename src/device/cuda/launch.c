/* launch.c - launches, by cuda_kernels.def: how many blocks, how many threads, what scratch. */
#include "device/cuda/launch.h"
#include "device/cuda/copy.h"
#include "device/cuda/memory.h"
#include "device/cuda/stream.h"
#include "device/cuda/timing.h"
#include "device/cuda/window.h"

#include "base/system/mutex.h"
#include "device/kernels/kernel_ops.h"

#include <stdio.h>

/* Bytes that the launches of a window may have together before it is begun. */
#define SCRATCH_BYTES_MIN ((size_t)512 << 10)
#define SCRATCH_PART_BYTES 64
/* The blocks of pages in parts, in those that run at a time. */
#define PAGE_PART_ROUNDS 2

uint64_t cuda_blocks_for(uint64_t items, uint64_t per_block)
{
    return (items + per_block - 1) / per_block;
}

/* A thread for each row (or word, or other item). Few rows take a small block; never less than two
 * warps, which is a word of bits. */
shape cuda_shape_each(uint64_t items)
{
    unsigned threads = items <= 64 ? 64 : items <= 128 ? 128 : CUDA_BLOCK;
    return (shape){.blocks = cuda_blocks_for(items, threads), .threads = threads};
}

/* A thread for CUDA_ROWS rows. */
shape cuda_shape_rows(uint64_t rows)
{
    return cuda_shape_each(cuda_blocks_for(rows, CUDA_ROWS));
}

/* At least one block, with a word of scratch for each, and one more. */
static shape tiles_of(uint64_t rows, uint64_t tile_rows)
{
    uint64_t blocks = rows ? cuda_blocks_for(rows, tile_rows) : 1;
    return (shape){.blocks = blocks, .threads = CUDA_BLOCK, .scratch_words = blocks + 1};
}

/* A block for CUDA_TILE_ROWS rows. */
shape cuda_shape_tiles(uint64_t rows)
{
    return tiles_of(rows, CUDA_TILE_ROWS);
}

/* A block for CUDA_BIT_TILE_ROWS rows. */
static shape bit_tiles(uint64_t rows)
{
    return tiles_of(rows, CUDA_BIT_TILE_ROWS);
}

/* Returns the shape of a launch without scratch; without rows there is no launch. */
shape cuda_shape_blocks(uint64_t rows)
{
    return (shape){.blocks = cuda_blocks_for(rows, CUDA_TILE_ROWS), .threads = CUDA_BLOCK};
}

/* One block, or one warp, for all of it. */
shape cuda_shape_one_block(void)
{
    return (shape){.blocks = 1, .threads = CUDA_BLOCK};
}

shape cuda_shape_one_warp(void)
{
    return (shape){.blocks = 1, .threads = CUDA_WARP};
}

/* As many blocks as run at a time, if there are so many tiles: each takes its tiles in turns. */
shape cuda_shape_turns(const launch *l, uint64_t rows)
{
    const cuda_device *dev = (const cuda_device *)l->stream->base.dev;
    shape s = cuda_shape_blocks(rows);
    s.blocks = s.blocks < dev->blocks_at_a_time ? s.blocks : dev->blocks_at_a_time;
    return s;
}

/* Blocks for all multiprocessors, even if pages are few. */
shape cuda_shape_page_parts(launch *l, uint64_t pages)
{
    const cuda_device *dev = (const cuda_device *)l->stream->base.dev;
    uint64_t parts = cuda_blocks_for(PAGE_PART_ROUNDS * dev->blocks_at_a_time, pages + !pages);
    l->extra.step = parts < CUDA_PAGE_PARTS_MIN   ? CUDA_PAGE_PARTS_MIN
                    : parts > CUDA_PAGE_PARTS_MAX ? CUDA_PAGE_PARTS_MAX
                                                  : parts;
    return (shape){.blocks = pages * l->extra.step, .threads = CUDA_BLOCK};
}

shape cuda_shape_locked(shape s)
{
    s.scratch_words = CUDA_LOCKS;
    return s;
}

shape cuda_shape_zeroed(shape s, const void *word)
{
    s.zeroed_word = word;
    return s;
}

static uint64_t words_of(uint64_t bits)
{
    return (bits + 63) / 64;
}

/* A thread for each item, in blocks whose threads work together on what is large. */
static shape whole_blocks(uint64_t items)
{
    return (shape){.blocks = cuda_blocks_for(items, CUDA_BLOCK), .threads = CUDA_BLOCK};
}

/* With a word of scratch to count in. */
static shape counted(shape s)
{
    s.scratch_words = 1;
    return s;
}

/* The shape, if there are kernels for all codecs of the mask. */
shape cuda_shape_of_codecs(uint32_t codecs, shape s)
{
    s.missing = codecs & ~CUDA_CODECS ? "a codec other than snappy and lz4" : NULL;
    return s;
}

/* A block for each page. */
static shape block_each(uint64_t pages)
{
    return (shape){.blocks = pages, .threads = CUDA_BLOCK};
}

/* A block for each slice of a page, with a word of scratch for each page. */
static shape slices(uint64_t count, uint64_t pages)
{
    return (shape){.blocks = count, .threads = CUDA_BLOCK, .scratch_words = pages};
}

/* Launches that are in the window keep what they were given. */
static void reuse_scratch(cuda_stream *stream)
{
    cuda_window_flush(stream);
    stream->scratch_used = stream->scratch_zeroed = 0;
}

status cuda_scratch_take(launch *l, uint64_t words)
{
    cuda_stream *stream = l->stream;
    size_t bytes = (words * sizeof(uint64_t) + SCRATCH_PART_BYTES - 1) / SCRATCH_PART_BYTES *
                   SCRATCH_PART_BYTES;
    dev_buffer *larger = NULL;
    if (!stream->scratch || stream->scratch->bytes < bytes) {
        size_t wanted = bytes < SCRATCH_BYTES_MIN ? SCRATCH_BYTES_MIN : bytes * 2;
        TRY(dev_alloc(stream->base.dev, wanted, "scratch of kernels", &larger));
        status st = cuda_enter((cuda_device *)stream->base.dev); /* perhaps another thread by now */
        if (st) {
            dev_buffer_unref(larger);
            return st;
        }
    }
    mutex_lock(&stream->lock);
    if (larger || stream->scratch->bytes - stream->scratch_used < bytes)
        reuse_scratch(stream);
    dev_buffer *old = larger ? stream->scratch : NULL;
    if (larger)
        stream->scratch = larger;
    l->extra.scratch =
        (uint64_t *)(void *)((char *)stream->scratch->address + stream->scratch_used);
    stream->scratch_used += bytes;
    mutex_unlock(&stream->lock);
    dev_buffer_unref(old);
    return STATUS_OK;
}

status cuda_too_many_blocks(cuda_entry entry, uint64_t blocks)
{
    return status_hint(status_new(STATUS_KIND_LIMIT,
                                  "the CUDA device cannot do so much at once: %s of %llu blocks",
                                  cuda_debug_entry_name(entry), (unsigned long long)blocks),
                       "SET chunk_rows to less, or device = 'cpu'");
}

/* Launches one function. */
status cuda_run(launch *l, cuda_entry entry, shape s)
{
    cuda_stream *stream = l->stream;
    cuda_command command = {
        .kind = CUDA_COMMAND_LAUNCH,
        .entry = entry,
        .kernel = l->kernel,
        .work = dev_work_now,
        .threads = s.threads,
        .bytes = l->argument_bytes,
    };
    kernel_use uses[KERNEL_USES];
    if (s.missing)
        return status_new(STATUS_KIND_UNSUPPORTED, "the CUDA device has no kernel for %s yet",
                          s.missing);
    if (s.zeroed_word)
        TRY(cuda_zero(&stream->base, (void *)s.zeroed_word, sizeof(uint64_t)));
    if (!s.blocks)
        return STATUS_OK;
    if (s.blocks > INT32_MAX)
        return cuda_too_many_blocks(entry, s.blocks);
    if (s.scratch_words)
        TRY(cuda_scratch_take(l, s.scratch_words));
    l->extra.blocks = s.blocks;
    command.extra = l->extra;
    memcpy(command.arguments, l->arguments, l->argument_bytes);
    return cuda_window_add(stream, &command, uses, kernel_uses(l->kernel, l->arguments, uses));
}

static status launch_some(cuda_stream *stream, cuda_command *const *jobs, unsigned count)
{
    cuda_device *dev = (cuda_device *)stream->base.dev;
    const cuda_command *first = jobs[0];
    _Alignas(16) unsigned char arguments[CUDA_JOBS_BYTES];
    void *all[] = {arguments};
    size_t job_bytes = CUDA_JOB_BYTES(first->bytes);
    uint64_t blocks = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned char *job = arguments + i * job_bytes;
        memcpy(job, jobs[i]->arguments, first->bytes);
        memcpy(job + job_bytes - sizeof(cuda_extra), &jobs[i]->extra, sizeof(cuda_extra));
        blocks = jobs[i]->extra.blocks > blocks ? jobs[i]->extra.blocks : blocks;
    }
    if (first->work)
        atomic_fetch_add_explicit(&first->work->launches, 1, memory_order_relaxed);
    struct timed_launch *timed = cuda_timing_begin(stream, first->work);
    cuda_result result =
        dev->driver->cuLaunchKernel(dev->functions[first->entry], (unsigned)blocks, count, 1,
                                    first->threads, 1, 1, 0, stream->queue, all, NULL);
    cuda_timing_end(stream, timed);
    return status_context(cuda_status(dev->driver, result, "cuLaunchKernel"), "%s",
                          cuda_debug_entry_name(first->entry));
}

status cuda_launch_jobs(cuda_stream *stream, cuda_command *const *jobs, unsigned count)
{
    unsigned most = CUDA_JOBS(jobs[0]->bytes);
    for (unsigned done = 0; done < count; done += most)
        TRY(launch_some(stream, jobs + done, count - done < most ? count - done : most));
    return STATUS_OK;
}

/* One function for each kernel of the list, which names shapes without their prefix. */
#define each cuda_shape_each
#define rows(count) cuda_shape_rows(count)
#define tiles cuda_shape_tiles
#define blocks cuda_shape_blocks
#define turns(rows) cuda_shape_turns(l, rows)
#define page_parts(pages) cuda_shape_page_parts(l, pages)
#define one_block cuda_shape_one_block
#define one_warp cuda_shape_one_warp
#define of_codecs cuda_shape_of_codecs
#define locked cuda_shape_locked
#define zeroed cuda_shape_zeroed
#define CUDA_KERNEL(name, its_shape)                                                               \
    static status launch_##name(launch *l)                                                         \
    {                                                                                              \
        const name##_arguments *a = l->arguments;                                                  \
        (void)a;                                                                                   \
        return cuda_run(l, CUDA_ENTRY_##name, its_shape);                                          \
    }
#define CUDA_SEVERAL(name)
#define CUDA_STEP(name, ...)
#include "device/cuda/cuda_kernels.def"
#undef CUDA_KERNEL
#undef CUDA_SEVERAL
#undef each
#undef rows
#undef tiles
#undef blocks
#undef turns
#undef page_parts
#undef one_block
#undef one_warp
#undef of_codecs
#undef locked
#undef zeroed

static status (*const launches[DEV_KERNEL_COUNT])(launch *l) = {
#define CUDA_KERNEL(name, its_shape) [DEV_KERNEL_##name] = launch_##name,
#define CUDA_SEVERAL(name) [DEV_KERNEL_##name] = cuda_launch_##name,
#include "device/cuda/cuda_kernels.def"
#undef CUDA_KERNEL
#undef CUDA_SEVERAL
#undef CUDA_STEP
};

bool cuda_has_kernel(dev_kernel_id kernel)
{
    return launches[kernel];
}

status cuda_launch(dev_stream *stream, dev_kernel_id kernel, const void *arguments,
                   size_t argument_bytes)
{
    launch l = {(cuda_stream *)stream, kernel, arguments, argument_bytes, {0}};
    if (!launches[kernel])
        return status_hint(status_new(STATUS_KIND_UNSUPPORTED,
                                      "the CUDA device has no kernel %s yet",
                                      cuda_debug_kernel_name(kernel)),
                           "SET device = 'cpu' has all of them");
    TRY(cuda_check(stream->dev));
    TRY(cuda_enter((cuda_device *)stream->dev));
    return launches[kernel](&l);
}

/* ---- finding them ---- */

/* Facts on which the file of kernels must agree with this program: kernel.cuh makes them as well. */
static const uint32_t layout[] = {
    DEV_ABI,
    CUDA_ENTRIES,
    DEV_KERNEL_COUNT,
#define KERNEL(name, ...) sizeof(name##_arguments),
#include "device/kernels/kernels.def"
#undef KERNEL
};

/* Reads a global of the module. */
static status read_global(cuda_device *dev, cuda_address address, void *target, size_t bytes)
{
    dev_stream *stream;
    void *host;
    TRY(cuda_pinned_alloc(dev, bytes, "layout of kernels", &host));
    status st = cuda_stream_open(&dev->base, &stream);
    if (!st) {
        st = cuda_copy_out(stream, host, (const void *)(uintptr_t)address, bytes);
        cuda_stream_close(stream);
    }
    if (!st)
        st = cuda_check(&dev->base);
    memcpy(target, host, bytes);
    cuda_host_free(&dev->base, host, bytes);
    return st;
}

static status check_layout(cuda_device *dev)
{
    cuda_address address;
    size_t bytes;
    uint32_t found[sizeof layout / sizeof *layout] = {0};
    cuda_result result =
        dev->driver->cuModuleGetGlobal_v2(&address, &bytes, dev->module, "kernels_layout");
    if (result && result != CUDA_NOT_FOUND)
        return cuda_status(dev->driver, result, "cuModuleGetGlobal");
    if (!result && bytes == sizeof layout)
        TRY(read_global(dev, address, found, sizeof found));
    return memcmp(found, layout, sizeof layout) == 0
               ? STATUS_OK
               : status_new(STATUS_KIND_UNSUPPORTED,
                            "these kernels are of another version than the program");
}

/* Each is loaded here, also by drivers that load lazily (CUDA_MODULE_LOADING): none is on a query's path,
 * where it would wait for the device. */
status cuda_kernels_find(cuda_device *dev)
{
    TRY(check_layout(dev));
    for (cuda_entry entry = 0; entry < CUDA_ENTRIES; entry++)
        TRY(status_context(
            cuda_status(dev->driver,
                        dev->driver->cuModuleGetFunction(&dev->functions[entry], dev->module,
                                                         cuda_debug_entry_name(entry)),
                        "cuModuleGetFunction"),
            "%s", cuda_debug_entry_name(entry)));
    return STATUS_OK;
}
