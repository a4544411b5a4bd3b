/* rounds.h - the rows of recursive queries, which a statement needs before it can run. */
#ifndef PISTACHIO_SQL_CATALOG_ROUNDS_H
#define PISTACHIO_SQL_CATALOG_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

/* Recursive queries are computed before the statement that has them, one after another, in rounds: each is a
 * query of its own, whose rows are kept (sql_round_table) for the next. Until all are there, sql_prepare gives
 * SQL_ROUND. */
typedef enum sql_round {
    SQL_ROUND_FIRST, /* the rows of the query before UNION */
    SQL_ROUND_STEP,  /* those that the query behind it makes of the last round's */
    SQL_ROUND_MERGE  /* as INSERT does: rows of many rounds together */
} sql_round;

typedef struct sql_rounds {
    uint32_t done;  /* recursive queries whose rows are all there */
    uint32_t round; /* sql_round: what the next one needs */
} sql_rounds;

#define SQL_WANTED_MAX 16
#define SQL_WANTED_ALL UINT64_MAX
/* Rows that a statement reads at most of its first recursive queries: rounds end once there are as many. */
typedef struct sql_wanted_rows {
    uint32_t count; /* of queries of which that is known */
    uint64_t rows[SQL_WANTED_MAX];
    /* The statement is a LIMIT of so many rows, and what it gives of some of the recursive queries' rows it also gives of
     * more: rounds end once it gives as many. */
    bool has_limit;
    uint64_t limit;
} sql_wanted_rows;

#define SQL_ROUND_NAME_BYTES 32
/* The table of the rows of a recursive query: of all, or of the last round's. No name of SQL is one. */
void sql_round_table(uint32_t number, bool is_last_round, char *out);
/* The view whose text has the values of a PIVOT: its round makes one text of them. It is counted as a recursive query is. */
void sql_round_values(uint32_t number, char *out);

#endif
