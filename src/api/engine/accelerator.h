/* accelerator.h - the GPU beside the CPU of an engine with device = auto: opened when a statement is first worth running
 * there, given up when it is lost. */
#ifndef PISTACHIO_API_ENGINE_ACCELERATOR_H
#define PISTACHIO_API_ENGINE_ACCELERATOR_H

#include "api/handles/handles.h"

void api_accelerator_init(api_engine *engine);
void api_accelerator_close(api_engine *engine);
bool api_accelerator_is_open(api_engine *engine);
/* Opens the GPU, unless it is open, and adds a holder of it. Once that has failed it fails for as long as the engine lives. */
CHECKED status api_accelerator_open(api_engine *engine, device **out);
/* Fails if there is no GPU to open any more, and says why. */
CHECKED status api_accelerator_check(api_engine *engine);
/* Notes why there is none; later failures change nothing. */
void api_accelerator_lose(api_engine *engine, status why);
/* Adds seconds that the GPU would have saved, had it been open; returns those of all statements so far. */
double api_accelerator_miss(api_engine *engine, double seconds);

#endif
