/* program_compile_logic.h - AND, OR, CASE, COALESCE and IN to instructions. */
#ifndef PISTACHIO_EXEC_EXPRESSION_PROGRAM_COMPILE_LOGIC_H
#define PISTACHIO_EXEC_EXPRESSION_PROGRAM_COMPILE_LOGIC_H

#include "exec/expression/program_instruction.h"

CHECKED status compile_test(compiler *c, dev_logic_op op, uint32_t arg, uint32_t *out);
/* AND or OR of booleans; changes args. */
CHECKED status compile_logic(compiler *c, dev_logic_op op, uint32_t *args, uint32_t count,
                             uint32_t *out);
CHECKED status compile_case(compiler *c, const expr *e, uint32_t *out);
CHECKED status compile_choose(compiler *c, data_type type, uint32_t condition, uint32_t first,
                              uint32_t second, uint32_t *out);

#endif
