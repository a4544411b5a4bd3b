/* json_rows.c - objects, parsed by yyjson, row by row into columns. */
#include "textfile/read/json_rows.h"

#include "base/cancel.h"

/* Numbers stay what is written: decimals and long integers are read exactly. */
#define JSON_FLAGS (YYJSON_READ_NUMBER_AS_RAW)

status json_record_parse(const char *record, size_t bytes, json_memory *memory, yyjson_doc **out,
                         yyjson_read_err *out_error)
{
    json_memory_reset(memory);
    *out = yyjson_read_opts((char *)(uintptr_t)record, bytes, JSON_FLAGS, &memory->alc, out_error);
    bool has_memory = *out || out_error->code != YYJSON_READ_ERROR_MEMORY_ALLOCATION;
    return has_memory ? STATUS_OK : json_memory_failed(memory);
}

void json_making_release(json_making *making)
{
    json_names_release(&making->names);
    for (uint32_t i = 0; i < making->column_count; i++)
        json_part_free(making->columns[i].parts);
}

/* ---- rows ---- */

typedef struct json_maker {
    const json_making *making;
    json_column *columns;
    uint32_t column_count;
    uint32_t wanted_count; /* of columns; 0: records are only checked */
    uint32_t row;
    uint32_t set_count; /* of the row's wanted columns */
    json_texts texts;
    uint64_t *bad;
    json_wrong *wrong;
    json_wrong nested_wrong;
    json_nesting nesting;
    status failure; /* of a record of the usual form */
} json_maker;

/* Fields mostly come in the columns' order: `expected` is tried first. */
ALWAYS_INLINE json_column *json_find_column(const json_maker *m, uint32_t *expected,
                                            const char *name, size_t bytes)
{
    uint32_t at;
    return json_names_find(&m->making->names, expected, name, bytes, &at) ? &m->columns[at] : NULL;
}

static void json_set_null(json_column *c, uint32_t row)
{
    c->made->validity[row / 64] &= ~(UINT64_C(1) << row % 64);
    c->has_nulls = true;
    if (c->type.width)
        memset((char *)c->made->values + (size_t)row * c->type.width, 0, c->type.width);
}

/* Sets a value that is neither nested nor of the type json. False: it is not of the column's type. */
ALWAYS_INLINE bool set_scalar(json_maker *m, json_column *c, json_kind kind, const char *text,
                              size_t bytes)
{
    if (kind != JSON_NULL)
        return json_put_scalar(c->type, c->format, kind, text, bytes, &m->texts, c->made->values,
                               m->row);
    json_set_null(c, m->row);
    return true;
}

/* Notes that the row has a value of the column. False: it had one before. */
ALWAYS_INLINE bool mark_set(json_maker *m, json_column *c)
{
    if (c->rows == m->row + 1)
        return false;
    c->rows = m->row + 1;
    m->set_count++;
    if (c->parts)
        json_part_mark(c->parts);
    return true;
}

/* Takes back what the row has added to the parts of a nested column. */
static void undo_parts(const json_maker *m, const json_column *c)
{
    if (c->parts && c->rows == m->row + 1)
        json_part_undo(c->parts);
}

/* Sets the columns that the record does not have. */
static void set_missing(json_maker *m)
{
    for (uint32_t i = 0; i < m->column_count && m->set_count < m->wanted_count; i++)
        if (m->columns[i].is_wanted && m->columns[i].rows != m->row + 1) {
            json_set_null(&m->columns[i], m->row);
            m->set_count++;
        }
}

/* Takes back what the row has. */
static void forget_row(json_maker *m)
{
    m->set_count = 0;
    for (uint32_t i = 0; i < m->column_count; i++) {
        json_column *c = &m->columns[i];
        if (!c->is_wanted)
            continue;
        undo_parts(m, c);
        c->rows = m->row;
        c->made->validity[m->row / 64] |= UINT64_C(1) << m->row % 64;
        if (c->type.id == TYPE_BOOL)
            ((uint64_t *)c->made->values)[m->row / 64] &= ~(UINT64_C(1) << m->row % 64);
    }
}

