/* hive.h - values that stand in the names of a table's folders, as Hive and those after it write them:
 *
 *     sales/year=2020/city=S%C3%A3o%20Paulo/part.parquet     year 2020, city "São Paulo"
 *     sales/year=__HIVE_DEFAULT_PARTITION__/...              year NULL
 *
 * A name is a pair if it has one '=' and something before it; other folders are passed over. A key's values
 * are integers (bigint) if all of them are written as these are, else dates, else text, unless hive_types says
 * something else; percent-escapes are those of bytes of the name and the value. */
#ifndef PISTACHIO_PARQUET_TABLE_HIVE_H
#define PISTACHIO_PARQUET_TABLE_HIVE_H

#include "parquet/table/hive_types.h"
#include "storage/file.h"

#define PQ_HIVE_NULL "__HIVE_DEFAULT_PARTITION__"

typedef enum pq_hive {
    PQ_HIVE_AUTO, /* keys, if all files have the same ones */
    PQ_HIVE_OFF,
    PQ_HIVE_ON /* that they have others is an error */
} pq_hive;

typedef struct pq_hive_key {
    const char *name;
    data_type type;
    bool is_nullable; /* some folder has NULL */
} pq_hive_key;

/* The keys of files, and their values by folder: files of one folder that follow one another share it. */
typedef struct pq_hive_keys {
    ARRAY(pq_hive_key) keys;
    ARRAY(value *) folders; /* a value for each key */
} pq_hive_keys;

/* The keys of files at these paths, in the arena, which the result's text lies in; none: keys.count is 0.
 * folders[i]: that of path i. Fails, in mode ON, where a file has other keys than the first; and if one of
 * `types` is of no key, or a value is not of its type. */
CHECKED status pq_hive_find(arena *a, pq_hive mode, const pq_hive_type_list *types,
                            const path_list *paths, uint32_t *folders, pq_hive_keys *out);
/* Adds a key before the others, "filename", whose value is the path: each file is a folder of its own then. */
CHECKED status pq_hive_add_filename(arena *a, const path_list *paths, uint32_t *folders,
                                    pq_hive_keys *hive);
/* How many values a key has among the folders that are marked. */
CHECKED status pq_hive_count(const pq_hive_keys *hive, size_t key, const bool *is_marked,
                             int64_t *out);
/* A folder's name is a pair: where its '=' is, or NULL. */
const char *pq_hive_pair(const char *name, size_t bytes);

#endif
