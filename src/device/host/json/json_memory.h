/* json_memory.h - memory for yyjson, of one call: handed out piece by piece, forgotten row by row. */
#ifndef PISTACHIO_DEVICE_HOST_JSON_JSON_MEMORY_H
#define PISTACHIO_DEVICE_HOST_JSON_JSON_MEMORY_H

#include "base/mem.h"

#include <yyjson/yyjson.h>

typedef struct json_block {
    struct json_block *next; /* the one before it */
    size_t bytes;
} json_block;

typedef struct json_memory {
    yyjson_alc alc;
    mem_budget *budget; /* or NULL */
    json_block *blocks; /* the last one first */
    char *at, *end, *last;
    status failure; /* of the budget, until json_memory_failed */
} json_memory;

void json_memory_init(json_memory *m, mem_budget *budget);
/* Forgets all that was handed out; the largest block stays. */
void json_memory_reset(json_memory *m);
void json_memory_release(json_memory *m);
/* Returns why memory was refused. */
CHECKED status json_memory_failed(json_memory *m);

#endif
