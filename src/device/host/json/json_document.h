/* json_document.h - the row's document, for functions that read JSON texts (json_read.c, json_structure.c, json_nodes.c). */
#ifndef PISTACHIO_DEVICE_HOST_JSON_JSON_DOCUMENT_H
#define PISTACHIO_DEVICE_HOST_JSON_JSON_DOCUMENT_H

#include "device/host/host.h"
#include "device/host/json/json_memory.h"
#include "device/host/json/json_path.h"

typedef struct json_state {
    const json_path *constant;
    json_path last; /* of `last_path`, where paths vary */
    string_view last_path;
    bool has_last;
    json_memory memory;
    /* The document that was parsed last; `text` lies in the memory. */
    yyjson_doc *document;
    string_view text;
    /* The member of it that was asked for last. */
    size_t member;
    yyjson_val *member_key, *member_value;
} json_state;

/* Parses argument 0 of the row, unless it was the one before; fails where it is not JSON. */
CHECKED status json_root(host_call *c, uint64_t row, yyjson_val **out);
/* Finds the value at the path in argument 1, or the root without one; *out NULL: there is none. */
CHECKED status json_find_parsed(host_call *c, uint64_t row, yyjson_val **out);
/* Returns the word of json_type. */
const char *json_type_name(yyjson_val *value);

#endif
