/* column_cache.c - a hash table of column chunks, each a list of parts in the order of their rows. */
#include "exec/scan/column_cache.h"

#include "base/system/mutex.h"
#include "exec/scan/column_asked.h"
#include "exec/scan/column_part.h"

#include <stdlib.h>

#define BUCKET_COUNT 16384
/* More column chunks are not kept. */
#define COLUMN_COUNT_MAX (1u << 18)
/* Column chunks that are looked at for the one to go. */
#define SAMPLE_COUNT 16
/* If all have the same worth, one column chunk of REPLACED_OF takes another one's place: in a round through more than fits
 * most of what is kept stays, and is found in the next round. */
#define REPLACED_OF 16

struct cached_column {
    column_key key;
    uint64_t hash;
    _Atomic uint32_t references;  /* the table's is one */
    char *path, *name;            /* of its file, of its column; NULL: not known */
    pthread_mutex_t lock;         /* of the next ones: */
    ARRAY(column_part *) parts;   /* in the order of their rows, which no two share */
    column_dictionary dictionary; /* of the first part that is coded */
    /* Under the table's lock. */
    cached_column *next_in_bucket;
    size_t number;    /* in the table's list */
    bool is_kept;     /* by the table */
    bool may_replace; /* it may take the place of what is worth as much */
    uint64_t bytes;   /* of its parts and its dictionary */
    uint64_t saved;   /* nanoseconds that its parts took to decode */
    double worth;     /* the lowest goes first */
    uint64_t uses, last_statement;
};

static struct {
    pthread_mutex_t lock;
    cached_column *buckets[BUCKET_COUNT];
    ARRAY(cached_column *) list; /* all, in no order */
    device *memory; /* of parts: opened with the first, closed when all are forgotten */
    double floor;   /* the worth of what went last: what is used now is worth more */
    uint64_t random;
} table = {.lock = MUTEX_INITIALIZER, .random = 0x9e3779b97f4a7c15};

/* Bytes of all parts, also of those that are only in use any more. */
static _Atomic uint64_t held_bytes;
static _Atomic uint64_t statements;

uint64_t column_cache_statement(void)
{
    return atomic_fetch_add_explicit(&statements, 1, memory_order_relaxed) + 1;
}

/* ---- keys ---- */

static uint64_t key_hash(const column_key *key)
{
    uint64_t hash = column_key_mix(column_key_place(key), key->offset);
    hash = column_key_mix(hash, (uint64_t)key->type.id << 16 | key->type.precision << 8 |
                                    key->type.scale);
    return column_key_mix(hash, (uint64_t)key->replaces_text << 1 | key->ignores_checksums);
}

static bool are_equal(const column_key *a, const column_key *b)
{
    return file_version_equal(&a->version.file, &b->version.file) &&
           a->version.footer_hash == b->version.footer_hash && a->offset == b->offset &&
           type_equal(a->type, b->type) && a->replaces_text == b->replaces_text &&
           a->ignores_checksums == b->ignores_checksums;
}

bool column_key_of(const pq_table *table, pq_row_group_ref group_ref, uint32_t column,
                   column_key *out)
{
    const pq_table_file *f = &table->files.items[group_ref.file];
    memset(out, 0, sizeof *out);
    if (type_is_nested(table->columns.items[column].type))
        return false;
    out->type = table->columns.items[column].type;
    out->path = f->file->path;
    out->column = table->columns.items[column].name;
    out->offset = f->metadata->row_groups[group_ref.row_group]
                      .chunks[table->columns.items[column].leaf]
                      .offset;
    return f->footer && pq_footer_version(f->footer, f->file, &out->version);
}

/* ---- the table; with its lock held ---- */

static cached_column **bucket_of(uint64_t hash)
{
    return &table.buckets[hash >> 32 & (BUCKET_COUNT - 1)];
}

