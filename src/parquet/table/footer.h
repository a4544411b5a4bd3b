/* footer.h - the footers of files and their page indexes, each read and parsed once per version of
 * its file.
 *
 * Tables, scans, queries and connections of the process share them: a cache by device and inode,
 * whose entry holds for one size and time of modification. It keeps at most so many bytes; beyond
 * that what was used longest ago goes, unless a table still has it. No file stays open because of
 * it. */
#ifndef PISTACHIO_PARQUET_TABLE_FOOTER_H
#define PISTACHIO_PARQUET_TABLE_FOOTER_H

#include "parquet/format/page_index.h"
#include "storage/file.h"

typedef struct pq_footer pq_footer;

/* The footer of an open file, a reference for the caller. Failures do not name the file. Any
 * thread. A file that was modified a moment ago is read again each time: its next modification may
 * leave no trace in its time. */
CHECKED status pq_footer_open(const file *f, bool use_cache, pq_footer **out);
/* Reads a footer in two steps, where another rank parses what this one reads: the footer's bytes, the caller's
 * (mem_free); and the footer of such bytes, of a file that may be elsewhere. */
CHECKED status pq_footer_read_bytes(const file *f, char **out, uint32_t *out_bytes);
CHECKED status pq_footer_of_bytes(const file *f, bool use_cache, const char *data, uint32_t bytes,
                                  pq_footer **out);
/* Never changes; it and what else the footer gives live as long as the reference. */
const pq_metadata *pq_footer_metadata(const pq_footer *footer);
void pq_footer_unref(pq_footer *footer); /* takes NULL; any thread */

/* The version of the file that the footer is of, for what is kept about its pages: what was written in place, with the
 * old size, within one tick of the file system's clock, has another hash. */
typedef struct pq_file_version {
    file_version file;
    uint64_t footer_hash;
} pq_file_version;

/* False: nothing may be kept under it, as the file was modified a moment before its footer was read or the process's
 * cache does not know it. `f`: the open file. */
bool pq_footer_version(const pq_footer *footer, const file *f, pq_file_version *out);

/* Returns whether the page indexes of a column chunk were read as far as they are of use: bounds of a single page are not. */
bool pq_footer_knows_indexes(const pq_footer *footer, uint32_t row_group, uint32_t leaf);
/* The page indexes of a column chunk: read from the file and parsed when first asked for, and kept
 * as long as the footer, whose bytes they count to. NULL: there is none, or it cannot be read. Any
 * thread. */
const pq_offset_index *pq_footer_offset_index(pq_footer *footer, const file *f, uint32_t row_group,
                                              uint32_t leaf);
const pq_column_index *pq_footer_column_index(pq_footer *footer, const file *f, uint32_t row_group,
                                              uint32_t leaf);

/* Returns the bytes that the cache holds; entries that tables have count too. */
uint64_t pq_footer_cache_bytes(void);
/* The most bytes the cache keeps; returns the bound before. 0 leaves what is in use. Any thread. */
uint64_t pq_footer_cache_limit(uint64_t bytes);
/* Forgets all footers; those in use go with their last reference. Any thread. */
void pq_footer_cache_clear(void);

#endif
