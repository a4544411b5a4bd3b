/* copy_parts.c - see copy_parts.h. */
#include "api/ranks/copy_parts.h"

#include "api/engine/place_text.h"
#include "api/ranks/rank_statement.h"
#include "api/write/copy_sink.h"

#include <stdio.h>

static status copy_parts_open_folder(api_copy_part *p, const char *path, const char *host,
                                     int64_t time)
{
    char *placed, name[32];
    unsigned rank = p->run ? p->run->rank : 0;
    snprintf(name, sizeof name, "part-%04u.parquet", rank);
    TRY(api_place_text(path, rank, host, &placed));
    status st = new_folder_open(placed, (uint64_t)time, name, &p->folder);
    mem_free(placed);
    return st;
}

status api_copy_part_open(api_copy_part *p, const sql_statement *statement, const api_rank *place,
                          const char *host, int64_t time)
{
    TRY(copy_parts_open_folder(p, statement->copy.path, host, time));
    return api_copy_open_sink(statement, new_folder_file(p->folder), place, NULL, &p->sink);
}

status api_copy_part_add(api_copy_part *p, exec_batch *batch)
{
    p->rows += batch->row_count;
    return api_sink_add(p->sink, batch);
}

status api_copy_part_publish(api_copy_part *p)
{
    api_sink *sink = p->sink;
    p->sink = NULL;
    TRY(api_sink_finish(sink));
    if (p->run)
        TRY(rank_run_agree_parts(p->run, &p->rows));
    new_folder *folder = p->folder;
    p->folder = NULL;
    TRY(new_folder_publish(folder));
    return p->run ? rank_run_agree_published(p->run) : STATUS_OK;
}

status api_copy_part_close(api_copy_part *p, status st)
{
    if (st && p->run)
        net_query_fail(p->run->net, status_copy(st));
    api_sink_abort(p->sink);
    new_folder_abort(p->folder);
    return st;
}

status api_copy_serve(rank_run *run, const sql_statement *statement, exec_query *query,
                      const char *host, int64_t time)
{
    exec_batch *batch = NULL;
    api_copy_part p = {.run = run};
    status st = api_copy_part_open(&p, statement, run->place, host, time);
    while (!st && !(st = exec_query_next(query, &batch)) && batch)
        st = api_copy_part_add(&p, batch);
    if (!st)
        st = rank_run_agree_end(run);
    if (!st)
        st = api_copy_part_publish(&p);
    return api_copy_part_close(&p, st);
}
