/* tls.h - TLS of the server's sockets, by OpenSSL; a build without OpenSSL has none.
 *
 * tls_identity_load ── the certificate and its key, of the whole server
 *        └── tls_open ── one socket, which does not block: tls_shake_hands, tls_receive, tls_send
 *
 * The three return what recv and send return. With -1 and EAGAIN *out_events says what to poll the socket for. */
#ifndef PISTACHIO_SERVER_PROTOCOL_TLS_H
#define PISTACHIO_SERVER_PROTOCOL_TLS_H

#include "base/status.h"

#include <sys/types.h>

typedef struct tls_identity tls_identity;
typedef struct tls tls;

/* Reads PEM files: the certificate with those that sign it, and its key, which other users must not be able to read. */
CHECKED status tls_identity_load(const char *certificate, const char *key, tls_identity **out);
void tls_identity_free(tls_identity *identity); /* takes NULL */

/* Begins TLS 1.2 or newer; the socket is made one that does not block. */
CHECKED status tls_open(tls_identity *identity, int socket, tls **out);
/* Returns 1 once the client has agreed. */
int tls_shake_hands(tls *t, short *out_events);
ssize_t tls_receive(tls *t, void *room, size_t bytes, short *out_events);
ssize_t tls_send(tls *t, const void *from, size_t bytes, short *out_events);
/* Tells the client that nothing more comes, without waiting; the socket stays open. Takes NULL. */
void tls_close(tls *t);

#endif
