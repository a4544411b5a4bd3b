/* engine.h - the engine's functions by their own names, in the module: calls go through the table that http_module.c was
 * handed (base/module.h). Included last. */
#ifndef PISTACHIO_HTTP_ENGINE_H
#define PISTACHIO_HTTP_ENGINE_H

#include "base/module.h"

extern const module_host *engine;

#define mem_new engine->mem_new
#define mem_resize engine->mem_resize
#define mem_copy_text engine->mem_copy_text
#define mem_free engine->mem_free
#define arena_new engine->arena_new
#define arena_alloc engine->arena_alloc
#define arena_copy_text engine->arena_copy_text
#define arena_format engine->arena_format
#define arena_free engine->arena_free
#define array_reserve_ engine->array_reserve_
#define cancel_is_asked engine->cancel_is_asked
#define cancel_check engine->cancel_check
#define status_new engine->status_new
#define status_new_errno engine->status_new_errno
#define status_no_memory engine->status_no_memory
#define status_context engine->status_context
#define status_hint engine->status_hint
#define status_get_kind engine->status_get_kind
#define status_free engine->status_free

#endif
