/* fabric.c - frames from rank to rank of one process: by a thread for each rank, or step by step. */
#include "net/local/fabric.h"

#include "base/system/mutex.h"
#include "net/arrive.h"
#include "net/local/fault.h"
#include "net/peer.h"

#include <assert.h>
#include <time.h>

#define NEVER UINT64_MAX

static local_rank *fabric_self_of(net_transport *transport)
{
    return (local_rank *)transport;
}

static uint64_t fabric_now(const net_fabric *fabric)
{
    if (fabric->options.is_stepped)
        return fabric->clock;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* ---- sending ---- */

/* By time; frames of one time in the order of posting. Under the inbox's lock. */
static void fabric_insert(local_rank *to, net_frame *frame)
{
    net_frame **link = &to->first;
    if (!*link || !to->fabric->options.seed)
        link = to->last;
    else
        while (*link && (*link)->due <= frame->due)
            link = &(*link)->next;
    frame->next = *link;
    *link = frame;
    if (!frame->next)
        to->last = &frame->next;
    pthread_cond_signal(&to->changed);
}

/* A frame that does not arrive comes back to its sender, whose turn it is then. */
static void turn_back(local_rank *from, net_frame *frame)
{
    mutex_lock(&from->lock);
    frame->due = fabric_now(from->fabric);
    fabric_insert(from, frame);
    mutex_unlock(&from->lock);
}

/* The fault's rank goes: the others learn of it a little later. */
static void schedule_gone(net_fabric *fabric, unsigned gone)
{
    uint64_t now = fabric_now(fabric);
    for (unsigned rank = 0; rank < fabric->ranks; rank++) {
        local_rank *other = &fabric->rank[rank];
        uint64_t delay = rank == gone ? 0 : local_chance(fabric, gone, rank, 0, 3) % 1000000;
        mutex_lock(&other->lock);
        other->gone_due = now + delay;
        pthread_cond_signal(&other->changed);
        mutex_unlock(&other->lock);
    }
}

/* The frame counts: perhaps it is the one with which the fault strikes. */
static void count_frame(local_rank *from, net_frame *frame)
{
    net_fabric *fabric = from->fabric;
    uint64_t n = atomic_fetch_add(&from->frames, 1) + 1;
    if (!local_strikes(fabric, from->base.rank, n))
        return;
    fabric->has_faulted = true;
    if (fabric->options.fault == NET_FAULT_GONE)
        schedule_gone(fabric, from->base.rank);
    else if (fabric->options.fault == NET_FAULT_RUBBISH)
        fabric->spoiled = frame;
}

static bool has_gone(const local_rank *self)
{
    const net_fabric *fabric = self->fabric;
    return fabric->options.fault == NET_FAULT_GONE && fabric->has_faulted &&
           fabric->options.fault_rank == self->base.rank;
}

static void local_post(net_transport *transport, net_frame *frame)
{
    local_rank *from = fabric_self_of(transport);
    net_fabric *fabric = from->fabric;
    local_rank *to = &fabric->rank[frame->peer];
    bool was_gone = has_gone(from);
    if (!net_frame_is_ping(frame->header))
        count_frame(from, frame);
    atomic_fetch_add(&from->under_way, 1);
    mutex_lock(&to->lock);
    bool is_taken = !was_gone && !to->is_closed && !from->is_abandoned[frame->peer];
    if (is_taken) {
        frame->due =
            local_due(fabric, from, frame->peer, from->posted[frame->peer]++, fabric_now(fabric));
        fabric_insert(to, frame);
    }
    mutex_unlock(&to->lock);
    if (!is_taken)
        turn_back(from, frame);
}

/* Takes the sender's frames out of an inbox, under its lock. */
static net_frame *unlink_of(local_rank *to, unsigned from)
{
    net_frame *taken = NULL, **end = &taken;
    for (net_frame **link = &to->first; *link;) {
        net_frame *frame = *link;
        if (net_frame_from(frame->header) != from) {
            link = &frame->next;
            continue;
        }
        *link = frame->next;
        *end = frame;
        end = &frame->next;
    }
    *end = NULL;
    to->last = &to->first;
    while (*to->last)
        to->last = &(*to->last)->next;
    return taken;
}

static void local_abandon(net_transport *transport, unsigned peer)
{
    local_rank *self = fabric_self_of(transport), *other = &self->fabric->rank[peer];
    mutex_lock(&other->lock);
    self->is_abandoned[peer] = true;
    net_frame *frames = other == self ? NULL : unlink_of(other, transport->rank);
    mutex_unlock(&other->lock);
    for (net_frame *next; frames; frames = next) {
        next = frames->next;
        turn_back(self, frames);
    }
}

/* ---- delivering ---- */

static void deliver(local_rank *to, unsigned from, net_frame *frame)
{
    net_fabric *fabric = to->fabric;
    uint8_t header[NET_HEADER_BYTES];
    size_t header_bytes = sizeof header, payload_bytes = frame->payload_bytes;
    memcpy(header, frame->header, sizeof header);
    bool is_spoiled = fabric->spoiled == frame;
    if (is_spoiled)
        fabric->spoiled = NULL; /* the frame's memory will be another one */
    bool spoils_payload = is_spoiled && local_spoils_payload(fabric, payload_bytes);
    if (is_spoiled && !spoils_payload)
        local_spoil_header(fabric, header, &header_bytes, &payload_bytes);
    net_arrival arrival = net_arriving(to->comm, from, header, header_bytes, payload_bytes);
    if (!arrival.token)
        return;
    if (payload_bytes && (is_spoiled || !net_arrival_swap(arrival.token, frame)))
        memcpy(arrival.target, frame->payload, payload_bytes);
    if (spoils_payload)
        local_spoil_payload(fabric, arrival.target, payload_bytes);
    net_arrived(to->comm, from, arrival.token, true);
}

/* Delivers a frame that was taken out of the inbox, and gives it back. Without locks. */
static void fabric_settle(local_rank *to, net_frame *frame)
{
    net_fabric *fabric = to->fabric;
    unsigned from = net_frame_from(frame->header);
    local_rank *sender = &fabric->rank[from];
    if (sender != to && !has_gone(to) && !local_is_cut(fabric, from, to->base.rank, frame->due))
        deliver(to, from, frame);
    net_posted(sender->comm, frame);
    atomic_fetch_sub(&sender->under_way, 1);
}

static void learn_gone(local_rank *self)
{
    unsigned gone = self->fabric->options.fault_rank;
    bool is_self = gone == self->base.rank;
    net_peer_gone(self->comm, gone,
                  status_new(STATUS_KIND_IO, "%s", is_self ? "it was made to go" : "its end came"));
}

static uint64_t next_due(const local_rank *self)
{
    uint64_t due = self->tick_due < self->gone_due ? self->tick_due : self->gone_due;
    return self->first && self->first->due < due ? self->first->due : due;
}

/* One thing that is due by now; with the lock held, which is given up meanwhile. */
static void do_one(local_rank *self, uint64_t now)
{
    net_frame *frame = self->first;
    bool is_gone = self->gone_due <= now;
    if (is_gone) {
        self->gone_due = NEVER;
    } else if (frame && frame->due <= now) {
        self->first = frame->next;
        if (!self->first)
            self->last = &self->first;
    } else {
        frame = NULL;
    }
    mutex_unlock(&self->lock);
    uint64_t tick_due = NEVER;
    if (is_gone)
        learn_gone(self);
    else if (frame)
        fabric_settle(self, frame);
    else
        tick_due = net_tick(self->comm);
    mutex_lock(&self->lock);
    if (tick_due != NEVER)
        self->tick_due = tick_due;
}

static void *fabric_serve(void *argument)
{
    local_rank *self = argument;
    mutex_lock(&self->lock);
    while (!self->is_stopping) {
        uint64_t due = next_due(self), now = fabric_now(self->fabric);
        if (due <= now) {
            do_one(self, now);
            continue;
        }
        struct timespec until = {.tv_sec = (time_t)(due / 1000000000),
                                 .tv_nsec = (long)(due % 1000000000)};
        pthread_cond_timedwait(&self->changed, &self->lock, &until);
    }
    mutex_unlock(&self->lock);
    return NULL;
}

/* ---- starting, closing ---- */

static status local_start(net_transport *transport, net_comm *comm)
{
    local_rank *self = fabric_self_of(transport);
    mutex_lock(&self->lock);
    self->comm = comm;
    self->is_open = true;
    self->tick_due = fabric_now(self->fabric);
    mutex_unlock(&self->lock);
    if (self->fabric->options.is_stepped)
        return STATUS_OK;
    int error = pthread_create(&self->thread, NULL, fabric_serve, self);
    if (error)
        return status_new_errno(error, "could not start a thread for the network");
    self->has_thread = true;
    return STATUS_OK;
}

static void fabric_stop_thread(local_rank *self)
{
    if (!self->has_thread)
        return;
    mutex_lock(&self->lock);
    self->is_stopping = true;
    pthread_cond_signal(&self->changed);
    mutex_unlock(&self->lock);
    pthread_join(self->thread, NULL);
    self->has_thread = false;
}

/* Drops what others sent to it, and what it sent that has come back. */
static void fabric_drain(local_rank *self)
{
    mutex_lock(&self->lock);
    self->is_closed = true;
    self->is_open = false;
    net_frame *frames = self->first;
    self->first = NULL;
    self->last = &self->first;
    mutex_unlock(&self->lock);
    for (net_frame *next; frames; frames = next) {
        next = frames->next;
        local_rank *sender = &self->fabric->rank[net_frame_from(frames->header)];
        net_posted(sender->comm, frames);
        atomic_fetch_sub(&sender->under_way, 1);
    }
}

static void local_close(net_transport *transport)
{
    local_rank *self = fabric_self_of(transport);
    fabric_stop_thread(self);
    for (unsigned rank = 0; rank < transport->ranks; rank++)
        local_abandon(transport, rank);
    fabric_drain(self);
    while (self->under_way) { /* others are about to give the last frames back */
        struct timespec moment = {.tv_nsec = 50000};
        nanosleep(&moment, NULL);
        fabric_drain(self);
    }
    self->comm = NULL;
}

static void local_pump(net_transport *transport)
{
    net_fabric_step(fabric_self_of(transport)->fabric);
}

static uint64_t local_now(net_transport *transport)
{
    return fabric_now(fabric_self_of(transport)->fabric);
}

static const char *local_peer_text(net_transport *transport, unsigned peer)
{
    (void)transport, (void)peer;
    return "local";
}

static const net_transport_ops threaded_ops = {.abi = NET_TRANSPORT_ABI,
                                               .name = "local",
                                               .takes_cargo = true,
                                               .start = local_start,
                                               .close = local_close,
                                               .post = local_post,
                                               .abandon = local_abandon,
                                               .now = local_now,
                                               .peer_text = local_peer_text};

static const net_transport_ops stepped_ops = {.abi = NET_TRANSPORT_ABI,
                                              .name = "local",
                                              .takes_cargo = true,
                                              .start = local_start,
                                              .close = local_close,
                                              .post = local_post,
                                              .abandon = local_abandon,
                                              .pump = local_pump,
                                              .now = local_now,
                                              .peer_text = local_peer_text};

/* ---- steps ---- */

/* Whether anything but heartbeats is under way to ranks that are open. */
static bool fabric_is_busy(const net_fabric *fabric)
{
    for (unsigned rank = 0; rank < fabric->ranks; rank++) {
        const local_rank *r = &fabric->rank[rank];
        if (r->is_open && r->gone_due != NEVER)
            return true;
        for (const net_frame *frame = r->first; r->is_open && frame; frame = frame->next)
            if (!net_frame_is_ping(frame->header))
                return true;
    }
    return false;
}

bool net_fabric_step(net_fabric *fabric)
{
    assert(fabric->options.is_stepped);
    bool was_busy = fabric_is_busy(fabric);
    local_rank *next = NULL;
    for (unsigned rank = 0; rank < fabric->ranks; rank++) {
        local_rank *r = &fabric->rank[rank];
        if (r->is_open && (!next || next_due(r) < next_due(next)))
            next = r;
    }
    if (!next)
        return false;
    if (next_due(next) > fabric->clock)
        fabric->clock = next_due(next);
    mutex_lock(&next->lock);
    do_one(next, fabric->clock);
    mutex_unlock(&next->lock);
    return was_busy;
}

uint64_t net_fabric_now(net_fabric *fabric)
{
    return fabric_now(fabric);
}

bool net_fabric_has_faulted(net_fabric *fabric)
{
    return fabric->has_faulted;
}

uint64_t net_fabric_frames(net_fabric *fabric, unsigned rank)
{
    return fabric->rank[rank].frames;
}

/* ---- the fabric ---- */

static void fabric_init_lock(local_rank *r)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&r->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    mutex_init(&r->lock);
}

