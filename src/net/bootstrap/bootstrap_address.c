/* bootstrap_address.c - rounds of introductions over TCP, with rank 0 as the root, or by PMIx. */
#include "net/bootstrap/bootstrap_address.h"

#include "net/bootstrap/bootstrap_pmix.h"
#include "net/bootstrap/bootstrap_root.h"
#include "net/bootstrap/bootstrap_socket.h"

#include <errno.h>
#include <sys/random.h>
#include <unistd.h>

/* Rank 0 gives up by itself: the others wait a little longer, to be told. */
#define TOLD_MS 5000

struct net_meeting {
    net_place place;
    char *host;
    unsigned rounds; /* so far */
    /* rank 0 */
    net_root *root;
    /* others */
    int connection; /* -1: none yet */
    net_session session;
    int64_t until;
};

/* ---- ranks other than 0 ---- */

static status exchange_nonces(net_meeting *m)
{
    net_hello hello = {
        .version = NET_BOOTSTRAP_VERSION, .ranks = m->place.ranks, .rank = m->place.rank};
    uint8_t nonce[NET_NONCE_BYTES];
    net_packet packet = {0};
    if (getrandom(hello.nonce, sizeof hello.nonce, 0) != sizeof hello.nonce)
        return status_new_errno(errno, "could not make a random number");
    status st = net_hello_write(&hello, &packet);
    if (!st)
        st = net_socket_send(m->connection, &packet, m->until);
    if (!st)
        st = net_socket_receive(m->connection, NET_REFUSAL_BYTES_MAX + 16, &packet,
                                m->until + TOLD_MS);
    if (!st)
        st = net_challenge_read(&packet, nonce);
    if (!st)
        net_session_begin(&m->session, false, m->place.token, &hello, nonce);
    net_packet_release(&packet);
    return st;
}

static status bootstrap_address_give(net_meeting *m, const net_introduction *own)
{
    net_packet gift = {0};
    status st = net_gift_write(own, &gift);
    if (!st)
        st = net_session_seal(&m->session, &gift);
    if (!st)
        st = net_socket_send(m->connection, &gift, m->until);
    net_packet_release(&gift);
    return st;
}

static status bootstrap_address_take(net_meeting *m, net_introduction *all)
{
    net_packet answer = {0};
    size_t most = (size_t)m->place.ranks * NET_GIFT_BYTES_MAX + NET_REFUSAL_BYTES_MAX;
    status st = net_socket_receive(m->connection, most, &answer, m->until + TOLD_MS);
    if (!st && !net_session_open(&m->session, &answer))
        st = status_hint(status_new(STATUS_KIND_INVALID,
                                    "it refuses this rank: its PISTACHIO_TOKEN is another one"),
                         "give all ranks the same PISTACHIO_TOKEN");
    if (!st)
        st = net_answer_read(&answer, m->place.ranks, all);
    net_packet_release(&answer);
    return st;
}

static status other_round(net_meeting *m, const net_introduction *own, net_introduction *all)
{
    status st = STATUS_OK;
    if (m->connection < 0) {
        TRY(net_socket_connect(&m->place, m->until, &m->connection));
        st = exchange_nonces(m);
    }
    if (!st)
        st = bootstrap_address_give(m, own);
    if (!st)
        st = bootstrap_address_take(m, all);
    return status_context(st, "rank 0 at %s:%s", m->place.root_host, m->place.root_port);
}

/* ---- all ---- */

void net_introductions_free(net_introduction *all, unsigned ranks)
{
    for (unsigned rank = 0; all && rank < ranks; rank++) {
        mem_free(all[rank].host);
        mem_free(all[rank].bytes);
    }
    mem_free(all);
}

status net_meeting_new(const net_place *place, const char *host, net_meeting **out)
{
    *out = NULL;
    net_meeting *m = mem_new(sizeof *m);
    char *own = mem_copy_text(host, strnlen(host, NET_HOST_BYTES_MAX));
    if (!m || !own) {
        mem_free(m);
        mem_free(own);
        return status_no_memory("ranks", sizeof *m);
    }
    m->place = *place;
    m->host = own;
    m->connection = -1;
    m->until = net_now_ms() + place->timeout_ms;
    *out = m;
    return STATUS_OK;
}

static status set_own(const net_introduction *own, net_introduction *out)
{
    out->host = mem_copy_text(own->host, strlen(own->host));
    out->bytes = mem_copy_text(own->bytes, own->byte_count);
    out->byte_count = own->byte_count;
    return out->host && out->bytes ? STATUS_OK : status_no_memory("introduction", own->byte_count);
}

static status next_round(net_meeting *m, net_introduction *own, net_introduction *all)
{
    if (m->place.is_pmix)
        return net_pmix_round(&m->place, m->rounds, own, all);
    if (m->place.rank)
        return other_round(m, own, all);
    TRY(set_own(own, &all[0]));
    return net_root_round(&m->place, &m->root, all);
}

status net_meeting_round(net_meeting *m, const void *bytes, uint32_t byte_count,
                         net_introduction **out)
{
    *out = NULL;
    if (byte_count > NET_ADDRESS_BYTES_MAX)
        return status_new(STATUS_KIND_INTERNAL, "an address of %u bytes", byte_count);
    net_introduction *all = mem_new_array(m->place.ranks, sizeof *all);
    if (!all)
        return status_no_memory("ranks", m->place.ranks * sizeof *all);
    net_introduction own = {
        .host = m->host, .bytes = (char *)(uintptr_t)bytes, .byte_count = byte_count};
    status st = next_round(m, &own, all);
    m->rounds++;
    if (st) {
        net_introductions_free(all, m->place.ranks);
        return st;
    }
    *out = all;
    return STATUS_OK;
}

void net_meeting_end(net_meeting *m)
{
    if (!m)
        return;
    if (m->place.is_pmix)
        net_pmix_leave();
    net_root_free(m->root);
    if (m->connection >= 0)
        close(m->connection);
    mem_free(m->host);
    mem_free(m);
}
