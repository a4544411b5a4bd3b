/* ucx.c - frames as UCX's active messages.
 *
 *     any thread:     post ── queue ──> wakes the thread, if it sleeps
 *     network thread: queue ─> ucp_am_send_nbx ─> (sent) ─> net_posted
 *                     ucp_worker_progress ─> arrived ─> net_arriving, net_arrived
 *                     nothing to do: sleeps on the worker's descriptor until the next heartbeat
 *
 * Small messages come with their bytes; of large ones UCX announces the header, and fetches the
 * bytes to where they are to go (rendezvous). All of UCX is called by the one thread, but for
 * opening and closing. */
#include "net/ucx/ucx.h"

#include "base/system/mutex.h"
#include "net/arrive.h"
#include "net/bootstrap/bootstrap_address.h"
#include "net/bootstrap/bootstrap_self.h"
#include "net/frame.h"
#include "net/peer.h"
#include "net/ucx/fence.h"
#include "net/ucx/lanes.h"
#include "net/ucx/library.h"

#ifdef NET_HAS_UCX

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE_ID 7
/* Calls of progress before the queue is looked at again. */
#define PROGRESS_CALLS 64
#define QUIET_NS 5000000 /* without an event, before the network is closed */
#define CLOSE_NS UINT64_C(1000000000)

typedef struct ucx_peer {
    struct ucx_transport *transport;
    unsigned rank;
    ucp_ep_h endpoint;         /* made when something is first sent; NULL: none, or closed */
    char *address;             /* UCX's, until then; NULL: it was tried */
    _Atomic bool is_abandoned; /* is to be closed */
    bool is_heard;             /* something has come from it: UCX has chosen how */
    char text[LANES_TEXT_BYTES];
    _Atomic bool has_text;
} ucx_peer;

typedef struct ucx_transport {
    net_transport base; /* first */
    const ucx_library *ucx;
    bool is_one_machine;
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_address_t *address;
    size_t address_bytes;
    ucx_peer *peers;
    net_comm *comm;
    int worker_event, own_event;
    pthread_t thread;
    bool has_thread;
    _Atomic bool is_stopping, is_sleeping;
    pthread_mutex_t lock;
    net_frame *first, **last; /* posted, not sent yet; under the lock */
    unsigned under_way;       /* sends that UCX has not finished; the thread's */
} ucx_transport;

/* Bytes that UCX is fetching. */
typedef struct fetching {
    ucx_transport *transport;
    void *token;
    unsigned peer;
} fetching;

static ucx_transport *ucx_self_of(net_transport *transport)
{
    return (ucx_transport *)transport;
}

static uint64_t ucx_now(net_transport *transport)
{
    (void)transport;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static status ucx_failure(const ucx_transport *t, ucs_status_t code, const char *what)
{
    return status_new(STATUS_KIND_IO, "%s: %s", what, t->ucx->ucs_status_string(code));
}

/* ---- posting ---- */

static void ucx_wake(ucx_transport *t)
{
    uint64_t one = 1;
    if (t->is_sleeping && write(t->own_event, &one, sizeof one) < 0)
        assert(errno == EAGAIN); /* it is awake already */
}

static void ucx_post(net_transport *transport, net_frame *frame)
{
    ucx_transport *t = ucx_self_of(transport);
    frame->next = NULL;
    mutex_lock(&t->lock);
    *t->last = frame;
    t->last = &frame->next;
    mutex_unlock(&t->lock);
    ucx_wake(t);
}

static void ucx_abandon(net_transport *transport, unsigned peer)
{
    ucx_transport *t = ucx_self_of(transport);
    t->peers[peer].is_abandoned = true;
    ucx_wake(t);
}

/* ---- sending ---- */

static void lose(ucx_transport *t, unsigned peer, ucs_status_t code)
{
    t->peers[peer].is_abandoned = true;
    net_peer_gone(t->comm, peer,
                  status_new(STATUS_KIND_IO,
                             "the connection is lost: its process was ended, or its machine or the "
                             "network is down (UCX: %s)",
                             t->ucx->ucs_status_string(code)));
}

static void sent(void *request, ucs_status_t code, void *argument)
{
    net_frame *frame = argument;
    ucx_transport *t = frame->carrier;
    unsigned peer = frame->peer;
    t->ucx->ucp_request_free(request);
    t->under_way--;
    if (code != UCS_OK && code != UCS_ERR_CANCELED)
        lose(t, peer, code);
    net_posted(t->comm, frame);
}

static void endpoint_failed(void *argument, ucp_ep_h endpoint, ucs_status_t code)
{
    (void)endpoint;
    ucx_peer *peer = argument;
    lose(peer->transport, peer->rank, code);
}

/* Connects for the first frame: of many ranks most never speak to each other. */
static void connect_peer(ucx_transport *t, ucx_peer *peer)
{
    ucp_ep_params_t parameters = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
                                                UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                                                UCP_EP_PARAM_FIELD_ERR_HANDLER,
                                  .address = (const ucp_address_t *)peer->address,
                                  .err_mode = UCP_ERR_HANDLING_MODE_PEER,
                                  .err_handler = {.cb = endpoint_failed, .arg = peer}};
    ucs_status_t code = t->ucx->ucp_ep_create(t->worker, &parameters, &peer->endpoint);
    mem_free(peer->address);
    peer->address = NULL;
    if (code == UCS_OK)
        return;
    peer->endpoint = NULL;
    lose(t, peer->rank, code);
}

