/* iceberg_metadata.c - which metadata file is the newest, what it says of schema, specs and snapshots. */
#include "lake/iceberg/iceberg_metadata.h"

#include "base/system/guard.h"
#include "codec/unpack.h"
#include "lake/log/lake_nested.h"
#include "lake/rest/rest.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- which file ---- */

static bool has_metadata_name(const char *name)
{
    return strstr(name, ".metadata.json") != NULL;
}

/* v12.metadata.json and 00012-....metadata.json are of version 12; others come before all numbers. */
static int64_t version_of_name(const char *path)
{
    const char *name = lake_name_of(path);
    char *end;
    name += *name == 'v';
    long long version = strtoll(name, &end, 10);
    return end == name || version < 0 ? -1 : version;
}

static status newest_metadata(arena *a, const char *root, const char **out)
{
    path_list paths;
    const char *folder = arena_format(a, "%s/metadata", root);
    if (!folder)
        return status_no_memory("lake", strlen(root));
    TRY(lake_list(a, folder, "*.metadata.json*", &paths));
    *out = NULL;
    for (size_t i = 0; i < paths.count; i++)
        if (!*out || version_of_name(paths.items[i]) >= version_of_name(*out))
            *out = paths.items[i];
    if (*out)
        return STATUS_OK;
    return status_hint(
        status_new(STATUS_KIND_NOT_FOUND, "\"%s\" has no metadata of an Iceberg table", root),
        "an Iceberg table is a folder that has metadata/*.metadata.json");
}

/* The file that the hint names, if there is one. */
static status hinted_metadata(arena *a, const char *root, const char **out)
{
    static const char *const names[] = {"v%s.metadata.json", "v%s.gz.metadata.json",
                                        "v%s.metadata.json.gz", "%s.metadata.json", "%s"};
    char *text;
    size_t bytes;
    file_version any;
    *out = NULL;
    const char *hint = arena_format(a, "%s/metadata/version-hint.text", root);
    if (!hint)
        return status_no_memory("lake", strlen(root));
    status st = file_version_of_path(hint, &any) ? lake_read(a, hint, &text, &bytes)
                                                 : status_new(STATUS_KIND_NOT_FOUND, "none");
    if (st) {
        status_free(st);
        return STATUS_OK;
    }
    text[strcspn(text, " \r\n\t/")] = 0;
    for (size_t i = 0; *text && i < sizeof names / sizeof *names; i++) {
        const char *mark = strchr(names[i], '%');
        const char *path = arena_format(a, "%s/metadata/%.*s%s%s", root, (int)(mark - names[i]),
                                        names[i], text, mark + 2);
        if (!path)
            return status_no_memory("lake", strlen(root));
        if (file_version_of_path(path, &any)) {
            *out = path;
            return STATUS_OK;
        }
    }
    return STATUS_OK;
}

/* The path may be a metadata file itself: its table's folder is two levels up. */
status iceberg_find_metadata(arena *a, const char *path, const char **out_root, const char **out)
{
    *out_root = path;
    if (has_metadata_name(lake_name_of(path))) {
        const char *end = lake_name_of(path);
        for (int i = 0; i < 2 && end > path; i++)
            for (end--; end > path && end[-1] != '/' && *end != '/';)
                end--;
        while (end > path && end[-1] == '/')
            end--;
        *out_root = end > path ? arena_copy_text(a, path, (size_t)(end - path)) : ".";
        *out = path;
        return *out_root ? STATUS_OK : status_no_memory("lake", strlen(path));
    }
    TRY(hinted_metadata(a, path, out));
    return *out ? STATUS_OK : newest_metadata(a, path, out);
}

/* ---- reading ---- */

static status free_later(arena *a, char *text)
{
    status st = arena_on_free(a, mem_free, text);
    if (st)
        mem_free(text);
    return st;
}

static status check_version(iceberg_metadata *m)
{
    if (!lake_json_int(m->json, "format-version", &m->version))
        return status_new(STATUS_KIND_CORRUPT,
                          "file \"%s\" is not the metadata of an Iceberg table", m->path);
    if (m->version < 1 || m->version > 3)
        return status_new(
            STATUS_KIND_UNSUPPORTED,
            "Iceberg table \"%s\" is of format version %lld; versions 1 to 3 are read", m->name,
            (long long)m->version);
    return STATUS_OK;
}

