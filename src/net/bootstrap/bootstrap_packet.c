/* bootstrap_packet.c - see bootstrap_packet.h. Whatever is read may come from anybody. */
#include "net/bootstrap/bootstrap_packet.h"

#include <endian.h>

/* ---- fields ---- */

static status bootstrap_packet_put(net_packet *p, const void *bytes, size_t count)
{
    TRY(array_reserve(NULL, &p->bytes, count));
    if (count)
        memcpy(p->bytes.items + p->bytes.count, bytes, count);
    p->bytes.count += count;
    return STATUS_OK;
}

static status bootstrap_packet_put_number(net_packet *p, uint64_t number)
{
    number = htole64(number);
    return bootstrap_packet_put(p, &number, sizeof number);
}

static status bootstrap_packet_put_text(net_packet *p, const void *bytes, size_t count)
{
    TRY(bootstrap_packet_put_number(p, count));
    return bootstrap_packet_put(p, bytes, count);
}

static status cut_short(void)
{
    return status_new(STATUS_KIND_CORRUPT, "an introduction is cut short");
}

static status bootstrap_packet_get(net_packet *p, void *out, size_t count)
{
    if (p->bytes.count - p->at < count)
        return cut_short();
    memcpy(out, p->bytes.items + p->at, count);
    p->at += count;
    return STATUS_OK;
}

static status bootstrap_packet_get_number(net_packet *p, uint64_t *out)
{
    TRY(bootstrap_packet_get(p, out, sizeof *out));
    *out = le64toh(*out);
    return STATUS_OK;
}

/* A copy with a closing NUL. */
static status bootstrap_packet_get_text(net_packet *p, size_t most, char **out, uint32_t *out_count)
{
    uint64_t count;
    *out = NULL;
    *out_count = 0;
    TRY(bootstrap_packet_get_number(p, &count));
    if (count > most || count > p->bytes.count - p->at)
        return cut_short();
    *out = mem_copy_text(p->bytes.items + p->at, count);
    if (!*out)
        return status_no_memory("introduction", count);
    p->at += count;
    *out_count = (uint32_t)count;
    return STATUS_OK;
}

static status bootstrap_packet_check_end(const net_packet *p)
{
    return p->at == p->bytes.count
               ? STATUS_OK
               : status_new(STATUS_KIND_CORRUPT, "an introduction is longer than what it says");
}

void net_packet_release(net_packet *packet)
{
    array_release(&packet->bytes);
    *packet = (net_packet){0};
}

/* ---- refusals ---- */

static status put_refusal(net_packet *p, const char *why)
{
    TRY(bootstrap_packet_put_number(p, 0));
    return bootstrap_packet_put_text(p, why, strnlen(why, NET_REFUSAL_BYTES_MAX));
}

/* A terminal shows it: whoever sent it does not move its cursor. */
static void make_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

static status get_refusal(net_packet *p)
{
    char *why;
    uint32_t bytes;
    TRY(bootstrap_packet_get_text(p, NET_REFUSAL_BYTES_MAX, &why, &bytes));
    make_printable(why);
    status st = status_new(STATUS_KIND_INVALID, "it refuses this rank: %s", why);
    mem_free(why);
    return st;
}

/* ---- messages ---- */

status net_hello_write(const net_hello *hello, net_packet *out)
{
    TRY(bootstrap_packet_put_number(out, hello->version));
    TRY(bootstrap_packet_put_number(out, hello->ranks));
    TRY(bootstrap_packet_put_number(out, hello->rank));
    return bootstrap_packet_put(out, hello->nonce, sizeof hello->nonce);
}

status net_hello_read(net_packet *packet, net_hello *out)
{
    *out = (net_hello){0};
    TRY(bootstrap_packet_get_number(packet, &out->version));
    if (out->version != NET_BOOTSTRAP_VERSION)
        return STATUS_OK;
    TRY(bootstrap_packet_get_number(packet, &out->ranks));
    TRY(bootstrap_packet_get_number(packet, &out->rank));
    TRY(bootstrap_packet_get(packet, out->nonce, sizeof out->nonce));
    return bootstrap_packet_check_end(packet);
}

status net_challenge_write(const uint8_t *nonce, const char *why, net_packet *out)
{
    if (!nonce)
        return put_refusal(out, why);
    TRY(bootstrap_packet_put_number(out, 1));
    return bootstrap_packet_put(out, nonce, NET_NONCE_BYTES);
}

