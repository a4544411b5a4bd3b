/* json_rows.c - objects, parsed by yyjson, row by row into columns. */
#include "textfile/read/json_rows.h"

#include "base/cancel.h"

/* Numbers stay what is written: decimals and long integers are read exactly. */
#define JSON_FLAGS (YYJSON_READ_NUMBER_AS_RAW)

/* The record's document, in the memory until the next one; NULL: *out_error says why not. */
static status parse_record(const char *record, size_t bytes, json_memory *memory, yyjson_doc **out,
                           yyjson_read_err *out_error)
{
    json_memory_reset(memory);
    *out = yyjson_read_opts((char *)(uintptr_t)record, bytes, JSON_FLAGS, &memory->alc, out_error);
    bool has_memory = *out || out_error->code != YYJSON_READ_ERROR_MEMORY_ALLOCATION;
    return has_memory ? STATUS_OK : json_memory_failed(memory);
}

static json_kind kind_of(yyjson_val *v)
{
    switch (yyjson_get_type(v)) {
    case YYJSON_TYPE_BOOL:
        return JSON_BOOL;
    case YYJSON_TYPE_RAW:
    case YYJSON_TYPE_NUM:
        return JSON_NUMBER;
    case YYJSON_TYPE_STR:
        return JSON_TEXT;
    case YYJSON_TYPE_ARR:
    case YYJSON_TYPE_OBJ:
        return JSON_NESTED;
    default:
        return JSON_NULL;
    }
}

/* The text of a value that is not nested. */
static const char *scalar_text(yyjson_val *v, size_t *bytes)
{
    if (yyjson_is_bool(v)) {
        *bytes = yyjson_get_bool(v) ? 4 : 5;
        return yyjson_get_bool(v) ? "true" : "false";
    }
    *bytes = yyjson_get_len(v);
    return yyjson_is_raw(v) ? yyjson_get_raw(v) : yyjson_get_str(v);
}

status json_record_visit(const char *record, size_t bytes, json_memory *memory, json_visit *visit,
                         void *context, const char **out_message)
{
    yyjson_doc *doc;
    yyjson_read_err error;
    *out_message = NULL;
    TRY(parse_record(record, bytes, memory, &doc, &error));
    if (!doc) {
        *out_message = error.msg;
        return STATUS_OK;
    }
    yyjson_val *root = yyjson_doc_get_root(doc);
    yyjson_obj_iter iterator;
    size_t length = 0;
    if (!yyjson_is_obj(root)) {
        const char *text = kind_of(root) == JSON_NESTED ? "" : scalar_text(root, &length);
        visit(context, JSON_COLUMN, strlen(JSON_COLUMN), kind_of(root), text, length);
        return STATUS_OK;
    }
    yyjson_obj_iter_init(root, &iterator);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iterator));) {
        yyjson_val *v = yyjson_obj_iter_get_val(key);
        const char *text = kind_of(v) == JSON_NESTED ? "" : scalar_text(v, &length);
        visit(context, yyjson_get_str(key), yyjson_get_len(key), kind_of(v), text, length);
    }
    return STATUS_OK;
}

/* ---- rows ---- */

typedef struct json_maker {
    const json_making *making;
    json_column *columns;
    uint32_t column_count;
    uint32_t wanted_count; /* of columns; 0: records are only checked */
    uint32_t row;
    uint32_t set_count;    /* of the row's wanted columns */
    char *heap, *heap_end; /* for long texts */
    uint64_t *bad;
    json_wrong *wrong;
} json_maker;

static const text_rules json_rules; /* points, and no thousands */

static inline uint64_t word_at(const char *text)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
    return word;
}

/* Compares by words, because most names are too short for a call of memcmp to pay. */
static inline bool is_named(const json_column *c, const char *name, size_t bytes)
{
    if (c->name_bytes != bytes)
        return false;
    if (bytes < sizeof(uint64_t)) {
        for (size_t i = 0; i < bytes; i++)
            if (c->name[i] != name[i])
                return false;
        return true;
    }
    for (size_t i = 0; i + sizeof(uint64_t) < bytes; i += sizeof(uint64_t))
        if (word_at(c->name + i) != word_at(name + i))
            return false;
    return word_at(c->name + bytes - sizeof(uint64_t)) == word_at(name + bytes - sizeof(uint64_t));
}

