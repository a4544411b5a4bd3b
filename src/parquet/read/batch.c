/* batch.c - which pages a slice of several row groups needs, and where its rows are in them. */
#include "parquet/read/batch.h"

#include "device/transfer.h"
#include "parquet/read/batch_decode.h"
#include "parquet/read/column_pages.h"
#include "parquet/read/gather.h"
#include "parquet/read/stored.h"

/* Rows that are decoded at a time at least, if there are so many. */
#define WINDOW_ROWS ((uint64_t)1 << 17)

typedef struct part {
    pq_row_group_ref group_ref;
    pq_column *column;        /* NULL: its pages are kept: */
    pq_stored_column *stored; /* or NULL */
    pq_parsed_column pages;
    const pq_row_list *rows;
    uint32_t location;
    bool is_coded;     /* some page names entries of the dictionary */
    size_t first_page; /* of all parts' */
    uint64_t dictionary_first;
} part;

struct pq_batch {
    dev_stream *stream;
    const pq_table *table;
    uint32_t column; /* the table's number */
    pq_batch_context context;
    bool is_parsed, ignores_checksums;
    ARRAY(const pq_page *) pages; /* data pages of all parts */
    ARRAY(uint64_t) starts;       /* where their rows begin among those of all */
    /* Pages that are decoded, and their rows. */
    size_t window_first, window_end;
    tensor *window;
    uint64_t window_rows;
    pq_kept_rows kept; /* with values: there are no parts, and the window is all of them */
    uint32_t part_count;
    part parts[];
};

static bool is_stored_alike(const pq_leaf *a, const pq_leaf *b)
{
    return a->physical == b->physical && a->conversion == b->conversion &&
           a->type_length == b->type_length && a->max_definition == b->max_definition &&
           type_equal(a->type, b->type);
}

static bool is_same_value(const value *a, const value *b)
{
    return a->is_null || b->is_null ? a->is_null && b->is_null : !value_compare(a, b);
}

bool pq_batch_fits(const pq_table *table, uint32_t column, uint32_t file, uint32_t other)
{
    uint32_t leaf = table->columns.items[column].leaf;
    const value *a = pq_table_constant(table, file, column);
    const value *b = pq_table_constant(table, other, column);
    if (a || b)
        return a && b && is_same_value(a, b);
    return is_stored_alike(&table->files.items[file].metadata->leaves[leaf],
                           &table->files.items[other].metadata->leaves[leaf]);
}

/* ---- opening ---- */

static status batch_open_part(pq_batch *b, const pq_table *table, uint32_t column,
                              const pq_batch_part *use, pq_fetch *gathered)
{
    part *p = &b->parts[b->part_count];
    p->group_ref = use->group_ref;
    p->rows = use->rows;
    p->location = use->location;
    p->stored = use->stored;
    if (!p->stored)
        TRY(pq_column_open(b->stream, table, use->group_ref, column,
                           (pq_column_use){.fetch = use->fetch,
                                           .gathered = gathered,
                                           .rows = use->rows,
                                           .ignores_checksums = b->ignores_checksums},
                           &p->column));
    b->part_count++;
    return STATUS_OK;
}

/* Frees the pages for the parts from `from` on, which a batch that fails to be opened has not taken over. */
static void free_stored(const pq_batch_use *use, uint32_t from)
{
    for (uint32_t i = from; i < use->part_count; i++)
        pq_stored_column_free(use->parts[i].stored);
}

static const pq_leaf *batch_leaf_of(const pq_batch *b, const part *p)
{
    return &b->table->files.items[p->group_ref.file]
                .metadata->leaves[b->table->columns.items[b->column].leaf];
}

static const pq_row_group *group_of(const pq_batch *b, const part *p)
{
    return &b->table->files.items[p->group_ref.file].metadata->row_groups[p->group_ref.row_group];
}

static const pq_column_chunk *chunk_of(const pq_batch *b, const part *p)
{
    return &group_of(b, p)->chunks[b->table->columns.items[b->column].leaf];
}

/* Says where a failure happened. */
static status fail_at(const pq_batch *b, const part *p, status st)
{
    if (p->column)
        return pq_column_fail(p->column, st);
    return status_context(st, "file \"%s\", row group %u, column \"%s\"",
                          b->table->files.items[p->group_ref.file].file->path,
                          p->group_ref.row_group, batch_leaf_of(b, p)->name);
}

