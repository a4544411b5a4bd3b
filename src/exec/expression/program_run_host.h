/* program_run_host.h - functions that the host computes. */
#ifndef PISTACHIO_EXEC_EXPRESSION_PROGRAM_RUN_HOST_H
#define PISTACHIO_EXEC_EXPRESSION_PROGRAM_RUN_HOST_H

#include "exec/expression/program_instruction.h"

/* Evaluates in the main frame what has several readers and is volatile, for the root `index`: branches of a lazy CASE, whose
 * frames take it over, read one value for a row. */
exec_result run_draws(program_run *run, uint32_t index);
/* Puts a FLAT tensor of the host into the device's memory; *result is replaced. */
CHECKED status run_send_result(program_run *run, uint64_t rows, tensor **result);
CHECKED status instruction_host(program_run *run, frame *f, uint32_t number, tensor **result);

#endif
