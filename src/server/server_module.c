/* server_module.c - pistachio-serve.so: the server. It answers nobody yet. */
#include "base/build_id.h"
#include "base/module.h"
#include "server/server.h"

static const module_host *engine;

static status serve(int count, char **arguments, int *out_exit_status)
{
    (void)count;
    (void)arguments;
    *out_exit_status = 1;
    return engine->status_new(STATUS_KIND_UNSUPPORTED, "pistachio serve is not supported");
}

static status open_module(const module_host *host, const void **out)
{
    static const server_functions functions = {.serve = serve};
    engine = host;
    *out = &functions;
    return STATUS_OK;
}

__attribute__((visibility("default"))) const module_description pistachio_module;
const module_description pistachio_module = {MODULE_VERSION, build_id, open_module};
