/* join_table_build.h - the steps that make a join table out of all tasks' chunks. */
#ifndef PISTACHIO_EXEC_JOIN_JOIN_TABLE_BUILD_H
#define PISTACHIO_EXEC_JOIN_JOIN_TABLE_BUILD_H

#include "exec/join/join_table.h"

/* Slots of a table of so many rows: some stay free, all numbers are below ROW_NULL. 0: too many rows. */
uint64_t join_table_slot_count(join_table_form form, uint64_t rows);
/* Returns the bits (code_insert's row_bits) of a slot that hold the numbers of so many rows, beside codes of keys in
 * these ranges. */
uint32_t join_table_row_bits(const join_table *table, uint64_t rows, const join_key_range *ranges);
uint64_t join_table_slot_bytes(uint32_t row_bits);
/* About how many bytes the table of so many rows takes besides the rows, at its largest. The keys'
 * ranges may be of more rows. */
uint64_t join_table_bytes(const join_table *table, uint64_t rows, const join_key_range *ranges);
CHECKED status join_table_phase(join_table *table, exec_task *task, join_table_phase_number phase,
                                const join_key_range *ranges);
/* After a failed first phase: as before it. */
void join_table_restart(join_table *table);

#endif