static cached_column *find(const column_key *key, uint64_t hash)
{
    cached_column *column = *bucket_of(hash);
    while (column && !(column->hash == hash && are_equal(&column->key, key)))
        column = column->next_in_bucket;
    return column;
}

static uint64_t draw(void)
{
    table.random ^= table.random << 13;
    table.random ^= table.random >> 7;
    table.random ^= table.random << 17;
    return table.random;
}

static double time_per_byte(const cached_column *column)
{
    return column->bytes ? (double)column->saved / (double)column->bytes : 0;
}

/* Takes it out of the table, whose reference the caller has from now on. */
static void take_out(cached_column *column)
{
    cached_column **at = bucket_of(column->hash);
    while (*at != column)
        at = &(*at)->next_in_bucket;
    *at = column->next_in_bucket;
    cached_column *last = table.list.items[--table.list.count];
    table.list.items[column->number] = last;
    last->number = column->number;
    column->is_kept = false;
}

/* The one to go, of a sample, but not `other`; NULL: there is none. */
static cached_column *least_worth(const cached_column *other)
{
    cached_column *least = NULL;
    for (int i = 0; i < SAMPLE_COUNT && table.list.count; i++) {
        cached_column *column = table.list.items[draw() % table.list.count];
        if (column != other && column->bytes && (!least || column->worth < least->worth))
            least = column;
    }
    return least;
}

/* ---- one column chunk ---- */

static cached_column *ref(cached_column *column)
{
    atomic_fetch_add_explicit(&column->references, 1, memory_order_relaxed);
    return column;
}

/* Gives a reference up; the column chunk goes with the last one. */
static void unref(cached_column *column)
{
    if (atomic_fetch_sub_explicit(&column->references, 1, memory_order_acq_rel) > 1)
        return;
    for (size_t i = 0; i < column->parts.count; i++)
        column_part_free(column->parts.items[i]);
    array_release(&column->parts);
    column_dictionary_release(&column->dictionary);
    mutex_destroy(&column->lock);
    mem_free(column->path);
    mem_free(column->name);
    atomic_fetch_sub_explicit(&held_bytes, column->bytes, memory_order_relaxed);
    mem_free(column);
}

void column_cache_close(cached_column *column)
{
    if (!column)
        return;
    mutex_lock(&table.lock); /* one of which nothing was kept does not stay */
    bool is_idle = column->is_kept && !column->bytes && atomic_load(&column->references) == 2;
    if (is_idle)
        take_out(column);
    mutex_unlock(&table.lock);
    if (is_idle)
        unref(column);
    unref(column);
}

static cached_column *column_cache_column_new(const column_key *key, uint64_t hash)
{
    cached_column *column = mem_new(sizeof *column);
    if (!column)
        return NULL;
    column->key = *key;
    /* Without memory for them it is listed without names. */
    column->path = key->path ? mem_copy_text(key->path, strlen(key->path)) : NULL;
    column->name = key->column ? mem_copy_text(key->column, strlen(key->column)) : NULL;
    column->hash = hash;
    atomic_init(&column->references, 1);
    mutex_init(&column->lock);
    return column;
}

/* With the table's lock held. False: no memory. */
static bool open_memory(void)
{
    mem_budget *budget;
    if (table.memory)
        return true;
    status st = mem_budget_new_of("cache_memory", 0, &budget);
    if (!st) {
        st = dev_open_cpu("auto", 0, budget, &table.memory);
        mem_budget_free(budget);
    }
    if (!st)
        dev_retire(table.memory); /* what is given back goes to the system */
    status_free(st);
    return !st;
}

/* With the table's lock held: puts a new one into the table. False: no memory. */
static bool insert(cached_column *column)
{
    status st = array_push(NULL, &table.list, column);
    if (st) {
        status_free(st);
        return false;
    }
    column->number = table.list.count - 1;
    column->is_kept = true;
    column->may_replace = draw() % REPLACED_OF == 0;
    column->worth = table.floor;
    column->next_in_bucket = *bucket_of(column->hash);
    *bucket_of(column->hash) = column;
    return true;
}

