/* program_run.h - evaluating instructions in frames. */
#ifndef PISTACHIO_EXEC_EXPRESSION_PROGRAM_RUN_H
#define PISTACHIO_EXEC_EXPRESSION_PROGRAM_RUN_H

#include "device/tensor_value.h"
#include "exec/expression/program_instruction.h"

/* Evaluates an instruction in a frame: its slot is then set. */
exec_result run_instruction(program_run *run, frame *f, uint32_t number);
/* Whether it would be computed there, by a kernel over the frame's own rows. */
CHECKED status run_needs_kernel(program_run *run, frame *f, uint32_t number, bool *out);
/* The operand of an evaluated instruction. */
CHECKED status run_operand(program_run *run, frame *f, uint32_t number, operand *out);
/* Gives an instruction's column, also where it is constant. */
CHECKED status run_column(program_run *run, frame *f, uint32_t number, operand *out);
/* Operands of two instructions, of which at least one is a column. */
CHECKED status run_operands(program_run *run, frame *f, const instruction *s, operand out[2]);
/* A FLAT result for the frame's rows, without validity. */
CHECKED status run_result(program_run *run, frame *f, data_type type, tensor **out);
/* Gives the result the operands' validities, all needed; shares the only one. */
CHECKED status run_validity(program_run *run, frame *f, tensor *result, const operand *operands,
                            uint32_t count);
/* A device copy of the instruction's data, made once. */
CHECKED status run_upload(program_run *run, uint32_t number, const void **out);
/* One heap of all the strings' heaps; NULL if none has one. */
CHECKED status run_merge_heaps(tensor *const *columns, uint32_t count, string_heap **out);

CHECKED status program_run_new(const program *p, exec_task *task, program_run **out);
void program_run_free(program_run *run); /* takes NULL */
/* Every chunk's expressions will all be evaluated, in order: a launch may compute several of them. */
void program_run_take_all(program_run *run);
/* Evaluates expression `index` over the chunk's rows: *out gets a tensor with a reference, of the
 * expression's type: FLAT, CONSTANT or INDEXED. May return EXEC_WAIT (lazy devices, text of unknown
 * size): call again the same way. EXEC_FINISHED: done. The chunk's columns may be replaced by
 * their flat forms; columns that the expression does not read may be NULL. */
exec_result program_evaluate(program_run *run, uint32_t index, chunk *input, tensor **out);
/* A condition: the rows for which it is true, as an index with a (perhaps lazy) count. *out_rows is
 * NULL if all rows pass. The count's word is held by *out_owner (a reference for the caller). */
exec_result program_select(program_run *run, uint32_t index, chunk *input, row_index **out_rows,
                           dev_count *out_count, dev_buffer **out_owner);

#endif
