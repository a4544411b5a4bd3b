/* arrowfile_values.c - see arrowfile_values.h. */
#include "arrowfile/arrowfile_values.h"

#include "arrowfile/arrowfile_convert.h"
#include "base/cancel.h"
#include "base/text/utf8.h"

/* A column that is being made. */
typedef struct making {
    const arrowfile_maker *maker;
    arrowfile_body *body;
    const arrowfile_field *field;
    arrowfile_range rows;
    size_t first_buffer; /* behind that of NULLs */
    tensor *t;
} making;

static status wrong_arrow(const making *m, const char *what)
{
    return status_new(STATUS_KIND_CORRUPT, "column \"%s\": %s", m->field->name, what);
}

/* Memory of some rows, as they lie in the file. */
static status read_stored(const making *m, size_t buffer, uint64_t from, uint64_t bytes,
                          dev_buffer **out)
{
    TRY(dev_alloc(m->maker->host, bytes + 8, "Arrow values", out));
    status st = arrowfile_body_read(m->body, buffer, from, (*out)->address, bytes);
    if (st) {
        dev_buffer_unref(*out);
        *out = NULL;
    }
    return st;
}

/* ---- bits ---- */

/* Reads bits from any one on into words. */
static status read_bits(const making *m, size_t buffer, arrowfile_range bits, uint64_t *words)
{
    uint64_t first_byte = bits.first / 8, end_byte = (bits.first + bits.count + 7) / 8;
    unsigned shift = bits.first % 8;
    dev_buffer *stored;
    TRY(read_stored(m, buffer, first_byte, end_byte - first_byte, &stored));
    uint8_t *bytes = stored->address;
    memset(bytes + (end_byte - first_byte), 0, 8);
    for (uint64_t i = 0; i < (bits.count + 63) / 64; i++) {
        uint64_t word = 0;
        uint64_t left = end_byte - first_byte + 8 - i * 8;
        memcpy(&word, bytes + i * 8, left < 8 ? left : 8);
        words[i] = shift
                       ? word >> shift | (uint64_t)(left > 8 ? bytes[i * 8 + 8] : 0) << (64 - shift)
                       : word;
    }
    dev_buffer_unref(stored);
    return STATUS_OK;
}

static bool arrowfile_values_is_valid(const tensor *t, uint64_t row)
{
    return !t->validity || (t->validity[row / 64] >> row % 64 & 1);
}

/* A NULL's value is zero. */
static void clear_nulls(const making *m)
{
    tensor *t = m->t;
    if (!t->validity)
        return;
    if (!t->type.width) {
        for (uint64_t i = 0; i < (m->rows.count + 63) / 64; i++)
            ((uint64_t *)t->values)[i] &= t->validity[i];
        return;
    }
    for (uint64_t row = 0; row < m->rows.count; row++)
        if (!arrowfile_values_is_valid(t, row))
            memset((char *)t->values + row * t->type.width, 0, t->type.width);
}

/* ---- texts ---- */

static uint64_t number_at(const void *numbers, uint32_t width, uint64_t at)
{
    uint32_t narrow;
    uint64_t wide;
    if (width == sizeof narrow) {
        memcpy(&narrow, (const char *)numbers + at * sizeof narrow, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, (const char *)numbers + at * sizeof wide, sizeof wide);
    return wide;
}

static status check_offsets(const making *m, const void *offsets, uint64_t count)
{
    uint32_t width = m->field->width;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t length = number_at(offsets, width, i + 1) - number_at(offsets, width, i);
        if (length > UINT32_MAX || number_at(offsets, width, i + 1) > INT64_MAX)
            return wrong_arrow(m, "offsets go back, or a value has more than 4 GB");
        if (cancel_look(i))
            return cancel_check();
    }
    return STATUS_OK;
}