status column_cache_open(const column_key *key, column_cache_use use, cached_column **out)
{
    *out = NULL;
    if (!use.limit_bytes)
        return STATUS_OK;
    uint64_t hash = key_hash(key);
    mutex_lock(&table.lock);
    cached_column *column = find(key, hash), *made = NULL;
    bool is_wanted = !column && (column_asked_add(hash, use.statement) || use.is_filling);
    if (is_wanted && table.list.count < COLUMN_COUNT_MAX && open_memory()) {
        made = column_cache_column_new(key, hash);
        column = made && insert(made) ? made : NULL;
    }
    if (column) {
        column->worth = table.floor + time_per_byte(column);
        column->uses += column->bytes && column->last_statement != use.statement;
        column->last_statement = use.statement;
        *out = ref(column);
    }
    mutex_unlock(&table.lock);
    if (made && !column)
        unref(made);
    return STATUS_OK;
}

/* ---- its parts; with its lock held ---- */

/* The number of the first part that ends behind the row. */
static size_t part_at(const cached_column *column, uint64_t row)
{
    size_t low = 0, high = column->parts.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (column->parts.items[middle]->end > row)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* How many parts from `number` on have the rows [first, end) without a gap; 0: they have not. */
static size_t count_parts(const cached_column *column, size_t number, uint64_t first, uint64_t end)
{
    uint64_t row = first;
    size_t i = number;
    for (; i < column->parts.count && row < end; i++) {
        if (column->parts.items[i]->first > row)
            return 0;
        row = column->parts.items[i]->end;
    }
    return row < end ? 0 : i - number;
}

/* ---- reading ---- */

#define PARTS_MAX 64

static bool are_within(column_part *const *parts, size_t count, const int128 *range)
{
    for (size_t i = 0; i < count && range; i++) {
        const column_part *part = parts[i];
        if (!part->has_range)
            return false;
        if (part->least <= part->most && (part->least < range[0] || part->most > range[1]))
            return false;
    }
    return true;
}

/* Lists the parts that have the rows [first, first + count) without a gap; they live as long as the column chunk. Returns
 * how many; 0: they are not all there, or too many. */
static size_t list_parts(cached_column *column, uint64_t first, uint64_t count, column_part **parts)
{
    mutex_lock(&column->lock);
    size_t number = part_at(column, first);
    size_t found = count_parts(column, number, first, first + count);
    if (found > PARTS_MAX)
        found = 0;
    if (found)
        memcpy(parts, column->parts.items + number, found * sizeof *parts);
    mutex_unlock(&column->lock);
    return found;
}

/* Returns the share of `count` rows in the parts' bytes and time. */
static column_cache_gain gain_of(column_part *const *parts, size_t found, uint64_t count)
{
    column_cache_gain gain = {0, 0};
    uint64_t rows = 0;
    for (size_t i = 0; i < found; i++) {
        rows += parts[i]->end - parts[i]->first;
        gain.bytes += parts[i]->bytes;
        gain.nanoseconds += parts[i]->nanoseconds;
    }
    double share = rows ? (double)count / (double)rows : 0;
    return (column_cache_gain){(uint64_t)((double)gain.bytes * share),
                               (uint64_t)((double)gain.nanoseconds * share)};
}

bool column_cache_covers(cached_column *column, uint64_t first, uint64_t count, const int128 *range,
                         column_cache_gain *out)
{
    column_part *parts[PARTS_MAX];
    size_t found = list_parts(column, first, count, parts);
    *out = gain_of(parts, found, count);
    return found && column_part_can_read(parts[0], first) && are_within(parts, found, range);
}

status column_cache_slice(cached_column *column, dev_stream *stream, uint64_t first, uint64_t count,
                          tensor **out)
{
    column_part *parts[PARTS_MAX];
    *out = NULL;
    size_t found = list_parts(column, first, count, parts);
    if (!found || !column_part_can_read(parts[0], first))
        return STATUS_OK;
    return column_parts_read(stream, parts, found, first, count, out);
}

status column_cache_narrow(cached_column *column, uint64_t first, uint64_t count, tensor **out)
{
    column_part *parts[PARTS_MAX];
    *out = NULL;
    size_t found = list_parts(column, first, count, parts);
    return found == 1 ? column_part_narrow(parts[0], first, out) : STATUS_OK;
}

status column_cache_select(cached_column *column, dev_stream *stream, column_rows rows,
                           tensor **out)
{
    column_part *parts[PARTS_MAX];
    *out = NULL;
    size_t found = list_parts(column, rows.first, rows.count, parts);
    return found == 1 ? column_part_read_some(stream, parts[0], &rows, out) : STATUS_OK;
}

static bool has_all(cached_column *column, const pq_row_list *rows)
{
    bool has = true;
    mutex_lock(&column->lock);
    for (size_t i = 0; i < rows->count && has; i++) {
        const pq_row_range *range = &rows->items[i];
        has = count_parts(column, part_at(column, range->first), range->first, range->end);
    }
    mutex_unlock(&column->lock);
    return has;
}

bool column_cache_has(const column_key *key, column_cache_use use, const pq_row_list *rows)
{
    if (!use.limit_bytes)
        return false;
    uint64_t hash = key_hash(key);
    mutex_lock(&table.lock);
    cached_column *column = find(key, hash);
    if (column)
        ref(column);
    mutex_unlock(&table.lock);
    bool has = column && has_all(column, rows);
    column_cache_close(column);
    return has;
}

/* ---- keeping ---- */

/* Takes column chunks of less worth out until `bytes` more may be held, and links them into `gone` by next_in_bucket. Returns
 * whether they may. With the table's lock held. */
static bool make_room(cached_column *column, uint64_t bytes, uint64_t limit, double worth,
                      cached_column **gone)
{
    uint64_t freed = 0;
    while (atomic_load_explicit(&held_bytes, memory_order_relaxed) + bytes > limit + freed) {
        cached_column *least = least_worth(column);
        if (!least || least->worth > worth || (least->worth == worth && !column->may_replace) ||
            bytes > limit)
            return false;
        table.floor = least->worth > table.floor ? least->worth : table.floor;
        freed += least->bytes;
        take_out(least);
        least->next_in_bucket = *gone;
        *gone = least;
    }
    return true;
}

static void unref_all(cached_column *gone)
{
    while (gone) {
        cached_column *next = gone->next_in_bucket;
        unref(gone);
        gone = next;
    }
}

/* Returns whether there is room for the bytes, which are counted then. */
static bool reserve(cached_column *column, uint64_t bytes, uint64_t nanoseconds, uint64_t limit)
{
    cached_column *gone = NULL;
    mutex_lock(&table.lock);
    bool has_room = column->is_kept;
    if (has_room) {
        double worth =
            table.floor + (double)(column->saved + nanoseconds) / (double)(column->bytes + bytes);
        has_room = make_room(column, bytes, limit, worth, &gone);
        if (has_room) {
            column->bytes += bytes;
            column->saved += nanoseconds;
            column->worth = worth;
            atomic_fetch_add_explicit(&held_bytes, bytes, memory_order_relaxed);
        }
    }
    mutex_unlock(&table.lock);
    unref_all(gone);
    return has_room;
}

/* A part was not made, or is there already. */
static void give_up(cached_column *column, uint64_t bytes)
{
    mutex_lock(&table.lock);
    column->bytes -= bytes;
    mutex_unlock(&table.lock);
    atomic_fetch_sub_explicit(&held_bytes, bytes, memory_order_relaxed);
}

/* Puts the part among the others, unless rows of it are there. */
static bool put(cached_column *column, column_part *part)
{
    mutex_lock(&column->lock);
    size_t number = part_at(column, part->first);
    bool is_new = number == column->parts.count || column->parts.items[number]->first >= part->end;
    status st = is_new ? array_reserve(NULL, &column->parts, 1) : STATUS_OK;
    if (st) {
        status_free(st);
        is_new = false;
    }
    if (is_new) {
        column_part **at = column->parts.items + number;
        memmove(at + 1, at, (column->parts.count++ - number) * sizeof *at);
        *at = part;
    }
    mutex_unlock(&column->lock);
    return is_new;
}

static bool has_rows(cached_column *column, uint64_t first, uint64_t end)
{
    mutex_lock(&column->lock);
    size_t number = part_at(column, first);
    bool has = number < column->parts.count && column->parts.items[number]->first < end;
    mutex_unlock(&column->lock);
    return has;
}

/* Makes the column chunk's dictionary the first coded values', unless it has one or there is no room. */
static status make_dictionary(cached_column *column, uint64_t limit, const tensor *values)
{
    column_dictionary made;
    TRY(column_dictionary_make(table.memory, values, &made));
    uint64_t bytes = made.bytes;
    if (!reserve(column, bytes, 0, limit)) {
        column_dictionary_release(&made);
        return STATUS_OK;
    }
    mutex_lock(&column->lock);
    bool is_first = !column->dictionary.values;
    if (is_first)
        column->dictionary = made;
    mutex_unlock(&column->lock);
    if (!is_first) {
        column_dictionary_release(&made);
        give_up(column, bytes);
    }
    return STATUS_OK;
}

/* The column chunk's dictionary, which never changes once it is there; or NULL. */
static const column_dictionary *dictionary_of(cached_column *column)
{
    mutex_lock(&column->lock);
    bool is_there = column->dictionary.values;
    mutex_unlock(&column->lock);
    return is_there ? &column->dictionary : NULL;
}

static status add(cached_column *column, column_cache_use use, uint64_t first, uint64_t count,
                  const tensor *values, uint64_t nanoseconds)
{
    const column_dictionary *dictionary = NULL;
    column_part *part;
    if (column_is_coded(values)) {
        if (!dictionary_of(column))
            TRY(make_dictionary(column, use.limit_bytes, values));
        dictionary = dictionary_of(column);
        if (!dictionary || dictionary->rows != values->base_rows)
            return STATUS_OK;
    }
    TRY(column_part_new(table.memory, values, first, count, dictionary, &part));
    part->nanoseconds = nanoseconds;
    if (!reserve(column, part->bytes, nanoseconds, use.limit_bytes)) {
        column_part_free(part);
    } else if (!put(column, part)) {
        give_up(column, part->bytes);
        column_part_free(part);
    }
    return STATUS_OK;
}

status column_cache_add(cached_column *column, column_cache_use use, uint64_t first, uint64_t count,
                        const tensor *values, uint64_t nanoseconds)
{
    if (has_rows(column, first, first + count))
        return STATUS_OK;
    status st = add(column, use, first, count, values, nanoseconds);
    if (status_get_kind(st) != STATUS_KIND_NO_MEMORY)
        return st;
    status_free(st);
    return STATUS_OK;
}

/* ---- listing ---- */

typedef ARRAY(pq_kept_column) entry_list;
typedef ARRAY(cached_column *) column_list;

/* References to all column chunks. */
static status ref_all(column_list *out)
{
    status st = STATUS_OK;
    size_t wanted = 1;
    do {
        st = array_reserve(NULL, out, wanted);
        if (st)
            return st;
        mutex_lock(&table.lock);
        wanted = table.list.count;
        for (size_t i = 0; wanted <= out->capacity && i < wanted; i++)
            out->items[out->count++] = ref(table.list.items[i]);
        mutex_unlock(&table.lock);
    } while (wanted > out->capacity);
    return STATUS_OK;
}

static pq_kept_column describe(cached_column *column)
{
    static const char *const forms[] = {
        [COLUMN_NUMBERS] = "numbers", [COLUMN_CODES] = "codes", [COLUMN_PLAIN] = "plain"};
    pq_kept_column entry = {.path = column->path ? column->path : "",
                            .column = column->name ? column->name : ""};
    mutex_lock(&column->lock);
    for (size_t i = 0; i < column->parts.count; i++) {
        const column_part *part = column->parts.items[i];
        entry.form = forms[part->form];
        entry.width = part->width > entry.width ? part->width : entry.width;
        entry.rows += part->end - part->first;
    }
    mutex_unlock(&column->lock);
    mutex_lock(&table.lock);
    entry.bytes = column->bytes;
    entry.uses = column->uses;
    mutex_unlock(&table.lock);
    return entry;
}

/* Copies the names, which are the column chunks', into the arena. */
static status copy_names(arena *memory, entry_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        pq_kept_column *e = &list->items[i];
        e->path = arena_copy_text(memory, e->path, strlen(e->path));
        e->column = arena_copy_text(memory, e->column, strlen(e->column));
        if (!e->path || !e->column)
            return status_no_memory("column cache", sizeof *e);
    }
    return STATUS_OK;
}

