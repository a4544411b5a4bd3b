/* partitions.c - rows in parts: cutting, writing, reading. */
#include "exec/spill/partitions.h"

#include "base/system/mutex.h"
#include "device/chunk.h"
#include "device/chunk_transfer.h"
#include "device/transfer.h"
#include "exec/sched/memory.h"
#include "exec/spill/chunk_bytes.h"

status partitions_new(spill_file *file, exec_operator *op, const char *who, unsigned level,
                      partitions **out)
{
    *out = NULL;
    partitions *parts = mem_new(sizeof *parts);
    if (!parts)
        return status_no_memory(who, sizeof *parts);
    parts->file = file;
    parts->op = op;
    parts->who = who;
    parts->level = level;
    parts->block_bytes = exec_block_bytes(op->query);
    mutex_init(&parts->lock);
    *out = parts;
    return STATUS_OK;
}

void partitions_free(partitions *parts)
{
    if (!parts)
        return;
    for (size_t p = 0; p < ROW_PARTS; p++)
        array_release(&parts->parts[p].blocks);
    mutex_destroy(&parts->lock);
    mem_free(parts);
}

/* ---- writing ---- */

status partitions_order(const partitions *parts, exec_task *task, const uint32_t *hashes,
                        uint64_t count, row_index **out, uint32_t *offsets)
{
    dev_stream *stream = task->stream;
    dev_buffer *words;
    uint64_t read[(ROW_PARTS + 2) / 2];
    *out = NULL;
    TRY(dev_words_new(stream, (ROW_PARTS + 2) / 2, &words));
    status st = row_index_new(stream->dev, count, out);
    if (!st)
        st = DEV_LAUNCH(stream, groups_partition, .hashes = hashes, .count = dev_count_exact(count),
                        .skip = parts->level * ROW_PART_BITS, .bits = ROW_PART_BITS,
                        .out = (*out)->rows, .offsets = words->address);
    if (!st)
        st = dev_words_read(stream, words->address, read, (ROW_PARTS + 2) / 2);
    dev_buffer_unref(words);
    if (st) {
        row_index_unref(*out);
        *out = NULL;
        return st;
    }
    memcpy(offsets, read, (ROW_PARTS + 1) * sizeof *offsets);
    return STATUS_OK;
}

static status append_block(partitions *parts, exec_task *task, size_t number, const chunk *c,
                           uint64_t first, uint64_t count)
{
    partition *part = &parts->parts[number];
    dev_buffer *bytes;
    spill_block block;
    TRY(chunk_bytes_write(dev_host(task->stream->dev), c, first, count, parts->who, &bytes));
    status st = spill_append(parts->file, bytes, parts->who, &block);
    dev_buffer_unref(bytes);
    TRY(st);
    mutex_lock(&parts->lock);
    st = array_push(NULL, &part->blocks, block);
    if (!st) {
        part->rows += count;
        part->plain_bytes += block.plain_bytes;
    }
    mutex_unlock(&parts->lock);
    atomic_fetch_add_explicit(&parts->op->metrics.bytes_spilled, block.bytes, memory_order_relaxed);
    return st;
}

status partitions_append(partitions *parts, exec_task *task, size_t part, const chunk *c,
                         uint64_t first, uint64_t count)
{
    for (uint64_t end = first + count, rows; first < end; first += rows) {
        rows = chunk_bytes_fit(c, first, end - first, parts->block_bytes);
        TRY(append_block(parts, task, part, c, first, rows));
    }
    return STATUS_OK;
}

status partitions_add(partitions *parts, exec_task *task, size_t part, const chunk *c)
{
    chunk *host;
    TRY(chunk_to_host(task->stream, c, false, parts->who, &host));
    status st = partitions_append(parts, task, part, host, 0, host->rows.bound);
    chunk_free(host);
    return st;
}

/* ---- reading ---- */

void partition_reader_init(partition_reader *reader, const partitions *parts, size_t part,
                           bool is_last)
{
    *reader = (partition_reader){.parts = parts, .part = &parts->parts[part], .is_last = is_last};
}

void partition_reader_share(partition_reader *reader, const partitions *parts, size_t part,
                            _Atomic size_t *next)
{
    partition_reader_init(reader, parts, part, false);
    reader->shared = next;
}

void partition_reader_close(partition_reader *reader)
{
    spill_read_drop(reader->reading);
    *reader = (partition_reader){0};
}

static status partitions_ask(partition_reader *reader, exec_task *task)
{
    reader->asked = reader->shared ? atomic_fetch_add(reader->shared, 1) : reader->next++;
    if (reader->asked >= reader->part->blocks.count)
        return STATUS_OK;
    return spill_read_start(reader->parts->file, reader->part->blocks.items[reader->asked],
                            dev_host(task->stream->dev), reader->parts->who, &reader->reading);
}

static void partitions_wake(void *task)
{
    exec_wake(task);
}

exec_result partition_next(partition_reader *reader, exec_task *task, chunk **out)
{
    dev_buffer *bytes;
    chunk *host;
    *out = NULL;
    if (!reader->reading)
        EXEC_TRY(task, partitions_ask(reader, task)); /* the first one */
    spill_read *reading = reader->reading;
    if (!reading)
        return EXEC_FINISHED;
    if (spill_read_wait(reading, partitions_wake, task))
        return EXEC_WAIT;
    reader->reading = NULL;
    EXEC_TRY(task, spill_read_finish(reading, &bytes));
    if (reader->is_last)
        spill_discard(reader->parts->file, reader->part->blocks.items[reader->asked]);
    status st = partitions_ask(reader, task);
    if (!st)
        st = chunk_bytes_read(bytes, &host);
    dev_buffer_unref(bytes);
    EXEC_TRY(task, st);
    st = chunk_to_device(task->stream, host, reader->parts->who, out);
    chunk_free(host);
    EXEC_TRY(task, st);
    return EXEC_HAVE_OUTPUT;
}
