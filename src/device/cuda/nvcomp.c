/* nvcomp.c - finds nvCOMP's functions in its library, and calls them as its version wants it. */
#include "device/cuda/nvcomp.h"

#include "base/system/mutex.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define CODEC_GZIP 2 /* as Parquet numbers them */
#define CODEC_ZSTD 6
#define CODECS 2
#define NAME_BYTES 64
#define BACKEND_CUDA 2   /* kernels: the decompression engine wants memory of its own kind */
#define ALIGNMENT_MAX 64 /* of dev_alloc */

typedef struct nvcomp_properties { /* nvcompProperties_t */
    uint32_t version, cudart_version;
} nvcomp_properties;

typedef struct nvcomp_alignments { /* nvcompAlignmentRequirements_t */
    size_t input, output, temporary;
} nvcomp_alignments;

typedef struct nvcomp_options { /* nvcompBatched<Codec>DecompressOpts_t of version 5 */
    int backend;
    char rest[60];
} nvcomp_options;

typedef int properties_function(nvcomp_properties *out);
typedef int alignments_function(nvcomp_options options, nvcomp_alignments *out);
typedef int space_function(size_t count, size_t largest, nvcomp_options options, size_t *bytes,
                           size_t total);
typedef int space_function_4(size_t count, size_t largest, size_t *bytes, size_t total);
typedef int decompress_function(const void *const *sources, const size_t *source_bytes,
                                const size_t *target_bytes, size_t *done_bytes, size_t count,
                                void *space, size_t space_bytes, void *const *targets,
                                nvcomp_options options, int *statuses, cuda_queue queue);
typedef int decompress_function_4(const void *const *sources, const size_t *source_bytes,
                                  const size_t *target_bytes, size_t *done_bytes, size_t count,
                                  void *space, size_t space_bytes, void *const *targets,
                                  int *statuses, cuda_queue queue);

/* Functions of one codec: those of the library's version. */
typedef struct nvcomp_functions {
    int codec;
    const char *name; /* in its functions' names */
    bool is_there;
    space_function *space;
    space_function_4 *space_4;
    decompress_function *decompress;
    decompress_function_4 *decompress_4;
} nvcomp_functions;

struct nvcomp_library {
    unsigned major;
    nvcomp_functions of[CODECS];
};

static const nvcomp_options options = {.backend = BACKEND_CUDA};

/* ---- finding ---- */

/* Set once, under the lock. */
static pthread_mutex_t lock = MUTEX_INITIALIZER;
static nvcomp_library library = {
    .of = {{.codec = CODEC_GZIP, .name = "Gzip"}, {.codec = CODEC_ZSTD, .name = "Zstd"}}};
static bool is_there;
static char text[512];

static void *find(void *handle, const char *codec, const char *what)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "nvcompBatched%sDecompress%s", codec, what);
    return dlsym(handle, name);
}

/* Pages begin anywhere. Version 4 has its alignments in a header alone: 1 for both codecs. */
static bool takes_any_place(void *handle, const nvcomp_functions *f)
{
    alignments_function *ask = NULL;
    nvcomp_alignments found = {0};
    *(void **)&ask = find(handle, f->name, "GetRequiredAlignments");
    return !ask || (!ask(options, &found) && found.input <= 1 && found.output <= 1 &&
                    found.temporary <= ALIGNMENT_MAX);
}

static void nvcomp_find_functions(void *handle, nvcomp_functions *f)
{
    void *space = find(handle, f->name, library.major == 4 ? "GetTempSizeEx" : "GetTempSizeAsync");
    void *decompress = find(handle, f->name, "Async");
    if (!space || !decompress)
        return;
    if (library.major == 4) {
        *(void **)&f->space_4 = space;
        *(void **)&f->decompress_4 = decompress;
        f->is_there = true;
        return;
    }
    *(void **)&f->space = space;
    *(void **)&f->decompress = decompress;
    f->is_there = takes_any_place(handle, f);
}

