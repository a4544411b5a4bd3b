/* bootstrap_place.c - which rank this process is, from its environment. */
#include "net/bootstrap/bootstrap.h"

#include "net/bootstrap/bootstrap_pmix.h"
#include "net/net.h"

#include <stdlib.h>

#define JOIN_TIMEOUT_S 60

/* The first of these variables that is set; *out_name: which. */
static const char *bootstrap_place_first_of(const char *const *names, const char **out_name)
{
    for (; *names; names++) {
        const char *text = getenv(*names);
        if (text && *text) {
            *out_name = *names;
            return text;
        }
    }
    return NULL;
}

static status bootstrap_place_parse_number(const char *name, const char *text, uint64_t least,
                                           uint64_t most, unsigned *out)
{
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || number < least || number > most)
        return status_new(STATUS_KIND_INVALID, "%s is \"%s\", not a number from %llu to %llu", name,
                          text, (unsigned long long)least, (unsigned long long)most);
    *out = (unsigned)number;
    return STATUS_OK;
}

/* host:port, or [address]:port. */
static status parse_root(const char *text, net_place *out)
{
    size_t bytes = strlen(text);
    const char *colon = strrchr(text, ':');
    if (!colon || colon == text || !colon[1] || bytes >= sizeof out->root_text)
        return status_hint(status_new(STATUS_KIND_INVALID,
                                      "PISTACHIO_ROOT is \"%s\", not a host and a port", text),
                           "name rank 0's host and a free port of it: PISTACHIO_ROOT=host:7077");
    unsigned port;
    TRY(bootstrap_place_parse_number("the port of PISTACHIO_ROOT", colon + 1, 1, 65535, &port));
    memcpy(out->root_text, text, bytes + 1);
    out->root_text[colon - text] = '\0';
    out->root_port = out->root_text + (colon - text) + 1;
    out->root_host = out->root_text;
    size_t host_bytes = (size_t)(colon - text);
    if (text[0] == '[' && host_bytes > 2 && text[host_bytes - 1] == ']') {
        out->root_text[host_bytes - 1] = '\0';
        out->root_host++;
    }
    return STATUS_OK;
}

static status missing(const char *is_there, const char *name, const char *hint)
{
    return status_hint(status_new(STATUS_KIND_INVALID, "%s is set, but not %s", is_there, name),
                       "%s", hint);
}

status net_place_from_environment(net_place *out, bool *out_is_there)
{
    static const char *const rank_names[] = {"PISTACHIO_RANK", "JOB_COMPLETION_INDEX",
                                             "SLURM_PROCID", NULL};
    static const char *const ranks_names[] = {"PISTACHIO_RANKS", "SLURM_NTASKS", NULL};
    static const char *const root_names[] = {"PISTACHIO_ROOT", NULL};
    static const char *const timeout_names[] = {"PISTACHIO_JOIN_TIMEOUT", NULL};
    const char *name, *ranks_name, *root_name;
    const char *rank = bootstrap_place_first_of(rank_names, &name),
               *ranks = bootstrap_place_first_of(ranks_names, &ranks_name);
    const char *root = bootstrap_place_first_of(root_names, &root_name),
               *token = getenv("PISTACHIO_TOKEN");
    *out =
        (net_place){.token = token ? token : "", .timeout_ms = JOIN_TIMEOUT_S * 1000, .sharers = 1};
    *out_is_there = false;
    if (!root) { /* a job of some other kind, unless it says otherwise */
        if (getenv("PISTACHIO_RANK"))
            return missing("PISTACHIO_RANK", "PISTACHIO_ROOT",
                           "name rank 0's host and a free port of it: PISTACHIO_ROOT=host:7077");
        if (net_pmix_is_there())
            TRY(net_pmix_place(out));
        *out_is_there = out->ranks > 1;
        return STATUS_OK;
    }
    if (!rank)
        return missing("PISTACHIO_ROOT", "PISTACHIO_RANK", "number the processes from 0");
    if (!ranks)
        return missing("PISTACHIO_ROOT", "PISTACHIO_RANKS", "say how many processes there are");
    TRY(bootstrap_place_parse_number(ranks_name, ranks, 1, NET_RANKS_MAX, &out->ranks));
    TRY(bootstrap_place_parse_number(name, rank, 0, out->ranks - 1, &out->rank));
    TRY(parse_root(root, out));
    if (out->ranks > 1 && !*out->token)
        return missing("PISTACHIO_ROOT", "PISTACHIO_TOKEN",
                       "give all ranks the same secret, which nobody can guess: "
                       "PISTACHIO_TOKEN=$(openssl rand -hex 16)");
    const char *timeout = bootstrap_place_first_of(timeout_names, &name);
    unsigned seconds = JOIN_TIMEOUT_S;
    if (timeout)
        TRY(bootstrap_place_parse_number(name, timeout, 1, 86400, &seconds));
    out->timeout_ms = seconds * 1000;
    *out_is_there = true;
    return STATUS_OK;
}
