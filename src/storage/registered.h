/* registered.h - memory that the kernel holds for reads: a read that ends in it need not look up
 * and pin its pages each time, nor wait for the system to give them.
 *
 * Slabs of a few MiB, registered with the process's io_uring when reads first need them, and shared
 * out in blocks. Where that is not allowed (locked memory is limited: ulimit -l), or reads run by
 * threads, there is none, and reads end in ordinary memory. Memory of others, such as a device's pinned
 * memory, can be made known likewise. Any thread. */
#ifndef PISTACHIO_STORAGE_REGISTERED_H
#define PISTACHIO_STORAGE_REGISTERED_H

#include <stddef.h>
#include <stdint.h>

#define STORAGE_SLAB_BYTES ((size_t)4 << 20)

/* Memory that begins at a page; 64 bytes behind it can be read. NULL: there is none, or not of that
 * size. */
void *storage_memory_take(size_t bytes);
/* Gives back what storage_memory_take gave for as many bytes. */
void storage_memory_give(void *address, size_t bytes);
/* Returns the bytes that slabs hold, used or not. */
uint64_t storage_memory_held(void);

/* Memory of somebody else's, which stays until storage_memory_forget: reads that end in it find its pages
 * held too. Nothing where that is not allowed, for fewer bytes than pay, or when enough is known. */
void storage_memory_know(void *start, size_t bytes);
/* No read into it is under way. */
void storage_memory_forget(void *start, size_t bytes);

/* For read.c: the number with which the ring knows all of the memory; -1: it does not. */
int storage_memory_slot(const void *address, size_t bytes);

#endif
