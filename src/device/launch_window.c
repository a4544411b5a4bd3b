/* launch_window.c - which commands come after which, and which become one. */
#include "device/launch_window.h"

#include <string.h>
#include <sys/mman.h>

static window_set bit(unsigned i)
{
    return (window_set)1 << i;
}

/* The first of a set that has some. */
static unsigned launch_window_first_of(window_set set)
{
    uint64_t low = (uint64_t)set;
    return low ? (unsigned)__builtin_ctzll(low)
               : 64 + (unsigned)__builtin_ctzll((uint64_t)(set >> 64));
}

static int size_of(window_set set)
{
    return __builtin_popcountll((uint64_t)set) + __builtin_popcountll((uint64_t)(set >> 64));
}

/* ---- adding ---- */

bool window_has_room(const launch_window *w, unsigned use_count)
{
    return w->count < WINDOW_COMMANDS && w->block_count + use_count <= WINDOW_BLOCKS / 2;
}

static window_block *block_entry(launch_window *w, uint32_t block)
{
    unsigned at = block * 0x9e3779b1u >> 16 & (WINDOW_BLOCKS - 1);
    while (w->blocks[at].is_there && w->blocks[at].block != block)
        at = (at + 1) & (WINDOW_BLOCKS - 1);
    if (!w->blocks[at].is_there) {
        w->blocks[at] = (window_block){.block = block, .is_there = true};
        w->block_count++;
    }
    return &w->blocks[at];
}

/* Finds the block's users; NULL: it has none. */
static const window_block *find_block(const launch_window *w, uint32_t block)
{
    unsigned at = block * 0x9e3779b1u >> 16 & (WINDOW_BLOCKS - 1);
    while (w->blocks[at].is_there && w->blocks[at].block != block)
        at = (at + 1) & (WINDOW_BLOCKS - 1);
    return w->blocks[at].is_there ? &w->blocks[at] : NULL;
}

bool window_may_pass(const launch_window *w, uint32_t target)
{
    const window_block *unknown = find_block(w, 0);
    return target && !find_block(w, target) && !(unknown && unknown->users[USE_WRITE]);
}

static void add_after(launch_window *w, window_set after, uint32_t group, void *command)
{
    unsigned i = w->count++;
    w->after[i] = after;
    w->group[i] = group;
    w->command[i] = command;
    w->left |= bit(i);
}

/* The commands that use the blocks before number w->count, which uses them as well. */
static window_set use_blocks(launch_window *w, const window_use *uses, unsigned use_count)
{
    window_set after = 0, own = bit(w->count);
    for (unsigned k = 0; k < use_count; k++) {
        window_block *b = block_entry(w, uses[k].block);
        for (use_kind kind = 0; kind < USE_KINDS; kind++)
            after |= kind != uses[k].kind || kind == USE_WRITE ? b->users[kind] : 0;
        b->users[uses[k].kind] |= own;
    }
    return after & ~own;
}

void window_add(launch_window *w, uint32_t group, void *command, const window_use *uses,
                unsigned use_count)
{
    add_after(w, use_blocks(w, uses, use_count) | w->copies, group, command);
}

void window_add_copy(launch_window *w, uint32_t group, void *command, const window_use *uses,
                     unsigned use_count)
{
    window_set after = use_blocks(w, uses, use_count);
    w->copies |= bit(w->count);
    add_after(w, after, group, command);
}

void window_add_last(launch_window *w, uint32_t group, void *command)
{
    add_after(w, w->left, group, command);
}

/* ---- taking ---- */

static window_set ready_commands(const launch_window *w)
{
    window_set ready = 0;
    for (window_set left = w->left; left; left &= left - 1) {
        unsigned i = launch_window_first_of(left);
        if (!(w->after[i] & w->left))
            ready |= bit(i);
    }
    return ready;
}

static window_set of_group(const launch_window *w, uint32_t group)
{
    window_set same = 0;
    for (window_set left = w->left; left; left &= left - 1)
        if (w->group[launch_window_first_of(left)] == group)
            same |= left & -left;
    return same;
}

