/* scram.c - see scram.h. */
#include "server/access/scram.h"

#include "server/access/base64.h"
#include "server/engine.h"

#include <stdio.h>
#include <stdlib.h>

#define KEY_TEXT_BYTES BASE64_ROOM(SHA256_BYTES)

static void scram_hmac(const uint8_t key[SHA256_BYTES], const void *bytes, size_t count,
                       uint8_t out[SHA256_BYTES])
{
    hmac_sha256 mac;
    hmac_sha256_begin(&mac, key, SHA256_BYTES);
    hmac_sha256_add(&mac, bytes, count);
    hmac_sha256_end(&mac, out);
}

static void hash(const uint8_t bytes[SHA256_BYTES], uint8_t out[SHA256_BYTES])
{
    sha256 h;
    sha256_begin(&h);
    sha256_add(&h, bytes, SHA256_BYTES);
    sha256_end(&h, out);
}

/* ---- verifiers ---- */

/* Makes the salted password: PBKDF2 of one block. */
static void salt_password(const char *password, size_t bytes, const scram_verifier *v,
                          uint8_t out[SHA256_BYTES])
{
    static const uint8_t block[4] = {0, 0, 0, 1};
    hmac_sha256 keyed, mac;
    uint8_t last[SHA256_BYTES];
    hmac_sha256_begin(&keyed, password, bytes);
    mac = keyed;
    hmac_sha256_add(&mac, v->salt, v->salt_bytes);
    hmac_sha256_add(&mac, block, sizeof block);
    hmac_sha256_end(&mac, last);
    memcpy(out, last, sizeof last);
    for (unsigned i = 1; i < v->iterations; i++) {
        mac = keyed;
        hmac_sha256_add(&mac, last, sizeof last);
        hmac_sha256_end(&mac, last);
        for (unsigned k = 0; k < SHA256_BYTES; k++)
            out[k] ^= last[k];
    }
}

void scram_make(const char *password, size_t bytes, const uint8_t *salt, size_t salt_bytes,
                unsigned iterations, scram_verifier *out)
{
    uint8_t salted[SHA256_BYTES], client_key[SHA256_BYTES];
    *out = (scram_verifier){.iterations = iterations, .salt_bytes = salt_bytes};
    memcpy(out->salt, salt, salt_bytes);
    salt_password(password, bytes, out, salted);
    scram_hmac(salted, "Client Key", 10, client_key);
    hash(client_key, out->stored_key);
    scram_hmac(salted, "Server Key", 10, out->server_key);
}

void scram_write(const scram_verifier *v, char text[SCRAM_VERIFIER_BYTES])
{
    char salt[BASE64_ROOM(SCRAM_SALT_BYTES_MAX)], stored[KEY_TEXT_BYTES], server[KEY_TEXT_BYTES];
    base64_write(v->salt, v->salt_bytes, salt);
    base64_write(v->stored_key, SHA256_BYTES, stored);
    base64_write(v->server_key, SHA256_BYTES, server);
    snprintf(text, SCRAM_VERIFIER_BYTES, SCRAM_MECHANISM "$%u:%s$%s:%s", v->iterations, salt,
             stored, server);
}

/* Reads base64 up to the letter `end`, or to the text's end where it is 0, and sets *at after it. */
static bool read_part(const char **at, const char *text_end, char end, uint8_t *out, size_t room,
                      size_t *out_count)
{
    const char *part_end = end ? memchr(*at, end, (size_t)(text_end - *at)) : text_end;
    if (!part_end || !base64_read(*at, (size_t)(part_end - *at), out, room, out_count))
        return false;
    *at = part_end + (end != 0);
    return true;
}

bool scram_read(const char *text, size_t length, scram_verifier *out)
{
    static const char head[] = SCRAM_MECHANISM "$";
    const char *end = text + length, *at = text + sizeof head - 1;
    unsigned iterations = 0;
    size_t stored, server;
    *out = (scram_verifier){.iterations = 0};
    if (length < sizeof head || memcmp(text, head, sizeof head - 1) != 0)
        return false;
    for (; at < end && *at >= '0' && *at <= '9' && iterations <= SCRAM_ITERATIONS_MAX; at++)
        iterations = iterations * 10 + (unsigned)(*at - '0');
    if (at == end || *at++ != ':' || !iterations || iterations > SCRAM_ITERATIONS_MAX)
        return false;
    out->iterations = iterations;
    return read_part(&at, end, '$', out->salt, sizeof out->salt, &out->salt_bytes) &&
           out->salt_bytes && read_part(&at, end, ':', out->stored_key, SHA256_BYTES, &stored) &&
           stored == SHA256_BYTES &&
           read_part(&at, end, 0, out->server_key, SHA256_BYTES, &server) && server == SHA256_BYTES;
}

/* ---- the exchange ---- */

static status is_wrong(const char *what)
{
    return status_new(STATUS_KIND_INVALID, "the password's exchange is wrong: %s", what);
}

/* Copies a message as a text; false: it is too long, or holds a NUL. */
static bool copy_message(const char *message, size_t bytes, char out[SCRAM_MESSAGE_BYTES_MAX])
{
    if (bytes >= SCRAM_MESSAGE_BYTES_MAX || memchr(message, 0, bytes))
        return false;
    memcpy(out, message, bytes);
    out[bytes] = 0;
    return true;
}

