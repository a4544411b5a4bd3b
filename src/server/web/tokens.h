/* tokens.h - tokens that stand for a user who has given a password: for the page, and for clients that ask often. */
#ifndef PISTACHIO_SERVER_WEB_TOKENS_H
#define PISTACHIO_SERVER_WEB_TOKENS_H

#include "server/access/users.h"

#define TOKEN_BYTES 32
#define TOKEN_TEXT_BYTES (2 * TOKEN_BYTES + 1)
#define TOKENS_MAX 256
#define TOKEN_MILLISECONDS ((int64_t)12 * 3600 * 1000)

typedef struct token {
    char text[TOKEN_TEXT_BYTES];
    char user[USERS_NAME_BYTES];
    uint8_t stored_key
        [SHA256_BYTES]; /* of the verifier that was in force: another password ends the token */
    int64_t until;
} token;

/* Caller holds the lock of the web. */
typedef struct tokens {
    token items[TOKENS_MAX];
} tokens;

/* Makes a token in the place of the oldest. */
CHECKED status tokens_make(tokens *all, const char *user, const scram_verifier *verifier,
                           int64_t now, char text[TOKEN_TEXT_BYTES]);
/* Returns the token, or NULL: there is none of this text any more. */
const token *tokens_find(const tokens *all, const char *text, int64_t now);

#endif
