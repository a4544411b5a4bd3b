/* tls.c - see tls.h. */
#include "server/protocol/tls.h"

#include "server/engine.h"

#ifdef SERVER_HAS_TLS

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/stat.h>

/* An identity and a session are OpenSSL's own objects by another name. */
static SSL_CTX *context_of(tls_identity *identity)
{
    return (SSL_CTX *)identity;
}

static SSL *session_of(tls *t)
{
    return (SSL *)t;
}

/* ---- certificate and key ---- */

/* Returns a failure with OpenSSL's last reason, and forgets its others. */
static status tls_failure(const char *path)
{
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());
    ERR_clear_error();
    return status_new(STATUS_KIND_INVALID, "could not take \"%s\" for TLS: %s", path,
                      reason ? reason : "the reason is not known");
}

static status check_key_file(const char *path)
{
    struct stat info;
    if (stat(path, &info))
        return status_new_errno(errno, "could not read \"%s\"", path);
    /* A key of root's may be readable by a group that the server is in. */
    mode_t forbidden = info.st_uid ? S_IRWXG | S_IRWXO : S_IWGRP | S_IRWXO;
    if (info.st_mode & forbidden)
        return status_hint(
            status_new(STATUS_KIND_INVALID, "other users can read or write the key \"%s\"", path),
            "chmod 600 \"%s\"", path);
    return STATUS_OK;
}

static status tls_load(SSL_CTX *context, const char *certificate, const char *key)
{
    if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1)
        return tls_failure(certificate);
    if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(context) != 1)
        return tls_failure(key);
    return STATUS_OK;
}

status tls_identity_load(const char *certificate, const char *key, tls_identity **out)
{
    *out = NULL;
    TRY(check_key_file(key));
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (!context)
        return status_no_memory("TLS", 0);
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context,
                        SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    status st = tls_load(context, certificate, key);
    if (st) {
        SSL_CTX_free(context);
        return st;
    }
    *out = (tls_identity *)context;
    return STATUS_OK;
}

void tls_identity_free(tls_identity *identity)
{
    SSL_CTX_free(context_of(identity));
}

/* ---- one socket ---- */

status tls_open(tls_identity *identity, int socket, tls **out)
{
    int flags = fcntl(socket, F_GETFL);
    *out = NULL;
    if (flags < 0 || fcntl(socket, F_SETFL, flags | O_NONBLOCK))
        return status_new_errno(errno, "could not make a client's socket one that does not block");
    SSL *session = SSL_new(context_of(identity));
    if (!session || SSL_set_fd(session, socket) != 1) {
        SSL_free(session);
        ERR_clear_error();
        return status_no_memory("TLS", 0);
    }
    SSL_set_accept_state(session);
    *out = (tls *)session;
    return STATUS_OK;
}

/* Returns what recv would have for a result of OpenSSL's, and sets errno. */
static int translate(SSL *session, int result, short *out_events)
{
    *out_events = 0;
    if (result > 0)
        return result;
    int error = SSL_get_error(session, result);
    ERR_clear_error();
    switch (error) {
    case SSL_ERROR_ZERO_RETURN:
        return 0;
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        *out_events = error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
        errno = EAGAIN;
        return -1;
    default: /* also an end without TLS's own, as most clients leave */
        errno = ECONNRESET;
        return -1;
    }
}

static int clip(size_t bytes)
{
    return bytes > INT_MAX ? INT_MAX : (int)bytes;
}

int tls_shake_hands(tls *t, short *out_events)
{
    SSL *session = session_of(t);
    ERR_clear_error();
    return translate(session, SSL_do_handshake(session), out_events);
}

ssize_t tls_receive(tls *t, void *room, size_t bytes, short *out_events)
{
    SSL *session = session_of(t);
    ERR_clear_error();
    return translate(session, SSL_read(session, room, clip(bytes)), out_events);
}

ssize_t tls_send(tls *t, const void *from, size_t bytes, short *out_events)
{
    SSL *session = session_of(t);
    ERR_clear_error();
    return translate(session, SSL_write(session, from, clip(bytes)), out_events);
}

void tls_close(tls *t)
{
    if (!t)
        return;
    if (SSL_is_init_finished(session_of(t)))
        (void)SSL_shutdown(session_of(t));
    ERR_clear_error();
    SSL_free(session_of(t));
}

#else

status tls_identity_load(const char *certificate, const char *key, tls_identity **out)
{
    (void)certificate;
    (void)key;
    *out = NULL;
    return status_hint(status_new(STATUS_KIND_UNSUPPORTED, "this build of the server has no TLS"),
                       "build it where libssl-dev is installed");
}

void tls_identity_free(tls_identity *identity)
{
    (void)identity;
}

status tls_open(tls_identity *identity, int socket, tls **out)
{
    (void)identity;
    (void)socket;
    *out = NULL;
    return status_new(STATUS_KIND_UNSUPPORTED, "this build of the server has no TLS");
}

/* Nothing can be opened, so the functions below are not called. */
int tls_shake_hands(tls *t, short *out_events)
{
    (void)t;
    *out_events = 0;
    return 0;
}

ssize_t tls_receive(tls *t, void *room, size_t bytes, short *out_events)
{
    (void)room;
    (void)bytes;
    return tls_shake_hands(t, out_events);
}

ssize_t tls_send(tls *t, const void *from, size_t bytes, short *out_events)
{
    (void)from;
    (void)bytes;
    return tls_shake_hands(t, out_events);
}

void tls_close(tls *t)
{
    (void)t;
}

#endif
