/* scram.h - SCRAM-SHA-256 (RFC 5802, RFC 7677), the server's side: a client proves that it knows a password of which the
 * server keeps a verifier alone, and the server proves that it has that.
 *
 *     client ── n,,n=,r=NONCE ────────────────────────> server
 *     client <── r=NONCE+OURS,s=SALT,i=ITERATIONS ───── server
 *     client ── c=biws,r=NONCE+OURS,p=PROOF ──────────> server
 *     client <── v=SIGNATURE ────────────────────────── server
 *
 * Channel binding (SCRAM-SHA-256-PLUS) is not offered. Nothing of the password can be made of a verifier but by guessing. */
#ifndef PISTACHIO_SERVER_ACCESS_SCRAM_H
#define PISTACHIO_SERVER_ACCESS_SCRAM_H

#include "base/status.h"
#include "base/system/sha256.h"

#define SCRAM_MECHANISM "SCRAM-SHA-256"
#define SCRAM_SALT_BYTES_MAX 64
#define SCRAM_SALT_BYTES 16
#define SCRAM_ITERATIONS 4096
#define SCRAM_ITERATIONS_MAX 1000000
#define SCRAM_NONCE_BYTES 18
#define SCRAM_MESSAGE_BYTES_MAX 2048

typedef struct scram_verifier {
    unsigned iterations;
    uint8_t salt[SCRAM_SALT_BYTES_MAX];
    size_t salt_bytes;
    uint8_t stored_key[SHA256_BYTES], server_key[SHA256_BYTES];
} scram_verifier;

/* Room for a verifier's text. */
#define SCRAM_VERIFIER_BYTES 256

void scram_make(const char *password, size_t bytes, const uint8_t *salt, size_t salt_bytes,
                unsigned iterations, scram_verifier *out);
/* Writes "SCRAM-SHA-256$4096:SALT$STORED:SERVER", as PostgreSQL keeps it. */
void scram_write(const scram_verifier *verifier, char text[SCRAM_VERIFIER_BYTES]);
/* False: it is not one. */
bool scram_read(const char *text, size_t length, scram_verifier *out);

typedef struct scram_exchange {
    scram_verifier verifier;
    char client_first[SCRAM_MESSAGE_BYTES_MAX]; /* without its head */
    char head[8];                               /* "n,," */
    char server_first[SCRAM_MESSAGE_BYTES_MAX];
    char nonce[SCRAM_MESSAGE_BYTES_MAX]; /* both parts */
} scram_exchange;

/* Takes the client's first message, and makes the answer, exchange->server_first. `verifier` is set already. INVALID: the
 * message is wrong. */
CHECKED status scram_begin(scram_exchange *exchange, const char *message, size_t bytes,
                           const uint8_t nonce[SCRAM_NONCE_BYTES]);
/* Takes the client's last message. *out_is_right: it has the password, and `answer` is the last message. */
CHECKED status scram_finish(const scram_exchange *exchange, const char *message, size_t bytes,
                            bool *out_is_right, char answer[64]);

#endif
