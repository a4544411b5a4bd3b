/* slab.h - buffers smaller than a huge page, side by side in huge pages: memory that is new costs a
 * fault for each page, which takes longer than to clear it. */
#ifndef PISTACHIO_DEVICE_CPU_SLAB_H
#define PISTACHIO_DEVICE_CPU_SLAB_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cpu_slab cpu_slab;
#define CPU_SLAB_LANES 16

/* Zeroed but for the lock. Threads: any. */
typedef struct cpu_slab_pool {
    pthread_mutex_t lock;
    cpu_slab *current[CPU_SLAB_LANES]; /* what a thread takes comes from its lane's */
} cpu_slab_pool;

/* Pages from the system, huge ones as far as they fit; MAP_FAILED without memory. */
void *cpu_map_pages(size_t bytes);
/* Memory at a page's begin, and the slab that it lies in, to be given back to; NULL without memory. A slab that is
 * new is of huge pages, or of small ones if they are wanted. Behind the piece are 64 bytes that can be read. */
void *cpu_slab_take(cpu_slab_pool *pool, size_t bytes, bool wants_small_pages, cpu_slab **out);
/* The system has the memory from then on, as far as it is whole pages; of small pages when there are some more. */
void cpu_slab_give(cpu_slab_pool *pool, cpu_slab *slab, void *memory, size_t bytes);
/* Little will be taken any more: what was not given out yet, of which huge pages may be there, goes to the system. */
void cpu_slab_trim(cpu_slab_pool *pool);
/* Everything was given back. */
void cpu_slab_close(cpu_slab_pool *pool);

#endif
