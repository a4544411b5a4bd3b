/* program_compile_value.h - arithmetic, comparisons and casts to instructions. */
#ifndef PISTACHIO_EXEC_EXPRESSION_PROGRAM_COMPILE_VALUE_H
#define PISTACHIO_EXEC_EXPRESSION_PROGRAM_COMPILE_VALUE_H

#include "exec/expression/program_instruction.h"

CHECKED status compile_cast(compiler *c, uint32_t arg, data_type type, int32_t position,
                            uint32_t *out);
/* Brings two decimals to the wider of their widths. */
CHECKED status compile_same_width(compiler *c, uint32_t args[2]);
CHECKED status compile_comparison(compiler *c, dev_compare_op op, uint32_t left, uint32_t right,
                                  int32_t position, uint32_t *out);
CHECKED status compile_arithmetic(compiler *c, const expr *e, dev_arithmetic_op op, uint32_t left,
                                  uint32_t right, uint32_t *out);

#endif