static status open_gathered(pq_batch *b, const pq_table *table, uint32_t column,
                            const pq_batch_use *use, pq_fetch **gathered)
{
    TRY(pq_gather_start(b->stream->dev, table, column, use->parts, use->part_count, gathered));
    for (uint32_t i = 0; i < use->part_count; i++)
        TRY(batch_open_part(b, table, column, &use->parts[i], gathered[i]));
    return STATUS_OK;
}

/* Opens the parts: those of which b->part_count tells when it fails. */
static status open_parts(pq_batch *b, const pq_table *table, uint32_t column,
                         const pq_batch_use *use)
{
    pq_fetch **gathered = mem_new_array(use->part_count + 1, sizeof *gathered);
    if (!gathered)
        return status_no_memory("scan", use->part_count * sizeof *gathered);
    status st = open_gathered(b, table, column, use, gathered);
    for (uint32_t i = 0; i < use->part_count; i++)
        pq_fetch_close(gathered[i]);
    mem_free(gathered);
    return st;
}

status pq_batch_open(dev_stream *stream, const pq_table *table, uint32_t column, pq_batch_use use,
                     pq_batch **out)
{
    const pq_table_column *described = &table->columns.items[column];
    size_t bytes = sizeof(pq_batch) + use.part_count * sizeof(part);
    pq_batch *b = mem_new(bytes);
    *out = NULL;
    if (!b) {
        free_stored(&use, 0);
        return status_no_memory("scan", bytes);
    }
    b->stream = stream;
    b->table = table;
    b->column = column;
    b->context = (pq_batch_context){.stream = stream,
                                    .error = use.error,
                                    .replaces_text = use.replaces_text,
                                    .keeper = use.keeper};
    b->ignores_checksums = use.ignores_checksums;
    if (use.check_bounds) {
        b->context.check_bounds = true;
        b->context.minimum = (int64_t)described->min;
        b->context.maximum = (int64_t)described->max;
    }
    status st = open_parts(b, table, column, &use);
    if (st) {
        free_stored(&use, b->part_count);
        pq_batch_close(b);
        return st;
    }
    *out = b;
    return STATUS_OK;
}

void pq_kept_rows_release(pq_kept_rows *kept)
{
    tensor_unref(kept->values);
    mem_free(kept->runs);
    *kept = (pq_kept_rows){0};
}

status pq_batch_open_kept(dev_stream *stream, pq_kept_rows *kept, pq_batch **out)
{
    pq_batch *b = *out = mem_new(sizeof *b);
    if (!b) {
        pq_kept_rows_release(kept);
        return status_no_memory("scan", sizeof *b);
    }
    b->stream = stream;
    b->kept = *kept;
    b->window = tensor_ref(kept->values);
    b->window_rows = kept->value_count;
    *kept = (pq_kept_rows){0};
    return STATUS_OK;
}

bool pq_batch_wait(pq_batch *b, void (*wake)(void *argument), void *argument)
{
    /* The read that was asked for last ends last: a task that it wakes seldom has to wait again. */
    for (uint32_t i = b->part_count; i--;)
        if (b->parts[i].column && pq_column_wait(b->parts[i].column, wake, argument))
            return true;
    return false;
}

/* ---- pages ---- */

static status find_pages_of(const pq_batch *b, part *p)
{
    if (p->column)
        return pq_column_parse(p->column, &p->pages);
    p->pages = (pq_parsed_column){.leaf = batch_leaf_of(b, p),
                                  .chunk = chunk_of(b, p),
                                  .items = p->stored->pages,
                                  .count = p->stored->count,
                                  .dictionary = p->stored->dictionary};
    return STATUS_OK;
}

static status parse_part(pq_batch *b, part *p, uint64_t *rows)
{
    TRY(find_pages_of(b, p));
    p->first_page = b->pages.count;
    for (size_t i = 0; i < p->pages.count; i++) {
        p->is_coded |= pq_page_is_coded(&p->pages.items[i]);
        TRY(array_push(NULL, &b->pages, &p->pages.items[i]));
        TRY(array_push(NULL, &b->starts, *rows));
        *rows += p->pages.items[i].header.value_count;
    }
    if (!p->is_coded)
        return STATUS_OK;
    status st = pq_page_check_dictionary(p->pages.dictionary);
    if (st)
        return fail_at(b, p, st);
    p->dictionary_first = b->context.dictionary_rows;
    b->context.dictionary_rows += p->pages.dictionary->header.value_count;
    if (b->context.dictionary_rows >= ROW_NULL)
        return status_new(STATUS_KIND_UNSUPPORTED, "dictionaries of %llu entries are too large",
                          (unsigned long long)b->context.dictionary_rows);
    return STATUS_OK;
}

