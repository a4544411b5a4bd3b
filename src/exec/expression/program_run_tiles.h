/* program_run_tiles.h - runs of instructions that a device computes in one launch (KERNEL expression). */
#ifndef PISTACHIO_EXEC_EXPRESSION_PROGRAM_RUN_TILES_H
#define PISTACHIO_EXEC_EXPRESSION_PROGRAM_RUN_TILES_H

#include "exec/expression/program_instruction.h"

/* Computes it and what it reads in one launch, if the device takes such runs and there is one: its slot
 * is then set. *out_ran false: there is none. */
exec_result run_tiles(program_run *run, frame *f, uint32_t number, bool *out_ran);
/* The device's kernel of runs has a step for it. */
bool tile_has_step(const program *p, const instruction *s);
/* *out is NULL where the device takes none. Freed by mem_free. */
CHECKED status tile_run_new(program_run *run, tile_run **out);

#endif
