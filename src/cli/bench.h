/* bench.h - `pistachio bench`: what ranks can do, measured without SQL. */
#ifndef PISTACHIO_CLI_BENCH_H
#define PISTACHIO_CLI_BENCH_H

/* The words behind "bench"; returns the exit status. */
int cli_bench(int count, char **words);

#endif
