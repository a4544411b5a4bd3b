/* iceberg_deletes.c - reads the files of deletes that concern a data file. */
#include "lake/iceberg/iceberg_deletes.h"

#include "storage/file.h"

#define VECTOR_BYTES_MAX (INT64_C(1) << 30)

/* A blob of a Puffin file. */
static status read_vector(const iceberg_deletes_of *of, const iceberg_delete *d, arena *a,
                          row_numbers *out)
{
    file *f;
    if (d->bytes < 0 || d->bytes > VECTOR_BYTES_MAX || d->offset < 0)
        return status_new(STATUS_KIND_CORRUPT, "the place of a deletion vector is not one");
    TRY(file_open(d->path, &f));
    uint8_t *bytes = arena_alloc(a, (size_t)d->bytes + 1);
    status st = bytes ? STATUS_OK : status_no_memory("lake", (size_t)d->bytes);
    if (!st &&
        ((uint64_t)d->offset > f->bytes || (uint64_t)d->bytes > f->bytes - (uint64_t)d->offset))
        st = status_new(STATUS_KIND_CORRUPT, "a deletion vector lies beyond the end of its file");
    if (!st)
        st = file_read(f, (uint64_t)d->offset, bytes, (size_t)d->bytes);
    file_close(f);
    if (!st)
        st = deleted_rows_read_framed(a, bytes, (size_t)d->bytes,
                                      of->row_count >= 0 ? (uint64_t)of->row_count : UINT64_MAX,
                                      out);
    return st;
}

bool iceberg_compares_same(const iceberg_delete *a, const iceberg_delete *b)
{
    return a->is_equality && b->is_equality && a->ids.count == b->ids.count &&
           !memcmp(a->ids.items, b->ids.items, a->ids.count * sizeof *a->ids.items);
}

/* An earlier one compares the same columns, and was read with this one. */
static bool is_read(const iceberg_deletes_of *of, size_t number)
{
    for (size_t i = 0; i < number; i++)
        if (iceberg_compares_same(of->list.items[i], of->list.items[number]))
            return true;
    return false;
}

static status read_delete(arena *a, const pq_given *given, const pq_given_file *f, size_t number,
                          row_numbers *out)
{
    const iceberg_deletes_of *of = f->deletes;
    const iceberg_delete *d = of->list.items[number];
    if (d->is_puffin)
        return read_vector(of, d, a, out);
    if (!d->is_equality)
        return iceberg_read_positions(a, of, d, out);
    return is_read(of, number) ? STATUS_OK : iceberg_read_equal(a, given, f, number, out);
}

status iceberg_load_deleted(const pq_given *given, const pq_given_file *f, arena *a,
                            pq_deleted_rows *out)
{
    const iceberg_deletes_of *of = f->deletes;
    row_numbers rows = {0};
    for (size_t i = 0; i < of->list.count; i++)
        TRY(status_context(read_delete(a, given, f, i, &rows), "file \"%s\"",
                           of->list.items[i]->path));
    deleted_rows_sort(&rows);
    *out = (pq_deleted_rows){rows.items, rows.count};
    return STATUS_OK;
}
