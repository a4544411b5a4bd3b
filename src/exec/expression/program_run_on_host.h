/* program_run_on_host.h - expressions of lists, structs and maps, which a lazy device's host computes.
 *
 *     device   l (bytes), x ── copied, awaited ──> host   a program of its own: list_sum(nested_of_bytes(l)) + x
 *              result      <── copied ─────────────
 *
 * The program's columns are the instruction's arguments, and it runs on the host device whose memory is pinned (dev_host). So
 * functions of nested values and lambdas know one kind of device alone. */
#ifndef PISTACHIO_EXEC_EXPRESSION_PROGRAM_RUN_ON_HOST_H
#define PISTACHIO_EXEC_EXPRESSION_PROGRAM_RUN_ON_HOST_H

#include "exec/expression/program_instruction.h"

exec_result instruction_on_host(program_run *run, frame *f, uint32_t number, tensor **result);

#endif
