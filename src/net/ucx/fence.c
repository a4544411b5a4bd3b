/* fence.c - a filter in the classic BPF of sockets: the sender's address against a list. */
#include "net/ucx/fence.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <stdlib.h>
#include <sys/socket.h>

/* Offsets of the sender's address in a packet's network header. */
#define IPV4_SOURCE (SKF_NET_OFF + 12)
#define IPV6_SOURCE (SKF_NET_OFF + 8)
/* Addresses in a filter: the kernel bounds its memory (net.core.optmem_max, 20 KiB). Where there are more,
 * networks take their place, as small as fit. */
#define IPV4_MOST 400u
#define IPV6_MOST 40u

typedef ARRAY(struct sock_filter) filter;

/* An address, or the network that it is in, as words in the machine's order; of IPv4 the first one. */
typedef struct sender {
    uint32_t words[4];
} sender;

typedef ARRAY(sender) sender_list;

static status fence_add(filter *f, struct sock_filter one)
{
    return array_push(NULL, f, one);
}

#define STATEMENT(code, k) ((struct sock_filter)BPF_STMT(code, k))
#define JUMP(code, k, jt, jf) ((struct sock_filter)BPF_JUMP(code, k, jt, jf))
#define LOAD(offset) STATEMENT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offset))
#define UNLESS(word, skipped) JUMP(BPF_JMP | BPF_JEQ | BPF_K, word, 0, skipped)
#define ACCEPT STATEMENT(BPF_RET | BPF_K, UINT32_MAX)
#define DROP STATEMENT(BPF_RET | BPF_K, 0)

/* ---- lists ---- */

static int fence_compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(sender));
}

/* Lists the first `bits` bits of the family's addresses, each once. */
static status list_networks(const struct in6_addr *addresses, size_t count, bool is_ipv4,
                            unsigned bits, sender_list *out)
{
    out->count = 0;
    for (size_t i = 0; i < count; i++) {
        sender one = {0};
        if (!!IN6_IS_ADDR_V4MAPPED(&addresses[i]) != is_ipv4)
            continue;
        memcpy(one.words, addresses[i].s6_addr + (is_ipv4 ? 12 : 0), is_ipv4 ? 4 : 16);
        for (unsigned w = 0; w < 4; w++) {
            unsigned kept = bits > 32 * w ? bits - 32 * w : 0;
            uint32_t mask = kept >= 32 ? UINT32_MAX : ~(UINT32_MAX >> kept);
            one.words[w] = ntohl(one.words[w]) & mask;
        }
        TRY(array_push(NULL, out, one));
    }
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, fence_compare);
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++)
        if (!i || fence_compare(&out->items[kept - 1], &out->items[i]))
            out->items[kept++] = out->items[i];
    out->count = kept;
    return STATUS_OK;
}

/* With as many bits as there may be for at most `most` networks. IPv6's are whole words. */
static status list_few(const struct in6_addr *addresses, size_t count, bool is_ipv4, size_t most,
                       sender_list *out, unsigned *out_bits)
{
    unsigned bits = is_ipv4 ? 32 : 128, step = is_ipv4 ? 1 : 32;
    TRY(list_networks(addresses, count, is_ipv4, bits, out));
    while (out->count > most) {
        bits -= step;
        TRY(list_networks(addresses, count, is_ipv4, bits, out));
    }
    *out_bits = bits;
    return STATUS_OK;
}

/* ---- the filter ---- */

static status add_ipv4(filter *f, const sender_list *senders, unsigned bits)
{
    TRY(fence_add(f, LOAD(IPV4_SOURCE)));
    if (bits < 32)
        TRY(fence_add(f, STATEMENT(BPF_ALU | BPF_AND | BPF_K, ~(uint32_t)(UINT32_MAX >> bits))));
    for (size_t i = 0; i < senders->count; i++) {
        TRY(fence_add(f, UNLESS(senders->items[i].words[0], 1)));
        TRY(fence_add(f, ACCEPT));
    }
    return fence_add(f, DROP);
}

static status add_ipv6(filter *f, const sender_list *senders, unsigned bits)
{
    unsigned words = bits / 32;
    for (size_t i = 0; i < senders->count; i++) {
        for (unsigned w = 0; w < words; w++) {
            TRY(fence_add(f, LOAD(IPV6_SOURCE + 4 * (int)w)));
            TRY(fence_add(f,
                          UNLESS(senders->items[i].words[w], (uint8_t)(2 * (words - 1 - w) + 1))));
        }
        TRY(fence_add(f, ACCEPT));
    }
    return fence_add(f, DROP);
}

