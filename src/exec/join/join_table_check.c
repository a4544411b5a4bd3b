/* join_table_check.c - what must hold of a join table that is made. */
#include "exec/join/join_table.h"

#include "device/check.h"
#include "exec/join/join_table_build.h"

#include <assert.h>

#ifndef NDEBUG

static void check_has(const dev_buffer *buffer, uint64_t bytes)
{
    assert(buffer && buffer->bytes >= bytes);
}

/* Without a bitmap some key is NULL in every row, and nothing can match. */
static void check_ranked(const join_table *table)
{
    assert(table->key_count == 1 || !table->bitmap);
    assert(!table->slots && !table->packed);
    if (!table->bitmap) {
        assert(!table->rows && !table->starts);
        return;
    }
    const join_key_range *range = &table->ranges[0];
    assert(range->min <= range->max);
    assert(table->bits == (uint64_t)range->max - (uint64_t)range->min + 1);
    check_has(table->bitmap, bitmap_bytes(table->bits));
    assert(table->group_count <= table->bits);
    /* Rows whose range is NULL have a group, and are in no list. */
    assert(table->range_count || table->group_count <= table->key_row_count);
    assert(!table->ranks == (table->row_need == JOIN_ROWS_NEVER));
}

/* A slot is a group; some are empty, else looking for a key would not end. */
static void check_slots(const join_table *table)
{
    assert(table->key_count && !table->bitmap && table->slot_count > table->row_count);
    assert(table->form != JOIN_TABLE_HASHED || !(table->slot_count & (table->slot_count - 1)));
    assert(table->slot_count <= ROW_NULL);
    assert(table->group_count == (table->is_direct ? table->row_count : table->slot_count));
    check_has(table->slots, table->slot_count * join_table_slot_bytes(table->row_bits));
}

static void join_table_check_form(const join_table *table)
{
    switch (table->form) {
    case JOIN_TABLE_RANKED:
        check_ranked(table);
        break;
    case JOIN_TABLE_CODED:
    case JOIN_TABLE_OPEN:
        assert(table->ranges && !table->packed);
        check_slots(table);
        break;
    case JOIN_TABLE_HASHED:
        assert(table->layout.count == table->key_count);
        check_has(table->packed, table->row_count * table->layout.stride);
        check_slots(table);
        break;
    case JOIN_TABLE_KEYLESS:
        assert(!table->key_count && !table->slots && !table->bitmap && table->group_count == 1);
        break;
    }
}

/* From groups to rows. */
static void check_lists(const join_table *table)
{
    bool can_match = table->form != JOIN_TABLE_RANKED || table->bitmap;
    if (table->is_direct)
        assert(table->is_unique && table->slots && !table->rows &&
               table->row_need != JOIN_ROWS_NEVER);
    else if (can_match)
        assert(!table->rows == !(table->row_need == JOIN_ROWS_ALWAYS ||
                                 (table->row_need == JOIN_ROWS_IF_MANY && !table->is_unique)));
    if (table->rows)
        check_has(table->rows, (table->is_unique ? table->group_count : table->key_row_count) *
                                   sizeof(uint32_t));
    assert(!table->starts == (!table->rows || table->is_unique));
    if (table->starts)
        check_has(table->starts, (table->group_count + 1) * sizeof(uint32_t));
}

void join_table_check(const join_table *table)
{
    assert(table->dev && table->key_count <= JOIN_KEYS_MAX);
    assert(!table->chunks.count && !table->row_groups);
    assert(table->row_count < ROW_NULL && table->key_row_count <= table->row_count);
    if (!table->row_count) {
        assert(!table->build && !table->rows && !table->starts);
        return;
    }
    assert(table->build && !table->build->rows.actual);
    assert(table->build->rows.bound == table->row_count);
    assert(table->build->column_count == table->column_count);
    for (uint32_t c = 0; c < table->column_count; c++)
        assert(!table->build->columns[c] == !table->needed[c]);
    chunk_check(table->dev, table->build);
    join_table_check_form(table);
    check_lists(table);
}

#endif
