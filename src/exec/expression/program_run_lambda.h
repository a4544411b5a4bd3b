/* program_run_lambda.h - lambdas: a program of their own that is run over the elements of all lists of a chunk at once.
 *
 *     list_transform([[1, 2], [3]], lambda x: x + t.y)
 *
 *     row         y                element   y
 *     {0,2}       10      ->       1         10     ->  11 12 23
 *     {2,1}       20               2         10
 *                                  3         20
 *
 * The columns of the lambda's program are its parameters, and then what it reads from outside, a value for each element. */
#ifndef PISTACHIO_EXEC_EXPRESSION_PROGRAM_RUN_LAMBDA_H
#define PISTACHIO_EXEC_EXPRESSION_PROGRAM_RUN_LAMBDA_H

#include "exec/expression/program_instruction.h"

/* The first arguments are the list and, of LAMBDA_REDUCE_FROM, the initial value; those after them are what the body reads
 * from outside. */
exec_result instruction_lambda(program_run *run, frame *f, uint32_t number, tensor **result);

#endif
