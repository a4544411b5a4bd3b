/* fuzz_bootstrap.c - any bytes as what ranks say while they meet: refused, or read without a byte too many. */
#include "base/system/build_id.h"
#include "fuzz.h"
#include "net/bootstrap/bootstrap_address.h"
#include "net/bootstrap/bootstrap_packet.h"
#include "net/bootstrap/bootstrap_self.h"

#include <stdio.h>
#include <string.h>

#define RANKS 3

static void read_answer(net_packet *packet)
{
    net_introduction *all = mem_new_array(RANKS, sizeof *all);
    FUZZ_CHECK(all);
    status st = net_answer_read(packet, RANKS, all);
    for (unsigned rank = 0; !st && rank < RANKS; rank++) {
        FUZZ_CHECK(all[rank].host && all[rank].byte_count <= NET_ADDRESS_BYTES_MAX);
        FUZZ_CHECK(!all[rank].bytes[all[rank].byte_count]);
    }
    status_free(st);
    net_introductions_free(all, RANKS);
}

/* Makes it one of this build: of others nothing but the first line is read. */
static void use_own_build(net_introduction *one)
{
    size_t bytes = strlen(build_id) + one->byte_count + 16;
    char *text = mem_new(bytes);
    FUZZ_CHECK(text);
    one->byte_count = (uint32_t)snprintf(text, bytes, "build %s\n%s", build_id, one->bytes);
    mem_free(one->bytes);
    one->bytes = text;
}

static void read_selves(net_packet *packet)
{
    net_introduction *all = mem_new_array(1, sizeof *all);
    net_selves selves;
    FUZZ_CHECK(all);
    status st = net_gift_read(packet, all);
    if (!st)
        use_own_build(all);
    if (!st)
        st = net_selves_read(all, 1, &selves);
    if (!st)
        net_selves_release(&selves);
    status_free(st);
    net_introductions_free(all, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    net_packet packet = {0};
    net_hello hello;
    uint8_t nonce[NET_NONCE_BYTES];
    net_session session = {0};
    if (!length)
        return 0;
    status st = array_reserve(NULL, &packet.bytes, length);
    FUZZ_CHECK(!st);
    memcpy(packet.bytes.items, bytes + 1, length - 1);
    packet.bytes.count = length - 1;
    switch (bytes[0] % 5) {
    case 0:
        status_free(net_hello_read(&packet, &hello));
        break;
    case 1:
        status_free(net_challenge_read(&packet, nonce));
        break;
    case 2:
        read_answer(&packet);
        break;
    case 3:
        read_selves(&packet);
        break;
    default:
        FUZZ_CHECK(!net_session_open(&session, &packet)); /* nobody has the key */
    }
    net_packet_release(&packet);
    return 0;
}
