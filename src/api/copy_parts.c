/* copy_parts.c - see copy_parts.h. */
#include "api/copy_parts.h"

#include "api/cluster.h"
#include "api/copy_sink.h"
#include "api/place_text.h"
#include "api/query_run.h"
#include "api/rank_statement.h"
#include "api/ranked.h"
#include "api/ranks.h"
#include "storage/new_folder.h"

#include <stdio.h>

typedef struct part {
    rank_run *run; /* NULL: there are no other ranks */
    new_folder *folder;
    char name[32];
    api_sink *sink;
    uint64_t rows;
} part;

static status open_folder(part *p, const char *path, const char *host, int64_t time)
{
    char *placed;
    unsigned rank = p->run ? p->run->rank : 0;
    snprintf(p->name, sizeof p->name, "part-%04u.parquet", rank);
    TRY(api_place_text(path, rank, host, &placed));
    status st = new_folder_open(placed, (uint64_t)time, &p->folder);
    mem_free(placed);
    return st;
}

static status open_part(part *p, const sql_statement *statement, const api_rank *place,
                        const char *host, int64_t time)
{
    char *file;
    TRY(open_folder(p, statement->copy.path, host, time));
    TRY(new_folder_file(p->folder, p->name, &file));
    status st = api_copy_open_sink(statement, file, place->dev, place->budget, &p->sink);
    mem_free(file);
    return st;
}

static status add_rows(part *p, exec_batch *batch)
{
    p->rows += batch->row_count;
    return api_sink_add(p->sink, batch);
}

/* All rows are there. */
static status publish(part *p)
{
    api_sink *sink = p->sink;
    p->sink = NULL;
    TRY(api_sink_finish(sink));
    if (p->run)
        TRY(rank_run_agree_parts(p->run, &p->rows));
    new_folder *folder = p->folder;
    p->folder = NULL;
    TRY(new_folder_publish(folder, p->name));
    return p->run ? rank_run_agree_published(p->run) : STATUS_OK;
}

/* Hands a failure on, when the other ranks know of it. */
static status close_part(part *p, status st)
{
    api_sink_abort(p->sink);
    new_folder_abort(p->folder, p->name);
    if (st && p->run)
        net_query_fail(p->run->net, status_copy(st));
    return st;
}

status api_copy_parts(pistachio_result *result)
{
    exec_batch *batch = NULL;
    const api_cluster *cluster = result->connection->database->cluster;
    part p = {.run = result->ranked ? api_ranked_own(result->ranked) : NULL};
    status st = open_part(&p, result->statement, &result->engine->ranks[0],
                          cluster ? net_comm_host(cluster->comm, 0) : NULL, result->statement_time);
    while (!st && !(st = api_query_next(result, &batch)) && batch)
        st = add_rows(&p, batch);
    if (!st)
        st = publish(&p);
    result->rows_written = p.rows;
    return close_part(&p, st);
}

status api_copy_serve(rank_run *run, const sql_statement *statement, exec_query *query,
                      const char *host, int64_t time)
{
    exec_batch *batch = NULL;
    part p = {.run = run};
    status st = open_part(&p, statement, run->place, host, time);
    while (!st && !(st = exec_query_next(query, &batch)) && batch)
        st = add_rows(&p, batch);
    if (!st)
        st = rank_run_agree_end(run);
    if (!st)
        st = publish(&p);
    return close_part(&p, st);
}