static void send_frame(ucx_transport *t, net_frame *frame)
{
    ucx_peer *peer = &t->peers[frame->peer];
    if (peer->address && !peer->is_abandoned)
        connect_peer(t, peer);
    if (!peer->endpoint || peer->is_abandoned) {
        net_posted(t->comm, frame);
        return;
    }
    frame->carrier = t;
    ucp_request_param_t parameters = {.op_attr_mask =
                                          UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                      .cb.send = sent,
                                      .user_data = frame};
    ucs_status_ptr_t request =
        t->ucx->ucp_am_send_nbx(peer->endpoint, MESSAGE_ID, frame->header, NET_HEADER_BYTES,
                                frame->payload, frame->payload_bytes, &parameters);
    if (UCS_PTR_IS_PTR(request)) {
        t->under_way++;
        return;
    }
    if (UCS_PTR_IS_ERR(request))
        lose(t, frame->peer, UCS_PTR_STATUS(request));
    net_posted(t->comm, frame);
}

/* Returns whether there was any. */
static bool send_posted(ucx_transport *t)
{
    mutex_lock(&t->lock);
    net_frame *frame = t->first;
    t->first = NULL;
    t->last = &t->first;
    mutex_unlock(&t->lock);
    bool has_any = frame;
    for (net_frame *next; frame; frame = next) {
        next = frame->next;
        send_frame(t, frame);
    }
    return has_any;
}

/* ---- receiving ---- */

static void fetched(void *request, ucs_status_t code, size_t bytes, void *argument)
{
    (void)bytes;
    fetching *f = argument;
    f->transport->ucx->ucp_request_free(request);
    net_arrived(f->transport->comm, f->peer, f->token, code == UCS_OK);
    mem_free(f);
}

/* UCS_OK: the bytes are being fetched, or are here already. */
static ucs_status_t ucx_fetch(ucx_transport *t, unsigned peer, net_arrival arrival, void *data,
                              size_t bytes)
{
    fetching *f = mem_new(sizeof *f);
    if (!f) {
        net_arrived(t->comm, peer, arrival.token, false);
        return UCS_ERR_NO_MEMORY;
    }
    *f = (fetching){t, arrival.token, peer};
    ucp_request_param_t parameters = {.op_attr_mask =
                                          UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                      .cb.recv_am = fetched,
                                      .user_data = f};
    ucs_status_ptr_t request =
        t->ucx->ucp_am_recv_data_nbx(t->worker, data, arrival.target, bytes, &parameters);
    if (UCS_PTR_IS_PTR(request))
        return UCS_OK;
    net_arrived(t->comm, peer, arrival.token, !UCS_PTR_IS_ERR(request));
    mem_free(f);
    return UCS_OK;
}

static ucs_status_t arrived(void *argument, const void *header, size_t header_bytes, void *data,
                            size_t bytes, const ucp_am_recv_param_t *parameters)
{
    ucx_transport *t = argument;
    unsigned peer = header_bytes == NET_HEADER_BYTES ? net_frame_from(header) : NET_RANKS_MAX;
    if (peer >= t->base.ranks) /* from nobody that is known */
        return UCS_OK;
    t->peers[peer].is_heard = true;
    net_arrival arrival = net_arriving(t->comm, peer, header, header_bytes, bytes);
    if (!arrival.token)
        return UCS_OK;
    if (parameters->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV)
        return ucx_fetch(t, peer, arrival, data, bytes);
    if (bytes)
        memcpy(arrival.target, data, bytes);
    net_arrived(t->comm, peer, arrival.token, true);
    return UCS_OK;
}

