/* extra.h - what each kernel of the CUDA device gets besides its arguments; and what host and kernels
 * agree on. C, C++ and CUDA. */
#ifndef PISTACHIO_DEVICE_CUDA_EXTRA_H
#define PISTACHIO_DEVICE_CUDA_EXTRA_H

#include "device/kernels/kernel_types.h"

typedef struct cuda_extra {
    uint64_t *scratch; /* of this launch; zero where cuda_kernels.def says so */
    uint64_t step;     /* for kernels that are several launches */
    uint64_t blocks;   /* of this one: a launch has as many as the largest of its jobs */
} cuda_extra;

/* One launch is up to CUDA_JOBS jobs, each with arguments of its own and what it gets besides: so many
 * that they fit into the 4 KB that a launch may take along. */
#define CUDA_JOBS_MAX 16
#define CUDA_JOBS_BYTES 4096
#define CUDA_JOB_BYTES(argument_bytes) (((argument_bytes) + 7) / 8 * 8 + sizeof(cuda_extra))
#define CUDA_JOBS(argument_bytes)                                                                  \
    (CUDA_JOBS_BYTES / CUDA_JOB_BYTES(argument_bytes) < CUDA_JOBS_MAX                              \
         ? CUDA_JOBS_BYTES / CUDA_JOB_BYTES(argument_bytes)                                        \
         : CUDA_JOBS_MAX)

/* The codecs for which there are kernels, as Parquet numbers them. */
#define CUDA_CODEC_SNAPPY 1
#define CUDA_CODEC_LZ4 5 /* in frames, or not */
#define CUDA_CODEC_LZ4_RAW 7
#define CUDA_CODECS (1u << CUDA_CODEC_SNAPPY | 1u << CUDA_CODEC_LZ4 | 1u << CUDA_CODEC_LZ4_RAW)

/* Scratch of parquet_batch_decompress: a word that numbers blocks; of each part where in its page it begins; of each page
 * what was found out about it; two of each tile, in a row for each page. */
#define SNAPPY_WORDS(parts, pages, most_tiles)                                                     \
    (1 + (uint64_t)(parts) + (pages) + 2 * (uint64_t)(pages) * (most_tiles))

/* Scratch of parquet_batch_library: what nvCOMP takes and gives, arrays of a word for each page that it decompresses, of
 * statuses 4 bytes; then a word for each page: its number among those, from 1 on. */
enum {
    LIBRARY_SOURCES,
    LIBRARY_SOURCE_BYTES,
    LIBRARY_TARGETS,
    LIBRARY_TARGET_BYTES,
    LIBRARY_DONE_BYTES,
    LIBRARY_STATUSES,
    LIBRARY_ARRAYS
};
#define LIBRARY_WORDS(library_pages, pages) ((uint64_t)LIBRARY_ARRAYS * (library_pages) + (pages))
#define LIBRARY_NOT_CALLED UINT32_MAX /* a status */

#define CUDA_WARP 32
/* Threads of a block, and what one block does of kernels that work on tiles. */
#define CUDA_BLOCK 256
#define CUDA_TILE_ROWS 2048 /* 8 rows a thread */
#define CUDA_LOCKS 1024     /* words of scratch, of shape locked() */
#define CUDA_TILE_LEVELS 11 /* of pairs, until one is left of a tile */
/* A tile of kernels that read bits: 32 a thread. */
#define CUDA_BIT_TILE_ROWS (CUDA_BLOCK * 32)
/* Rows of a thread, in kernels of shape rows(). */
#define CUDA_ROWS 4
/* Blocks of a page, in kernels of shape page_parts(): a thread of one block looks at each. */
#define CUDA_PAGE_PARTS_MIN 4
#define CUDA_PAGE_PARTS_MAX 128
/* Words of scratch: of parquet_batch_codes for each warp; of parquet_batch_plain for each part, and for each page. */
#define CODES_WARPS(blocks) ((blocks) * (CUDA_BLOCK / CUDA_WARP))
#define TEXTS_WORDS(blocks, pages) (3 * (blocks) + (pages))

/* The functions of the file of kernels. */
typedef enum cuda_entry {
#define CUDA_KERNEL(name, ...) CUDA_ENTRY_##name,
#define CUDA_SEVERAL(name) CUDA_ENTRY_##name,
#define CUDA_STEP(name) CUDA_ENTRY_##name,
#include "device/cuda/cuda_kernels.def"
#undef CUDA_KERNEL
#undef CUDA_SEVERAL
#undef CUDA_STEP
    CUDA_ENTRIES
} cuda_entry;

#endif
