/* program_run_text.h - instructions on text. */
#ifndef PISTACHIO_EXEC_EXPRESSION_PROGRAM_RUN_TEXT_H
#define PISTACHIO_EXEC_EXPRESSION_PROGRAM_RUN_TEXT_H

#include "exec/expression/program_instruction.h"

CHECKED status instruction_like(program_run *run, frame *f, uint32_t number, tensor **result);
CHECKED status instruction_like_column(program_run *run, frame *f, uint32_t number,
                                       tensor **result);
CHECKED status instruction_starts_with(program_run *run, frame *f, uint32_t number,
                                       tensor **result);
CHECKED status instruction_slice(program_run *run, frame *f, uint32_t number, tensor **result);
CHECKED status instruction_trim(program_run *run, frame *f, uint32_t number, tensor **result);
CHECKED status instruction_measure(program_run *run, frame *f, uint32_t number, tensor **result);
CHECKED status instruction_build(program_run *run, frame *f, uint32_t number, tensor **result);

#endif
