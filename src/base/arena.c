/* arena.c - many small objects, freed together.
 *
 *   newest block            older blocks
 *   +------+------+----+    +------+-----------+
 *   | used | used |free| -> | used | (left over)| -> NULL
 *   +------+------+----+    +------+-----------+
 *
 * Blocks double from 4 KiB to 1 MiB; an object that is larger than a quarter of the next block
 * gets a block of its own behind the newest one, whose free room stays in use. Memory beyond
 * what was handed out is poisoned under AddressSanitizer. */
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISONS 1
#endif
#endif

#ifdef ARENA_POISONS
#include <sanitizer/asan_interface.h>
#define ARENA_REDZONE_BYTES 16
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ARENA_REDZONE_BYTES 0
#endif

#define BLOCK_BYTES_MIN ((size_t)4 << 10)
#define BLOCK_BYTES_MAX ((size_t)1 << 20)
#define ALIGNMENT ((size_t)16)

typedef struct block {
    struct block *older;
    size_t bytes, used; /* of data */
    _Alignas(16) char data[];
} block;

typedef struct callback {
    struct callback *older;
    void (*release)(void *object);
    void *object;
} callback;

struct arena {
    block *newest;
    callback *callbacks;
    size_t next_bytes;
};

status arena_new(arena **out)
{
    *out = NULL;
    arena *a = mem_new(sizeof *a);
    if (!a)
        return status_no_memory("arena", sizeof *a);
    a->next_bytes = BLOCK_BYTES_MIN;
    *out = a;
    return STATUS_OK;
}

void arena_free(arena *a)
{
    if (!a)
        return;
    for (callback *c = a->callbacks; c; c = c->older)
        c->release(c->object);
    for (block *b = a->newest; b;) {
        block *older = b->older;
        ASAN_UNPOISON_MEMORY_REGION(b->data, b->bytes);
        mem_free(b);
        b = older;
    }
    mem_free(a);
}

/* A block with room for `bytes`, already linked in; NULL without memory. */
static block *arena_add_block(arena *a, size_t bytes)
{
    bool is_own = bytes > a->next_bytes / 4;
    size_t room = is_own ? bytes : a->next_bytes;
    block *b = mem_new(sizeof *b + room);
    if (!b)
        return NULL;
    b->bytes = room;
    ASAN_POISON_MEMORY_REGION(b->data, room);
    if (is_own && a->newest) {
        b->older = a->newest->older;
        a->newest->older = b;
    } else {
        b->older = a->newest;
        a->newest = b;
    }
    if (!is_own && a->next_bytes < BLOCK_BYTES_MAX)
        a->next_bytes *= 2;
    return b;
}

void *arena_alloc(arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    size_t taken = (bytes + ARENA_REDZONE_BYTES + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    block *b = a->newest;
    if (!b || b->bytes - b->used < taken) {
        b = arena_add_block(a, taken);
        if (!b)
            return NULL;
    }
    char *memory = b->data + b->used;
    b->used += taken;
    ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
    return memory;
}

void *arena_alloc_array(arena *a, size_t count, size_t item_bytes)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, item_bytes, &bytes))
        return NULL;
    return arena_alloc(a, bytes);
}

char *arena_copy_text(arena *a, const char *text, size_t bytes)
{
    char *copy = bytes < SIZE_MAX ? arena_alloc(a, bytes + 1) : NULL;
    if (copy && bytes)
        memcpy(copy, text, bytes);
    return copy;
}

char *arena_format(arena *a, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        return NULL;

    char *text = arena_alloc(a, (size_t)length + 1);
    if (!text)
        return NULL;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

uint64_t arena_bytes(const arena *a)
{
    uint64_t bytes = sizeof *a;
    for (const block *b = a->newest; b; b = b->older)
        bytes += sizeof *b + b->bytes;
    return bytes;
}

status arena_on_free(arena *a, void (*release)(void *object), void *object)
{
    callback *c = arena_alloc(a, sizeof *c);
    if (!c)
        return status_no_memory("arena callback", sizeof *c);
    c->release = release;
    c->object = object;
    c->older = a->callbacks;
    a->callbacks = c;
    return STATUS_OK;
}
