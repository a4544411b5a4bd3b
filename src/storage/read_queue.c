/* read_queue.c - see read_queue.h. */
#include "storage/read_queue.h"

#include <stdatomic.h>
#include <stddef.h>

/* Bytes up to which a statement is a short one, and a middling one. */
#define SHORT_BYTES ((uint64_t)32 << 20)
#define MIDDLING_BYTES ((uint64_t)512 << 20)

/* Finds the list of who reads: its own, else one that is nobody's, else one of another's. */
static read_list *read_queue_list(read_queue *queue, const read_share *share)
{
    read_list *empty = NULL;
    for (read_list *list = queue->lists; list < queue->lists + READ_LISTS; list++) {
        if (list->first && list->share == share)
            return list;
        if (!list->first && !empty)
            empty = list;
    }
    return empty ? empty : &queue->lists[(uintptr_t)share / sizeof(void *) % READ_LISTS];
}

void read_queue_put(read_queue *queue, read_item *item)
{
    read_list *list = read_queue_list(queue, item->share);
    if (!list->first)
        *list = (read_list){item->share, queue->pass, NULL, &list->first};
    item->next = NULL;
    *list->last = item;
    list->last = &item->next;
}

/* Counts bytes as read for whoever reads. Returns how far that brings its list on. */
static uint64_t read_share_count(read_share *share, uint64_t bytes)
{
    if (!share)
        return bytes;
    uint64_t all = atomic_fetch_add_explicit(&share->bytes, bytes, memory_order_relaxed);
    return bytes * (all < SHORT_BYTES ? 1 : all < MIDDLING_BYTES ? 4 : 16);
}

read_item *read_queue_take(read_queue *queue)
{
    read_list *next = NULL;
    for (read_list *list = queue->lists; list < queue->lists + READ_LISTS; list++)
        if (list->first && (!next || list->pass < next->pass))
            next = list;
    if (!next)
        return NULL;
    read_item *item = next->first;
    queue->pass = next->pass;
    next->pass += read_share_count(item->share, item->bytes);
    next->first = item->next;
    if (!next->first)
        next->last = &next->first;
    return item;
}