/* Reads the offsets of the rows, of which there is one more; *out_range: of what they tell. */
static status read_offsets(const making *m, dev_buffer **out, arrowfile_range *out_range)
{
    uint32_t width = m->field->width;
    *out_range = (arrowfile_range){0};
    *out = NULL;
    if (!m->rows.count)
        return STATUS_OK;
    TRY(read_stored(m, m->first_buffer, m->rows.first * width, (m->rows.count + 1) * width, out));
    const void *offsets = (*out)->address;
    status st = check_offsets(m, offsets, m->rows.count);
    if (st) {
        dev_buffer_unref(*out);
        return st;
    }
    out_range->first = number_at(offsets, width, 0);
    out_range->count = number_at(offsets, width, m->rows.count) - out_range->first;
    return STATUS_OK;
}

static bool begins_within_a_character(const char *text, uint32_t bytes)
{
    return bytes && ((unsigned char)*text & 0xc0) == 0x80;
}

static status bad_text(const making *m)
{
    return wrong_arrow(m, "a text is not UTF-8");
}

/* Makes the views of texts that lie one after the other. */
static status make_views(const making *m, const void *offsets, const char *bytes,
                         uint64_t first_byte)
{
    string_view *views = m->t->values;
    uint32_t width = m->field->width;
    bool is_text = m->field->type.id == TYPE_VARCHAR;
    for (uint64_t row = 0; row < m->rows.count; row++) {
        uint64_t from = number_at(offsets, width, row) - first_byte;
        uint32_t length = (uint32_t)(number_at(offsets, width, row + 1) - first_byte - from);
        if (is_text && begins_within_a_character(bytes + from, length))
            return bad_text(m);
        views[row] = string_view_make(bytes + from, length);
        if (cancel_look(row))
            return cancel_check();
    }
    return STATUS_OK;
}

static status hold_texts(const making *m, uint64_t from, uint64_t bytes, size_t buffer,
                         dev_buffer **out)
{
    TRY(dev_alloc(m->maker->host, bytes + 1, "Arrow texts", out));
    dev_buffer_hold_texts(*out);
    dev_buffer *held = *out;
    TRY(string_heap_new(out, 1, &m->t->heap));
    *out = held;
    return arrowfile_body_read(m->body, buffer, from, held->address, bytes);
}

static status make_texts(const making *m)
{
    dev_buffer *offsets, *bytes;
    arrowfile_range range;
    TRY(read_offsets(m, &offsets, &range));
    if (!offsets)
        return STATUS_OK;
    status st = hold_texts(m, range.first, range.count, m->first_buffer + 1, &bytes);
    if (!st && m->field->type.id == TYPE_VARCHAR &&
        utf8_valid_bytes(bytes->address, range.count) != range.count)
        st = bad_text(m);
    if (!st)
        st = make_views(m, offsets->address, bytes->address, range.first);
    dev_buffer_unref(offsets);
    return st;
}

static status make_fixed_texts(const making *m)
{
    dev_buffer *bytes;
    uint32_t width = m->field->width;
    string_view *views = m->t->values;
    TRY(hold_texts(m, m->rows.first * width, m->rows.count * width, m->first_buffer, &bytes));
    for (uint64_t row = 0; row < m->rows.count; row++)
        views[row] = string_view_make((const char *)bytes->address + row * width, width);
    return STATUS_OK;
}

/* ---- views ---- */

/* A text in an array of views: up to 12 bytes in place, else a buffer and a place in it. */
typedef struct arrow_view {
    uint32_t bytes;
    union {
        char inlined[STRING_INLINE_BYTES];
        struct {
            char prefix[4];
            uint32_t buffer, offset;
        };
    };
} arrow_view;

/* The part of a buffer that the rows need. */
typedef struct view_part {
    uint64_t first, end;
    const char *bytes;
} view_part;

static status measure_views(const making *m, const arrow_view *views, view_part *parts,
                            uint64_t part_count)
{
    for (uint64_t row = 0; row < m->rows.count; row++) {
        const arrow_view *v = &views[row];
        if (!arrowfile_values_is_valid(m->t, row) || v->bytes <= STRING_INLINE_BYTES)
            continue;
        if (v->buffer >= part_count)
            return wrong_arrow(m, "a view names a buffer that is not there");
        view_part *part = &parts[v->buffer];
        if (!part->end || v->offset < part->first)
            part->first = v->offset;
        if ((uint64_t)v->offset + v->bytes > part->end)
            part->end = (uint64_t)v->offset + v->bytes;
    }
    return STATUS_OK;
}

