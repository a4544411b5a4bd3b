/* nested_build.c - see nested_build.h. */
#include "device/nested/nested_build.h"

#include "device/chunk.h"

static const struct {
    status (*compute)(const nested_args *c, tensor **out);
    bool is_strict;
} functions[NESTED_FUNCTION_COUNT] = {
#define STRICT true
#define OWN false
#define NESTED_FUNCTION(NAME, name, nulls) [NESTED_##NAME] = {compute_##name, nulls},
#include "device/nested/nested_functions.def"
#undef STRICT
#undef OWN
};

status nested_compute(nested_function function, const nested_args *c, tensor **out)
{
    *out = NULL;
    return functions[function].compute(c, out);
}

bool nested_is_strict(nested_function function)
{
    return functions[function].is_strict;
}

bool nested_takes_indexed(nested_function function)
{
    return function == NESTED_FIELD || function == NESTED_ELEMENT || function == NESTED_LENGTH;
}

/* ---- children ---- */

static status empty_child(dev_stream *stream, data_type type, tensor **out)
{
    TRY(tensor_new_flat(stream->dev, type, 64, false, out));
    memset((*out)->values, 0, type_values_bytes(type, 64));
    return STATUS_OK;
}

status nested_child_flat(dev_stream *stream, const tensor *t, uint32_t child, tensor **out)
{
    if (!t->heap || child >= t->heap->child_count)
        return empty_child(stream, nested_type_of(t->type)->fields[child].type, out);
    return tensor_flatten(stream, t->heap->children[child], dev_count_exact(t->heap->child_rows),
                          out);
}

static status too_many(uint64_t elements)
{
    return status_new(STATUS_KIND_UNSUPPORTED, "lists of %llu elements together are too many",
                      (unsigned long long)elements);
}

status nested_count_elements(const tensor *t, uint64_t rows, uint64_t *out)
{
    *out = 0;
    for (uint64_t i = 0; i < rows; i++)
        *out += nested_pair(t, i).length;
    return *out >= ROW_NULL ? too_many(*out) : STATUS_OK;
}

status nested_pick(dev_stream *stream, const tensor *t, uint32_t child, row_index *rows,
                   uint64_t count, tensor **out)
{
    tensor *none;
    if (t->heap && child < t->heap->child_count)
        return tensor_new_indexed(stream, t->heap->children[child], t->heap->child_rows, rows,
                                  dev_count_exact(count), out);
    TRY(empty_child(stream, nested_type_of(t->type)->fields[child].type, &none));
    status st = tensor_new_indexed(stream, none, 1, rows, dev_count_exact(count), out);
    tensor_unref(none);
    return st;
}

status nested_chain(dev_stream *stream, tensor *const *columns, const uint64_t *rows,
                    uint32_t count, tensor **out)
{
    chunk **chunks = mem_new_array((size_t)count + 1, sizeof *chunks), *all = NULL;
    uint64_t total = 0;
    status st = chunks ? STATUS_OK : status_no_memory("lists", count * sizeof *chunks);
    *out = NULL;
    for (uint32_t i = 0; i < count && !st; i++) {
        total += rows[i];
        st = total >= ROW_NULL ? too_many(total)
                               : chunk_new(1, dev_count_exact(rows[i]), &chunks[i]);
        if (!st)
            chunks[i]->columns[0] = tensor_ref(columns[i]);
    }
    if (!st)
        st = chunk_concat(stream, chunks, count, "lists", &all);
    if (!st)
        *out = tensor_ref(all->columns[0]);
    chunk_free(all);
    for (uint32_t i = 0; chunks && i < count; i++)
        chunk_free(chunks[i]);
    mem_free(chunks);
    return st;
}

/* ---- results ---- */

status nested_new(const nested_args *c, data_type type, bool with_validity, tensor **out)
{
    TRY(tensor_new_flat(c->stream->dev, type, c->count, with_validity, out));
    memset((*out)->values, 0, type_values_bytes(type, c->count));
    if (with_validity)
        memset((*out)->validity, 0xff, bitmap_bytes(c->count));
    return STATUS_OK;
}

status nested_own(tensor *result, tensor *const *children, uint32_t count, uint64_t rows)
{
    return string_heap_new_children(children, count, rows, &result->heap);
}

void nested_share(tensor *result, const tensor *from)
{
    result->heap = string_heap_ref(from->heap);
}

status nested_index_new(dev_stream *stream, uint64_t rows, nested_index *out)
{
    *out = (nested_index){0};
    return row_index_new(stream->dev, rows, &out->rows);
}

status nested_finish_pick(const nested_args *c, tensor *result, const tensor *from,
                          nested_index *index, tensor **out)
{
    tensor *child;
    status st = nested_pick(c->stream, from, 0, index->rows, index->count, &child);
    row_index_unref(index->rows);
    if (!st)
        st = nested_own(result, &child, 1, index->count);
    if (st)
        tensor_unref(result);
    else
        *out = result;
    return st;
}