static status init_rank(net_fabric *fabric, unsigned rank)
{
    local_rank *r = &fabric->rank[rank];
    const char *host = fabric->options.hosts ? fabric->options.hosts[rank] : "local";
    r->base = (net_transport){fabric->options.is_stepped ? &stepped_ops : &threaded_ops, rank,
                              fabric->ranks};
    r->fabric = fabric;
    r->last = &r->first;
    r->gone_due = NEVER;
    r->host = mem_copy_text(host, strlen(host));
    r->is_abandoned = mem_new_array(fabric->ranks, sizeof *r->is_abandoned);
    r->posted = mem_new_array(fabric->ranks, sizeof *r->posted);
    r->stalled_until = mem_new_array(fabric->ranks, sizeof *r->stalled_until);
    fabric_init_lock(r);
    if (!r->host || !r->is_abandoned || !r->posted || !r->stalled_until)
        return status_no_memory("ranks", fabric->ranks * sizeof *r->posted);
    return STATUS_OK;
}

status net_fabric_new(const net_fabric_options *options, net_fabric **out)
{
    *out = NULL;
    if (!options->ranks || options->ranks > NET_RANKS_MAX)
        return status_new(STATUS_KIND_INVALID, "%u ranks are asked for; there can be 1 to %u",
                          options->ranks, NET_RANKS_MAX);
    net_fabric *fabric = mem_new(sizeof *fabric);
    if (!fabric)
        return status_no_memory("ranks", sizeof *fabric);
    fabric->options = *options;
    fabric->rank = mem_new_array(options->ranks, sizeof *fabric->rank);
    if (!fabric->rank) {
        mem_free(fabric);
        return status_no_memory("ranks", options->ranks * sizeof *fabric->rank);
    }
    fabric->ranks = options->ranks;
    status st = STATUS_OK;
    for (unsigned rank = 0; rank < options->ranks; rank++) {
        status failure = init_rank(fabric, rank);
        if (st)
            status_free(failure);
        else
            st = failure;
    }
    if (st) {
        net_fabric_free(fabric);
        return st;
    }
    *out = fabric;
    return STATUS_OK;
}

