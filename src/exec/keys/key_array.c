/* key_array.c - the key columns of a chunk. */
#include "exec/keys/key_array.h"

status key_array_open(key_array *array, uint32_t count, const char *who)
{
    array->count = count;
    array->items = array->few;
    if (count > KEY_ARRAY_FEW)
        array->items = mem_new_array(count, sizeof *array->items);
    if (!array->items)
        return status_no_memory(who, count * sizeof *array->items);
    for (uint32_t k = 0; k < count; k++)
        array->items[k] = NULL;
    return STATUS_OK;
}

void key_array_close(key_array *array)
{
    if (array->items != array->few)
        mem_free(array->items);
    array->items = NULL;
}

void key_array_release(key_array *array)
{
    for (uint32_t k = 0; array->items && k < array->count; k++)
        tensor_unref(array->items[k]);
    key_array_close(array);
}
