/* frame.c - headers to bytes and back. */
#include "net/frame.h"

#include <endian.h>
#include <xxhash.h>

#define MAGIC 0x50690002u /* the low half is the version: raise it with every change */
enum {
    AT_MAGIC = 0,
    AT_CHECKSUM = 4,
    AT_KIND = 8,
    AT_FROM = 12,
    AT_QUERY = 16,
    AT_EXCHANGE = 24,
    AT_PAYLOAD_BYTES = 28,
    AT_NUMBER = 32,
    AT_TOTAL = 40,
    AT_MESSAGE_BYTES = 48,
    AT_PAYLOAD_CHECKSUM = 52,
    AT_ZEROS = 56
};

static void frame_put_32(uint8_t *bytes, uint32_t number)
{
    number = htole32(number);
    memcpy(bytes, &number, sizeof number);
}

static void put_64(uint8_t *bytes, uint64_t number)
{
    number = htole64(number);
    memcpy(bytes, &number, sizeof number);
}

static uint32_t get_32(const uint8_t *bytes)
{
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    return le32toh(number);
}

static uint64_t get_64(const uint8_t *bytes)
{
    uint64_t number;
    memcpy(&number, bytes, sizeof number);
    return le64toh(number);
}

uint32_t net_frame_checksum(const void *bytes, size_t byte_count)
{
    return (uint32_t)XXH3_64bits(bytes, byte_count);
}

void net_frame_encode(const net_header *header, uint8_t *bytes)
{
    memset(bytes, 0, NET_HEADER_BYTES);
    frame_put_32(bytes + AT_MAGIC, MAGIC);
    bytes[AT_KIND] = header->kind;
    bytes[AT_KIND + 1] = header->phase;
    bytes[AT_KIND + 2] = header->flags;
    bytes[AT_KIND + 3] = header->failure;
    frame_put_32(bytes + AT_FROM, header->from);
    put_64(bytes + AT_QUERY, header->query);
    frame_put_32(bytes + AT_EXCHANGE, header->exchange);
    frame_put_32(bytes + AT_PAYLOAD_BYTES, header->payload_bytes);
    put_64(bytes + AT_NUMBER, header->number);
    put_64(bytes + AT_TOTAL, header->total);
    frame_put_32(bytes + AT_MESSAGE_BYTES, header->message_bytes);
    frame_put_32(bytes + AT_PAYLOAD_CHECKSUM, header->payload_checksum);
    frame_put_32(bytes + AT_CHECKSUM,
                 net_frame_checksum(bytes + AT_KIND, NET_HEADER_BYTES - AT_KIND));
}

const char *net_frame_decode(const void *source, size_t byte_count, net_header *out)
{
    const uint8_t *bytes = source;
    if (byte_count != NET_HEADER_BYTES)
        return "a header of another length";
    uint32_t magic = get_32(bytes + AT_MAGIC);
    if (magic >> 16 != MAGIC >> 16)
        return "something other than a header";
    if (magic != MAGIC)
        return "a header of another version of Pistachio";
    if (get_32(bytes + AT_CHECKSUM) !=
        net_frame_checksum(bytes + AT_KIND, NET_HEADER_BYTES - AT_KIND))
        return "a header whose checksum does not fit";
    *out = (net_header){.kind = bytes[AT_KIND],
                        .phase = bytes[AT_KIND + 1],
                        .flags = bytes[AT_KIND + 2],
                        .failure = bytes[AT_KIND + 3],
                        .from = get_32(bytes + AT_FROM),
                        .query = get_64(bytes + AT_QUERY),
                        .exchange = get_32(bytes + AT_EXCHANGE),
                        .payload_bytes = get_32(bytes + AT_PAYLOAD_BYTES),
                        .number = get_64(bytes + AT_NUMBER),
                        .total = get_64(bytes + AT_TOTAL),
                        .message_bytes = get_32(bytes + AT_MESSAGE_BYTES),
                        .payload_checksum = get_32(bytes + AT_PAYLOAD_CHECKSUM)};
    return out->kind < NET_FRAME_KIND_COUNT ? NULL : "a frame of a kind that there is not";
}

bool net_frame_is_ping(const uint8_t *bytes)
{
    return bytes[AT_KIND] == NET_FRAME_PING;
}

unsigned net_frame_from(const uint8_t *bytes)
{
    return get_32(bytes + AT_FROM);
}
