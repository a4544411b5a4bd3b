/* iceberg_files.c - manifest lists and manifests to files, each with bounds from statistics and partitions.
 *
 * A manifest of data files is a part of the table (pq_given_part): read when a statement first wants it, and kept. Those
 * of deletes are read at once. */
#include "lake/iceberg/iceberg_files.h"

#include "base/system/mutex.h"
#include "lake/iceberg/iceberg_deletes.h"
#include "lake/iceberg/iceberg_value.h"
#include "lake/log/avro.h"

#include <pthread.h>
#include <strings.h>

enum { STATUS_DELETED = 2 };
enum { POSITIONS_PATH = 2147483546 }; /* the field id of file_path in files of positions */
enum { CONTENT_DATA, CONTENT_POSITIONS, CONTENT_EQUALITY };

typedef struct manifest {
    const char *path;
    int64_t spec_id, sequence;
    bool is_of_deletes;
    /* The content of one of data files, once it is read; the lock guards both. */
    pthread_mutex_t lock;
    arena *memory;
    pq_given_file_list *files;
} manifest;

/* A data file before it is known which deletes concern it. */
typedef struct data_file {
    pq_given_file told;
    const char *path; /* as the manifest calls it */
    int64_t sequence, spec_id;
    const char *partition;
} data_file;

/* The source of a table, as long as it is open. */
typedef struct iceberg_source {
    iceberg_metadata *metadata;
    ARRAY(manifest *) manifests, data_manifests;
    iceberg_delete_list deletes;
} iceberg_source;

typedef struct file_reader {
    iceberg_metadata *metadata; /* in whose arena everything is made */
    const pq_given *given;
    const manifest *manifest;
    const iceberg_spec *spec;
    ARRAY(data_file) data;
    iceberg_delete_list *deletes; /* those that were found, or, of data files, all */
} file_reader;

static status no_lake_memory(void)
{
    return status_no_memory("lake", sizeof(data_file));
}

static status read_avro_file(iceberg_metadata *m, const char *path, avro_taker take, void *context)
{
    arena *scratch;
    char *bytes;
    size_t count;
    const char *place = iceberg_path(m, path);
    if (!place)
        return no_lake_memory();
    TRY(arena_new(&scratch));
    status st = lake_read(scratch, place, &bytes, &count);
    if (!st)
        st = status_context(avro_read(bytes, count, take, context), "file \"%s\"", place);
    arena_free(scratch);
    return st;
}

/* ---- bounds ---- */

static int iceberg_files_column_of_id(const pq_given *given, int64_t id)
{
    for (size_t i = 0; i < given->columns.count; i++)
        if (given->columns.items[i].field_id == id)
            return (int)i;
    return -1;
}

/* The map is an array of records of key and value, or a map of Avro's with texts as keys, which manifests do not have. */
static void take_bounds(const file_reader *r, const avro_value *map, bool is_minimum,
                        pq_statistics *bounds)
{
    for (size_t i = 0; map && map->kind == AVRO_ARRAY && i < map->item_count; i++) {
        const avro_value *pair = &map->items[i];
        if (pair->kind != AVRO_RECORD || pair->item_count != 2 || pair->items[0].kind != AVRO_INT ||
            pair->items[1].kind != AVRO_BYTES)
            continue;
        int column = iceberg_files_column_of_id(r->given, pair->items[0].number);
        if (column < 0 || r->given->columns.items[column].is_nested)
            continue;
        pq_statistics *s = &bounds[column];
        value v;
        if (!iceberg_value_of_bytes(r->metadata->memory, pair->items[1].bytes,
                                    pair->items[1].byte_count, r->given->columns.items[column].type,
                                    &v))
            continue;
        *(is_minimum ? &s->min : &s->max) = v;
        *(is_minimum ? &s->has_min : &s->has_max) = true;
    }
}

static void take_null_counts(const file_reader *r, const avro_value *map, pq_statistics *bounds)
{
    for (size_t i = 0; map && map->kind == AVRO_ARRAY && i < map->item_count; i++) {
        const avro_value *pair = &map->items[i];
        int column = pair->kind == AVRO_RECORD && pair->item_count == 2 &&
                             pair->items[0].kind == AVRO_INT && pair->items[1].kind == AVRO_INT
                         ? iceberg_files_column_of_id(r->given, pair->items[0].number)
                         : -1;
        if (column >= 0)
            bounds[column].null_count = pair->items[1].number;
    }
}

