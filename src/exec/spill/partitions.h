/* partitions.h - rows in a temporary file, in parts by the hash of their keys: what a join or a
 * grouping is cut into when it does not fit memory. Rows with equal keys are in the same part.
 *
 * A part that is still too large is cut again by the next bits of the hash: a level deeper. (Shapiro:
 * Join processing in database systems with large main memories, 1986) */
#ifndef PISTACHIO_EXEC_SPILL_PARTITIONS_H
#define PISTACHIO_EXEC_SPILL_PARTITIONS_H

#include "exec/sched/operator.h"
#include "storage/spill.h"

#include <pthread.h>

#define ROW_PART_BITS 5 /* of the hash, for each level */
#define ROW_PARTS ((size_t)1 << ROW_PART_BITS)
#define ROW_PART_LEVELS 5 /* all that 32 bits give but those for the last cut's tables */

typedef struct partition {
    ARRAY(spill_block) blocks; /* each of chunk_bytes.h's bytes */
    uint64_t rows, plain_bytes;
} partition;

/* All parts of one level. Tasks add to them at once. */
typedef struct partitions {
    spill_file *file;  /* borrowed */
    exec_operator *op; /* whose metrics count the bytes */
    const char *who;   /* in errors */
    unsigned level;
    uint64_t block_bytes; /* of a block before compression, about */
    pthread_mutex_t lock;
    partition parts[ROW_PARTS];
} partitions;

CHECKED status partitions_new(spill_file *file, exec_operator *op, const char *who, unsigned level,
                              partitions **out);
void partitions_free(partitions *parts); /* takes NULL; after the last reader */

/* The numbers 0 to count - 1, part by part; hashes are of equal keys equal; offsets: ROW_PARTS + 1 of them. */
CHECKED status partitions_order(const partitions *parts, exec_task *task, const uint32_t *hashes,
                                uint64_t count, row_index **out, uint32_t *offsets);
/* Appends the rows of a chunk on the task's device, whose count is exact, to a part. Any task. */
CHECKED status partitions_add(partitions *parts, exec_task *task, size_t part, const chunk *c);
/* Rows [first, first + count) of a chunk that chunk_to_host gave. Any task. */
CHECKED status partitions_append(partitions *parts, exec_task *task, size_t part, const chunk *c,
                                 uint64_t first, uint64_t count);

/* Reads a part. A part may be read many times; whoever reads it for the last time gives each block
 * back to the disk. One thread at a time. */
typedef struct partition_reader {
    const partitions *parts;
    const partition *part;
    size_t next;            /* block to be asked for */
    _Atomic size_t *shared; /* the same of several readers, each of which gets some of the blocks */
    size_t asked;           /* the block that is being read */
    bool is_last;           /* nobody reads the part after this reader */
    spill_read *reading;
} partition_reader;

void partition_reader_init(partition_reader *reader, const partitions *parts, size_t part,
                           bool is_last);
/* Gives a reader blocks that other readers with the same counter, which begins at 0, do not get. Never the last one. */
void partition_reader_share(partition_reader *reader, const partitions *parts, size_t part,
                            _Atomic size_t *next);
void partition_reader_close(partition_reader *reader); /* also of one that is zeroed */
/* EXEC_HAVE_OUTPUT: *out is the next chunk, FLAT, on the task's device. EXEC_FINISHED: there is none. Else as any step.
 * The next block is read meanwhile. */
exec_result partition_next(partition_reader *reader, exec_task *task, chunk **out);

#endif
