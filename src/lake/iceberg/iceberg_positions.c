/* iceberg_positions.c - files of deletes that name data files and rows of them. */
#include "base/cancel.h"
#include "lake/iceberg/iceberg_deletes.h"
#include "lake/log/leaf_rows.h"

typedef struct position_reader {
    arena *scratch;
    const file *file;
    const pq_metadata *metadata;
    uint32_t path, position; /* leaves */
    const char *target;
    size_t target_bytes;
} position_reader;

/* The row group's bounds exclude the data file. */
static bool excludes_target(const position_reader *r, uint32_t row_group)
{
    const pq_statistics *s = &r->metadata->row_groups[row_group].chunks[r->path].statistics;
    const value target = value_text(r->target, r->target_bytes);
    if (!s->has_min || !s->has_max || s->min.type.id != TYPE_VARCHAR)
        return false;
    return value_compare(&s->min, &target) > 0 || value_compare(&s->max, &target) < 0;
}

static status add_position(arena *a, const leaf_value *v, row_numbers *out)
{
    int64_t row;
    if (!v->bytes || v->count != sizeof row)
        return status_new(STATUS_KIND_CORRUPT, "a position is not a number of 64 bits");
    memcpy(&row, v->bytes, sizeof row);
    if (row < 0)
        return status_new(STATUS_KIND_CORRUPT, "a position is negative");
    return array_push(a, out, (uint64_t)row);
}

static status read_group(const position_reader *r, arena *a, uint32_t row_group, row_numbers *out)
{
    leaf_values paths, positions;
    TRY(leaf_read(r->scratch, r->file, r->metadata, row_group, r->path, &paths));
    TRY(leaf_read(r->scratch, r->file, r->metadata, row_group, r->position, &positions));
    if (paths.count != positions.count)
        return status_new(STATUS_KIND_CORRUPT, "it has not as many positions as paths");
    for (size_t i = 0; i < paths.count; i++) {
        const leaf_value *path = &paths.items[i];
        if (cancel_look(i))
            TRY(cancel_check());
        if (path->bytes && path->count == r->target_bytes &&
            !memcmp(path->bytes, r->target, r->target_bytes))
            TRY(add_position(a, &positions.items[i], out));
    }
    return STATUS_OK;
}

static status read_groups(position_reader *r, arena *a, row_numbers *out)
{
    int path = leaf_find(r->metadata, "file_path", ""), row = leaf_find(r->metadata, "pos", "");
    if (path < 0 || row < 0)
        return status_new(STATUS_KIND_CORRUPT, "it does not have the columns file_path and pos");
    r->path = (uint32_t)path;
    r->position = (uint32_t)row;
    for (uint32_t g = 0; g < r->metadata->row_group_count; g++) {
        if (excludes_target(r, g))
            continue;
        TRY(arena_new(&r->scratch));
        status st = read_group(r, a, g, out);
        arena_free(r->scratch);
        TRY(st);
    }
    return STATUS_OK;
}

status iceberg_read_positions(arena *a, const iceberg_deletes_of *of, const iceberg_delete *d,
                              row_numbers *out)
{
    file *f;
    pq_footer *footer;
    TRY(file_open(d->path, &f));
    status st = pq_footer_open(f, true, &footer);
    if (!st) {
        position_reader r = {.file = f,
                             .metadata = pq_footer_metadata(footer),
                             .target = of->path,
                             .target_bytes = strlen(of->path)};
        st = read_groups(&r, a, out);
        pq_footer_unref(footer);
    }
    file_close(f);
    return st;
}
