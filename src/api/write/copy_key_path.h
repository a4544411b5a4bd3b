/* copy_key_path.h - the folders of PARTITION_BY's rows: a=1/b=x, as parquet/table/hive.h reads them. */
#ifndef PISTACHIO_API_WRITE_COPY_KEY_PATH_H
#define PISTACHIO_API_WRITE_COPY_KEY_PATH_H

#include "base/mem.h"
#include "exec/operators/op_result.h"
#include "plan/tree/plan.h"

typedef ARRAY(char) api_path; /* with a 0 behind it, once it has bytes */

/* The columns from `first` on are keys. */
typedef struct api_copy_keys {
    const plan_column_list *columns;
    uint32_t first;
} api_copy_keys;

CHECKED status api_path_add(api_path *to, const char *bytes, size_t count);
/* Adds "/a=1/b=x" of the row. */
CHECKED status api_path_add_keys(api_path *to, const api_copy_keys *keys, const exec_batch *batch,
                                 uint64_t row);
/* The end of the rows, from `first` on, that have equal keys. */
uint64_t api_copy_keys_end(const api_copy_keys *keys, const exec_batch *batch, uint64_t first);

#endif