/* ---- the thread ---- */

static void close_endpoint(ucx_transport *t, ucx_peer *peer, bool by_force)
{
    ucp_request_param_t parameters = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                      .flags = by_force ? UCP_EP_CLOSE_FLAG_FORCE : 0};
    ucs_status_ptr_t request = t->ucx->ucp_ep_close_nbx(peer->endpoint, &parameters);
    uint64_t end = ucx_now(&t->base) + CLOSE_NS;
    peer->endpoint = NULL;
    if (!UCS_PTR_IS_PTR(request))
        return;
    while (t->ucx->ucp_request_check_status(request) == UCS_INPROGRESS && ucx_now(&t->base) < end)
        t->ucx->ucp_worker_progress(t->worker);
    t->ucx->ucp_request_free(request);
}

static void close_abandoned(ucx_transport *t)
{
    for (unsigned rank = 0; rank < t->base.ranks; rank++)
        if (t->peers[rank].endpoint && t->peers[rank].is_abandoned)
            close_endpoint(t, &t->peers[rank], true);
}

/* Takes back what has woken the thread. */
static void empty_event(ucx_transport *t)
{
    uint64_t count;
    if (read(t->own_event, &count, sizeof count) < 0)
        assert(errno == EAGAIN);
}

static bool has_posted(ucx_transport *t)
{
    mutex_lock(&t->lock);
    bool has_any = t->first;
    mutex_unlock(&t->lock);
    return has_any;
}

/* Until something comes, is posted, or is due. */
static void sleep_until(ucx_transport *t, uint64_t due)
{
    t->is_sleeping = true;
    if (!has_posted(t) && !t->is_stopping && t->ucx->ucp_worker_arm(t->worker) == UCS_OK) {
        uint64_t now = ucx_now(&t->base);
        struct pollfd descriptors[2] = {{.fd = t->worker_event, .events = POLLIN},
                                        {.fd = t->own_event, .events = POLLIN}};
        poll(descriptors, 2, due > now ? (int)((due - now) / 1000000) + 1 : 0);
        if (descriptors[1].revents)
            empty_event(t);
    }
    t->is_sleeping = false;
}

static void ucx_describe(ucx_transport *t, ucx_peer *peer)
{
    char *printed = NULL;
    size_t bytes;
    FILE *to = open_memstream(&printed, &bytes);
    if (!to)
        return;
    t->ucx->ucp_ep_print_info(peer->endpoint, to);
    if (!fclose(to)) {
        lanes_text(printed, peer->text);
        peer->has_text = true;
    }
    (free)(printed);
}

/* Notes how peers are reached, for net_comm_transport, each when it has been heard. */
static void describe_heard(ucx_transport *t)
{
    for (unsigned rank = 0; rank < t->base.ranks; rank++) {
        ucx_peer *peer = &t->peers[rank];
        if (peer->is_heard && !peer->has_text && peer->endpoint && !peer->is_abandoned)
            ucx_describe(t, peer);
    }
}

static void *ucx_serve(void *argument)
{
    ucx_transport *t = argument;
    uint64_t due = 0;
    pthread_setname_np(pthread_self(), "network"); /* for those who look at what threads take */
    while (!t->is_stopping) {
        bool has_moved = send_posted(t);
        for (unsigned i = 0; i < PROGRESS_CALLS && t->ucx->ucp_worker_progress(t->worker); i++)
            has_moved = true;
        close_abandoned(t);
        describe_heard(t);
        if (ucx_now(&t->base) >= due)
            due = net_tick(t->comm);
        if (!has_moved)
            sleep_until(t, due);
    }
    return NULL;
}

/* ---- starting, closing ---- */

