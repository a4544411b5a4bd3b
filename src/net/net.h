/* net.h - ranks that run one statement together: messages, agreement, and what happens when one
 * fails.
 *
 *   comm         this rank's place among the ranks           lives as long as the process works with them
 *   query        a statement, by a number that all share     its failure is everybody's, its cancel too
 *   exchange     rows on their way between all ranks         several at once in a query, by id
 *     channel    an exchange's way to, or from, one peer     ordered; credits of its own
 *   collective   a small thing that all ranks agree on       by id, too
 *
 * Nobody waits: what cannot go on registers a waiter (below) and is called when it can. What a rank
 * may send to another is what the receiver has room for: the receiver promises buffers (credits),
 * channel by channel, so that neither a slow exchange nor a slow peer holds up another, and a
 * receiver that is slow holds back its senders. Nothing is sent before the receiver has opened the
 * exchange: ranks need not come to a place at the same time.
 *
 *     sender                                  receiver
 *     net_try_message  <── buffer ── pool     net_exchange_open ── promises credits ──> sender
 *     (fill)
 *     net_send ── queue ── credit there? ──── net_try_receive, in order for each peer
 *     net_end                                 net_message_free ── promises the next credit ──> sender
 *                                             NET_ENDED, when all that was sent has been received
 *
 * Ranks are SPMD: all open the same exchanges and collectives, by the same ids, in any order. A
 * rank is its own peer, too; what it sends to itself is handed over, not copied.
 *
 * Failures. A query fails once, and for all: whichever rank's failure comes first (net_query_fail,
 * a peer that is gone) ends each of its exchanges and collectives on each rank: every function that
 * returns a status returns that failure from then on, every registered waiter is woken, and the
 * query's `failed` is called. Whoever gets a failure of a function below fails the query, or the
 * others wait for what does not come. What arrives for it later is dropped. A peer that is gone, silent for
 * peer_timeout, or sends anything but messages stays gone: the queries that are open fail, and no
 * other can begin.
 *
 * Threads: any function from any thread, unless its comment says less. No function blocks but
 * net_comm_close. wake and failed are called without a lock held, by the network's thread or by
 * whoever calls a function of this file, perhaps before that function returns; they must be short.
 * Memory: message buffers are charged to the query's budget, everything else is small and is not.
 * How it reaches other ranks is behind transport.h: src/net/local (threads of one process),
 * src/net/ucx. */
#ifndef PISTACHIO_NET_NET_H
#define PISTACHIO_NET_NET_H

#include "base/mem.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct net_comm net_comm;
typedef struct net_query net_query;
typedef struct net_exchange net_exchange;
typedef struct net_collective net_collective;

#define NET_RANKS_MAX 4096u
#define NET_MESSAGE_BYTES_MIN 64u
#define NET_MESSAGE_BYTES_MAX (64u << 20)

/* Answers of net_try_*. */
typedef enum net_state {
    NET_READY, /* here it is */
    NET_WAIT,  /* not yet: the waiter is registered (without one: ask again later) */
    NET_ENDED  /* never: receiving, the peer has sent all; sending, it wants no more */
} net_state;

/* Somebody who waits. The caller's memory, which must stay until wake is called: it is called once
 * for each NET_WAIT, when it is worth asking again, when the query has failed, or when the exchange
 * or collective is closed. Whoever is woken must ask again (what woke it may be meant for one asker
 * only) or fail the query. A waiter waits for one thing at a time. */
typedef struct net_waiter {
    void (*wake)(void *argument);
    void *argument;
    struct net_waiter *next; /* the list's, while it is registered */
} net_waiter;

/* ---- the communicator ---- */

/* 0 is the default of each number. */
typedef struct net_options {
    const char *host;         /* this rank's, for errors; copied. NULL: the machine's name */
    uint32_t message_bytes;   /* most of a message; 1 MiB */
    uint32_t credits;         /* most messages under way to a receiver, a channel; 4 */
    uint32_t send_buffers;    /* most that a sender holds or has queued, a channel; 2 */
    uint32_t peer_timeout_ms; /* a peer that is silent for so long is gone; 5000 */
    uint64_t kept_bytes;      /* of buffers kept for the next use; 32 MiB */
    bool has_no_checksums;    /* of messages' bytes; headers have one always */
} net_options;