void net_fabric_free(net_fabric *fabric)
{
    if (!fabric)
        return;
    for (unsigned rank = 0; rank < fabric->ranks; rank++) {
        local_rank *r = &fabric->rank[rank];
        assert(!r->comm && !r->first);
        pthread_cond_destroy(&r->changed);
        mutex_destroy(&r->lock);
        mem_free(r->host);
        mem_free(r->is_abandoned);
        mem_free(r->posted);
        mem_free(r->stalled_until);
    }
    mem_free(fabric->rank);
    mem_free(fabric);
}

status net_fabric_open(net_fabric *fabric, unsigned rank, const net_options *options,
                       net_comm **out)
{
    *out = NULL;
    const char **hosts = mem_new_array(fabric->ranks, sizeof *hosts);
    if (!hosts)
        return status_no_memory("ranks", fabric->ranks * sizeof *hosts);
    for (unsigned r = 0; r < fabric->ranks; r++)
        hosts[r] = fabric->rank[r].host;
    net_options own = *options; /* what is handed over in memory is not changed but by a fault */
    own.has_no_checksums |= fabric->options.fault != NET_FAULT_RUBBISH;
    status st = net_comm_open(&fabric->rank[rank].base, hosts, &own, out);
    mem_free(hosts);
    return st;
}
