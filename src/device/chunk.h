/* chunk.h - columns of equal length. */
#ifndef PISTACHIO_DEVICE_CHUNK_H
#define PISTACHIO_DEVICE_CHUNK_H

#include "device/tensor.h"

CHECKED status chunk_new(uint32_t column_count, dev_count rows, chunk **out); /* columns NULL */
void chunk_free(chunk *c);                                                    /* takes NULL */
/* The chunks of `from` go behind those of `to`; after a failure they are where they were. */
CHECKED status chunk_list_move(chunk_list *from, chunk_list *to);
/* Takes the chunk over, also on failure. */
CHECKED status chunk_list_push(chunk_list *list, chunk *c);
void chunk_list_release(chunk_list *list); /* frees the chunks, too */
/* Selects rows: every column becomes INDEXED (columns that shared an index share the composed
 * one), the row count becomes `count`, and count_owner (may be NULL) is referenced. In place. */
CHECKED status chunk_select(dev_stream *stream, chunk *c, row_index *rows, dev_count count,
                            dev_buffer *count_owner);
/* Replaces the column by its flat form and returns that, borrowed from the chunk. */
CHECKED status chunk_flatten_column(dev_stream *stream, chunk *c, uint32_t column, tensor **out);
/* One FLAT chunk of all the rows of several, in order; their counts must be exact. Long strings are
 * copied to one heap, so nothing of the sources stays referenced. Frees none of them. */
CHECKED status chunk_concat(dev_stream *stream, chunk *const *chunks, size_t chunk_count,
                            const char *who, chunk **out);
/* Concatenates chunks; columns go to their places. */
CHECKED status chunk_concat_at(dev_stream *stream, chunk *const *chunks, size_t chunk_count,
                               const char *who, const tensor_target *targets, chunk **out);
/* As chunk_concat, but columns that are INDEXED over one base in all of them stay so, and those that lie behind each
 * other where they are. */
CHECKED status chunk_combine(dev_stream *stream, chunk *const *chunks, size_t chunk_count,
                             const char *who, chunk **out);
/* On host devices: a column of several chunks becomes INDEXED over one base that has the rows of all of them, in
 * order, so that nested values of all chunks are rows of the same children. */
CHECKED status chunk_share_base(dev_stream *stream, chunk *const *chunks, size_t chunk_count,
                                uint32_t column, const char *who);

#endif
