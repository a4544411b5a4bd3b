/* column_asked.h - column chunks that statements asked for and of which nothing is kept.
 *
 * The column cache keeps a column chunk from the second statement on that asks for it. Until then it knows the hash of its
 * key and the last statement, in a table that grows to 65,536 slots. The caller holds the cache's lock in all functions. */
#ifndef PISTACHIO_EXEC_SCAN_COLUMN_ASKED_H
#define PISTACHIO_EXEC_SCAN_COLUMN_ASKED_H

#include <stdbool.h>
#include <stdint.h>

/* Notes that the statement asks for the column chunk. Returns whether another statement asked for it before. */
bool column_asked_add(uint64_t hash, uint64_t statement);

/* Forgets who asked for the column chunk. */
void column_asked_forget(uint64_t hash);

/* Forgets all. */
void column_asked_clear(void);

#endif