static status make_filter(const struct in6_addr *addresses, size_t count, sender_list *senders,
                          filter *f)
{
    unsigned bits;
    TRY(fence_add(f, LOAD(SKF_AD_OFF + SKF_AD_PROTOCOL)));
    TRY(fence_add(f, UNLESS(ETH_P_IPV6, 1)));
    TRY(fence_add(f, STATEMENT(BPF_JMP | BPF_JA, 0))); /* to what is IPv6's; below */
    size_t jump = f->count - 1;
    TRY(fence_add(f, JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IP, 1, 0)));
    TRY(fence_add(f, DROP));
    TRY(list_few(addresses, count, true, IPV4_MOST, senders, &bits));
    TRY(add_ipv4(f, senders, bits));
    f->items[jump].k = (uint32_t)(f->count - jump - 1);
    TRY(list_few(addresses, count, false, IPV6_MOST, senders, &bits));
    return add_ipv6(f, senders, bits);
}

status fence_listener(int descriptor, const struct in6_addr *addresses, size_t count)
{
    filter f = {0};
    sender_list senders = {0};
    status st = make_filter(addresses, count, &senders, &f);
    if (!st) {
        struct sock_fprog program = {.len = (unsigned short)f.count, .filter = f.items};
        if (setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program))
            st = status_hint(
                status_new_errno(errno, "could not close the network's sockets to other hosts"),
                "raise net.core.optmem_max, or start ranks in a network that nobody else reaches");
    }
    array_release(&senders);
    array_release(&f);
    return st;
}

/* ---- sockets ---- */

static bool is_listener(int descriptor)
{
    int is_listening = 0, protocol = 0;
    socklen_t bytes = sizeof is_listening;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &bytes) || !is_listening)
        return false;
    bytes = sizeof protocol;
    return !getsockopt(descriptor, SOL_SOCKET, SO_PROTOCOL, &protocol, &bytes) &&
           protocol == IPPROTO_TCP;
}

/* Calls back for each of this process. */
static status each_descriptor(status (*call)(void *argument, int descriptor), void *argument)
{
    DIR *folder = opendir("/proc/self/fd");
    if (!folder)
        return status_new_errno(errno, "could not list the descriptors of this process");
    status st = STATUS_OK;
    const struct dirent *entry;
    while (!st && (entry = readdir(folder)))
        if (entry->d_name[0] != '.')
            st = call(argument, (int)strtol(entry->d_name, NULL, 10));
    closedir(folder);
    return st;
}

static status add_listener(void *argument, int descriptor)
{
    fence_sockets *out = argument;
    return is_listener(descriptor) ? array_push(NULL, out, descriptor) : STATUS_OK;
}

status fence_find_listeners(fence_sockets *out)
{
    return each_descriptor(add_listener, out);
}

static status fence_count_one(void *argument, int descriptor)
{
    (void)descriptor;
    ++*(size_t *)argument;
    return STATUS_OK;
}

status fence_count_descriptors(size_t *out)
{
    *out = 0;
    return each_descriptor(fence_count_one, out);
}

static bool fence_has(const fence_sockets *sockets, int descriptor)
{
    for (size_t i = 0; i < sockets->count; i++)
        if (sockets->items[i] == descriptor)
            return true;
    return false;
}

static bool fence_is_loopback(const struct in6_addr *address)
{
    return IN6_IS_ADDR_LOOPBACK(address) ||
           (IN6_IS_ADDR_V4MAPPED(address) && address->s6_addr[12] == 127);
}

static status list_allowed(const net_selves *selves, net_selves *out)
{
    for (size_t i = 0; i < selves->addresses.count; i++)
        if (!selves->is_one_machine || fence_is_loopback(&selves->addresses.items[i]))
            TRY(array_push(NULL, &out->addresses, selves->addresses.items[i]));
    return STATUS_OK;
}

status fence_new_listeners(const fence_sockets *before, const net_selves *selves)
{
    net_selves allowed = {0};
    fence_sockets now = {0};
    status st = list_allowed(selves, &allowed);
    if (!st)
        st = fence_find_listeners(&now);
    for (size_t i = 0; i < now.count && !st; i++)
        if (!fence_has(before, now.items[i]))
            st = fence_listener(now.items[i], allowed.addresses.items, allowed.addresses.count);
    array_release(&now);
    net_selves_release(&allowed);
    return st;
}
