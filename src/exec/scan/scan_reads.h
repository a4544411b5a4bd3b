/* scan_reads.h - what the scans of a query have in common: how they read, the bytes they hold before
 * these are needed, and what was read from where. */
#ifndef PISTACHIO_EXEC_SCAN_SCAN_READS_H
#define PISTACHIO_EXEC_SCAN_SCAN_READS_H

#include "base/setting/setting.h"
#include "exec/scan/column_cache.h"
#include "exec/scan/stored_cache.h"
#include "exec/sched/query.h"
#include "parquet/read/fetch.h"

/* The setting of that name. */
typedef enum scan_overlap {
    OVERLAP_BLOCKING,
    OVERLAP_CHUNKING,
    OVERLAP_DEFERRED,
    OVERLAP_FULL
} scan_overlap;

/* Bytes that scans read from one storage device. */
typedef struct scan_storage {
    uint64_t device;  /* as in file_version */
    const char *path; /* of a file on it; the table's */
    _Atomic uint64_t bytes;
} scan_storage;

typedef struct scan_reads {
    pthread_mutex_t lock;
    ARRAY(struct scan_ahead *) scans; /* in the order in which they start */
    uint64_t bytes, bytes_max;        /* held by the query's fetches; the most of the process's */
    bool is_combining, is_registering, is_regulating, is_counted;
    pq_fetch_policy policy;
    scan_overlap overlap;
    column_cache_use cache;             /* of host devices, */
    stored_cache_use stored;            /* of others */
    struct scan_share *share;           /* what several scans want; NULL: nothing is shared */
    ARRAY(struct pq_deletes *) deletes; /* of lakes, one for each table that was told its files */
    /* Counts of what was read. */
    ARRAY(scan_storage) storage;              /* the devices that the tables' files are on */
    _Atomic uint64_t bytes_cached;            /* from the page cache */
    _Atomic uint64_t bytes_shared;            /* read by one scan and used by another one as well */
    _Atomic uint64_t bytes_done, bytes_total; /* of the row groups of all scans, compressed */
} scan_reads;

/* As the settings say; nothing is read yet. */
CHECKED status scan_reads_new(exec_query *query, const settings *settings, scan_reads **out);
/* Takes NULL; the scans are closed and streams have done what they were told. keeps: what a lazy device has read of
 * files may be kept. */
void scan_reads_free(scan_reads *reads, bool keeps);

#endif
