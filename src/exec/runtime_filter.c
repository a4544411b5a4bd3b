/* runtime_filter.c - releasing what a build side published. */
#include "exec/runtime_filter.h"

void runtime_filter_release(runtime_filter *filter)
{
    dev_buffer_unref(filter->bitmap_owner);
    dev_buffer_unref(filter->bloom_owner);
    filter->bitmap_owner = filter->bloom_owner = NULL;
}