/* ---- records of the usual form ---- */

/* Sets an array or object. False: as take_field; it may have failed. */
static bool take_nested(json_maker *m, json_column *c, const json_field *f)
{
    yyjson_doc *doc;
    yyjson_read_err error;
    string_view *view = (string_view *)c->made->values + m->row;
    if (!c->parts)
        return c->type.id == TYPE_VARCHAR && f->is_compact &&
               json_texts_put(&m->texts, f->text, f->bytes, view);
    m->nested_wrong.is_there = false;
    m->failure = json_record_parse(f->text, f->bytes, m->making->memory, &doc, &error);
    if (!m->failure && doc)
        m->failure = json_part_put(&m->nesting, c->parts, yyjson_doc_get_root(doc),
                                   (nested_value *)c->made->values + m->row);
    return !m->failure && doc && !m->nested_wrong.is_there;
}

/* Sets the text of a value that is not nested, with its quotes. */
static bool take_json(json_maker *m, const json_column *c, const json_field *f)
{
    bool is_text = f->kind == JSON_TEXT;
    return json_texts_put(&m->texts, f->text - is_text, f->bytes + 2 * is_text,
                          (string_view *)c->made->values + m->row);
}

/* False: the record has to be read by yyjson, which says what is wrong if anything is. */
ALWAYS_INLINE bool take_field(json_maker *m, uint32_t *expected, const json_field *f)
{
    json_column *c = json_find_column(m, expected, f->name, f->name_bytes);
    if (!c)
        return !m->making->refuses_others;
    if (!c->is_wanted)
        return true;
    if (!mark_set(m, c))
        return false;
    if (f->kind == JSON_NESTED)
        return take_nested(m, c, f);
    if (f->kind != JSON_NULL && (c->parts || type_is_json(c->type)))
        return !c->parts && take_json(m, c, f);
    return set_scalar(m, c, f->kind, f->text, f->bytes);
}

static bool make_usual_row(json_maker *m, const char *record, size_t bytes)
{
    json_walk walk;
    json_field f;
    json_step step = JSON_STEP_ODD;
    uint32_t expected = 0;
    char *at = m->texts.at;
    m->set_count = 0;
    if (m->making->has_whole_records || !json_walk_begin(&walk, record, bytes))
        return false;
    while ((step = json_walk_next(&walk, &f)) == JSON_STEP_FIELD)
        if (m->wanted_count && !take_field(m, &expected, &f))
            break;
    if (step == JSON_STEP_END) {
        set_missing(m);
        return true;
    }
    m->texts.at = at;
    forget_row(m);
    return false;
}

/* ---- other records ---- */

/* Notes a wrong record; false: that is the end. */
static bool json_set_wrong(json_maker *m, const json_wrong *wrong)
{
    for (uint32_t i = 0; i < m->column_count; i++) {
        if (!m->columns[i].is_wanted)
            continue;
        undo_parts(m, &m->columns[i]);
        json_set_null(&m->columns[i], m->row);
    }
    if (m->bad)
        m->bad[m->row / 64] |= UINT64_C(1) << m->row % 64;
    else
        *m->wrong = *wrong;
    return m->bad != NULL;
}

static bool wrong_value(json_maker *m, json_wrong wrong, const char *text, size_t bytes)
{
    wrong.row = m->row;
    json_wrong_note(&wrong, wrong.kind, text, bytes);
    return json_set_wrong(m, &wrong);
}

/* Sets an array or object of the document, or the JSON of any value. False: it is wrong, and that is the end. */
static status set_parts(json_maker *m, json_column *c, yyjson_val *v, bool *out_goes_on)
{
    m->nested_wrong = (json_wrong){.row = m->row, .column = (uint32_t)(c - m->columns)};
    TRY(json_part_put(&m->nesting, c->parts, v, (nested_value *)c->made->values + m->row));
    *out_goes_on = !m->nested_wrong.is_there || json_set_wrong(m, &m->nested_wrong);
    return STATUS_OK;
}

