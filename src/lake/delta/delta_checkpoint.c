/* delta_checkpoint.c - actions from the Parquet files of a checkpoint. */
#include "lake/delta/delta_state.h"

status delta_read_checkpoint(delta_state *s, const char *path)
{
    (void)s;
    return status_new(STATUS_KIND_UNSUPPORTED, "checkpoint \"%s\" is not supported", path);
}
