/* iceberg_equality.c - rows of a data file that are equal to a deleted row in some columns.
 *
 * The deleted rows' values make a set of byte strings, in which those of each row of the data file are looked up. The form
 * of a value does not depend on how a file stores it: a column may have been widened between the two. One set has the
 * values of all deletes of the same columns and partition, each with the greatest sequence number of a delete that has it:
 * data files of lower numbers lose such rows. */
#include "base/cancel.h"
#include "base/system/mutex.h"
#include "lake/iceberg/iceberg_deletes.h"

#define FIRST_SLOTS 64

/* ---- sets ---- */

typedef struct equal_key {
    const uint8_t *bytes;
    size_t count;
    int64_t sequence;
} equal_key;

struct iceberg_equal_set {
    const iceberg_delete *like; /* one of its deletes */
    pthread_mutex_t lock;       /* while it is filled; it does not change after that */
    bool is_filled;
    arena *memory;
    uint64_t charged; /* of it */
    equal_key *slots;
    size_t slot_count, count;
};

static equal_key *find_slot(const iceberg_equal_set *set, const equal_key *key)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < key->count; i++)
        hash = (hash ^ key->bytes[i]) * 0x100000001b3;
    size_t at = (hash ^ hash >> 29) & (set->slot_count - 1);
    while (set->slots[at].bytes && (set->slots[at].count != key->count ||
                                    memcmp(set->slots[at].bytes, key->bytes, key->count) != 0))
        at = (at + 1) & (set->slot_count - 1);
    return &set->slots[at];
}

static status grow_set(iceberg_equal_set *set)
{
    iceberg_equal_set grown = {.slot_count = set->slot_count ? 2 * set->slot_count : FIRST_SLOTS};
    if (2 * (set->count + 1) <= set->slot_count)
        return STATUS_OK;
    grown.slots = arena_alloc_array(set->memory, grown.slot_count, sizeof *grown.slots);
    if (!grown.slots)
        return status_no_memory("lake", grown.slot_count * sizeof *grown.slots);
    for (size_t i = 0; i < set->slot_count; i++)
        if (set->slots[i].bytes)
            *find_slot(&grown, &set->slots[i]) = set->slots[i];
    set->slots = grown.slots;
    set->slot_count = grown.slot_count;
    return STATUS_OK;
}

static status iceberg_equality_add_key(iceberg_equal_set *set, const equal_key *key)
{
    TRY(grow_set(set));
    equal_key *slot = find_slot(set, key);
    if (slot->bytes) {
        slot->sequence = key->sequence > slot->sequence ? key->sequence : slot->sequence;
        return STATUS_OK;
    }
    slot->bytes =
        (const uint8_t *)arena_copy_text(set->memory, (const char *)key->bytes, key->count);
    slot->count = key->count;
    slot->sequence = key->sequence;
    set->count++;
    return slot->bytes ? STATUS_OK : status_no_memory("lake", key->count);
}

/* ---- values in one form ---- */

typedef ARRAY(uint8_t) key_bytes;

static status push_bytes(key_bytes *key, const void *bytes, uint32_t count)
{
    TRY(array_reserve(NULL, key, count + sizeof count + 1));
    key->items[key->count++] = 1;
    memcpy(key->items + key->count, &count, sizeof count);
    memcpy(key->items + key->count + sizeof count, bytes, count);
    key->count += sizeof count + count;
    return STATUS_OK;
}

static status push_null(key_bytes *key)
{
    return array_push(NULL, key, 0);
}

