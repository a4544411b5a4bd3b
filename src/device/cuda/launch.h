/* launch.h - inside launches: how many blocks and threads, what scratch, one function after another. */
#ifndef PISTACHIO_DEVICE_CUDA_LAUNCH_H
#define PISTACHIO_DEVICE_CUDA_LAUNCH_H

#include "device/cuda/cuda.h"

/* The size of a kernel's launch, from the numbers of its arguments. */
typedef struct shape {
    uint64_t blocks;
    unsigned threads;
    uint64_t scratch_words;  /* zeroed */
    const void *zeroed_word; /* device address or NULL */
    const char *missing;     /* what the kernel cannot do of what it is asked for; or NULL */
} shape;

typedef struct launch {
    cuda_stream *stream;
    dev_kernel_id kernel;
    const void *arguments;
    size_t argument_bytes;
    cuda_extra extra;
} launch;

/* The shapes of cuda_kernels.def. */
shape cuda_shape_each(uint64_t items);
shape cuda_shape_rows(uint64_t rows);
shape cuda_shape_tiles(uint64_t rows);
shape cuda_shape_blocks(uint64_t rows);
shape cuda_shape_turns(const launch *l, uint64_t rows);
/* Several blocks for each page; extra.step says how many. */
shape cuda_shape_page_parts(launch *l, uint64_t pages);
shape cuda_shape_one_block(void);
shape cuda_shape_one_warp(void);
shape cuda_shape_locked(shape s);
shape cuda_shape_zeroed(shape s, const void *word);
shape cuda_shape_of_codecs(uint32_t codecs, shape s);
uint64_t cuda_blocks_for(uint64_t items, uint64_t per_block);

/* Takes zeroed words of scratch for the launches that follow. */
CHECKED status cuda_scratch_take(launch *l, uint64_t words);
/* Returns the failure of a launch that would have more blocks than the driver takes. */
status cuda_too_many_blocks(cuda_entry entry, uint64_t blocks);
/* Launches one function, with scratch of its own if the shape has some. */
CHECKED status cuda_run(launch *l, cuda_entry entry, shape s);

/* Under the stream's lock: one launch of jobs of one function. */
CHECKED status cuda_launch_jobs(cuda_stream *stream, cuda_command *const *jobs, unsigned count);
/* Finds the kernels in the module, and that they are of this program's version. */
CHECKED status cuda_kernels_find(cuda_device *dev);
CHECKED status cuda_launch(dev_stream *stream, dev_kernel_id kernel, const void *arguments,
                           size_t argument_bytes);
/* False: launching it fails. */
bool cuda_has_kernel(dev_kernel_id kernel);

/* ---- launch_steps.c: kernels that are several launches ---- */
#define CUDA_KERNEL(name, ...)
#define CUDA_SEVERAL(name) CHECKED status cuda_launch_##name(launch *l);
#define CUDA_STEP(name)
#include "device/cuda/cuda_kernels.def"
#undef CUDA_KERNEL
#undef CUDA_SEVERAL
#undef CUDA_STEP

#endif