status column_cache_list(arena *memory, pq_kept_column **out, size_t *out_count)
{
    column_list columns = {0};
    entry_list list = {0};
    status st = ref_all(&columns);
    for (size_t i = 0; i < columns.count && !st; i++) {
        pq_kept_column entry = describe(columns.items[i]);
        if (entry.form)
            st = array_push(memory, &list, entry);
    }
    if (!st && list.count) {
        list.count = pq_kept_merge(list.items, list.count);
        st = copy_names(memory, &list);
    }
    for (size_t i = 0; i < columns.count; i++)
        unref(columns.items[i]);
    array_release(&columns);
    *out = list.items;
    *out_count = list.count;
    return st;
}

/* ---- giving back ---- */

uint64_t column_cache_bytes(void)
{
    return atomic_load_explicit(&held_bytes, memory_order_relaxed);
}

void column_cache_give_back(uint64_t bytes)
{
    cached_column *gone = NULL, *least;
    uint64_t freed = 0;
    mutex_lock(&table.lock);
    while (freed < bytes && (least = least_worth(NULL))) {
        table.floor = least->worth > table.floor ? least->worth : table.floor;
        freed += least->bytes;
        take_out(least);
        least->next_in_bucket = gone;
        gone = least;
    }
    mutex_unlock(&table.lock);
    unref_all(gone);
}

