/* http_module.c - pistachio-http.so: what reads object stores, and has OpenSSL and libcurl for it. No store can be read
 * yet: each URL is refused by name. */
#include "base/build_id.h"
#include "base/module.h"
#include "storage/object_store.h"

static const module_host *engine;

static status expand(arena *a, const char *url, path_list *out)
{
    (void)a;
    (void)out;
    return engine->status_new(STATUS_KIND_UNSUPPORTED, "reading \"%s\" is not supported", url);
}

static status open_module(const module_host *host, const void **out)
{
    static const object_store_functions functions = {.expand = expand};
    engine = host;
    *out = &functions;
    return STATUS_OK;
}

__attribute__((visibility("default"))) const module_description pistachio_module;
const module_description pistachio_module = {MODULE_VERSION, build_id, open_module};
