/* spill.h - a temporary file for what does not fit memory: blocks of bytes are appended,
 * compressed, and read back by where they lie.
 *
 * The file has no name from the moment it exists, so that nothing is left of it however the process
 * ends. Appending writes through the page cache; reading does not block (storage/read.h). */
#ifndef PISTACHIO_STORAGE_SPILL_H
#define PISTACHIO_STORAGE_SPILL_H

#include "device/device.h"

typedef struct spill_file spill_file;
typedef struct spill_read spill_read;

/* The location of a block: the caller's to keep. */
typedef struct spill_block {
    uint64_t offset, bytes; /* in the file */
    uint64_t plain_bytes;   /* as it was appended; equal to bytes: not compressed */
} spill_block;

/* `directory` is the setting temp_directory. */
CHECKED status spill_open(const char *directory, spill_file **out);
void spill_close(spill_file *spill); /* takes NULL; after the last read was finished */
/* Compresses and writes the buffer's bytes; the buffer is of a host device, on which room for the
 * compressed bytes is taken meanwhile, in the name of `who`. Any thread, several at once. */
CHECKED status spill_append(spill_file *spill, const dev_buffer *plain, const char *who,
                            spill_block *out);
/* Bytes appended so far, as they lie in the file. Any thread. */
uint64_t spill_bytes(const spill_file *spill);
/* The block will not be read again: gives its place on the disk back where that can be done. */
void spill_discard(const spill_file *spill, spill_block block);

/* Starts reading a block into memory of `dev`, a host device. Any thread. */
CHECKED status spill_read_start(const spill_file *spill, spill_block block, device *dev,
                                const char *who, spill_read **out);
/* False: the bytes are there. True: wake(argument) will be called, as storage_read_wait does. */
bool spill_read_wait(spill_read *r, void (*wake)(void *argument), void *argument);
/* The block as it was appended, with one reference for the caller. Frees r, also on failure. Blocks
 * while the read is under way: so wait for it first. */
CHECKED status spill_read_finish(spill_read *r, dev_buffer **out);
/* Frees a read that nobody wants any more, once it is over. Takes NULL. */
void spill_read_drop(spill_read *r);

#endif
