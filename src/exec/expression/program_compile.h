/* program_compile.h - expressions to instructions. */
#ifndef PISTACHIO_EXEC_EXPRESSION_PROGRAM_COMPILE_H
#define PISTACHIO_EXEC_EXPRESSION_PROGRAM_COMPILE_H

#include "exec/expression/program_instruction.h"

/* The number of an instruction like this one: an equal one, or it is added. args are copied. */
CHECKED status instruction_add(compiler *c, instruction *s, const uint32_t *args,
                               uint32_t arg_count, uint32_t *out);
CHECKED status instruction_add_constant(compiler *c, const value *v, uint32_t *out);
CHECKED status compile_expr(compiler *c, const expr *e, uint32_t *out);
/* An instruction with these fields and nothing known of its values. */
instruction instruction_make(instruction_kind kind, uint8_t op, data_type type, int32_t position);

/* Compiles expressions over chunks of layout `input`. */
CHECKED status program_compile(const expr *const *exprs, uint32_t expr_count, exec_layout input,
                               program **out);
/* Conditions, each over the rows that those before it leave (program_select). Where the device computes
 * several instructions in one launch, those of numbers that cannot fail are one: *out_count are left. */
CHECKED status program_compile_conditions(const expr *const *conditions, uint32_t count,
                                          exec_layout input, const device *dev, program **out,
                                          uint32_t *out_count);
void program_free(program *p); /* takes NULL */
/* Appends the input columns' positions that expression `index` reads, each once. */
uint32_t program_inputs(const program *p, uint32_t index, const uint32_t **out_columns);

#endif
