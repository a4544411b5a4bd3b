/* nested_column.c - a nested column's leaves, side by side: each has a place in its pages, from which a slice goes on to
 * where its last row ends, perhaps in a later page. */
#include "parquet/read/nested_column.h"

#include "parquet/read/assemble.h"
#include "parquet/read/column_pages.h"

/* Values' levels as they lie in a page. */
typedef struct level_piece {
    const uint8_t *repetition, *definition;
    uint32_t count;
} level_piece;

/* How far a leaf is read. */
typedef struct leaf_reader {
    pq_column *column;
    pq_page *pages;
    size_t page_count, page; /* the page at work */
    uint32_t value, slot;    /* the next ones of it */
    uint64_t row;            /* the next one, of the row group */
    /* The slice at work. */
    ARRAY(level_piece) pieces;
    ARRAY(uint8_t) repetition, definition; /* of several pieces */
    pq_part_list parts;
    uint64_t slots;
} leaf_reader;

#define FIND_STEP 1024u /* values that are passed over at once */

struct pq_nested_column {
    const pq_node *node;
    device *dev;
    dev_stream *stream;
    uint64_t row_count;
    uint32_t leaf_count;
    leaf_reader leaves[];
};

/* The definition level from which on each leaf has a slot. */
static unsigned slot_definition_of(const pq_node *node, uint32_t leaf)
{
    while (node->child_count) {
        uint32_t i = 0;
        while (leaf >= node->children[i]->leaf + node->children[i]->leaf_count)
            i++;
        node = node->children[i];
    }
    return node->slot_definition;
}

/* The leaves of a column that are read. */
typedef struct leaf_choice {
    const pq_leaf *leaves; /* of the file */
    const bool *wanted;    /* NULL: all */
    uint32_t first;        /* the column's */
    bool *chosen;
} leaf_choice;

static bool is_wanted(const leaf_choice *c, const pq_node *node)
{
    for (uint32_t i = node->leaf; i < node->leaf + node->leaf_count; i++)
        if (!c->wanted || c->wanted[i - c->first])
            return true;
    return false;
}

/* Chooses leaves of the node that are wanted and that the file has; if it has none of them, one whose levels say where the node is.
 * Returns whether one was chosen. */
static bool choose_leaves(const leaf_choice *c, const pq_node *node)
{
    bool has_any = false;
    if (!is_wanted(c, node))
        return false;
    for (uint32_t i = 0; i < node->child_count; i++)
        has_any |= choose_leaves(c, node->children[i]);
    for (uint32_t i = node->leaf; i < node->leaf + node->leaf_count && !has_any; i++)
        has_any = c->chosen[i - c->first] = !c->leaves[i].is_constant;
    return has_any;
}

static status open_leaves(pq_nested_column *c, const pq_table *table, pq_row_group_ref group_ref,
                          const pq_column_use *use, bool *chosen)
{
    const leaf_choice choice = {table->files.items[group_ref.file].metadata->leaves, use->leaves,
                                c->node->leaf, chosen};
    choose_leaves(&choice, c->node);
    for (uint32_t i = 0; i < c->leaf_count; i++)
        if (chosen[i])
            TRY(pq_leaf_open(c->stream, table, group_ref, c->node->leaf + i, *use,
                             &c->leaves[i].column));
    return STATUS_OK;
}

status pq_nested_open(dev_stream *stream, const pq_table *table, pq_row_group_ref group_ref,
                      uint32_t column, pq_column_use use, pq_nested_column **out)
{
    *out = NULL;
    const pq_metadata *m = table->files.items[group_ref.file].metadata;
    const pq_node *node = m->leaves[table->columns.items[column].leaf].node;
    size_t bytes = sizeof(pq_nested_column) + node->leaf_count * sizeof(leaf_reader);
    pq_nested_column *c = mem_new(bytes);
    if (!c)
        return status_no_memory("scan", bytes);
    c->node = node;
    c->stream = stream;
    c->dev = stream->dev;
    c->row_count = m->row_groups[group_ref.row_group].row_count;
    c->leaf_count = node->leaf_count;
    bool *chosen = mem_new_array(node->leaf_count, sizeof *chosen);
    status st = chosen ? open_leaves(c, table, group_ref, &use, chosen)
                       : status_no_memory("scan", node->leaf_count);
    mem_free(chosen);
    if (st) {
        pq_nested_close(c);
        return st;
    }
    *out = c;
    return STATUS_OK;
}

bool pq_nested_wait(pq_nested_column *c, void (*wake)(void *argument), void *argument)
{
    for (uint32_t i = 0; i < c->leaf_count; i++)
        if (c->leaves[i].column && pq_column_wait(c->leaves[i].column, wake, argument))
            return true;
    return false;
}

