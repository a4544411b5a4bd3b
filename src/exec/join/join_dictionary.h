/* join_dictionary.h - a probe key that comes as rows of a base, a dictionary or another join's build side: each of
 * the base's values is looked up once, not once for each row that has it. */
#ifndef PISTACHIO_EXEC_JOIN_JOIN_DICTIONARY_H
#define PISTACHIO_EXEC_JOIN_JOIN_DICTIONARY_H

#include "exec/join/op_join.h"

/* A task's: the base that came last. Zeroed: none. */
typedef struct join_dictionary {
    tensor *base;
    uint64_t rows;
    row_index *groups; /* of the base's values in the join's whole table */
} join_dictionary;

void join_dictionary_release(join_dictionary *dictionary);
/* Whether that is the way for these rows, of which nothing is wanted but their groups in the join's
 * whole table: the base's values are known, or hardly more than the rows. */
bool join_dictionary_takes(const join_dictionary *dictionary, const op_join_build *join,
                           const tensor *key, dev_count rows);
/* As join_table_probe, for a key that is taken. */
CHECKED status join_dictionary_probe(join_dictionary *dictionary, const op_join_build *join,
                                     exec_task *task, const tensor *key, dev_count rows,
                                     row_index **out);

#endif
