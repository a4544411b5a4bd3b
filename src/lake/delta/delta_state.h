/* delta_state.h - what a log's actions come to: schema, protocol and the files that are there. */
#ifndef PISTACHIO_LAKE_DELTA_DELTA_STATE_H
#define PISTACHIO_LAKE_DELTA_DELTA_STATE_H

#include "base/mem.h"

typedef struct delta_pair {
    const char *name, *value; /* value NULL: it is null */
} delta_pair;

typedef ARRAY(delta_pair) delta_pair_list;

/* The place of a deletion vector; storage NULL: the file has none. */
typedef struct delta_vector {
    const char *storage, *path;
    int64_t offset, bytes, cardinality;
} delta_vector;

/* An add, or a remove. */
typedef struct delta_action {
    const char *path;
    delta_vector vector;
    delta_pair_list partition;
    const char *stats; /* JSON; NULL: none */
    bool is_removed;
} delta_action;

typedef struct delta_state {
    arena *memory;
    const char *root, *name; /* the table's folder; how errors call the table */
    int64_t version;
    const char *schema; /* JSON; NULL: no metaData was read */
    ARRAY(const char *) partition_columns;
    delta_pair_list configuration;
    bool has_protocol;
    int64_t reader_version;
    ARRAY(const char *) features;
    ARRAY(delta_action) actions; /* the last of each file, in the order of first appearance */
    uint32_t *slots;             /* by hash of path and vector: number of an action plus 1 */
    size_t slot_count;
    ARRAY(const char *) sidecars;
    uint32_t files_read;
} delta_state;

/* Takes the action in place of an earlier one of the same file and deletion vector; its text must be in the arena. */
CHECKED status delta_state_take(delta_state *s, const delta_action *action);
/* Returns the value of the table's configuration; NULL: it has none. */
const char *delta_configuration(const delta_state *s, const char *name);
/* Applies the actions of a file of JSON values. */
CHECKED status delta_read_actions(delta_state *s, const char *path);
/* Applies the actions of a text that was read, which must be in the arena. path: for errors. */
CHECKED status delta_take_actions(delta_state *s, const char *path, char *text, size_t bytes);
/* Applies what a file of a checkpoint (Parquet) has. */
CHECKED status delta_read_checkpoint(delta_state *s, const char *path);
/* Notes a file that has more of the checkpoint; its text must be in the arena. */
CHECKED status delta_take_sidecar(delta_state *s, const char *path);
/* Fails if the table needs a reader that knows more. */
CHECKED status delta_check_protocol(const delta_state *s);

#endif
