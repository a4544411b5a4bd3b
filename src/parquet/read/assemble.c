/* assemble.c - one pass over the levels of a node's first leaf for each list and struct.
 *
 *     repetition  definition      l: optional, its element optional; so 1: l is there, 2: an element, 3: not NULL
 *         0           3           a row, a list that begins with a value
 *         1           2           its second element, NULL
 *         0           1           a row, an empty list
 *         0           0           a row, NULL
 */
#include "parquet/read/assemble.h"

#include "base/cancel.h"
#include "parquet/read/levels.h"

static status levels_disagree(const pq_node *node, const char *what)
{
    return status_new(STATUS_KIND_CORRUPT, "its levels do not fit: %s of \"%s\"", what, node->name);
}

/* ---- lists and maps ---- */

/* Values [at, ...) of the walk over one list node. */
typedef struct list_walk {
    const pq_node *node;
    nested_value *values;
    uint64_t *validity; /* NULL: the list is never NULL */
    uint64_t rows, elements;
    bool is_open; /* the row at work has elements */
} list_walk;

static void list_begin(list_walk *w, unsigned definition)
{
    bool has_element = definition >= w->node->element_definition;
    if (w->validity)
        w->validity[w->rows / 64] |= (uint64_t)(definition >= w->node->definition)
                                     << (w->rows % 64);
    w->values[w->rows++] =
        has_element ? (nested_value){(uint32_t)w->elements, 1} : (nested_value){0};
    w->elements += has_element;
    w->is_open = has_element;
}

/* False: the levels cannot be. */
static bool list_step(list_walk *w, unsigned repetition, unsigned definition)
{
    const pq_node *node = w->node;
    if (repetition <= node->repetition) {
        w->is_open = false;
        if (definition >= node->slot_definition)
            list_begin(w, definition);
        return true;
    }
    /* DuckDB writes as many values for an array that is NULL as it has elements: they are passed over. */
    if (definition < node->element_definition)
        return !w->is_open;
    if (!w->is_open)
        return false;
    if (repetition == node->repetition + 1u) {
        w->values[w->rows - 1].length++;
        w->elements++;
    }
    return true;
}

/* Levels that begin a row of the node, or an element of what it is in. */
static pq_level_range beginnings(const pq_node *node)
{
    return (pq_level_range){0, node->repetition};
}

static uint64_t count_slots(const pq_node *node, const pq_leaf_values *leaf)
{
    return pq_levels_both(leaf->repetition, beginnings(node), leaf->definition,
                          (pq_level_range){node->slot_definition, PQ_LEVEL_MOST}, leaf->count);
}

/* Returns whether any slot is NULL. */
static bool has_nulls(const pq_node *node, const pq_leaf_values *leaf)
{
    pq_level_range nulls = {node->slot_definition, node->definition - 1u};
    return node->definition > node->slot_definition &&
           pq_levels_both(leaf->repetition, beginnings(node), leaf->definition, nulls, leaf->count);
}

/* Makes a tensor of the node's rows without values; with a bitmap of zeros if one of them is NULL. */
static status new_rows(device *dev, const pq_node *node, const pq_leaf_values *leaf, uint64_t rows,
                       tensor **out)
{
    bool with_validity = has_nulls(node, leaf);
    TRY(tensor_new_flat(dev, node->type, rows, with_validity, out));
    if (with_validity)
        memset((*out)->validity, 0, bitmap_bytes(rows));
    return STATUS_OK;
}

/* Returns whether each value that does not begin a list stands for an element, and the first one begins one. */
static bool are_elements(const pq_node *node, const pq_leaf_values *leaf)
{
    pq_level_range later = {node->repetition + 1u, PQ_LEVEL_MOST};
    if (!leaf->count || leaf->repetition[0] > node->repetition || !node->element_definition)
        return false;
    return !pq_levels_both(leaf->repetition, later, leaf->definition,
                           (pq_level_range){0, node->element_definition - 1u}, leaf->count);
}

/* Ends a list whose values are [first, end). False: it has elements and is empty. */
static bool list_end(list_walk *w, const pq_leaf_values *leaf, uint64_t first, uint64_t end)
{
    unsigned definition = leaf->definition[first];
    if (definition >= w->node->element_definition) {
        w->values[w->rows] = (nested_value){(uint32_t)w->elements, (uint32_t)(end - first)};
        w->elements += end - first;
    } else if (end - first > 1) {
        return false;
    } else if (definition >= w->node->slot_definition) {
        w->values[w->rows] = (nested_value){0};
    } else {
        return true;
    }
    if (w->validity)
        w->validity[w->rows / 64] |= (uint64_t)(definition >= w->node->definition)
                                     << (w->rows % 64);
    w->rows++;
    return true;
}

/* Walks over the values from list to list. Each value is an element (are_elements), and no element is a list. */
static bool walk_lists(list_walk *w, const pq_leaf_values *leaf)
{
    uint64_t first = 0;
    for (uint64_t i = 0; i < leaf->count; i += PQ_LEVEL_BITS) {
        uint64_t begin = pq_levels_mask(leaf->repetition + i, leaf->count - i, beginnings(w->node));
        if (!i) /* the first list begins there anyway */
            begin &= ~(uint64_t)1;
        for (; begin; begin &= begin - 1) {
            uint64_t at = i + (uint64_t)__builtin_ctzll(begin);
            if (!list_end(w, leaf, first, at))
                return false;
            first = at;
        }
    }
    return list_end(w, leaf, first, leaf->count);
}

