/* tensor.c - making, sharing and flattening columns. */
#include "device/tensor.h"

#include "device/transfer.h"

#include <assert.h>

tensor *tensor_ref(tensor *t)
{
    if (t)
        atomic_fetch_add_explicit(&t->references, 1, memory_order_relaxed);
    return t;
}

static bool tensor_drop(_Atomic uint32_t *references)
{
    return atomic_fetch_sub_explicit(references, 1, memory_order_acq_rel) == 1;
}

void tensor_unref(tensor *t)
{
    if (!t || !tensor_drop(&t->references))
        return;
    dev_buffer_unref(t->values_owner);
    dev_buffer_unref(t->validity_owner);
    dev_buffer_unref(t->narrow.bounds_owner);
    string_heap_unref(t->heap);
    row_index_unref(t->index);
    tensor_unref(t->base);
    mem_free(t);
}

row_index *row_index_ref(row_index *index)
{
    if (index)
        atomic_fetch_add_explicit(&index->references, 1, memory_order_relaxed);
    return index;
}

void row_index_unref(row_index *index)
{
    if (!index || !tensor_drop(&index->references))
        return;
    dev_buffer_unref(index->owner);
    mem_free(index);
}

string_heap *string_heap_ref(string_heap *heap)
{
    if (heap)
        atomic_fetch_add_explicit(&heap->references, 1, memory_order_relaxed);
    return heap;
}

void string_heap_unref(string_heap *heap)
{
    if (!heap || !tensor_drop(&heap->references))
        return;
    for (uint32_t i = 0; i < heap->buffer_count; i++)
        dev_buffer_unref(heap->buffers[i]);
    for (uint32_t i = 0; i < heap->child_count; i++)
        tensor_unref(heap->children[i]);
    mem_free(heap->children);
    mem_free(heap);
}

status string_heap_new(dev_buffer *const *buffers, uint32_t count, string_heap **out)
{
    *out = NULL;
    size_t bytes = sizeof(string_heap) + count * sizeof *buffers;
    string_heap *heap = mem_new(bytes);
    if (!heap) {
        for (uint32_t i = 0; i < count; i++)
            dev_buffer_unref(buffers[i]);
        return status_no_memory("string heap", bytes);
    }
    atomic_store(&heap->references, 1);
    heap->buffer_count = count;
    memcpy(heap->buffers, buffers, count * sizeof *buffers);
    for (uint32_t i = 0; i < count; i++)
        dev_buffer_hold_texts(buffers[i]);
    *out = heap;
    return STATUS_OK;
}

status string_heap_new_children(tensor *const *children, uint32_t count, uint64_t rows,
                                string_heap **out)
{
    *out = NULL;
    string_heap *heap = mem_new(sizeof *heap);
    tensor **own = heap ? mem_new_array((size_t)count + 1, sizeof *own) : NULL;
    if (!own) {
        for (uint32_t i = 0; i < count; i++)
            tensor_unref(children[i]);
        mem_free(heap);
        return status_no_memory("children", count * sizeof *own);
    }
    atomic_store(&heap->references, 1);
    memcpy(own, children, count * sizeof *own);
    heap->children = own;
    heap->child_count = count;
    heap->child_rows = rows;
    *out = heap;
    return STATUS_OK;
}

static status tensor_new(data_type type, tensor_form form, tensor **out)
{
    *out = NULL;
    tensor *t = mem_new(sizeof *t);
    if (!t)
        return status_no_memory("tensor", sizeof *t);
    atomic_store_explicit(&t->references, 1, memory_order_relaxed);
    t->type = type;
    t->form = (uint8_t)form;
    *out = t;
    return STATUS_OK;
}

status tensor_new_flat_at(device *dev, data_type type, uint64_t rows, bool with_validity,
                          tensor_target target_memory, tensor **out)
{
    tensor *t;
    TRY(tensor_new(type, TENSOR_FLAT, &t));
    status st = STATUS_OK;
    t->values_owner = dev_buffer_ref(target_memory.owner);
    if (!target_memory.owner)
        st = dev_alloc(dev, type_values_bytes(type, rows), "chunk", &t->values_owner);
    if (!st && with_validity)
        st = dev_alloc(dev, bitmap_bytes(rows), "chunk", &t->validity_owner);
    if (st) {
        tensor_unref(t);
        return st;
    }
    t->values = target_memory.owner ? target_memory.values : t->values_owner->address;
    if (with_validity)
        t->validity = t->validity_owner->address;
    *out = t;
    return STATUS_OK;
}