void column_cache_forget(const pq_file_version *version)
{
    cached_column *gone = NULL;
    mutex_lock(&table.lock);
    for (size_t i = table.list.count;
         i-- > 0;) { /* the last one takes the place of one that goes */
        cached_column *column = table.list.items[i];
        if (!file_version_equal(&column->key.version.file, &version->file) ||
            column->key.version.footer_hash != version->footer_hash)
            continue;
        take_out(column);
        column_asked_forget(column->hash);
        column->next_in_bucket = gone;
        gone = column;
    }
    mutex_unlock(&table.lock);
    unref_all(gone);
}

void column_cache_clear(void)
{
    cached_column *gone = NULL;
    mutex_lock(&table.lock);
    while (table.list.count) {
        cached_column *column = table.list.items[table.list.count - 1];
        take_out(column);
        column->next_in_bucket = gone;
        gone = column;
    }
    array_release(&table.list);
    column_asked_clear();
    mutex_unlock(&table.lock);
    unref_all(gone);
    mutex_lock(&table.lock);
    device *memory = table.memory;
    bool is_unused = memory && !table.list.count && !mem_budget_used(memory->budget) &&
                     !mem_budget_exported(memory->budget);
    if (is_unused)
        table.memory = NULL;
    mutex_unlock(&table.lock);
    if (is_unused)
        dev_close(memory);
}
