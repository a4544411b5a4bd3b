/* ranks.h - starts the ranks of a measurement. */
#ifndef PISTACHIO_BENCH_RANKS_H
#define PISTACHIO_BENCH_RANKS_H

#include "bench/rank.h"
#include "net/bootstrap/bootstrap.h"

/* Work of each rank; argument is the same for all that are threads: rank 0 says what came of it. */
typedef status bench_work(bench_rank *r, void *argument);

/* On so many threads of this process. options: of their communicators; settings: of their devices. */
CHECKED status bench_on_threads(unsigned ranks, const net_options *options, const settings *s,
                                bench_work *work, void *argument);
/* On this process, which is one of several. */
CHECKED status bench_on_processes(const net_place *place, const net_options *options,
                                  const settings *s, bench_work *work, void *argument);

#endif