/* ---- slices ---- */

static void leaf_clear(leaf_reader *leaf)
{
    leaf->repetition.count = leaf->definition.count = 0;
    leaf->pieces.count = 0;
    leaf->parts.count = 0;
    leaf->slots = 0;
    for (size_t i = leaf->page; i-- && leaf->pages[i].values;)
        pq_leaf_forget(&leaf->pages[i]);
}

/* Finds where `rows` more rows end in the page: the number of the value behind them, and how many rows begin before it. A row
 * that is whole may go on in the next page. */
static uint32_t find_end(const pq_levels *levels, uint32_t from, uint64_t rows, uint64_t *out_begun)
{
    const uint8_t *repetition = levels->repetition;
    uint64_t begun = 0;
    uint32_t i = from;
    while (levels->count - i >= FIND_STEP) {
        uint64_t more = pq_levels_within(repetition + i, FIND_STEP, (pq_level_range){0, 0});
        if (more > rows - begun)
            break;
        begun += more;
        i += FIND_STEP;
    }
    for (; i < levels->count && (repetition[i] || begun < rows); i++)
        begun += !repetition[i];
    *out_begun = begun;
    return i;
}

static uint32_t slots_between(const pq_levels *levels, uint32_t from, uint32_t end,
                              unsigned slot_definition)
{
    if (!from && end == levels->count)
        return levels->slots;
    return (uint32_t)pq_levels_within(levels->definition + from, end - from,
                                      (pq_level_range){slot_definition, PQ_LEVEL_MOST});
}

static status leaf_keep(leaf_reader *leaf, const pq_page *page, uint32_t end, uint32_t slots)
{
    const pq_levels *levels = &page->levels;
    level_piece piece = {levels->repetition + leaf->value, levels->definition + leaf->value,
                         end - leaf->value};
    if (piece.count)
        TRY(array_push(NULL, &leaf->pieces, piece));
    leaf->slots += slots;
    return slots ? array_push(NULL, &leaf->parts, ((pq_part){page->values, leaf->slot, slots}))
                 : STATUS_OK;
}

/* Puts the pieces' levels side by side. */
static status join_levels(leaf_reader *leaf, level_piece *out)
{
    uint64_t count = 0;
    for (size_t i = 0; i < leaf->pieces.count; i++)
        count += leaf->pieces.items[i].count;
    if (count > UINT32_MAX)
        return status_new(STATUS_KIND_UNSUPPORTED, "lists of %llu elements together are too many",
                          (unsigned long long)count);
    TRY(array_reserve(NULL, &leaf->repetition, count));
    TRY(array_reserve(NULL, &leaf->definition, count));
    *out = (level_piece){leaf->repetition.items, leaf->definition.items, (uint32_t)count};
    count = 0;
    for (size_t i = 0; i < leaf->pieces.count; i++) {
        const level_piece *piece = &leaf->pieces.items[i];
        memcpy(leaf->repetition.items + count, piece->repetition, piece->count);
        memcpy(leaf->definition.items + count, piece->definition, piece->count);
        count += piece->count;
    }
    return STATUS_OK;
}

/* The slice's levels: those of its page, if it lies in one. */
static status leaf_levels(leaf_reader *leaf, level_piece *out)
{
    *out = (level_piece){0};
    if (leaf->pieces.count == 1)
        *out = leaf->pieces.items[0];
    return leaf->pieces.count > 1 ? join_levels(leaf, out) : STATUS_OK;
}

static status page_begins_within_row(pq_column *c)
{
    return pq_column_fail(c, status_new(STATUS_KIND_CORRUPT,
                                        "its first repetition level is not 0: a row would begin "
                                        "before its first page"));
}

/* Values of so many rows from here on, kept or passed over. */
static status leaf_read(leaf_reader *leaf, unsigned slot_definition, uint64_t rows, bool is_kept)
{
    uint64_t left = rows;
    while (leaf->page < leaf->page_count) {
        pq_page *page = &leaf->pages[leaf->page];
        uint64_t begun;
        TRY(pq_leaf_decode(leaf->column, slot_definition, page));
        if (!leaf->page && !leaf->value && page->levels.count && page->levels.repetition[0])
            return page_begins_within_row(leaf->column);
        uint32_t end = find_end(&page->levels, leaf->value, left, &begun);
        uint32_t slots = slots_between(&page->levels, leaf->value, end, slot_definition);
        if (is_kept)
            TRY(leaf_keep(leaf, page, end, slots));
        leaf->value = end;
        leaf->slot += slots;
        left -= begun;
        if (end < page->levels.count)
            break;
        if (!is_kept)
            pq_leaf_forget(page);
        leaf->page++;
        leaf->value = leaf->slot = 0;
    }
    leaf->row += rows - left;
    if (!left)
        return STATUS_OK;
    return pq_column_fail(leaf->column, status_new(STATUS_KIND_CORRUPT,
                                                   "its pages have %llu rows, fewer than the row "
                                                   "group",
                                                   (unsigned long long)leaf->row));
}

