/* aggregate_codes.c - groups by position: each key has a code, and the codes are digits of the
 * group's number.
 *
 * A number's code is its distance from a minimum. A text's code is that of its entry in a table of
 * texts; where the column is dictionary-encoded the entries of a dictionary are looked up once. */
#include "exec/aggregate/aggregate_codes.h"

#include "device/transfer.h"
#include "exec/aggregate/aggregate_state_ops.h"
#include "exec/aggregate/aggregate_table.h"

#define SMALL_DOMAIN 4096       /* always worth it */
#define MIXED_DOMAIN 65536      /* several keys, or text */
#define DENSE_DOMAIN (1u << 26) /* one integer key */
#define CODES_PER_ROW 4         /* codes that may go unused for each row that has come */
#define CODES_PER_ROW_LATER 32  /* once there is a table: its last codes come late */
#define DICTIONARY_ROWS 4096
#define ROWS_PER_ENTRY 4  /* of a base that was not made as a dictionary */
#define CODES_KEYS_MAX 16 /* a key has two codes at least, and several share MIXED_DOMAIN */

bool codes_key_is_integer(data_type type)
{
    switch (type.id) {
    case TYPE_UINT64: /* may not fit an int64_t */
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
    case TYPE_INTERVAL:
    case TYPE_VARCHAR:
    case TYPE_BLOB:
    case TYPE_NULL:
        return false;
    default:
        return type.width <= 8;
    }
}

status codes_statistics_ask(dev_stream *stream, const tensor *key, dev_count rows, dev_fetch *out)
{
    dev_buffer *words;
    TRY(dev_words_new(stream, KEY_STATISTICS, &words));
    status st = DEV_LAUNCH(stream, key_statistics, .type = key->type, .values = key->values,
                           .validity = key->validity, .count = rows, .out = words->address);
    if (!st)
        st = dev_fetch_start(stream, words->address, KEY_STATISTICS, out);
    dev_buffer_unref(words);
    return st;
}

status codes_statistics(dev_stream *stream, const tensor *key, dev_count rows,
                        int64_t out[KEY_STATISTICS])
{
    dev_fetch asked;
    TRY(codes_statistics_ask(stream, key, rows, &asked));
    return dev_fetch_finish(stream, &asked, (uint64_t *)out);
}

/* ---- which codes ---- */

/* Texts that are looked up once for all rows that have them: a dictionary's, which come with other
 * chunks, too, and what was computed of one. */
static bool has_entries(const tensor *key, dev_count rows)
{
    return key->form == TENSOR_INDEXED && !key->base->validity && tensor_has_whole_base(key) &&
           (key->is_dictionary || key->base_rows <= rows.bound / ROWS_PER_ENTRY);
}

static uint32_t power_of_two_above(uint64_t number)
{
    uint32_t power = 8;
    while (power < number)
        power *= 2;
    return power;
}

/* A text key's radix, with room for texts to come; 0: none. */
static uint32_t text_radix(const code_key *old, const tensor *key, dev_count rows)
{
    uint64_t texts = old ? old->texts.count : 0;
    if (has_entries(key, rows))
        texts += key->base_rows;
    else if (!old)
        return 0;
    return texts > DICTIONARY_ROWS ? 0 : power_of_two_above(texts + 1);
}

/* A number's minimum and radix over old codes and these rows; radix 0: none. */
static status number_radix(exec_task *task, const code_key *old, tensor *key, dev_count rows,
                           int64_t *minimum, uint64_t *radix)
{
    int64_t statistics[KEY_STATISTICS], least, greatest;
    tensor *flat;
    TRY(tensor_flatten(task->stream, key, rows, &flat));
    status st = codes_statistics(task->stream, flat, rows, statistics);
    tensor_unref(flat);
    TRY(st);
    least = statistics[KEY_VALUES] ? statistics[KEY_MINIMUM] : 0;
    greatest = statistics[KEY_VALUES] ? statistics[KEY_MAXIMUM] : 0;
    *radix = 0;
    if (old) {
        /* The table may grow again at the end at which it grew. */
        int64_t last = code_key_last(old);
        int64_t more = old->radix / (old->radix < SMALL_DOMAIN ? 2 : 8);
        bool falls = statistics[KEY_VALUES] && least < old->minimum;
        bool rises = statistics[KEY_VALUES] && greatest > last;
        if (!statistics[KEY_VALUES])
            least = old->minimum, greatest = last;
        if (falls && __builtin_sub_overflow(least, more, &least))
            return STATUS_OK;
        if (rises && __builtin_add_overflow(greatest, more, &greatest))
            return STATUS_OK;
        least = least < old->minimum ? least : old->minimum;
        greatest = greatest > last ? greatest : last;
    }
    uint64_t distance = (uint64_t)greatest - (uint64_t)least;
    *minimum = least;
    *radix = distance < DENSE_DOMAIN ? distance + 2 : 0;
    return STATUS_OK;
}

