/* arrow_memory.c - what a client does to read buffers that are in a device's memory. */
#include "arrow_memory.h"

#include "device/device.h"
#include "device/simulated/memory.h"
#include "exec/scan/column_cache.h"
#include "parquet/table/footer.h"
#include "run_statement.h"
#include "test.h"

#include <dlfcn.h>

const char *arrow_device_name(unsigned index)
{
    static const char *const names[] = {"cpu", "simulated", "cuda"};
    unsigned count = getenv("PISTACHIO_CUDA_LIBRARY") ? 3 : 2;
    return index < count ? names[index] : NULL;
}

void *arrow_driver_function(const char *name)
{
    static void *driver; /* the process's */
    const char *library = getenv("PISTACHIO_CUDA_LIBRARY");
    if (!driver && library)
        driver = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    return driver ? dlsym(driver, name) : NULL;
}

void arrow_check_place(const struct ArrowDeviceArray *array, const char *device)
{
    bool is_host = !strcmp(device, "cpu");
    CHECK_EQ(array->device_type, is_host                   ? ARROW_DEVICE_CPU
                                 : !strcmp(device, "cuda") ? ARROW_DEVICE_CUDA
                                                           : ARROW_DEVICE_EXT_DEV);
    CHECK_EQ(array->device_id, is_host ? -1 : 0);
    CHECK(!array->sync_event);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(array->reserved[i], 0);
}

void arrow_read(const struct ArrowDeviceArray *array, const void *buffer, size_t bytes, void *out)
{
    int (*copy)(void *, uint64_t, size_t) = NULL;
    if (!bytes)
        return;
    if (array->device_type != ARROW_DEVICE_CUDA) {
        memcpy(out, simulated_real(buffer), bytes);
        return;
    }
    *(void **)&copy = arrow_driver_function("cuMemcpyDtoH_v2");
    CHECK(copy);
    CHECK_EQ(copy(out, (uintptr_t)buffer, bytes), 0);
}

arrow_world arrow_world_open(const char *device, const char *result_memory, const char *chunk_rows)
{
    const pistachio_option options[] = {{"threads", "2"},
                                        {"device", device},
                                        {"result_memory", result_memory},
                                        {"chunk_rows", chunk_rows}};
    arrow_world w = {0};
    check_none(pistachio_open(options, 4, &w.database));
    check_none(pistachio_connect(w.database, &w.connection));
    return w;
}

void arrow_run(const arrow_world *w, const char *sql)
{
    pistachio_result *result;
    check_none(pistachio_query(w->connection, sql, NULL, &result));
    pistachio_result_free(result);
}

void arrow_start(arrow_world *w, const char *sql)
{
    pistachio_result *result;
    check_none(pistachio_query(w->connection, sql, NULL, &result));
    check_none(pistachio_arrow_device_stream(result, &w->stream));
}

void arrow_world_close(arrow_world *w)
{
    if (w->stream.release)
        w->stream.release(&w->stream);
    CHECK(!w->stream.release);
    CHECK_EQ(pistachio_memory_exported(w->connection), 0);
    pistachio_disconnect(w->connection);
    pistachio_close(w->database);
    pq_footer_cache_clear();
    column_cache_clear();
}
