/* tokens.c - see tokens.h. */
#include "server/web/tokens.h"

#include "server/engine.h"

#include <stdio.h>
#include <sys/random.h>

status tokens_make(tokens *all, const char *user, const scram_verifier *verifier, int64_t now,
                   char text[TOKEN_TEXT_BYTES])
{
    uint8_t bytes[TOKEN_BYTES];
    token *place = all->items;
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return status_new(STATUS_KIND_IO, "the system gives no random numbers");
    for (size_t i = 1; i < TOKENS_MAX; i++)
        if (all->items[i].until < place->until)
            place = &all->items[i];
    *place = (token){.until = now + TOKEN_MILLISECONDS};
    for (size_t i = 0; i < TOKEN_BYTES; i++)
        snprintf(place->text + 2 * i, 3, "%02x", bytes[i]);
    snprintf(place->user, sizeof place->user, "%s", user);
    memcpy(place->stored_key, verifier->stored_key, SHA256_BYTES);
    memcpy(text, place->text, TOKEN_TEXT_BYTES);
    return STATUS_OK;
}

/* Compares texts of the same length in a time that does not depend on where they differ. */
static bool is_equal(const char *a, const char *b)
{
    uint8_t different = 0;
    for (size_t i = 0; i < TOKEN_TEXT_BYTES; i++)
        different |= (uint8_t)(a[i] ^ b[i]);
    return !different;
}

const token *tokens_find(const tokens *all, const char *text, int64_t now)
{
    const token *found = NULL;
    if (strlen(text) != TOKEN_TEXT_BYTES - 1)
        return NULL;
    for (size_t i = 0; i < TOKENS_MAX; i++)
        if (all->items[i].until > now && is_equal(all->items[i].text, text))
            found = &all->items[i];
    return found;
}
