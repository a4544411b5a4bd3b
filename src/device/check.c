/* check.c - what must hold of tensors and chunks. */
#include "device/check.h"

#include <assert.h>

#ifndef NDEBUG

/* `bytes` bytes from `address` on are the owner's. A reserved buffer does not say how many it has
 * room for. */
static void check_lies_within(const dev_buffer *owner, const void *address, uint64_t bytes)
{
    assert(owner && atomic_load(&owner->references));
    const char *first = owner->address;
    if (owner->bytes && bytes)
        assert((const char *)address >= first &&
               (uint64_t)((const char *)address - first) + bytes <= owner->bytes);
}

static void check_heap(const tensor *t)
{
    if (!t->heap)
        return;
    assert(atomic_load(&t->heap->references));
    assert(type_is_nested(t->type) ? !t->heap->buffer_count
                                   : type_is_text(t->type) && !t->heap->child_count);
    for (uint32_t i = 0; i < t->heap->child_count; i++)
        tensor_check(t->heap->children[i], t->heap->child_rows);
    for (uint32_t i = 0; i < t->heap->buffer_count; i++)
        assert(t->heap->buffers[i] && atomic_load(&t->heap->buffers[i]->references));
}

static void check_flat(const tensor *t, uint64_t rows)
{
    assert(!t->index && !t->base && !t->is_dictionary);
    check_lies_within(t->values_owner, t->values, type_values_bytes(t->type, rows));
    if (t->validity)
        check_lies_within(t->validity_owner, t->validity, bitmap_bytes(rows));
    check_heap(t);
}

static void check_constant(const tensor *t)
{
    assert(!t->index && !t->base && !t->is_dictionary && !t->validity);
    assert(t->constant.type.id == t->type.id && t->constant.type.width == t->type.width);
    check_lies_within(t->values_owner, t->values, type_values_bytes(t->type, 1));
    check_heap(t);
}

static void check_indexed(const tensor *t, uint64_t rows)
{
    assert(t->index && t->base && t->base->form == TENSOR_FLAT);
    assert(!t->values && !t->validity && !t->heap);
    assert(t->type.id == t->base->type.id && t->type.width == t->base->type.width);
    assert(atomic_load(&t->index->references) && t->base_rows <= ROW_NULL);
    check_lies_within(t->index->owner, t->index->rows, rows * sizeof *t->index->rows);
    tensor_check(t->base, t->base_rows);
}

static void check_narrow(const tensor *t, uint64_t rows)
{
    assert(t->narrow.width == 1 || t->narrow.width == 2 || t->narrow.width == 4);
    assert(!t->index && !t->heap);
    check_lies_within(t->values_owner, t->values, rows * t->narrow.width);
    if (t->validity)
        check_lies_within(t->validity_owner, t->validity, bitmap_bytes(rows));
    if (t->base)
        tensor_check(t->base, t->base_rows);
}

void tensor_check(const tensor *t, uint64_t rows)
{
    assert(t && atomic_load(&t->references) && t->type.id < TYPE_ID_COUNT);
    switch ((tensor_form)t->form) {
    case TENSOR_FLAT:
        check_flat(t, rows);
        break;
    case TENSOR_CONSTANT:
        check_constant(t);
        break;
    case TENSOR_INDEXED:
        check_indexed(t, rows);
        break;
    case TENSOR_NARROW:
        check_narrow(t, rows);
        break;
    default:
        assert(!"a tensor has one of four forms");
    }
}

/* Every row number is one of the base, or ROW_NULL where the index says that there are some. */
static void check_index(const tensor *t, uint64_t rows)
{
    for (uint64_t i = 0; i < rows; i++)
        assert(t->index->rows[i] < t->base_rows ||
               (t->index->rows[i] == ROW_NULL && t->index->has_nulls));
}

void chunk_check(const device *dev, const chunk *c)
{
    assert(c && c->rows.bound < ROW_NULL && (!c->rows_owner || c->rows_owner->dev == dev));
    const tensor *before = NULL; /* columns that share an index are mostly side by side */
    for (uint32_t i = 0; i < c->column_count; i++) {
        const tensor *t = c->columns[i];
        if (t)
            tensor_check(t, c->rows.bound);
        if (!t || t->form != TENSOR_INDEXED || !dev->is_host || c->rows.actual)
            continue;
        if (!before || before->index != t->index || before->base_rows > t->base_rows)
            check_index(t, c->rows.bound);
        before = t;
    }
}

#endif