static status parse_metadata(iceberg_metadata *m)
{
    char *text, *plain;
    size_t bytes, at = 0;
    TRY(lake_read(m->memory, m->path, &text, &bytes));
    if (bytes > 2 && (uint8_t)text[0] == 0x1f && (uint8_t)text[1] == 0x8b) {
        TRY(status_context(
            codec_unpack(UNPACK_GZIP, text, bytes, LAKE_FILE_BYTES_MAX, &plain, &bytes),
            "file \"%s\"", m->path));
        TRY(free_later(m->memory, plain));
        text = plain;
    }
    TRY(lake_json(m->memory, m->path, text, bytes, &at, &m->json));
    return check_version(m);
}

/* ---- snapshots ---- */

static yyjson_val *snapshot_of_id(const iceberg_metadata *m, int64_t id)
{
    yyjson_arr_iter iter;
    yyjson_val *snapshot;
    int64_t found;
    yyjson_arr_iter_init(yyjson_obj_get(m->json, "snapshots"), &iter);
    while ((snapshot = yyjson_arr_iter_next(&iter)))
        if (lake_json_int(snapshot, "snapshot-id", &found) && found == id)
            return snapshot;
    return NULL;
}

/* The snapshot that was current at the time, by the log of snapshots, else by their own times. */
static bool id_of_time(const iceberg_metadata *m, int64_t time, int64_t *out)
{
    static const char *const lists[] = {"snapshot-log", "snapshots"};
    int64_t best = INT64_MIN;
    bool has_any = false;
    for (size_t i = 0; i < 2 && !has_any; i++) {
        yyjson_arr_iter iter;
        yyjson_val *item;
        int64_t at, id;
        yyjson_arr_iter_init(yyjson_obj_get(m->json, lists[i]), &iter);
        while ((item = yyjson_arr_iter_next(&iter)))
            if (lake_json_int(item, "timestamp-ms", &at) &&
                lake_json_int(item, "snapshot-id", &id) && at <= INT64_MAX / 1000 &&
                at * 1000 <= time && at >= best) {
                best = at;
                *out = id;
                has_any = true;
            }
    }
    return has_any;
}

static status expired(const iceberg_metadata *m, int64_t id)
{
    return status_hint(status_new(STATUS_KIND_NOT_FOUND,
                                  "Iceberg table \"%s\" has no snapshot %lld: it has expired, or "
                                  "never was",
                                  m->name, (long long)id),
                       "file \"%s\" lists the snapshots that are there", m->path);
}

static status choose_snapshot(iceberg_metadata *m, const lake_request *request)
{
    int64_t id = -1;
    yyjson_val *current = yyjson_obj_get(m->json, "current-snapshot-id");
    bool has_id = lake_json_int(m->json, "current-snapshot-id", &id) && id != -1;
    if (current && !yyjson_is_null(current) && !yyjson_is_int(current))
        return status_new(STATUS_KIND_CORRUPT,
                          "file \"%s\" has a current snapshot that is not a number", m->path);
    if (request->has_version) {
        id = request->version;
        has_id = true;
    } else if (request->has_time) {
        if (!id_of_time(m, request->time, &id))
            return status_new(STATUS_KIND_NOT_FOUND,
                              "Iceberg table \"%s\" has no snapshot of that time or before",
                              m->name);
        has_id = true;
    }
    if (!has_id)
        return STATUS_OK;
    m->snapshot_id = id;
    m->is_past = request->has_version || request->has_time;
    m->snapshot = snapshot_of_id(m, id);
    return m->snapshot ? STATUS_OK : expired(m, id);
}

/* ---- partition specs ---- */

static iceberg_field field_of(yyjson_val *from)
{
    static const struct {
        const char *name;
        iceberg_transform transform;
    } known[] = {{"identity", ICEBERG_IDENTITY},  {"bucket[", ICEBERG_BUCKET},
                 {"truncate[", ICEBERG_TRUNCATE}, {"year", ICEBERG_YEAR},
                 {"month", ICEBERG_MONTH},        {"day", ICEBERG_DAY},
                 {"hour", ICEBERG_HOUR}};
    const char *text = lake_json_text(from, "transform");
    iceberg_field f = {.transform = ICEBERG_VOID};
    int64_t number = 0;
    if (lake_json_int(from, "source-id", &number))
        f.source_id = (int32_t)number;
    if (lake_json_int(from, "field-id", &number))
        f.field_id = (int32_t)number;
    for (size_t i = 0; text && i < sizeof known / sizeof *known; i++) {
        size_t bytes = strlen(known[i].name);
        bool has_parameter = known[i].name[bytes - 1] == '[';
        if (has_parameter ? !strncmp(text, known[i].name, bytes) : !strcmp(text, known[i].name)) {
            f.transform = known[i].transform;
            f.parameter = has_parameter ? strtoll(text + bytes, NULL, 10) : 0;
        }
    }
    return f;
}

