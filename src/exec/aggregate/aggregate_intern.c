/* aggregate_intern.c - text keys as numbers.
 *
 * Where text comes as rows of a base (a dictionary, the build side of a join), the base's texts are
 * numbered once for all tasks, and packed keys hold the number, ROW_NULL for NULL, instead of the
 * text: rows are narrow, hashed and compared without looking at text, and no bytes are copied. Where
 * texts turn out to be many for the rows that they come with it is not worth it: from then on tasks
 * begin tables with the text itself. */
#include "exec/aggregate/aggregate_intern.h"

#define TEXTS_MAX 65536
#define SAMPLE_ROWS 4096 /* half of them different: there will be too many */

/* Texts of dictionaries may be more, if for each there are so many rows for each task, as one task
 * numbers at a time; and if they take no more than this part of memory_limit. */
#define TEXT_ROWS 2
#define TEXTS_SHARE 16

status key_interner_init(key_interner *interner, const device *dev, data_type type, const char *who)
{
    *interner = (key_interner){.is_used = type_is_text(type)};
    if (!interner->is_used)
        return STATUS_OK;
    exec_lock_init(&interner->lock);
    return numbered_texts_init(&interner->texts, dev, type, who);
}

void key_interner_release(key_interner *interner)
{
    if (!interner->is_used)
        return;
    for (size_t i = 0; i < INTERNED_BASES; i++) {
        tensor_unref(interner->bases[i].base);
        row_index_unref(interner->bases[i].ids);
    }
    tensor_unref(interner->decoded);
    numbered_texts_release(&interner->texts);
    exec_lock_destroy(&interner->lock);
}

static bool is_too_large(const key_interner *interner, const device *dev)
{
    uint64_t limit = mem_budget_limit(dev->budget);
    return limit && interner->texts.bytes > limit / TEXTS_SHARE;
}

/* A dictionary whose texts are few for the rows, as those before were. */
static bool is_worth_it(const key_interner *interner, const exec_task *task, const tensor *key,
                        dev_count rows)
{
    uint64_t share = interner->rows / (TEXT_ROWS * (uint64_t)task->count);
    return key->is_dictionary && key->base_rows / TEXT_ROWS <= rows.bound &&
           (interner->numbered <= TEXTS_MAX || interner->numbered <= share) &&
           !is_too_large(interner, task->stream->dev);
}

/* Notes whether there are too many. It is asked how many only where there may be. */
static status note_full(key_interner *interner, dev_stream *stream)
{
    if (interner->texts.count > TEXTS_MAX)
        TRY(numbered_texts_learn(&interner->texts, stream));
    interner->is_full |= interner->texts.count > TEXTS_MAX;
    return STATUS_OK;
}

/* Whether of the first texts too many are different. */
static status sample_texts(key_interner *interner, exec_task *task, tensor *base, uint64_t sample,
                           uint32_t *out, bool *is_varied)
{
    uint64_t added;
    TRY(numbered_texts_find(&interner->texts, task, base, 0, sample, out, &added));
    *is_varied = added > SAMPLE_ROWS / 2 || interner->texts.count > TEXTS_MAX;
    return STATUS_OK;
}

/* All of a dictionary. On hosts without the lock. */
static status number_dictionary(key_interner *interner, exec_task *task, tensor *base,
                                uint64_t rows, row_index **out)
{
    TRY(row_index_new(task->stream->dev, rows, out));
    TRY(numbered_texts_find(&interner->texts, task, base, 0, rows, (*out)->rows, NULL));
    return numbered_texts_ask(&interner->texts, task->stream);
}

static status number_base(key_interner *interner, exec_task *task, tensor *base, uint64_t rows,
                          bool must, row_index **out)
{
    uint64_t sample = !must && rows > SAMPLE_ROWS ? SAMPLE_ROWS : 0;
    bool is_varied = false;
    TRY(row_index_new(task->stream->dev, rows, out));
    if (sample)
        TRY(sample_texts(interner, task, base, sample, (*out)->rows, &is_varied));
    if (!is_varied) {
        TRY(numbered_texts_find(&interner->texts, task, base, sample, rows, (*out)->rows, NULL));
        TRY(note_full(interner, task->stream));
    }
    interner->is_full |= is_varied;
    if (must || (!is_varied && (sample || !interner->is_full)))
        return numbered_texts_ask(&interner->texts, task->stream);
    row_index_unref(*out);
    *out = NULL;
    return STATUS_OK;
}

/* A reference, or NULL. */
static row_index *known_base(const key_interner *interner, const tensor *base, uint64_t rows)
{
    for (size_t i = 0; i < INTERNED_BASES; i++)
        if (interner->bases[i].base == base && interner->bases[i].rows == rows)
            return row_index_ref(interner->bases[i].ids);
    return NULL;
}

