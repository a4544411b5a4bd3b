/* result_dictionary.h - a batch's text column as codes and a dictionary of distinct texts. */
#ifndef PISTACHIO_EXEC_OPERATORS_RESULT_DICTIONARY_H
#define PISTACHIO_EXEC_OPERATORS_RESULT_DICTIONARY_H

#include "exec/operators/op_result.h"

/* The column of texts becomes codes and a dictionary, and is shaped, unless it is. On failure it is as it was. */
CHECKED status exec_batch_make_dictionary(exec_batch *batch, uint32_t column);
/* True: the column of so many rows is better taken by its codes, as its dictionary is no longer. */
bool exec_batch_keeps_codes(const tensor *t, uint64_t rows);
/* Such a one, by reference. */
void exec_batch_put_codes(exec_batch_column *column, tensor *t);

#endif
