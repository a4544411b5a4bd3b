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
CHECKED status instruction_nested(program_run *run, frame *f, uint32_t number, tensor **result);
/* Gives the only row of a constant frame's nested value to all rows of another frame; of other constants the tensor
 * itself. */
CHECKED status nested_repeat(program_run *run, tensor *constant, uint64_t rows, tensor **out);

#endif
