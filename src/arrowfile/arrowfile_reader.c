/* arrowfile_reader.c - see arrowfile_reader.h. */
#include "arrowfile/arrowfile_reader.h"

#include "base/cancel.h"
#include "device/chunk.h"

static status in_file(const arrowfile_source *source, status st)
{
    return st ? status_context(st, "file \"%s\"", source->path) : STATUS_OK;
}

static status open_as_bound(const arrowfile_source *source, file **out)
{
    TRY(file_open(source->path, out));
    if (file_version_equal(&(*out)->version, &source->version))
        return STATUS_OK;
    file_close(*out);
    *out = NULL;
    return status_new(STATUS_KIND_CORRUPT, "file \"%s\" has changed while it was read",
                      source->path);
}

/* ---- the dealer ---- */

struct arrowfile_dealer {
    const arrowfile_table *table;
    uint64_t piece_rows;
    uint32_t file;
    size_t block; /* the next one, or the one at work */
    file *open;   /* of `file`; NULL: not yet */
    arrowfile_message message;
    bool has_batch; /* rows of the block at work are left: */
    arrowfile_range left;
    uint64_t rows_each;
    uint64_t pieces;
};

status arrowfile_dealer_new(const arrowfile_table *table, uint64_t piece_rows,
                            arrowfile_dealer **out)
{
    *out = mem_new(sizeof **out);
    if (!*out)
        return status_no_memory("Arrow dealer", sizeof **out);
    (*out)->table = table;
    (*out)->piece_rows = piece_rows;
    return STATUS_OK;
}

void arrowfile_dealer_free(arrowfile_dealer *d)
{
    if (!d)
        return;
    file_close(d->open);
    arrowfile_message_release(&d->message);
    mem_free(d);
}

static status begin_batch(arrowfile_dealer *d, const arrowfile_source *source)
{
    const arrowfile_block *block = &source->blocks.items[d->block];
    if (!d->open)
        TRY(open_as_bound(source, &d->open));
    TRY(arrowfile_message_read(d->open, block->offset, block->metadata_bytes, &d->message));
    flat_object compression = flat_child(&d->message.header, 3);
    int64_t rows = flat_number(&d->message.header, 0, 8, 0);
    if (d->message.kind != ARROWFILE_RECORDS || rows < 0)
        return status_new(STATUS_KIND_CORRUPT, "the batch at byte %llu is damaged",
                          (unsigned long long)block->offset);
    d->left = (arrowfile_range){0, (uint64_t)rows};
    d->rows_each = compression.in ? (uint64_t)rows : d->piece_rows;
    d->has_batch = true;
    return STATUS_OK;
}

static void next_file(arrowfile_dealer *d)
{
    file_close(d->open);
    d->open = NULL;
    d->file++;
    d->block = 0;
}

/* Goes to the next batch that has rows. */
static status find_rows(arrowfile_dealer *d)
{
    while (d->file < d->table->file_count && !(d->has_batch && d->left.count)) {
        const arrowfile_source *source = &d->table->files[d->file];
        TRY(cancel_check());
        d->block += d->has_batch;
        d->has_batch = false;
        if (d->block == source->blocks.count)
            next_file(d);
        else if (source->blocks.items[d->block].is_dictionary)
            d->block++;
        else
            TRY(in_file(source, begin_batch(d, source)));
    }
    return STATUS_OK;
}

status arrowfile_dealer_take(arrowfile_dealer *d, arrowfile_piece *piece, bool *is_there)
{
    TRY(find_rows(d));
    *is_there = d->file < d->table->file_count;
    if (!*is_there)
        return STATUS_OK;
    uint64_t count = d->left.count < d->rows_each ? d->left.count : d->rows_each;
    *piece = (arrowfile_piece){
        .number = d->pieces++, .file = d->file, .block = d->block, .rows = {d->left.first, count}};
    d->left.first += count;
    d->left.count -= count;
    return STATUS_OK;
}

/* ---- the reader ---- */

/* A dictionary of the file at work. */
typedef struct dictionary {
    int64_t number;
    size_t last_block; /* the last one that has values of it */
    tensor *values;    /* FLAT */
    uint64_t rows;
} dictionary;

struct arrowfile_reader {
    const arrowfile_table *table;
    arrowfile_maker maker;
    cpu_isa isa;
    uint32_t file;
    size_t block;
    file *open;
    arrowfile_message message;
    arrowfile_body body;
    ARRAY(arrowfile_cursor) starts; /* by field of the file */
    ARRAY(dictionary) dictionaries;
};

