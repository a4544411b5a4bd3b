/* json_memory.c - blocks from the engine's memory, each at least twice as large as the one before. */
#include "device/host/json/json_memory.h"

#define BLOCK_BYTES_MIN 16384
#define ALIGNMENT 16

static size_t json_aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static void json_block_free(json_memory *m, json_block *block)
{
    if (m->budget)
        mem_budget_give(m->budget, block->bytes);
    mem_free(block);
}

static status json_block_add(json_memory *m, size_t bytes)
{
    size_t header = json_aligned(sizeof(json_block));
    size_t wanted = m->blocks ? m->blocks->bytes * 2 : BLOCK_BYTES_MIN;
    if (bytes > SIZE_MAX / 2 - header)
        return status_no_memory("JSON", bytes);
    wanted = wanted < bytes + header ? bytes + header : wanted;
    if (m->budget)
        TRY(mem_budget_take(m->budget, wanted, "JSON"));
    json_block *block = mem_resize(NULL, wanted);
    if (!block) {
        if (m->budget)
            mem_budget_give(m->budget, wanted);
        return status_no_memory("JSON", wanted);
    }
    *block = (json_block){m->blocks, wanted};
    m->blocks = block;
    m->at = (char *)block + header;
    m->end = (char *)block + wanted;
    return STATUS_OK;
}

static void *json_allocate(void *context, size_t bytes)
{
    json_memory *m = context;
    bytes = json_aligned(bytes);
    if (m->failure)
        return NULL;
    if (!m->blocks || (size_t)(m->end - m->at) < bytes)
        m->failure = json_block_add(m, bytes);
    if (m->failure)
        return NULL;
    m->last = m->at;
    m->at += bytes;
    return m->last;
}

static void *json_reallocate(void *context, void *old, size_t old_bytes, size_t bytes)
{
    json_memory *m = context;
    if (old == m->last && (size_t)(m->end - m->last) >= json_aligned(bytes)) {
        m->at = m->last + json_aligned(bytes);
        return old;
    }
    void *moved = json_allocate(m, bytes);
    if (moved)
        memcpy(moved, old, old_bytes < bytes ? old_bytes : bytes);
    return moved;
}

static void json_give_back(void *context, void *old)
{
    json_memory *m = context;
    if (old && old == m->last)
        m->at = m->last;
}

void json_memory_init(json_memory *m, mem_budget *budget)
{
    *m = (json_memory){.budget = budget};
    m->alc = (yyjson_alc){json_allocate, json_reallocate, json_give_back, m};
}

void json_memory_reset(json_memory *m)
{
    json_block *largest = m->blocks;
    if (!largest)
        return;
    while (largest->next) {
        json_block *block = largest->next;
        largest->next = block->next;
        json_block_free(m, block);
    }
    m->at = (char *)largest + json_aligned(sizeof *largest);
    m->end = (char *)largest + largest->bytes;
    m->last = NULL;
}

void json_memory_release(json_memory *m)
{
    json_memory_reset(m);
    if (m->blocks)
        json_block_free(m, m->blocks);
    m->blocks = NULL;
    status_free(m->failure);
    m->failure = NULL;
}

status json_memory_failed(json_memory *m)
{
    status st = m->failure;
    m->failure = NULL;
    return st ? st : status_no_memory("JSON", 0);
}
