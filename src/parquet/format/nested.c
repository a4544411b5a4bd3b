/* nested.c - the schema's groups as types.
 *
 *     optional group l (LIST) {            definition 1: l is not NULL
 *       repeated group list {              definition 2: it has an element; repetition 1
 *         optional int64 element; } }      definition 3: which is not NULL
 *
 * Of a column whose groups mean nothing that is known nothing is made: its leaves stay what they are. */
#include "parquet/format/nested.h"

#include "base/system/guard.h"
#include "base/type/nested_type.h"

typedef struct nesting {
    arena *memory;
    const pq_element *elements;
    pq_leaf *leaves;
    uint32_t next, next_leaf; /* of the elements and leaves, the next that is walked to */
    bool is_refused;          /* the column cannot be read */
} nesting;

/* The levels around an element. */
typedef struct levels {
    unsigned definition, repetition;
    unsigned slot; /* the definition level of the nearest list's elements */
} levels;

static status nesting_make(nesting *n, levels around, bool is_element, const pq_node **out);

static status no_memory(void)
{
    return status_no_memory("schema", sizeof(pq_node));
}

/* Passes over the element and those below it. */
static void skip(nesting *n)
{
    const pq_element *e = &n->elements[n->next++];
    if (e->physical != ABSENT) {
        n->next_leaf++;
        return;
    }
    for (int64_t i = 0; i < e->child_count; i++)
        skip(n);
}

static pq_node *nested_new_node(nesting *n, const pq_element *e, levels around,
                                unsigned child_count)
{
    pq_node *node = arena_alloc(n->memory, sizeof *node);
    if (!node)
        return NULL;
    node->name = e->name;
    node->field_id = e->field_id > 0 && e->field_id <= INT32_MAX ? (int32_t)e->field_id : 0;
    node->leaf = n->next_leaf;
    node->definition = (uint16_t)around.definition;
    node->slot_definition = (uint16_t)around.slot;
    node->repetition = (uint16_t)around.repetition;
    node->child_count = child_count;
    node->children = arena_alloc_array(n->memory, child_count + 1, sizeof *node->children);
    return node->children ? node : NULL;
}

/* The node's type, of those of its children; names NULL: those of the children. */
static status nesting_type(nesting *n, pq_node *node, type_id id, const char *const *names)
{
    nested_field *fields =
        arena_alloc_array(n->memory, (size_t)node->child_count + 1, sizeof *fields);
    if (!fields)
        return no_memory();
    for (uint32_t i = 0; i < node->child_count; i++)
        fields[i] =
            (nested_field){names ? names[i] : node->children[i]->name, node->children[i]->type};
    TRY(nested_type_make(id, fields, node->child_count, &node->type));
    return nested_type_keep(n->memory, node->type);
}

static void nesting_count_leaves(const nesting *n, pq_node *node)
{
    node->leaf_count = n->next_leaf - node->leaf;
}

static status make_leaf(nesting *n, const pq_element *e, levels around, const pq_node **out)
{
    pq_node *node = nested_new_node(n, e, around, 0);
    if (!node)
        return no_memory();
    const pq_leaf *leaf = &n->leaves[n->next_leaf++];
    n->next++;
    n->is_refused |= leaf->is_refused;
    node->type = leaf->type;
    nesting_count_leaves(n, node);
    *out = node;
    return STATUS_OK;
}

/* The levels of what a repeated element within `around` is. */
static levels within_list(levels around)
{
    return (levels){around.definition + 1, around.repetition + 1, around.definition + 1};
}

static status make_struct(nesting *n, const pq_element *e, levels around, const pq_node **out)
{
    pq_node *node = nested_new_node(n, e, around, (unsigned)e->child_count);
    if (!node)
        return no_memory();
    n->next++;
    n->is_refused |= !e->child_count;
    for (int64_t i = 0; i < e->child_count && !n->is_refused; i++)
        TRY(nesting_make(n, around, false, &node->children[i]));
    nesting_count_leaves(n, node);
    if (n->is_refused)
        return STATUS_OK;
    *out = node;
    return nesting_type(n, node, TYPE_STRUCT, NULL);
}

/* A list of which the next element is the repeated one, whose elements are what is in it, or itself. */
static status make_list(nesting *n, const pq_element *named, levels around, bool is_wrapped,
                        const pq_node **out)
{
    pq_node *node = nested_new_node(n, named, around, 1);
    if (!node)
        return no_memory();
    levels inside = within_list(around);
    node->element_definition = (uint16_t)inside.definition;
    n->next += is_wrapped;
    TRY(nesting_make(n, inside, !is_wrapped, &node->children[0]));
    nesting_count_leaves(n, node);
    if (n->is_refused)
        return STATUS_OK;
    *out = node;
    return nesting_type(n, node, TYPE_LIST, (const char *const[]){""});
}

