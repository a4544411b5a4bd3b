/* http_engine.c - the engine's functions for src/http where it is linked with the engine: tests and fuzz targets. */
#include "base/system/module.h"

static const module_host host = {
#define FUNCTION(name) .name = name,
    MODULE_HOST_LIST(FUNCTION)
#undef FUNCTION
};

extern const module_host *http_engine;
const module_host *http_engine = &host;
