/* rewrite_file.h - inside the rewriter: one file, and what the files share. */
#ifndef PISTACHIO_API_REWRITER_REWRITE_FILE_H
#define PISTACHIO_API_REWRITER_REWRITE_FILE_H

#include "api/rewriter/rewrite.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct rewrite_job {
    const char *input, *output;
    uint64_t rows;
} rewrite_job;

typedef struct rewrite_shared {
    const api_rewrite_options *options;
    unsigned threads_each;
    uint64_t memory_each;
    pthread_mutex_t lock; /* what follows, the report, progress */
    uint64_t rows_done, rows_all;
    api_rewrite_totals totals;
    status failure;
    atomic_bool has_failed;
} rewrite_shared;

CHECKED status rewrite_file(rewrite_shared *shared, const rewrite_job *job);

#endif
