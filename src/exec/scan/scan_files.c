/* scan_files.c - which files of a closed table are opened next. */
#include "exec/scan/scan_files.h"

#include "exec/scan/scan_filter.h"

/* Files that several threads open at once. */
#define OPEN_FILES 64

struct scan_files {
    exec_query *query;
    const plan_node *plan;
    pq_table *table;
    size_t next;       /* in table->listed */
    bool *is_excluded; /* by folder */
    bool *is_applied;  /* by runtime filter */
};

status scan_files_new(exec_query *query, const plan_node *plan, scan_files **out)
{
    const pq_table *table = plan->scan.table;
    *out = NULL;
    if (!table->is_closed)
        return STATUS_OK;
    scan_files *files = mem_new(sizeof *files);
    if (!files)
        return status_no_memory("scan", sizeof *files);
    files->query = query;
    files->plan = plan;
    files->is_excluded = mem_new_array(table->hive.folders.count + 1, sizeof *files->is_excluded);
    files->is_applied =
        mem_new_array(plan->scan.runtime_filters.count + 1, sizeof *files->is_applied);
    status st = files->is_excluded && files->is_applied
                    ? pq_table_open_later(table, &files->table)
                    : status_no_memory("scan", table->hive.folders.count);
    if (st)
        scan_files_free(files);
    else
        *out = files;
    return st;
}

void scan_files_free(scan_files *files)
{
    if (!files)
        return;
    pq_table_close(files->table);
    mem_free(files->is_excluded);
    mem_free(files->is_applied);
    mem_free(files);
}

const pq_table *scan_files_table(const scan_files *files)
{
    return files->table;
}

/* ---- runtime filters ---- */

static const value *scan_files_value_of(const scan_files *files, size_t folder, uint32_t key)
{
    return &files->table->hive.folders.items[folder][key];
}

/* Returns whether a filter's range has values of the type: it is of 64 signed bits. */
static bool can_range(data_type type)
{
    return (type_is_integer(type) || type_is_time(type) || type.id == TYPE_DECIMAL) &&
           type.width <= 8 && type.id != TYPE_UINT64;
}

/* A filter knows no NULL. */
static void apply_range(scan_files *files, const runtime_filter *filter, uint32_t key)
{
    for (size_t i = 0; i < files->table->hive.folders.count; i++) {
        const value *v = scan_files_value_of(files, i, key);
        bool has_range = filter->has_range && !v->is_null && can_range(v->type);
        files->is_excluded[i] |=
            filter->is_empty || v->is_null ||
            (has_range && (v->i64 < filter->range_min || v->i64 > filter->range_max));
    }
}

static void scan_files_put_value(const value *v, size_t row, tensor *column)
{
    uint8_t *at = (uint8_t *)column->values + row * v->type.width;
    if (type_is_text(v->type))
        ((string_view *)column->values)[row] = string_view_make(v->text, (uint32_t)v->bytes);
    else if (v->type.id == TYPE_BOOL)
        ((uint64_t *)column->values)[row / 64] |= (uint64_t)v->boolean << row % 64;
    else if (v->type.id == TYPE_FLOAT)
        ((float *)column->values)[row] = (float)v->f64;
    else if (v->type.width == 16)
        memcpy(at, &v->i128, sizeof v->i128);
    else /* integers narrower than 64 bits are its first bytes */
        memcpy(at, &v->i64, v->type.width);
}

/* All folders' values as a column; NULLs are excluded already. */
static status scan_files_make_column(const scan_files *files, uint32_t key, tensor **out)
{
    size_t count = files->table->hive.folders.count;
    data_type type = files->table->hive.keys.items[key].type;
    TRY(tensor_new_flat(files->query->dev, type, count, false, out));
    memset((*out)->values, 0, type_values_bytes(type, count));
    for (size_t i = 0; i < count; i++)
        if (!scan_files_value_of(files, i, key)->is_null)
            scan_files_put_value(scan_files_value_of(files, i, key), i, *out);
    return STATUS_OK;
}

/* Its bitmap or Bloom filter, which the host can read. */
static status apply_keys(scan_files *files, dev_stream *stream, const runtime_filter *filter,
                         const tensor *column)
{
    size_t count = files->table->hive.folders.count;
    dev_buffer *mask;
    TRY(dev_alloc(stream->dev, bitmap_bytes(count), "scan", &mask));
    status st = scan_filter_mask(stream, filter, column, dev_count_exact(count), mask->address);
    const uint64_t *words = mask->address;
    for (size_t i = 0; i < count && !st; i++)
        files->is_excluded[i] |= !(words[i / 64] >> i % 64 & 1);
    dev_buffer_unref(mask);
    return st;
}

static status scan_files_apply_filter(scan_files *files, const runtime_filter *filter, uint32_t key)
{
    device *dev = files->query->dev;
    dev_stream *stream;
    tensor *column;
    apply_range(files, filter, key);
    if (!dev->is_host || filter->is_empty || (!filter->bitmap && !filter->bloom))
        return STATUS_OK;
    TRY(dev->ops->stream_open(dev, &stream));
    status st = scan_files_make_column(files, key, &column);
    if (!st) {
        st = apply_keys(files, stream, filter, column);
        tensor_unref(column);
    }
    dev->ops->stream_close(stream);
    return st;
}

/* Applies the filters that have been published since the last time. */
static status apply_filters(scan_files *files)
{
    const plan_node *plan = files->plan;
    for (size_t i = 0; i < plan->scan.runtime_filters.count; i++) {
        const plan_taken_filter *taken = &plan->scan.runtime_filters.items[i];
        const runtime_filter *filter = exec_runtime_filter(files->query, taken->id);
        int column = plan_column_index(plan, taken->column_id);
        int32_t key = files->table->columns.items[plan->scan.sources.items[column]].key;
        if (key < 0 || files->is_applied[i] ||
            !atomic_load_explicit(&filter->is_published, memory_order_acquire))
            continue;
        files->is_applied[i] = true;
        TRY(scan_files_apply_filter(files, filter, (uint32_t)key));
    }
    return STATUS_OK;
}

status scan_files_open(scan_files *files, _Atomic uint64_t *opened, bool *has_more)
{
    uint32_t numbers[OPEN_FILES];
    size_t count = 0;
    pq_table *table = files->table;
    TRY(apply_filters(files));
    for (; files->next < table->listed.count && count < OPEN_FILES; files->next++)
        if (!files->is_excluded[table->listed.items[files->next].folder])
            numbers[count++] = (uint32_t)files->next;
    *has_more = count > 0;
    atomic_fetch_add_explicit(opened, count, memory_order_relaxed);
    return count ? pq_table_open_more(table, numbers, count) : STATUS_OK;
}
