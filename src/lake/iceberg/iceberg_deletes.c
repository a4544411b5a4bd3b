/* iceberg_deletes.c - reads the deletes that concern a data file, of what a statement has kept. */
#include "lake/iceberg/iceberg_deletes.h"

#include "base/system/mutex.h"
#include "lake/iceberg/iceberg_files.h"
#include "storage/file.h"

#define VECTOR_BYTES_MAX (INT64_C(1) << 30)

/* ---- what a statement keeps ---- */

status iceberg_keep_deletes(const pq_given *given, void **out)
{
    iceberg_kept *kept = mem_new(sizeof *kept);
    *out = NULL;
    if (!kept)
        return status_no_memory("deleted rows", sizeof *kept);
    kept->given = given;
    kept->deletes = iceberg_listed_deletes(given->context);
    kept->positions = mem_new_array(kept->deletes->count + 1, sizeof(iceberg_positions *));
    if (!kept->positions) {
        mem_free(kept);
        return status_no_memory("deleted rows", kept->deletes->count * sizeof *kept->positions);
    }
    mutex_init(&kept->lock);
    *out = kept;
    return STATUS_OK;
}

void iceberg_drop_deletes(void *object)
{
    iceberg_kept *kept = object;
    for (size_t i = 0; i < kept->deletes->count; i++)
        iceberg_positions_free(kept->positions[i]);
    for (size_t i = 0; i < kept->equal.count; i++)
        iceberg_equal_set_free(kept->equal.items[i]);
    array_release(&kept->equal);
    mem_free(kept->positions);
    mutex_destroy(&kept->lock);
    mem_free(kept);
}

/* ---- deletion vectors ---- */

static status read_blob(const iceberg_delete *d, uint8_t *bytes)
{
    file *f;
    TRY(file_open(d->path, &f));
    status st = STATUS_OK;
    if ((uint64_t)d->offset > f->bytes || (uint64_t)d->bytes > f->bytes - (uint64_t)d->offset)
        st = status_new(STATUS_KIND_CORRUPT, "a deletion vector lies beyond the end of its file");
    if (!st)
        st = file_read(f, (uint64_t)d->offset, bytes, (size_t)d->bytes);
    file_close(f);
    return st;
}

/* Reads a blob of a Puffin file. */
static status iceberg_deletes_read_vector(const iceberg_deletes_of *of, const iceberg_delete *d,
                                          row_numbers *out)
{
    if (d->bytes < 0 || d->bytes > VECTOR_BYTES_MAX || d->offset < 0)
        return status_new(STATUS_KIND_CORRUPT, "the place of a deletion vector is not one");
    TRY(pq_deletes_take(out->deletes, (uint64_t)d->bytes));
    uint8_t *bytes = mem_new((size_t)d->bytes + 1);
    status st = bytes ? read_blob(d, bytes) : status_no_memory("lake", (size_t)d->bytes);
    if (!st)
        st = deleted_rows_read_framed(bytes, (size_t)d->bytes,
                                      of->row_count >= 0 ? (uint64_t)of->row_count : UINT64_MAX,
                                      out);
    mem_free(bytes);
    pq_deletes_give(out->deletes, (uint64_t)d->bytes);
    return st;
}

/* ---- data files ---- */

bool iceberg_compares_same(const iceberg_delete *a, const iceberg_delete *b)
{
    return a->is_equality && b->is_equality && a->ids.count == b->ids.count &&
           !memcmp(a->ids.items, b->ids.items, a->ids.count * sizeof *a->ids.items);
}

/* Returns whether an earlier delete compares the same columns, and was read with this one. */
static bool is_read(const iceberg_deletes_of *of, size_t number)
{
    for (size_t i = 0; i < number; i++)
        if (iceberg_compares_same(of->list.items[i], of->list.items[number]))
            return true;
    return false;
}

static status read_delete(const pq_given_file *f, size_t number, row_numbers *out)
{
    const iceberg_deletes_of *of = f->deletes;
    const iceberg_delete *d = of->list.items[number];
    if (d->is_puffin)
        return iceberg_deletes_read_vector(of, d, out);
    if (!d->is_equality)
        return iceberg_read_positions(out->deletes, of, d, out);
    return is_read(of, number) ? STATUS_OK : iceberg_read_equal(out->deletes, f, number, out);
}

status iceberg_load_deleted(pq_deletes *deletes, const pq_given_file *f, arena *a,
                            pq_deleted_rows *out)
{
    const iceberg_deletes_of *of = f->deletes;
    row_numbers rows = {.deletes = deletes};
    status st = STATUS_OK;
    for (size_t i = 0; i < of->list.count && !st; i++)
        st = status_context(read_delete(f, i, &rows), "file \"%s\"", of->list.items[i]->path);
    if (!st)
        st = row_numbers_finish(&rows, a, out);
    row_numbers_release(&rows);
    return st;
}
