/* nvcomp.h - nvCOMP, NVIDIA's library that decompresses on the device, where the user has installed it: looked for when
 * the program runs, neither needed to build it nor shipped with it.
 *
 * Names and arguments are those of nvcomp/zstd.h and nvcomp/gzip.h, their batched functions, of nvCOMP 5, and of nvCOMP 4,
 * which takes no options (docs.nvidia.com/cuda/nvcomp). It runs on CUDA's run-time, which works on the primary context
 * of a device, as the calling thread has it: that is ours (cuda_enter). */
#ifndef PISTACHIO_DEVICE_CUDA_NVCOMP_H
#define PISTACHIO_DEVICE_CUDA_NVCOMP_H

#include "device/cuda/driver.h"

typedef struct nvcomp_library nvcomp_library;

/* Pages of one codec. Arrays of `count`, and what they point to, are the device's. */
typedef struct nvcomp_batch {
    int codec; /* Parquet's number */
    size_t count;
    const void *const *sources;
    const size_t *source_bytes;
    void *const *targets;
    const size_t *target_bytes;
    size_t *done_bytes; /* set: what it gave */
    int *statuses;      /* set: 0 is success */
    void *space;
    size_t space_bytes; /* as nvcomp_space says, or more */
} nvcomp_batch;

/* libnvcomp.so.5 or libnvcomp.so.4, or what PISTACHIO_NVCOMP_LIBRARY names; NULL: there is none. *out_text, which stays:
 * its name and version, or in a line why there is none. The emulated driver has only what is named. Any thread. */
const nvcomp_library *nvcomp_find(const cuda_driver *driver, const char **out_text);
/* A mask of the codecs that it decompresses, wherever a page begins. */
uint32_t nvcomp_codecs(const nvcomp_library *library); /* takes NULL: 0 */
/* How much of the device's memory it takes for `count` pages, the largest of so many bytes, all of `total`. */
CHECKED status nvcomp_space(const nvcomp_library *library, int codec, size_t count, size_t largest,
                            size_t total, size_t *out_bytes);
/* Enqueues it. The calling thread has entered the device. */
CHECKED status nvcomp_decompress(const nvcomp_library *library, const nvcomp_batch *batch,
                                 cuda_queue queue);

#endif