static status find_dictionary(void *context, const arrowfile_field *field, tensor **out,
                              uint64_t *out_rows);

status arrowfile_reader_new(const arrowfile_table *table, device *host, cpu_isa isa,
                            arrowfile_reader **out)
{
    arrowfile_reader *r = *out = mem_new(sizeof **out);
    if (!r)
        return status_no_memory("Arrow reader", sizeof **out);
    r->table = table;
    r->isa = isa;
    r->maker = (arrowfile_maker){
        .body = &r->body, .host = host, .dictionary = find_dictionary, .context = r};
    return STATUS_OK;
}

/* Leaves the file at work. */
static void leave_file(arrowfile_reader *r)
{
    for (size_t i = 0; i < r->dictionaries.count; i++)
        tensor_unref(r->dictionaries.items[i].values);
    r->dictionaries.count = 0;
    arrowfile_body_clear(&r->body);
    file_close(r->open);
    r->open = NULL;
}

void arrowfile_reader_free(arrowfile_reader *r)
{
    if (!r)
        return;
    leave_file(r);
    arrowfile_body_release(&r->body);
    arrowfile_message_release(&r->message);
    array_release(&r->starts);
    array_release(&r->dictionaries);
    mem_free(r);
}

static status open_body(const arrowfile_reader *r, size_t block, const flat_object *batch,
                        arrowfile_body *body)
{
    const arrowfile_block *b = &r->table->files[r->file].blocks.items[block];
    body->file = r->open;
    body->host = r->maker.host;
    body->isa = r->isa;
    return arrowfile_body_open(body, batch, b->offset + b->metadata_bytes, b->body_bytes);
}

static status read_batch(arrowfile_reader *r)
{
    arrowfile_cursor cursor = {0};
    const arrowfile_source *source = &r->table->files[r->file];
    const arrowfile_block *b = &source->blocks.items[r->block];
    TRY(arrowfile_message_read(r->open, b->offset, b->metadata_bytes, &r->message));
    TRY(open_body(r, r->block, &r->message.header, &r->body));
    r->starts.count = 0;
    for (uint32_t i = 0; i < source->field_count; i++) {
        TRY(array_push(NULL, &r->starts, cursor));
        arrowfile_skip(&r->body, &source->fields[i], &cursor);
    }
    return STATUS_OK;
}

status arrowfile_reader_begin(arrowfile_reader *r, const arrowfile_piece *piece)
{
    const arrowfile_source *source = &r->table->files[piece->file];
    if (r->open && r->file == piece->file && r->block == piece->block)
        return STATUS_OK;
    if (!r->open || r->file != piece->file) {
        leave_file(r);
        r->file = piece->file;
        TRY(open_as_bound(source, &r->open));
    }
    r->block = piece->block;
    return in_file(source, read_batch(r));
}

status arrowfile_reader_make(arrowfile_reader *r, uint32_t column, arrowfile_range rows,
                             tensor **out)
{
    const arrowfile_source *source = &r->table->files[r->file];
    const arrowfile_column *c = &r->table->columns.items[column];
    uint32_t field = c->is_filename ? ARROWFILE_NO_FIELD : source->sources[column];
    dev_stream stream = {.dev = r->maker.host};
    *out = NULL;
    if (field != ARROWFILE_NO_FIELD) {
        arrowfile_cursor cursor = r->starts.items[field];
        return in_file(
            source, arrowfile_values_make(&r->maker, &source->fields[field], &cursor, rows, out));
    }
    value v = c->is_filename ? value_text(source->path, strlen(source->path)) : value_null(c->type);
    return tensor_new_constant(&stream, &v, out);
}

uint64_t arrowfile_reader_bytes(arrowfile_reader *r)
{
    uint64_t bytes = r->body.bytes_read;
    r->body.bytes_read = 0;
    return bytes;
}

/* ---- dictionaries ---- */

/* Finds the blocks that have values of a dictionary for the batch at work, in their order. */
typedef ARRAY(size_t) block_list;

static status find_blocks(const arrowfile_reader *r, int64_t number, block_list *out)
{
    const arrowfile_source *source = &r->table->files[r->file];
    size_t at = source->is_stream ? r->block : source->blocks.count;
    while (at--) {
        const arrowfile_block *b = &source->blocks.items[at];
        if (!b->is_dictionary || b->dictionary != number)
            continue;
        TRY(array_push(NULL, out, at));
        if (!b->is_delta)
            break;
    }
    for (size_t i = 0; i < out->count / 2; i++) {
        size_t other = out->items[i];
        out->items[i] = out->items[out->count - 1 - i];
        out->items[out->count - 1 - i] = other;
    }
    if (!out->count)
        return status_new(STATUS_KIND_CORRUPT, "dictionary %lld is missing", (long long)number);
    return STATUS_OK;
}