static status read_parts(const making *m, view_part *parts, uint64_t part_count,
                         dev_buffer **buffers, uint32_t *out_count)
{
    for (uint64_t i = 0; i < part_count; i++) {
        if (!parts[i].end)
            continue;
        uint64_t bytes = parts[i].end - parts[i].first;
        TRY(dev_alloc(m->maker->host, bytes, "Arrow texts", &buffers[*out_count]));
        dev_buffer_hold_texts(buffers[*out_count]);
        parts[i].bytes = buffers[(*out_count)++]->address;
        TRY(arrowfile_body_read(m->body, m->first_buffer + 1 + i, parts[i].first,
                                (void *)(uintptr_t)parts[i].bytes, bytes));
    }
    return STATUS_OK;
}

static status point_views(const making *m, const arrow_view *views, const view_part *parts)
{
    string_view *out = m->t->values;
    bool is_text = m->field->type.id == TYPE_VARCHAR;
    for (uint64_t row = 0; row < m->rows.count; row++) {
        const arrow_view *v = &views[row];
        out[row] = (string_view){0};
        if (!arrowfile_values_is_valid(m->t, row))
            continue;
        const char *text = v->inlined;
        if (v->bytes > STRING_INLINE_BYTES)
            text = parts[v->buffer].bytes + (v->offset - parts[v->buffer].first);
        if (is_text && utf8_valid_bytes(text, v->bytes) != v->bytes)
            return bad_text(m);
        out[row] = string_view_make(text, v->bytes);
    }
    return STATUS_OK;
}

static status make_views_of(const making *m, uint64_t part_count)
{
    dev_buffer *stored;
    uint32_t held = 0;
    view_part *parts = mem_new_array(part_count + 1, sizeof *parts);
    dev_buffer **buffers = mem_new_array(part_count + 1, sizeof *buffers);
    status st = parts && buffers ? STATUS_OK : status_no_memory("Arrow views", part_count * 32);
    if (!st)
        st = read_stored(m, m->first_buffer, m->rows.first * sizeof(arrow_view),
                         m->rows.count * sizeof(arrow_view), &stored);
    if (!st) {
        st = measure_views(m, stored->address, parts, part_count);
        if (!st)
            st = read_parts(m, parts, part_count, buffers, &held);
        status made = held ? string_heap_new(buffers, held, &m->t->heap) : STATUS_OK;
        if (!st && !made)
            st = point_views(m, stored->address, parts);
        if (!st)
            st = made;
        else
            status_free(made);
        dev_buffer_unref(stored);
    }
    mem_free(parts);
    mem_free(buffers);
    return st;
}

/* ---- fixed width ---- */

static status make_fixed(const making *m)
{
    dev_buffer *stored;
    const arrowfile_field *f = m->field;
    uint64_t from = m->rows.first * f->width, bytes = m->rows.count * f->width;
    if (f->conversion == ARROWFILE_FIXED_TEXT)
        return make_fixed_texts(m);
    if (f->conversion == ARROWFILE_AS_IT_IS)
        return arrowfile_body_read(m->body, m->first_buffer, from, m->t->values, bytes);
    TRY(read_stored(m, m->first_buffer, from, bytes, &stored));
    arrowfile_rows rows = {f, stored->address, m->t->validity, m->rows.count};
    status st = arrowfile_convert(&rows, m->t->values);
    dev_buffer_unref(stored);
    return st;
}

/* ---- nested values ---- */

static status check_child_rows(const making *m, arrowfile_range rows)
{
    return rows.count < ROW_NULL ? STATUS_OK
                                 : wrong_arrow(m, "lists have too many elements together");
}

static status make_children(const making *m, const arrowfile_field *children, uint32_t count,
                            arrowfile_cursor *cursor, arrowfile_range rows)
{
    tensor **made = mem_new_array(count, sizeof *made);
    if (!made)
        return status_no_memory("Arrow values", count * sizeof *made);
    status st = STATUS_OK;
    uint32_t done = 0;
    for (; done < count && !st; done++)
        st = arrowfile_values_make(m->maker, &children[done], cursor, rows, &made[done]);
    if (st)
        for (uint32_t i = 0; i < done; i++)
            tensor_unref(made[i]);
    else
        st = string_heap_new_children(made, count, rows.count, &m->t->heap);
    mem_free(made);
    return st;
}

