/* test_machine_share.c - shares of machines that are made up, by hand.
 *
 * test_label: threads */
#include "test.h"

#include "base/system/machine_share.h"

/* Cores 0, 1, ... : so many on each of the nodes, each a socket of its own. */
static unsigned make(machine_core *cores, const unsigned *on_node, unsigned nodes, bool is_known)
{
    unsigned count = 0;
    for (unsigned node = 0; node < nodes; node++)
        for (unsigned i = 0; i < on_node[node]; i++, count++)
            cores[count] = (machine_core){(int)count, is_known ? (int)node : -1, (int)node, (int)i};
    return count;
}

static machine_core cores[MACHINE_CORES_MAX];

/* Shares begin at `first`; the last one ends with the cores. Nodes are those of the shares. */
static void check_shares(unsigned count, unsigned shares, const unsigned *first, const int *nodes)
{
    for (unsigned share = 0; share < shares; share++) {
        machine_range range = machine_share_of(cores, count, share, shares);
        CHECK_EQ(range.first, first[share]);
        CHECK_EQ(range.count, (share + 1 < shares ? first[share + 1] : count) - first[share]);
        CHECK_EQ(machine_node_of(cores, range), nodes[share]);
    }
}

TEST(one_node)
{
    unsigned count = make(cores, (unsigned[]){8}, 1, true);
    check_shares(count, 1, (unsigned[]){0}, (int[]){0});
    check_shares(count, 2, (unsigned[]){0, 4}, (int[]){0, 0});
    check_shares(count, 3, (unsigned[]){0, 2, 5}, (int[]){0, 0, 0});
    check_shares(count, 8, (unsigned[]){0, 1, 2, 3, 4, 5, 6, 7}, (int[]){0, 0, 0, 0, 0, 0, 0, 0});
}

TEST(two_nodes)
{
    unsigned count = make(cores, (unsigned[]){8, 8}, 2, true);
    check_shares(count, 1, (unsigned[]){0}, (int[]){-1}); /* of both */
    check_shares(count, 2, (unsigned[]){0, 8}, (int[]){0, 1});
    check_shares(count, 4, (unsigned[]){0, 4, 8, 12}, (int[]){0, 0, 1, 1});
    /* Three of five cores: nodes of 8 have one each. */
    check_shares(count, 3, (unsigned[]){0, 5, 10}, (int[]){0, -1, 1});
}

TEST(nodes_of_other_sizes)
{
    unsigned count = make(cores, (unsigned[]){8, 4}, 2, true);
    check_shares(count, 3, (unsigned[]){0, 4, 8}, (int[]){0, 0, 1});
    check_shares(count, 2, (unsigned[]){0, 6}, (int[]){0, -1});
    count = make(cores, (unsigned[]){9, 7}, 2, true);
    /* Equal parts would be of 5 or 6 cores. */
    check_shares(count, 4, (unsigned[]){0, 4, 8, 12}, (int[]){0, 0, -1, 1});
    count = make(cores, (unsigned[]){9, 8}, 2, true);
    check_shares(count, 4, (unsigned[]){0, 4, 9, 13}, (int[]){0, 0, 1, 1});
    /* No core is left over. */
    count = make(cores, (unsigned[]){8, 8, 1}, 3, true);
    check_shares(count, 4, (unsigned[]){0, 4, 8, 12}, (int[]){0, 0, 1, -1});
}

TEST(more_shares_than_cores)
{
    unsigned count = make(cores, (unsigned[]){2, 1}, 2, true);
    for (unsigned share = 0; share < 4; share++) {
        machine_range range = machine_share_of(cores, count, share, 4);
        CHECK_EQ(range.count, 0);
        CHECK_EQ(machine_node_of(cores, range), -1);
    }
    CHECK_EQ(machine_share_of(cores, 0, 0, 1).count, 0);
}

TEST(nodes_are_not_known)
{
    unsigned count = make(cores, (unsigned[]){4, 2}, 2, false);
    check_shares(count, 3, (unsigned[]){0, 2, 4}, (int[]){-1, -1, -1}); /* within sockets */
    count = make(cores, (unsigned[]){1, 1, 1, 1, 1}, 5, false);
    check_shares(count, 2, (unsigned[]){0, 2}, (int[]){-1, -1});
}

