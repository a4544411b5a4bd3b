/* fault.c - what the seed decides. */
#include "net/local/fault.h"

#include "net/local/fabric.h"

#define DELAY_NS UINT64_C(200000)
/* One frame in so many finds its link stalled, for so many delays. */
#define STALL_CHANCE 40
#define STALL_DELAYS 12

/* splitmix64's last steps (Steele, Lea, Flood 2014). */
static uint64_t fault_mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

uint64_t local_chance(const net_fabric *fabric, unsigned from, unsigned to, uint64_t n,
                      unsigned use)
{
    uint64_t link = (uint64_t)from << 40 | (uint64_t)to << 8 | use;
    return fault_mix(fault_mix(fault_mix(fabric->options.seed) ^ link) ^ n);
}

uint64_t local_due(net_fabric *fabric, local_rank *from, unsigned to, uint64_t n, uint64_t now)
{
    if (!fabric->options.seed)
        return now;
    uint64_t delay = fabric->options.delay_ns ? fabric->options.delay_ns : DELAY_NS;
    uint64_t *stalled_until = &from->stalled_until[to];
    if (local_chance(fabric, from->base.rank, to, n, 0) % STALL_CHANCE == 0)
        *stalled_until = now + delay * STALL_DELAYS;
    uint64_t begin = *stalled_until > now ? *stalled_until : now;
    return begin + local_chance(fabric, from->base.rank, to, n, 1) % delay;
}

bool local_strikes(const net_fabric *fabric, unsigned from, uint64_t n)
{
    return fabric->options.fault != NET_FAULT_NONE && fabric->options.fault_rank == from &&
           fabric->options.fault_frame == n;
}

bool local_is_cut(const net_fabric *fabric, unsigned from, unsigned to, uint64_t due)
{
    unsigned rank = fabric->options.fault_rank;
    if (!fabric->has_faulted || (rank != from && rank != to))
        return false;
    if (fabric->options.fault == NET_FAULT_GONE) /* some of what it sent before gets there */
        return rank == to || local_chance(fabric, from, to, due, 4) % 2;
    return fabric->options.fault == NET_FAULT_SILENT;
}

static uint64_t spoil_chance(const net_fabric *fabric, uint64_t n)
{
    return local_chance(fabric, fabric->options.fault_rank, 0, n, 2);
}

bool local_spoils_payload(const net_fabric *fabric, size_t payload_bytes)
{
    return payload_bytes && spoil_chance(fabric, 0) % 2;
}

/* A burst of bytes, none of which stays what it was. */
void local_spoil_payload(const net_fabric *fabric, uint8_t *payload, size_t bytes)
{
    size_t first = spoil_chance(fabric, 1) % bytes;
    size_t end = first + 1 + spoil_chance(fabric, 2) % 16;
    for (size_t i = first; i < bytes && i < end; i++)
        payload[i] ^= (uint8_t)(1 + spoil_chance(fabric, 3 + i) % 255);
}

void local_spoil_header(const net_fabric *fabric, uint8_t *header, size_t *header_bytes,
                        size_t *payload_bytes)
{
    switch (spoil_chance(fabric, 4) % 4) {
    case 0:
        *header_bytes = spoil_chance(fabric, 5) % NET_HEADER_BYTES;
        break;
    case 1:
        *payload_bytes += 1 + spoil_chance(fabric, 5) % 100000;
        break;
    case 2:
        for (unsigned i = 0; i < NET_HEADER_BYTES; i++)
            header[i] = (uint8_t)spoil_chance(fabric, 5 + i);
        break;
    default:
        header[spoil_chance(fabric, 5) % NET_HEADER_BYTES] ^=
            (uint8_t)(1u << spoil_chance(fabric, 6) % 8);
        break;
    }
}
