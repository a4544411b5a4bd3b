/* objects.h - objects that are open, and the version that a URL has: object_store_functions (storage/object_store.h). */
#ifndef PISTACHIO_HTTP_OBJECTS_H
#define PISTACHIO_HTTP_OBJECTS_H

#include "storage/object_store.h"

CHECKED status objects_open(const object_settings *s, const char *url, object **out,
                            file_version *version);
void objects_close(object *o);
CHECKED status objects_look(const object_settings *s, const char *url, file_version *out);
CHECKED status objects_read(object *o, const object_span *span);

#endif
