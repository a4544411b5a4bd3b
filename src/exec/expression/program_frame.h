/* program_frame.h - frames. */
#ifndef PISTACHIO_EXEC_EXPRESSION_PROGRAM_FRAME_H
#define PISTACHIO_EXEC_EXPRESSION_PROGRAM_FRAME_H

#include "exec/expression/program_instruction.h"

CHECKED status frame_init(const program *p, frame *f);
CHECKED status frame_init_dictionary(const program *p, frame *f);
/* Sets an empty slot; takes the reference over. */
void slot_set(frame *f, uint32_t number, tensor *value);
void slot_clear(frame *f, uint32_t number);
/* Empties the slots of instructions that no expression after `root` needs, here and in selections. */
void frame_forget(const program *p, frame *f, uint32_t root);
/* Empties everything, for other rows. */
void frame_clear(const program *p, frame *f);
/* Frees all that the frame has. */
void frame_release(const program *p, frame *f);
/* The selection of the frame for one branch of an instruction, made if it is not there; NULL without memory. */
frame *run_child(program_run *run, frame *f, uint32_t number, uint32_t branch);
/* Ends an instruction's selections, which others take over: a CASE of thousands of branches would have as many,
 * each as large as the program. */
void run_end_children(program_run *run, frame *f, uint32_t number);
void frame_free_spares(program_run *run);

#endif