unsigned net_comm_rank(const net_comm *comm);
unsigned net_comm_ranks(const net_comm *comm);
/* The rank's host; valid until net_comm_close. */
const char *net_comm_host(const net_comm *comm, unsigned rank);
/* How the rank is reached: "self", "local", "ucx tcp" ...; valid until net_comm_close. */
const char *net_comm_transport(const net_comm *comm, unsigned rank);
const net_options *net_comm_options(const net_comm *comm); /* defaults filled in */
/* Whether messages to all ranks may have a cargo: they are threads of this process. */
bool net_comm_takes_cargo(const net_comm *comm);
/* From now on, counted anew; not 0. */
void net_comm_set_peer_timeout(net_comm *comm, uint32_t ms);
/* Why no query can begin any more, as a failure of the caller's; NULL: one can. */
CHECKED status net_comm_failure(net_comm *comm);
/* Whether the rank has closed its communicator, as it should when all is done. */
bool net_comm_has_left(net_comm *comm, unsigned rank);
/* Whether it did so because a rank was gone: its work is not done. */
bool net_comm_has_left_broken(net_comm *comm, unsigned rank);
/* Without leaving. */
bool net_comm_is_gone(net_comm *comm, unsigned rank);
/* Leaves: sends what is still to be sent of queries that have ended, at most for peer_timeout, and
 * tells the others. No query of this rank is open. Blocks. Takes NULL. */
void net_comm_close(net_comm *comm);

/* Messages to a peer and from it; bytes are of messages, without headers. */
typedef struct net_counts {
    uint64_t messages_sent, bytes_sent, messages_received, bytes_received;
} net_counts;
/* Returns the counts of all queries so far. */
net_counts net_comm_counts(net_comm *comm, unsigned peer);

/* ---- queries ---- */

/* Begins statement `number` on this rank. Numbers rise on each rank; the same number is the same
 * statement everywhere; several may be open at once. Others may have begun it, sent for it, failed
 * or ended it before. `failed` (may be NULL) is called at most once, when the query fails by
 * another rank's doing, so that whoever is busy elsewhere stops; not after net_query_end has
 * returned, which waits for a call that is under way: it must not call net_query_end. Fails if a
 * peer is gone. */
CHECKED status net_query_begin(net_comm *comm, uint64_t number, mem_budget *budget,
                               void (*failed)(void *argument), void *argument, net_query **out);
/* The query failed here: fails it on all ranks, where the message begins with "rank 2 (host b): ".
 * Takes st. Cancelling is failing with kind CANCELLED. Only the first failure counts. */
void net_query_fail(net_query *query, status st);
/* The failure, as the caller's own; NULL: there is none so far. */
CHECKED status net_query_failure(net_query *query);
/* Ends it here; its exchanges and collectives are closed. What was sent but has not left yet does
 * so later. Takes NULL. That every rank has come to its end without a failure is not known then:
 * agree on that first (net_agree), if it matters. */
void net_query_end(net_query *query);

/* ---- exchanges ---- */

typedef struct net_exchange_options {
    uint32_t id;      /* of the query; of exchanges and collectives together; each is used once */
    const char *name; /* for errors: what of the plan it is; copied */
    /* 0: those of the communicator. message_bytes is the same on all ranks. */
    uint32_t message_bytes, credits, send_buffers;
    bool is_no_receiver; /* this rank wants no rows (of a gather, say): it declines at once */
    bool is_no_sender;   /* this rank has no rows: it ends at once */
    /* Rank `root` alone receives (a gather): the others have nothing to do with each other. The same on all ranks. */
    bool has_root;
    unsigned root;
} net_exchange_options;

#define NET_ANY UINT32_MAX

/* Memory for one message in each direction of each channel is taken from the budget now, so that
 * the exchange can always go on; up to `credits` and `send_buffers` more as there is room. Fails
 * with LIMIT if there is not even that, and with what the query failed with. */
CHECKED status net_exchange_open(net_query *query, const net_exchange_options *options,
                                 net_exchange **out);
/* Closes it on this rank, when no message of it is held and no waiter is registered by anyone who
 * still works. What was sent still goes out, and what comes is declined. A side that has not ended
 * fails the query (unless it has failed before): the others would take what came for all. Takes
 * NULL. */
void net_exchange_close(net_exchange *exchange);

/* Memory that goes along with a message to another rank of this process (net_comm_takes_cargo), and is not the message's own:
 * rows in a device's, say. One that nobody receives is dropped. */
typedef struct net_cargo net_cargo;
struct net_cargo {
    /* Called once, by any thread, without a lock of the network's. */
    void (*drop)(net_cargo *cargo);
    uint64_t bytes;  /* for counts */
    net_cargo *next; /* the network's */
};

