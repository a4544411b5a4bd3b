/* place_text.h - {rank} and {host} in paths and settings. */
#ifndef PISTACHIO_API_ENGINE_PLACE_TEXT_H
#define PISTACHIO_API_ENGINE_PLACE_TEXT_H

#include "base/mem.h"
#include "base/setting/setting.h"

/* The text with {rank} and {host} replaced, the caller's (mem_free). host NULL: the machine's name. */
CHECKED status api_place_text(const char *text, unsigned rank, const char *host, char **out);
/* Replaces {rank} and {host} in those settings that are paths. */
CHECKED status api_place_settings(settings *s, unsigned rank, const char *host);

#endif
