/* chunk_bytes.h - rows of a chunk as one piece of memory, to be written to a temporary file, and
 * back. Rows are in the host's reach (chunk_to_host) and go to where they are wanted (chunk_to_device).
 *
 *     header │ a header for each column │ values, validity, long strings of column 0 │ of column 1
 * ...
 *
 * Rows of lists, structs and maps are texts of their bytes (device/nested_pack.h), which have the structure; the type is a
 * number of this process's table, as the statement that reads the rows holds it. A long string's view holds, in place of its address, where it begins among the column's long
 * strings. What is read back uses the bytes in place. The layout is of this process alone. */
#ifndef PISTACHIO_EXEC_SPILL_CHUNK_BYTES_H
#define PISTACHIO_EXEC_SPILL_CHUNK_BYTES_H

#include "device/tensor.h"

/* Chunks below are FLAT and their memory is a host device's, `dev`. */
/* How many of the rows [first, first + count) may be written so that they take no more than about
 * `bytes` bytes; at least 1. */
uint64_t chunk_bytes_fit(const chunk *c, uint64_t first, uint64_t count, uint64_t bytes);
/* Rows [first, first + count), count > 0, in a buffer of their own. Columns that are NULL stay so.
 * `who` names the holder in a memory limit's error. */
CHECKED status chunk_bytes_write(device *dev, const chunk *c, uint64_t first, uint64_t count,
                                 const char *who, dev_buffer **out);
/* The rows again: a FLAT chunk, which holds references to the buffer. Changes the bytes: once for
 * each buffer. A failure: the bytes are not what chunk_bytes_write made. */
CHECKED status chunk_bytes_read(dev_buffer *bytes, chunk **out);

#endif
