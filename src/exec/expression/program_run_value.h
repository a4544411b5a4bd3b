/* program_run_value.h - instructions that compute. */
#ifndef PISTACHIO_EXEC_EXPRESSION_PROGRAM_RUN_VALUE_H
#define PISTACHIO_EXEC_EXPRESSION_PROGRAM_RUN_VALUE_H

#include "exec/expression/program_instruction.h"

CHECKED status instruction_arithmetic(program_run *run, frame *f, uint32_t number, tensor **result);
CHECKED status instruction_math(program_run *run, frame *f, uint32_t number, tensor **result);
CHECKED status instruction_cast_number(program_run *run, frame *f, uint32_t number,
                                       tensor **result);
CHECKED status instruction_cast_from_text(program_run *run, frame *f, uint32_t number,
                                          tensor **result);
CHECKED status instruction_cast_to_text(program_run *run, frame *f, uint32_t number,
                                        tensor **result);
CHECKED status instruction_date_part(program_run *run, frame *f, uint32_t number, tensor **result);
CHECKED status instruction_date_trunc(program_run *run, frame *f, uint32_t number, tensor **result);
CHECKED status instruction_time(program_run *run, frame *f, uint32_t number, tensor **result);
CHECKED status instruction_retype(program_run *run, frame *f, uint32_t number, tensor **result);
/* Its result is INDEXED over the children, whose values are not moved. */
CHECKED status instruction_nested(program_run *run, frame *f, uint32_t number, tensor **result);

#endif
