/* writer_shred.c - see writer_shred.h. */
#include "parquet/write/writer_shred.h"

#include "device/nested_pack_bytes.h"

typedef struct shredder {
    const pq_leaf_place *leaf;
    const string_view *rows;
    uint64_t row_count;
    nested_bytes from;
    pq_shredded *out;
    bool has_null_key;
} shredder;

static void emit_levels(shredder *s, uint8_t definition, uint8_t repetition)
{
    pq_buffer_add_byte(&s->out->definition, definition);
    if (s->leaf->max_repetition)
        pq_buffer_add_byte(&s->out->repetition, repetition);
}

/* ---- values ---- */

/* Bytes of all rows: as many as texts of one leaf can have. */
static uint64_t bytes_of_rows(const shredder *s)
{
    const string_view *views = s->rows;
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < s->row_count; i++)
        bytes += views[i].bytes;
    return bytes;
}

/* A text lies in the row's bytes as it is, unless it has zeros. */
static bool emit_text(shredder *s)
{
    nested_bytes again = s->from;
    const char *text = (const char *)s->from.at;
    uint64_t bytes;
    if (!nested_take_text(&s->from, NULL, &bytes))
        return false;
    if ((uint64_t)(s->from.at - again.at) != bytes + 2) {
        pq_buffer *texts = &s->out->texts;
        if (!texts->items && !pq_buffer_room(texts, bytes_of_rows(s) + 1))
            return true; /* has_failed */
        char *to = (char *)texts->items + texts->count;
        (void)nested_take_text(&again, to, &bytes);
        texts->count += bytes;
        text = to;
    }
    string_view view = string_view_make(text, (uint32_t)bytes);
    pq_buffer_add(&s->out->values, &view, sizeof view);
    return true;
}

static bool emit_bool(shredder *s)
{
    uint8_t byte;
    pq_buffer *values = &s->out->values;
    uint64_t zero = 0, row = s->out->value_count;
    if (!nested_take_byte(&s->from, &byte))
        return false;
    if (row % 64 == 0)
        pq_buffer_add(values, &zero, sizeof zero);
    if (!values->has_failed)
        ((uint64_t *)(void *)values->items)[row / 64] |= (uint64_t)(byte & 1) << (row % 64);
    return true;
}

static bool emit_interval(shredder *s)
{
    uint128 number;
    if (!nested_take_number(&s->from, 16, &number))
        return false;
    const interval_value value = {(int32_t)(uint32_t)(number >> 96),
                                  (int32_t)(uint32_t)(number >> 64), (int64_t)(uint64_t)number};
    pq_buffer_add(&s->out->values, &value, sizeof value);
    return true;
}

static bool emit_value(shredder *s)
{
    data_type type = s->leaf->type;
    bool is_good;
    char value[16];
    if (type_is_text(type)) {
        is_good = emit_text(s);
    } else if (type.id == TYPE_BOOL) {
        is_good = emit_bool(s);
    } else if (type.id == TYPE_INTERVAL) {
        is_good = emit_interval(s);
    } else {
        is_good = nested_take_fixed(&s->from, type, value);
        pq_buffer_add(&s->out->values, value, type.width);
    }
    s->out->value_count++;
    return is_good;
}

/* ---- structures ---- */

static bool skip_value(shredder *s, data_type type);

static bool skip_child(shredder *s, data_type type, uint8_t lead)
{
    return lead == NESTED_IS_NULL || (lead == NESTED_IS_THERE && skip_value(s, type));
}

static bool skip_value(shredder *s, data_type type)
{
    uint8_t lead;
    uint64_t bytes;
    char value[16];
    if (!type_is_nested(type))
        return type_is_text(type)     ? nested_take_text(&s->from, NULL, &bytes)
               : type.id == TYPE_BOOL ? nested_take_byte(&s->from, &lead)
                                      : nested_take_fixed(&s->from, type, value);
    const nested_type *nested = nested_type_of(type);
    for (;;) {
        for (uint32_t i = 0; i < nested->field_count; i++) {
            if (!nested_take_byte(&s->from, &lead))
                return false;
            if (!i && lead == NESTED_END && type.id != TYPE_STRUCT)
                return true;
            if (!skip_child(s, nested->fields[i].type, lead))
                return false;
        }
        if (type.id == TYPE_STRUCT)
            return true;
    }
}

