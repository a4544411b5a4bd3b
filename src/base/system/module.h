/* module.h - parts of the engine in files of their own, which are loaded when something first needs them.
 *
 *   engine                         pistachio-NAME.so
 *   module_load("http")  ── dlopen by absolute path ──>  pistachio_module: version, build, open()
 *   module_host          ── open(host) ───────────────>  functions, which call the engine by host->...
 *
 * A module needs libraries that the engine shall not need to start (OpenSSL, libcurl). It lies beside the file that the
 * engine's code is in, or where cmake --install puts the library, and nowhere else: no search path of the environment is
 * followed. Its build must be the engine's own. It is never unloaded.
 *
 * A program does not export its functions, so a module calls the engine by the table module_host alone. */
#ifndef PISTACHIO_BASE_SYSTEM_MODULE_H
#define PISTACHIO_BASE_SYSTEM_MODULE_H

#include "base/cancel.h"
#include "base/mem.h"
#include "base/status.h"

/* Raised with every change of the structs below. */
#define MODULE_VERSION 4

/* Functions of the engine that modules call, by their own names. */
#define MODULE_HOST_LIST(FUNCTION)                                                                 \
    FUNCTION(mem_new)                                                                              \
    FUNCTION(mem_resize)                                                                           \
    FUNCTION(mem_copy_text)                                                                        \
    FUNCTION(mem_free)                                                                             \
    FUNCTION(arena_new)                                                                            \
    FUNCTION(arena_alloc)                                                                          \
    FUNCTION(arena_copy_text)                                                                      \
    FUNCTION(arena_format)                                                                         \
    FUNCTION(arena_free)                                                                           \
    FUNCTION(array_reserve_)                                                                       \
    FUNCTION(cancel_is_asked)                                                                      \
    FUNCTION(cancel_check)                                                                         \
    FUNCTION(status_new)                                                                           \
    FUNCTION(status_new_errno)                                                                     \
    FUNCTION(status_no_memory)                                                                     \
    FUNCTION(status_context)                                                                       \
    FUNCTION(status_hint)                                                                          \
    FUNCTION(status_get_kind)                                                                      \
    FUNCTION(status_free)

typedef struct module_host {
#define FUNCTION(name) __typeof__(name) *name;
    MODULE_HOST_LIST(FUNCTION)
#undef FUNCTION
} module_host;

/* The one symbol of a module: `pistachio_module`. */
typedef struct module_description {
    uint32_t version;  /* MODULE_VERSION */
    const char *build; /* build_id.h */
    /* Called once. *out: the module's functions, a struct that its users and it have the header of. */
    status (*open)(const module_host *host, const void **out);
} module_description;

/* Loads pistachio-NAME.so, unless it is loaded, and sets *out to its functions. `purpose` begins the message of a failure:
 * "reading https://..." needs pistachio-http.so. Any thread. */
CHECKED status module_load(const char *name, const char *purpose, const void **out);

#endif
