/* lock.h - the lock of a communicator, and those that go on when it is given back. */
#ifndef PISTACHIO_NET_LOCK_H
#define PISTACHIO_NET_LOCK_H

#include "net/internal.h"

void net_lock(net_comm *comm);
/* Lets go on whoever is active, then unlocks and calls back. */
void net_unlock(net_comm *comm);
/* net_unlock is to let it go on; it is to be left out. */
void net_activate(net_comm *comm, net_active *active);
void net_deactivate(net_comm *comm, net_active *active);
/* Has net_unlock drop a cargo that nobody will receive. Takes NULL. */
void net_cargo_drop(net_comm *comm, net_cargo *cargo);
void net_waiters_add(net_waiters *waiters, net_waiter *waiter); /* NULL: nothing */
/* The first one, or all, are to be called by net_unlock. */
void net_waiters_wake(net_comm *comm, net_waiters *waiters);
void net_waiters_wake_all(net_comm *comm, net_waiters *waiters);

#endif
