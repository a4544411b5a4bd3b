/* bootstrap_root.c - see bootstrap_root.h.
 *
 * All connections are looked at together: one that says nothing holds up no other, and is closed after a while,
 * or as soon as descriptors are short. A rank that ends before all have come leaves its place to its successor. */
#include "net/bootstrap/bootstrap_root.h"

#include "net/bootstrap/bootstrap_socket.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

/* A connection that says nothing is closed after so long. */
#define SILENT_MS 5000
/* How often rank 0 looks whether a process that it has started has ended. */
#define LOOK_MS 100
/* Strangers at once; the oldest goes when there is another. */
#define STRANGERS_MAX 256

/* Somebody who has connected. */
typedef struct guest {
    int connection;
    int64_t until;       /* while it is not one of the ranks */
    uint64_t rank;       /* 0: has not said which */
    bool is_in;          /* proved and taken */
    net_session session; /* once it has been challenged: rank is set */
    net_arriving_packet in;
} guest;

struct net_root {
    const net_place *place;
    net_introduction *all;
    int listening;
    ARRAY(guest) guests;
    ARRAY(struct pollfd) polled;
    unsigned missing;
    int64_t until;
    char refused[512]; /* why the last one was; "" */
};

static guest *bootstrap_root_find_rank(net_root *root, uint64_t rank)
{
    for (size_t i = 0; i < root->guests.count; i++)
        if (root->guests.items[i].is_in && root->guests.items[i].rank == rank)
            return &root->guests.items[i];
    return NULL;
}

static void introduction_clear(net_introduction *one)
{
    mem_free(one->host);
    mem_free(one->bytes);
    *one = (net_introduction){0};
}

/* Closes the connection; a rank that was taken is missing again. */
static void dismiss(net_root *root, size_t index)
{
    guest *g = &root->guests.items[index];
    if (g->is_in) {
        introduction_clear(&root->all[g->rank]);
        root->missing++;
    }
    close(g->connection);
    net_packet_release(&g->in.packet);
    root->guests.items[index] = root->guests.items[--root->guests.count];
}

/* As the guest understands it: sealed, once it has been challenged. */
static void bootstrap_root_refuse(guest *g, const char *why)
{
    net_packet answer = {0};
    status st =
        g->rank ? net_answer_write(NULL, 0, why, &answer) : net_challenge_write(NULL, why, &answer);
    if (!st && g->rank)
        st = net_session_seal(&g->session, &answer);
    if (!st)
        st = net_socket_send(g->connection, &answer, net_now_ms());
    status_free(st); /* it will see that the connection is closed */
    net_packet_release(&answer);
}

/* ---- those who come ---- */

/* Returns why a hello is refused, or NULL. */
static const char *check_hello(net_root *root, const net_hello *hello, char *text, size_t room)
{
    const guest *before = bootstrap_root_find_rank(root, hello->rank);
    if (hello->version != NET_BOOTSTRAP_VERSION)
        snprintf(text, room, "it is of another version than rank 0 (%" PRIu64 ", not %d)",
                 hello->version, NET_BOOTSTRAP_VERSION);
    else if (hello->ranks != root->place->ranks)
        snprintf(text, room, "it is one of %" PRIu64 " ranks, rank 0 one of %u", hello->ranks,
                 root->place->ranks);
    else if (hello->rank == 0 || hello->rank >= root->place->ranks)
        snprintf(text, room, "no rank %" PRIu64 " is waited for", hello->rank);
    else if (before)
        snprintf(text, room, "rank %" PRIu64 " is there already, from host %.255s", hello->rank,
                 root->all[hello->rank].host);
    else
        return NULL;
    return text;
}

static status challenge(net_root *root, guest *g, const net_hello *hello)
{
    uint8_t nonce[NET_NONCE_BYTES];
    net_packet packet = {0};
    if (getrandom(nonce, sizeof nonce, 0) != sizeof nonce)
        return status_new_errno(errno, "could not make a random number");
    status st = net_challenge_write(nonce, NULL, &packet);
    if (!st)
        st = net_socket_send(g->connection, &packet, net_now_ms());
    net_packet_release(&packet);
    g->rank = hello->rank;
    net_session_begin(&g->session, true, root->place->token, hello, nonce);
    return st;
}

static status take_hello(net_root *root, guest *g)
{
    net_hello hello;
    char text[sizeof root->refused];
    TRY(net_hello_read(&g->in.packet, &hello));
    const char *why = check_hello(root, &hello, text, sizeof text);
    if (why)
        return status_new(STATUS_KIND_INVALID, "%s", why);
    return challenge(root, g, &hello);
}

