/* column_cache.h - column chunks that were decoded before, kept in their narrowest form (column_part.h) for later
 * statements. One for the process: all databases, connections and statements over the same files share it.
 *
 *     statement 1    asks for a column chunk            nothing is kept, but that it was asked for
 *     statement 2    asks for it again                  the slices that it decodes anyway become parts
 *     statement 3    has its slices from the parts      what is missing is decoded, and becomes a part as well
 *
 * A column chunk is known by its file's version and where it begins in the file. Parts are immutable. A file that was
 * replaced has another version; what was kept of the old one is never asked for again and goes in time.
 *
 * Memory: the parts are in no query's budget. They take at most the limit that the asking statement brings along
 * (setting cache_memory), and scan_cache_lender gives memory back before a budget's limit is reached. What goes first
 * is what saves the least time per byte and was not used for long (GreedyDual-Size; Cao and Irani, USITS 1997), of a
 * sample.
 *
 * Locks: one for the table of column chunks, one for each column chunk's parts; nothing is decoded, copied or freed
 * while one is held. Any thread. */
#ifndef PISTACHIO_EXEC_SCAN_COLUMN_CACHE_H
#define PISTACHIO_EXEC_SCAN_COLUMN_CACHE_H

#include "base/budget.h"
#include "device/tensor.h"
#include "exec/scan/column_part.h"
#include "parquet/table/kept_column.h"
#include "parquet/table/table.h"

typedef struct column_key {
    pq_file_version version;
    uint64_t offset; /* of the column chunk, in the file */
    data_type type;  /* that its values come out in: a lake's column may be wider than its file's */
    /* How texts and pages that are wrong are read (pq_column_use): other values come of it. */
    bool replaces_text, ignores_checksums;
    /* For lists of what is kept: of the table, borrowed; not compared. */
    const char *path, *column;
} column_key;

/* Returns the hash with another word in it. */
static inline uint64_t column_key_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
}

/* Returns a hash of the version of the key's file. */
static inline uint64_t column_key_place(const column_key *key)
{
    const file_version *file = &key->version.file;
    uint64_t hash = column_key_mix(column_key_mix(0, file->device), file->inode);
    hash = column_key_mix(column_key_mix(hash, file->bytes), (uint64_t)file->modified);
    return column_key_mix(hash, key->version.footer_hash);
}

/* Makes the key of a column of a row group; its flags are false. False: nothing may be kept about it. */
bool column_key_of(const pq_table *table, pq_row_group_ref group_ref, uint32_t column,
                   column_key *out);

/* A column chunk of the cache, in use by a task. */
typedef struct cached_column cached_column;

typedef struct column_cache_use {
    uint64_t statement;   /* from column_cache_statement() */
    uint64_t limit_bytes; /* that the cache may take; 0: nothing is looked up, nor kept */
    bool is_filling;      /* what the statement asks for first is kept as well */
} column_cache_use;

/* A number for a statement, which counts as one use of a column chunk however often it asks. */
uint64_t column_cache_statement(void);

/* Opens the column chunk if it is kept, or is to be kept because another statement has asked for it before; else *out is
 * NULL, and that this one has is noted. Closed with column_cache_close. */
CHECKED status column_cache_open(const column_key *key, column_cache_use use, cached_column **out);
void column_cache_close(cached_column *column); /* takes NULL */

/* Bytes that rows of a column chunk take in the cache, and the time that they took to decode. */
typedef struct column_cache_gain {
    uint64_t bytes, nanoseconds;
} column_cache_gain;

/* Returns whether the rows [first, first + count) are there and known to lie within `range` (least, greatest; NULL: any
 * values do). They stay until the column is closed. */
bool column_cache_covers(cached_column *column, uint64_t first, uint64_t count, const int128 *range,
                         column_cache_gain *out);
/* Gives the rows [first, first + count) as pq_column_slice does, with a reference for the caller; *out NULL: they are
 * not all there. */
CHECKED status column_cache_slice(cached_column *column, dev_stream *stream, uint64_t first,
                                  uint64_t count, tensor **out);

/* Gives the rows [first, first + count) as a NARROW tensor (device/tensor.h), with a reference for the caller; *out NULL: they
 * are not there, or not in one piece and that form. */
CHECKED status column_cache_narrow(cached_column *column, uint64_t first, uint64_t count,
                                   tensor **out);

/* Gives selected rows of a slice alone, with a reference for the caller; *out NULL: the slice is to be read. */
CHECKED status column_cache_select(cached_column *column, dev_stream *stream, column_rows rows,
                                   tensor **out);
/* Returns whether all of the rows are there, which may be gone a moment later. It counts as no use. */
bool column_cache_has(const column_key *key, column_cache_use use, const pq_row_list *rows);
/* Keeps the rows [first, first + count), which took `nanoseconds` to decode, if there is room for them and none of them is
 * there. Fails only if the query is cancelled: without memory nothing is kept. */
CHECKED status column_cache_add(cached_column *column, column_cache_use use, uint64_t first,
                                uint64_t count, const tensor *values, uint64_t nanoseconds);

/* Returns the bytes that the cache takes; frees as many for others (scan_cache_lender). */
uint64_t column_cache_bytes(void);
void column_cache_give_back(uint64_t bytes);

/* Lists what is kept. */
pq_list_kept column_cache_list;
/* Forgets the column chunks of a file's version. */
void column_cache_forget(const pq_file_version *version);
/* Forgets all column chunks; what is in use goes with its last reference. */
void column_cache_clear(void);

#endif