/* The bound in bytes of a field; NULL: there is none. */
static const avro_value *bound_of_id(const avro_value *map, int64_t id)
{
    for (size_t i = 0; map && map->kind == AVRO_ARRAY && i < map->item_count; i++) {
        const avro_value *pair = &map->items[i];
        if (pair->kind == AVRO_RECORD && pair->item_count == 2 && pair->items[0].kind == AVRO_INT &&
            pair->items[1].kind == AVRO_BYTES && pair->items[0].number == id)
            return &pair->items[1];
    }
    return NULL;
}

/* ---- partitions ---- */

/* Writes the partition's values, for comparing: two files of one spec are in one partition if these texts are equal. */
static status partition_text(arena *a, const avro_value *partition, const char **out)
{
    size_t count = partition && partition->kind == AVRO_RECORD ? partition->item_count : 0;
    *out = "";
    for (size_t i = 0; i < count && *out; i++) {
        const avro_value *v = &partition->items[i];
        if (v->kind == AVRO_NULL)
            *out = arena_format(a, "%s,null", *out);
        else if (v->kind == AVRO_BYTES) {
            char *hex = arena_alloc(a, 2 * v->byte_count + 1);
            for (size_t b = 0; hex && b < v->byte_count; b++)
                snprintf(hex + 2 * b, 3, "%02x", v->bytes[b]);
            *out = hex ? arena_format(a, "%s,x%s", *out, hex) : NULL;
        } else if (v->kind == AVRO_FLOAT || v->kind == AVRO_DOUBLE)
            *out = arena_format(a, "%s,%a", *out, v->real);
        else
            *out = arena_format(a, "%s,%lld", *out, (long long)v->number);
    }
    return *out ? STATUS_OK : no_lake_memory();
}

/* The value that all rows have, if the file does not store the column. */
static status add_identity(file_reader *r, int column, const avro_value *v, pq_given_file *f)
{
    arena *a = r->metadata->memory;
    const pq_given_column *c = &r->given->columns.items[column];
    value *made = arena_alloc(a, sizeof *made);
    const value **constants = (const value **)f->constants;
    if (!constants)
        constants = arena_alloc_array(a, r->given->columns.count + 1, sizeof *constants);
    if (!made || !constants)
        return no_lake_memory();
    *made = value_null(c->type);
    f->constants = constants;
    if (!v || iceberg_value_of_avro(a, v, c->type, made))
        constants[column] = made;
    return STATUS_OK;
}

static status add_bucket(arena *a, const iceberg_field *field, int column, int64_t first,
                         int64_t last, pq_told *facts)
{
    if (first < 0 || last >= field->parameter)
        return STATUS_OK;
    return array_push(a, &facts->buckets,
                      ((pq_bucket){(uint32_t)column, field->parameter, first, last}));
}

static status take_partition(file_reader *r, const avro_value *partition, data_file *f,
                             pq_statistics *bounds)
{
    arena *a = r->metadata->memory;
    TRY(partition_text(a, partition, &f->partition));
    for (size_t i = 0; r->spec && i < r->spec->fields.count; i++) {
        const iceberg_field *field = &r->spec->fields.items[i];
        const avro_value *v = avro_field(partition, field->field_id, "");
        int column = iceberg_files_column_of_id(r->given, field->source_id);
        if (column < 0 || r->given->columns.items[column].is_nested)
            continue;
        iceberg_narrow(a, field, v, r->given->columns.items[column].type, &bounds[column]);
        if (field->transform == ICEBERG_IDENTITY)
            TRY(add_identity(r, column, v, &f->told));
        if (field->transform == ICEBERG_BUCKET && v && v->kind == AVRO_INT)
            TRY(add_bucket(a, field, column, v->number, v->number, &f->told.facts));
    }
    return STATUS_OK;
}

/* ---- manifests ---- */

static status take_data(file_reader *r, const avro_value *file, data_file *f)
{
    arena *a = r->metadata->memory;
    size_t count = r->given->columns.count;
    pq_statistics *bounds = arena_alloc_array(a, count + 1, sizeof *bounds);
    if (!bounds)
        return no_lake_memory();
    for (size_t i = 0; i < count; i++)
        bounds[i].null_count = bounds[i].distinct_count = -1;
    take_bounds(r, avro_field(file, 125, "lower_bounds"), true, bounds);
    take_bounds(r, avro_field(file, 128, "upper_bounds"), false, bounds);
    take_null_counts(r, avro_field(file, 110, "null_value_counts"), bounds);
    TRY(take_partition(r, avro_field(file, 102, "partition"), f, bounds));
    f->told.facts.bounds = bounds;
    f->told.row_count = -1;
    avro_field_int(file, 103, "record_count", &f->told.row_count);
    return array_push(a, &r->data, *f);
}

