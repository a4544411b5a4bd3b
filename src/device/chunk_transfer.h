/* chunk_transfer.h - chunks from a device to its host and back, through pinned memory. */
#ifndef PISTACHIO_DEVICE_CHUNK_TRANSFER_H
#define PISTACHIO_DEVICE_CHUNK_TRANSFER_H

#include "device/tensor.h"

/* The rows in memory of dev_host(stream's device): columns FLAT, long strings in one heap each, and
 * the count exact; with keep_dictionaries, INDEXED over their dictionary where they have one. Awaits
 * the stream (dev_stream_await) for sizes where there are texts or a lazy count, and at the end. On a
 * host device the columns are the chunk's own. Frees nothing of c. */
CHECKED status chunk_to_host(dev_stream *stream, const chunk *c, bool keep_dictionaries,
                             const char *who, chunk **out);
/* The rows of a host chunk (FLAT, or INDEXED over a dictionary, exact count) in the device's memory.
 * Enqueues copies and does not wait: c may be freed at once. */
CHECKED status chunk_to_device(dev_stream *stream, const chunk *c, const char *who, chunk **out);

/* Sends a chunk that the host device has made: FLAT, and with the bytes of nested values in their place, as plans have them on
 * devices that are not hosts (plan/rules/nested/pack_columns.h). The caller frees the chunk, whose columns may be others. */
CHECKED status chunk_to_device_as_bytes(dev_stream *stream, chunk *made, const char *who,
                                        chunk **out);

#endif