static bool take(void *handle, const char *file)
{
    properties_function *ask = NULL;
    nvcomp_properties found = {0};
    *(void **)&ask = dlsym(handle, "nvcompGetProperties");
    unsigned version = ask && !ask(&found) ? found.version : 0;
    library.major = version / 1000;
    if (library.major != 4 && library.major != 5) {
        snprintf(text, sizeof text, "no nvCOMP: %s is of version %u.%u, not 4 or 5", file,
                 library.major, version % 1000 / 100);
        return false;
    }
    for (size_t i = 0; i < CODECS; i++)
        nvcomp_find_functions(handle, &library.of[i]);
    bool is_of_use = nvcomp_codecs(&library);
    snprintf(text, sizeof text, "nvCOMP %u.%u.%u%s", library.major, version % 1000 / 100,
             version % 100, is_of_use ? "" : " has no function for pages that begin anywhere");
    return is_of_use;
}

/* False: there is no such file. It stays open for as long as the process lives. */
static bool nvcomp_open_library(const char *file)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *why = dlerror();
        if (!*text) /* of the file that was tried first */
            snprintf(text, sizeof text, "no nvCOMP: %s", why ? why : file);
        return false;
    }
    is_there = take(handle, file);
    if (!is_there)
        dlclose(handle);
    return true;
}

static void look(const cuda_driver *driver)
{
    const char *file = getenv("PISTACHIO_NVCOMP_LIBRARY");
    if (file && *file)
        nvcomp_open_library(file);
    else if (driver->watch_buffer)
        snprintf(text, sizeof text, "no nvCOMP: the emulation has none");
    else if (!nvcomp_open_library("libnvcomp.so.5"))
        nvcomp_open_library("libnvcomp.so.4");
}

const nvcomp_library *nvcomp_find(const cuda_driver *driver, const char **out_text)
{
    mutex_lock(&lock);
    if (!*text)
        look(driver);
    mutex_unlock(&lock);
    *out_text = text;
    return is_there ? &library : NULL;
}

/* ---- using ---- */

uint32_t nvcomp_codecs(const nvcomp_library *l)
{
    uint32_t mask = 0;
    for (size_t i = 0; l && i < CODECS; i++)
        mask |= l->of[i].is_there ? 1u << l->of[i].codec : 0;
    return mask;
}

static const nvcomp_functions *functions_of(const nvcomp_library *l, int codec)
{
    return &l->of[codec == CODEC_ZSTD];
}

static status result_of(const nvcomp_functions *f, const char *what, int result)
{
    return result ? status_hint(status_new(STATUS_KIND_IO,
                                           "nvcompBatched%sDecompress%s: nvCOMP's status %d",
                                           f->name, what, result),
                                "with PISTACHIO_NVCOMP_LIBRARY=none the host decompresses")
                  : STATUS_OK;
}

status nvcomp_space(const nvcomp_library *l, int codec, size_t count, size_t largest, size_t total,
                    size_t *out_bytes)
{
    const nvcomp_functions *f = functions_of(l, codec);
    *out_bytes = 0;
    if (l->major == 4)
        return result_of(f, "GetTempSizeEx", f->space_4(count, largest, out_bytes, total));
    return result_of(f, "GetTempSizeAsync", f->space(count, largest, options, out_bytes, total));
}

status nvcomp_decompress(const nvcomp_library *l, const nvcomp_batch *b, cuda_queue queue)
{
    const nvcomp_functions *f = functions_of(l, b->codec);
    int result =
        l->major == 4
            ? f->decompress_4(b->sources, b->source_bytes, b->target_bytes, b->done_bytes, b->count,
                              b->space, b->space_bytes, b->targets, b->statuses, queue)
            : f->decompress(b->sources, b->source_bytes, b->target_bytes, b->done_bytes, b->count,
                            b->space, b->space_bytes, b->targets, options, b->statuses, queue);
    return result_of(f, "Async", result);
}
