/* mem.h - host memory: checked allocations that are counted, arenas, and budgets.
 *
 * Only src/base calls malloc. Small objects that live as long as a statement or a plan come from
 * an arena; column data comes from a device (device.h), never from here. */
#ifndef PISTACHIO_BASE_MEM_H
#define PISTACHIO_BASE_MEM_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Zeroed memory, or NULL. Thread-safe; each call can be made to fail by fault.h. */
void *mem_new(size_t bytes);
/* count * item_bytes zeroed bytes, or NULL, also when the product overflows. */
void *mem_new_array(size_t count, size_t item_bytes);
/* As realloc; new bytes are not zeroed. On NULL the old block is untouched. */
void *mem_resize(void *memory, size_t bytes);
/* A copy of `bytes` bytes plus a closing NUL, or NULL. */
char *mem_copy_text(const char *text, size_t bytes);
void mem_free(void *memory);
/* Blocks not yet freed, for tests that look for leaks. */
uint64_t mem_in_use(void);

/* ---- arena: many small objects, freed together. Not thread-safe. ---- */

typedef struct arena arena;

CHECKED status arena_new(arena **out);
void arena_free(arena *a); /* takes NULL; runs the callbacks, last added first */
/* Zeroed, 16-byte aligned memory, or NULL. */
void *arena_alloc(arena *a, size_t bytes);
void *arena_alloc_array(arena *a, size_t count, size_t item_bytes);
/* A copy of `bytes` bytes plus a closing NUL, or NULL. */
char *arena_copy_text(arena *a, const char *text, size_t bytes);
/* Formatted text, or NULL. */
char *arena_format(arena *a, const char *format, ...) PRINTF_LIKE(2, 3);
/* Returns the bytes of its blocks, used or not. */
uint64_t arena_bytes(const arena *a);
/* release(object) is called by arena_free, for what is not memory. */
CHECKED status arena_on_free(arena *a, void (*release)(void *object), void *object);

/* ---- growing arrays ----
 * A struct with `items`, `count` and `capacity` is an array: ARRAY(int) numbers = {0};
 * With an arena the items live in it; with NULL they are mem_resize'd and the owner calls
 * array_release. Macros evaluate each argument once. */

#define ARRAY(type)                                                                                \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t count, capacity;                                                                    \
    }

/* Makes room for `more` further items. */
#define array_reserve(a, array, more)                                                              \
    ({                                                                                             \
        __auto_type array_room_ = (array);                                                         \
        array_reserve_((a), (void **)&array_room_->items, &array_room_->capacity,                  \
                       array_room_->count, (more), sizeof *array_room_->items);                    \
    })
/* Appends an item: status. */
#define array_push(a, array, item)                                                                 \
    ({                                                                                             \
        __auto_type array_ = (array);                                                              \
        status array_status_ = array_reserve((a), array_, 1);                                      \
        if (!array_status_)                                                                        \
            array_->items[array_->count++] = (item);                                               \
        array_status_;                                                                             \
    })
#define array_release(array)                                                                       \
    do {                                                                                           \
        mem_free((array)->items);                                                                  \
        (array)->items = NULL;                                                                     \
        (array)->count = (array)->capacity = 0;                                                    \
    } while (0)

CHECKED status array_reserve_(arena *a, void **items, size_t *capacity, size_t count, size_t more,
                              size_t item_bytes);

/* ---- budget: a hard bound on bytes, shared by threads ---- */

typedef struct mem_budget mem_budget;

/* limit_bytes 0: no limit, still counted. With one reference. */
CHECKED status mem_budget_new(uint64_t limit_bytes, mem_budget **out);
/* Makes a budget of a limit that another setting than memory_limit gives; its name is static text. */
CHECKED status mem_budget_new_of(const char *setting, uint64_t limit_bytes, mem_budget **out);
mem_budget *mem_budget_ref(mem_budget *budget);
/* Gives a reference up; the budget goes with the last one. Takes NULL. Any thread. */
void mem_budget_free(mem_budget *budget);
/* Takes `bytes` out of the budget; `who` names the holder in the error ("join build", ...). */
CHECKED status mem_budget_take(mem_budget *budget, uint64_t bytes, const char *who);
void mem_budget_give(mem_budget *budget, uint64_t bytes);
/* Hands so many bytes that were taken over to somebody outside, who keeps them as long as he likes: they leave the
 * budget and are counted apart, until they are given back as such. */
void mem_budget_export(mem_budget *budget, uint64_t bytes);
/* Bytes that were never taken, likewise. */
void mem_budget_add_exported(mem_budget *budget, uint64_t bytes);
void mem_budget_give_exported(mem_budget *budget, uint64_t bytes);
uint64_t mem_budget_exported(const mem_budget *budget);
uint64_t mem_budget_used(const mem_budget *budget);
uint64_t mem_budget_peak(const mem_budget *budget);
uint64_t mem_budget_limit(const mem_budget *budget);

#endif