static status add_spec(iceberg_metadata *m, int64_t id, yyjson_val *fields)
{
    yyjson_arr_iter iter;
    yyjson_val *field;
    iceberg_spec spec = {.id = id};
    yyjson_arr_iter_init(fields, &iter);
    while ((field = yyjson_arr_iter_next(&iter)))
        TRY(array_push(m->memory, &spec.fields, field_of(field)));
    return array_push(m->memory, &m->specs, spec);
}

/* Format version 1 may have one spec, without a number. */
static status add_specs(iceberg_metadata *m)
{
    yyjson_arr_iter iter;
    yyjson_val *spec;
    yyjson_val *list = yyjson_obj_get(m->json, "partition-specs");
    if (!list)
        return add_spec(m, 0, yyjson_obj_get(m->json, "partition-spec"));
    yyjson_arr_iter_init(list, &iter);
    while ((spec = yyjson_arr_iter_next(&iter))) {
        int64_t id = 0;
        lake_json_int(spec, "spec-id", &id);
        TRY(add_spec(m, id, yyjson_obj_get(spec, "fields")));
    }
    return STATUS_OK;
}

const iceberg_spec *iceberg_find_spec(const iceberg_metadata *m, int64_t id)
{
    for (size_t i = 0; i < m->specs.count; i++)
        if (m->specs.items[i].id == id)
            return &m->specs.items[i];
    return NULL;
}

/* Takes the metadata that a catalog has told. The table is where they say. */
static status take_rest(const lake_request *request, iceberg_metadata *out)
{
    const rest_table *rest = request->rest;
    out->rest = rest;
    out->store = rest->store;
    out->name = rest->name;
    out->path = rest->location;
    out->json = rest->metadata;
    out->location = lake_json_text(out->json, "location");
    if (!out->location)
        return status_new(STATUS_KIND_CORRUPT, "table \"%s\" has no location in its metadata",
                          rest->name);
    out->root = lake_path(out->memory, "", out->location, false);
    if (!out->root)
        return status_no_memory("lake", strlen(out->location));
    TRY(check_version(out));
    TRY(choose_snapshot(out, request));
    return add_specs(out);
}

status iceberg_read_metadata(arena *a, const lake_request *request, iceberg_metadata *out)
{
    *out = (iceberg_metadata){.memory = a};
    if (request->rest)
        return take_rest(request, out);
    TRY(iceberg_find_metadata(a, request->path, &out->root, &out->path));
    out->root = arena_copy_text(a, out->root, strlen(out->root));
    out->path = arena_copy_text(a, out->path, strlen(out->path));
    if (!out->root || !out->path)
        return status_no_memory("lake", strlen(request->path));
    out->name = lake_name_of(out->root);
    TRY(parse_metadata(out));
    out->location = lake_json_text(out->json, "location");
    TRY(choose_snapshot(out, request));
    return add_specs(out);
}

/* ---- columns ---- */