static void remember_base(key_interner *interner, tensor *base, uint64_t rows, row_index *ids)
{
    size_t at = interner->next_base++ % INTERNED_BASES;
    tensor_unref(interner->bases[at].base);
    row_index_unref(interner->bases[at].ids);
    interner->bases[at].base = tensor_ref(base);
    interner->bases[at].rows = rows;
    interner->bases[at].ids = row_index_ref(ids);
}

/* Under the lock: *out, with a reference, is NULL if the texts are too many, or if the caller is to number them
 * without it: *is_left. */
static status find_base(key_interner *interner, exec_task *task, const tensor *key,
                        dev_count key_rows, bool must, row_index **out, bool *is_left)
{
    tensor *base = key->base;
    uint64_t rows = key->base_rows;
    *out = NULL;
    *is_left = false;
    if (interner->is_full && !must)
        return STATUS_OK;
    interner->rows += key->is_dictionary ? key_rows.bound : 0;
    *out = known_base(interner, base, rows);
    if (*out)
        return STATUS_OK;
    bool is_worth = is_worth_it(interner, task, key, key_rows);
    interner->numbered += is_worth ? rows : 0;
    *is_left = is_worth && task->stream->dev->is_host;
    if (*is_left)
        return STATUS_OK;
    TRY(is_worth ? number_dictionary(interner, task, base, rows, out)
                 : number_base(interner, task, base, rows, must, out));
    if (*out)
        remember_base(interner, base, rows, *out);
    return STATUS_OK;
}

/* Two tasks that meet the same dictionary at the same time both number it, to the same numbers. */
static status number_unlocked(key_interner *interner, exec_task *task, const tensor *key,
                              row_index **out)
{
    TRY(number_dictionary(interner, task, key->base, key->base_rows, out));
    TRY(exec_lock_take(&interner->lock, task->stream));
    remember_base(interner, key->base, key->base_rows, *out);
    exec_lock_give(&interner->lock, task->stream);
    return STATUS_OK;
}

status key_interner_encode(key_interner *interner, exec_task *task, const tensor *key,
                           dev_count rows, bool must, tensor **out)
{
    row_index *ids = NULL;
    bool is_left;
    *out = NULL;
    if (key->form != TENSOR_INDEXED || key->base->validity || !tensor_has_whole_base(key))
        return must ? status_new(STATUS_KIND_INTERNAL, "text without a base") : STATUS_OK;
    TRY(exec_lock_take(&interner->lock, task->stream));
    status st = find_base(interner, task, key, rows, must, &ids, &is_left);
    exec_lock_give(&interner->lock, task->stream);
    if (!st && is_left)
        st = number_unlocked(interner, task, key, &ids);
    tensor *t = NULL;
    if (!st && ids)
        st = tensor_new_flat(task->stream->dev, type_make(TYPE_UINT32), rows.bound, false, &t);
    if (!st && ids)
        st = DEV_LAUNCH(task->stream, gather_index, .first = ids->rows, .second = key->index->rows,
                        .count = rows, .out = t->values);
    row_index_unref(ids);
    if (st)
        tensor_unref(t);
    else
        *out = t;
    return st;
}

/* Under the lock: all texts so far, FLAT. */
static status decode_texts(key_interner *interner, dev_stream *stream)
{
    TRY(numbered_texts_learn(&interner->texts, stream));
    uint64_t count = interner->texts.count;
    if (interner->decoded && interner->decoded_count == count)
        return STATUS_OK;
    tensor_unref(interner->decoded);
    interner->decoded_count = count;
    return numbered_texts_column(&interner->texts, stream, &interner->decoded,
                                 &interner->decoded_rows);
}

status key_interner_decode(key_interner *interner, dev_stream *stream, const tensor *ids,
                           uint64_t rows, tensor **out)
{
    row_index *index;
    tensor *base = NULL;
    uint64_t base_rows;
    *out = NULL;
    TRY(exec_lock_take(&interner->lock, stream));
    status st = decode_texts(interner, stream);
    if (!st)
        base = tensor_ref(interner->decoded);
    base_rows = interner->decoded_rows;
    exec_lock_give(&interner->lock, stream);
    TRY(st);
    st = row_index_new(stream->dev, rows, &index);
    if (!st) {
        index->has_nulls = true;
        st = stream->dev->ops->copy(stream, index->rows, ids->values, rows * sizeof *index->rows);
        if (!st)
            st = tensor_new_indexed(stream, base, base_rows, index, dev_count_exact(rows), out);
        row_index_unref(index);
    }
    if (!st)
        (*out)->is_dictionary = true;
    tensor_unref(base);
    return st;
}

status key_interner_share(key_interner *interner, dev_stream *stream, text_heap *heap)
{
    if (!interner->is_used)
        return STATUS_OK;
    TRY(exec_lock_take(&interner->lock, stream));
    status st = numbered_texts_share(&interner->texts, stream, heap);
    exec_lock_give(&interner->lock, stream);
    return st;
}