/* Returns the child's rows, of a map's entries their two columns. */
static status make_list_elements(const making *m, arrowfile_cursor *cursor, arrowfile_range rows)
{
    const arrowfile_field *child = m->field->children;
    TRY(check_child_rows(m, rows));
    if (m->field->type.id != TYPE_MAP)
        return make_children(m, child, 1, cursor, rows);
    if (cursor->node >= m->body->nodes.count)
        return wrong_arrow(m, "the entries of maps are missing");
    const arrowfile_node *entries = &m->body->nodes.items[cursor->node++];
    cursor->buffer++;
    if (rows.first > entries->rows || rows.count > entries->rows - rows.first)
        return wrong_arrow(m, "offsets lie beyond the entries");
    rows.first += entries->offset;
    return make_children(m, child->children, 2, cursor, rows);
}

static status make_lists(const making *m, arrowfile_cursor *cursor)
{
    dev_buffer *offsets;
    arrowfile_range range;
    nested_value *values = m->t->values;
    uint32_t width = m->field->width;
    TRY(read_offsets(m, &offsets, &range));
    cursor->buffer++;
    status st = make_list_elements(m, cursor, range);
    for (uint64_t row = 0; !st && row < m->rows.count; row++) {
        uint64_t from = number_at(offsets->address, width, row);
        uint64_t end = number_at(offsets->address, width, row + 1);
        values[row] = (nested_value){(uint32_t)(from - range.first), (uint32_t)(end - from)};
    }
    dev_buffer_unref(offsets);
    return st;
}

static status measure_list_views(const making *m, const void *offsets, const void *lengths,
                                 arrowfile_range *out)
{
    uint64_t end = 0, first = UINT64_MAX;
    uint32_t width = m->field->width;
    for (uint64_t row = 0; row < m->rows.count; row++) {
        uint64_t from = number_at(offsets, width, row), length = number_at(lengths, width, row);
        if (!arrowfile_values_is_valid(m->t, row) || !length)
            continue;
        if (from > INT64_MAX || length > UINT32_MAX)
            return wrong_arrow(m, "a list has a negative place or length");
        first = from < first ? from : first;
        end = from + length > end ? from + length : end;
    }
    *out = first < end ? (arrowfile_range){first, end - first} : (arrowfile_range){0};
    return STATUS_OK;
}

static status make_list_views(const making *m, arrowfile_cursor *cursor)
{
    dev_buffer *offsets, *lengths = NULL;
    arrowfile_range range;
    nested_value *values = m->t->values;
    uint32_t width = m->field->width;
    uint64_t from = m->rows.first * width, bytes = m->rows.count * width;
    TRY(read_stored(m, m->first_buffer, from, bytes, &offsets));
    status st = read_stored(m, m->first_buffer + 1, from, bytes, &lengths);
    cursor->buffer += 2;
    if (!st)
        st = measure_list_views(m, offsets->address, lengths->address, &range);
    if (!st)
        st = make_list_elements(m, cursor, range);
    for (uint64_t row = 0; !st && row < m->rows.count; row++) {
        uint64_t length = number_at(lengths->address, width, row);
        uint64_t at = number_at(offsets->address, width, row) - range.first;
        values[row] = length ? (nested_value){(uint32_t)at, (uint32_t)length} : (nested_value){0};
    }
    dev_buffer_unref(offsets);
    dev_buffer_unref(lengths);
    return st;
}

static status make_fixed_lists(const making *m, arrowfile_cursor *cursor)
{
    uint64_t each = m->field->width;
    nested_value *values = m->t->values;
    arrowfile_range range;
    if (__builtin_mul_overflow(m->rows.first, each, &range.first) ||
        __builtin_mul_overflow(m->rows.count, each, &range.count))
        return wrong_arrow(m, "lists have too many elements together");
    TRY(make_list_elements(m, cursor, range));
    for (uint64_t row = 0; row < m->rows.count; row++)
        values[row] = (nested_value){(uint32_t)(row * each), (uint32_t)each};
    return STATUS_OK;
}