static status batch_parse(pq_batch *b)
{
    uint64_t rows = 0;
    for (uint32_t i = 0; i < b->part_count; i++)
        TRY(parse_part(b, &b->parts[i], &rows));
    b->context.leaf = b->parts[0].pages.leaf;
    b->is_parsed = true;
    return STATUS_OK;
}

static size_t end_page(const part *p)
{
    return p->first_page + p->pages.count;
}

static bool has_no_nulls(const part *p)
{
    return p->pages.chunk->statistics.null_count == 0;
}

static status list_page(const part *p, uint32_t number, const pq_page *page, bool is_dictionary,
                        pq_batch_page_list *out)
{
    bool is_coded = is_dictionary || pq_page_is_coded(page);
    uint64_t entries = is_coded ? p->pages.dictionary->header.value_count : 0;
    pq_batch_page listed = {.page = page,
                            .codec = p->pages.chunk->codec,
                            .part = number,
                            .location = p->location,
                            .is_dictionary = is_dictionary,
                            .has_no_nulls = has_no_nulls(p),
                            .dictionary_first = entries ? p->dictionary_first : 0,
                            .dictionary_rows = entries};
    return array_push(NULL, out, listed);
}

/* The pages of the window, and all dictionaries where there was none before. */
static status batch_list_pages(const pq_batch *b, size_t first, size_t end, pq_batch_page_list *out)
{
    for (uint32_t i = 0; i < b->part_count; i++) {
        const part *p = &b->parts[i];
        if (p->is_coded && !b->context.dictionary)
            TRY(list_page(p, i, p->pages.dictionary, true, out));
        size_t from = first > p->first_page ? first : p->first_page;
        size_t until = end < end_page(p) ? end : end_page(p);
        for (size_t k = from; k < until; k++)
            TRY(list_page(p, i, b->pages.items[k], false, out));
    }
    return STATUS_OK;
}

void pq_batch_drop(pq_batch *b)
{
    if (b->kept.values)
        return;
    tensor_unref(b->window);
    b->window = NULL;
    b->window_first = b->window_end = 0;
}

static const part *batch_part_of(const pq_batch *b, size_t page)
{
    uint32_t i = 0;
    while (page >= end_page(&b->parts[i]))
        i++;
    return &b->parts[i];
}

/* Returns whether the part has the pages of all rows of its row group. */
static bool is_part_whole(const pq_batch *b, const part *p)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < p->pages.count; i++)
        rows += p->pages.items[i].header.value_count;
    return p->pages.count && !p->pages.items[0].first_row && rows == group_of(b, p)->row_count;
}

typedef ARRAY(pq_decoded_run) decoded_runs;

static status add_decoded_page(const pq_page *page, uint32_t part, uint64_t at, decoded_runs *out)
{
    uint64_t first = page->first_row, end = first + page->header.value_count;
    pq_decoded_run *last = out->count ? &out->items[out->count - 1] : NULL;
    if (!last || last->part != part || last->end != first)
        return array_push(NULL, out, ((pq_decoded_run){part, first, end, at}));
    last->end = end;
    return STATUS_OK;
}

/* Lists the rows of all pages. */
static status list_decoded_pages(const pq_batch *b, decoded_runs *out)
{
    for (uint32_t i = 0; i < b->part_count; i++) {
        const part *p = &b->parts[i];
        for (size_t k = 0; k < p->pages.count; k++)
            TRY(add_decoded_page(&p->pages.items[k], i, b->starts.items[p->first_page + k], out));
    }
    return STATUS_OK;
}

static bool is_whole(const pq_batch *b)
{
    bool is_whole = true;
    for (uint32_t i = 0; i < b->part_count && is_whole; i++)
        is_whole = is_part_whole(b, &b->parts[i]);
    return is_whole;
}

/* Pages of at most so many chunks are decoded together where that may be kept: larger row groups are cut. */
#define WHOLE_CHUNKS 2

/* Returns whether all pages are decoded at once because somebody may keep the values. */
static bool wants_all(const pq_batch *b)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < b->pages.count; i++)
        rows += b->pages.items[i]->header.value_count;
    return b->context.keeper.keep_values &&
           rows <= (uint64_t)WHOLE_CHUNKS * b->stream->dev->chunk_rows;
}

