/* program_run_logic.h - instructions that decide. */
#ifndef PISTACHIO_EXEC_EXPRESSION_PROGRAM_RUN_LOGIC_H
#define PISTACHIO_EXEC_EXPRESSION_PROGRAM_RUN_LOGIC_H

#include "exec/expression/program_instruction.h"

CHECKED status instruction_compare(program_run *run, frame *f, uint32_t number, tensor **result);
CHECKED status instruction_range(program_run *run, frame *f, uint32_t number, tensor **result);
CHECKED status instruction_in_list(program_run *run, frame *f, uint32_t number, tensor **result);
CHECKED status instruction_logic(program_run *run, frame *f, uint32_t number, tensor **result);
CHECKED status instruction_test(program_run *run, frame *f, uint32_t number, tensor **result);
CHECKED status instruction_distinct(program_run *run, frame *f, uint32_t number, tensor **result);
CHECKED status instruction_choose(program_run *run, frame *f, uint32_t number, tensor **result);
/* Evaluates its arguments itself. */
exec_result instruction_lazy_case(program_run *run, frame *f, uint32_t number, tensor **out);

#endif
