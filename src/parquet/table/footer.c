/* footer.c - reads and parses footers and page indexes, and keeps them: a hash table whose entries
 * are also a list from the one used last to the one used longest ago. One lock; nothing is read
 * under it. */
#include "parquet/table/footer.h"

#include "base/system/mutex.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>

#define FOOTER_TAIL 8 /* length and magic */
#define BUCKET_COUNT 4096
#define CACHE_BYTES ((uint64_t)256 << 20)

/* A page index of a column chunk. */
typedef struct chunk_index {
    arena *memory;
    pq_offset_index places;
    pq_column_index bounds;
} chunk_index;

/* Page indexes of all column chunks; by row group, then leaf. */
typedef struct index_table {
    _Atomic(chunk_index *) *places, *bounds;
} index_table;

struct pq_footer {
    _Atomic uint32_t references; /* the cache's own is one */
    arena *memory;
    pq_metadata *metadata;
    _Atomic(index_table *) indexes; /* made when the first is asked for */
    uint64_t hash;                  /* of its bytes */
    _Atomic bool is_settled;        /* it was read when its file had not changed for a while */
    /* Under the lock. */
    uint64_t bytes;
    bool is_cached; /* then also: */
    file_version version;
    pq_footer *next_in_bucket;
    pq_footer *newer, *older;
};

static pthread_mutex_t lock = MUTEX_INITIALIZER;
/* Under the lock. */
static pq_footer *buckets[BUCKET_COUNT];
static pq_footer *newest, *oldest;
static uint64_t bytes_held, bytes_max = CACHE_BYTES;

/* ---- one footer ---- */

status pq_footer_read_bytes(const file *f, char **out, uint32_t *out_bytes)
{
    uint8_t tail[FOOTER_TAIL];
    uint32_t bytes;
    *out = NULL;
    if (f->bytes < 4 + FOOTER_TAIL)
        return status_new(STATUS_KIND_CORRUPT, "it is too short to be a Parquet file");
    TRY(file_read(f, f->bytes - FOOTER_TAIL, tail, sizeof tail));
    if (!memcmp(tail + 4, "PARE", 4))
        return status_new(STATUS_KIND_UNSUPPORTED, "its footer is encrypted");
    if (memcmp(tail + 4, "PAR1", 4))
        return status_new(STATUS_KIND_CORRUPT,
                          "it is not a Parquet file: its last bytes are not PAR1");
    memcpy(&bytes, tail, 4);
    if (bytes > f->bytes - FOOTER_TAIL - 4)
        return status_new(STATUS_KIND_CORRUPT, "its footer's length %" PRIu32 " exceeds the file",
                          bytes);
    char *footer = mem_new(bytes ? bytes : 1);
    if (!footer)
        return status_no_memory("footer", bytes);
    status st = file_read(f, f->bytes - FOOTER_TAIL - bytes, footer, bytes);
    if (st) {
        mem_free(footer);
        return st;
    }
    *out = footer;
    *out_bytes = bytes;
    return STATUS_OK;
}

#define HASH_WORDS 4