static status no_slots(const pq_nested_column *c, const pq_node *node, uint32_t leaf, tensor **out)
{
    while (node->child_count) {
        uint32_t i = 0;
        while (leaf >= node->children[i]->leaf + node->children[i]->leaf_count)
            i++;
        node = node->children[i];
    }
    return tensor_new_flat(c->dev, node->type, 0, false, out);
}

static status leaf_slice(pq_nested_column *c, uint32_t number, uint64_t first, uint64_t count,
                         pq_leaf_values *out)
{
    leaf_reader *leaf = &c->leaves[number];
    uint32_t leaf_number = c->node->leaf + number;
    unsigned slot_definition = slot_definition_of(c->node, leaf_number);
    if (!leaf->pages)
        TRY(pq_leaf_pages(leaf->column, &leaf->pages, &leaf->page_count));
    leaf_clear(leaf);
    if (first > leaf->row)
        TRY(leaf_read(leaf, slot_definition, first - leaf->row, false));
    TRY(leaf_read(leaf, slot_definition, count, true));
    level_piece levels;
    status st = leaf_levels(leaf, &levels);
    if (st)
        return pq_column_fail(leaf->column, st);
    *out = (pq_leaf_values){.repetition = levels.repetition,
                            .definition = levels.definition,
                            .count = levels.count,
                            .slots = leaf->slots};
    if (!leaf->slots)
        return no_slots(c, c->node, leaf_number, &out->values);
    return pq_parts_join(leaf->column, &leaf->parts, leaf->slots, &out->values);
}

/* The column of the first leaf that is read, for errors. */
static pq_column *first_column(const pq_nested_column *c)
{
    uint32_t i = 0;
    while (!c->leaves[i].column)
        i++;
    return c->leaves[i].column;
}

static status nested_slice(pq_nested_column *c, uint64_t first, uint64_t count,
                           pq_leaf_values *values, tensor **out)
{
    uint64_t rows;
    for (uint32_t i = 0; i < c->leaf_count; i++)
        if (c->leaves[i].column)
            TRY(leaf_slice(c, i, first, count, &values[i]));
    status st = pq_assemble(c->stream, c->node, values, c->node->leaf, out, &rows);
    if (!st && rows != count)
        st =
            status_new(STATUS_KIND_CORRUPT, "its levels do not fit: %llu rows in the place of %llu",
                       (unsigned long long)rows, (unsigned long long)count);
    return pq_column_fail(first_column(c), st);
}

status pq_nested_slice(pq_nested_column *c, uint64_t first, uint64_t count, tensor **out)
{
    *out = NULL;
    pq_leaf_values *values = mem_new_array(c->leaf_count, sizeof *values);
    if (!values)
        return status_no_memory("scan", c->leaf_count * sizeof *values);
    status st = nested_slice(c, first, count, values, out);
    for (uint32_t i = 0; i < c->leaf_count; i++)
        tensor_unref(values[i].values);
    mem_free(values);
    if (st) {
        tensor_unref(*out);
        *out = NULL;
    }
    return st;
}

uint64_t pq_nested_bytes(const pq_nested_column *c)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < c->leaf_count; i++)
        bytes += c->leaves[i].column ? pq_column_bytes(c->leaves[i].column) : 0;
    return bytes;
}

uint64_t pq_nested_stored_bytes(const pq_nested_column *c)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < c->leaf_count; i++)
        bytes += c->leaves[i].column ? pq_column_stored_bytes(c->leaves[i].column) : 0;
    return bytes;
}

uint64_t pq_nested_cached_bytes(const pq_nested_column *c)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < c->leaf_count; i++)
        bytes += c->leaves[i].column ? pq_column_cached_bytes(c->leaves[i].column) : 0;
    return bytes;
}

void pq_nested_close(pq_nested_column *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; i < c->leaf_count; i++) {
        pq_column_close(c->leaves[i].column);
        array_release(&c->leaves[i].pieces);
        array_release(&c->leaves[i].repetition);
        array_release(&c->leaves[i].definition);
        array_release(&c->leaves[i].parts);
    }
    mem_free(c);
}
