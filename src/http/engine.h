/* engine.h - the engine's functions by their own names, in the module: calls go through the table that http_module.c was
 * handed (base/system/module.h). Included last. */
#ifndef PISTACHIO_HTTP_ENGINE_H
#define PISTACHIO_HTTP_ENGINE_H

#include "base/system/module.h"

extern const module_host *http_engine;

#define mem_new http_engine->mem_new
#define mem_resize http_engine->mem_resize
#define mem_copy_text http_engine->mem_copy_text
#define mem_free http_engine->mem_free
#define arena_new http_engine->arena_new
#define arena_alloc http_engine->arena_alloc
#define arena_copy_text http_engine->arena_copy_text
#define arena_format http_engine->arena_format
#define arena_free http_engine->arena_free
#define array_reserve_ http_engine->array_reserve_
#define cancel_is_asked http_engine->cancel_is_asked
#define cancel_check http_engine->cancel_check
#define status_new http_engine->status_new
#define status_new_errno http_engine->status_new_errno
#define status_no_memory http_engine->status_no_memory
#define status_context http_engine->status_context
#define status_hint http_engine->status_hint
#define status_get_kind http_engine->status_get_kind
#define status_free http_engine->status_free

#endif