static status take_gift(net_root *root, guest *g)
{
    if (!net_session_open(&g->session, &g->in.packet))
        return status_new(STATUS_KIND_INVALID, "its PISTACHIO_TOKEN is not rank 0's");
    if (bootstrap_root_find_rank(root, g->rank)) /* since its hello */
        return status_new(STATUS_KIND_INVALID, "rank %" PRIu64 " is there already, from host %s",
                          g->rank, root->all[g->rank].host);
    net_introduction *one = &root->all[g->rank];
    status st = net_gift_read(&g->in.packet, one);
    if (st) {
        introduction_clear(one);
        return st;
    }
    g->is_in = true;
    root->missing--;
    return STATUS_OK;
}

/* Reads what has come from a guest, whose end a failure is. */
static status hear(net_root *root, guest *g)
{
    bool is_whole;
    TRY(net_socket_read(g->connection, g->rank ? NET_GIFT_BYTES_MAX : NET_HELLO_BYTES_MAX, &g->in,
                        &is_whole));
    if (g->is_in && g->in.head_bytes)
        return status_new(STATUS_KIND_CORRUPT, "it says something before it is asked");
    if (!is_whole)
        return STATUS_OK;
    status st = g->rank ? take_gift(root, g) : take_hello(root, g);
    net_packet_release(&g->in.packet);
    g->in = (net_arriving_packet){0};
    return st;
}

static void hear_all(net_root *root)
{
    for (size_t i = root->guests.count; i-- > 0;) {
        guest *g = &root->guests.items[i];
        bool was_in = g->is_in;
        short events = root->polled.items[i + 1].revents;
        status st = events ? hear(root, g) : STATUS_OK;
        if (!st && !g->is_in && net_now_ms() >= g->until)
            st = status_new(STATUS_KIND_IO, "it says nothing");
        if (!st)
            continue;
        if (!was_in) { /* a rank that has ended is missed by its number */
            snprintf(root->refused, sizeof root->refused, "%s", status_message(st));
            bootstrap_root_refuse(g, root->refused);
        }
        status_free(st);
        dismiss(root, i);
    }
}

/* ---- connections ---- */

/* False: there are but ranks. */
static bool dismiss_oldest_stranger(net_root *root)
{
    size_t oldest = root->guests.count;
    for (size_t i = 0; i < root->guests.count; i++)
        if (!root->guests.items[i].is_in &&
            (oldest == root->guests.count ||
             root->guests.items[i].until < root->guests.items[oldest].until))
            oldest = i;
    if (oldest == root->guests.count)
        return false;
    dismiss(root, oldest);
    return true;
}

static unsigned stranger_count(const net_root *root)
{
    return (unsigned)root->guests.count - (root->place->ranks - 1 - root->missing);
}

static status welcome(net_root *root, int connection)
{
    net_socket_set_options(connection);
    if (stranger_count(root) >= STRANGERS_MAX)
        dismiss_oldest_stranger(root);
    guest g = {.connection = connection, .until = net_now_ms() + SILENT_MS};
    status st = array_push(NULL, &root->guests, g);
    if (st)
        close(connection);
    return st;
}

static status bootstrap_root_accept_all(net_root *root)
{
    for (;;) {
        int connection = accept(root->listening, NULL, NULL);
        if (connection >= 0)
            TRY(welcome(root, connection));
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            return STATUS_OK;
        else if ((errno == EMFILE || errno == ENFILE) && !dismiss_oldest_stranger(root))
            return status_hint(status_new_errno(EMFILE, "rank 0 cannot take a connection"),
                               "raise the limit of open files: ulimit -n");
        else if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK)
            return status_new_errno(errno, "rank 0 cannot take connections");
    }
}

/* ---- waiting ---- */

static status missing_ranks(net_root *root)
{
    char list[200] = "";
    size_t at = 0;
    for (unsigned rank = 1; rank < root->place->ranks && at < sizeof list - 20; rank++)
        if (!bootstrap_root_find_rank(root, rank))
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%u", at ? ", " : "", rank);
    status st = status_new(STATUS_KIND_IO, "%u of %u ranks did not come within %u s: %s",
                           root->missing, root->place->ranks, root->place->timeout_ms / 1000, list);
    if (root->refused[0])
        st = status_context(st, "a rank was refused, as %s", root->refused);
    return status_hint(st, "start all ranks, with the same PISTACHIO_ROOT=%s:%s",
                       root->place->root_host, root->place->root_port);
}

static status wait_for_guests(net_root *root)
{
    int64_t now = net_now_ms(), until = root->until;
    root->polled.count = 0;
    struct pollfd first = {.fd = root->listening, .events = POLLIN};
    TRY(array_push(NULL, &root->polled, first));
    for (size_t i = 0; i < root->guests.count; i++) {
        const guest *g = &root->guests.items[i];
        struct pollfd one = {.fd = g->connection, .events = POLLIN};
        TRY(array_push(NULL, &root->polled, one));
        if (!g->is_in && g->until < until)
            until = g->until;
    }
    if ((root->place->find_ended || root->place->is_given_up) && now + LOOK_MS < until)
        until = now + LOOK_MS;
    int64_t ms = until > now ? until - now : 0;
    int ready = poll(root->polled.items, root->polled.count, (int)(ms < 60000 ? ms : 60000));
    if (ready < 0 && errno != EINTR)
        return status_new_errno(errno, "rank 0 cannot wait for ranks");
    for (size_t i = 0; ready < 0 && i < root->polled.count; i++)
        root->polled.items[i].revents = 0;
    return STATUS_OK;
}