/* Fields mostly come in the columns' order: `expected` is tried first. */
static json_column *json_find_column(const json_maker *m, uint32_t *expected, const char *name,
                                     size_t bytes)
{
    for (uint32_t i = 0; i < m->column_count; i++) {
        uint32_t at =
            *expected + i < m->column_count ? *expected + i : *expected + i - m->column_count;
        if (is_named(&m->columns[at], name, bytes)) {
            *expected = at + 1 < m->column_count ? at + 1 : 0;
            return &m->columns[at];
        }
    }
    return NULL;
}

static void json_set_null(json_column *c, uint32_t row)
{
    c->made->validity[row / 64] &= ~(UINT64_C(1) << row % 64);
    c->has_nulls = true;
    if (c->type.width)
        memset((char *)c->made->values + (size_t)row * c->type.width, 0, c->type.width);
}

/* False: there is no room, which cannot be. */
static bool set_text(json_maker *m, const json_column *c, const char *text, size_t bytes)
{
    string_view *views = c->made->values;
    if (bytes > STRING_INLINE_BYTES) {
        if ((size_t)(m->heap_end - m->heap) < bytes)
            return false;
        memcpy(m->heap, text, bytes);
        text = m->heap;
        m->heap += bytes;
    }
    views[m->row] = string_view_make(text, (uint32_t)bytes);
    return true;
}

/* The text of an object or array, without spaces: not longer than what it was read from. */
static bool set_nested(json_maker *m, const json_column *c, yyjson_val *v)
{
    size_t bytes;
    char *text =
        yyjson_val_write_opts(v, YYJSON_WRITE_NOFLAG, &m->making->memory->alc, &bytes, NULL);
    return text && set_text(m, c, text, bytes);
}

/* Sets a value that is not nested. False: it is not of the column's type. */
ALWAYS_INLINE bool set_scalar(json_maker *m, json_column *c, json_kind kind, const char *text,
                              size_t bytes)
{
    void *target = (char *)c->made->values + (size_t)m->row * c->type.width;
    bool is_plain = kind == JSON_NUMBER || kind == JSON_TEXT;
    bool boolean = false;
    if (kind == JSON_NULL) {
        json_set_null(c, m->row);
        return true;
    }
    if (c->type.id == TYPE_VARCHAR)
        return set_text(m, c, text, bytes);
    if (c->type.id == TYPE_INT64 && is_plain && parse_int64(text, bytes, target))
        return true;
    if (c->type.id == TYPE_DOUBLE && is_plain && parse_double(text, bytes, target))
        return true;
    if (c->type.id == TYPE_DATE && is_plain && !c->format && parse_date(text, bytes, target))
        return true;
    if (c->type.id != TYPE_BOOL)
        return text_parse_value(&json_rules, text, bytes, c->type, c->format, target);
    if (!bool_parse(text, bytes, &boolean))
        return false;
    ((uint64_t *)c->made->values)[m->row / 64] |= (uint64_t)boolean << m->row % 64;
    return true;
}

/* Notes that the row has a value of the column. False: it had one before. */
ALWAYS_INLINE bool mark_set(json_maker *m, json_column *c)
{
    if (c->rows == m->row + 1)
        return false;
    c->rows = m->row + 1;
    m->set_count++;
    return true;
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
        c->rows = m->row;
        c->made->validity[m->row / 64] |= UINT64_C(1) << m->row % 64;
        if (c->type.id == TYPE_BOOL)
            ((uint64_t *)c->made->values)[m->row / 64] &= ~(UINT64_C(1) << m->row % 64);
    }
}

/* ---- records of the usual form ---- */

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
        return c->type.id == TYPE_VARCHAR && f->is_compact && set_text(m, c, f->text, f->bytes);
    return set_scalar(m, c, f->kind, f->text, f->bytes);
}

static bool make_usual_row(json_maker *m, const char *record, size_t bytes)
{
    json_walk walk;
    json_field f;
    json_step step = JSON_STEP_ODD;
    uint32_t expected = 0;
    char *heap = m->heap;
    m->set_count = 0;
    if (!json_walk_begin(&walk, record, bytes))
        return false;
    while ((step = json_walk_next(&walk, &f)) == JSON_STEP_FIELD)
        if (m->wanted_count && !take_field(m, &expected, &f))
            break;
    if (step == JSON_STEP_END) {
        set_missing(m);
        return true;
    }
    m->heap = heap;
    forget_row(m);
    return false;
}

/* ---- other records ---- */

