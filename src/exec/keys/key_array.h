/* key_array.h - the key columns of a chunk: few in place, more on the heap, because the frames of a task's stack are
 * to be small whatever the number of keys. */
#ifndef PISTACHIO_EXEC_KEYS_KEY_ARRAY_H
#define PISTACHIO_EXEC_KEYS_KEY_ARRAY_H

#include "exec/sched/operator.h"

#define KEY_ARRAY_FEW 32

typedef struct key_array {
    tensor **items; /* .few, or on the heap */
    uint32_t count;
    tensor *few[KEY_ARRAY_FEW];
} key_array;

/* Makes an array of that many keys, all NULL. It points to itself: it is not copied. */
CHECKED status key_array_open(key_array *array, uint32_t count, const char *who);
/* Frees the array, whose keys are borrowed. */
void key_array_close(key_array *array);
/* Frees the array and the references that it holds. */
void key_array_release(key_array *array);

#endif
