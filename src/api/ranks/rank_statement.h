/* rank_statement.h - what ranks tell one another of a statement that they run together.
 *
 *     rank 0   send ───────┬─> agree plan ── (runs, gives rows) ── agree end
 *     others   receive <───┘   agree plan ── (runs) ────────────── agree end
 *                              └──────────────── serve ─────────────────┘
 */
#ifndef PISTACHIO_API_RANKS_RANK_STATEMENT_H
#define PISTACHIO_API_RANKS_RANK_STATEMENT_H

#include "api/ranks/rank_run.h"
#include "api/ranks/statement_bytes.h"

/* Writes the statement, and what it is bound with; *out is the caller's (mem_free). Before the run's query begins: it waits for
 * the catalog, whose holder may be opening a table by a query with a later number. */
CHECKED status rank_run_write(const rank_run *run, const pistachio_result *result, char **out,
                              uint64_t *out_bytes);
/* Sends it to the other ranks, which take queries in the order of their numbers. */
CHECKED status rank_run_send(rank_run *run, const char *data, uint64_t bytes);
/* Sends another request (statement_write_request). */
CHECKED status rank_run_send_request(rank_run *run, statement_request request, const char *text,
                                     bool use_cache);
/* Receives what rank 0 has sent; the caller's (mem_free). Blocks until there is a statement. */
CHECKED status rank_run_receive(rank_run *run, char **out, uint64_t *out_bytes);
/* Whether all ranks have this plan, of the same files. */
CHECKED status rank_run_agree_plan(rank_run *run, const plan_statement *plan);
/* Whether no rank has failed. */
CHECKED status rank_run_agree_end(rank_run *run);

/* COPY (PER_RANK), after that: whether each rank's part is whole; *io_rows: its rows, then those of all. */
CHECKED status rank_run_agree_parts(rank_run *run, uint64_t *io_rows);
/* And whether they have appeared. */
CHECKED status rank_run_agree_published(rank_run *run);

#endif
