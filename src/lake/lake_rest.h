/* lake_rest.h - tables of catalogs that are attached, by texts: rest:catalog/namespace/table. */
#ifndef PISTACHIO_LAKE_LAKE_REST_H
#define PISTACHIO_LAKE_LAKE_REST_H

#include "lake/lake.h"
#include "lake/rest/rest.h"

typedef struct lake_rest_name {
    const char *catalog, *space, *table;
} lake_rest_name;

/* Makes the text of a table of a catalog; NULL: no memory. */
const char *lake_rest_text(arena *a, const lake_rest_name *name);
/* Reads such a text; *out_is false: it is another one. In the arena. */
CHECKED status lake_rest_name_of(arena *a, const char *text, lake_rest_name *out, bool *out_is);
/* Opens the table, or gives `before` again if the catalog names the same state of it.
 * *out NULL: the catalog does not have it. */
CHECKED status lake_open_rest(rest_catalog *c, const lake_rest_name *name, const char *text,
                              bool use_cache, pq_table *before, pq_table **out);

#endif