status tensor_new_flat(device *dev, data_type type, uint64_t rows, bool with_validity, tensor **out)
{
    return tensor_new_flat_at(dev, type, rows, with_validity, (tensor_target){0}, out);
}

status tensor_new_view(data_type type, dev_buffer *owner, void *values, tensor **out)
{
    TRY(tensor_new(type, TENSOR_FLAT, out));
    (*out)->values = values;
    (*out)->values_owner = dev_buffer_ref(owner);
    return STATUS_OK;
}

bool tensor_can_slice(const tensor *t, uint64_t first)
{
    return t->form == TENSOR_FLAT && (!(first % 64) || (t->type.width && !t->validity));
}

status tensor_new_slice(const tensor *t, uint64_t first, tensor **out)
{
    uint64_t bytes = t->type.width ? first * t->type.width : first / 8;
    TRY(tensor_new_view(t->type, t->values_owner, (char *)t->values + bytes, out));
    (*out)->validity = t->validity ? t->validity + first / 64 : NULL;
    (*out)->validity_owner = dev_buffer_ref(t->validity_owner);
    (*out)->heap = string_heap_ref(t->heap);
    return STATUS_OK;
}

/* The bytes of a value in memory, in two words. */
static void value_words(const value *v, uint64_t words[2])
{
    words[0] = words[1] = 0;
    if (v->is_null)
        return;
    switch (v->type.id) {
    case TYPE_BOOL:
        words[0] = v->boolean;
        break;
    case TYPE_FLOAT: {
        float narrow = (float)v->f64;
        memcpy(words, &narrow, sizeof narrow);
        break;
    }
    case TYPE_DOUBLE:
        memcpy(words, &v->f64, sizeof v->f64);
        break;
    case TYPE_INTERVAL:
        memcpy(words, &v->interval, sizeof v->interval);
        break;
    default: {
        int128 number = value_int128(v);
        memcpy(words, &number, sizeof number);
    }
    }
}

static status tensor_constant_text(dev_stream *stream, tensor *t)
{
    const value *v = &t->constant;
    string_view view = string_view_make(v->text, (uint32_t)v->bytes);
    dev_buffer *heap = NULL;
    if (v->bytes > STRING_INLINE_BYTES) {
        TRY(dev_alloc(stream->dev, v->bytes, "constant", &heap));
        TRY(string_heap_new(&heap, 1, &t->heap));
        TRY(dev_upload(stream, heap->address, v->text, v->bytes, "constant"));
        view.data = heap->address;
    }
    uint64_t words[2];
    memcpy(words, &view, sizeof view);
    return DEV_LAUNCH(stream, fill, .width = 16, .value_low = words[0], .value_high = words[1],
                      .count = dev_count_exact(1), .out = t->values);
}

status tensor_new_constant(dev_stream *stream, const value *v, tensor **out)
{
    tensor *t;
    *out = NULL;
    TRY(tensor_new(v->type, TENSOR_CONSTANT, &t));
    t->constant = *v;
    status st = dev_alloc(stream->dev, 64, "constant", &t->values_owner);
    if (!st) {
        t->values = t->values_owner->address;
        if (type_is_text(v->type) && !v->is_null) {
            st = tensor_constant_text(stream, t);
        } else {
            uint64_t words[2];
            value_words(v, words);
            st = DEV_LAUNCH(stream, fill, .width = v->type.width, .value_low = words[0],
                            .value_high = words[1], .count = dev_count_exact(1), .out = t->values);
        }
    }
    if (st) {
        tensor_unref(t);
        return st;
    }
    *out = t;
    return STATUS_OK;
}

status row_index_new(device *dev, uint64_t rows, row_index **out)
{
    *out = NULL;
    row_index *index = mem_new(sizeof *index);
    if (!index)
        return status_no_memory("row index", sizeof *index);
    atomic_store_explicit(&index->references, 1, memory_order_relaxed);
    status st = dev_alloc(dev, rows * sizeof *index->rows, "chunk", &index->owner);
    if (st) {
        mem_free(index);
        return st;
    }
    index->rows = index->owner->address;
    *out = index;
    return STATUS_OK;
}

status row_index_view(const row_index *index, uint64_t first, row_index **out)
{
    *out = NULL;
    row_index *view = mem_new(sizeof *view);
    if (!view)
        return status_no_memory("row index", sizeof *view);
    atomic_store_explicit(&view->references, 1, memory_order_relaxed);
    view->has_nulls = index->has_nulls;
    view->rows = index->rows + first;
    view->owner = dev_buffer_ref(index->owner);
    *out = view;
    return STATUS_OK;
}

