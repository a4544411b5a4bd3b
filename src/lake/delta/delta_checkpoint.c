/* delta_checkpoint.c - actions from the Parquet files of a checkpoint: each row has one of the structs add, metaData,
 * protocol and sidecar, of which the needed leaves are read. */
#include "lake/delta/delta_state.h"

#include "base/cancel.h"
#include "lake/log/leaf_rows.h"

/* The leaves by what they are for. */
typedef enum checkpoint_leaf {
    ADD_PATH,
    ADD_KEYS,
    ADD_VALUES,
    ADD_STATS,
    ADD_STORAGE,
    ADD_VECTOR,
    ADD_OFFSET,
    ADD_BYTES,
    ADD_CARDINALITY,
    SCHEMA,
    PARTITION_COLUMNS,
    CONFIGURATION_KEYS,
    CONFIGURATION_VALUES,
    READER_VERSION,
    FEATURES,
    SIDECAR,
    LEAF_COUNT
} checkpoint_leaf;

static const struct {
    const char *begin, *end;
} leaf_names[LEAF_COUNT] = {
    [ADD_PATH] = {"add.path", ""},
    [ADD_KEYS] = {"add.partitionValues.", ".key"},
    [ADD_VALUES] = {"add.partitionValues.", ".value"},
    [ADD_STATS] = {"add.stats", ""},
    [ADD_STORAGE] = {"add.deletionVector.storageType", ""},
    [ADD_VECTOR] = {"add.deletionVector.pathOrInlineDv", ""},
    [ADD_OFFSET] = {"add.deletionVector.offset", ""},
    [ADD_BYTES] = {"add.deletionVector.sizeInBytes", ""},
    [ADD_CARDINALITY] = {"add.deletionVector.cardinality", ""},
    [SCHEMA] = {"metaData.schemaString", ""},
    [PARTITION_COLUMNS] = {"metaData.partitionColumns.", ""},
    [CONFIGURATION_KEYS] = {"metaData.configuration.", ".key"},
    [CONFIGURATION_VALUES] = {"metaData.configuration.", ".value"},
    [READER_VERSION] = {"protocol.minReaderVersion", ""},
    [FEATURES] = {"protocol.readerFeatures.", ""},
    [SIDECAR] = {"sidecar.path", ""},
};

/* The values of a leaf, and where those of each row begin; starts NULL: the file has no such leaf. */
typedef struct row_leaf {
    leaf_values values;
    size_t *starts;
} row_leaf;

typedef struct checkpoint_group {
    delta_state *state;
    arena *scratch;
    const file *file;
    const pq_metadata *metadata;
    size_t row_count;
    row_leaf leaves[LEAF_COUNT];
} checkpoint_group;

static int find_checkpoint_leaf(const pq_metadata *m, checkpoint_leaf which)
{
    int found = leaf_find(m, leaf_names[which].begin, leaf_names[which].end);
    size_t bytes = strlen(leaf_names[which].begin);
    for (uint32_t i = 0; found < 0 && leaf_names[which].begin[bytes - 1] == '.' &&
                         !*leaf_names[which].end && i < m->leaf_count;
         i++) /* the one leaf of a list, whatever its inner names */
        if (!strncmp(m->leaves[i].name, leaf_names[which].begin, bytes))
            found = (int)i;
    return found;
}

static status read_row_leaf(checkpoint_group *g, uint32_t row_group, checkpoint_leaf which)
{
    row_leaf *leaf = &g->leaves[which];
    int number = find_checkpoint_leaf(g->metadata, which);
    size_t row = 0;
    *leaf = (row_leaf){0};
    if (number < 0)
        return STATUS_OK;
    TRY(leaf_read(g->scratch, g->file, g->metadata, row_group, (uint32_t)number, &leaf->values));
    if (leaf->values.count < g->row_count)
        return status_new(STATUS_KIND_CORRUPT, "column \"%s\" has fewer values than rows",
                          g->metadata->leaves[number].name);
    leaf->starts = arena_alloc_array(g->scratch, g->row_count + 1, sizeof *leaf->starts);
    if (!leaf->starts)
        return status_no_memory("lake", g->row_count * sizeof *leaf->starts);
    for (size_t i = 0; i < leaf->values.count; i++)
        if (!leaf->values.items[i].repetition) {
            if (row == g->row_count)
                break;
            leaf->starts[row++] = i;
        }
    if (row < g->row_count || (leaf->values.count && leaf->values.items[0].repetition))
        return status_new(STATUS_KIND_CORRUPT, "column \"%s\" has another number of rows",
                          g->metadata->leaves[number].name);
    leaf->starts[row] = leaf->values.count;
    return STATUS_OK;
}

/* The n-th value of a row; NULL: it has fewer, or it is missing. */
static const leaf_value *delta_checkpoint_value_at(const checkpoint_group *g, checkpoint_leaf which,
                                                   size_t row, size_t n)
{
    const row_leaf *leaf = &g->leaves[which];
    if (!leaf->starts || leaf->starts[row] + n >= leaf->starts[row + 1])
        return NULL;
    const leaf_value *v = &leaf->values.items[leaf->starts[row] + n];
    return v->bytes ? v : NULL;
}

/* NULL where there is none; *st says if there was no memory. */
static const char *text_at(const checkpoint_group *g, checkpoint_leaf which, size_t row, size_t n,
                           status *st)
{
    const leaf_value *v = delta_checkpoint_value_at(g, which, row, n);
    const char *text =
        v ? arena_copy_text(g->state->memory, (const char *)v->bytes, v->count) : NULL;
    if (v && !text && !*st)
        *st = status_no_memory("lake", v->count);
    return text;
}