static status make_structs(const making *m, arrowfile_cursor *cursor)
{
    nested_value *values = m->t->values;
    TRY(check_child_rows(m, m->rows));
    TRY(make_children(m, m->field->children, m->field->child_count, cursor, m->rows));
    for (uint64_t row = 0; row < m->rows.count; row++)
        values[row] = (nested_value){(uint32_t)row, 1};
    return STATUS_OK;
}

/* ---- columns ---- */

static uint64_t count_view_buffers(const arrowfile_body *body, arrowfile_cursor *cursor)
{
    return cursor->views < body->view_buffers.count ? body->view_buffers.items[cursor->views++] : 0;
}

static status make_layout(const making *m, arrowfile_cursor *cursor)
{
    uint64_t parts;
    switch (m->field->layout) {
    case ARROWFILE_NULLS:
        memset(m->t->validity, 0, bitmap_bytes(m->rows.count));
        return STATUS_OK;
    case ARROWFILE_BITS:
        cursor->buffer++;
        return read_bits(m, m->first_buffer, m->rows, m->t->values);
    case ARROWFILE_FIXED:
        cursor->buffer++;
        return make_fixed(m);
    case ARROWFILE_OFFSETS:
        cursor->buffer += 2;
        return make_texts(m);
    case ARROWFILE_VIEWS:
        parts = count_view_buffers(m->body, cursor);
        cursor->buffer += 1 + parts;
        return make_views_of(m, parts);
    case ARROWFILE_LIST:
        return make_lists(m, cursor);
    case ARROWFILE_LIST_VIEW:
        return make_list_views(m, cursor);
    case ARROWFILE_FIXED_LIST:
        return make_fixed_lists(m, cursor);
    case ARROWFILE_STRUCT:
        return make_structs(m, cursor);
    }
    return STATUS_OK;
}

/* Takes the column's node and its bits; *out_has_nulls: rows may be NULL. */
static status begin_column(making *m, arrowfile_cursor *cursor, bool *out_has_nulls)
{
    const arrowfile_body *body = m->body;
    if (cursor->node >= body->nodes.count)
        return wrong_arrow(m, "the batch lacks it");
    const arrowfile_node *node = &body->nodes.items[cursor->node++];
    if (m->rows.first > node->rows || m->rows.count > node->rows - m->rows.first)
        return wrong_arrow(m, "it has fewer rows than it should");
    m->rows.first += node->offset;
    bool is_null = m->field->layout == ARROWFILE_NULLS && !m->field->has_dictionary;
    uint64_t bytes = 0;
    m->first_buffer = cursor->buffer;
    if (!is_null) {
        TRY(arrowfile_body_bytes(m->body, cursor->buffer++, &bytes));
        m->first_buffer++;
    }
    *out_has_nulls = is_null || (node->null_count && bytes);
    return STATUS_OK;
}

static status make_flat(making *m, arrowfile_cursor *cursor, bool has_nulls, tensor **out)
{
    TRY(tensor_new_flat(m->maker->host, m->field->type, m->rows.count, has_nulls, &m->t));
    status st = STATUS_OK;
    if (m->field->layout == ARROWFILE_NULLS)
        memset(m->t->values, 0, type_values_bytes(m->field->type, m->rows.count));
    else if (has_nulls)
        st = read_bits(m, m->first_buffer - 1, m->rows, m->t->validity);
    if (!st)
        st = make_layout(m, cursor);
    if (st) {
        tensor_unref(m->t);
        return st;
    }
    clear_nulls(m);
    *out = m->t;
    return STATUS_OK;
}

/* ---- dictionaries ---- */

static uint64_t code_at(const arrowfile_field *f, const void *codes, uint64_t row)
{
    uint64_t code = 0;
    memcpy(&code, (const char *)codes + row * f->code_width, f->code_width);
    unsigned unused = 64 - 8 * f->code_width;
    return f->has_signed_codes ? (uint64_t)((int64_t)(code << unused) >> unused) : code;
}

