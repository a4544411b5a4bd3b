/* join_dictionary.c - looking up a dictionary's values, and rows by them.
 *
 *   rows      index into the base      groups of the base      groups of the rows
 *   b a b     1 0 1                    a: 7  b: none      ->   none 7 none
 *
 * A row group's dictionary comes with all of its chunks, so that later ones find it known. */
#include "exec/join/join_dictionary.h"

/* Values of a base for each row of the first chunk that comes with it. */
#define VALUES_PER_ROW 2
/* Rows of a chunk for each value of a base that may come with it alone: what is computed of a
 * dictionary, say. */
#define ROWS_PER_VALUE 2

void join_dictionary_release(join_dictionary *dictionary)
{
    tensor_unref(dictionary->base);
    row_index_unref(dictionary->groups);
    *dictionary = (join_dictionary){0};
}

static bool join_dictionary_is_known(const join_dictionary *dictionary, const tensor *key)
{
    return dictionary->base && dictionary->base == key->base && dictionary->rows == key->base_rows;
}

/* Rows whose key is NULL meet nothing, and whether it is NULL is not asked again. */
static bool needs_groups_alone(const op_join_build *join)
{
    const join_table *table = &join->whole.table;
    return table->form == JOIN_TABLE_HASHED && table->key_row_count && !table->null_equal &&
           join->probe_key_count == 1 && join->type != JOIN_ANTI_NULL && join->type != JOIN_MARK;
}

bool join_dictionary_takes(const join_dictionary *dictionary, const op_join_build *join,
                           const tensor *key, dev_count rows)
{
    if (key->form != TENSOR_INDEXED || key->base->validity || !needs_groups_alone(join))
        return false;
    if (join_dictionary_is_known(dictionary, key))
        return true;
    bool stays = key->is_dictionary || key->base->is_lasting;
    return key->base_rows &&
           key->base_rows <= (stays ? rows.bound * VALUES_PER_ROW : rows.bound / ROWS_PER_VALUE);
}

static status learn(join_dictionary *dictionary, const op_join_build *join, exec_task *task,
                    const tensor *key)
{
    tensor *base = key->base;
    join_dictionary_release(dictionary);
    TRY(join_table_probe(&join->whole.table, task, &base, dev_count_exact(key->base_rows),
                         &dictionary->groups));
    dictionary->base = tensor_ref(base);
    dictionary->rows = key->base_rows;
    return STATUS_OK;
}

status join_dictionary_probe(join_dictionary *dictionary, const op_join_build *join,
                             exec_task *task, const tensor *key, dev_count rows, row_index **out)
{
    *out = NULL;
    if (!join_dictionary_is_known(dictionary, key))
        TRY(learn(dictionary, join, task, key));
    TRY(row_index_new(task->stream->dev, rows.bound, out));
    status st = DEV_LAUNCH(task->stream, gather_index, .first = dictionary->groups->rows,
                           .second = key->index->rows, .count = rows, .out = (*out)->rows);
    if (st) {
        row_index_unref(*out);
        *out = NULL;
    }
    return st;
}
