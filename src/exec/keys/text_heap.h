/* text_heap.h - memory for the bytes of long strings that outlive the chunks they came in. */
#ifndef PISTACHIO_EXEC_KEYS_TEXT_HEAP_H
#define PISTACHIO_EXEC_KEYS_TEXT_HEAP_H

#include "exec/sched/operator.h"

typedef struct text_heap {
    ARRAY(dev_buffer *) buffers; /* the last one is being filled */
    uint64_t used, bytes;        /* of the last one; of all */
    dev_buffer *words;           /* [0]: used, on the device */
} text_heap;

void text_heap_release(text_heap *heap);
/* Room for `bytes` more in the last buffer. */
CHECKED status text_heap_reserve(text_heap *heap, dev_stream *stream, const char *who,
                                 uint64_t bytes);
/* Learns how much a kernel has used. */
CHECKED status text_heap_settle(text_heap *heap, dev_stream *stream);
static inline char *text_heap_address(const text_heap *heap)
{
    return heap->buffers.count ? heap->buffers.items[heap->buffers.count - 1]->address : NULL;
}
/* Lets what refers to another heap's text outlive it. */
CHECKED status text_heap_share_string(text_heap *heap, const string_heap *other);
CHECKED status text_heap_share(text_heap *heap, const text_heap *other);
/* For a tensor of text; NULL for none. */
CHECKED status text_heap_view(const text_heap *heap, string_heap **out);

#endif
