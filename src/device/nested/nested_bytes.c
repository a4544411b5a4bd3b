/* nested_bytes.c - nested values as bytes, and back: device/nested_pack.h. */
#include "device/nested/nested_build.h"
#include "device/nested_pack.h"

#define WHO "nested values"

status compute_to_key(const nested_args *c, tensor **out)
{
    return nested_pack(c->stream->dev, c->args[0], 0, c->count, NESTED_KEYS, WHO, out);
}

status compute_to_bytes(const nested_args *c, tensor **out)
{
    return nested_pack(c->stream->dev, c->args[0], 0, c->count, NESTED_EXACT, WHO, out);
}

status compute_from_key(const nested_args *c, tensor **out)
{
    return nested_unpack(c->stream->dev, c->type, c->args[0], c->count, NESTED_KEYS, WHO, out);
}

status compute_from_bytes(const nested_args *c, tensor **out)
{
    return nested_unpack(c->stream->dev, c->type, c->args[0], c->count, NESTED_EXACT, WHO, out);
}

/* The texts with the byte after each that ends a list. */
static status end_lists(const nested_args *c, tensor **out)
{
    const string_view *texts = c->args[0]->values;
    uint64_t bytes = 0;
    dev_buffer *heap;
    for (uint64_t i = 0; i < c->count; i++)
        bytes += texts[i].bytes + 1;
    TRY(tensor_new_flat(c->stream->dev, c->args[0]->type, c->count, false, out));
    (*out)->validity = c->args[0]->validity;
    (*out)->validity_owner = dev_buffer_ref(c->args[0]->validity_owner);
    TRY(dev_alloc(c->stream->dev, bytes + 1, WHO, &heap));
    char *at = heap->address;
    for (uint64_t i = 0; i < c->count; i++) {
        if (texts[i].bytes)
            memcpy(at, string_data(&texts[i]), texts[i].bytes);
        at[texts[i].bytes] = 0;
        ((string_view *)(*out)->values)[i] = string_view_make(at, texts[i].bytes + 1);
        at += texts[i].bytes + 1;
    }
    return string_heap_new(&heap, 1, &(*out)->heap);
}

/* A list of elements whose bytes are those of structs of one field: they are a list's but for its end. */
status compute_from_elements(const nested_args *c, tensor **out)
{
    tensor *texts = NULL;
    status st = end_lists(c, &texts);
    if (!st)
        st = nested_unpack(c->stream->dev, c->type, texts, c->count, NESTED_EXACT, WHO, out);
    tensor_unref(texts);
    return st;
}
