/* tpch.h - `pistachio tpch generate` and `pistachio tpch run`. */
#ifndef PISTACHIO_CLI_TPCH_H
#define PISTACHIO_CLI_TPCH_H

/* The words behind "tpch"; returns the program's exit status. */
int cli_tpch(int count, char **words);
int cli_tpch_run(int count, char **words); /* the words behind "tpch run" */

#define CLI_TPCH "pistachio tpch"
/* Says that neither command has such an option, and returns 2. */
int cli_tpch_no_option(const char *word);

#endif