static status fill_index(const making *m, const void *codes, const uint64_t *valid, uint64_t rows,
                         row_index *index)
{
    for (uint64_t row = 0; row < m->rows.count; row++) {
        bool is_null = valid && !(valid[row / 64] >> row % 64 & 1);
        uint64_t code = is_null ? 0 : code_at(m->field, codes, row);
        if (!is_null && code >= rows)
            return wrong_arrow(m, "a code lies beyond its dictionary");
        index->rows[row] = is_null ? ROW_NULL : (uint32_t)code;
        index->has_nulls |= is_null;
    }
    return STATUS_OK;
}

static status make_index(const making *m, bool has_nulls, uint64_t rows, row_index *index)
{
    dev_buffer *codes, *valid = NULL;
    uint32_t width = m->field->code_width;
    TRY(read_stored(m, m->first_buffer, m->rows.first * width, m->rows.count * width, &codes));
    status st = STATUS_OK;
    if (has_nulls) {
        st = dev_alloc(m->maker->host, bitmap_bytes(m->rows.count) + 8, "Arrow values", &valid);
        if (!st)
            st = read_bits(m, m->first_buffer - 1, m->rows, valid->address);
    }
    if (!st)
        st = fill_index(m, codes->address, valid ? valid->address : NULL, rows, index);
    dev_buffer_unref(codes);
    dev_buffer_unref(valid);
    return st;
}

static status make_coded(making *m, arrowfile_cursor *cursor, bool has_nulls, tensor **out)
{
    tensor *base;
    row_index *index;
    uint64_t rows;
    dev_stream stream = {.dev = m->maker->host};
    cursor->buffer++;
    TRY(m->maker->dictionary(m->maker->context, m->field, &base, &rows));
    status st = row_index_new(m->maker->host, m->rows.count, &index);
    if (!st) {
        st = make_index(m, has_nulls, rows, index);
        if (!st)
            st =
                tensor_new_indexed(&stream, base, rows, index, dev_count_exact(m->rows.count), out);
        row_index_unref(index);
    }
    tensor_unref(base);
    return st;
}

status arrowfile_values_make(const arrowfile_maker *maker, const arrowfile_field *field,
                             arrowfile_cursor *cursor, arrowfile_range rows, tensor **out)
{
    bool has_nulls;
    making m = {.maker = maker, .body = maker->body, .field = field, .rows = rows};
    *out = NULL;
    TRY(begin_column(&m, cursor, &has_nulls));
    return field->has_dictionary ? make_coded(&m, cursor, has_nulls, out)
                                 : make_flat(&m, cursor, has_nulls, out);
}

status arrowfile_dictionary_make(const arrowfile_maker *maker, const arrowfile_field *field,
                                 arrowfile_range rows, tensor **out)
{
    arrowfile_cursor cursor = {0};
    arrowfile_field values = *field;
    values.has_dictionary = false;
    return arrowfile_values_make(maker, &values, &cursor, rows, out);
}

/* ---- columns that nobody wants ---- */

void arrowfile_skip(const arrowfile_body *body, const arrowfile_field *field,
                    arrowfile_cursor *cursor)
{
    static const uint8_t buffers[] = {
        [ARROWFILE_NULLS] = 0,     [ARROWFILE_BITS] = 2,       [ARROWFILE_FIXED] = 2,
        [ARROWFILE_OFFSETS] = 3,   [ARROWFILE_VIEWS] = 2,      [ARROWFILE_LIST] = 2,
        [ARROWFILE_LIST_VIEW] = 3, [ARROWFILE_FIXED_LIST] = 1, [ARROWFILE_STRUCT] = 1};
    cursor->node++;
    if (field->has_dictionary) {
        cursor->buffer += 2;
        return;
    }
    cursor->buffer += buffers[field->layout];
    if (field->layout == ARROWFILE_VIEWS)
        cursor->buffer += count_view_buffers(body, cursor);
    for (uint32_t i = 0; i < field->child_count; i++)
        arrowfile_skip(body, &field->children[i], cursor);
}