/* Bounds of a file of positions that are equal name the one data file that it is of. */
static status take_target(const file_reader *r, const avro_value *file, iceberg_delete *d)
{
    const avro_value *low = bound_of_id(avro_field(file, 125, "lower_bounds"), POSITIONS_PATH);
    const avro_value *high = bound_of_id(avro_field(file, 128, "upper_bounds"), POSITIONS_PATH);
    if (!low || !high || low->byte_count != high->byte_count ||
        memcmp(low->bytes, high->bytes, low->byte_count) != 0)
        return STATUS_OK;
    d->target = arena_copy_text(r->metadata->memory, (const char *)low->bytes, low->byte_count);
    return d->target ? STATUS_OK : no_lake_memory();
}

static status take_deletes(file_reader *r, const avro_value *file, const data_file *f,
                           bool is_equality, const char *format)
{
    arena *a = r->metadata->memory;
    iceberg_delete d = {.path = f->told.path,
                        .is_equality = is_equality,
                        .is_puffin = !strcasecmp(format, "puffin"),
                        .sequence = f->sequence,
                        .spec_id = f->spec_id,
                        .row_count = -1,
                        .number = r->deletes->count};
    const iceberg_spec *spec = iceberg_find_spec(r->metadata, f->spec_id);
    d.is_global = spec && !spec->fields.count;
    const avro_value *ids = avro_field(file, 135, "equality_ids");
    TRY(partition_text(a, avro_field(file, 102, "partition"), &d.partition));
    d.target = avro_field_text(a, file, 143, "referenced_data_file");
    if (!d.target && !is_equality)
        TRY(take_target(r, file, &d));
    avro_field_int(file, 144, "content_offset", &d.offset);
    avro_field_int(file, 145, "content_size_in_bytes", &d.bytes);
    avro_field_int(file, 103, "record_count", &d.row_count);
    for (size_t i = 0; ids && ids->kind == AVRO_ARRAY && i < ids->item_count; i++)
        TRY(array_push(a, &d.ids, (int32_t)ids->items[i].number));
    return array_push(a, r->deletes, d);
}

static status refuse_format(const char *path, const char *format)
{
    return status_new(STATUS_KIND_UNSUPPORTED,
                      "data file \"%s\" is of format %s; Iceberg tables are read if their data is "
                      "Parquet",
                      path, format);
}

static status take_entry(void *context, const avro_value *record)
{
    file_reader *r = context;
    arena *a = r->metadata->memory;
    int64_t entry = 0, content = CONTENT_DATA;
    const avro_value *file = avro_field(record, 2, "data_file");
    avro_field_int(record, 0, "status", &entry);
    if (entry == STATUS_DELETED)
        return STATUS_OK;
    data_file f = {.path = avro_field_text(a, file, 100, "file_path"),
                   .sequence = r->manifest->sequence,
                   .spec_id = r->manifest->spec_id};
    const char *format = avro_field_text(a, file, 101, "file_format");
    if (!f.path || !format)
        return status_new(STATUS_KIND_CORRUPT, "an entry has no path or format in it");
    avro_field_int(record, 3, "sequence_number", &f.sequence);
    avro_field_int(file, 134, "content", &content);
    f.told.path = iceberg_path(r->metadata, f.path);
    if (!f.told.path)
        return no_lake_memory();
    if (strcasecmp(format, "parquet") != 0 &&
        (content == CONTENT_DATA || strcasecmp(format, "puffin")))
        return refuse_format(f.path, format);
    if ((content == CONTENT_DATA) == r->manifest->is_of_deletes)
        return status_new(STATUS_KIND_CORRUPT, "it has %s, which the manifest list does not say",
                          content == CONTENT_DATA ? "data files" : "files of deletes");
    if (content == CONTENT_DATA)
        return take_data(r, file, &f);
    return take_deletes(r, file, &f, content == CONTENT_EQUALITY, format);
}

static status read_manifest(file_reader *r, const manifest *from)
{
    r->manifest = from;
    r->spec = from->spec_id < 0 && r->metadata->specs.count
                  ? &r->metadata->specs.items[0]
                  : iceberg_find_spec(r->metadata, from->spec_id);
    return status_context(read_avro_file(r->metadata, from->path, take_entry, r),
                          "manifest of Iceberg table \"%s\"", r->metadata->name);
}

/* ---- deletes ---- */

/* Deletes by equal values concern rows that were there before, and of an unpartitioned spec all partitions; positions
 * those of the same sequence number, too. */
