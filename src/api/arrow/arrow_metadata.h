/* arrow_metadata.h - metadata of Arrow's schemas. */
#ifndef PISTACHIO_API_ARROW_ARROW_METADATA_H
#define PISTACHIO_API_ARROW_ARROW_METADATA_H

#include "base/status.h"
#include "pistachio/pistachio.h"

/* Says that the column is a UUID (Arrow's canonical extension type), and whether another one says so of its
 * 16 bytes, whose metadata may be NULL. */
CHECKED status api_arrow_mark_uuid(struct ArrowSchema *column);
bool api_arrow_is_uuid(const struct ArrowSchema *column);
/* A copy of a schema's metadata, for mem_free; NULL: there is none, or no memory. */
char *api_arrow_metadata_copy(const char *metadata);

#endif
