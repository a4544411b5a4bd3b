/* object_store.c - see object_store.h. */
#include "storage/object_store.h"

#include "base/module.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool object_store_has(const char *path)
{
    static const char *const schemes[] = {"s3", "s3a", "gs", "gcs", "r2", "http", "https"};
    const char *end = strstr(path, "://");
    for (size_t i = 0; end && i < sizeof schemes / sizeof *schemes; i++)
        if ((size_t)(end - path) == strlen(schemes[i]) &&
            !strncasecmp(path, schemes[i], strlen(schemes[i])))
            return true;
    return false;
}

static status functions_for(const char *url, const object_store_functions **out)
{
    char purpose[64];
    const void *functions;
    snprintf(purpose, sizeof purpose, "reading %.*s://", (int)strcspn(url, ":"), url);
    TRY(module_load("http", purpose, &functions));
    *out = functions;
    return STATUS_OK;
}

status object_store_expand(arena *a, const char *url, path_list *out)
{
    const object_store_functions *functions;
    TRY(functions_for(url, &functions));
    return functions->expand(a, url, out);
}