/* Returns, of the commands that can be done now, those of the group of which the fewest must come later. */
static window_set next_commands(const launch_window *w)
{
    window_set ready = ready_commands(w), best = 0;
    int fewest = WINDOW_COMMANDS + 1;
    for (window_set open = ready; open && fewest;) {
        window_set same = of_group(w, w->group[launch_window_first_of(open)]);
        int later = size_of(same & ~ready);
        if (later < fewest) {
            best = same & ready;
            fewest = later;
        }
        open &= ~same;
    }
    return best;
}

unsigned window_take(launch_window *w, unsigned most, void **out)
{
    unsigned count = 0;
    for (window_set next = next_commands(w); next && count < most; next &= next - 1) {
        unsigned i = launch_window_first_of(next);
        out[count++] = w->command[i];
        w->left &= ~bit(i);
    }
    if (!w->left && w->count) {
        w->count = 0;
        w->block_count = 0;
        w->copies = 0;
        memset(w->blocks, 0, sizeof w->blocks);
    }
    return count;
}

/* ---- what a launch uses ---- */

#define END UINT16_MAX
#define KIND_SHIFT 14
#define OFFSET_MASK ((1u << KIND_SHIFT) - 1)

/* Offsets of addresses in the arguments; a pointer that is not to const is written through. */
#define POINTER(type, name)                                                                        \
    (uint16_t)(offsetof(arguments, name) |                                                         \
               (unsigned)_Generic((type *)NULL, dev_error *: USE_REPORT,                           \
                                  default: _Generic(true ? (type *)NULL : (void *)1,               \
                                                    const void *: USE_READ, void *: USE_WRITE))    \
                   << KIND_SHIFT),
#define VALUE(type, name)
#define COUNT(name) offsetof(arguments, name.actual),
#define KERNEL(name, ...)                                                                          \
    static const uint16_t *uses_##name(void)                                                       \
    {                                                                                              \
        typedef name##_arguments arguments;                                                        \
        static const uint16_t list[] = {__VA_ARGS__ END};                                          \
        static_assert(sizeof(arguments) <= OFFSET_MASK &&                                          \
                          sizeof list / sizeof *list <= KERNEL_USES,                               \
                      "a kernel has more");                                                        \
        return list;                                                                               \
    }
#include "device/kernels/kernels.def"
#undef KERNEL
#undef POINTER
#undef VALUE
#undef COUNT

static const uint16_t *(*const uses_of[DEV_KERNEL_COUNT])(void) = {
#define KERNEL(name, ...) [DEV_KERNEL_##name] = uses_##name,
#include "device/kernels/kernels.def"
#undef KERNEL
};

unsigned kernel_uses(dev_kernel_id kernel, const void *arguments, kernel_use *out)
{
    unsigned count = 0;
    for (const uint16_t *at = uses_of[kernel](); *at != END; at++) {
        const void *address;
        memcpy(&address, (const char *)arguments + (*at & OFFSET_MASK), sizeof address);
        if (address)
            out[count++] = (kernel_use){address, *at >> KIND_SHIFT};
    }
    return count;
}

/* ---- where blocks begin ---- */

status block_starts_open(block_starts *list, size_t room)
{
    void *memory = mmap(NULL, room * sizeof *list->starts, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return status_no_memory("list of blocks", room * sizeof *list->starts);
    list->starts = memory;
    list->room = room;
    return STATUS_OK;
}

void block_starts_close(block_starts *list)
{
    if (list->starts)
        munmap(list->starts, list->room * sizeof *list->starts);
    list->starts = NULL;
}

bool block_starts_add(block_starts *list, const void *address)
{
    uint32_t count = atomic_load_explicit(&list->count, memory_order_relaxed);
    if (count >= list->room)
        return false;
    list->starts[count] = (uintptr_t)address;
    atomic_store_explicit(&list->count, count + 1, memory_order_release);
    return true;
}

uint32_t block_starts_find(const block_starts *list, const void *address)
{
    uint32_t low = 0, high = atomic_load_explicit(&list->count, memory_order_acquire);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list->starts[middle] <= (uintptr_t)address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
