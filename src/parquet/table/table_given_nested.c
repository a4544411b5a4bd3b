/* table_given_nested.c - see table_given_nested.h. */
#include "parquet/table/table_given_nested.h"

#include "base/system/guard.h"
#include "parquet/table/table_listed.h"

#include <strings.h>

static status nested_no_memory(void)
{
    return status_no_memory("table", sizeof(pq_node));
}

/* A node with the levels of `levels`, if it is not NULL, and the table's type. */
static pq_node *nested_node(arena *a, const pq_given_node *g, const pq_node *levels, uint32_t leaf)
{
    pq_node *node = arena_alloc(a, sizeof *node);
    if (!node)
        return NULL;
    if (levels)
        *node = *levels;
    else
        node->definition = 1;
    node->name = g->name;
    node->type = g->type;
    node->leaf = leaf;
    node->leaf_count = g->leaf_count;
    node->child_count = g->child_count;
    node->children = arena_alloc_array(a, (size_t)g->child_count + 1, sizeof *node->children);
    return node->children ? node : NULL;
}

/* ---- parts that a file lacks ---- */

static void set_missing_leaf(const pq_given_node *g, const pq_given_column *column, pq_leaf *leaf)
{
    *leaf = (pq_leaf){.name = g->name,
                      .top = column->name,
                      .type = g->type,
                      .physical = pq_physical_of(g->type),
                      .type_length = g->type.width == 16 ? 16 : 0,
                      .max_definition = 1,
                      .is_nested = true,
                      .is_constant = true,
                      .annotation = ""};
}

/* Sets leaves of NULLs. */
static status make_missing(arena *a, const pq_given_column *column, const pq_given_node *g,
                           uint32_t first, pq_leaf *leaves, pq_node **out)
{
    uint32_t leaf = first;
    TRY(guard_check());
    *out = nested_node(a, g, NULL, first);
    if (!*out)
        return nested_no_memory();
    if (!g->child_count)
        set_missing_leaf(g, column, &leaves[first]);
    for (uint32_t i = 0; i < g->child_count; i++) {
        pq_node *child;
        TRY(make_missing(a, column, &g->children[i], leaf, leaves, &child));
        (*out)->children[i] = child;
        leaf += g->children[i].leaf_count;
    }
    return STATUS_OK;
}

status pq_given_nested_schema(arena *a, const pq_given_column *column, pq_leaf *leaves)
{
    pq_node *node;
    TRY(make_missing(a, column, column->node, column->leaf, leaves, &node));
    for (uint32_t i = 0; i < column->leaf_count; i++)
        leaves[column->leaf + i].is_constant = false;
    leaves[column->leaf].node = node;
    return STATUS_OK;
}

/* ---- parts that it has ---- */

typedef struct nested_mapping {
    pq_given_mapping *m;
    const pq_given_column *column;
} nested_mapping;

static status table_given_nested_map_part(const nested_mapping *n, const pq_given_node *g,
                                          const pq_node *stored, uint32_t first, pq_node **out);

static void set_chunks(const nested_mapping *n, uint32_t leaf, const pq_leaf *from)
{
    pq_metadata *made = n->m->made;
    const value null = value_null(made->leaves[leaf].type);
    for (uint32_t g = 0; g < made->row_group_count; g++) {
        const pq_row_group *stored = &n->m->stored->row_groups[g];
        made->row_groups[g].chunks[leaf] =
            from ? pq_given_adapt_chunk(&stored->chunks[from->number], from->type,
                                        made->leaves[leaf].type)
                 : pq_given_constant_chunk(&null, stored->row_count);
    }
}

static status map_missing(const nested_mapping *n, const pq_given_node *g, uint32_t first,
                          pq_node **out)
{
    if (g->has_default)
        return status_new(STATUS_KIND_UNSUPPORTED,
                          "field \"%s\" of column \"%s\" has a default, which is not supported "
                          "within nested columns: file \"%s\" is without it",
                          g->name, n->column->name, n->m->file->path);
    TRY(make_missing(n->m->memory, n->column, g, first, n->m->made->leaves, out));
    for (uint32_t i = 0; i < g->leaf_count; i++)
        set_chunks(n, first + i, NULL);
    return STATUS_OK;
}

static status map_leaf(const nested_mapping *n, const pq_given_node *g, const pq_node *stored,
                       uint32_t number)
{
    const pq_leaf *from = &n->m->stored->leaves[stored->leaf];
    pq_leaf *leaf = &n->m->made->leaves[number];
    *leaf = *from;
    leaf->node = NULL;
    leaf->top = n->column->name;
    leaf->is_nested = true;
    if (!pq_given_adapt(leaf, g->type))
        return pq_given_refuse(n->m, from->name, g->type, from);
    set_chunks(n, number, from);
    return STATUS_OK;
}

