/* bootstrap_self.c - lines of text: "build ...", "machine ...", and "address ..." for each. The first line is that
 * of every version, as nothing behind it is read of another build's. */
#include "net/bootstrap/bootstrap_self.h"

#include "base/system/build_id.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define LINE_BYTES_MAX 256

/* Processes with the same text reach each other by loopback: one start of one kernel, one network namespace. */
static void machine_text(char *out, size_t room)
{
    char boot[64] = "";
    struct stat space = {0};
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    bool is_known = file && fscanf(file, "%63s", boot) == 1 && !stat("/proc/self/ns/net", &space);
    if (file)
        fclose(file);
    if (is_known)
        snprintf(out, room, "%s/%llu", boot, (unsigned long long)space.st_ino);
    else
        snprintf(out, room, "unknown");
}

static void print_addresses(FILE *to)
{
    struct ifaddrs *all;
    char text[INET6_ADDRSTRLEN];
    if (getifaddrs(&all))
        return;
    for (const struct ifaddrs *one = all; one; one = one->ifa_next) {
        if (!one->ifa_addr || !(one->ifa_flags & IFF_UP))
            continue;
        const void *address = one->ifa_addr->sa_family == AF_INET
                                  ? (void *)&((struct sockaddr_in *)one->ifa_addr)->sin_addr
                                  : (void *)&((struct sockaddr_in6 *)one->ifa_addr)->sin6_addr;
        bool is_ip = one->ifa_addr->sa_family == AF_INET || one->ifa_addr->sa_family == AF_INET6;
        if (is_ip && inet_ntop(one->ifa_addr->sa_family, address, text, sizeof text))
            fprintf(to, "address %s\n", text);
    }
    freeifaddrs(all);
}

status net_self_text(char **out)
{
    char machine[128], *text = NULL;
    size_t bytes;
    *out = NULL;
    FILE *to = open_memstream(&text, &bytes);
    if (!to)
        return status_no_memory("introduction", 0);
    machine_text(machine, sizeof machine);
    fprintf(to, "build %s\nmachine %s\n", build_id, machine);
    print_addresses(to);
    if (!fclose(to))
        *out = mem_copy_text(text, bytes);
    (free)(text);
    return *out ? STATUS_OK : status_no_memory("introduction", bytes);
}

/* ---- reading ---- */

/* The next line, and *at behind it; false: there is none. */
static bool bootstrap_self_next_line(const char **at, char line[LINE_BYTES_MAX])
{
    size_t bytes = strcspn(*at, "\n");
    if (!**at)
        return false;
    snprintf(line, LINE_BYTES_MAX, "%.*s", (int)(bytes < LINE_BYTES_MAX ? bytes : LINE_BYTES_MAX),
             *at);
    *at += bytes + ((*at)[bytes] == '\n');
    return true;
}

static const char *bootstrap_self_value_of(const char *line, const char *name)
{
    size_t bytes = strlen(name);
    return !strncmp(line, name, bytes) && line[bytes] == ' ' ? line + bytes + 1 : NULL;
}

static status add_address(net_selves *selves, const char *text)
{
    struct in6_addr address;
    char mapped[LINE_BYTES_MAX + 8];
    snprintf(mapped, sizeof mapped, "%s%s", strchr(text, ':') ? "" : "::ffff:", text);
    if (inet_pton(AF_INET6, mapped, &address) != 1)
        return status_new(STATUS_KIND_CORRUPT, "an address that is not one");
    return array_push(NULL, &selves->addresses, address);
}

static status check_build(const char *line, const net_introduction *all, unsigned rank)
{
    const char *build = bootstrap_self_value_of(line, "build");
    if (build && !strcmp(build, build_id))
        return STATUS_OK;
    return status_hint(
        status_new(STATUS_KIND_INVALID, "rank %u (host %s) is Pistachio %.80s, this rank %s", rank,
                   all[rank].host, build ? build : "of an unknown version", build_id),
        "run the same build on all ranks");
}

static status read_one(const net_introduction *all, unsigned rank, net_selves *out)
{
    const char *at = all[rank].bytes;
    char line[LINE_BYTES_MAX];
    if (!bootstrap_self_next_line(&at, line))
        line[0] = '\0';
    TRY(check_build(line, all, rank));
    char machine[128];
    machine_text(machine, sizeof machine);
    bool is_same = false;
    while (bootstrap_self_next_line(&at, line)) {
        const char *value = bootstrap_self_value_of(line, "machine"),
                   *address = bootstrap_self_value_of(line, "address");
        if (value && !strcmp(value, machine) && strcmp(machine, "unknown") != 0)
            is_same = true;
        if (address)
            TRY(status_context(add_address(out, address), "rank %u (host %s)", rank,
                               all[rank].host));
    }
    out->is_one_machine = out->is_one_machine && is_same;
    return STATUS_OK;
}

status net_selves_read(const net_introduction *all, unsigned ranks, net_selves *out)
{
    *out = (net_selves){.is_one_machine = true};
    for (unsigned rank = 0; rank < ranks; rank++) {
        status st = read_one(all, rank, out);
        if (st) {
            net_selves_release(out);
            return st;
        }
    }
    return STATUS_OK;
}

void net_selves_release(net_selves *selves)
{
    array_release(&selves->addresses);
}
