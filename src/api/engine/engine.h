/* engine.h - devices and workers, made anew when settings change. */
#ifndef PISTACHIO_API_ENGINE_ENGINE_H
#define PISTACHIO_API_ENGINE_ENGINE_H

#include "api/handles/handles.h"

/* Gives the settings of now, and a reference to an engine that is as they say. */
CHECKED status api_engine_hold(pistachio_database *database, settings *out_settings,
                               api_engine **out);
void api_engine_unref(api_engine *engine); /* takes NULL; any thread but the engine's workers */
/* Drops the database's engine if the settings that changed are not its own any more. */
void api_engine_check(pistachio_database *database);
/* Drops the database's engine: if the settings are not its own any more, or any engine. */
void api_engine_drop(pistachio_database *database, bool is_any);

#endif