static bool is_stored_as(const nested_mapping *n, const pq_given_node *g, const pq_node *stored)
{
    if (n->m->by_id)
        return g->field_id && g->field_id == stored->field_id;
    for (size_t i = 0; i < g->stored.count; i++)
        if (!strcasecmp(g->stored.items[i], stored->name))
            return true;
    return false;
}

static const pq_node *field_of(const nested_mapping *n, const pq_given_node *g,
                               const pq_node *stored)
{
    for (uint32_t i = 0; i < stored->child_count; i++)
        if (is_stored_as(n, g, stored->children[i]))
            return stored->children[i];
    return NULL;
}

/* Without a leaf nobody knows where the part is NULL. */
static status check_present(const nested_mapping *n, const pq_given_node *g, uint32_t first)
{
    for (uint32_t i = 0; i < g->leaf_count; i++)
        if (!n->m->made->leaves[first + i].is_constant)
            return STATUS_OK;
    return status_new(STATUS_KIND_UNSUPPORTED,
                      "part \"%s\" of column \"%s\" has none of its fields in file \"%s\", which "
                      "is not supported",
                      g->name, n->column->name, n->m->file->path);
}

static status table_given_nested_map_children(const nested_mapping *n, const pq_given_node *g,
                                              const pq_node *stored, uint32_t first, pq_node *node)
{
    uint32_t leaf = first;
    for (uint32_t i = 0; i < g->child_count; i++) {
        const pq_given_node *child = &g->children[i];
        const pq_node *from =
            g->type.id == TYPE_STRUCT ? field_of(n, child, stored) : stored->children[i];
        pq_node *made;
        TRY(table_given_nested_map_part(n, child, from, leaf, &made));
        node->children[i] = made;
        leaf += child->leaf_count;
    }
    return check_present(n, g, first);
}

static status refuse_kind(const nested_mapping *n, const pq_given_node *g, const pq_node *stored)
{
    char from[TYPE_NAME_BYTES], to[TYPE_NAME_BYTES];
    return status_new(STATUS_KIND_UNSUPPORTED,
                      "part \"%s\" of column \"%s\" is %s in %s, and %s in file \"%s\"", g->name,
                      n->column->name, type_name(g->type, to), n->m->given->what,
                      type_name(stored->type, from), n->m->file->path);
}

/* stored NULL: the file lacks the part. */
static status table_given_nested_map_part(const nested_mapping *n, const pq_given_node *g,
                                          const pq_node *stored, uint32_t first, pq_node **out)
{
    TRY(guard_check());
    if (!stored)
        return map_missing(n, g, first, out);
    if (!g->child_count != !stored->child_count ||
        (g->child_count && g->type.id != stored->type.id))
        return refuse_kind(n, g, stored);
    *out = nested_node(n->m->memory, g, stored, first);
    if (!*out)
        return nested_no_memory();
    return g->child_count ? table_given_nested_map_children(n, g, stored, first, *out)
                          : map_leaf(n, g, stored, first);
}

static const pq_node *table_given_nested_top_of(const nested_mapping *n)
{
    const pq_metadata *m = n->m->stored;
    for (uint32_t i = 0; i < m->leaf_count; i++) {
        const pq_node *node = m->leaves[i].node;
        if (node && is_stored_as(n, n->column->node, node))
            return node;
    }
    return NULL;
}

/* A leaf of the column's name is not one of a node: the file has another type there, or one that is not read. */
static status check_lacks(const nested_mapping *n)
{
    const pq_metadata *m = n->m->stored;
    for (uint32_t i = 0; i < m->leaf_count; i++)
        for (size_t k = 0; k < n->column->node->stored.count; k++)
            if (!n->m->by_id && !strcasecmp(m->leaves[i].top, n->column->node->stored.items[k]))
                return pq_given_refuse(n->m, n->column->name, n->column->type, &m->leaves[i]);
    return STATUS_OK;
}

status pq_given_nested_map(pq_given_mapping *m, const pq_given_column *column)
{
    const nested_mapping n = {m, column};
    const pq_node *stored = table_given_nested_top_of(&n);
    pq_node *node;
    if (!stored)
        TRY(check_lacks(&n));
    TRY(table_given_nested_map_part(&n, column->node, stored, column->leaf, &node));
    m->made->leaves[column->leaf].node = node;
    if (!stored)
        m->constants[column->leaf] = &column->missing;
    return STATUS_OK;
}