/* Cores of two nodes in turns, with siblings: those of a node, then those of a core, stand together. */
TEST(order)
{
    static const int sorted[] = {0, 4, 2, 6, 1, 5, 3, 7};
    for (int cpu = 0; cpu < 8; cpu++)
        cores[cpu] = (machine_core){cpu, cpu % 2, cpu % 2, cpu % 4 / 2};
    machine_sort_cores(cores, 8);
    for (int i = 0; i < 8; i++)
        CHECK_EQ(cores[i].cpu, sorted[i]);
}

/* Two sockets of two nodes each: a rank of two has a socket. */
TEST(several_nodes_a_share)
{
    unsigned count = make(cores, (unsigned[]){4, 4, 4, 4}, 4, true);
    check_shares(count, 2, (unsigned[]){0, 8}, (int[]){-1, -1});
}

#define NONE ((const int *)0)

static void check_gpus(const int *nodes, unsigned count, const int *gpu_nodes, unsigned gpus,
                       const unsigned *expected)
{
    for (unsigned rank = 0; rank < count; rank++) {
        machine_gpu gpu = machine_gpu_of(nodes, count, rank, gpu_nodes, gpus);
        unsigned sharers = 0;
        for (unsigned other = 0; other < count; other++)
            sharers += expected[other] == expected[rank];
        CHECK_EQ(gpu.ordinal, expected[rank]);
        CHECK_EQ(gpu.sharers, sharers);
    }
}

TEST(a_gpu_for_each_node)
{
    check_gpus((int[]){0, 1}, 2, (int[]){0, 1}, 2, (unsigned[]){0, 1});
    check_gpus((int[]){0, 1}, 2, (int[]){1, 0}, 2, (unsigned[]){1, 0});
    check_gpus((int[]){0, 0, 1, 1}, 4, (int[]){1, 0}, 2, (unsigned[]){1, 1, 0, 0});
    check_gpus((int[]){0, 0, 1}, 3, (int[]){0, 1}, 2, (unsigned[]){0, 0, 1});
}

TEST(four_gpus_on_two_nodes)
{
    static const int gpus[] = {1, 1, 0, 0};
    check_gpus((int[]){0, -1, 1}, 3, gpus, 4, (unsigned[]){2, 1, 0});
    check_gpus((int[]){0, 0, 1}, 3, gpus, 4, (unsigned[]){2, 3, 0});
    check_gpus((int[]){0, 0, 0}, 3, gpus, 4, (unsigned[]){2, 3, 0}); /* one must go far */
    check_gpus((int[]){0, 0, 0, 1}, 4, gpus, 4, (unsigned[]){2, 3, 1, 0});
    check_gpus((int[]){0, 0, 0, 1, 1, 1}, 6, gpus, 4, (unsigned[]){2, 3, 2, 0, 1, 0});
}

TEST(gpus_of_unknown_nodes)
{
    check_gpus(NONE, 5, (int[]){0, 1}, 2, (unsigned[]){0, 1, 0, 1, 0});
    check_gpus((int[]){0, 1, 1}, 3, (int[]){-1, -1}, 2, (unsigned[]){0, 1, 0});
    check_gpus((int[]){-1, -1}, 2, (int[]){-1, -1}, 2, (unsigned[]){0, 1});
    check_gpus((int[]){0, 1, 1}, 3, (int[]){0}, 1, (unsigned[]){0, 0, 0});
}

/* Two pairs, of which each has a fast link; the pairs reach each other by way of the host. */
TEST(gpus_that_are_near)
{
    static const unsigned costs[] = {0, 100, 1, 100, 100, 0, 100, 1,
                                     1, 100, 0, 100, 100, 1, 100, 0};
    unsigned out[4];
    machine_gpus_near(costs, 4, 2, out);
    CHECK_EQ(out[0], 0);
    CHECK_EQ(out[1], 2);
    machine_gpus_near(costs, 4, 4, out);
    for (unsigned i = 0; i < 4; i++)
        CHECK_EQ(out[i], i);
    machine_gpus_near((unsigned[]){0, 9, 9, 9, 0, 1, 9, 1, 0}, 3, 2, out);
    CHECK_EQ(out[0], 1);
    CHECK_EQ(out[1], 2);
}

TEST(this_machine)
{
    unsigned count = machine_cores(cores);
    CHECK(count >= 1);
    CHECK_EQ(machine_pci_node("FFFF:FF:1F.7"), -1);
}
