/* server_engine.c - the engine's functions for src/server where it is linked with the engine: tests and fuzz targets. */
#include "server/engine.h"

static const server_engine engine = {
#define FUNCTION(name) .name = name,
    SERVER_ENGINE_LIST(FUNCTION)
#undef FUNCTION
};

extern const server_engine *engine_calls;
const server_engine *engine_calls = &engine;
