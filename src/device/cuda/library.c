/* library.c - pages that nvCOMP decompresses: kernels put together what it takes and look at what it gave, so that
 * nobody waits to hear of a damaged page. */
#include "device/cuda/launch.h"
#include "device/cuda/window.h"

/* The arrays that the first kernel makes, as nvCOMP takes them. */
static nvcomp_batch library_batch_of(const launch *l, const dev_buffer *space)
{
    const parquet_batch_library_arguments *a = l->arguments;
    uint64_t *scratch = l->extra.scratch, count = a->library_pages;
    return (nvcomp_batch){
        .codec = a->codec,
        .count = count,
        .sources = (const void *const *)(scratch + LIBRARY_SOURCES * count),
        .source_bytes = (const size_t *)(scratch + LIBRARY_SOURCE_BYTES * count),
        .targets = (void *const *)(scratch + LIBRARY_TARGETS * count),
        .target_bytes = (const size_t *)(scratch + LIBRARY_TARGET_BYTES * count),
        .done_bytes = (size_t *)(scratch + LIBRARY_DONE_BYTES * count),
        .statuses = (int *)(scratch + LIBRARY_STATUSES * count),
        .space = space ? space->address : NULL,
        .space_bytes = space ? space->bytes : 0,
    };
}

static status library_decompress(launch *l, const dev_buffer *space)
{
    cuda_command command = {.kind = CUDA_COMMAND_LIBRARY, .work = dev_work_now};
    kernel_use uses[KERNEL_USES]; /* of which no kernel has all */
    unsigned count = kernel_uses(l->kernel, l->arguments, uses);
    nvcomp_batch batch = library_batch_of(l, space);
    memcpy(command.arguments, &batch, sizeof batch);
    if (space)
        uses[count++] = (kernel_use){space->address, USE_WRITE};
    return cuda_window_add(l->stream, &command, uses, count);
}

static status run(launch *l, const dev_buffer *space)
{
    const parquet_batch_library_arguments *a = l->arguments;
    shape pages = {.blocks = a->page_count, .threads = CUDA_WARP};
    TRY(cuda_enter((cuda_device *)l->stream->base.dev)); /* perhaps another thread by now */
    TRY(cuda_scratch_take(l, LIBRARY_WORDS(a->library_pages, a->page_count)));
    if (a->library_pages) {
        TRY(cuda_run(l, CUDA_ENTRY_parquet_batch_library, cuda_shape_one_block()));
        TRY(library_decompress(l, space));
    }
    return cuda_run(l, CUDA_ENTRY_parquet_batch_library_check, pages);
}

status cuda_launch_parquet_batch_library(launch *l)
{
    const parquet_batch_library_arguments *a = l->arguments;
    cuda_device *dev = (cuda_device *)l->stream->base.dev;
    dev_buffer *space = NULL;
    size_t bytes = 0;
    if (!(nvcomp_codecs(dev->library) >> a->codec & 1))
        return status_new(STATUS_KIND_UNSUPPORTED, "the CUDA device has no library for codec %u",
                          a->codec);
    if (a->library_pages)
        TRY(nvcomp_space(dev->library, a->codec, a->library_pages, a->largest, a->total, &bytes));
    if (bytes)
        TRY(dev_alloc(&dev->base, bytes, "nvCOMP", &space));
    status st = run(l, space);
    dev_buffer_unref(space);
    return st;
}
