/* net_cluster.h - ranks that run made-up queries over a local network, and check what comes of it.
 *
 * A query has a few exchanges and collectives. Each has lanes: small state machines that send,
 * receive or agree, and give up their thread where they would wait. Ranks go on to the next query as
 * soon as they are done with the last one. What is sent is computed from who sends it to whom, so
 * the receiver knows what must come. Where nothing goes wrong every rank must see all of it; where a
 * fault strikes, or a lane fails its query, each rank sees all of it or a failure. */
#ifndef PISTACHIO_TEST_NET_CLUSTER_H
#define PISTACHIO_TEST_NET_CLUSTER_H

#include "net/local/local.h"

typedef struct cluster_options {
    unsigned ranks, queries;
    uint64_t seed; /* of the network and of the queries; not 0 */
    bool is_stepped;
    unsigned workers; /* threads for each rank's lanes, if not stepped */
    net_fault_kind fault;
    unsigned fault_rank;
    uint64_t fault_frame;
    bool has_failing_lanes; /* now and then a lane fails its query */
    bool has_no_checksums;
    bool has_no_delays;          /* threads: the network is as fast as it can be */
    uint64_t memory_limit;       /* of each rank; 0: none */
    uint64_t failing_allocation; /* the n-th since all is open; 0: none */
} cluster_options;

/* How it went. */
typedef struct cluster_result {
    unsigned completed, failed; /* queries, of all ranks */
    bool has_faulted;
    uint64_t frames;      /* of all ranks */
    uint64_t nanoseconds; /* of the network's clock */
    char failure[512];    /* the first that was not made by a lane; "" */
} cluster_result;

/* Runs it to its end. A wrong byte, a hang (stepped: nothing is under way and not all is done), or
 * a failure without a reason fails the test. */
cluster_result cluster_run(const cluster_options *options);

#endif