/* Notes a wrong record; false: that is the end. */
static bool json_set_wrong(json_maker *m, const json_wrong *wrong)
{
    for (uint32_t i = 0; i < m->column_count; i++)
        if (m->columns[i].is_wanted)
            json_set_null(&m->columns[i], m->row);
    if (m->bad)
        m->bad[m->row / 64] |= UINT64_C(1) << m->row % 64;
    else
        *m->wrong = *wrong;
    return m->bad != NULL;
}

static bool wrong_value(json_maker *m, json_wrong wrong, const char *text, size_t bytes)
{
    wrong.is_there = true;
    wrong.row = m->row;
    memcpy(wrong.value, text, bytes < sizeof wrong.value - 1 ? bytes : sizeof wrong.value - 1);
    return json_set_wrong(m, &wrong);
}

/* Sets a value of the document. False: it is wrong, and that is the end. */
static bool set_value(json_maker *m, json_column *c, yyjson_val *v)
{
    json_wrong wrong = {.kind = JSON_WRONG_VALUE, .column = (uint32_t)(c - m->columns)};
    json_kind kind = kind_of(v);
    if (kind == JSON_NESTED)
        return (c->type.id == TYPE_VARCHAR && set_nested(m, c, v)) ||
               wrong_value(m, wrong, "{...}", 5);
    size_t bytes = 0;
    const char *text = scalar_text(v, &bytes);
    return set_scalar(m, c, kind, text, bytes) || wrong_value(m, wrong, text, bytes);
}

static bool set_field(json_maker *m, uint32_t *expected, yyjson_val *key)
{
    const char *name = yyjson_get_str(key);
    size_t bytes = yyjson_get_len(key);
    json_column *c = json_find_column(m, expected, name, bytes);
    if (!c && m->making->refuses_others)
        return wrong_value(m, (json_wrong){.kind = JSON_WRONG_FIELD}, name, bytes);
    if (!c || !c->is_wanted)
        return true;
    if (!mark_set(m, c))
        return wrong_value(m, (json_wrong){.kind = JSON_WRONG_TWICE}, name, bytes);
    return set_value(m, c, yyjson_obj_iter_get_val(key));
}

static bool is_bad(const json_maker *m)
{
    return m->bad && (m->bad[m->row / 64] >> m->row % 64 & 1);
}

static bool set_object(json_maker *m, yyjson_val *root)
{
    yyjson_obj_iter iterator;
    uint32_t expected = 0;
    if (!m->wanted_count)
        return true;
    yyjson_obj_iter_init(root, &iterator);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iterator)) && !is_bad(m);)
        if (!set_field(m, &expected, key))
            return false;
    return true;
}

/* Sets the column of records that are not objects. */
static bool set_other(json_maker *m, yyjson_val *root)
{
    uint32_t first = 0;
    json_column *c = json_find_column(m, &first, JSON_COLUMN, strlen(JSON_COLUMN));
    if (!c && m->wanted_count)
        return wrong_value(m, (json_wrong){.kind = JSON_WRONG_SHAPE}, "", 0);
    return !c || !c->is_wanted || (mark_set(m, c) && set_value(m, c, root));
}

/* False: a wrong record ends the rows. */
static status make_odd_row(json_maker *m, const char *record, size_t bytes, bool *out_goes_on)
{
    yyjson_doc *doc;
    yyjson_read_err error;
    TRY(parse_record(record, bytes, m->making->memory, &doc, &error));
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
    *out_goes_on = yyjson_is_obj(root) ? set_object(m, root) : set_other(m, root);
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
        if (!make_usual_row(m, record, bytes))
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
    }
}

static void finish_columns(json_maker *m)
{
    for (uint32_t i = 0; i < m->column_count; i++) {
        tensor *t = m->columns[i].made;
        if (!t || m->columns[i].has_nulls)
            continue;
        dev_buffer_unref(t->validity_owner);
        t->validity_owner = NULL;
        t->validity = NULL;
    }
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
    wrong->is_there = false;
    for (uint32_t i = 0; i < m.column_count; i++)
        m.columns[i].made = NULL;
    TRY(dev_alloc(making->host, bytes, "JSON texts", &buffer));
    dev_buffer_hold_texts(buffer);
    m.heap = buffer->address;
    m.heap_end = m.heap + bytes;
    TRY(string_heap_new(&buffer, 1, &heap));
    status st = new_columns(&m, making->host, rows, heap);
    string_heap_unref(heap);
    if (!st)
        st = make_rows(&m, index, text, first, rows);
    if (st || wrong->is_there)
        drop_columns(&m);
    else
        finish_columns(&m);
    return st;
}
