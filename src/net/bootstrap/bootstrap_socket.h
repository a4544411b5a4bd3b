/* bootstrap_socket.h - packets over TCP, each behind a mark and its length. Sockets do not block: what waits says
 * until when, in milliseconds of net_now_ms. */
#ifndef PISTACHIO_NET_BOOTSTRAP_BOOTSTRAP_SOCKET_H
#define PISTACHIO_NET_BOOTSTRAP_BOOTSTRAP_SOCKET_H

#include "net/bootstrap/bootstrap_packet.h"

int64_t net_now_ms(void);
void net_socket_set_options(int descriptor);
/* Listens where the place says; for rank 0. */
CHECKED status net_socket_listen(const net_place *place, int *out);
/* Tries again and again: rank 0 may not have begun to listen. */
CHECKED status net_socket_connect(const net_place *place, int64_t until, int *out);
CHECKED status net_socket_send(int descriptor, const net_packet *packet, int64_t until);
/* Replaces the packet's bytes. */
CHECKED status net_socket_receive(int descriptor, size_t most, net_packet *packet, int64_t until);

/* A packet of which a part has come. */
typedef struct net_arriving_packet {
    uint64_t head[2];
    size_t head_bytes;
    net_packet packet; /* bytes.count: that have come */
} net_arriving_packet;

/* Takes what is there, without waiting. */
CHECKED status net_socket_read(int descriptor, size_t most, net_arriving_packet *in,
                               bool *out_is_whole);

#endif
