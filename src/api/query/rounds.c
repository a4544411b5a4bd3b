/* rounds.c - what a statement needs first. The values of a PIVOT; WITH RECURSIVE: round after round as a query of its own (sql_rounds), until one has no rows. The
 * rows are kept as those of CREATE TABLE are, in a catalog over the connection's, which goes with the
 * result. */

#include "api/query/query_parts.h"
#include "api/query/query_run.h"
#include "api/query/table_rows.h"
#include "api/session/database.h"
#include "api/session/statement.h"
#include "exec/operators/result_batch.h"
#include "sql/statement/sql.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Parts of the rows of all rounds beyond which those that are small become one. */
#define PARTS_MAX 16

/* ---- keeping rows ---- */

static status copy_descriptor(int descriptor, int *out)
{
    *out = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    return *out >= 0 ? STATUS_OK : status_new_errno(errno, "could not keep a temporary file");
}

/* The round's rows: as those of the last round, and as a part of all. Takes the descriptor over. */
static status keep_round(pistachio_result *result, bool is_first, int descriptor)
{
    char round[SQL_ROUND_NAME_BYTES], all[SQL_ROUND_NAME_BYTES];
    const sql_catalog_entry *entry;
    int copy;
    sql_round_table(result->rounds.done, true, round);
    sql_round_table(result->rounds.done, false, all);
    status st = copy_descriptor(descriptor, &copy);
    if (!st)
        st = sql_catalog_add_rows(result->catalog, round, true, copy);
    if (!st && is_first)
        return sql_catalog_add_rows(result->catalog, all, false, descriptor);
    if (!st)
        st = sql_catalog_find(result->catalog, all, &result->statement->held, &entry);
    if (!st && !entry)
        st = status_new(STATUS_KIND_INTERNAL, "a recursive query has lost its rows");
    if (st) {
        close(descriptor);
        return st;
    }
    if (entry->parts.count >= PARTS_MAX)
        result->rounds.round = SQL_ROUND_MERGE;
    return sql_catalog_extend_rows(result->catalog, all, &entry->parts, entry->parts.count,
                                   descriptor);
}

static status keep_merged(pistachio_result *result, int descriptor)
{
    const sql_statement *statement = result->statement;
    char all[SQL_ROUND_NAME_BYTES];
    sql_round_table(result->rounds.done, false, all);
    result->rounds.round = SQL_ROUND_STEP;
    return sql_catalog_extend_rows(result->catalog, all, &statement->parts, statement->kept_parts,
                                   descriptor);
}

/* The recursive query has all of its rows. */
static status end_rounds(pistachio_result *result)
{
    char round[SQL_ROUND_NAME_BYTES];
    sql_round_table(result->rounds.done, true, round);
    result->rounds.done++;
    result->round_rows = 0;
    result->rounds.round = SQL_ROUND_FIRST;
    return sql_catalog_drop_rows(result->catalog, round, true);
}

static status keep(pistachio_result *result, uint64_t rows, int descriptor)
{
    uint32_t round = result->rounds.round;
    if (round == SQL_ROUND_MERGE)
        return keep_merged(result, descriptor);
    result->rounds.round = SQL_ROUND_STEP;
    result->round_rows += rows;
    if (rows || round == SQL_ROUND_FIRST)
        TRY(keep_round(result, round == SQL_ROUND_FIRST, descriptor));
    else
        close(descriptor);
    const sql_wanted_rows *wanted = &result->wanted;
    uint32_t number = result->rounds.done;
    bool is_enough = number < wanted->count && result->round_rows >= wanted->rows[number];
    return rows && !is_enough ? STATUS_OK : end_rounds(result);
}

/* ---- the values of a PIVOT ---- */

static status first_text(pistachio_result *round, arena *memory, const char **out)
{
    exec_batch *batch = NULL;
    *out = "";
    TRY(api_query_next(round, &batch));
    while (batch) {
        const exec_batch_column *column = &batch->columns[0];
        bool is_valid = batch->row_count && (!column->validity || (column->validity[0] & 1));
        const string_view *view = column->values;
        if (is_valid)
            *out = arena_copy_text(memory, string_data(view), view->bytes);
        exec_batch_free(batch);
        if (!*out)
            return status_no_memory("values of PIVOT", 0);
        TRY(api_query_next(round, &batch));
    }
    return STATUS_OK;
}

static status keep_values(pistachio_result *result, pistachio_result *round)
{
    char name[SQL_ROUND_NAME_BYTES];
    const char *text;
    TRY(first_text(round, result->statement->query.memory, &text));
    sql_round_values(result->rounds.done, name);
    TRY(sql_catalog_add_view(result->catalog, name, text, true));
    result->rounds.done++;
    return STATUS_OK;
}

/* ---- running a round ---- */

