/* password.c - see password.h. */
#include "server/session/password.h"

#include "server/access/users.h"
#include "server/engine.h"
#include "server/protocol/failure.h"

#include <stdio.h>
#include <sys/random.h>

/* Codes of Authentication messages. */
#define ASK_SASL 10
#define SASL_CONTINUES 11
#define SASL_ENDS 12

static status send_step(session *s, uint32_t code, const char *text, size_t bytes)
{
    wire_begin(&s->stream.out, 'R');
    wire_32(&s->stream.out, code);
    wire_bytes(&s->stream.out, text, bytes);
    wire_finish(&s->stream.out);
    return stream_flush(&s->stream);
}

/* Reads a message with a part of the exchange. */
static status read_step(session *s, wire_reader *out)
{
    stream_end end;
    char type;
    TRY(stream_read(&s->stream, STREAM_LOGIN_BYTES_MAX, &end, &type, out));
    if (end)
        return status_new(STATUS_KIND_IO, "the client has ended before it logged in");
    return type == 'p' ? STATUS_OK
                       : status_new(STATUS_KIND_CORRUPT, "a message %d comes before the password",
                                    (unsigned char)type);
}

/* Makes what a user seems to have who is not there: always the same salt, which nobody can tell from others. */
static void make_unknown(const session_shared *shared, const char *user, scram_verifier *out)
{
    uint8_t salt[SHA256_BYTES];
    hmac_sha256 mac;
    hmac_sha256_begin(&mac, shared->secret, sizeof shared->secret);
    hmac_sha256_add(&mac, user, strlen(user));
    hmac_sha256_end(&mac, salt);
    *out = (scram_verifier){.iterations = SCRAM_ITERATIONS, .salt_bytes = SCRAM_SALT_BYTES};
    memcpy(out->salt, salt, SCRAM_SALT_BYTES);
}

/* Reads the choice of a mechanism and the first message. */
static status read_first(session *s, scram_exchange *e)
{
    wire_reader reader;
    uint8_t nonce[SCRAM_NONCE_BYTES];
    TRY(read_step(s, &reader));
    const char *mechanism = wire_read_text(&reader);
    uint32_t bytes = wire_read_32(&reader);
    const char *message = bytes == UINT32_MAX ? NULL : wire_read_bytes(&reader, bytes);
    TRY(wire_end(&reader, "that begins the password's exchange"));
    if (strcmp(mechanism, SCRAM_MECHANISM) != 0 || !message)
        return status_new(STATUS_KIND_INVALID,
                          "the server knows the mechanism " SCRAM_MECHANISM " alone");
    if (getrandom(nonce, sizeof nonce, 0) != sizeof nonce)
        return status_new(STATUS_KIND_IO, "the system gives no random numbers");
    return scram_begin(e, message, bytes, nonce);
}

static status exchange(session *s, scram_exchange *e, bool *out_is_right)
{
    static const char mechanisms[] = SCRAM_MECHANISM "\0";
    wire_reader reader;
    char answer[64];
    TRY(send_step(s, ASK_SASL, mechanisms, sizeof mechanisms));
    TRY(read_first(s, e));
    TRY(send_step(s, SASL_CONTINUES, e->server_first, strlen(e->server_first)));
    TRY(read_step(s, &reader));
    TRY(scram_finish(e, reader.at, (size_t)(reader.end - reader.at), out_is_right, answer));
    return *out_is_right ? send_step(s, SASL_ENDS, answer, strlen(answer)) : STATUS_OK;
}

/* Finds the user's verifier. What is wrong with the file is said where the server's own words go, not to the client. */
static status find_user(session *s, const char *user, bool *out_is_there, scram_verifier *out)
{
    status st = users_find(s->shared->users, user, out_is_there, out);
    if (!st)
        return STATUS_OK;
    fprintf(stderr, "pistachio serve: %s\n", status_message(st));
    status_free(st);
    return status_new(STATUS_KIND_IO, "the server cannot check passwords");
}

status password_check(session *s, const char *user, bool *out_is_known)
{
    bool is_there, is_right;
    *out_is_known = false;
    scram_exchange *e = mem_new(sizeof *e);
    if (!e)
        return status_no_memory("password", sizeof *e);
    status st = find_user(s, user, &is_there, &e->verifier);
    if (!st && !is_there)
        make_unknown(s->shared, user, &e->verifier);
    if (!st)
        st = exchange(s, e, &is_right);
    mem_free(e);
    TRY(st);
    *out_is_known = is_there && is_right;
    if (*out_is_known)
        return STATUS_OK;
    char text[PG_SETTING_BYTES + 64];
    snprintf(text, sizeof text, "the password of user \"%s\" is wrong, or there is no such user",
             user);
    failure_write_own(&s->stream.out, "FATAL", SQLSTATE_PASSWORD, text, NULL);
    return stream_flush(&s->stream);
}