static status check_ended(const net_root *root)
{
    if (root->place->is_given_up && root->place->is_given_up(root->place->given_up_context))
        return status_new(STATUS_KIND_CANCELLED, "rank 0 waits for ranks no more");
    unsigned rank = root->place->find_ended ? root->place->find_ended() : 0;
    return rank ? status_new(STATUS_KIND_IO, "rank %u ended before all ranks had come", rank)
                : STATUS_OK;
}

static status gather_guests(net_root *root)
{
    while (root->missing) {
        TRY(check_ended(root));
        if (net_now_ms() >= root->until)
            return missing_ranks(root);
        TRY(wait_for_guests(root));
        bool has_new = root->polled.items[0].revents;
        hear_all(root);
        if (has_new)
            TRY(bootstrap_root_accept_all(root));
    }
    while (dismiss_oldest_stranger(root))
        ;
    return STATUS_OK;
}

/* ---- rounds ---- */

static status answer_one(const net_packet *answer, guest *g)
{
    net_packet sealed = {0};
    status st = array_reserve(NULL, &sealed.bytes, answer->bytes.count + SHA256_BYTES);
    if (!st) {
        memcpy(sealed.bytes.items, answer->bytes.items, answer->bytes.count);
        sealed.bytes.count = answer->bytes.count;
        st = net_session_seal(&g->session, &sealed);
    }
    if (!st)
        st = net_socket_send(g->connection, &sealed, net_now_ms() + SILENT_MS);
    net_packet_release(&sealed);
    return st;
}

static status answer_all(net_root *root)
{
    net_packet answer = {0};
    status st = net_answer_write(root->all, root->place->ranks, NULL, &answer);
    for (size_t i = 0; i < root->guests.count && !st; i++) {
        guest *g = &root->guests.items[i];
        st = status_context(answer_one(&answer, g), "rank %u (host %s)", (unsigned)g->rank,
                            root->all[g->rank].host);
    }
    net_packet_release(&answer);
    return st;
}

static status gather_again(net_root *root)
{
    for (size_t i = 0; i < root->guests.count; i++) {
        guest *g = &root->guests.items[i];
        net_packet gift = {0};
        status st = net_socket_receive(g->connection, NET_GIFT_BYTES_MAX, &gift, root->until);
        if (!st && !net_session_open(&g->session, &gift))
            st = status_new(STATUS_KIND_CORRUPT, "what it sends was changed on its way");
        if (!st)
            st = net_gift_read(&gift, &root->all[g->rank]);
        net_packet_release(&gift);
        TRY(status_context(st, "rank %u", (unsigned)g->rank));
    }
    return STATUS_OK;
}

static status root_new(const net_place *place, net_root **out)
{
    net_root *root = *out = mem_new(sizeof *root);
    if (!root)
        return status_no_memory("ranks", sizeof *root);
    root->place = place;
    root->missing = place->ranks - 1;
    root->until = net_now_ms() + place->timeout_ms;
    root->listening = place->is_listening ? place->listener : -1;
    if (!place->is_listening)
        return net_socket_listen(place, &root->listening);
    net_socket_set_options(root->listening);
    return STATUS_OK;
}

static status first_round(const net_place *place, net_root **out, net_introduction *all)
{
    TRY(root_new(place, out));
    (*out)->all = all;
    TRY(gather_guests(*out));
    close((*out)->listening);
    (*out)->listening = -1;
    return STATUS_OK;
}

status net_root_round(const net_place *place, net_root **root, net_introduction *all)
{
    status st = STATUS_OK;
    if (*root) {
        (*root)->all = all;
        st = gather_again(*root);
    } else {
        st = first_round(place, root, all);
    }
    if (!st)
        st = answer_all(*root);
    for (size_t i = 0; st && *root && i < (*root)->guests.count; i++)
        bootstrap_root_refuse(&(*root)->guests.items[i], status_message(st));
    return st;
}

void net_root_free(net_root *root)
{
    if (!root)
        return;
    for (size_t i = 0; i < root->guests.count; i++) {
        close(root->guests.items[i].connection);
        net_packet_release(&root->guests.items[i].in.packet);
    }
    if (root->listening >= 0)
        close(root->listening);
    array_release(&root->guests);
    array_release(&root->polled);
    mem_free(root);
}