/* The result that the round's statement has for itself; it takes the statement over. */
static status begin_round(pistachio_result *result, pistachio_result **out)
{
    pistachio_result *round = mem_new(sizeof *round);
    *out = round;
    if (!round)
        return status_no_memory("result", sizeof *round);
    round->connection = api_connection_ref(result->connection);
    round->prepared = result->prepared ? api_statement_ref(result->prepared) : NULL;
    round->statement_time = result->statement_time;
    round->rounds = result->rounds;
    round->catalog = result->catalog;
    round->is_round = true;
    round->statement = result->statement;
    return STATUS_OK;
}

static status run_round(pistachio_result *result)
{
    pistachio_result *round;
    uint64_t rows = 0;
    int descriptor = -1;
    TRY(begin_round(result, &round));
    status st = api_query_plan(round);
    if (!st)
        st = api_query_start(round);
    bool makes_values = result->statement->makes_values;
    if (!st)
        st = makes_values ? keep_values(result, round) : api_write_rows(round, &descriptor);
    rows = round->rows_written;
    if (*round->notice)
        memcpy(result->notice, round->notice, sizeof result->notice);
    round->statement = NULL; /* the result's */
    pistachio_result_free(round);
    return st || makes_values ? st : keep(result, rows, descriptor);
}

/* ---- ending early ---- */

/* Looks for the first time after so many rounds or rows, then whenever there are twice as many. */
#define FIRST_LOOK_ROUNDS 64
#define FIRST_LOOK_ROWS 100000

static bool is_time_to_look(pistachio_result *result)
{
    api_round_look *look = &result->look;
    if (!result->wanted.has_limit || result->rounds.done + 1 != result->wanted.count ||
        result->rounds.round != SQL_ROUND_STEP)
        return false;
    look->rounds++;
    bool is_time = look->rounds >= (look->next_rounds ? look->next_rounds : FIRST_LOOK_ROUNDS) ||
                   result->round_rows >= (look->next_rows ? look->next_rows : FIRST_LOOK_ROWS);
    if (is_time) {
        look->next_rounds =
            look->rounds * 2 < FIRST_LOOK_ROUNDS ? FIRST_LOOK_ROUNDS : look->rounds * 2;
        look->next_rows =
            result->round_rows * 2 < FIRST_LOOK_ROWS ? FIRST_LOOK_ROWS : result->round_rows * 2;
    }
    return is_time;
}

/* Counts the rows that the statement, which is bound over the rows so far, gives. */
static status count_rows(pistachio_result *result, uint64_t *out)
{
    pistachio_result *round;
    exec_batch *batch = NULL;
    *out = 0;
    TRY(begin_round(result, &round));
    status st = api_query_plan(round);
    if (!st)
        st = api_query_start(round);
    while (!st && !(st = api_query_next(round, &batch)) && batch) {
        *out += batch->row_count;
        exec_batch_free(batch);
    }
    round->statement = NULL; /* the result's */
    pistachio_result_free(round);
    return st;
}

/* Ends the rounds if the statement's LIMIT has all of its rows already. */
static status look(pistachio_result *result,
                   status (*bind)(pistachio_result *result, void *context), void *context)
{
    uint64_t rows = 0;
    result->rounds.done++;
    result->rounds.round = SQL_ROUND_FIRST;
    status st = bind(result, context);
    sql_kind kind = st ? SQL_EMPTY : result->statement->kind;
    bool is_query = kind == SQL_QUERY || kind == SQL_EXPLAIN_ANALYZE || kind == SQL_CREATE_TABLE;
    if (is_query) {
        result->statement->kind = SQL_QUERY;
        st = count_rows(result, &rows);
    }
    sql_statement_free(result->statement);
    result->statement = NULL;
    result->rounds.done--;
    result->rounds.round = SQL_ROUND_STEP;
    return !st && is_query && rows >= result->wanted.limit ? end_rounds(result) : st;
}

status api_rounds(pistachio_result *result, status (*bind)(pistachio_result *result, void *context),
                  void *context)
{
    uint32_t cancels = api_running_cancels(&result->connection->running);
    uint32_t own_cancels = result->prepared ? api_running_cancels(&result->prepared->running) : 0;
    while (result->statement->kind == SQL_ROUND) {
        if (!result->catalog)
            TRY(sql_catalog_new_over(api_catalog(result->connection), &result->catalog));
        TRY(run_round(result));
        sql_statement_free(result->statement);
        result->statement = NULL;
        if (cancels != api_running_cancels(&result->connection->running) ||
            (result->prepared && own_cancels != api_running_cancels(&result->prepared->running)))
            return status_new(STATUS_KIND_CANCELLED, "query cancelled");
        if (is_time_to_look(result))
            TRY(look(result, bind, context));
        TRY(bind(result, context));
    }
    return STATUS_OK;
}
