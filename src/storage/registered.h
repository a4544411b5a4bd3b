/* registered.h - memory that the kernel holds for reads: a read that ends in it need not look up
 * and pin its pages each time, nor wait for the system to give them.
 *
 * Slabs of a few MiB, registered with the process's io_uring when reads first need them, and shared
 * out in blocks. Where that is not allowed (locked memory is limited: ulimit -l), or reads run by
 * threads, there is none, and reads end in ordinary memory. Any thread. */
#ifndef PISTACHIO_STORAGE_REGISTERED_H
#define PISTACHIO_STORAGE_REGISTERED_H

#include <stddef.h>
#include <stdint.h>

#define STORAGE_SLAB_BYTES ((size_t)4 << 20)

/* Memory that begins at a page; 64 bytes behind it can be read. NULL: there is none, or not of that
 * size. */
void *storage_memory_take(size_t bytes);
/* What storage_memory_take gave for as many bytes. */
void storage_memory_give(void *address, size_t bytes);
/* What slabs hold, used or not. */
uint64_t storage_memory_held(void);

/* For read_ring.c: the number with which the ring knows the memory; -1: it does not. */
int storage_memory_slot(const void *address);

#endif