static status ucx_start(net_transport *transport, net_comm *comm)
{
    ucx_transport *t = ucx_self_of(transport);
    t->comm = comm;
    ucp_am_handler_param_t handler = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                      UCP_AM_HANDLER_PARAM_FIELD_ARG | UCP_AM_HANDLER_PARAM_FIELD_FLAGS,
        .id = MESSAGE_ID,
        .flags = UCP_AM_FLAG_WHOLE_MSG,
        .cb = arrived,
        .arg = t};
    ucs_status_t code = t->ucx->ucp_worker_set_am_recv_handler(t->worker, &handler);
    if (code != UCS_OK)
        return ucx_failure(t, code, "UCX takes no messages");
    int error = pthread_create(&t->thread, NULL, ucx_serve, t);
    if (error)
        return status_new_errno(error, "could not start a thread for the network");
    t->has_thread = true;
    return STATUS_OK;
}

static void ucx_stop_thread(ucx_transport *t)
{
    if (!t->has_thread)
        return;
    uint64_t one = 1;
    t->is_stopping = true;
    if (write(t->own_event, &one, sizeof one) < 0)
        assert(errno == EAGAIN);
    pthread_join(t->thread, NULL);
    t->has_thread = false;
}

/* Waits until UCX has sent what it was given, its own messages too. Returns false where it has not by `end`. */
static bool flush_worker(ucx_transport *t, uint64_t end, bool *was_idle)
{
    ucp_request_param_t parameters = {0};
    ucs_status_ptr_t request = t->ucx->ucp_worker_flush_nbx(t->worker, &parameters);
    *was_idle = !UCS_PTR_IS_PTR(request);
    if (*was_idle)
        return true;
    bool is_done = false;
    while (!is_done && ucx_now(&t->base) < end) {
        t->ucx->ucp_worker_progress(t->worker);
        is_done = t->ucx->ucp_request_check_status(request) != UCS_INPROGRESS;
    }
    t->ucx->ucp_request_free(request);
    return is_done;
}

/* Answers ranks that have just begun to connect with this one, until none has for a moment. Returns
 * false where an answer has not gone out by `end`. */
static bool answer_connecting(ucx_transport *t, uint64_t end)
{
    bool is_quiet = false, was_idle;
    while (!is_quiet) {
        if (!flush_worker(t, end, &was_idle))
            return false;
        is_quiet = was_idle;
        uint64_t now = ucx_now(&t->base), quiet = now + QUIET_NS;
        for (; now < quiet && now < end; now = ucx_now(&t->base))
            if (t->ucx->ucp_worker_progress(t->worker))
                is_quiet = false, quiet = now + QUIET_NS;
        if (now >= end)
            return is_quiet;
    }
    return true;
}

/* Closes endpoints: what was sent goes out; a peer that does not take it within a moment is cut off. Returns whether
 * UCX has nothing under way. */
static bool close_endpoints(ucx_transport *t)
{
    send_posted(t);
    for (unsigned rank = 0; rank < t->base.ranks; rank++)
        if (t->peers[rank].endpoint)
            close_endpoint(t, &t->peers[rank], t->peers[rank].is_abandoned);
    uint64_t end = ucx_now(&t->base) + CLOSE_NS;
    while (t->under_way && ucx_now(&t->base) < end)
        t->ucx->ucp_worker_progress(t->worker);
    send_posted(t); /* comes back */
    return answer_connecting(t, end);
}

static void ucx_close(net_transport *transport)
{
    ucx_transport *t = ucx_self_of(transport);
    ucx_stop_thread(t);
    bool is_settled = !t->comm || !t->peers || close_endpoints(t);
    if (t->address)
        t->ucx->ucp_worker_release_address(t->worker, t->address);
    /* UCX 1.13 aborts where its worker is destroyed with an answer that could not be sent: such a
     * worker stays until the process ends, which it is about to where a rank has gone. */
    if (t->worker && is_settled)
        t->ucx->ucp_worker_destroy(t->worker);
    if (t->context && is_settled)
        t->ucx->ucp_cleanup(t->context);
    if (t->own_event >= 0)
        close(t->own_event);
    mutex_destroy(&t->lock);
    for (unsigned rank = 0; t->peers && rank < t->base.ranks; rank++)
        mem_free(t->peers[rank].address);
    mem_free(t->peers);
    mem_free(t);
}

static const char *ucx_peer_text(net_transport *transport, unsigned peer)
{
    const ucx_peer *one = &ucx_self_of(transport)->peers[peer];
    return one->has_text ? one->text : "ucx";
}

