/* json_path.h - paths into JSON values: $.a[1]."b c", /a/1/b, PostgreSQL's {a,1,b}, or a key alone. */
#ifndef PISTACHIO_DEVICE_HOST_JSON_JSON_PATH_H
#define PISTACHIO_DEVICE_HOST_JSON_JSON_PATH_H

#include "base/mem.h"

typedef enum json_step_kind {
    JSON_STEP_KEY,
    JSON_STEP_INDEX, /* from 0; negative: from the end, -1 is the last */
    JSON_STEP_EITHER /* a key; in arrays an index */
} json_step_kind;

typedef struct json_step {
    json_step_kind kind;
    const char *key;
    uint32_t bytes;
    bool is_number; /* EITHER: the key is an index as well */
    int64_t index;
} json_step;

typedef struct json_path {
    ARRAY(json_step) steps;
    ARRAY(char) keys;  /* what the steps point to */
    bool has_negative; /* an index counts from the end */
} json_path;

/* Takes a path apart; without an arena the caller releases it. `is_list`: it is PostgreSQL's list {a,b}. */
CHECKED status json_path_parse(arena *a, const char *text, size_t bytes, bool is_list,
                               json_path *out);
void json_path_release(json_path *path);

#endif
