/* post.c - frames on their way out. */
#include "net/internal.h"
#include "net/lock.h"
#include "net/peer.h"

#include <assert.h>

void net_post(net_comm *comm, unsigned peer, net_frame *frame, net_header header,
              const void *payload, void (*done)(net_comm *comm, net_frame *frame), void *owner)
{
    assert(!frame->is_posted && peer != comm->rank);
    header.from = comm->rank;
    net_frame_encode(&header, frame->header);
    frame->payload = payload;
    frame->payload_bytes = header.payload_bytes;
    frame->peer = peer;
    frame->done = done;
    frame->owner = owner;
    frame->is_posted = true;
    frame->is_stale = false;
    net_peer *to = &comm->peers[peer];
    to->frames_out++;
    to->spoke_at = comm->transport->ops->now(comm->transport);
    if (header.kind != NET_FRAME_PING)
        net_peer_use(comm, peer);
    comm->transport->ops->post(comm->transport, frame);
}

void net_posted(net_comm *comm, net_frame *frame)
{
    net_lock(comm);
    frame->is_posted = false;
    frame->done(comm, frame);
    if (comm->is_closing)
        pthread_cond_broadcast(&comm->changed);
    net_unlock(comm);
}