bool codes_table_fits(const aggregate_core *core, int source, uint64_t domain)
{
    uint64_t bytes = 1; /* a mark, and states */
    state_range states = aggregate_core_states(core, source);
    for (uint32_t i = states.first; i < states.end; i++)
        bytes += core->states[i].ops == &aggregate_state_count ? sizeof(uint64_t) : sizeof(int128);
    return !core->codes_bytes_max || domain <= core->codes_bytes_max / bytes;
}

static bool suits(const aggregate_core *core, bool has_text, bool is_first, uint64_t domain,
                  uint64_t rows)
{
    uint64_t most = core->key_count == 1 && !has_text ? DENSE_DOMAIN : MIXED_DOMAIN;
    return domain <= SMALL_DOMAIN ||
           (domain <= most && domain / (is_first ? CODES_PER_ROW : CODES_PER_ROW_LATER) <= rows);
}

static status init_texts(const aggregate_core *core, code_key *code, data_type type)
{
    code->is_interned = true;
    TRY(key_layout_init(&code->layout, &type, 1, false));
    hash_groups_init(&code->texts, &code->layout, core->who);
    return STATUS_OK;
}

static status make_table(const aggregate_core *core, dev_stream *stream, int source,
                         const int64_t *minima, const uint64_t *radixes, uint64_t domain,
                         aggregate_table **out)
{
    aggregate_table *table;
    status st = STATUS_OK;
    uint32_t digit = 1;
    TRY(aggregate_table_new(core, stream, TABLE_CODES, source, NULL, domain, &table));
    for (uint32_t k = 0; k < core->key_count && !st; k++) {
        table->codes[k] =
            (code_key){.minimum = minima[k], .radix = (uint32_t)radixes[k], .digit = digit};
        digit *= (uint32_t)radixes[k];
        if (type_is_text(core->key_types[k]))
            st = init_texts(core, &table->codes[k], core->key_types[k]);
    }
    if (st) {
        aggregate_table_free(core, table);
        return st;
    }
    *out = table;
    return STATUS_OK;
}

status codes_table_dense(const aggregate_core *core, dev_stream *stream, int source,
                         int64_t minimum, int64_t maximum, aggregate_table **out)
{
    uint64_t radix = (uint64_t)maximum - (uint64_t)minimum + 2;
    return make_table(core, stream, source, &minimum, &radix, radix, out);
}

status codes_table_try(const aggregate_core *core, exec_task *task, int source,
                       const aggregate_table *old, tensor *const *keys, dev_count rows,
                       uint64_t all_rows, aggregate_table **out)
{
    int64_t minima[CODES_KEYS_MAX] = {0};
    uint64_t radixes[CODES_KEYS_MAX], domain = 1;
    bool has_text = false;
    *out = NULL;
    if (core->key_count > CODES_KEYS_MAX)
        return STATUS_OK;
    for (uint32_t k = 0; k < core->key_count; k++) {
        const code_key *code = old ? &old->codes[k] : NULL;
        if (type_is_text(core->key_types[k])) {
            has_text = true;
            radixes[k] = text_radix(code, keys[k], rows);
        } else if (codes_key_is_integer(core->key_types[k])) {
            TRY(number_radix(task, code, keys[k], rows, &minima[k], &radixes[k]));
        } else {
            return STATUS_OK;
        }
        if (!radixes[k])
            return STATUS_OK;
        domain *= radixes[k];
        if (!suits(core, has_text, !old, domain, all_rows) ||
            !codes_table_fits(core, source, domain))
            return STATUS_OK;
    }
    aggregate_table *table;
    TRY(make_table(core, task->stream, source, minima, radixes, domain, &table));
    status st = old ? aggregate_table_absorb(core, task, table, old) : STATUS_OK;
    if (st) {
        aggregate_table_free(core, table);
        return st;
    }
    *out = table;
    return STATUS_OK;
}

void codes_table_release(const aggregate_core *core, aggregate_table *table)
{
    for (uint32_t k = 0; table->codes && k < core->key_count; k++) {
        code_key *code = &table->codes[k];
        hash_groups_release(&code->texts);
        key_layout_release(&code->layout);
        tensor_unref(code->base);
        row_index_unref(code->ids);
    }
    mem_free(table->codes);
    table->codes = NULL;
}

/* ---- the codes of rows ---- */

/* Numbers of FLAT texts. */
static status intern(exec_task *task, code_key *code, tensor *texts, dev_count rows,
                     row_index **out)
{
    packed_rows packed = {.count = rows, .columns = &texts, .column_count = 1};
    dev_buffer *owner = NULL;
    TRY(row_index_new(task->stream->dev, rows.bound, out));
    status st = key_layout_pack(&code->layout, task, &texts, rows, &packed.rows, &owner);
    if (!st)
        st = hash_groups_find(&code->texts, task->stream, &packed, (*out)->rows);
    if (!st)
        st = hash_groups_ask(&code->texts, task->stream);
    dev_buffer_unref(owner);
    return st;
}

