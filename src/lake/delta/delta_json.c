/* delta_json.c - actions from the JSON files of a log. */
#include "lake/delta/delta_state.h"

#include "base/cancel.h"
#include "lake/log/lake_text.h"

static status broken_action(const char *path, const char *what)
{
    return status_new(STATUS_KIND_CORRUPT, "%s in file \"%s\" of the log is not complete", what,
                      path);
}

static status take_pairs(arena *a, yyjson_val *object, delta_pair_list *out)
{
    yyjson_obj_iter iter;
    yyjson_val *name;
    *out = (delta_pair_list){0};
    if (!yyjson_obj_iter_init(object, &iter))
        return STATUS_OK;
    while ((name = yyjson_obj_iter_next(&iter)))
        TRY(array_push(
            a, out,
            ((delta_pair){yyjson_get_str(name), yyjson_get_str(yyjson_obj_iter_get_val(name))})));
    return STATUS_OK;
}

static void take_vector(yyjson_val *object, delta_vector *out)
{
    if (!yyjson_is_obj(object))
        return;
    *out = (delta_vector){.storage = lake_json_text(object, "storageType"),
                          .path = lake_json_text(object, "pathOrInlineDv"),
                          .cardinality = -1};
    lake_json_int(object, "offset", &out->offset);
    lake_json_int(object, "sizeInBytes", &out->bytes);
    lake_json_int(object, "cardinality", &out->cardinality);
}

static status take_file(delta_state *s, yyjson_val *object, bool is_removed, const char *path)
{
    delta_action action = {.path = lake_json_text(object, "path"),
                           .stats = lake_json_text(object, "stats"),
                           .is_removed = is_removed};
    if (!action.path)
        return broken_action(path, is_removed ? "a remove" : "an add");
    take_vector(yyjson_obj_get(object, "deletionVector"), &action.vector);
    TRY(take_pairs(s->memory, yyjson_obj_get(object, "partitionValues"), &action.partition));
    return delta_state_take(s, &action);
}

static status take_metadata(delta_state *s, yyjson_val *object, const char *path)
{
    yyjson_arr_iter iter;
    yyjson_val *column;
    s->schema = lake_json_text(object, "schemaString");
    if (!s->schema)
        return broken_action(path, "metaData");
    s->partition_columns.count = 0;
    yyjson_arr_iter_init(yyjson_obj_get(object, "partitionColumns"), &iter);
    while ((column = yyjson_arr_iter_next(&iter)))
        if (yyjson_is_str(column))
            TRY(array_push(s->memory, &s->partition_columns, yyjson_get_str(column)));
    return take_pairs(s->memory, yyjson_obj_get(object, "configuration"), &s->configuration);
}

static status take_protocol(delta_state *s, yyjson_val *object)
{
    yyjson_arr_iter iter;
    yyjson_val *feature;
    s->has_protocol = true;
    s->reader_version = 0;
    lake_json_int(object, "minReaderVersion", &s->reader_version);
    s->features.count = 0;
    yyjson_arr_iter_init(yyjson_obj_get(object, "readerFeatures"), &iter);
    while ((feature = yyjson_arr_iter_next(&iter)))
        if (yyjson_is_str(feature))
            TRY(array_push(s->memory, &s->features, yyjson_get_str(feature)));
    return STATUS_OK;
}

static status take_action(delta_state *s, yyjson_val *action, const char *path)
{
    yyjson_val *found;
    if ((found = yyjson_obj_get(action, "add")))
        return take_file(s, found, false, path);
    if ((found = yyjson_obj_get(action, "remove")))
        return take_file(s, found, true, path);
    if ((found = yyjson_obj_get(action, "metaData")))
        return take_metadata(s, found, path);
    if ((found = yyjson_obj_get(action, "protocol")))
        return take_protocol(s, found);
    found = yyjson_obj_get(action, "sidecar");
    return found ? delta_take_sidecar(s, lake_json_text(found, "path")) : STATUS_OK;
}

status delta_read_actions(delta_state *s, const char *path)
{
    char *text;
    size_t bytes;
    TRY(lake_read(s->memory, path, &text, &bytes));
    s->files_read++;
    return delta_take_actions(s, path, text, bytes);
}

status delta_take_actions(delta_state *s, const char *path, char *text, size_t bytes)
{
    size_t at = 0;
    while (at < bytes) {
        yyjson_val *action;
        TRY(cancel_check());
        TRY(lake_json(s->memory, path, text, bytes, &at, &action));
        TRY(take_action(s, action, path));
    }
    return STATUS_OK;
}
