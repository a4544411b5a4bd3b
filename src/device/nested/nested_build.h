/* nested_build.h - inside functions of nested values: children as they are read, and results as they are made. */
#ifndef PISTACHIO_DEVICE_NESTED_NESTED_BUILD_H
#define PISTACHIO_DEVICE_NESTED_NESTED_BUILD_H

#include "base/cancel.h"
#include "base/type/nested_type.h"
#include "device/nested.h"
#include "device/nested/nested_function.h"

#define NESTED_FUNCTION(NAME, name, nulls)                                                         \
    CHECKED status compute_##name(const nested_args *c, tensor **out);
#include "device/nested/nested_functions.def"

static inline nested_value nested_pair(const tensor *t, uint64_t row)
{
    return ((const nested_value *)t->values)[row];
}

/* Whether every argument has a value in the row. */
static inline bool nested_row_is_valid(const nested_args *c, uint64_t row)
{
    for (uint32_t i = 0; i < c->arg_count; i++)
        if (!nested_is_valid(c->args[i], row))
            return false;
    return true;
}

/* ---- children ---- */

/* The rows of a nested tensor's children. */
static inline uint64_t nested_child_rows(const tensor *t)
{
    return t->heap ? t->heap->child_rows : 0;
}

/* A child as a FLAT tensor; without rows if the tensor has no children. */
CHECKED status nested_child_flat(dev_stream *stream, const tensor *t, uint32_t child, tensor **out);
/* The elements that the rows of a list or map have together; fails if they are too many for one tensor. */
CHECKED status nested_count_elements(const tensor *t, uint64_t rows, uint64_t *out);
/* Child rows in an order: INDEXED over the child. */
CHECKED status nested_pick(dev_stream *stream, const tensor *t, uint32_t child, row_index *rows,
                           uint64_t count, tensor **out);
/* Columns end to end, the rows of each as given; FLAT. */
CHECKED status nested_chain(dev_stream *stream, tensor *const *columns, const uint64_t *rows,
                            uint32_t count, tensor **out);

/* ---- results ---- */

/* A FLAT tensor of zeros; with the bits of validity set if it is to have them. */
CHECKED status nested_new(const nested_args *c, data_type type, bool with_validity, tensor **out);
/* Gives the result its children: takes over the references, also on failure. */
CHECKED status nested_own(tensor *result, tensor *const *children, uint32_t count, uint64_t rows);
/* Lets the result share the children of a tensor. */
void nested_share(tensor *result, const tensor *from);

static inline void nested_put(tensor *t, uint64_t row, uint64_t offset, uint64_t length)
{
    if (length)
        ((nested_value *)t->values)[row] = (nested_value){(uint32_t)offset, (uint32_t)length};
}

static inline void nested_put_null(tensor *t, uint64_t row)
{
    t->validity[row / 64] &= ~((uint64_t)1 << (row % 64));
}

static inline void nested_put_bit(tensor *t, uint64_t row, bool bit)
{
    if (bit)
        ((uint64_t *)t->values)[row / 64] |= (uint64_t)1 << (row % 64);
}

/* An index while it is filled, and how many rows it has. */
typedef struct nested_index {
    row_index *rows;
    uint64_t count;
} nested_index;

CHECKED status nested_index_new(dev_stream *stream, uint64_t rows, nested_index *out);
static inline void nested_index_add(nested_index *index, uint64_t row)
{
    index->rows->rows[index->count++] = (uint32_t)row;
}
static inline void nested_index_add_null(nested_index *index)
{
    index->rows->has_nulls = true;
    index->rows->rows[index->count++] = ROW_NULL;
}

/* A list of one child, which is what the index picks of `from`'s: finishes the result, and releases the index. On failure
 * the result is released, too. */
CHECKED status nested_finish_pick(const nested_args *c, tensor *result, const tensor *from,
                                  nested_index *index, tensor **out);

#endif