status dev_words_new(dev_stream *stream, uint32_t count, dev_buffer **out)
{
    TRY(dev_alloc(stream->dev, count * sizeof(uint64_t), "counters", out));
    status st = stream->dev->ops->zero(stream, (*out)->address, count * sizeof(uint64_t));
    if (st) {
        dev_buffer_unref(*out);
        *out = NULL;
    }
    return st;
}

/* first[second[i]] */
static status tensor_compose(dev_stream *stream, const row_index *first, const row_index *second,
                             dev_count count, row_index **out)
{
    TRY(row_index_new(stream->dev, count.bound, out));
    (*out)->has_nulls = first->has_nulls || second->has_nulls;
    return DEV_LAUNCH(stream, gather_index, .first = first->rows, .second = second->rows,
                      .count = count, .out = (*out)->rows);
}

/* Takes over the reference to index. */
static status make_indexed(tensor *base, uint64_t base_rows, row_index *index, tensor **out)
{
    tensor *t;
    status st = tensor_new(base->type, TENSOR_INDEXED, &t);
    if (st) {
        row_index_unref(index);
        return st;
    }
    t->base = tensor_ref(base);
    t->base_rows = base_rows;
    t->index = index;
    *out = t;
    return STATUS_OK;
}

/* A constant under an index with NULLs: flat, one value or NULL per row. */
static status spread_constant(dev_stream *stream, tensor *constant, row_index *index,
                              dev_count count, tensor **out)
{
    tensor *flat;
    row_index *zeros = NULL;
    TRY(tensor_flatten(stream, constant, dev_count_exact(1), &flat));
    /* The index's numbers are rows of the column: make them 0, the only row, or keep ROW_NULL. */
    status st = row_index_new(stream->dev, count.bound, &zeros);
    if (!st)
        st = DEV_LAUNCH(stream, index_to_zero, .index = index->rows, .count = count,
                        .out = zeros->rows);
    if (st) {
        row_index_unref(zeros);
    } else {
        zeros->has_nulls = true;
        st = make_indexed(flat, 1, zeros, out);
    }
    tensor_unref(flat);
    return st;
}

/* base[index] of a NARROW tensor, whose values are widened first. */
static status index_narrow(dev_stream *stream, const tensor *base, uint64_t base_rows,
                           row_index *index, dev_count count, tensor **out)
{
    tensor *wide;
    TRY(tensor_widen(stream, base, dev_count_exact(base_rows), &wide));
    status st = tensor_new_indexed(stream, wide, base_rows, index, count, out);
    tensor_unref(wide);
    return st;
}

status tensor_new_indexed(dev_stream *stream, tensor *base, uint64_t base_rows, row_index *index,
                          dev_count count, tensor **out)
{
    *out = NULL;
    if (base->form == TENSOR_CONSTANT) {
        if (!index->has_nulls) {
            *out = tensor_ref(base);
            return STATUS_OK;
        }
        return spread_constant(stream, base, index, count, out);
    }
    if (base->form == TENSOR_FLAT)
        return make_indexed(base, base_rows, row_index_ref(index), out);
    if (base->form == TENSOR_NARROW)
        return index_narrow(stream, base, base_rows, index, count, out);
    row_index *composed = NULL;
    status st = tensor_compose(stream, base->index, index, count, &composed);
    if (st) {
        row_index_unref(composed);
        return st;
    }
    TRY(make_indexed(base->base, base->base_rows, composed, out));
    (*out)->is_dictionary = base->is_dictionary;
    return STATUS_OK;
}

bool tensor_has_whole_base(const tensor *t)
{
    const dev_buffer *owner = t->base->values_owner;
    return t->is_dictionary || t->base->is_lasting || (owner && owner->dev->is_host);
}

static status flatten_constant(dev_stream *stream, tensor *t, dev_count count, tensor *flat)
{
    if (t->constant.is_null) {
        if (t->type.width)
            TRY(stream->dev->ops->zero(stream, flat->values,
                                       type_values_bytes(t->type, count.bound)));
        else
            TRY(DEV_LAUNCH(stream, fill, .width = 0, .count = count, .out = flat->values));
        return DEV_LAUNCH(stream, fill, .width = 0, .value_low = 0, .count = count,
                          .out = flat->validity);
    }
    flat->heap = string_heap_ref(t->heap);
    if (!t->type.width)
        return DEV_LAUNCH(stream, fill, .width = 0, .value_low = t->constant.boolean,
                          .count = count, .out = flat->values);
    return DEV_LAUNCH(stream, spread, .width = t->type.width, .source = t->values, .count = count,
                      .out = flat->values);
}

