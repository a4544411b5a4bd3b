/* pages.h - buffers of whole pages that are given back one by one and in no order, as a cache's are: what is free between
 * those that are left is the system's until a new one is put there. */
#ifndef PISTACHIO_DEVICE_CPU_PAGES_H
#define PISTACHIO_DEVICE_CPU_PAGES_H

#include <pthread.h>
#include <stddef.h>

typedef struct cpu_region cpu_region;
#define CPU_PAGES_MOST ((size_t)1 << 20) /* bytes of a piece */

/* Zeroed but for the lock. Threads: any. */
typedef struct cpu_page_pool {
    pthread_mutex_t lock;
    cpu_region *open; /* regions that have free pages */
} cpu_page_pool;

/* Returns the bytes of the pages that so many bytes lie in. */
size_t cpu_whole_pages(size_t bytes);
/* Memory at a page's begin, of at most CPU_PAGES_MOST bytes, and the region that it lies in, to be given back to; NULL without
 * memory. Behind the piece are 64 bytes that can be read. */
void *cpu_pages_take(cpu_page_pool *pool, size_t bytes, cpu_region **out);
/* The system has the pages from then on. */
void cpu_pages_give(cpu_page_pool *pool, cpu_region *region, void *memory, size_t bytes);
/* Everything was given back. */
void cpu_pages_close(cpu_page_pool *pool);

#endif
