/* spill.c - the temporary file: made, appended to, read. */
#include "storage/spill.h"

#include "base/fault.h"
#include "storage/read.h"

#include <errno.h>
#include <fcntl.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct spill_file {
    file base;       /* for reads */
    char *directory; /* for messages */
    _Atomic uint64_t end;
};

struct spill_read {
    spill_block block;
    const char *who, *path;
    dev_buffer *packed;
    read_request *request;
};

/* ---- the file ---- */

status spill_open(const char *directory, spill_file **out)
{
    static const char name[] = "(temporary)";
    *out = NULL;
    size_t length = strlen(directory);
    spill_file *spill = mem_new(sizeof *spill);
    if (!spill)
        return status_no_memory("temporary file", sizeof *spill);
    spill->base.descriptor = -1;
    spill->base.direct_descriptor = -1;
    /* It grows; whoever reads knows what has been written. */
    spill->base.bytes = UINT64_MAX;
    spill->directory = mem_copy_text(directory, length);
    spill->base.path = mem_new(length + 1 + sizeof name);
    if (!spill->directory || !spill->base.path) {
        spill_close(spill);
        return status_no_memory("temporary file", length);
    }
    snprintf(spill->base.path, length + 1 + sizeof name, "%s/%s", directory, name);
    spill->base.descriptor = file_make_unnamed(directory);
    if (spill->base.descriptor < 0) {
        status st = status_new_errno(errno, "could not make a temporary file in \"%s\"", directory);
        spill_close(spill);
        return status_hint(st, "SET temp_directory to a folder that can be written to");
    }
    *out = spill;
    return STATUS_OK;
}

void spill_close(spill_file *spill)
{
    if (!spill)
        return;
    if (spill->base.descriptor >= 0)
        close(spill->base.descriptor);
    mem_free(spill->base.path);
    mem_free(spill->directory);
    mem_free(spill);
}

uint64_t spill_bytes(const spill_file *spill)
{
    return atomic_load(&((spill_file *)spill)->end);
}

void spill_discard(const spill_file *spill, spill_block block)
{
    /* Best effort: where it cannot be done, the place is given back with the file. */
    (void)!fallocate(spill->base.descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                     (off_t)block.offset, (off_t)block.bytes);
}

/* ---- appending ---- */

static status write_all(const spill_file *spill, uint64_t offset, const char *source, size_t bytes)
{
    while (bytes) {
        ssize_t done = fault_check(FAULT_WRITE)
                           ? (errno = EIO, -1)
                           : pwrite(spill->base.descriptor, source, bytes, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            int number = done ? errno : ENOSPC;
            bool is_full = number == ENOSPC || number == EDQUOT || number == EFBIG;
            status st = status_new_errno(
                number, "could not write to the temporary file in \"%s\" at byte %llu",
                spill->directory, (unsigned long long)offset);
            return is_full ? status_hint(st, "make room there, SET temp_directory to a folder "
                                             "with more, or memory_limit to more")
                           : st;
        }
        source += done;
        offset += (uint64_t)done;
        bytes -= (size_t)done;
    }
    return STATUS_OK;
}

status spill_append(spill_file *spill, const dev_buffer *plain, const char *who, spill_block *out)
{
    const char *source = plain->address;
    dev_buffer *packed = NULL;
    *out = (spill_block){.bytes = plain->bytes, .plain_bytes = plain->bytes};
    if (plain->bytes && plain->bytes <= LZ4_MAX_INPUT_SIZE) {
        int room = LZ4_compressBound((int)plain->bytes);
        TRY(dev_alloc(plain->dev, (size_t)room, who, &packed));
        int bytes = LZ4_compress_default(source, packed->address, (int)plain->bytes, room);
        if (bytes > 0 && (size_t)bytes < plain->bytes) {
            source = packed->address;
            out->bytes = (uint64_t)bytes;
        }
    }
    out->offset = atomic_fetch_add(&spill->end, out->bytes);
    status st = write_all(spill, out->offset, source, out->bytes);
    dev_buffer_unref(packed);
    return st;
}

/* ---- reading ---- */

status spill_read_start(const spill_file *spill, spill_block block, device *dev, const char *who,
                        spill_read **out)
{
    *out = NULL;
    spill_read *r = mem_new(sizeof *r);
    if (!r)
        return status_no_memory(who, sizeof *r);
    *r = (spill_read){.block = block, .who = who, .path = spill->base.path};
    status st = dev_alloc(dev, block.bytes, who, &r->packed);
    if (!st)
        st = storage_read_submit(&spill->base, block.offset, r->packed->address, block.bytes,
                                 &r->request);
    if (st) {
        spill_read_drop(r);
        return st;
    }
    *out = r;
    return STATUS_OK;
}

bool spill_read_wait(spill_read *r, void (*wake)(void *argument), void *argument)
{
    return storage_read_wait(r->request, wake, argument);
}

static status unpack(const spill_read *r, dev_buffer **out)
{
    dev_buffer *plain;
    TRY(dev_alloc(r->packed->dev, r->block.plain_bytes, r->who, &plain));
    int done = LZ4_decompress_safe(r->packed->address, plain->address, (int)r->block.bytes,
                                   (int)r->block.plain_bytes);
    if (done < 0 || (uint64_t)done != r->block.plain_bytes) {
        dev_buffer_unref(plain);
        return status_new(STATUS_KIND_CORRUPT, "the bytes of file \"%s\" at %llu were changed",
                          r->path, (unsigned long long)r->block.offset);
    }
    *out = plain;
    return STATUS_OK;
}

status spill_read_finish(spill_read *r, dev_buffer **out)
{
    *out = NULL;
    status st = storage_read_finish(r->request);
    r->request = NULL;
    if (!st && r->block.bytes == r->block.plain_bytes)
        *out = dev_buffer_ref(r->packed);
    else if (!st)
        st = unpack(r, out);
    spill_read_drop(r);
    return st;
}

void spill_read_drop(spill_read *r)
{
    if (!r)
        return;
    status_free(storage_read_finish(r->request));
    dev_buffer_unref(r->packed);
    mem_free(r);
}
