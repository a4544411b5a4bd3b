/* iceberg.c - the wanted snapshot as a table that is told. */
#include "lake/iceberg/iceberg.h"

#include "lake/iceberg/iceberg_bucket.h"
#include "lake/iceberg/iceberg_deletes.h"
#include "lake/iceberg/iceberg_files.h"
#include "lake/iceberg/iceberg_metadata.h"

status iceberg_read(arena *a, const lake_request *request, pq_given **out)
{
    iceberg_metadata *m = arena_alloc(a, sizeof *m);
    pq_given *given = arena_alloc(a, sizeof *given);
    *out = NULL;
    if (!m || !given)
        return status_no_memory("lake", sizeof *given);
    TRY(iceberg_read_metadata(a, request, m));
    given->what = m->snapshot ? arena_format(a, "snapshot %lld of Iceberg table \"%s\"",
                                             (long long)m->snapshot_id, m->name)
                              : arena_format(a, "Iceberg table \"%s\"", m->name);
    if (!given->what)
        return status_no_memory("lake", strlen(m->name));
    given->wants_ids = true;
    given->load_deleted = iceberg_load_deleted;
    given->bucket_of = iceberg_bucket_of;
    given->keep_deletes = iceberg_keep_deletes;
    given->drop_deletes = iceberg_drop_deletes;
    given->context = m;
    given->store = m->store;
    TRY(iceberg_add_columns(m, given));
    TRY(iceberg_add_files(m, given));
    *out = given;
    return STATUS_OK;
}

const struct rest_table *iceberg_rest_table(const pq_given *given)
{
    const iceberg_metadata *m = given->load_deleted == iceberg_load_deleted ? given->context : NULL;
    return m ? m->rest : NULL;
}

const char *iceberg_metadata_path(const pq_given *given)
{
    return given->load_deleted == iceberg_load_deleted
               ? ((const iceberg_metadata *)given->context)->path
               : NULL;
}

bool iceberg_is_current(arena *scratch, const lake_request *request, const pq_given *given)
{
    const iceberg_metadata *m = given->context;
    const char *root, *path;
    status st = iceberg_find_metadata(scratch, request->path, &root, &path);
    bool is_same = !st && !strcmp(path, m->path);
    status_free(st);
    return is_same;
}
