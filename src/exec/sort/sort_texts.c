/* sort_texts.c - see sort_texts.h. */
#include "exec/sort/sort_texts.h"

#include "base/system/mutex.h"

#include <string.h>
#include <xxhash.h>

#define SLOT_MASK (2 * (SORT_TEXTS_MAX + 1) - 1)

status sort_texts_new(device *host, data_type type, sort_texts **out)
{
    *out = NULL;
    sort_texts *texts = mem_new(sizeof *texts);
    if (!texts)
        return status_no_memory("sort", sizeof *texts);
    mutex_init(&texts->lock);
    texts->type = type;
    status st = dev_alloc(host, SORT_TEXTS_MAX * SORT_TEXT_BYTES, "sort", &texts->bytes);
    if (!st) {
        dev_buffer *held = dev_buffer_ref(texts->bytes);
        st = string_heap_new(&held, 1, &texts->heap);
    }
    if (st) {
        sort_texts_free(texts);
        return st;
    }
    *out = texts;
    return STATUS_OK;
}

void sort_texts_free(sort_texts *texts)
{
    if (!texts)
        return;
    tensor_unref(texts->all);
    string_heap_unref(texts->heap);
    dev_buffer_unref(texts->bytes);
    mutex_destroy(&texts->lock);
    mem_free(texts);
}

static bool sort_texts_is_same(const string_view *left, const string_view *right)
{
    return left->bytes == right->bytes &&
           !memcmp(string_data(left), string_data(right), left->bytes);
}

/* The text becomes one of the sort's own. */
static string_view sort_texts_own(sort_texts *texts, const string_view *view)
{
    if (view->bytes <= STRING_INLINE_BYTES)
        return *view;
    char *place = (char *)texts->bytes->address + texts->used;
    memcpy(place, view->data, view->bytes);
    texts->used += view->bytes;
    return string_view_make(place, view->bytes);
}

/* Under the lock. False: there is no room for it. */
static bool number_one(sort_texts *texts, const string_view *view, uint8_t *out)
{
    uint64_t at = XXH3_64bits(string_data(view), view->bytes) & SLOT_MASK;
    for (; texts->slots[at]; at = (at + 1) & SLOT_MASK) {
        *out = (uint8_t)(texts->slots[at] - 1);
        if (sort_texts_is_same(&texts->texts[*out], view))
            return true;
    }
    if (texts->count == SORT_TEXTS_MAX || view->bytes > SORT_TEXT_BYTES || texts->all)
        return false;
    *out = (uint8_t)texts->count++;
    texts->texts[*out] = sort_texts_own(texts, view);
    texts->slots[at] = (uint8_t)(*out + 1);
    return true;
}

bool sort_texts_number(sort_texts *texts, const string_view *views, uint64_t count, uint8_t *out)
{
    bool is_known = count <= SORT_TEXTS_MAX;
    mutex_lock(&texts->lock);
    for (uint64_t i = 0; i < count && is_known; i++)
        is_known = number_one(texts, &views[i], &out[i]);
    mutex_unlock(&texts->lock);
    return is_known;
}

static status sort_texts_make_column(const sort_texts *texts, device *host, tensor **out)
{
    TRY(tensor_new_flat(host, texts->type, texts->count + 1, false, out));
    memset((*out)->values, 0, (texts->count + 1) * sizeof *texts->texts);
    memcpy((*out)->values, texts->texts, texts->count * sizeof *texts->texts);
    (*out)->heap = string_heap_ref(texts->heap);
    return STATUS_OK;
}

status sort_texts_column(sort_texts *texts, device *host, tensor **out)
{
    status st = STATUS_OK;
    mutex_lock(&texts->lock);
    if (!texts->all)
        st = sort_texts_make_column(texts, host, &texts->all);
    *out = st ? NULL : tensor_ref(texts->all);
    mutex_unlock(&texts->lock);
    return st;
}