/* Reads the values of a block, FLAT. */
static status read_values(arrowfile_reader *r, const arrowfile_field *field, size_t block,
                          tensor **out, uint64_t *out_rows)
{
    arrowfile_message message = {0};
    arrowfile_body body = {0};
    arrowfile_maker maker = r->maker;
    dev_stream stream = {.dev = maker.host};
    tensor *made = NULL;
    const arrowfile_block *b = &r->table->files[r->file].blocks.items[block];
    maker.body = &body;
    status st = arrowfile_message_read(r->open, b->offset, b->metadata_bytes, &message);
    if (!st) {
        flat_object batch = flat_child(&message.header, 1);
        st = open_body(r, block, &batch, &body);
    }
    if (!st && body.rows >= ROW_NULL)
        st = status_new(STATUS_KIND_CORRUPT, "dictionary %lld has too many values",
                        (long long)field->dictionary);
    *out_rows = body.rows;
    if (!st)
        st = arrowfile_dictionary_make(&maker, field, (arrowfile_range){0, body.rows}, &made);
    if (!st)
        st = tensor_flatten(&stream, made, dev_count_exact(body.rows), out);
    tensor_unref(made);
    r->body.bytes_read += body.bytes_read;
    arrowfile_message_release(&message);
    arrowfile_body_release(&body);
    return st;
}

static status read_chunk(arrowfile_reader *r, const arrowfile_field *field, size_t block,
                         chunk_list *chunks)
{
    tensor *values;
    uint64_t rows;
    chunk *c;
    TRY(read_values(r, field, block, &values, &rows));
    status st = chunk_new(1, dev_count_exact((uint32_t)rows), &c);
    if (st) {
        tensor_unref(values);
        return st;
    }
    c->columns[0] = values;
    return chunk_list_push(chunks, c);
}

static status join_values(arrowfile_reader *r, const arrowfile_field *field,
                          const block_list *blocks, tensor **out, uint64_t *out_rows)
{
    chunk_list chunks = {0};
    chunk *all = NULL;
    dev_stream stream = {.dev = r->maker.host};
    status st = STATUS_OK;
    if (blocks->count == 1)
        return read_values(r, field, blocks->items[0], out, out_rows);
    for (size_t i = 0; i < blocks->count && !st; i++)
        st = read_chunk(r, field, blocks->items[i], &chunks);
    if (!st)
        st = chunk_concat(&stream, chunks.items, chunks.count, "Arrow dictionary", &all);
    if (!st) {
        *out = tensor_ref(all->columns[0]);
        *out_rows = all->rows.bound;
    }
    chunk_free(all);
    chunk_list_release(&chunks);
    return st;
}

static dictionary *find_kept(arrowfile_reader *r, int64_t number)
{
    for (size_t i = 0; i < r->dictionaries.count; i++)
        if (r->dictionaries.items[i].number == number)
            return &r->dictionaries.items[i];
    return NULL;
}

/* Keeps the values in place of the dictionary's former ones. */
static status keep(arrowfile_reader *r, const dictionary *made)
{
    dictionary *kept = find_kept(r, made->number);
    if (!kept)
        return array_push(NULL, &r->dictionaries, *made);
    tensor_unref(kept->values);
    *kept = *made;
    return STATUS_OK;
}

static status find_dictionary(void *context, const arrowfile_field *field, tensor **out,
                              uint64_t *out_rows)
{
    arrowfile_reader *r = context;
    block_list blocks = {0};
    dictionary made = {.number = field->dictionary};
    status st = find_blocks(r, field->dictionary, &blocks);
    const dictionary *kept = find_kept(r, field->dictionary);
    if (!st)
        made.last_block = blocks.items[blocks.count - 1];
    if (!st && (!kept || kept->last_block != made.last_block)) {
        st = join_values(r, field, &blocks, &made.values, &made.rows);
        if (!st)
            st = keep(r, &made);
        if (st)
            tensor_unref(made.values);
        kept = find_kept(r, field->dictionary);
    }
    array_release(&blocks);
    TRY(st);
    *out = tensor_ref(kept->values);
    *out_rows = kept->rows;
    return STATUS_OK;
}
