/* collective_tree.h - the tree along which collectives go: a binomial one, in which a rank and all below it
 * have numbers in a row.
 *
 *     0 ── 1        a rank is its place in the tree: its number, counted from the root's
 *     ├─── 2 ── 3
 *     └─── 4 ── 5
 *          └─── 6 ── 7 */
#ifndef PISTACHIO_NET_COLLECTIVE_TREE_H
#define PISTACHIO_NET_COLLECTIVE_TREE_H

#include <stdbool.h>

typedef struct net_tree {
    unsigned ranks, root;
} net_tree;

/* Returns the rank's place, and the rank of a place. */
unsigned net_tree_place(net_tree tree, unsigned rank);
unsigned net_tree_rank(net_tree tree, unsigned place);
/* Returns the first place after those of the rank at `place` and all below it. */
unsigned net_tree_end(net_tree tree, unsigned place);
/* Returns whether `child` is the place of a child of the rank at `place`. */
bool net_tree_is_child(unsigned place, unsigned child);
/* Returns whether two ranks are parent and child. */
bool net_tree_is_neighbor(net_tree tree, unsigned a, unsigned b);

#endif