/* Decodes the pages [first, end), which have these rows, into the window. */
static status decode_pages(pq_batch *b, size_t first, size_t end, uint64_t rows)
{
    pq_batch_page_list pages = {0};
    decoded_runs runs = {0};
    bool is_all = b->context.keeper.keep_values && !first && end == b->pages.count;
    status st = is_all ? list_decoded_pages(b, &runs) : STATUS_OK;
    pq_decoded decoded = {.row_count = rows,
                          .runs = runs.items,
                          .run_count = runs.count,
                          .part_count = b->part_count,
                          .is_whole = is_all && is_whole(b),
                          .is_within = b->context.check_bounds,
                          .minimum = b->context.minimum,
                          .maximum = b->context.maximum};
    b->context.whole = is_all ? &decoded : NULL;
    if (!st)
        st = batch_list_pages(b, first, end, &pages);
    if (!st)
        st = pq_batch_decode(&b->context, &pages, &b->window);
    b->context.whole = NULL;
    array_release(&pages);
    array_release(&runs);
    return st;
}

/* Decodes pages [first, end), and more behind them if those are few. */
static status decode_window(pq_batch *b, size_t first, size_t end, bool is_small)
{
    uint64_t rows = 0;
    pq_batch_drop(b);
    if (!is_small && wants_all(b)) {
        first = 0;
        end = b->pages.count;
    }
    for (size_t i = first; i < end || (i < b->pages.count && rows < WINDOW_ROWS && !is_small);
         i++) {
        rows += b->pages.items[i]->header.value_count;
        end = i >= end ? i + 1 : end;
    }
    if (rows >= ROW_NULL)
        return status_new(STATUS_KIND_UNSUPPORTED, "pages of %llu rows are too large",
                          (unsigned long long)rows);
    status st = decode_pages(b, first, end, rows);
    if (st)
        return fail_at(b, batch_part_of(b, first), st);
    b->window_first = first;
    b->window_end = end;
    b->window_rows = rows;
    return STATUS_OK;
}

/* ---- slices ---- */

/* A slice's rows, among those of all pages that were read. */
typedef struct places {
    ARRAY(parquet_run) runs; /* `at`: of the slice */
    size_t first_page, end_page;
    uint64_t count; /* of rows so far */
} places;

static status batch_add_run(places *w, uint64_t from, uint64_t count)
{
    parquet_run *last = w->runs.count ? &w->runs.items[w->runs.count - 1] : NULL;
    parquet_run next = {.from = from, .at = w->count, .count = count};
    w->count += count;
    if (!last || last->from + last->count != from)
        return array_push(NULL, &w->runs, next);
    last->count += count;
    return STATUS_OK;
}