static int128 number_of(const pq_leaf *leaf, const leaf_value *v)
{
    int32_t narrow;
    int64_t wide;
    if (leaf->conversion == PQ_CONVERT_BIG) {
        uint128 number = v->count && v->bytes[0] & 0x80 ? ~(uint128)0 : 0;
        for (uint32_t i = 0; i < v->count; i++)
            number = number << 8 | v->bytes[i];
        return (int128)number;
    }
    if (v->count == sizeof narrow) {
        memcpy(&narrow, v->bytes, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, v->bytes, sizeof wide);
    return wide;
}

static double real_of(const leaf_value *v)
{
    float single;
    double real;
    if (v->count == sizeof single) {
        memcpy(&single, v->bytes, sizeof single);
        return (double)single;
    }
    memcpy(&real, v->bytes, sizeof real);
    return real;
}

static bool is_whole(data_type type)
{
    return type_is_integer(type) || type_is_time(type) || type.id == TYPE_TIME ||
           type.id == TYPE_DECIMAL;
}

/* A value that was read. */
static status push_value(key_bytes *key, const pq_leaf *leaf, const leaf_value *v)
{
    if (!v->bytes)
        return push_null(key);
    if (leaf->type.id == TYPE_FLOAT || leaf->type.id == TYPE_DOUBLE) {
        double real = real_of(v);
        return push_bytes(key, &real, sizeof real);
    }
    if (!is_whole(leaf->type))
        return push_bytes(key, v->bytes, v->count);
    int128 number = number_of(leaf, v);
    number = leaf->conversion == PQ_CONVERT_MILLIS  ? number * 1000
             : leaf->conversion == PQ_CONVERT_NANOS ? number / 1000
                                                    : number;
    return push_bytes(key, &number, sizeof number);
}

/* The value of a column that the file does not store. */
static status push_constant(key_bytes *key, const value *v)
{
    if (!v || v->is_null)
        return push_null(key);
    if (type_is_text(v->type))
        return push_bytes(key, v->text, (uint32_t)v->bytes);
    if (v->type.id == TYPE_FLOAT || v->type.id == TYPE_DOUBLE)
        return push_bytes(key, &v->f64, sizeof v->f64);
    if (v->type.id == TYPE_BOOL) {
        uint8_t byte = v->boolean;
        return push_bytes(key, &byte, 1);
    }
    if (!is_whole(v->type))
        return status_new(STATUS_KIND_UNSUPPORTED, "deletes by values of a column that the data "
                                                   "file does not have are not read for its type");
    int128 number = value_int128(v);
    return push_bytes(key, &number, sizeof number);
}

/* ---- files ---- */

/* A compared column in a file: a leaf, or a constant. */
typedef struct equal_column {
    int leaf; /* -1: none */
    const value *constant;
    leaf_values values;
} equal_column;

/* Deletes of the same columns that may concern a data file are of its partition, or of all. */
#define SETS_MAX 2

typedef struct equal_reader {
    const pq_given *given;
    pq_deletes *deletes;
    const iceberg_delete *like; /* a delete of the columns that are compared */
    const pq_given_file *told;  /* the data file; NULL: it is a file of deletes */
    int64_t sequence;           /* of either */
    iceberg_equal_set *sets[SETS_MAX];
    unsigned set_count;
    arena *memory, *scratch;
    equal_column *columns;
    key_bytes key;
    row_numbers *out;
} equal_reader;

static const pq_given_column *column_of_id(const pq_given *given, int32_t id, size_t *number)
{
    for (*number = 0; *number < given->columns.count; ++*number)
        if (given->columns.items[*number].field_id == id)
            return &given->columns.items[*number];
    return NULL;
}

static int leaf_of_column(const pq_metadata *m, int32_t id, const pq_given_column *column)
{
    bool has_ids = false;
    for (uint32_t i = 0; i < m->leaf_count; i++) {
        has_ids |= m->leaves[i].field_id != 0;
        if (m->leaves[i].field_id == id)
            return (int)i;
    }
    for (size_t n = 0; column && !has_ids && n < column->stored.count; n++) {
        int leaf = leaf_find(m, column->stored.items[n], "");
        if (leaf >= 0)
            return leaf;
    }
    return -1;
}

static status find_columns(equal_reader *r, const pq_metadata *m)
{
    const iceberg_delete *d = r->like;
    r->columns = arena_alloc_array(r->memory, d->ids.count + 1, sizeof *r->columns);
    if (!r->columns)
        return status_no_memory("lake", d->ids.count * sizeof *r->columns);
    for (size_t i = 0; i < d->ids.count; i++) {
        size_t number;
        const pq_given_column *column = column_of_id(r->given, d->ids.items[i], &number);
        int leaf = leaf_of_column(m, d->ids.items[i], column);
        const value *told =
            column && r->told && r->told->constants ? r->told->constants[number] : NULL;
        r->columns[i] = (equal_column){leaf, told ? told : column ? &column->missing : NULL, {0}};
        if (leaf < 0 && !r->told)
            return status_new(STATUS_KIND_CORRUPT,
                              "it does not have column %d, by which it deletes", d->ids.items[i]);
        if (leaf >= 0 && (m->leaves[leaf].max_repetition || m->leaves[leaf].physical == PQ_INT96))
            return status_new(STATUS_KIND_UNSUPPORTED,
                              "deletes by values of column \"%s\" are not read",
                              m->leaves[leaf].name);
    }
    return STATUS_OK;
}

/* Returns whether a delete that came after the data file has the key. */
static bool has_deleted(const equal_reader *r, const equal_key *key)
{
    for (unsigned i = 0; i < r->set_count; i++) {
        const equal_key *slot = r->sets[i]->count ? find_slot(r->sets[i], key) : NULL;
        if (slot && slot->bytes && slot->sequence > r->sequence)
            return true;
    }
    return false;
}

static status take_equal_row(equal_reader *r, const pq_metadata *m, size_t row, uint64_t number)
{
    r->key.count = 0;
    for (size_t i = 0; i < r->like->ids.count; i++) {
        const equal_column *c = &r->columns[i];
        TRY(c->leaf >= 0 ? push_value(&r->key, &m->leaves[c->leaf], &c->values.items[row])
                         : push_constant(&r->key, c->constant));
    }
    const equal_key key = {r->key.items, r->key.count, r->sequence};
    if (!r->told)
        return iceberg_equality_add_key(r->sets[0], &key);
    return has_deleted(r, &key) ? row_numbers_add(r->out, number) : STATUS_OK;
}

static status take_equal_rows(equal_reader *r, const file *f, const pq_metadata *m, uint32_t group,
                              uint64_t first)
{
    uint64_t rows = m->row_groups[group].row_count;
    for (size_t i = 0; i < r->like->ids.count; i++) {
        equal_column *c = &r->columns[i];
        if (c->leaf < 0)
            continue;
        TRY(leaf_read(r->scratch, f, m, group, (uint32_t)c->leaf, &c->values));
        if (c->values.count != rows)
            return status_new(STATUS_KIND_CORRUPT, "column \"%s\" has not as many values as rows",
                              m->leaves[c->leaf].name);
    }
    for (uint64_t row = 0; row < rows; row++) {
        if (cancel_look(row))
            TRY(cancel_check());
        TRY(take_equal_row(r, m, row, first + row));
    }
    return STATUS_OK;
}

/* Returns about how many bytes the row group takes while it is read, and what a set grows by. */
static uint64_t bytes_of_group(const equal_reader *r, const pq_metadata *m, uint32_t group)
{
    uint64_t bytes = 0, rows = m->row_groups[group].row_count;
    for (size_t i = 0; i < r->like->ids.count; i++)
        if (r->columns[i].leaf >= 0)
            bytes += leaf_read_bytes(m, group, (uint32_t)r->columns[i].leaf);
    return bytes + (r->told ? 0 : bytes / 2 + 4 * rows * sizeof(equal_key));
}

static status read_equal_group(equal_reader *r, const file *f, const pq_metadata *m, uint32_t group,
                               uint64_t first)
{
    uint64_t bytes = bytes_of_group(r, m, group);
    TRY(pq_deletes_take(r->deletes, bytes));
    status st = arena_new(&r->scratch);
    if (!st) {
        st = take_equal_rows(r, f, m, group, first);
        arena_free(r->scratch);
    }
    pq_deletes_give(r->deletes, bytes);
    return st;
}

/* Charges what the set has grown by. */
static status charge_set(equal_reader *r)
{
    iceberg_equal_set *set = r->sets[0];
    uint64_t bytes = arena_bytes(set->memory), more = bytes - set->charged;
    TRY(pq_deletes_take(r->deletes, more));
    set->charged = bytes;
    return STATUS_OK;
}

static status read_equal_groups(equal_reader *r, const file *f, const pq_metadata *m)
{
    uint64_t first = 0;
    TRY(find_columns(r, m));
    for (uint32_t g = 0; g < m->row_group_count; g++) {
        TRY(read_equal_group(r, f, m, g, first));
        if (!r->told)
            TRY(charge_set(r));
        first += m->row_groups[g].row_count;
    }
    return STATUS_OK;
}

static status read_equal_file(equal_reader *r, const char *path)
{
    file *f;
    pq_footer *footer;
    TRY(file_open(path, &f));
    status st = pq_footer_open(f, true, &footer);
    if (!st) {
        st = arena_new(&r->memory);
        if (!st) {
            st = read_equal_groups(r, f, pq_footer_metadata(footer));
            arena_free(r->memory);
        }
        pq_footer_unref(footer);
    }
    file_close(f);
    array_release(&r->key);
    return status_context(st, "file \"%s\"", path);
}

/* ---- sets of a statement ---- */

static bool is_of_set(const iceberg_delete *a, const iceberg_delete *b)
{
    return iceberg_compares_same(a, b) && a->is_global == b->is_global &&
           (a->is_global || (a->spec_id == b->spec_id && !strcmp(a->partition, b->partition)));
}

/* With the set's lock held. */
static status fill_set(pq_deletes *deletes, iceberg_equal_set *set)
{
    const iceberg_kept *kept = pq_deletes_kept(deletes);
    equal_reader r = {
        .given = kept->given, .deletes = deletes, .like = set->like, .sets = {set}, .set_count = 1};
    for (size_t i = 0; i < kept->deletes->count && !set->is_filled; i++) {
        const iceberg_delete *d = &kept->deletes->items[i];
        r.sequence = d->sequence;
        if (is_of_set(d, set->like))
            TRY(read_equal_file(&r, d->path));
    }
    set->is_filled = true;
    return STATUS_OK;
}

/* With the list's lock held. */
static status find_set(iceberg_kept *kept, const iceberg_delete *d, iceberg_equal_set **out)
{
    for (size_t i = 0; i < kept->equal.count; i++)
        if (is_of_set(kept->equal.items[i]->like, d)) {
            *out = kept->equal.items[i];
            return STATUS_OK;
        }
    iceberg_equal_set *set = *out = mem_new(sizeof *set);
    if (!set)
        return status_no_memory("deleted rows", sizeof *set);
    set->like = d;
    mutex_init(&set->lock);
    status st = arena_new(&set->memory);
    if (!st)
        st = array_push(NULL, &kept->equal, set);
    if (st)
        iceberg_equal_set_free(set);
    return st;
}

void iceberg_equal_set_free(iceberg_equal_set *set)
{
    arena_free(set->memory);
    mutex_destroy(&set->lock);
    mem_free(set);
}

/* Finds the set that has the delete, and fills it. */
static status use_set(equal_reader *r, const iceberg_delete *d)
{
    iceberg_kept *kept = pq_deletes_kept(r->deletes);
    iceberg_equal_set *set = NULL;
    mutex_lock(&kept->lock);
    status st = find_set(kept, d, &set);
    mutex_unlock(&kept->lock);
    TRY(st);
    for (unsigned i = 0; i < r->set_count; i++)
        if (r->sets[i] == set)
            return STATUS_OK;
    mutex_lock(&set->lock);
    st = fill_set(r->deletes, set);
    mutex_unlock(&set->lock);
    if (!st && r->set_count < SETS_MAX)
        r->sets[r->set_count++] = set;
    return st;
}

status iceberg_read_equal(pq_deletes *deletes, const pq_given_file *f, size_t first,
                          row_numbers *out)
{
    const iceberg_deletes_of *of = f->deletes;
    equal_reader r = {.given = pq_deletes_given(deletes),
                      .deletes = deletes,
                      .like = of->list.items[first],
                      .told = f,
                      .sequence = of->sequence,
                      .out = out};
    if (!r.like->ids.count)
        return status_new(STATUS_KIND_CORRUPT, "the manifest does not say by which columns it "
                                               "deletes");
    for (size_t i = first; i < of->list.count; i++)
        if (iceberg_compares_same(r.like, of->list.items[i]))
            TRY(use_set(&r, of->list.items[i]));
    return read_equal_file(&r, f->path);
}
