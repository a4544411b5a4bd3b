/* selection.h - the rows whose bit is set, as row numbers. */
#ifndef PISTACHIO_DEVICE_SELECTION_H
#define PISTACHIO_DEVICE_SELECTION_H

#include "device/tensor.h"

/* The one way from a mask to rows: nothing is waited for, on lazy devices the count is lazy. */
CHECKED status row_selection_make(dev_stream *stream, const row_mask *mask, dev_count rows,
                                  row_selection *out);
void row_selection_release(row_selection *selection); /* takes a zeroed one */

#endif