/* Sets a value of the document. *out_goes_on false: it is wrong, and that is the end. */
static status set_value(json_maker *m, json_column *c, yyjson_val *v, bool *out_goes_on)
{
    json_wrong wrong = {
        .kind = JSON_WRONG_VALUE, .column = (uint32_t)(c - m->columns), .type = c->type};
    json_kind kind = json_kind_of(v);
    string_view *view = (string_view *)c->made->values + m->row;
    bool is_json = type_is_json(c->type) || (kind == JSON_NESTED && c->type.id == TYPE_VARCHAR);
    *out_goes_on = true;
    if (kind != JSON_NULL && c->parts)
        return set_parts(m, c, v, out_goes_on);
    if (kind != JSON_NULL && is_json)
        return json_texts_put_json(&m->texts, m->making->memory, v, view)
                   ? STATUS_OK
                   : json_memory_failed(m->making->memory);
    size_t bytes = 5;
    const char *text = kind == JSON_NESTED ? "{...}" : json_scalar_text(v, &bytes);
    *out_goes_on = (kind != JSON_NESTED && set_scalar(m, c, kind, text, bytes)) ||
                   wrong_value(m, wrong, text, bytes);
    return STATUS_OK;
}

static status set_field(json_maker *m, uint32_t *expected, yyjson_val *key, bool *out_goes_on)
{
    const char *name = yyjson_get_str(key);
    size_t bytes = yyjson_get_len(key);
    json_column *c = json_find_column(m, expected, name, bytes);
    *out_goes_on = true;
    if (!c && m->making->refuses_others)
        *out_goes_on = wrong_value(m, (json_wrong){.kind = JSON_WRONG_FIELD}, name, bytes);
    else if (c && c->is_wanted && mark_set(m, c))
        return set_value(m, c, yyjson_obj_iter_get_val(key), out_goes_on);
    else if (c && c->is_wanted)
        *out_goes_on = wrong_value(m, (json_wrong){.kind = JSON_WRONG_TWICE}, name, bytes);
    return STATUS_OK;
}

static bool is_bad(const json_maker *m)
{
    return m->bad && (m->bad[m->row / 64] >> m->row % 64 & 1);
}

static status set_object(json_maker *m, yyjson_val *root, bool *out_goes_on)
{
    yyjson_obj_iter iterator;
    uint32_t expected = 0;
    *out_goes_on = true;
    if (!m->wanted_count)
        return STATUS_OK;
    yyjson_obj_iter_init(root, &iterator);
    for (yyjson_val *key; *out_goes_on && (key = yyjson_obj_iter_next(&iterator)) && !is_bad(m);)
        TRY(set_field(m, &expected, key, out_goes_on));
    return STATUS_OK;
}

/* Sets the column of records that are not objects. */
static status set_other(json_maker *m, yyjson_val *root, bool *out_goes_on)
{
    uint32_t first = 0;
    json_column *c = m->making->has_whole_records
                         ? m->columns
                         : json_find_column(m, &first, JSON_COLUMN, strlen(JSON_COLUMN));
    *out_goes_on = true;
    if (c && c->is_wanted && mark_set(m, c))
        return set_value(m, c, root, out_goes_on);
    if (!c && m->wanted_count)
        *out_goes_on = wrong_value(m, (json_wrong){.kind = JSON_WRONG_SHAPE}, "", 0);
    return STATUS_OK;
}

/* False: a wrong record ends the rows. */
static status make_odd_row(json_maker *m, const char *record, size_t bytes, bool *out_goes_on)
{
    yyjson_doc *doc;
    yyjson_read_err error;
    TRY(json_record_parse(record, bytes, m->making->memory, &doc, &error));
    if (!doc) {
        json_wrong wrong = {.is_there = true,
                            .row = m->row,
                            .offset = (uint32_t)error.pos,
                            .kind = JSON_WRONG_RECORD,
                            .message = error.msg};
        *out_goes_on = json_set_wrong(m, &wrong);
        return STATUS_OK;
    }
    yyjson_val *root = yyjson_doc_get_root(doc);
    bool is_object = yyjson_is_obj(root) && !m->making->has_whole_records;
    TRY((is_object ? set_object : set_other)(m, root, out_goes_on));
    if (*out_goes_on)
        set_missing(m);
    return STATUS_OK;
}

