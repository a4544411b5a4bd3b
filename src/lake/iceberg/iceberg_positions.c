/* iceberg_positions.c - files of deletes that name data files and rows of them.
 *
 * A row group is read once, when the first data file asks that its bounds do not exclude; its positions are kept by data
 * file until that one asks for them. */
#include "base/cancel.h"
#include "base/system/mutex.h"
#include "lake/iceberg/iceberg_deletes.h"

#define FIRST_TARGETS 16 /* a power of two */

/* Positions of a data file that has not asked for them yet. */
typedef struct target_rows {
    const char *path; /* NULL: the place is free */
    size_t bytes;
    row_numbers rows;
} target_rows;

struct iceberg_positions {
    pthread_mutex_t lock;
    arena *memory;
    uint64_t charged; /* of the arena */
    file *file;       /* NULL: not open yet */
    pq_footer *footer;
    const pq_metadata *metadata;
    uint32_t path, position; /* leaves */
    bool *is_read;           /* by row group */
    bool is_done;            /* all of them; the file is closed */
    target_rows *targets;    /* by a hash of their paths */
    size_t target_size, target_count;
    target_rows *last; /* that was asked for: neighbours are of one data file */
};

/* ---- data files ---- */

static target_rows *iceberg_positions_find_target(target_rows *targets, size_t size,
                                                  const char *path, size_t bytes)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ (uint8_t)path[i]) * 0x100000001b3;
    size_t at = (hash ^ hash >> 29) & (size - 1);
    while (targets[at].path &&
           (targets[at].bytes != bytes || memcmp(targets[at].path, path, bytes) != 0))
        at = (at + 1) & (size - 1);
    return &targets[at];
}

static status grow_targets(iceberg_positions *p)
{
    size_t size = p->target_size ? 2 * p->target_size : FIRST_TARGETS;
    if (2 * (p->target_count + 1) <= p->target_size)
        return STATUS_OK;
    target_rows *targets = arena_alloc_array(p->memory, size, sizeof *targets);
    if (!targets)
        return status_no_memory("deleted rows", size * sizeof *targets);
    for (size_t i = 0; i < p->target_size; i++)
        if (p->targets[i].path)
            *iceberg_positions_find_target(targets, size, p->targets[i].path, p->targets[i].bytes) =
                p->targets[i];
    p->targets = targets;
    p->target_size = size;
    p->last = NULL;
    return STATUS_OK;
}

static status target_of(iceberg_positions *p, pq_deletes *deletes, const leaf_value *path,
                        target_rows **out)
{
    *out = p->last;
    if (p->last && p->last->bytes == path->count &&
        !memcmp(p->last->path, path->bytes, path->count))
        return STATUS_OK;
    TRY(grow_targets(p));
    target_rows *found = iceberg_positions_find_target(p->targets, p->target_size,
                                                       (const char *)path->bytes, path->count);
    if (!found->path) {
        found->path = arena_copy_text(p->memory, (const char *)path->bytes, path->count);
        if (!found->path)
            return status_no_memory("deleted rows", path->count);
        found->bytes = path->count;
        found->rows.deletes = deletes;
        p->target_count++;
    }
    *out = p->last = found;
    return STATUS_OK;
}

/* ---- row groups ---- */

static status add_position(iceberg_positions *p, pq_deletes *deletes, const leaf_value *path,
                           const leaf_value *v)
{
    int64_t row;
    target_rows *target;
    if (!path->bytes)
        return STATUS_OK;
    if (!v->bytes || v->count != sizeof row)
        return status_new(STATUS_KIND_CORRUPT, "a position is not a number of 64 bits");
    memcpy(&row, v->bytes, sizeof row);
    if (row < 0)
        return status_new(STATUS_KIND_CORRUPT, "a position is negative");
    TRY(target_of(p, deletes, path, &target));
    return row_numbers_add(&target->rows, (uint64_t)row);
}

static status take_positions(iceberg_positions *p, pq_deletes *deletes, arena *scratch,
                             uint32_t row_group)
{
    leaf_values paths, positions;
    TRY(leaf_read(scratch, p->file, p->metadata, row_group, p->path, &paths));
    TRY(leaf_read(scratch, p->file, p->metadata, row_group, p->position, &positions));
    if (paths.count != positions.count)
        return status_new(STATUS_KIND_CORRUPT, "it has not as many positions as paths");
    for (size_t i = 0; i < paths.count; i++) {
        if (cancel_look(i))
            TRY(cancel_check());
        TRY(add_position(p, deletes, &paths.items[i], &positions.items[i]));
    }
    p->is_read[row_group] = true;
    uint64_t bytes = arena_bytes(p->memory), more = bytes - p->charged;
    TRY(pq_deletes_take(deletes, more));
    p->charged = bytes;
    return STATUS_OK;
}

