/* launch_window.h - inside lazy devices: commands of a stream that it has not begun, put together.
 *
 * What a stream is told to do is kept for a while. Of the commands that need nothing of each other
 * those of one kernel become one launch: the columns of a chunk are decoded, gathered, hashed and
 * added up by one launch each, though operators know of one column at a time. Who needs what is seen
 * from the memory that arguments point to: a command comes after those before it that write what it
 * reads or writes, or read what it writes. Of a block of memory all is one. Texts are found by the
 * addresses in views: a launch comes after all copies before it, which may have brought the bytes apart
 * from the views. Kernels write bytes and views in one launch.
 *
 * A window has no lock: its stream's owner sees to it that one thread at a time uses it. */
#ifndef PISTACHIO_DEVICE_LAUNCH_WINDOW_H
#define PISTACHIO_DEVICE_LAUNCH_WINDOW_H

#include "device/device.h"

#define WINDOW_COMMANDS 128
#define WINDOW_BLOCKS 512 /* a power of two */

typedef uint128 window_set; /* bit i: command i */

typedef enum use_kind {
    USE_READ,
    USE_REPORT, /* writes a failure, of which any may be the one that stays: in any order */
    USE_WRITE   /* or reads and writes */
} use_kind;
#define USE_KINDS (USE_WRITE + 1)

/* A block of memory that a command uses. 0: any that the device does not know. */
typedef struct window_use {
    uint32_t block;
    use_kind kind;
} window_use;

typedef struct window_block {
    uint32_t block;
    bool is_there;
    window_set users[USE_KINDS];
} window_block;

typedef struct launch_window {
    unsigned count;
    window_set left;   /* those that have not been taken */
    window_set copies; /* of what is in the window */
    window_set after[WINDOW_COMMANDS];
    uint32_t group[WINDOW_COMMANDS];
    void *command[WINDOW_COMMANDS];
    unsigned block_count;
    window_block blocks[WINDOW_BLOCKS];
} launch_window;

/* Whether there is room for a command of so many uses; if not, everything is to be taken first. */
bool window_has_room(const launch_window *w, unsigned use_count);
/* A launch: those of one group may become one. There is room. */
void window_add(launch_window *w, uint32_t group, void *command, const window_use *uses,
                unsigned use_count);
/* Returns whether a copy of the host's bytes may be begun at once, before all that is in the window: nothing there uses the block that it
 * writes, nor writes memory of the host's. It takes no place in the window then, where a chunk's copies would leave none for
 * launches. */
bool window_may_pass(const launch_window *w, uint32_t target);
/* A copy, or what else brings bytes and does not look for texts: of a group of its own. */
void window_add_copy(launch_window *w, uint32_t group, void *command, const window_use *uses,
                     unsigned use_count);
/* One that comes after all that are there. */
void window_add_last(launch_window *w, uint32_t group, void *command);
/* The next commands to be done, as one: at most `most` (WINDOW_COMMANDS at most) of one group, in the
 * order in which they came. 0: the window is empty, and can be added to. */
unsigned window_take(launch_window *w, unsigned most, void **out);

/* ---- what a launch uses ---- */

#define KERNEL_USES 40 /* more than any kernel has */
typedef struct kernel_use {
    const void *address;
    use_kind kind;
} kernel_use;

/* The addresses among a launch's arguments. Their number. */
unsigned kernel_uses(dev_kernel_id kernel, const void *arguments, kernel_use *out);

/* ---- where blocks of memory begin ----
 * Blocks of one range of addresses, made one behind the other, that never change. */

typedef struct block_starts {
    uint64_t *starts; /* ascending; reserved for all that there can be */
    _Atomic uint32_t count;
    size_t room;
} block_starts;

CHECKED status block_starts_open(block_starts *list, size_t room);
void block_starts_close(block_starts *list); /* takes one that is zero */
/* Under the owner's lock. False: there is no room. */
bool block_starts_add(block_starts *list, const void *address);
/* The number of the block that has it, from 1 on; 0: it lies before all of them. Any thread. */
uint32_t block_starts_find(const block_starts *list, const void *address);

#endif
