/* copiers.h - threads that copy from the page cache: one takes about as long as memory lets it, while the link of a GPU is ten
 * times as fast. */
#ifndef PISTACHIO_STORAGE_COPIERS_H
#define PISTACHIO_STORAGE_COPIERS_H

#include <stdbool.h>

/* A copy to be made, inside of what says which. */
typedef struct copier_item {
    struct copier_item *next;
    void (*run)(
        struct copier_item *item); /* by a copier, once; the item may be gone when it returns */
} copier_item;

/* Sets how many threads copy, at most; 1: whoever wants a copy makes it. */
void storage_use_copiers(unsigned threads);
/* Returns whether more than one thread would copy. */
bool copiers_are_parallel(void);
/* Has a list of items run, first come, first served. False: there is no thread; none of them was taken. Any thread. */
bool copiers_submit(copier_item *items);

#endif