/* Returns the value of the attribute at the beginning of *at, up to a comma, and sets *at after that; NULL: it is another
 * one. */
static const char *take_attribute(const char **at, char name, size_t *out_bytes)
{
    const char *value = *at + 2;
    if ((*at)[0] != name || (*at)[1] != '=')
        return NULL;
    *out_bytes = strcspn(value, ",");
    *at = value + *out_bytes + (value[*out_bytes] == ',');
    return value;
}

/* Takes the head that says which channel binding the client wants and for whom it acts: none, and itself. */
static status take_head(scram_exchange *e, const char **at)
{
    const char *text = *at;
    if ((text[0] != 'n' && text[0] != 'y') || text[1] != ',' || text[2] != ',')
        return is_wrong("the server has no channel binding, and clients act for themselves");
    memcpy(e->head, text, 3);
    *at = text + 3;
    return STATUS_OK;
}

status scram_begin(scram_exchange *e, const char *message, size_t bytes,
                   const uint8_t nonce[SCRAM_NONCE_BYTES])
{
    char whole[SCRAM_MESSAGE_BYTES_MAX], salt[BASE64_ROOM(SCRAM_SALT_BYTES_MAX)],
        ours[BASE64_ROOM(SCRAM_NONCE_BYTES)];
    const char *at = whole;
    size_t name_bytes, nonce_bytes;
    if (!copy_message(message, bytes, whole))
        return is_wrong("a message is too long");
    TRY(take_head(e, &at));
    memcpy(e->client_first, at, strlen(at) + 1);
    if (!take_attribute(&at, 'n', &name_bytes))
        return is_wrong("there is no name");
    const char *theirs = take_attribute(&at, 'r', &nonce_bytes);
    if (!theirs || !nonce_bytes || nonce_bytes > SCRAM_MESSAGE_BYTES_MAX / 2)
        return is_wrong("there is no nonce");
    base64_write(nonce, SCRAM_NONCE_BYTES, ours);
    base64_write(e->verifier.salt, e->verifier.salt_bytes, salt);
    snprintf(e->nonce, sizeof e->nonce, "%.*s%s", (int)nonce_bytes, theirs, ours);
    int length = snprintf(e->server_first, sizeof e->server_first, "r=%s,s=%s,i=%u", e->nonce, salt,
                          e->verifier.iterations);
    return length < (int)sizeof e->server_first ? STATUS_OK : is_wrong("a message is too long");
}

/* Signs what was said: the client's first message, ours, and its last one without the proof. */
static void sign(const scram_exchange *e, const uint8_t key[SHA256_BYTES], const char *last,
                 size_t bytes, uint8_t out[SHA256_BYTES])
{
    hmac_sha256 mac;
    hmac_sha256_begin(&mac, key, SHA256_BYTES);
    hmac_sha256_add(&mac, e->client_first, strlen(e->client_first));
    hmac_sha256_add(&mac, ",", 1);
    hmac_sha256_add(&mac, e->server_first, strlen(e->server_first));
    hmac_sha256_add(&mac, ",", 1);
    hmac_sha256_add(&mac, last, bytes);
    hmac_sha256_end(&mac, out);
}

/* Checks that the last message repeats the head and the nonces. */
static status check_last(const scram_exchange *e, const char **at)
{
    char head[BASE64_ROOM(8)];
    size_t bytes;
    base64_write((const uint8_t *)e->head, strlen(e->head), head);
    const char *value = take_attribute(at, 'c', &bytes);
    if (!value || bytes != strlen(head) || memcmp(value, head, bytes) != 0)
        return is_wrong("the channel binding has changed");
    value = take_attribute(at, 'r', &bytes);
    if (!value || bytes != strlen(e->nonce) || memcmp(value, e->nonce, bytes) != 0)
        return is_wrong("the nonce has changed");
    return STATUS_OK;
}

status scram_finish(const scram_exchange *e, const char *message, size_t bytes, bool *out_is_right,
                    char answer[64])
{
    char whole[SCRAM_MESSAGE_BYTES_MAX], signature[KEY_TEXT_BYTES];
    uint8_t proof[SHA256_BYTES], key[SHA256_BYTES];
    const char *at = whole;
    size_t text_bytes, proof_bytes;
    *out_is_right = false;
    if (!copy_message(message, bytes, whole))
        return is_wrong("a message is too long");
    TRY(check_last(e, &at));
    const char *proof_text = strstr(at, "p="); /* extensions may come before it */
    if (!proof_text || (proof_text != at && proof_text[-1] != ','))
        return is_wrong("there is no proof");
    text_bytes = strlen(proof_text + 2);
    if (!base64_read(proof_text + 2, text_bytes, proof, sizeof proof, &proof_bytes) ||
        proof_bytes != sizeof proof)
        return is_wrong("there is no proof");
    sign(e, e->verifier.stored_key, whole, (size_t)(proof_text - whole) - 1, key);
    for (unsigned i = 0; i < SHA256_BYTES; i++)
        key[i] ^= proof[i];
    hash(key, key);
    *out_is_right = sha256_is_equal(key, e->verifier.stored_key);
    sign(e, e->verifier.server_key, whole, (size_t)(proof_text - whole) - 1, key);
    base64_write(key, SHA256_BYTES, signature);
    snprintf(answer, 64, "v=%s", signature);
    return STATUS_OK;
}
