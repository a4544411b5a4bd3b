/* op_exchange.h - rows between ranks: a sink that sends and a source that receives, at the same
 * time. Host devices only. */
#ifndef PISTACHIO_EXEC_EXCHANGE_OP_EXCHANGE_H
#define PISTACHIO_EXEC_EXCHANGE_OP_EXCHANGE_H

#include "exec/sched/query.h"
#include "net/net.h"

/* The query runs on several ranks. The sink owns the exchange. out_source may be NULL: this rank
 * only sends, as all do but rank 0 where rows are gathered. */
CHECKED status op_exchange_open(exec_query *query, const plan_node *plan, exec_operator **out_sink,
                                exec_operator **out_source);

/* An operator that draws samples of the rows of an exchange by ranges. They are kept until it has seen all of them, and
 * then go to the sink. */
CHECKED status op_exchange_sampler(exec_operator *sink, exec_operator **out);

/* ---- inside the folder ---- */

struct exchange_stay;

/* Returns whether rows stay that go out only if their join's broadcast overflows. Known from the probe side's
 * beginning on. */
static inline bool exchange_stays(const exec_operator *op)
{
    uint32_t id = op->plan->exchange.overflow_id;
    return id && op->plan->exchange.kind == EXCHANGE_HASH &&
           !exec_has_overflowed(&op->query->overflows[id - 1]);
}

CHECKED status op_exchange_merge_open(exec_query *query, const plan_node *plan, net_exchange *net,
                                      exec_operator **out);
/* Rank 0's rows, then rank 1's, and so on. */
CHECKED status op_exchange_append_open(exec_query *query, const plan_node *plan, net_exchange *net,
                                       exec_operator **out);

#endif
