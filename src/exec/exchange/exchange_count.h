/* exchange_count.h - rows to each rank and from it, counted. */
#ifndef PISTACHIO_EXEC_EXCHANGE_EXCHANGE_COUNT_H
#define PISTACHIO_EXEC_EXCHANGE_EXCHANGE_COUNT_H

#include "base/status.h"
#include "exec/sched/operator.h"
#include "net/net.h"

/* Counters of an exchange's operator; they live as long as the query. */
CHECKED status exchange_counters_new(exec_operator *op, bool is_sender);
/* A message to another rank, or from one. */
void exchange_count_sent(exec_operator *op, const net_message *message);
void exchange_count_received(exec_operator *op, const net_message *message);

#endif