/* The part's last page that does not begin behind the row. */
static size_t find_page(const part *p, uint64_t row)
{
    size_t low = 0, high = p->pages.count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (p->pages.items[middle].first_row <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Rows [first, end) of the part's row group. */
static status batch_add_rows(const pq_batch *b, const part *p, uint64_t first, uint64_t end,
                             places *w)
{
    for (size_t i = find_page(p, first); first < end; i++) {
        const pq_page *page = i < p->pages.count ? &p->pages.items[i] : NULL;
        uint64_t page_end = page ? page->first_row + page->header.value_count : 0;
        if (!page || page->first_row > first || page_end <= first)
            return fail_at(b, p,
                           status_new(STATUS_KIND_CORRUPT, "it has no page for its row %llu",
                                      (unsigned long long)first));
        uint64_t until = end < page_end ? end : page_end;
        if (!w->count)
            w->first_page = p->first_page + i;
        w->end_page = p->first_page + i + 1;
        TRY(batch_add_run(w, b->starts.items[p->first_page + i] + (first - page->first_row),
                          until - first));
        first = until;
    }
    return STATUS_OK;
}

static status batch_find_places(const pq_batch *b, uint64_t first, uint64_t count, places *w)
{
    uint64_t at = 0, end = first + count; /* `at`: of the range, in the batch */
    for (uint32_t i = 0; i < b->part_count; i++) {
        const part *p = &b->parts[i];
        for (size_t r = 0; r < p->rows->count && at < end; r++) {
            const pq_row_range *range = &p->rows->items[r];
            uint64_t rows = range->end - range->first;
            uint64_t from = first > at ? first - at : 0;
            uint64_t until = end - at < rows ? end - at : rows;
            if (from < until)
                TRY(batch_add_rows(b, p, range->first + from, range->first + until, w));
            at += rows;
        }
    }
    return STATUS_OK;
}

/* Rows of the window here and there. */
static status batch_pick(pq_batch *b, const places *w, tensor **out)
{
    dev_buffer *runs;
    row_index *rows = NULL;
    size_t bytes = w->runs.count * sizeof *w->runs.items;
    TRY(dev_alloc(b->stream->dev, bytes, "scan", &runs));
    status st = dev_upload(b->stream, runs->address, w->runs.items, bytes, "scan");
    if (!st)
        st = row_index_new(b->stream->dev, w->count, &rows);
    if (!st)
        st = DEV_LAUNCH(b->stream, parquet_run_rows, .runs = runs->address,
                        .run_count = (uint32_t)w->runs.count, .out = rows->rows);
    if (!st)
        st = tensor_new_indexed(b->stream, b->window, b->window_rows, rows,
                                dev_count_exact(w->count), out);
    row_index_unref(rows);
    dev_buffer_unref(runs);
    return st;
}

static status slice_window(pq_batch *b, places *w, tensor **out)
{
    uint64_t base = b->kept.values ? 0 : b->starts.items[b->window_first];
    for (size_t i = 0; i < w->runs.count; i++)
        w->runs.items[i].from -= base;
    if (w->runs.count > 1)
        return batch_pick(b, w, out);
    const parquet_run *run = w->runs.items;
    if (!run->from && run->count == b->window_rows) {
        *out = tensor_ref(b->window);
        return STATUS_OK;
    }
    return pq_part_view(b->stream, &(pq_part){b->window, run->from, run->count}, out);
}

static status batch_slice(pq_batch *b, places *w, tensor **out)
{
    if (w->first_page < b->window_first || w->end_page > b->window_end) {
        status st = decode_window(b, w->first_page, w->end_page, false);
        if (status_get_kind(st) == STATUS_KIND_LIMIT) { /* perhaps there is room for less */
            status_free(st);
            st = decode_window(b, w->first_page, w->end_page, true);
        }
        TRY(st);
    }
    return slice_window(b, w, out);
}

/* Gives rows of the batch that are decoded. */
static status slice_kept(pq_batch *b, uint64_t first, uint64_t count, tensor **out)
{
    places w = {0};
    status st = STATUS_OK;
    for (size_t i = 0; i < b->kept.run_count && !st; i++) {
        const parquet_run *run = &b->kept.runs[i];
        uint64_t from = first > run->at ? first : run->at;
        uint64_t run_end = run->at + run->count, end = first + count;
        end = end < run_end ? end : run_end;
        if (from < end)
            st = batch_add_run(&w, run->from + (from - run->at), end - from);
    }
    DEV_WORK_ADD(bytes_kept,
                 (uint64_t)((double)b->kept.bytes * (double)count / (double)b->kept.value_count));
    if (!st)
        st = slice_window(b, &w, out);
    array_release(&w.runs);
    return st;
}

status pq_batch_slice(pq_batch *b, uint64_t first, uint64_t count, tensor **out)
{
    places w = {0};
    *out = NULL;
    if (b->kept.values)
        return slice_kept(b, first, count, out);
    if (!b->is_parsed)
        TRY(batch_parse(b));
    status st = batch_find_places(b, first, count, &w);
    if (!st)
        st = batch_slice(b, &w, out);
    array_release(&w.runs);
    return st;
}

status pq_batch_place(pq_batch *b, pq_placed_pages **out)
{
    pq_batch_page_list pages = {0};
    *out = NULL;
    if (!b->is_parsed)
        TRY(batch_parse(b));
    status st = batch_list_pages(b, 0, b->pages.count, &pages);
    if (!st)
        st = pq_placed_pages_new(&b->context, &pages, out);
    array_release(&pages);
    return st ? fail_at(b, &b->parts[0], st) : STATUS_OK;
}

/* ---- figures, closing ---- */

uint64_t pq_batch_bytes(const pq_batch *b)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < b->part_count; i++)
        bytes += b->parts[i].column ? pq_column_bytes(b->parts[i].column) : 0;
    return bytes;
}

uint64_t pq_batch_stored_bytes(const pq_batch *b, uint32_t number)
{
    const pq_column *column = b->parts[number].column;
    return column ? pq_column_stored_bytes(column) : 0;
}

uint64_t pq_batch_cached_bytes(const pq_batch *b, uint32_t number)
{
    const pq_column *column = b->parts[number].column;
    return column ? pq_column_cached_bytes(column) : 0;
}

void pq_batch_close(pq_batch *b)
{
    if (!b)
        return;
    pq_batch_drop(b);
    if (b->kept.values)
        tensor_unref(b->window);
    pq_kept_rows_release(&b->kept);
    tensor_unref(b->context.dictionary);
    for (uint32_t i = 0; i < b->part_count; i++) {
        pq_column_close(b->parts[i].column);
        pq_stored_column_free(b->parts[i].stored);
    }
    array_release(&b->pages);
    array_release(&b->starts);
    mem_free(b);
}