/* Walks over the values one by one. */
static bool walk_values(list_walk *w, const pq_leaf_values *leaf)
{
    for (uint64_t i = 0; i < leaf->count; i++)
        if (!list_step(w, leaf->repetition[i], leaf->definition[i]))
            return false;
    return true;
}

static bool has_inner_lists(const pq_node *node)
{
    for (uint32_t i = 0; i < node->child_count; i++)
        if (node->children[i]->element_definition || has_inner_lists(node->children[i]))
            return true;
    return false;
}

static status fill_lists(const pq_node *node, const pq_leaf_values *leaf, uint64_t elements,
                         tensor *t)
{
    list_walk w = {.node = node, .values = t->values, .validity = t->validity};
    bool is_simple = !has_inner_lists(node) && are_elements(node, leaf);
    if (!(is_simple ? walk_lists(&w, leaf) : walk_values(&w, leaf)))
        return levels_disagree(node, "a value continues a list that has not begun");
    if (w.elements != elements)
        return levels_disagree(node, "there are other elements than values");
    return cancel_seen();
}

/* ---- structs ---- */

/* Without NULLs each struct is the row of its children that has its number. */
static void fill_structs(const pq_node *node, const pq_leaf_values *leaf, uint64_t rows, tensor *t)
{
    nested_value *values = t->values;
    if (!t->validity) {
        for (uint64_t i = 0; i < rows; i++)
            values[i] = (nested_value){(uint32_t)i, 1};
        return;
    }
    for (uint64_t i = 0, row = 0; row < rows; i++) {
        if (leaf->repetition[i] > node->repetition || leaf->definition[i] < node->slot_definition)
            continue;
        bool is_valid = leaf->definition[i] >= node->definition;
        values[row] = is_valid ? (nested_value){(uint32_t)row, 1} : (nested_value){0};
        t->validity[row / 64] |= (uint64_t)is_valid << (row % 64);
        row++;
    }
}

/* ---- nodes ---- */

/* Finds the first leaf of the node that is read; NULL: none is. */
static const pq_leaf_values *leaf_of(const pq_node *node, const pq_leaf_values *leaves,
                                     uint32_t first)
{
    for (uint32_t i = 0; i < node->leaf_count; i++)
        if (leaves[node->leaf - first + i].values)
            return &leaves[node->leaf - first + i];
    return NULL;
}

/* A part that nobody reads. */
static status unread_part(dev_stream *stream, data_type type, tensor **out)
{
    value null = value_null(type);
    return tensor_new_constant(stream, &null, out);
}

static status assemble_children(dev_stream *stream, const pq_node *node,
                                const pq_leaf_values *leaves, uint32_t first, tensor **children,
                                uint64_t *out_rows)
{
    bool is_first = true;
    for (uint32_t i = 0; i < node->child_count; i++) {
        uint64_t rows;
        if (!leaf_of(node->children[i], leaves, first)) {
            TRY(unread_part(stream, node->children[i]->type, &children[i]));
            continue;
        }
        TRY(pq_assemble(stream, node->children[i], leaves, first, &children[i], &rows));
        if (!is_first && rows != *out_rows)
            return levels_disagree(node, "parts have different numbers of values");
        *out_rows = rows;
        is_first = false;
    }
    return STATUS_OK;
}

static status assemble_group(dev_stream *stream, const pq_node *node, const pq_leaf_values *leaves,
                             uint32_t first, tensor **children, tensor **out, uint64_t *out_rows)
{
    const pq_leaf_values *leaf = leaf_of(node, leaves, first);
    uint64_t child_rows = 0;
    TRY(assemble_children(stream, node, leaves, first, children, &child_rows));
    *out_rows = count_slots(node, leaf);
    if (child_rows >= ROW_NULL)
        return status_new(STATUS_KIND_UNSUPPORTED, "lists of %llu elements together are too many",
                          (unsigned long long)child_rows);
    TRY(new_rows(stream->dev, node, leaf, *out_rows, out));
    if (node->type.id != TYPE_STRUCT)
        TRY(fill_lists(node, leaf, child_rows, *out));
    else if (child_rows != *out_rows)
        return levels_disagree(node, "parts have different numbers of values");
    else
        fill_structs(node, leaf, *out_rows, *out);
    for (uint32_t i = 0; i < node->child_count; i++)
        tensor_ref(children[i]);
    return string_heap_new_children(children, node->child_count, child_rows, &(*out)->heap);
}

static status assemble_leaf(const pq_node *node, const pq_leaf_values *leaf, tensor **out,
                            uint64_t *out_rows)
{
    (void)node;
    *out = tensor_ref(leaf->values);
    *out_rows = leaf->slots;
    return STATUS_OK;
}

status pq_assemble(dev_stream *stream, const pq_node *node, const pq_leaf_values *leaves,
                   uint32_t first, tensor **out, uint64_t *out_rows)
{
    *out = NULL;
    if (!node->child_count)
        return assemble_leaf(node, &leaves[node->leaf - first], out, out_rows);
    tensor **children = mem_new_array(node->child_count, sizeof *children);
    if (!children)
        return status_no_memory("scan", node->child_count * sizeof *children);
    status st = assemble_group(stream, node, leaves, first, children, out, out_rows);
    for (uint32_t i = 0; i < node->child_count; i++)
        tensor_unref(children[i]);
    mem_free(children);
    if (st) {
        tensor_unref(*out);
        *out = NULL;
    }
    return st;
}