static bool find_type(const char *name, data_type *out)
{
    static const struct {
        const char *name;
        type_id id;
        uint8_t precision;
    } types[] = {{"boolean", TYPE_BOOL, 0},
                 {"int", TYPE_INT32, 0},
                 {"long", TYPE_INT64, 0},
                 {"float", TYPE_FLOAT, 0},
                 {"double", TYPE_DOUBLE, 0},
                 {"date", TYPE_DATE, 0},
                 {"time", TYPE_TIME, 0},
                 {"timestamp", TYPE_TIMESTAMP, 0},
                 {"timestamptz", TYPE_TIMESTAMP_TZ, 0},
                 {"timestamp_ns", TYPE_TIMESTAMP, 9},
                 {"timestamptz_ns", TYPE_TIMESTAMP_TZ, 9},
                 {"string", TYPE_VARCHAR, 0},
                 {"uuid", TYPE_UUID, 0},
                 {"binary", TYPE_BLOB, 0}};
    unsigned precision, scale;
    int end = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(name, types[i].name)) {
            *out = type_make(types[i].id);
            out->precision = types[i].precision ? types[i].precision : out->precision;
            return true;
        }
    if (!strncmp(name, "fixed[", 6)) {
        *out = type_make(TYPE_BLOB);
        return true;
    }
    if (sscanf(name, "decimal(%u,%u)%n", &precision, &scale, &end) != 2 &&
        sscanf(name, "decimal(%u, %u)%n", &precision, &scale, &end) != 2)
        return false;
    if (!end || name[end] || precision < 1 || precision > 38 || scale > precision)
        return false;
    *out = type_decimal(precision, scale);
    return true;
}

typedef ARRAY(const char *) name_list;

/* The names that the mapping gives to a field id, in fields of fields, too. */
static status add_mapped_names(iceberg_metadata *m, yyjson_val *mapping, int32_t wanted,
                               name_list *out)
{
    yyjson_arr_iter fields, names;
    yyjson_val *field, *name;
    int64_t id;
    TRY(guard_check());
    yyjson_arr_iter_init(mapping, &fields);
    while ((field = yyjson_arr_iter_next(&fields))) {
        TRY(add_mapped_names(m, yyjson_obj_get(field, "fields"), wanted, out));
        if (!lake_json_int(field, "field-id", &id) || id != wanted)
            continue;
        yyjson_arr_iter_init(yyjson_obj_get(field, "names"), &names);
        while ((name = yyjson_arr_iter_next(&names)))
            if (yyjson_is_str(name))
                TRY(array_push(m->memory, out, yyjson_get_str(name)));
    }
    return STATUS_OK;
}

/* The source of a schema's fields. */
typedef struct field_source {
    iceberg_metadata *metadata;
    yyjson_val *mapping; /* NULL: files without ids have the fields' names */
} field_source;

/* Sets name, id and stored names. */
static status read_field(void *context, yyjson_val *field, pq_given_node *out)
{
    const field_source *s = context;
    int64_t id = 0;
    name_list names = {0};
    yyjson_val *initial = yyjson_obj_get(field, "initial-default");
    out->name = lake_json_text(field, "name");
    if (!out->name || !lake_json_int(field, "id", &id) || id < 1 || id > INT32_MAX)
        return status_new(STATUS_KIND_CORRUPT,
                          "file \"%s\" has a field without a name or an id in its schema",
                          s->metadata->path);
    out->field_id = (int32_t)id;
    out->has_default = initial && !yyjson_is_null(initial);
    if (s->mapping)
        TRY(add_mapped_names(s->metadata, s->mapping, out->field_id, &names));
    else
        TRY(array_push(s->metadata->memory, &names, out->name));
    out->stored.items = names.items;
    out->stored.count = names.count;
    out->stored.capacity = names.capacity;
    return STATUS_OK;
}

/* Reads the digits of bytes, two for each. False: the text is not of that form. */
static bool iceberg_metadata_read_digits(arena *a, const char *text, value *out)
{
    size_t bytes = strlen(text) / 2;
    char *made = arena_alloc(a, bytes + 1), pair[3] = "";
    if (!made || strlen(text) % 2)
        return false;
    for (size_t i = 0; i < bytes; i++) {
        memcpy(pair, text + 2 * i, 2);
        if (!isxdigit((unsigned char)pair[0]) || !isxdigit((unsigned char)pair[1]))
            return false;
        made[i] = (char)strtoul(pair, NULL, 16);
    }
    *out = value_text(made, bytes);
    return true;
}

/* Reads a default as Iceberg's JSON has it: bytes are digits. */
static bool read_default(arena *a, yyjson_val *from, data_type type, value *out)
{
    if (type.id != TYPE_BLOB || !yyjson_is_str(from))
        return lake_json_value(a, from, type, out);
    bool is_right = iceberg_metadata_read_digits(a, yyjson_get_str(from), out);
    out->type = type;
    return is_right;
}