status tensor_gather_at(dev_stream *stream, const tensor *t, dev_count count,
                        tensor_target target_memory, tensor **out)
{
    tensor *flat;
    bool with_validity = t->index->has_nulls || t->base->validity;
    *out = NULL;
    TRY(tensor_new_flat_at(stream->dev, t->type, count.bound, with_validity, target_memory, &flat));
    flat->heap = string_heap_ref(t->base->heap);
    status st =
        DEV_LAUNCH(stream, gather, .width = t->type.width, .index_has_nulls = t->index->has_nulls,
                   .base_rows = t->base_rows, .base = t->base->values,
                   .base_validity = t->base->validity, .index = t->index->rows, .count = count,
                   .out = flat->values, .out_validity = flat->validity);
    if (st) {
        tensor_unref(flat);
        return st;
    }
    *out = flat;
    return STATUS_OK;
}

status tensor_new_narrow(data_type type, dev_buffer *owner, void *values,
                         const narrow_values *narrow, tensor **out)
{
    assert(owner->dev->is_host); /* lazy devices never see one */
    assert(narrow->width == 1 || narrow->width == 2 || narrow->width == 4);
    TRY(tensor_new(type, TENSOR_NARROW, out));
    (*out)->values = values;
    (*out)->values_owner = dev_buffer_ref(owner);
    (*out)->narrow = *narrow;
    dev_buffer_ref(narrow->bounds_owner);
    return STATUS_OK;
}

static status widen_codes(dev_stream *stream, const tensor *t, dev_count count, tensor **out)
{
    row_index *codes;
    TRY(row_index_new(stream->dev, count.bound, &codes));
    codes->has_nulls = t->narrow.has_null_codes;
    status st = DEV_LAUNCH(stream, widen_index, .width = t->narrow.width, .index = t->values,
                           .count = count, .out = codes->rows);
    if (st) {
        row_index_unref(codes);
        return st;
    }
    TRY(make_indexed(t->base, t->base_rows, codes, out));
    (*out)->is_dictionary = true;
    return STATUS_OK;
}

static status widen_numbers(dev_stream *stream, const tensor *t, dev_count count, tensor **out)
{
    tensor *flat;
    TRY(tensor_new_flat(stream->dev, t->type, count.bound, false, &flat));
    flat->validity = t->validity;
    flat->validity_owner = dev_buffer_ref(t->validity_owner);
    status st = DEV_LAUNCH(stream, widen, .width = t->narrow.width, .out_width = t->type.width,
                           .origin_low = (uint64_t)t->narrow.origin,
                           .origin_high = (uint64_t)(t->narrow.origin >> 64), .values = t->values,
                           .count = count, .out = flat->values);
    if (st) {
        tensor_unref(flat);
        return st;
    }
    *out = flat;
    return STATUS_OK;
}

status tensor_widen(dev_stream *stream, const tensor *t, dev_count count, tensor **out)
{
    *out = NULL;
    assert(t->form == TENSOR_NARROW && stream->dev->is_host);
    return t->base ? widen_codes(stream, t, count, out) : widen_numbers(stream, t, count, out);
}

static status flatten_narrow(dev_stream *stream, const tensor *t, dev_count count, tensor **out)
{
    tensor *codes;
    if (!t->base)
        return widen_numbers(stream, t, count, out);
    TRY(widen_codes(stream, t, count, &codes));
    status st = tensor_gather_at(stream, codes, count, (tensor_target){0}, out);
    tensor_unref(codes);
    return st;
}

status tensor_flatten(dev_stream *stream, tensor *t, dev_count count, tensor **out)
{
    *out = NULL;
    if (t->form == TENSOR_FLAT) {
        *out = tensor_ref(t);
        return STATUS_OK;
    }
    if (t->form == TENSOR_INDEXED)
        return tensor_gather_at(stream, t, count, (tensor_target){0}, out);
    if (t->form == TENSOR_NARROW)
        return flatten_narrow(stream, t, count, out);
    tensor *flat;
    TRY(tensor_new_flat(stream->dev, t->type, count.bound, t->constant.is_null, &flat));
    status st = flatten_constant(stream, t, count, flat);
    if (st) {
        tensor_unref(flat);
        return st;
    }
    *out = flat;
    return STATUS_OK;
}