status net_challenge_read(net_packet *packet, uint8_t nonce[NET_NONCE_BYTES])
{
    uint64_t is_accepted;
    TRY(bootstrap_packet_get_number(packet, &is_accepted));
    if (!is_accepted)
        return get_refusal(packet);
    TRY(bootstrap_packet_get(packet, nonce, NET_NONCE_BYTES));
    return bootstrap_packet_check_end(packet);
}

status net_gift_write(const net_introduction *gift, net_packet *out)
{
    TRY(bootstrap_packet_put_text(out, gift->host, strlen(gift->host)));
    return bootstrap_packet_put_text(out, gift->bytes, gift->byte_count);
}

static status get_gift(net_packet *packet, net_introduction *out)
{
    uint32_t bytes;
    TRY(bootstrap_packet_get_text(packet, NET_HOST_BYTES_MAX, &out->host, &bytes));
    make_printable(out->host);
    return bootstrap_packet_get_text(packet, NET_ADDRESS_BYTES_MAX, &out->bytes, &out->byte_count);
}

status net_gift_read(net_packet *packet, net_introduction *out)
{
    *out = (net_introduction){0};
    TRY(get_gift(packet, out));
    return bootstrap_packet_check_end(packet);
}

status net_answer_write(const net_introduction *all, unsigned ranks, const char *why,
                        net_packet *out)
{
    if (!all)
        return put_refusal(out, why);
    TRY(bootstrap_packet_put_number(out, 1));
    for (unsigned rank = 0; rank < ranks; rank++)
        TRY(net_gift_write(&all[rank], out));
    return STATUS_OK;
}

status net_answer_read(net_packet *packet, unsigned ranks, net_introduction *all)
{
    uint64_t is_accepted;
    TRY(bootstrap_packet_get_number(packet, &is_accepted));
    if (!is_accepted)
        return get_refusal(packet);
    for (unsigned rank = 0; rank < ranks; rank++)
        TRY(get_gift(packet, &all[rank]));
    return bootstrap_packet_check_end(packet);
}

/* ---- proofs ---- */

static void bootstrap_packet_add_number(hmac_sha256 *mac, uint64_t number)
{
    number = htole64(number);
    hmac_sha256_add(mac, &number, sizeof number);
}

void net_session_begin(net_session *session, bool is_root, const char *token,
                       const net_hello *hello, const uint8_t nonce[NET_NONCE_BYTES])
{
    static const char purpose[] = "ranks of pistachio meet";
    hmac_sha256 mac;
    *session = (net_session){.is_root = is_root};
    hmac_sha256_begin(&mac, token, strlen(token));
    hmac_sha256_add(&mac, purpose, sizeof purpose);
    bootstrap_packet_add_number(&mac, hello->version);
    bootstrap_packet_add_number(&mac, hello->ranks);
    bootstrap_packet_add_number(&mac, hello->rank);
    hmac_sha256_add(&mac, hello->nonce, sizeof hello->nonce);
    hmac_sha256_add(&mac, nonce, NET_NONCE_BYTES);
    hmac_sha256_end(&mac, session->key);
}

static void seal_of(const net_session *session, bool is_from_root, uint64_t number,
                    const net_packet *packet, size_t bytes, uint8_t out[SHA256_BYTES])
{
    hmac_sha256 mac;
    hmac_sha256_begin(&mac, session->key, sizeof session->key);
    bootstrap_packet_add_number(&mac, is_from_root);
    bootstrap_packet_add_number(&mac, number);
    hmac_sha256_add(&mac, packet->bytes.items, bytes);
    hmac_sha256_end(&mac, out);
}

status net_session_seal(net_session *session, net_packet *packet)
{
    uint8_t seal[SHA256_BYTES];
    seal_of(session, session->is_root, session->sealed++, packet, packet->bytes.count, seal);
    return bootstrap_packet_put(packet, seal, sizeof seal);
}

bool net_session_open(net_session *session, net_packet *packet)
{
    uint8_t expected[SHA256_BYTES], seal[SHA256_BYTES];
    if (packet->bytes.count < sizeof seal)
        return false;
    size_t bytes = packet->bytes.count - sizeof seal;
    memcpy(seal, packet->bytes.items + bytes, sizeof seal);
    seal_of(session, !session->is_root, session->opened++, packet, bytes, expected);
    packet->bytes.count = bytes;
    return sha256_is_equal(seal, expected);
}
