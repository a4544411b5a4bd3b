/* program_run_narrow.h - comparisons of NARROW columns (device/tensor.h) with constants, in the narrow values. Host devices. */
#ifndef PISTACHIO_EXEC_EXPRESSION_PROGRAM_RUN_NARROW_H
#define PISTACHIO_EXEC_EXPRESSION_PROGRAM_RUN_NARROW_H

#include "exec/expression/program_instruction.h"

typedef enum narrow_use {
    NARROW_NOT,   /* it reads values in full */
    NARROW_CODES, /* it takes codes of dictionaries, but no numbers */
    NARROW_ANY
} narrow_use;

/* Returns how expression `index`, a condition that cannot fail, takes columns that are NARROW. */
narrow_use program_takes_narrow(const program *p, uint32_t index);

/* Computes the instruction if the column that it reads is NARROW and all else is constant; else *result stays NULL. */
CHECKED status instruction_compare_narrow(program_run *run, frame *f, uint32_t number,
                                          tensor **result);
CHECKED status instruction_range_narrow(program_run *run, frame *f, uint32_t number,
                                        tensor **result);
CHECKED status instruction_in_list_narrow(program_run *run, frame *f, uint32_t number,
                                          tensor **result);

/* Makes a column of what was computed for each entry of the dictionary of `codes`, which is NARROW; `count` rows. */
CHECKED status narrow_look_up(dev_stream *stream, const tensor *codes, tensor *entries,
                              dev_count count, tensor **out);

#endif