static int64_t number_at(const checkpoint_group *g, checkpoint_leaf which, size_t row,
                         int64_t otherwise)
{
    const leaf_value *v = delta_checkpoint_value_at(g, which, row, 0);
    int32_t narrow;
    int64_t wide;
    if (v && v->count == sizeof narrow) {
        memcpy(&narrow, v->bytes, sizeof narrow);
        return narrow;
    }
    if (!v || v->count != sizeof wide)
        return otherwise;
    memcpy(&wide, v->bytes, sizeof wide);
    return wide;
}

static status pairs_at(const checkpoint_group *g, checkpoint_leaf keys, checkpoint_leaf values,
                       size_t row, delta_pair_list *out)
{
    status st = STATUS_OK;
    *out = (delta_pair_list){0};
    for (size_t n = 0; delta_checkpoint_value_at(g, keys, row, n) && !st; n++) {
        const char *name = text_at(g, keys, row, n, &st);
        const char *text = text_at(g, values, row, n, &st);
        if (!st)
            st = array_push(g->state->memory, out, ((delta_pair){name, text}));
    }
    return st;
}

static status take_add(const checkpoint_group *g, size_t row)
{
    status st = STATUS_OK;
    delta_action add = {.path = text_at(g, ADD_PATH, row, 0, &st),
                        .stats = text_at(g, ADD_STATS, row, 0, &st),
                        .vector = {.storage = text_at(g, ADD_STORAGE, row, 0, &st),
                                   .path = text_at(g, ADD_VECTOR, row, 0, &st),
                                   .offset = number_at(g, ADD_OFFSET, row, 0),
                                   .bytes = number_at(g, ADD_BYTES, row, 0),
                                   .cardinality = number_at(g, ADD_CARDINALITY, row, -1)}};
    TRY(st);
    TRY(pairs_at(g, ADD_KEYS, ADD_VALUES, row, &add.partition));
    return add.path ? delta_state_take(g->state, &add) : STATUS_OK;
}

static status take_checkpoint_metadata(const checkpoint_group *g, size_t row)
{
    delta_state *s = g->state;
    status st = STATUS_OK;
    s->schema = text_at(g, SCHEMA, row, 0, &st);
    s->partition_columns.count = 0;
    for (size_t n = 0; delta_checkpoint_value_at(g, PARTITION_COLUMNS, row, n) && !st; n++) {
        const char *name = text_at(g, PARTITION_COLUMNS, row, n, &st);
        if (!st)
            st = array_push(s->memory, &s->partition_columns, name);
    }
    TRY(st);
    return pairs_at(g, CONFIGURATION_KEYS, CONFIGURATION_VALUES, row, &s->configuration);
}

static status take_checkpoint_protocol(const checkpoint_group *g, size_t row)
{
    delta_state *s = g->state;
    status st = STATUS_OK;
    s->has_protocol = true;
    s->reader_version = number_at(g, READER_VERSION, row, 0);
    s->features.count = 0;
    for (size_t n = 0; delta_checkpoint_value_at(g, FEATURES, row, n) && !st; n++) {
        const char *name = text_at(g, FEATURES, row, n, &st);
        if (!st)
            st = array_push(s->memory, &s->features, name);
    }
    return st;
}

static status delta_checkpoint_take_row(const checkpoint_group *g, size_t row)
{
    status st = STATUS_OK;
    TRY(take_add(g, row));
    if (delta_checkpoint_value_at(g, SCHEMA, row, 0))
        TRY(take_checkpoint_metadata(g, row));
    if (delta_checkpoint_value_at(g, READER_VERSION, row, 0))
        TRY(take_checkpoint_protocol(g, row));
    const char *sidecar = text_at(g, SIDECAR, row, 0, &st);
    TRY(st);
    return sidecar ? delta_take_sidecar(g->state, sidecar) : STATUS_OK;
}

static status take_group(checkpoint_group *g, uint32_t row_group)
{
    g->row_count = g->metadata->row_groups[row_group].row_count;
    for (int i = 0; i < LEAF_COUNT; i++)
        TRY(read_row_leaf(g, row_group, (checkpoint_leaf)i));
    if (!g->leaves[ADD_PATH].starts && !g->leaves[SIDECAR].starts)
        return status_new(STATUS_KIND_CORRUPT, "it has no column add.path");
    for (size_t row = 0; row < g->row_count; row++) {
        if (cancel_look(row))
            TRY(cancel_check());
        TRY(delta_checkpoint_take_row(g, row));
    }
    return STATUS_OK;
}

static status take_groups(delta_state *s, const file *f, const pq_metadata *m)
{
    for (uint32_t i = 0; i < m->row_group_count; i++) {
        checkpoint_group g = {.state = s, .file = f, .metadata = m};
        TRY(arena_new(&g.scratch));
        status st = take_group(&g, i);
        arena_free(g.scratch);
        TRY(st);
    }
    return STATUS_OK;
}

status delta_read_checkpoint(delta_state *s, const char *path)
{
    file *f;
    pq_footer *footer;
    TRY(file_open(path, &f));
    status st = pq_footer_open(f, false, &footer);
    if (!st) {
        st = take_groups(s, f, pq_footer_metadata(footer));
        pq_footer_unref(footer);
    }
    file_close(f);
    s->files_read++;
    return status_context(st, "checkpoint \"%s\"", path);
}
