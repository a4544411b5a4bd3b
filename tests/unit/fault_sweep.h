/* fault_sweep.h - a statement with each allocation, read or write made to fail, or cancelled at each look. */
#ifndef PISTACHIO_FAULT_SWEEP_H
#define PISTACHIO_FAULT_SWEEP_H

#include "base/fault.h"

#define FAULT_TEXT_ROOM (1 << 22) /* of a statement's rows; random ones have the most */

/* Returns the path of table t: the rows of tests/fuzz/corpus/fuzz_parquet_file, 20 of each type. */
const char *fault_sample_path(void);
/* The nth check of `kind` fails, cleanly; false: there was no nth, the statement's end has been reached.
 * expected: the rows where nothing fails, as run_statement makes text of them; NULL where they have no order. */
bool fault_fails_cleanly(const char *sql, const char *device, fault_kind kind, uint64_t nth,
                         bool always, const char *expected);
/* Each of the first, then every `part`-th part further. */
void fault_sweep(const char *sql, const char *device, fault_kind kind, uint64_t part);
/* Returns the entries of a folder, without those that are hidden. */
unsigned fault_entry_count(const char *folder);

#endif
