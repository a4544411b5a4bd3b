/* rewrite.h - `pistachio rewrite`: Parquet files written anew so that they scan fast. */
#ifndef PISTACHIO_CLI_REWRITE_H
#define PISTACHIO_CLI_REWRITE_H

/* The words behind `rewrite`; returns the exit status. */
int cli_rewrite(int count, char **words);

#endif
