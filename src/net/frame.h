/* frame.h - the headers of frames as bytes: little endian, with a version and a checksum.
 *
 *     0  magic and version  4  checksum of what follows  8  kind, phase, flags, kind of failure
 *    12  from  16  query  24  exchange  28  payload bytes  32  number  40  total
 *    48  message bytes  52  checksum of the payload  56  zeros */
#ifndef PISTACHIO_NET_FRAME_H
#define PISTACHIO_NET_FRAME_H

#include "net/transport.h"

typedef enum net_frame_kind {
    NET_FRAME_DATA,    /* a message; number: which of its channel */
    NET_FRAME_CHANNEL, /* what is so of a channel by now; number: messages promised room for so far;
                      total: messages that are sent in all, if it has ended */
    NET_FRAME_ERROR, /* the query failed; number: position in the SQL; payload: message, NUL, hint */
    NET_FRAME_PING,  /* the rank lives */
    NET_FRAME_LEAVE, /* it has closed its communicator; number: frames that it sent before this one;
                      NET_FRAME_ROOT_LEFT: as rank 0 had; NET_FRAME_LEFT_BROKEN: because a rank was gone */
    NET_FRAME_GONE,  /* rank `exchange` is gone; payload: why */
    NET_FRAME_KIND_COUNT
} net_frame_kind;

/* Flags of NET_FRAME_CHANNEL; NET_FRAME_DATA has the first one, with total, where it is its channel's last. */
enum { NET_FRAME_ENDED = 1, NET_FRAME_DECLINED = 2 };
enum { NET_FRAME_ROOT_LEFT = 1, NET_FRAME_LEFT_BROKEN = 2 };

#define NET_FRAME_TEXT_BYTES_MAX 4096u /* payload of ERROR and GONE */

typedef struct net_header {
    uint8_t kind, phase, flags, failure;
    uint32_t from, exchange, payload_bytes, message_bytes, payload_checksum;
    uint64_t query, number, total;
} net_header;

void net_frame_encode(const net_header *header, uint8_t *bytes);
/* NULL, or what is wrong with the bytes: static text. */
const char *net_frame_decode(const void *bytes, size_t byte_count, net_header *out);
uint32_t net_frame_checksum(const void *bytes, size_t byte_count);
/* Returns whether net_frame_encode made these bytes of a ping. */
bool net_frame_is_ping(const uint8_t *bytes);
unsigned net_frame_from(const uint8_t *bytes);

#endif
