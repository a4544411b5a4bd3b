/* exchange_stay.h - rows of a repartition that stay on their rank: from the tasks that would send them to
 * those that would receive them, as they are.
 *
 * A message of the rank to itself says that there is a chunk, so that waiting, room, the end, a failure and
 * who wants no more are as the network has them. */
#ifndef PISTACHIO_EXEC_EXCHANGE_EXCHANGE_STAY_H
#define PISTACHIO_EXEC_EXCHANGE_EXCHANGE_STAY_H

#include "device/tensor.h"
#include "net/net.h"

#include <pthread.h>

typedef struct exchange_stay {
    net_exchange *net; /* borrowed; nothing else is sent in it */
    unsigned rank;     /* this one */
    pthread_mutex_t lock;
    chunk_list rows; /* in their order */
} exchange_stay;

void exchange_stay_init(exchange_stay *stay, net_exchange *net, unsigned rank);
void exchange_stay_release(exchange_stay *stay);
/* Takes *rows, whose stream is done with them, and sets it to NULL. *out_state as of net_try_message. */
CHECKED status exchange_stay_put(exchange_stay *stay, net_waiter *waiter, chunk **rows,
                                 net_state *out_state);
/* The next rows. *out_state as of net_try_receive. */
CHECKED status exchange_stay_take(exchange_stay *stay, net_waiter *waiter, net_state *out_state,
                                  chunk **out);

#endif
