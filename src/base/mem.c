/* mem.c - the one place that calls malloc: counts blocks and lets tests make each call fail. */
#include "base/mem.h"

#include "base/fault.h"

#include <stdatomic.h>
#include <stdlib.h>

static _Atomic uint64_t blocks_in_use;

static void *mem_counted(void *memory)
{
    if (memory)
        atomic_fetch_add_explicit(&blocks_in_use, 1, memory_order_relaxed);
    return memory;
}

void *mem_new(size_t bytes)
{
    if (fault_check(FAULT_ALLOC))
        return NULL;
    return mem_counted(calloc(1, bytes ? bytes : 1));
}

void *mem_new_array(size_t count, size_t item_bytes)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, item_bytes, &bytes))
        return NULL;
    return mem_new(bytes);
}

void *mem_resize(void *memory, size_t bytes)
{
    if (fault_check(FAULT_ALLOC))
        return NULL;
    void *resized = realloc(memory, bytes ? bytes : 1);
    return memory ? resized : mem_counted(resized);
}

char *mem_copy_text(const char *text, size_t bytes)
{
    char *copy = bytes < SIZE_MAX ? mem_new(bytes + 1) : NULL;
    if (copy && bytes)
        memcpy(copy, text, bytes);
    return copy;
}

void mem_free(void *memory)
{
    if (!memory)
        return;
    atomic_fetch_sub_explicit(&blocks_in_use, 1, memory_order_relaxed);
    free(memory);
}

uint64_t mem_in_use(void)
{
    return atomic_load_explicit(&blocks_in_use, memory_order_relaxed);
}

status array_reserve_(arena *a, void **items, size_t *capacity, size_t count, size_t more,
                      size_t item_bytes)
{
    size_t needed, bytes;
    if (__builtin_add_overflow(count, more, &needed))
        return status_no_memory("array", SIZE_MAX);
    if (needed <= *capacity)
        return STATUS_OK;

    size_t grown = *capacity + *capacity / 2 + 8;
    if (grown < needed)
        grown = needed;
    if (__builtin_mul_overflow(grown, item_bytes, &bytes))
        return status_no_memory("array", SIZE_MAX);

    void *memory = a ? arena_alloc(a, bytes) : mem_resize(*items, bytes);
    if (!memory)
        return status_no_memory("array", bytes);
    if (a && count)
        memcpy(memory, *items, count * item_bytes);
    *items = memory;
    *capacity = grown;
    return STATUS_OK;
}
