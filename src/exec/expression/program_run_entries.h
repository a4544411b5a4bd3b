/* program_run_entries.h - instructions on columns of few texts. */
#ifndef PISTACHIO_EXEC_EXPRESSION_PROGRAM_RUN_ENTRIES_H
#define PISTACHIO_EXEC_EXPRESSION_PROGRAM_RUN_ENTRIES_H

#include "exec/expression/program_instruction.h"

/* Computes an instruction whose arguments are evaluated, and come as few values each, once for each
 * combination of these, by its function: *result is INDEXED. NULL: its rows are to be computed one by one. */
CHECKED status run_on_entries(program_run *run, frame *f, uint32_t number,
                              instruction_function function, tensor **result);
void entry_results_free(entry_results *results); /* takes NULL */

#endif