static bool concerns(const iceberg_delete *d, const data_file *f)
{
    bool is_same_partition = d->spec_id == f->spec_id && !strcmp(d->partition, f->partition);
    if (d->is_equality)
        return f->sequence < d->sequence && (is_same_partition || d->is_global);
    if (d->target)
        return f->sequence <= d->sequence && !strcmp(d->target, f->path);
    return f->sequence <= d->sequence && is_same_partition;
}

static status add_deletes(file_reader *r, data_file *f)
{
    arena *a = r->metadata->memory;
    iceberg_deletes_of *of = arena_alloc(a, sizeof *of);
    bool has_vector = false;
    if (!of)
        return no_lake_memory();
    of->path = f->path;
    of->row_count = f->told.row_count;
    of->sequence = f->sequence;
    for (size_t i = 0; i < r->deletes->count; i++)
        has_vector |= r->deletes->items[i].is_puffin && concerns(&r->deletes->items[i], f);
    for (size_t i = 0; i < r->deletes->count; i++) {
        const iceberg_delete *d = &r->deletes->items[i];
        /* A deletion vector has what older files of positions had. */
        if (concerns(d, f) && (d->is_equality || d->is_puffin || !has_vector))
            TRY(array_push(a, &of->list, d));
    }
    f->told.deletes = of;
    f->told.has_deleted = of->list.count > 0;
    f->told.deleted_count = f->told.has_deleted ? -1 : 0;
    return STATUS_OK;
}

/* ---- parts ---- */

/* The files of a manifest, in an arena of its own. */
static status fill_manifest(const pq_given *given, const iceberg_source *source, manifest *m)
{
    iceberg_metadata metadata = *source->metadata;
    iceberg_delete_list deletes = source->deletes;
    metadata.memory = m->memory;
    file_reader r = {.metadata = &metadata, .given = given, .deletes = &deletes};
    pq_given_file_list *files = arena_alloc(m->memory, sizeof *files);
    if (!files)
        return no_lake_memory();
    TRY(read_manifest(&r, m));
    TRY(array_reserve(m->memory, files, r.data.count + 1));
    for (size_t i = 0; i < r.data.count; i++) {
        TRY(add_deletes(&r, &r.data.items[i]));
        files->items[files->count++] = r.data.items[i].told;
    }
    m->files = files;
    return STATUS_OK;
}

/* With the lock held. */
static status load_manifest(const pq_given *given, const iceberg_source *source, manifest *m)
{
    if (m->files)
        return STATUS_OK;
    TRY(arena_new(&m->memory));
    status st = fill_manifest(given, source, m);
    if (st) {
        arena_free(m->memory);
        m->memory = NULL;
    }
    return st;
}

static status iceberg_files_load_part(const pq_given *given, size_t part,
                                      const pq_given_file_list **out)
{
    const iceberg_metadata *metadata = given->context;
    const iceberg_source *source = metadata->source;
    manifest *m = source->data_manifests.items[part];
    mutex_lock(&m->lock);
    status st = load_manifest(given, source, m);
    *out = m->files;
    mutex_unlock(&m->lock);
    return st;
}

static void free_manifest(void *object)
{
    manifest *m = object;
    arena_free(m->memory);
    mutex_destroy(&m->lock);
}

/* ---- manifest lists ---- */

typedef struct list_reader {
    iceberg_metadata *metadata;
    iceberg_source *source;
    pq_given *given;
} list_reader;

static status add_manifest(list_reader *r, const char *path, manifest **out)
{
    arena *a = r->metadata->memory;
    manifest *m = *out = arena_alloc(a, sizeof *m);
    if (!m)
        return no_lake_memory();
    m->path = path;
    m->spec_id = -1;
    mutex_init(&m->lock);
    status st = arena_on_free(a, free_manifest, m);
    if (st) {
        mutex_destroy(&m->lock);
        return st;
    }
    return array_push(a, &r->source->manifests, m);
}

/* The bounds that the list has of a partition's field say something of the column that it is made of. */
static status narrow_part(const list_reader *r, const iceberg_field *field,
                          const avro_value *summary, pq_statistics *bounds, pq_told *facts)
{
    int64_t first, last;
    int column = iceberg_files_column_of_id(r->given, field->source_id);
    const avro_value *low = avro_field(summary, 510, "lower_bound");
    const avro_value *high = avro_field(summary, 511, "upper_bound");
    if (column < 0 || r->given->columns.items[column].is_nested || !low || !high ||
        low->kind != AVRO_BYTES || high->kind != AVRO_BYTES)
        return STATUS_OK;
    if (field->transform == ICEBERG_BUCKET)
        return iceberg_number_of_bytes(low, &first) && iceberg_number_of_bytes(high, &last)
                   ? add_bucket(r->metadata->memory, field, column, first, last, facts)
                   : STATUS_OK;
    iceberg_narrow_between(r->metadata->memory, field, low, high,
                           r->given->columns.items[column].type, &bounds[column]);
    return STATUS_OK;
}

