/* program.h - expressions compiled to a linear program of kernel launches over temporaries.
 *
 * A program is compiled once per operator and shared by its tasks; what a run needs is in a
 * program_run of each task. Constants are folded, common parts shared, and a part that depends on a
 * single dictionary column alone is evaluated once per dictionary entry and indexed (the result is
 * kept while the dictionary stays the same). CASE, COALESCE, AND and OR evaluate an argument that
 * can fail only for the rows that need it. Kernel failures carry the SQL position. */
#ifndef PISTACHIO_EXEC_EXPRESSION_PROGRAM_H
#define PISTACHIO_EXEC_EXPRESSION_PROGRAM_H

#include "exec/sched/operator.h"

typedef struct program program;
typedef struct program_run program_run;

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

/* The value of a row, for messages and constants; host devices. Text is borrowed. */
value tensor_value(const tensor *flat, uint64_t row);

#endif