/* Folds the product's halves into one word. */
static inline uint64_t hash_words(uint64_t hash, uint64_t left, uint64_t right)
{
    uint128 product = (uint128)(left ^ hash ^ 0x9e3779b97f4a7c15) * (right ^ 0xa0761d6478bd642f);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Tells versions of a file apart: nobody gains by two footers of one hash. Two chains, of which neither waits for the
 * other's multiplications. */
static uint64_t hash_bytes(const char *data, uint32_t bytes)
{
    uint64_t words[HASH_WORDS], even = bytes, odd = ~even;
    for (; bytes >= sizeof words; data += sizeof words, bytes -= sizeof words) {
        memcpy(words, data, sizeof words);
        even = hash_words(even, words[0], words[1]);
        odd = hash_words(odd, words[2], words[3]);
    }
    memset(words, 0, sizeof words);
    memcpy(words, data, bytes);
    even = hash_words(even, words[0], words[1]);
    odd = hash_words(odd, words[2], words[3]);
    return hash_words(even, odd, 0);
}

static status footer_parse(const file *f, const char *data, uint32_t bytes, pq_footer **out)
{
    pq_footer *footer = mem_new(sizeof *footer);
    if (!footer)
        return status_no_memory("footer", sizeof *footer);
    atomic_init(&footer->references, 1);
    status st = arena_new(&footer->memory);
    if (!st)
        st = pq_metadata_parse(footer->memory, data, bytes, f->bytes, &footer->metadata);
    if (st) {
        pq_footer_unref(footer);
        return st;
    }
    footer->bytes = sizeof *footer + arena_bytes(footer->memory);
    footer->hash = hash_bytes(data, bytes);
    *out = footer;
    return STATUS_OK;
}

static status footer_read(const file *f, pq_footer **out)
{
    char *data;
    uint32_t bytes;
    TRY(pq_footer_read_bytes(f, &data, &bytes));
    status st = footer_parse(f, data, bytes, out);
    mem_free(data);
    return st;
}

const pq_metadata *pq_footer_metadata(const pq_footer *footer)
{
    return footer->metadata;
}

bool pq_footer_version(const pq_footer *footer, const file *f, pq_file_version *out)
{
    *out = (pq_file_version){f->version, footer->hash};
    return atomic_load_explicit(&footer->is_settled, memory_order_relaxed) && file_is_here(f);
}

static void free_indexes(pq_footer *footer)
{
    index_table *table = atomic_load(&footer->indexes);
    if (!table)
        return;
    size_t count = (size_t)footer->metadata->row_group_count * footer->metadata->leaf_count;
    for (size_t i = 0; i < 2 * count; i++) {
        chunk_index *index = atomic_load(&table->places[i]); /* the bounds are behind them */
        if (index)
            arena_free(index->memory);
    }
    mem_free(table->places);
    mem_free(table);
}

void pq_footer_unref(pq_footer *footer)
{
    if (!footer || atomic_fetch_sub(&footer->references, 1) > 1)
        return;
    free_indexes(footer);
    arena_free(footer->memory);
    mem_free(footer);
}

static pq_footer *footer_ref(pq_footer *footer)
{
    atomic_fetch_add(&footer->references, 1);
    return footer;
}

/* ---- the cache; with the lock held ---- */

static bool footer_is_same_file(const file_version *a, const file_version *b)
{
    return a->device == b->device && a->inode == b->inode;
}

static pq_footer **bucket_of(const file_version *v)
{
    uint64_t hash = (v->inode ^ v->device << 40) * 0x9e3779b97f4a7c15;
    return &buckets[hash >> 32 & (BUCKET_COUNT - 1)];
}

static void footer_link_newest(pq_footer *entry)
{
    entry->newer = NULL;
    entry->older = newest;
    *(newest ? &newest->newer : &oldest) = entry;
    newest = entry;
}

static void unlink_entry(pq_footer *entry)
{
    *(entry->newer ? &entry->newer->older : &newest) = entry->older;
    *(entry->older ? &entry->older->newer : &oldest) = entry->newer;
}

/* Takes it out of the cache, with the cache's reference. */
static void drop(pq_footer *entry)
{
    pq_footer **at = bucket_of(&entry->version);
    while (*at != entry)
        at = &(*at)->next_in_bucket;
    *at = entry->next_in_bucket;
    unlink_entry(entry);
    entry->is_cached = false;
    bytes_held -= entry->bytes;
    pq_footer_unref(entry);
}

/* The file's entry, the one used last from now on; one of another version is dropped. */
static pq_footer *find(const file_version *version)
{
    pq_footer *entry = *bucket_of(version);
    while (entry && !footer_is_same_file(&entry->version, version))
        entry = entry->next_in_bucket;
    if (entry && !file_version_equal(&entry->version, version)) {
        drop(entry);
        return NULL;
    }
    if (entry) {
        unlink_entry(entry);
        footer_link_newest(entry);
    }
    return entry;
}

/* Frees what only the cache has, the oldest first, until the rest fits. */
static void shrink(void)
{
    for (pq_footer *entry = oldest, *newer; entry && bytes_held > bytes_max; entry = newer) {
        newer = entry->newer;
        if (atomic_load(&entry->references) == 1)
            drop(entry);
    }
}

static void footer_insert(pq_footer *footer, const file_version *version)
{
    pq_footer **bucket = bucket_of(version);
    footer->version = *version;
    footer->next_in_bucket = *bucket;
    *bucket = footer_ref(footer);
    footer_link_newest(footer);
    footer->is_cached = true;
    bytes_held += footer->bytes;
    shrink();
}

/* ---- page indexes ---- */

/* The footer has become so much larger. */
static void count_bytes(pq_footer *footer, uint64_t bytes)
{
    mutex_lock(&lock);
    footer->bytes += bytes;
    if (footer->is_cached) {
        bytes_held += bytes;
        shrink();
    }
    mutex_unlock(&lock);
}

static void free_table(index_table *table)
{
    if (table)
        mem_free(table->places);
    mem_free(table);
}

/* NULL: no memory. */
static index_table *find_table(pq_footer *footer)
{
    index_table *known = atomic_load(&footer->indexes), *made;
    size_t count = (size_t)footer->metadata->row_group_count * footer->metadata->leaf_count;
    if (known)
        return known;
    made = mem_new(sizeof *made);
    if (made)
        made->places = mem_new_array(2 * count, sizeof *made->places);
    if (!made || !made->places) {
        free_table(made);
        return NULL;
    }
    made->bounds = made->places + count;
    if (atomic_compare_exchange_strong(&footer->indexes, &known, made)) {
        count_bytes(footer, sizeof *made + 2 * count * sizeof *made->places);
        return made;
    }
    free_table(made);
    return known;
}

/* An index that was read, or NULL. */
static chunk_index *read_index(const pq_footer *footer, const file *f, uint32_t row_group,
                               uint32_t leaf, bool wants_bounds)
{
    const pq_row_group *group = &footer->metadata->row_groups[row_group];
    const pq_column_chunk *chunk = &group->chunks[leaf];
    arena *memory;
    if (!(wants_bounds ? chunk->column_index : chunk->offset_index).bytes)
        return NULL;
    status st = arena_new(&memory);
    if (st) {
        status_free(st);
        return NULL;
    }
    chunk_index *index = arena_alloc(memory, sizeof *index);
    if (index) {
        index->memory = memory;
        if (wants_bounds)
            pq_column_index_read(memory, f, &footer->metadata->leaves[leaf], chunk, &index->bounds);
        else
            pq_offset_index_read(memory, f, chunk, group->row_count, &index->places);
    }
    if (index && index->bounds.page_count + index->places.page_count)
        return index;
    arena_free(memory);
    return NULL;
}

static const chunk_index *find_index(pq_footer *footer, const file *f, uint32_t row_group,
                                     uint32_t leaf, bool wants_bounds)
{
    index_table *table = find_table(footer);
    if (!table)
        return NULL;
    size_t number = (size_t)row_group * footer->metadata->leaf_count + leaf;
    _Atomic(chunk_index *) *slot = &(wants_bounds ? table->bounds : table->places)[number];
    chunk_index *known = atomic_load(slot), *made;
    if (known || !(made = read_index(footer, f, row_group, leaf, wants_bounds)))
        return known;
    if (atomic_compare_exchange_strong(slot, &known, made)) {
        count_bytes(footer, arena_bytes(made->memory));
        return made;
    }
    arena_free(made->memory);
    return known;
}

bool pq_footer_knows_indexes(const pq_footer *footer, uint32_t row_group, uint32_t leaf)
{
    const index_table *table = atomic_load(&footer->indexes);
    size_t number = (size_t)row_group * footer->metadata->leaf_count + leaf;
    const chunk_index *places = table ? atomic_load(&table->places[number]) : NULL;
    return places && (places->places.page_count < 2 || atomic_load(&table->bounds[number]));
}

const pq_offset_index *pq_footer_offset_index(pq_footer *footer, const file *f, uint32_t row_group,
                                              uint32_t leaf)
{
    const chunk_index *index = find_index(footer, f, row_group, leaf, false);
    return index ? &index->places : NULL;
}

const pq_column_index *pq_footer_column_index(pq_footer *footer, const file *f, uint32_t row_group,
                                              uint32_t leaf)
{
    const chunk_index *index = find_index(footer, f, row_group, leaf, true);
    return index ? &index->bounds : NULL;
}

/* ---- the interface ---- */

/* The cache's footer of the file, with a reference, or NULL. */
static pq_footer *find_known(const file *f)
{
    mutex_lock(&lock);
    pq_footer *known = find(&f->version);
    if (known)
        footer_ref(known);
    mutex_unlock(&lock);
    return known;
}

/* Gives it to the cache, unless somebody else was faster: then it becomes theirs. */
static void keep(const file *f, pq_footer **footer)
{
    pq_footer *known, *made = *footer;
    if (!file_is_settled(f))
        return;
    atomic_store_explicit(&made->is_settled, true, memory_order_relaxed);
    mutex_lock(&lock);
    known = find(&f->version);
    if (known)
        *footer = footer_ref(known);
    else if (made->bytes <= bytes_max)
        footer_insert(made, &f->version);
    mutex_unlock(&lock);
    if (known)
        pq_footer_unref(made);
}

status pq_footer_open(const file *f, bool use_cache, pq_footer **out)
{
    *out = use_cache ? find_known(f) : NULL;
    if (*out)
        return STATUS_OK;
    TRY(footer_read(f, out));
    if (use_cache)
        keep(f, out);
    return STATUS_OK;
}

status pq_footer_of_bytes(const file *f, bool use_cache, const char *data, uint32_t bytes,
                          pq_footer **out)
{
    bool may_keep = use_cache && file_is_here(f);
    *out = may_keep ? find_known(f) : NULL;
    if (*out)
        return STATUS_OK;
    TRY(footer_parse(f, data, bytes, out));
    if (may_keep)
        keep(f, out);
    return STATUS_OK;
}

uint64_t pq_footer_cache_bytes(void)
{
    mutex_lock(&lock);
    uint64_t bytes = bytes_held;
    mutex_unlock(&lock);
    return bytes;
}

uint64_t pq_footer_cache_limit(uint64_t bytes)
{
    mutex_lock(&lock);
    uint64_t before = bytes_max;
    bytes_max = bytes;
    shrink();
    mutex_unlock(&lock);
    return before;
}

void pq_footer_cache_clear(void)
{
    mutex_lock(&lock);
    while (oldest)
        drop(oldest);
    mutex_unlock(&lock);
}
