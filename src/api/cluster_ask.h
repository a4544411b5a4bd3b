/* cluster_ask.h - what rank 0 asks of the others besides statements. */
#ifndef PISTACHIO_API_CLUSTER_ASK_H
#define PISTACHIO_API_CLUSTER_ASK_H

#include "api/rank_run.h"
#include "api/statement_bytes.h"

/* On rank 0: begins a query of the run, and asks the others for something that is no statement. */
CHECKED status api_cluster_ask(rank_run *run, statement_request request, const char *text,
                               bool use_cache);

#endif
