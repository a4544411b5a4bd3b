/* collective_meet.c - each rank hears of each, which nothing else makes sure of: collectives go along a tree. */
#include "net/collective.h"

static collective_next meet_next(const net_collective *collective, unsigned phase, unsigned peer)
{
    (void)collective, (void)phase, (void)peer;
    return COLLECTIVE_NONE;
}

static void meet_fill(net_collective *collective, unsigned phase, net_message *message)
{
    (void)collective, (void)phase, (void)message;
}

static const char *meet_take(net_collective *collective, unsigned phase, const net_message *message,
                             status *out_failure)
{
    (void)collective, (void)phase, (void)message, (void)out_failure;
    return "a message where ranks only meet";
}

static const char *meet_received(const net_collective *collective, unsigned phase)
{
    (void)collective, (void)phase;
    return NULL;
}

static void meet_close(net_collective *collective)
{
    (void)collective;
}

static const net_collective_ops ops = {meet_next, meet_fill, meet_take, meet_received, meet_close};

status net_meet(net_query *query, uint32_t id, const char *name, net_collective **out)
{
    *out = NULL;
    net_collective *meeting = mem_new(sizeof *meeting);
    if (!meeting)
        return status_no_memory("ranks that meet", sizeof *meeting);
    meeting->ops = &ops;
    const net_collective_form form = {.id = id,
                                      .name = name,
                                      .message_bytes = NET_MESSAGE_BYTES_MIN,
                                      .phase_count = 1,
                                      .messages = 1};
    return net_collective_open(query, &form, meeting, out);
}
