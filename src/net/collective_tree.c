/* collective_tree.c - places in a tree of ranks: a parent's place is that of its child without the lowest bit. */
#include "net/collective_tree.h"

unsigned net_tree_place(net_tree tree, unsigned rank)
{
    return rank >= tree.root ? rank - tree.root : rank + tree.ranks - tree.root;
}

unsigned net_tree_rank(net_tree tree, unsigned place)
{
    unsigned left = tree.ranks - tree.root;
    return place < left ? place + tree.root : place - left;
}

unsigned net_tree_end(net_tree tree, unsigned place)
{
    unsigned end = place + (place & -place);
    return !place || end > tree.ranks ? tree.ranks : end;
}

bool net_tree_is_child(unsigned place, unsigned child)
{
    return child && (child & (child - 1)) == place;
}

bool net_tree_is_neighbor(net_tree tree, unsigned a, unsigned b)
{
    unsigned first = net_tree_place(tree, a), second = net_tree_place(tree, b);
    return net_tree_is_child(first, second) || net_tree_is_child(second, first);
}
