/* sink_group.c - see sink_group.h. */
#include "api/write/sink_group.h"

#include "base/type/bitmap_copy.h"
#include "exec/operators/result_batch.h"

status sink_group_open(sink_group *group, const pq_column_schema *columns, size_t count)
{
    group->columns = mem_new_array(count + 1, sizeof *group->columns);
    if (!group->columns)
        return status_no_memory("row group", count * sizeof *group->columns);
    group->column_count = count;
    for (size_t c = 0; c < count; c++) {
        data_type type = columns[c].type;
        if (type_is_nested(type)) /* as bytes: exec_batch_pack_nested */
            type = type_make(TYPE_BLOB);
        group->columns[c] = (sink_column){.width = type.width, .is_text = type_is_text(type)};
    }
    return STATUS_OK;
}

static void drop_batches(sink_group *group)
{
    for (size_t i = 0; i < group->batches.count; i++)
        exec_batch_free(group->batches.items[i]);
    group->batches.count = 0;
}

void sink_group_drop_room(sink_group *group)
{
    for (size_t c = 0; c < group->column_count; c++) {
        mem_free(group->columns[c].values);
        mem_free(group->columns[c].validity);
        group->columns[c].values = NULL;
        group->columns[c].validity = NULL;
    }
    group->room = 0;
}

void sink_group_release(sink_group *group)
{
    drop_batches(group);
    array_release(&group->batches);
    sink_group_drop_room(group);
    mem_free(group->columns);
    *group = (sink_group){0};
}

/* Bytes of a column's values and validity. */
static uint64_t sink_group_column_bytes(const sink_column *column, uint64_t rows)
{
    uint64_t words = rows / 64 + 1;
    return (column->width ? rows * column->width : words * 8) + words * 8;
}

uint64_t sink_group_bytes(const sink_group *group, uint64_t room)
{
    uint64_t bytes = 0;
    for (size_t c = 0; c < group->column_count && room; c++)
        bytes += sink_group_column_bytes(&group->columns[c], room);
    return bytes;
}

static status resize_column(sink_column *column, uint64_t rows)
{
    uint64_t words = rows / 64 + 1, bytes = column->width ? rows * column->width : words * 8;
    char *values = mem_resize(column->values, bytes);
    if (values)
        column->values = values;
    uint64_t *validity = values ? mem_resize(column->validity, words * 8) : NULL;
    if (!validity)
        return status_no_memory("row group", bytes);
    column->validity = validity;
    return STATUS_OK;
}

status sink_group_resize(sink_group *group, uint64_t room)
{
    for (size_t c = 0; c < group->column_count; c++)
        TRY(resize_column(&group->columns[c], room));
    group->room = room;
    return STATUS_OK;
}

void sink_group_append(sink_group *group, const exec_batch *batch, uint64_t from, uint64_t count)
{
    for (size_t c = 0; c < group->column_count; c++) {
        const exec_batch_column *source = &batch->columns[c];
        sink_column *target = &group->columns[c];
        size_t width = target->width;
        if (width)
            memcpy(target->values + group->rows * width,
                   (const char *)source->values + from * width, count * width);
        else if (source->values)
            bitmap_copy((uint64_t *)target->values, group->rows, source->values, from, count);
        bitmap_copy(target->validity, group->rows, source->validity, from, count);
    }
    group->rows += count;
}

/* Sum of the strings' lengths, each behind one of four bytes. */
static uint64_t sink_group_text_bytes(const sink_column *column, uint64_t first, uint64_t rows)
{
    const string_view *views = (const string_view *)(const void *)column->values;
    uint64_t bytes = 4 * rows;
    for (uint64_t i = first; i < first + rows; i++)
        if (column->validity[i / 64] >> i % 64 & 1)
            bytes += views[i].bytes;
    return bytes;
}

uint64_t sink_group_encoding_bytes(const sink_group *group, uint64_t first, uint64_t rows,
                                   unsigned threads)
{
    uint64_t all = 0, largest = 0;
    for (size_t c = 0; c < group->column_count; c++) {
        const sink_column *column = &group->columns[c];
        uint64_t bytes = column->is_text ? sink_group_text_bytes(column, first, rows)
                                         : sink_group_column_bytes(column, rows);
        all += bytes;
        largest = bytes > largest ? bytes : largest;
    }
    return all + 2 * largest * threads;
}

/* From a word's first bit on. */
static bool are_ones(const uint64_t *bits, uint64_t count)
{
    uint64_t zeros = 0;
    for (uint64_t i = 0; i < count / 64; i++)
        zeros |= ~bits[i];
    if (count % 64)
        zeros |= ~bits[count / 64] << (64 - count % 64);
    return !zeros;
}

/* Without NULLs values are encoded as they lie. */
void sink_group_view(const sink_group *group, uint64_t first, uint64_t rows, pq_column_values *out)
{
    for (size_t c = 0; c < group->column_count; c++) {
        const sink_column *column = &group->columns[c];
        const uint64_t *validity = column->validity + first / 64;
        uint64_t skipped = column->width ? first * column->width : first / 8;
        out[c] = (pq_column_values){column->values + skipped,
                                    are_ones(validity, rows) ? NULL : validity};
    }
}

void sink_group_clear(sink_group *group)
{
    drop_batches(group);
    group->rows = 0;
}
