/* delta.c - a log's state as a table that is told: columns of the schema, files with values and bounds. */
#include "lake/delta/delta.h"

#include "lake/delta/delta_log.h"
#include "lake/delta/delta_state.h"
#include "lake/delta/delta_vector.h"
#include "lake/log/lake_nested.h"
#include "lake/log/lake_text.h"

#include <strings.h>

/* The context of the pq_given. */
typedef struct delta_source {
    const char *root;
    int64_t version;
} delta_source;

/* ---- columns ---- */

static bool find_type(const char *name, data_type *out)
{
    static const struct {
        const char *name;
        type_id id;
    } types[] = {{"string", TYPE_VARCHAR},
                 {"long", TYPE_INT64},
                 {"integer", TYPE_INT32},
                 {"short", TYPE_INT16},
                 {"byte", TYPE_INT8},
                 {"float", TYPE_FLOAT},
                 {"double", TYPE_DOUBLE},
                 {"boolean", TYPE_BOOL},
                 {"binary", TYPE_BLOB},
                 {"date", TYPE_DATE},
                 {"timestamp", TYPE_TIMESTAMP_TZ},
                 {"timestamp_ntz", TYPE_TIMESTAMP}};
    unsigned precision, scale;
    int end = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(name, types[i].name)) {
            *out = type_make(types[i].id);
            return true;
        }
    if (sscanf(name, "decimal(%u,%u)%n", &precision, &scale, &end) != 2 || !end || name[end] ||
        precision < 1 || precision > 38 || scale > precision)
        return false;
    *out = type_decimal(precision, scale);
    return true;
}

static bool is_partition(const delta_state *s, const char *name)
{
    for (size_t i = 0; i < s->partition_columns.count; i++)
        if (!strcasecmp(s->partition_columns.items[i], name))
            return true;
    return false;
}

/* Sets name, id and the name that files have. */
static status read_delta_field(void *context, yyjson_val *field, pq_given_node *out)
{
    delta_state *s = context;
    yyjson_val *metadata = yyjson_obj_get(field, "metadata");
    const char *physical = lake_json_text(metadata, "delta.columnMapping.physicalName");
    const char *mode = delta_configuration(s, "delta.columnMapping.mode");
    bool is_mapped = mode && strcmp(mode, "none") != 0;
    int64_t id = 0;
    out->name = lake_json_text(field, "name");
    if (!out->name)
        return status_new(STATUS_KIND_CORRUPT,
                          "the schema of Delta table \"%s\" has a field "
                          "without a name",
                          s->name);
    lake_json_int(metadata, "delta.columnMapping.id", &id);
    out->field_id = id > 0 && id <= INT32_MAX ? (int32_t)id : 0;
    return array_push(s->memory, &out->stored, is_mapped && physical ? physical : out->name);
}

static status add_delta_column(delta_state *s, pq_given *given, yyjson_val *field)
{
    const lake_schema_form form = {"array",   "elementType",    "keyType", "valueType",
                                   find_type, read_delta_field, s};
    const pq_given_node *node;
    pq_given_column column;
    TRY(lake_nested_column(s->memory, &form, field, &column, &node));
    column.is_key = !column.is_nested && !column.node && is_partition(s, node->name);
    return array_push(s->memory, &given->columns, column);
}

static status add_delta_columns(delta_state *s, pq_given *given)
{
    yyjson_val *schema, *field;
    yyjson_arr_iter iter;
    size_t at = 0, bytes = strlen(s->schema);
    const char *mode = delta_configuration(s, "delta.columnMapping.mode");
    char *text = arena_copy_text(s->memory, s->schema, bytes);
    if (!text)
        return status_no_memory("lake", bytes);
    TRY(status_context(lake_json(s->memory, s->root, text, bytes, &at, &schema),
                       "schema of Delta table \"%s\"", s->name));
    given->wants_ids = mode && !strcmp(mode, "id");
    yyjson_arr_iter_init(yyjson_obj_get(schema, "fields"), &iter);
    while ((field = yyjson_arr_iter_next(&iter)))
        TRY(add_delta_column(s, given, field));
    if (given->columns.count)
        return STATUS_OK;
    return status_new(STATUS_KIND_CORRUPT, "the schema of Delta table \"%s\" has no columns",
                      s->name);
}

/* ---- values of partitions ---- */

static const delta_pair *find_pair(const delta_pair_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcasecmp(list->items[i].name, name))
            return &list->items[i];
    return NULL;
}

static status delta_add_constant(delta_state *s, const delta_action *add,
                                 const pq_given_column *column, const value **out)
{
    const delta_pair *pair = find_pair(&add->partition, column->stored.items[0]);
    value *v = arena_alloc(s->memory, sizeof *v);
    if (!v)
        return status_no_memory("lake", sizeof *v);
    *out = v;
    *v = value_null(column->type);
    if (!pair || !pair->value || !*pair->value)
        return STATUS_OK;
    if (lake_text_value(s->memory, pair->value, column->type, v))
        return STATUS_OK;
    return status_new(STATUS_KIND_CORRUPT,
                      "the log of Delta table \"%s\" gives file \"%s\" the value \"%s\" of column "
                      "\"%s\", which is not of its type",
                      s->name, add->path, pair->value, column->name);
}

