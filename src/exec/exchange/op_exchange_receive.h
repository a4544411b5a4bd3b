/* op_exchange_receive.h - the source of an exchange. */
#ifndef PISTACHIO_EXEC_EXCHANGE_OP_EXCHANGE_RECEIVE_H
#define PISTACHIO_EXEC_EXCHANGE_OP_EXCHANGE_RECEIVE_H

#include "base/status.h"
#include "exec/exchange/exchange_stay.h"
#include "exec/sched/operator.h"

CHECKED status op_exchange_receive_open(exec_query *query, const plan_node *plan, net_exchange *net,
                                        struct exchange_stay *stay, exec_operator **out);
/* A task's waiter: wakes it. */
void exchange_waiter_set(net_waiter *waiter, exec_task *task);

#endif