static const net_transport_ops ops = {.abi = NET_TRANSPORT_ABI,
                                      .name = "ucx",
                                      .start = ucx_start,
                                      .close = ucx_close,
                                      .post = ucx_post,
                                      .abandon = ucx_abandon,
                                      .now = ucx_now,
                                      .peer_text = ucx_peer_text};

/* ---- opening ---- */

/* Up to 1.21 UCX now and then stops the process in an assertion when a peer dies during a zero-copy send over
 * tcp (docs/CLUSTER.md: which, and how often), and its shared memory does as well. Without zero-copy a rendezvous saves
 * no copy, and waits for two answers that are behind what the other rank sends: over a slow link half of its rate is
 * lost (docs/BENCHMARKS.md). There is a credit for each message, so that they need not be announced. What the user says in
 * the environment is left alone. */
static void ucx_configure(const ucx_transport *t, ucp_config_t *config)
{
    bool is_old = t->ucx->major == 1 && t->ucx->minor < 22;
    if (is_old && !getenv("UCX_ZCOPY_THRESH"))
        (void)t->ucx->ucp_config_modify(config, "ZCOPY_THRESH", "inf");
    if (is_old && !getenv("UCX_RNDV_THRESH"))
        (void)t->ucx->ucp_config_modify(config, "RNDV_THRESH", "inf");
    if (is_old && !getenv("UCX_TLS"))
        (void)t->ucx->ucp_config_modify(config, "TLS", "^shm");
    /* Whatever the environment says: ranks of one machine have nothing to listen for beyond it. */
    if (t->is_one_machine)
        (void)t->ucx->ucp_config_modify(config, "NET_DEVICES", "lo");
}

static status open_worker(ucx_transport *t)
{
    ucp_config_t *config;
    ucs_status_t code = t->ucx->ucp_config_read(NULL, NULL, &config);
    if (code != UCS_OK)
        return ucx_failure(t, code, "the settings of UCX cannot be read");
    ucx_configure(t, config);
    ucp_params_t parameters = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                               .features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP};
    code = t->ucx->ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &parameters, config, &t->context);
    t->ucx->ucp_config_release(config);
    if (code != UCS_OK)
        return ucx_failure(t, code, "UCX cannot start");
    ucp_worker_params_t worker = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                  .thread_mode = UCS_THREAD_MODE_SERIALIZED};
    code = t->ucx->ucp_worker_create(t->context, &worker, &t->worker);
    if (code != UCS_OK)
        return ucx_failure(t, code, "UCX cannot start a worker");
    code = t->ucx->ucp_worker_get_efd(t->worker, &t->worker_event);
    if (code != UCS_OK)
        return ucx_failure(t, code, "UCX cannot sleep");
    code = t->ucx->ucp_worker_get_address(t->worker, &t->address, &t->address_bytes);
    return code == UCS_OK ? STATUS_OK : ucx_failure(t, code, "UCX has no address");
}

/* Notes where the others are. */
static status note_peers(ucx_transport *t, const net_introduction *all)
{
    for (unsigned rank = 0; rank < t->base.ranks; rank++) {
        ucx_peer *peer = &t->peers[rank];
        *peer = (ucx_peer){.transport = t, .rank = rank};
        if (rank == t->base.rank)
            continue;
        peer->address = mem_copy_text(all[rank].bytes, all[rank].byte_count);
        if (!peer->address)
            return status_no_memory("address of a rank", all[rank].byte_count);
    }
    return STATUS_OK;
}

/* Without them UCX has but the memory of its own process, and says that others are unreachable. */
static status check_devices(void)
{
    if (!access("/sys/class/net", R_OK | X_OK))
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_UNSUPPORTED,
                                  "libucx finds network devices by /sys/class/net, which cannot be "
                                  "read here: %s",
                                  strerror(errno)),
                       "mount -t sysfs sysfs /sys");
}

/* Descriptors that UCX takes while ranks connect: of 2 to 8 ranks, 16 and about two for each peer were seen. */
#define DESCRIPTORS 16u
#define DESCRIPTORS_A_RANK 3u

/* Refuses to begin where UCX would run out of descriptors: it then stops the process in an assertion. */
static status check_descriptors(unsigned ranks)
{
    struct rlimit limit;
    size_t open;
    TRY(fence_count_descriptors(&open));
    uint64_t needed = open + DESCRIPTORS + (uint64_t)DESCRIPTORS_A_RANK * ranks;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= needed)
        return STATUS_OK;
    return status_hint(
        status_new(STATUS_KIND_IO,
                   "%u ranks need %llu open files in each process, and the limit "
                   "is %llu",
                   ranks, (unsigned long long)needed, (unsigned long long)limit.rlim_cur),
        "raise it: ulimit -n %llu, or start fewer ranks", (unsigned long long)needed);
}