static status add_part(list_reader *r, const manifest *m, const avro_value *record)
{
    arena *a = r->metadata->memory;
    size_t count = r->given->columns.count;
    pq_given_part part = {.row_count = -1, .file_count = -1};
    const iceberg_spec *spec = iceberg_find_spec(r->metadata, m->spec_id);
    const avro_value *summaries = avro_field(record, 507, "partitions");
    pq_statistics *bounds = arena_alloc_array(a, count + 1, sizeof *bounds);
    int64_t added = 0, existing = 0;
    if (!bounds)
        return no_lake_memory();
    for (size_t i = 0; i < count; i++)
        bounds[i].null_count = bounds[i].distinct_count = -1;
    for (size_t i = 0; spec && summaries && summaries->kind == AVRO_ARRAY &&
                       i < summaries->item_count && i < spec->fields.count;
         i++)
        TRY(narrow_part(r, &spec->fields.items[i], &summaries->items[i], bounds, &part.facts));
    part.facts.bounds = bounds;
    if (avro_field_int(record, 512, "added_rows_count", &added) &&
        avro_field_int(record, 513, "existing_rows_count", &existing) && added >= 0 &&
        existing >= 0)
        part.row_count = added + existing;
    if (avro_field_int(record, 504, "added_files_count", &added) &&
        avro_field_int(record, 505, "existing_files_count", &existing) && added >= 0 &&
        existing >= 0)
        part.file_count = added + existing;
    return array_push(a, &r->given->parts, part);
}

static status take_manifest(void *context, const avro_value *record)
{
    list_reader *r = context;
    manifest *m;
    int64_t content = 0;
    const char *path = avro_field_text(r->metadata->memory, record, 500, "manifest_path");
    if (!path)
        return status_new(STATUS_KIND_CORRUPT, "a manifest has no path in it");
    TRY(add_manifest(r, path, &m));
    m->spec_id = 0;
    avro_field_int(record, 502, "partition_spec_id", &m->spec_id);
    avro_field_int(record, 515, "sequence_number", &m->sequence);
    avro_field_int(record, 517, "content", &content);
    m->is_of_deletes = content != 0;
    if (m->is_of_deletes)
        return STATUS_OK;
    TRY(array_push(r->metadata->memory, &r->source->data_manifests, m));
    return add_part(r, m, record);
}

/* Format version 1 may list manifests in the snapshot itself. */
static status list_manifests(list_reader *r)
{
    iceberg_metadata *m = r->metadata;
    const char *list = lake_json_text(m->snapshot, "manifest-list");
    yyjson_arr_iter iter;
    yyjson_val *path;
    if (list)
        return status_context(read_avro_file(m, list, take_manifest, r),
                              "manifest list of snapshot %lld of Iceberg table \"%s\"",
                              (long long)m->snapshot_id, m->name);
    yyjson_arr_iter_init(yyjson_obj_get(m->snapshot, "manifests"), &iter);
    while ((path = yyjson_arr_iter_next(&iter)))
        if (yyjson_is_str(path)) {
            manifest *added;
            TRY(add_manifest(r, yyjson_get_str(path), &added));
            TRY(array_push(m->memory, &r->source->data_manifests, added));
            TRY(array_push(m->memory, &r->given->parts,
                           ((pq_given_part){.row_count = -1, .file_count = -1})));
        }
    return STATUS_OK;
}

static status read_deletes(const list_reader *r)
{
    file_reader files = {
        .metadata = r->metadata, .given = r->given, .deletes = &r->source->deletes};
    for (size_t i = 0; i < r->source->manifests.count; i++)
        if (r->source->manifests.items[i]->is_of_deletes)
            TRY(read_manifest(&files, r->source->manifests.items[i]));
    return STATUS_OK;
}

const iceberg_delete_list *iceberg_listed_deletes(const iceberg_metadata *m)
{
    return &m->source->deletes;
}

status iceberg_add_files(iceberg_metadata *m, pq_given *given)
{
    list_reader r = {.metadata = m, .given = given};
    if (!m->snapshot)
        return STATUS_OK;
    r.source = arena_alloc(m->memory, sizeof *r.source);
    if (!r.source)
        return no_lake_memory();
    r.source->metadata = m;
    m->source = r.source;
    given->load_part = iceberg_files_load_part;
    TRY(list_manifests(&r));
    TRY(read_deletes(&r));
    given->has_deleted = r.source->deletes.count > 0;
    return STATUS_OK;
}