static bool is_list(const pq_element *e)
{
    return e->logical == LOGICAL_LIST || (e->logical == ABSENT && e->converted == CONVERTED_LIST);
}

static bool is_map(const pq_element *e)
{
    return e->logical == LOGICAL_MAP ||
           (e->logical == ABSENT &&
            (e->converted == CONVERTED_MAP || e->converted == CONVERTED_MAP_KEY_VALUE));
}

/* Is the repeated element of a list only there to be repeated? Else it is the list's element itself (LogicalTypes.md,
 * backward-compatibility rules). */
static bool is_wrapper(const pq_element *list, const pq_element *repeated)
{
    const pq_element *only = repeated + 1;
    size_t length = strlen(list->name);
    if (repeated->physical != ABSENT || repeated->child_count != 1)
        return false;
    if (is_list(repeated) || is_map(repeated) || only->repetition == REPEATED)
        return false;
    return strcmp(repeated->name, "array") != 0 && !(!strncmp(repeated->name, list->name, length) &&
                                                     !strcmp(repeated->name + length, "_tuple"));
}

static status make_annotated_list(nesting *n, const pq_element *e, levels around,
                                  const pq_node **out)
{
    const pq_element *repeated = e + 1;
    if (e->child_count != 1 || repeated->repetition != REPEATED) {
        n->is_refused = true;
        return STATUS_OK;
    }
    n->next++;
    return make_list(n, e, around, is_wrapper(e, repeated), out);
}

static status nested_make_map(nesting *n, const pq_element *e, levels around, const pq_node **out)
{
    const pq_element *repeated = e + 1;
    if (e->child_count != 1 || repeated->repetition != REPEATED || repeated->physical != ABSENT ||
        repeated->child_count < 1 || repeated->child_count > 2) {
        n->is_refused = true;
        return STATUS_OK;
    }
    n->next++;
    if (repeated->child_count == 1) /* keys alone: a set */
        return make_list(n, e, around, true, out);
    pq_node *node = nested_new_node(n, e, around, 2);
    if (!node)
        return no_memory();
    levels inside = within_list(around);
    node->element_definition = (uint16_t)inside.definition;
    n->next++;
    for (unsigned i = 0; i < 2 && !n->is_refused; i++)
        TRY(nesting_make(n, inside, false, &node->children[i]));
    nesting_count_leaves(n, node);
    if (n->is_refused)
        return STATUS_OK;
    *out = node;
    return nesting_type(n, node, TYPE_MAP, (const char *const[]){"key", "value"});
}

/* The next element as it stands within `around`; is_element: it is the repeated one of a list around it. */
static status nesting_make(nesting *n, levels around, bool is_element, const pq_node **out)
{
    const pq_element *e = &n->elements[n->next];
    TRY(guard_check());
    *out = NULL;
    if (e->repetition == REPEATED && !is_element)
        return make_list(n, e, around, false, out);
    around.definition += e->repetition == OPTIONAL;
    if (e->physical != ABSENT)
        return make_leaf(n, e, around, out);
    if (is_list(e))
        return make_annotated_list(n, e, around, out);
    if (is_map(e))
        return nested_make_map(n, e, around, out);
    /* Other annotations of groups, as VARIANT, are types of their own. */
    n->is_refused |= e->logical != ABSENT;
    return n->is_refused ? STATUS_OK : make_struct(n, e, around, out);
}

status pq_nested_find(arena *a, const pq_element *elements, uint32_t count, pq_metadata *m)
{
    nesting n = {.memory = a, .elements = elements, .leaves = m->leaves, .next = 1};
    while (n.next < count) {
        const pq_node *node = NULL;
        uint32_t element = n.next, first = n.next_leaf;
        skip(&n);
        uint32_t next = n.next, next_leaf = n.next_leaf;
        bool is_flat = elements[element].physical != ABSENT && !m->leaves[first].is_nested;
        if (first == next_leaf || is_flat)
            continue;
        n.next = element;
        n.next_leaf = first;
        n.is_refused = false;
        TRY(nesting_make(&n, (levels){0}, false, &node));
        if (!n.is_refused)
            m->leaves[first].node = node;
        n.next = next;
        n.next_leaf = next_leaf;
    }
    return STATUS_OK;
}