static status make_rows(json_maker *m, const csv_index *x, const char *text, size_t first,
                        uint32_t rows)
{
    bool goes_on = true;
    for (m->row = 0; m->row < rows && goes_on; m->row++) {
        uint32_t begin = x->begins.items[first + m->row];
        if (cancel_look(m->row))
            TRY(cancel_check());
        const char *record = text + begin;
        size_t bytes = x->ends.items[first + m->row] - begin;
        if (make_usual_row(m, record, bytes))
            continue;
        TRY(m->failure);
        TRY(make_odd_row(m, record, bytes, &goes_on));
    }
    return STATUS_OK;
}

/* ---- tensors ---- */

static status new_columns(json_maker *m, device *host, uint32_t rows, string_heap *heap)
{
    for (uint32_t i = 0; i < m->column_count; i++) {
        json_column *c = &m->columns[i];
        c->has_nulls = false;
        c->rows = 0;
        if (!c->is_wanted)
            continue;
        m->wanted_count++;
        TRY(tensor_new_flat(host, c->type, rows, true, &c->made));
        memset(c->made->validity, 0xff, bitmap_bytes(rows));
        if (c->type.id == TYPE_BOOL)
            memset(c->made->values, 0, bitmap_bytes(rows));
        if (c->type.id == TYPE_VARCHAR)
            c->made->heap = string_heap_ref(heap);
    }
    return STATUS_OK;
}

static void drop_columns(json_maker *m)
{
    for (uint32_t i = 0; i < m->column_count; i++) {
        tensor_unref(m->columns[i].made);
        m->columns[i].made = NULL;
        if (m->columns[i].parts)
            json_part_drop(m->columns[i].parts);
    }
}

static status finish_columns(const json_maker *m, string_heap *heap)
{
    for (uint32_t i = 0; i < m->column_count; i++) {
        const json_column *c = &m->columns[i];
        tensor *t = c->made;
        if (t && c->parts)
            TRY(json_part_finish(&m->nesting, c->parts, heap, t));
        if (!t || c->has_nulls)
            continue;
        dev_buffer_unref(t->validity_owner);
        t->validity_owner = NULL;
        t->validity = NULL;
    }
    return STATUS_OK;
}

/* Makes the columns, whose long texts are in the heap. */
static status json_rows_make_columns(json_maker *m, const csv_index *index, const char *text,
                                     size_t first, uint32_t rows, string_heap *heap)
{
    TRY(new_columns(m, m->making->host, rows, heap));
    TRY(make_rows(m, index, text, first, rows));
    return m->wrong->is_there ? STATUS_OK : finish_columns(m, heap);
}

status json_rows_make(const json_making *making, const csv_index *index, const char *text,
                      size_t first, uint32_t rows, uint64_t *bad, json_wrong *wrong)
{
    dev_buffer *buffer;
    string_heap *heap;
    size_t bytes = index->ends.items[first + rows - 1] - index->begins.items[first];
    json_maker m = {.making = making,
                    .columns = making->columns,
                    .column_count = making->column_count,
                    .bad = bad,
                    .wrong = wrong};
    m.nesting = (json_nesting){.host = making->host,
                               .texts = &m.texts,
                               .memory = making->memory,
                               .refuses_others = making->refuses_others,
                               .wrong = &m.nested_wrong};
    wrong->is_there = false;
    for (uint32_t i = 0; i < m.column_count; i++)
        m.columns[i].made = NULL;
    TRY(dev_alloc(making->host, bytes, "JSON texts", &buffer));
    dev_buffer_hold_texts(buffer);
    m.texts.at = buffer->address;
    m.texts.end = m.texts.at + bytes;
    TRY(string_heap_new(&buffer, 1, &heap));
    status st = json_rows_make_columns(&m, index, text, first, rows, heap);
    string_heap_unref(heap);
    if (st || wrong->is_there)
        drop_columns(&m);
    return st;
}
