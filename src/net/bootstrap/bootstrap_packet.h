/* bootstrap_packet.h - what ranks and their root say to each other while they meet, as bytes.
 *
 *     rank ── hello: version, ranks, rank, a nonce ──────────────> root
 *     rank <── challenge: another nonce, or a refusal's text ───── root
 *     rank ── sealed gift: its host and bytes ───────────────────> root      each round
 *     rank <── sealed answer: all ranks' hosts and bytes, or why not ── root
 *
 * Both make a key of the token and the two nonces (net_session), with which they seal all that follows: an HMAC
 * over its direction, its number and its bytes. So each proves that it has the token without showing it, and
 * nothing can be replayed. The rank proves it first: who merely connects to a root learns nothing that the
 * token could be tried against. Numbers are little endian; a text is its length and its bytes. */
#ifndef PISTACHIO_NET_BOOTSTRAP_BOOTSTRAP_PACKET_H
#define PISTACHIO_NET_BOOTSTRAP_BOOTSTRAP_PACKET_H

#include "base/system/sha256.h"
#include "net/bootstrap/bootstrap.h"

#define NET_BOOTSTRAP_VERSION 2
#define NET_NONCE_BYTES 32
#define NET_HOST_BYTES_MAX 255
/* Limits of what is said before the other side is known. */
#define NET_HELLO_BYTES_MAX 256
#define NET_REFUSAL_BYTES_MAX 4096
#define NET_GIFT_BYTES_MAX (NET_ADDRESS_BYTES_MAX + 1024)

typedef struct net_packet {
    ARRAY(char) bytes;
    size_t at; /* reading */
} net_packet;

void net_packet_release(net_packet *packet);

typedef struct net_hello {
    uint64_t version, ranks, rank;
    uint8_t nonce[NET_NONCE_BYTES];
} net_hello;

CHECKED status net_hello_write(const net_hello *hello, net_packet *out);
/* CORRUPT: the bytes are not a hello. Nothing but the version is read of another version's. */
CHECKED status net_hello_read(net_packet *packet, net_hello *out);

/* nonce NULL: a refusal. */
CHECKED status net_challenge_write(const uint8_t *nonce, const char *why, net_packet *out);
/* INVALID: a refusal, which the message tells. */
CHECKED status net_challenge_read(net_packet *packet, uint8_t nonce[NET_NONCE_BYTES]);

CHECKED status net_gift_write(const net_introduction *gift, net_packet *out);
/* *out: to be released by net_introductions_free's rules, on failure, too. */
CHECKED status net_gift_read(net_packet *packet, net_introduction *out);

/* all NULL: a refusal. */
CHECKED status net_answer_write(const net_introduction *all, unsigned ranks, const char *why,
                                net_packet *out);
/* INVALID: a refusal, as above. */
CHECKED status net_answer_read(net_packet *packet, unsigned ranks, net_introduction *all);

/* ---- proofs ---- */

/* Key and counts that a rank and the root share; each side has one. */
typedef struct net_session {
    uint8_t key[SHA256_BYTES];
    uint64_t sealed, opened; /* packets so far */
    bool is_root;
} net_session;

/* hello: the rank's; nonce: the root's. */
void net_session_begin(net_session *session, bool is_root, const char *token,
                       const net_hello *hello, const uint8_t nonce[NET_NONCE_BYTES]);
CHECKED status net_session_seal(net_session *session, net_packet *packet);
/* False: it is not the other side's next packet. Takes the seal off. */
bool net_session_open(net_session *session, net_packet *packet);

#endif