static status add_column(iceberg_metadata *m, yyjson_val *mapping, yyjson_val *field,
                         pq_given *given)
{
    field_source source = {m, mapping};
    const lake_schema_form form = {"list",    "element",  "key",  "value",
                                   find_type, read_field, &source};
    const pq_given_node *node;
    pq_given_column column;
    TRY(lake_nested_column(m->memory, &form, field, &column, &node));
    yyjson_val *initial = yyjson_obj_get(field, "initial-default");
    if (node->has_default && !column.is_nested && !column.node &&
        !read_default(m->memory, initial, column.type, &column.missing))
        return status_new(STATUS_KIND_CORRUPT,
                          "file \"%s\" has a default for column \"%s\" that is not of its type",
                          m->path, node->name);
    return array_push(m->memory, &given->columns, column);
}

/* The current schema, or that of a snapshot that was asked for. */
static yyjson_val *schema_of(const iceberg_metadata *m)
{
    int64_t id, found;
    yyjson_arr_iter iter;
    yyjson_val *schema;
    bool has_id = (m->is_past && lake_json_int(m->snapshot, "schema-id", &id)) ||
                  lake_json_int(m->json, "current-schema-id", &id);
    yyjson_arr_iter_init(yyjson_obj_get(m->json, "schemas"), &iter);
    while (has_id && (schema = yyjson_arr_iter_next(&iter)))
        if (lake_json_int(schema, "schema-id", &found) && found == id)
            return schema;
    return yyjson_obj_get(m->json, "schema");
}

/* The mapping is JSON in a text among the table's properties. */
static status read_mapping(iceberg_metadata *m, yyjson_val **out)
{
    size_t at = 0;
    const char *text =
        lake_json_text(yyjson_obj_get(m->json, "properties"), "schema.name-mapping.default");
    *out = NULL;
    if (!text)
        return STATUS_OK;
    char *copy = arena_copy_text(m->memory, text, strlen(text));
    if (!copy)
        return status_no_memory("lake", strlen(text));
    return status_context(lake_json(m->memory, m->path, copy, strlen(copy), &at, out),
                          "schema.name-mapping.default");
}

status iceberg_add_columns(iceberg_metadata *m, pq_given *given)
{
    yyjson_val *mapping, *field;
    yyjson_arr_iter iter;
    TRY(read_mapping(m, &mapping));
    yyjson_arr_iter_init(yyjson_obj_get(schema_of(m), "fields"), &iter);
    while ((field = yyjson_arr_iter_next(&iter)))
        TRY(add_column(m, mapping, field, given));
    if (given->columns.count)
        return STATUS_OK;
    return status_new(STATUS_KIND_CORRUPT, "file \"%s\" has no schema with columns", m->path);
}

/* ---- paths ---- */

/* Returns how many bytes two paths have in common, up to a slash behind it. */
static size_t common_folders(const char *a, const char *b)
{
    size_t common = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        common = a[i] == '/' ? i + 1 : common;
    return common;
}

/* A relative path is one below the folder that the writer worked in. It is taken from there that it has in common with
 * the table's location, else from the table's own folder on. */
static const char *place_relative(iceberg_metadata *m, const char *path)
{
    static const char *const own[] = {"/metadata/", "/data/"};
    size_t common = m->location ? common_folders(path, m->location) : 0;
    const char *up = "";
    if (common) {
        for (const char *c = m->location + common; c;
             c = strchr(c, '/') ? strchr(c, '/') + 1 : NULL)
            up = up ? arena_format(m->memory, "%s/..", up) : NULL;
        return up ? arena_format(m->memory, "%s%s/%s", m->root, up, path + common) : NULL;
    }
    for (size_t i = 0; i < 2; i++) {
        const char *found = strstr(path, own[i]);
        if (found)
            return arena_format(m->memory, "%s%s", m->root, found);
    }
    return lake_path(m->memory, m->root, path, false);
}

const char *iceberg_path(iceberg_metadata *m, const char *path)
{
    size_t bytes = m->location ? strlen(m->location) : 0;
    while (bytes && m->location[bytes - 1] == '/')
        bytes--;
    if (bytes && !strncmp(path, m->location, bytes) && path[bytes] == '/') {
        const char *rest = path + bytes;
        rest += strspn(rest, "/");
        return arena_format(m->memory, "%s/%s", m->root, rest);
    }
    return *path == '/' || strchr(path, ':') ? lake_path(m->memory, m->root, path, false)
                                             : place_relative(m, path);
}