/* A message of at most `room` bytes: who fills it sets `bytes`. */
typedef struct net_message {
    char *data;     /* 64-byte aligned */
    uint32_t room;  /* the exchange's message_bytes */
    uint32_t bytes; /* in use */
    uint32_t peer;  /* where it goes to, or came from */
    net_cargo *
        cargo; /* the sender's until net_send; who received it takes it and sets NULL, or leaves it; or NULL */
} net_message;

/* An empty message to a peer, of the caller's until net_send or net_message_free. NET_WAIT: as many
 * as may be are held, or wait for credits; NET_ENDED: the peer has declined, rows for it can be
 * dropped (net_end is still to be called). */
CHECKED status net_try_message(net_exchange *exchange, unsigned peer, net_waiter *waiter,
                               net_state *out_state, net_message **out);
/* Takes *message, sets it to NULL, and sends it after those that were sent to the peer before.
 * Cannot fail: if the query has failed, it is dropped. */
void net_send(net_exchange *exchange, net_message **message);
/* Nothing more will be sent to the peer. Once for each peer, before net_exchange_close. */
void net_end(net_exchange *exchange, unsigned peer);

/* The next message from the peer, or from any (NET_ANY; each peer's are in order), of the caller's
 * until net_message_free. As long as it is held the sender may be held back: decode it and give it
 * back. NET_ENDED: all is received that the peer, or all peers, have sent. */
CHECKED status net_try_receive(net_exchange *exchange, unsigned peer, net_waiter *waiter,
                               net_state *out_state, net_message **out);
/* A message that was received, or that is not going to be sent. Takes NULL. */
void net_message_free(net_message *message);
/* This rank wants nothing more (of a LIMIT, say): what is here is dropped, senders are told. From
 * then on it receives NET_ENDED. */
void net_decline(net_exchange *exchange);
/* Wakes whoever waits for a message of any rank, though none has come: somebody else has some that are for them. */
void net_wake_receivers(net_exchange *exchange);

net_counts net_exchange_counts(net_exchange *exchange, unsigned peer);

/* ---- collectives ---- Begun by all ranks, with the same id; finished when all have contributed.
 * Each begins by a function of its own, is asked by net_try_collective, read when that says
 * NET_READY, and closed. Their messages are small, with credits of their own; memory as of an
 * exchange. They go along a tree of ranks: a rank speaks to its parent and its children alone. */

typedef enum net_operation {
    NET_SUM, /* at most UINT64_MAX */
    NET_MIN, /* of unsigned numbers */
    NET_MAX,
    NET_MIN_SIGNED, /* of int64_t */
    NET_MAX_SIGNED,
    NET_OR,
    NET_AND,
    NET_SAME /* the same on all ranks? The result is rank 0's; net_collective_differs says who has another */
} net_operation;

#define NET_AGREE_WORDS_MAX 4096u

/* Each word i of all ranks combined by operations[i]. Words and operations are copied. */
CHECKED status net_agree(net_query *query, uint32_t id, const char *name, const uint64_t *words,
                         const uint8_t *operations, uint32_t count, net_collective **out);
/* The result; net_collective_close ends its life. */
const uint64_t *net_collective_words(const net_collective *collective);
/* The first rank whose word is not rank 0's; -1: there is none. Only of NET_SAME. */
int net_collective_differs(const net_collective *collective, uint32_t word);

/* The union of all ranks' bitmaps, of equal length, in place: `words` belongs to the collective
 * until it is closed. It may be large: a rank has one message of it at a time. Of few ranks each unites a part for all, sends and
 * receives about twice its bytes; more are a tree. Different lengths fail the query. */
CHECKED status net_unite(net_query *query, uint32_t id, const char *name, uint64_t *words,
                         uint64_t word_count, net_collective **out);

/* Each rank's bytes, any number of them, to rank `root`, or to all (NET_ANY): a broadcast is a
 * gather to which only one contributes. `data` stays until the collective is closed. More than
 * bytes_max of all ranks together fail the query; they are charged to its budget. */
CHECKED status net_gather(net_query *query, uint32_t id, const char *name, const void *data,
                          uint64_t bytes, unsigned root, uint64_t bytes_max, net_collective **out);
/* Returns what a rank contributed, if this is a root; valid until net_collective_close. */
const char *net_collective_bytes(const net_collective *collective, unsigned rank,
                                 uint64_t *out_bytes);

/* Each rank hears of each: connections between all are made, where nothing has made them before. */
CHECKED status net_meet(net_query *query, uint32_t id, const char *name, net_collective **out);

/* NET_READY: the result can be read. */
CHECKED status net_try_collective(net_collective *collective, net_waiter *waiter,
                                  net_state *out_state);
/* Before it is finished only if the query has failed, else that fails it. Takes NULL. */
void net_collective_close(net_collective *collective);

#endif