static status read_positions(iceberg_positions *p, pq_deletes *deletes, uint32_t row_group)
{
    arena *scratch;
    uint64_t bytes = leaf_read_bytes(p->metadata, row_group, p->path) +
                     leaf_read_bytes(p->metadata, row_group, p->position);
    TRY(pq_deletes_take(deletes, bytes));
    status st = arena_new(&scratch);
    if (!st) {
        st = take_positions(p, deletes, scratch, row_group);
        arena_free(scratch);
    }
    pq_deletes_give(deletes, bytes);
    return st;
}

/* Returns whether the row group's bounds exclude the data file. */
static bool excludes_target(const iceberg_positions *p, uint32_t row_group, const value *target)
{
    const pq_statistics *s = &p->metadata->row_groups[row_group].chunks[p->path].statistics;
    if (!s->has_min || !s->has_max || s->min.type.id != TYPE_VARCHAR)
        return false;
    return value_compare(&s->min, target) > 0 || value_compare(&s->max, target) < 0;
}

/* ---- files ---- */

static status find_leaves(iceberg_positions *p)
{
    int path = leaf_find(p->metadata, "file_path", ""), row = leaf_find(p->metadata, "pos", "");
    if (path < 0 || row < 0)
        return status_new(STATUS_KIND_CORRUPT, "it does not have the columns file_path and pos");
    p->path = (uint32_t)path;
    p->position = (uint32_t)row;
    p->is_read = arena_alloc_array(p->memory, p->metadata->row_group_count + 1, sizeof(bool));
    return p->is_read ? STATUS_OK : status_no_memory("lake", p->metadata->row_group_count);
}

static void close_file(iceberg_positions *p)
{
    pq_footer_unref(p->footer);
    file_close(p->file);
    p->footer = NULL;
    p->file = NULL;
}

static status open_file(iceberg_positions *p, const char *path)
{
    if (p->file)
        return STATUS_OK;
    TRY(file_open(path, &p->file));
    status st = pq_footer_open(p->file, true, &p->footer);
    if (!st) {
        p->metadata = pq_footer_metadata(p->footer);
        st = find_leaves(p);
    }
    if (st)
        close_file(p);
    return st;
}

/* Moves what is kept for the data file to the list. */
static status give_rows(iceberg_positions *p, const value *target, row_numbers *out)
{
    target_rows *found = p->target_size ? iceberg_positions_find_target(p->targets, p->target_size,
                                                                        target->text, target->bytes)
                                        : NULL;
    if (!found || !found->path)
        return STATUS_OK;
    for (size_t i = 0; i < found->rows.count; i++)
        TRY(row_numbers_add(out, found->rows.items[i]));
    row_numbers_release(&found->rows);
    return STATUS_OK;
}

/* With the lock held. */
static status read_target(iceberg_positions *p, pq_deletes *deletes, const iceberg_delete *d,
                          const value *target, row_numbers *out)
{
    uint32_t left = 0;
    if (p->is_done)
        return give_rows(p, target, out);
    TRY(open_file(p, d->path));
    for (uint32_t g = 0; g < p->metadata->row_group_count; g++) {
        if (!p->is_read[g] && !excludes_target(p, g, target))
            TRY(read_positions(p, deletes, g));
        left += !p->is_read[g];
    }
    p->is_done = !left;
    if (p->is_done)
        close_file(p);
    return give_rows(p, target, out);
}

static status new_positions(iceberg_positions **out)
{
    iceberg_positions *p = mem_new(sizeof *p);
    if (!p)
        return status_no_memory("deleted rows", sizeof *p);
    status st = arena_new(&p->memory);
    if (st) {
        mem_free(p);
        return st;
    }
    mutex_init(&p->lock);
    *out = p;
    return STATUS_OK;
}

void iceberg_positions_free(iceberg_positions *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->target_size; i++)
        row_numbers_release(&p->targets[i].rows);
    close_file(p);
    arena_free(p->memory);
    mutex_destroy(&p->lock);
    mem_free(p);
}

status iceberg_read_positions(pq_deletes *deletes, const iceberg_deletes_of *of,
                              const iceberg_delete *d, row_numbers *out)
{
    iceberg_kept *kept = pq_deletes_kept(deletes);
    const value target = value_text(of->path, strlen(of->path));
    mutex_lock(&kept->lock);
    iceberg_positions **place = &kept->positions[d->number];
    status st = *place ? STATUS_OK : new_positions(place);
    iceberg_positions *p = *place;
    mutex_unlock(&kept->lock);
    TRY(st);
    mutex_lock(&p->lock);
    st = read_target(p, deletes, d, &target, out);
    mutex_unlock(&p->lock);
    return st;
}
