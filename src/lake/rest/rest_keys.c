/* rest_keys.c - keys that a catalog lends for the files of a table, as settings of stores. */
#include "lake/rest/rest.h"

#include "storage/object_store.h"

#include <stdio.h>
#include <time.h>

/* Keys whose end is not told are taken to hold so long: the least that AWS lends them for. */
#define HELD_SECONDS 600

/* Finds the credentials with the longest prefix of the table's location. */
static yyjson_val *credentials_for(yyjson_val *answer, const char *location)
{
    yyjson_arr_iter iter;
    yyjson_val *item, *best = NULL;
    size_t longest = 0;
    yyjson_arr_iter_init(yyjson_obj_get(answer, "storage-credentials"), &iter);
    while ((item = yyjson_arr_iter_next(&iter))) {
        const char *prefix = lake_json_text(item, "prefix");
        size_t bytes = prefix ? strlen(prefix) : 0;
        if (prefix && bytes >= longest && !strncmp(location, prefix, bytes)) {
            best = yyjson_obj_get(item, "config");
            longest = bytes;
        }
    }
    return best;
}

/* A text of the keys, of the table's configuration, or of the catalog's; "" if none of them has it. */
typedef struct key_sources {
    const rest_catalog *catalog;
    yyjson_val *keys, *table;
} key_sources;

static const char *source_text(const key_sources *s, const char *name)
{
    const char *text = lake_json_text(s->keys, name);
    if (!text)
        text = lake_json_text(s->table, name);
    if (!text)
        text = rest_config(s->catalog, name);
    return text ? text : "";
}

/* Keys are of one source: never the name of one and the secret of another. */
static yyjson_val *keys_of(yyjson_val *answer, yyjson_val *table, const char *location)
{
    yyjson_val *found = credentials_for(answer, location);
    return lake_json_text(found, "s3.access-key-id") ? found : table;
}

static status set_text(char *to, const char *text, const char *what)
{
    if (snprintf(to, SETTING_TEXT_BYTES, "%s", text) < SETTING_TEXT_BYTES)
        return STATUS_OK;
    return status_new(STATUS_KIND_CORRUPT, "the catalog lends %s of more than %d bytes", what,
                      SETTING_TEXT_BYTES - 1);
}

static int64_t rest_keys_end_of(yyjson_val *keys)
{
    char *rest;
    const char *text = lake_json_text(keys, "s3.session-token-expires-at-ms");
    long long ms = text ? strtoll(text, &rest, 10) : 0;
    return ms > 0 ? ms / 1000 : time(NULL) + HELD_SECONDS;
}

static void drop_keys(void *table)
{
    object_store_drop(((rest_table *)table)->store);
}

/* Lends the settings until the arena is freed. */
static status rest_keys_lend(arena *a, const object_settings *settings, rest_table *out)
{
    rest_table *kept = arena_alloc(a, sizeof *kept);
    if (!kept)
        return status_no_memory("catalog", sizeof *kept);
    TRY(object_store_lend(settings, &kept->store));
    status st = arena_on_free(a, drop_keys, kept);
    if (st)
        object_store_drop(kept->store);
    else
        out->store = kept->store;
    return st;
}

status rest_take_keys(const rest_catalog *c, arena *a, yyjson_val *answer, rest_table *out)
{
    yyjson_val *table = yyjson_obj_get(answer, "config");
    const char *location = lake_json_text(out->metadata, "location");
    key_sources s = {c, keys_of(answer, table, location ? location : ""), table};
    const char *key = lake_json_text(s.keys, "s3.access-key-id");
    const char *secret = lake_json_text(s.keys, "s3.secret-access-key");
    const char *token = lake_json_text(s.keys, "s3.session-token");
    const char *region = source_text(&s, "s3.region");
    object_settings settings = *object_store_settings();
    if (!key || !secret)
        return STATUS_OK;
    settings.secret = secret;
    settings.token = token ? token : "";
    TRY(set_text(settings.key, key, "a key"));
    TRY(set_text(settings.region, *region ? region : source_text(&s, "client.region"), "a region"));
    TRY(set_text(settings.endpoint, source_text(&s, "s3.endpoint"), "an endpoint"));
    settings.is_path_style = !strcmp(source_text(&s, "s3.path-style-access"), "true");
    settings.is_host_style = false;
    out->ends = rest_keys_end_of(s.keys);
    return rest_keys_lend(a, &settings, out);
}