static status add_constants(delta_state *s, const pq_given *given, const delta_action *add,
                            pq_given_file *f)
{
    const value **constants =
        arena_alloc_array(s->memory, given->columns.count + 1, sizeof *constants);
    if (!constants)
        return status_no_memory("lake", given->columns.count * sizeof *constants);
    for (size_t i = 0; i < given->columns.count; i++)
        if (given->columns.items[i].is_key)
            TRY(delta_add_constant(s, add, &given->columns.items[i], &constants[i]));
    f->constants = constants;
    return STATUS_OK;
}

/* ---- statistics ---- */

/* Text is cut, times to milliseconds: the greatest is at most so much more. */
static void widen_maximum(value *v)
{
    if (v->type.id == TYPE_TIMESTAMP || v->type.id == TYPE_TIMESTAMP_TZ)
        v->i64 = v->i64 > INT64_MAX - 999 ? INT64_MAX : v->i64 + 999;
}

static pq_statistics bounds_of_column(arena *a, yyjson_val *stats, const pq_given_column *column)
{
    const char *name = column->stored.items[0];
    pq_statistics s = {.null_count = -1, .distinct_count = -1};
    yyjson_val *least = yyjson_obj_get(yyjson_obj_get(stats, "minValues"), name);
    yyjson_val *greatest = yyjson_obj_get(yyjson_obj_get(stats, "maxValues"), name);
    if (column->is_nested || column->node || column->type.id == TYPE_BLOB)
        return s;
    s.has_min = least && lake_json_value(a, least, column->type, &s.min);
    s.has_max = greatest && lake_json_value(a, greatest, column->type, &s.max);
    if (s.has_max)
        widen_maximum(&s.max);
    lake_json_int(yyjson_obj_get(stats, "nullCount"), name, &s.null_count);
    return s;
}

/* Statistics that cannot be read tell nothing. */
static status delta_add_bounds(delta_state *s, const pq_given *given, const delta_action *add,
                               pq_given_file *f)
{
    yyjson_val *stats;
    size_t at = 0, bytes = add->stats ? strlen(add->stats) : 0;
    f->row_count = -1;
    if (!bytes)
        return STATUS_OK;
    char *text = arena_copy_text(s->memory, add->stats, bytes);
    pq_statistics *bounds = arena_alloc_array(s->memory, given->columns.count + 1, sizeof *bounds);
    if (!text || !bounds)
        return status_no_memory("lake", bytes);
    status st = lake_json(s->memory, add->path, text, bytes, &at, &stats);
    if (st) {
        status_free(st);
        return STATUS_OK;
    }
    if (!lake_json_int(stats, "numRecords", &f->row_count) || f->row_count < 0)
        f->row_count = -1;
    for (size_t i = 0; i < given->columns.count; i++)
        bounds[i] = bounds_of_column(s->memory, stats, &given->columns.items[i]);
    f->facts.bounds = bounds;
    return STATUS_OK;
}

/* ---- files ---- */

static status add_delta_file(delta_state *s, pq_given *given, const delta_action *add)
{
    pq_given_file f = {.path = lake_path(s->memory, s->root, add->path, true)};
    delta_vector *vector = arena_alloc(s->memory, sizeof *vector);
    if (!f.path || !vector)
        return status_no_memory("lake", strlen(add->path));
    *vector = add->vector;
    f.deletes = vector;
    f.has_deleted = vector->storage != NULL;
    given->has_deleted |= f.has_deleted;
    f.deleted_count = f.has_deleted ? vector->cardinality : 0;
    TRY(add_constants(s, given, add, &f));
    TRY(delta_add_bounds(s, given, add, &f));
    return array_push(s->memory, &given->files, f);
}

static status load_delta(pq_deletes *deletes, const pq_given_file *f, arena *a,
                         pq_deleted_rows *out)
{
    const delta_source *source = pq_deletes_given(deletes)->context;
    return delta_vector_read(deletes, a, source->root, f->deletes, out);
}

status delta_make_given(delta_state *s, pq_given **out)
{
    pq_given *given = arena_alloc(s->memory, sizeof *given);
    delta_source *source = arena_alloc(s->memory, sizeof *source);
    if (!given || !source)
        return status_no_memory("lake", sizeof *given);
    *source = (delta_source){s->root, s->version};
    given->context = source;
    given->load_deleted = load_delta;
    given->what = arena_format(s->memory, "version %lld of Delta table \"%s\"",
                               (long long)s->version, s->name);
    if (!given->what)
        return status_no_memory("lake", strlen(s->name));
    TRY(add_delta_columns(s, given));
    for (size_t i = 0; i < s->actions.count; i++)
        if (!s->actions.items[i].is_removed)
            TRY(add_delta_file(s, given, &s->actions.items[i]));
    *out = given;
    return STATUS_OK;
}

status delta_read(arena *a, const lake_request *request, pq_given **out)
{
    delta_state s = {.memory = a};
    *out = NULL;
    s.root = arena_copy_text(a, request->path, strlen(request->path));
    if (!s.root)
        return status_no_memory("lake", strlen(request->path));
    s.name = lake_name_of(s.root);
    TRY(delta_log_read(&s, request));
    return delta_make_given(&s, out);
}

int64_t delta_version(const pq_given *given)
{
    return ((const delta_source *)given->context)->version;
}

bool delta_is_current(arena *scratch, const lake_request *request, const pq_given *given)
{
    const delta_source *source = given->context;
    file_version any;
    if (request->has_version)
        return true;
    const char *next = arena_format(scratch, "%s/_delta_log/%020lld.json", request->path,
                                    (long long)source->version + 1);
    return next && !file_version_of_path(next, &any);
}
