/* json_scan.h - finding a value in a JSON text without parsing what stands around it.
 *
 * All of the text is checked: what is found lies in a text that is JSON. Texts that are not, and a few that are (nested
 * deeply, keys with escapes, surrogates), are left to the parser. */
#ifndef PISTACHIO_DEVICE_HOST_JSON_JSON_SCAN_H
#define PISTACHIO_DEVICE_HOST_JSON_JSON_SCAN_H

#include "device/host/json/json_path.h"

typedef struct json_part {
    const char *start; /* NULL: the text has no such value */
    size_t bytes;
    size_t elements; /* of an array; else 0 */
    bool
        is_written_so; /* a string without escapes, a short number, true, false or null: as it would be written */
} json_part;

/* False: the parser has to look. */
bool json_scan(const char *text, size_t bytes, const json_path *path, json_part *out);

#endif
