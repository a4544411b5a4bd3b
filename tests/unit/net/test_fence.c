/* test_fence.c - sockets that take connections of some addresses alone.
 *
 * test_label: smoke */
#include "test.h"

#include "net/ucx/fence.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

static int listen_at(const char *address, struct sockaddr_in6 *out)
{
    int listener = socket(AF_INET6, SOCK_STREAM, 0);
    socklen_t bytes = sizeof *out;
    *out = (struct sockaddr_in6){.sin6_family = AF_INET6};
    CHECK(inet_pton(AF_INET6, address, &out->sin6_addr) == 1);
    if (listener < 0 || bind(listener, (struct sockaddr *)out, sizeof *out) ||
        listen(listener, 8)) {
        close(listener);
        return -1;
    }
    CHECK(!getsockname(listener, (struct sockaddr *)out, &bytes));
    return listener;
}

/* Whether a connection is there at once. */
static bool connects(const struct sockaddr_in6 *to)
{
    int one = socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK, 0), error = 0;
    socklen_t bytes = sizeof error;
    bool is_there = !connect(one, (const struct sockaddr *)to, sizeof *to);
    struct pollfd wait = {.fd = one, .events = POLLOUT};
    if (!is_there && errno == EINPROGRESS && poll(&wait, 1, 300) == 1)
        is_there = !getsockopt(one, SOL_SOCKET, SO_ERROR, &error, &bytes) && !error;
    close(one);
    return is_there;
}

static void add(net_selves *selves, const char *text)
{
    struct in6_addr address;
    CHECK(inet_pton(AF_INET6, text, &address) == 1);
    CHECK_OK(array_push(NULL, &selves->addresses, address));
}

static void check(const char *at, const char *stranger)
{
    struct sockaddr_in6 address;
    net_selves selves = {0};
    int listener = listen_at(at, &address);
    if (listener < 0) { /* no IPv6 here */
        CHECK(!strstr(at, "127."));
        return;
    }
    CHECK(connects(&address));
    add(&selves, stranger);
    CHECK_OK(fence_listener(listener, selves.addresses.items, selves.addresses.count));
    CHECK(!connects(&address));
    add(&selves, at);
    CHECK_OK(fence_listener(listener, selves.addresses.items, selves.addresses.count));
    CHECK(connects(&address));
    net_selves_release(&selves);
    close(listener);
}

TEST(listed_addresses_alone_may_connect)
{
    check("::ffff:127.0.0.1", "::ffff:127.0.0.2");
    check("::1", "::2");
    check("::1", "::ffff:0.0.0.1");
}

/* More addresses than a filter holds become networks. */
TEST(many_addresses)
{
    struct sockaddr_in6 address;
    net_selves selves = {0};
    char text[64];
    int listener = listen_at("::ffff:127.0.0.1", &address);
    CHECK(listener >= 0);
    for (unsigned i = 0; i < 3000; i++) {
        snprintf(text, sizeof text, i % 2 ? "fd00:%x::1" : "::ffff:10.%u.%u.7", i / 200, i % 200);
        add(&selves, text);
    }
    CHECK_OK(fence_listener(listener, selves.addresses.items, selves.addresses.count));
    CHECK(!connects(&address));
    add(&selves, "::ffff:127.0.0.1");
    CHECK_OK(fence_listener(listener, selves.addresses.items, selves.addresses.count));
    CHECK(connects(&address));
    net_selves_release(&selves);
    close(listener);
}

TEST(new_listeners_are_found)
{
    struct sockaddr_in6 first, second;
    fence_sockets before = {0};
    net_selves selves = {.is_one_machine = true};
    int old = listen_at("::ffff:127.0.0.1", &first);
    CHECK_OK(fence_find_listeners(&before));
    int new = listen_at("::ffff:127.0.0.1", &second);
    add(&selves, "::ffff:10.0.0.1");
    CHECK_OK(fence_new_listeners(&before, &selves));
    CHECK(connects(&first));
    CHECK(!connects(&second));
    array_release(&before);
    net_selves_release(&selves);
    close(old);
    close(new);
}
