/* fault.h - faults of the simulated network, decided by the seed. */
#ifndef PISTACHIO_NET_LOCAL_FAULT_H
#define PISTACHIO_NET_LOCAL_FAULT_H

#include "net/local/fabric.h"

/* A number for the n-th frame from one rank to another; `use` tells questions apart. */
uint64_t local_chance(const net_fabric *fabric, unsigned from, unsigned to, uint64_t n,
                      unsigned use);
/* When a frame that is sent now arrives. */
uint64_t local_due(net_fabric *fabric, local_rank *from, unsigned to, uint64_t n, uint64_t now);
/* Whether the fault strikes with this frame, the sender's n-th. */
bool local_strikes(const net_fabric *fabric, unsigned from, uint64_t n);
/* Whether a frame that was sent from one rank to the other does not arrive. */
bool local_is_cut(const net_fabric *fabric, unsigned from, unsigned to, uint64_t due);
/* Changes a header, its length, or what it says of its payload. */
void local_spoil_header(const net_fabric *fabric, uint8_t *header, size_t *header_bytes,
                        size_t *payload_bytes);
/* Whether the payload is changed instead. */
bool local_spoils_payload(const net_fabric *fabric, size_t payload_bytes);
void local_spoil_payload(const net_fabric *fabric, uint8_t *payload, size_t bytes);

#endif
