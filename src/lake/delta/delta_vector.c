/* delta_vector.c - finds the bytes of a deletion vector: inline, or in a file by an identifier or a path. */
#include "lake/delta/delta_vector.h"

#include "lake/log/deleted_rows.h"
#include "lake/log/lake_text.h"
#include "storage/file.h"

#define VECTOR_BYTES_MAX (INT64_C(1) << 30)
#define ID_TEXT_BYTES 20

bool delta_decode_85(const char *text, size_t count, uint8_t *out)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 ".-:+=^!/*?&<>()[]{}@%$#";
    if (count % 5)
        return false;
    for (size_t i = 0; i < count; i += 5) {
        uint64_t number = 0;
        for (size_t k = 0; k < 5; k++) {
            const char *digit = text[i + k] ? strchr(digits, text[i + k]) : NULL;
            if (!digit)
                return false;
            number = number * 85 + (uint64_t)(digit - digits);
        }
        if (number > UINT32_MAX)
            return false;
        for (size_t k = 0; k < 4; k++)
            out[i / 5 * 4 + k] = (uint8_t)(number >> (24 - 8 * k));
    }
    return true;
}

static status broken_vector(const char *what)
{
    return status_new(STATUS_KIND_CORRUPT, "deletion vector: %s", what);
}

/* prefix/deletion_vector_UUID.bin; the identifier is the last 20 characters. */
static status path_of_id(arena *a, const char *root, const char *text, const char **out)
{
    uint8_t id[16];
    char name[40];
    size_t bytes = strlen(text), at = 0;
    if (bytes < ID_TEXT_BYTES || !delta_decode_85(text + bytes - ID_TEXT_BYTES, ID_TEXT_BYTES, id))
        return broken_vector("its file's identifier is damaged");
    for (size_t i = 0; i < sizeof id; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            name[at++] = '-';
        at += (size_t)snprintf(name + at, sizeof name - at, "%02x", id[i]);
    }
    size_t prefix = bytes - ID_TEXT_BYTES;
    *out = prefix ? arena_format(a, "%s/%.*s/deletion_vector_%s.bin", root, (int)prefix, text, name)
                  : arena_format(a, "%s/deletion_vector_%s.bin", root, name);
    return *out ? STATUS_OK : status_no_memory("lake", bytes);
}

static uint64_t rows_most(const delta_vector *v)
{
    return v->cardinality >= 0 ? (uint64_t)v->cardinality : UINT64_MAX;
}

static status read_inline(arena *a, const delta_vector *v, row_numbers *out)
{
    size_t count = strlen(v->path);
    uint8_t *bytes = arena_alloc(a, count + 4);
    if (!bytes)
        return status_no_memory("lake", count);
    if (!delta_decode_85(v->path, count, bytes) || v->bytes < 0 ||
        (uint64_t)v->bytes > count / 5 * 4)
        return broken_vector("its text is damaged");
    return deleted_rows_read(bytes, (size_t)v->bytes, rows_most(v), out);
}

/* The file has, at the offset, the length, the set and a checksum. */
static status read_file(arena *a, const char *path, const delta_vector *v, row_numbers *out)
{
    file *f;
    if (v->bytes < 0 || v->bytes > VECTOR_BYTES_MAX || v->offset < 0)
        return broken_vector("its place is not one");
    size_t count = (size_t)v->bytes + 8;
    TRY(file_open(path, &f));
    uint8_t *bytes = arena_alloc(a, count);
    status st = bytes ? STATUS_OK : status_no_memory("lake", count);
    if (!st && ((uint64_t)v->offset > f->bytes || count > f->bytes - (uint64_t)v->offset))
        st = broken_vector("it lies beyond the end of its file");
    if (!st)
        st = file_read(f, (uint64_t)v->offset, bytes, count);
    file_close(f);
    if (!st)
        st = deleted_rows_read_framed(bytes, count, rows_most(v), out);
    return status_context(st, "file \"%s\"", path);
}

static status read_vector(arena *a, const char *root, const delta_vector *v, row_numbers *out)
{
    const char *path;
    if (!v->path)
        return broken_vector("the log does not say where it is");
    switch (v->storage[0]) {
    case 'i':
        return read_inline(a, v, out);
    case 'u':
        TRY(path_of_id(a, root, v->path, &path));
        return read_file(a, path, v, out);
    case 'p':
        path = lake_path(a, root, v->path, true);
        return path ? read_file(a, path, v, out) : status_no_memory("lake", strlen(v->path));
    default:
        return broken_vector("it is stored in a way that is not known");
    }
}

/* The vector's bytes lie in an arena of their own, and are charged as long. */
static status read_charged(pq_deletes *deletes, const char *root, const delta_vector *v,
                           row_numbers *out)
{
    arena *scratch;
    uint64_t bytes = v->bytes > 0 && v->bytes <= VECTOR_BYTES_MAX ? (uint64_t)v->bytes : 0;
    if (deletes)
        TRY(pq_deletes_take(deletes, bytes));
    status st = arena_new(&scratch);
    if (!st) {
        st = read_vector(scratch, root, v, out);
        arena_free(scratch);
    }
    if (deletes)
        pq_deletes_give(deletes, bytes);
    return st;
}

status delta_vector_read(pq_deletes *deletes, arena *a, const char *root, const delta_vector *v,
                         pq_deleted_rows *out)
{
    row_numbers rows = {.deletes = deletes};
    status st = read_charged(deletes, root, v, &rows);
    if (!st)
        st = row_numbers_finish(&rows, a, out);
    if (!st && v->cardinality >= 0 && out->count != (uint64_t)v->cardinality)
        st = broken_vector("it has fewer rows than the log says");
    row_numbers_release(&rows);
    return st;
}
