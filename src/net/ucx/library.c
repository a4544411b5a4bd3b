/* library.c - loading libucp. */
#include "net/ucx/library.h"

#ifdef NET_HAS_UCX

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#define LIBRARY "libucp.so.0"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static ucx_library library;
static char why_not[512]; /* "": it is loaded */

static void library_load(void)
{
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL);
    if (!handle) {
        snprintf(why_not, sizeof why_not, "%s", dlerror());
        return;
    }
#define F(name)                                                                                    \
    *(void **)&library.name = dlsym(handle, #name);                                                \
    if (!library.name) {                                                                           \
        snprintf(why_not, sizeof why_not, LIBRARY " has no function " #name);                      \
        return;                                                                                    \
    }
    UCX_FUNCTIONS(F)
#undef F
    unsigned release;
    library.ucp_get_version(&library.major, &library.minor, &release);
}

status ucx_library_get(const ucx_library **out)
{
    pthread_once(&once, library_load);
    *out = &library;
    if (!why_not[0])
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_UNSUPPORTED,
                                  "ranks on several machines need UCX, which could not be loaded: "
                                  "%s",
                                  why_not),
                       "install the package libucx0 (UCX 1.13 or newer)");
}

#endif