/* Nothing listens before the ranks have proved who they are, nor for anybody else. */
static status open_fenced(ucx_transport *t, const net_selves *selves)
{
    fence_sockets before = {0};
    t->is_one_machine = selves->is_one_machine;
    status st = fence_find_listeners(&before);
    if (!st)
        st = open_worker(t);
    if (!st)
        st = fence_new_listeners(&before, selves);
    array_release(&before);
    return st;
}

static status transport_new(const net_place *place, const net_selves *selves, ucx_transport **out)
{
    const ucx_library *ucx;
    TRY(ucx_library_get(&ucx));
    ucx_transport *t = mem_new(sizeof *t);
    if (!t)
        return status_no_memory("network", sizeof *t);
    t->base = (net_transport){&ops, place->rank, place->ranks};
    t->ucx = ucx;
    t->last = &t->first;
    mutex_init(&t->lock);
    t->own_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    t->peers = mem_new_array(place->ranks, sizeof *t->peers);
    status st = t->own_event < 0 ? status_new_errno(errno, "could not make an event")
                : !t->peers      ? status_no_memory("ranks", place->ranks * sizeof *t->peers)
                                 : open_fenced(t, selves);
    if (st) {
        ucx_close(&t->base);
        return st;
    }
    *out = t;
    return STATUS_OK;
}

static status ucx_open_comm(ucx_transport *t, const net_introduction *all,
                            const net_options *options, net_comm **out)
{
    const char **hosts = mem_new_array(t->base.ranks, sizeof *hosts);
    status st =
        hosts ? note_peers(t, all) : status_no_memory("ranks", t->base.ranks * sizeof *hosts);
    for (unsigned rank = 0; hosts && rank < t->base.ranks; rank++)
        hosts[rank] = all[rank].host;
    if (st)
        ucx_close(&t->base);
    else
        st = net_comm_open(&t->base, hosts, options, out);
    mem_free(hosts);
    return st;
}

static status ucx_meet(net_meeting *meeting, const net_place *place, net_selves *out)
{
    char *self;
    net_introduction *all;
    TRY(net_self_text(&self));
    status st = net_meeting_round(meeting, self, (uint32_t)strlen(self), &all);
    mem_free(self);
    TRY(st);
    st = net_selves_read(all, place->ranks, out);
    net_introductions_free(all, place->ranks);
    return st;
}

static status open_met(net_meeting *meeting, const net_place *place, const net_options *options,
                       const net_selves *selves, net_comm **out)
{
    ucx_transport *t;
    net_introduction *all;
    TRY(transport_new(place, selves, &t));
    status st = net_meeting_round(meeting, t->address, (uint32_t)t->address_bytes, &all);
    if (st) {
        ucx_close(&t->base);
        return st;
    }
    st = ucx_open_comm(t, all, options, out);
    net_introductions_free(all, place->ranks);
    return st;
}

status net_open_ucx(const net_place *place, const net_options *options, net_comm **out)
{
    net_meeting *meeting;
    net_selves selves;
    const ucx_library *ucx;
    char machine[256] = "";
    *out = NULL;
    TRY(ucx_library_get(&ucx));
    TRY(check_devices());
    TRY(check_descriptors(place->ranks));
    if (!options->host && gethostname(machine, sizeof machine - 1))
        snprintf(machine, sizeof machine, "(without a name)");
    TRY(net_meeting_new(place, options->host ? options->host : machine, &meeting));
    status st = ucx_meet(meeting, place, &selves);
    if (!st) {
        st = open_met(meeting, place, options, &selves, out);
        net_selves_release(&selves);
    }
    net_meeting_end(meeting);
    return st;
}

#else

status net_open_ucx(const net_place *place, const net_options *options, net_comm **out)
{
    (void)place, (void)options;
    *out = NULL;
    return status_hint(status_new(STATUS_KIND_UNSUPPORTED,
                                  "this build knows no UCX, by which ranks reach each other"),
                       "install the package libucx-dev and build again");
}

#endif