/* The levels of a place on the path to the leaf. */
typedef struct place {
    uint32_t step;
    uint8_t definition, repetition; /* what is there; where it repeats */
    uint8_t lists;                  /* lists and maps around it */
} place;

static bool shred_value(shredder *s, data_type type, place at);

/* A child on the path, which is led by a byte. `at`: of the child if it is NULL. */
static bool shred_child(shredder *s, data_type type, uint8_t lead, bool is_required, place at)
{
    if (lead == NESTED_IS_NULL) {
        s->has_null_key |= is_required;
        emit_levels(s, at.definition, at.repetition);
        return true;
    }
    at.definition += !is_required;
    return lead == NESTED_IS_THERE && shred_value(s, type, at);
}

/* The children of a struct or of an entry, the first of which is led by `lead`. */
static bool shred_children(shredder *s, data_type type, uint8_t lead, place at)
{
    const nested_type *nested = nested_type_of(type);
    uint32_t wanted = s->leaf->fields[at.step];
    at.step++;
    for (uint32_t i = 0; i < nested->field_count; i++) {
        data_type child = nested->fields[i].type;
        if (i && !nested_take_byte(&s->from, &lead))
            return false;
        bool is_required = type.id == TYPE_MAP && !i;
        if (is_required && lead == NESTED_IS_NULL)
            s->has_null_key = true;
        if (i == wanted ? !shred_child(s, child, lead, is_required, at)
                        : !skip_child(s, child, lead))
            return false;
    }
    return true;
}

static bool shred_entries(shredder *s, data_type type, place at)
{
    uint8_t lead;
    at.lists++;
    for (bool is_first = true;; is_first = false) {
        if (!nested_take_byte(&s->from, &lead))
            return false;
        if (lead == NESTED_END) {
            if (is_first)
                emit_levels(s, at.definition, at.repetition);
            return true;
        }
        place entry = at;
        entry.definition++;
        if (!is_first)
            entry.repetition = at.lists;
        if (!shred_children(s, type, lead, entry))
            return false;
    }
}

static bool shred_value(shredder *s, data_type type, place at)
{
    uint8_t lead;
    if (!type_is_nested(type)) {
        emit_levels(s, at.definition, at.repetition);
        return emit_value(s);
    }
    if (type.id != TYPE_STRUCT)
        return shred_entries(s, type, at);
    return nested_take_byte(&s->from, &lead) && shred_children(s, type, lead, at);
}

/* ---- rows ---- */

static bool writer_shred_is_there(const uint64_t *validity, uint64_t row)
{
    return !validity || (validity[row / 64] >> row % 64 & 1);
}

static status writer_shred_check_buffers(const pq_shredded *out)
{
    TRY(pq_buffer_check(&out->definition, "levels"));
    TRY(pq_buffer_check(&out->repetition, "levels"));
    TRY(pq_buffer_check(&out->values, "column"));
    return pq_buffer_check(&out->texts, "column");
}

status pq_shred(const pq_leaf_place *leaf, const string_view *rows, const uint64_t *validity,
                uint64_t row_count, pq_shredded *out)
{
    shredder s = {.leaf = leaf, .rows = rows, .row_count = row_count, .out = out};
    for (uint64_t row = 0; row < row_count; row++) {
        if (!writer_shred_is_there(validity, row)) {
            emit_levels(&s, 0, 0);
            continue;
        }
        s.from.at = (const uint8_t *)string_data(&rows[row]);
        s.from.end = s.from.at + rows[row].bytes;
        if (!shred_value(&s, leaf->top, (place){.definition = 1}))
            return status_new(STATUS_KIND_INTERNAL, "row %llu's bytes are not of its type",
                              (unsigned long long)row);
        if (s.has_null_key)
            return status_new(STATUS_KIND_DATA,
                              "row %llu of the row group has a map with a key that is NULL",
                              (unsigned long long)row);
    }
    return writer_shred_check_buffers(out);
}

void pq_shredded_release(pq_shredded *shredded)
{
    pq_buffer_release(&shredded->definition);
    pq_buffer_release(&shredded->repetition);
    pq_buffer_release(&shredded->values);
    pq_buffer_release(&shredded->texts);
}