static status intern_dictionary(exec_task *task, code_key *code, const tensor *key)
{
    if (code->base == key->base && code->base_rows == key->base_rows)
        return STATUS_OK;
    tensor_unref(code->base);
    row_index_unref(code->ids);
    code->ids = NULL;
    code->base = tensor_ref(key->base);
    code->base_rows = key->base_rows;
    return intern(task, code, key->base, dev_count_exact(key->base_rows), &code->ids);
}

static status find_text(exec_task *task, code_key *code, tensor *key, dev_count rows, bool combine,
                        uint64_t *violations, bool *fits, uint32_t *out)
{
    bool is_host = task->stream->dev->is_host;
    tensor *flat = NULL;
    row_index *ids = NULL;
    const uint32_t *index = NULL;
    status st = STATUS_OK;
    if (has_entries(key, rows)) {
        TRY(intern_dictionary(task, code, key));
        ids = row_index_ref(code->ids);
        index = key->index->rows;
    } else {
        TRY(tensor_flatten(task->stream, key, rows, &flat));
        *fits = !flat->validity; /* a NULL has no entry */
        if (*fits)
            st = intern(task, code, flat, rows, &ids);
    }
    /* On lazy devices there are fewer texts than the bound, perhaps. */
    bool may_have_more = code->texts.count >= code->radix;
    *fits &= !is_host || !may_have_more;
    if (!st && *fits)
        st = DEV_LAUNCH(task->stream, codes_index, .ids = ids->rows, .id_count = code->base_rows,
                        .index = index, .count = rows, .radix = code->radix, .digit = code->digit,
                        .combine = combine, .violations = may_have_more ? violations : NULL,
                        .out = out);
    tensor_unref(flat);
    row_index_unref(ids);
    return st;
}

static status find_number(exec_task *task, const code_key *code, tensor *key, dev_count rows,
                          bool combine, uint64_t *violations, uint32_t *out)
{
    tensor *flat;
    TRY(tensor_flatten(task->stream, key, rows, &flat));
    status st = DEV_LAUNCH(task->stream, codes_number, .type = flat->type, .values = flat->values,
                           .validity = flat->validity, .count = rows, .minimum = code->minimum,
                           .radix = code->radix, .digit = code->digit, .combine = combine,
                           .violations = violations, .out = out);
    tensor_unref(flat);
    return st;
}

static status start(const aggregate_core *core, exec_task *task, aggregate_table *table,
                    tensor *const *keys, dev_count rows, bool *fits, codes_lookup *lookup)
{
    *fits = true;
    TRY(row_index_new(core->dev, rows.bound, &lookup->groups));
    TRY(dev_words_new(task->stream, 1, &lookup->violations));
    uint64_t *violations = lookup->violations->address;
    for (uint32_t k = 0; k < core->key_count && *fits; k++) {
        code_key *code = &table->codes[k];
        uint32_t *out = lookup->groups->rows;
        if (code->is_interned)
            TRY(find_text(task, code, keys[k], rows, k > 0, violations, fits, out));
        else
            TRY(find_number(task, code, keys[k], rows, k > 0, violations, out));
    }
    return *fits ? dev_fetch_start(task->stream, violations, 1, &lookup->asked) : STATUS_OK;
}

status codes_lookup_start(const aggregate_core *core, exec_task *task, aggregate_table *table,
                          tensor *const *keys, dev_count rows, bool *fits, codes_lookup *out)
{
    *out = (codes_lookup){0};
    status st = start(core, task, table, keys, rows, fits, out);
    if (st || !*fits)
        codes_lookup_close(core->dev, out);
    return st;
}

status codes_lookup_finish(dev_stream *stream, codes_lookup *lookup, bool *fits)
{
    uint64_t violations;
    TRY(dev_fetch_finish(stream, &lookup->asked, &violations));
    *fits = !violations;
    return STATUS_OK;
}

void codes_lookup_close(device *dev, codes_lookup *lookup)
{
    dev_fetch_close(dev, &lookup->asked);
    dev_buffer_unref(lookup->violations);
    row_index_unref(lookup->groups);
    *lookup = (codes_lookup){0};
}

status codes_table_find(const aggregate_core *core, exec_task *task, aggregate_table *table,
                        tensor *const *keys, uint64_t rows, bool *fits, row_index **out)
{
    codes_lookup lookup;
    TRY(codes_lookup_start(core, task, table, keys, dev_count_exact(rows), fits, &lookup));
    status st = *fits ? codes_lookup_finish(task->stream, &lookup, fits) : STATUS_OK;
    *out = !st && *fits ? row_index_ref(lookup.groups) : NULL;
    codes_lookup_close(core->dev, &lookup);
    return st;
}
