/* stored_index.h - inside the cache of stored pages: its tables, whose lock the caller holds.
 *
 *     column chunk ──> page, page, page, ...      in the order of their rows
 *                        │     └──────┐
 *     pieces: used    [piece]    [piece]          the one that was not used for longest first
 *             pending [piece]                     of statements at work
 *
 * A piece has pages, or values of several column chunks (stored_values.h). It knows those that have something in it. It goes as
 * a whole, and they lose what they have in it. */
#ifndef PISTACHIO_EXEC_SCAN_STORED_INDEX_H
#define PISTACHIO_EXEC_SCAN_STORED_INDEX_H

#include "exec/scan/stored_cache.h"
#include "parquet/read/stored.h"

#include <pthread.h>

#define STORED_BUCKETS 4096
/* A piece that this many statements have left unused makes room for a new one. */
#define STORED_UNUSED_STATEMENTS 16

typedef struct kept_piece kept_piece;

typedef struct kept_page {
    pq_stored_page stored;
    kept_piece *of;
} kept_page;

/* A column chunk. */
typedef struct kept_chunk {
    column_key key; /* its names are the chunk's own */
    uint64_t hash;
    struct kept_chunk *next_in_bucket;
    uint32_t references;         /* pieces that list it */
    ARRAY(kept_page) pages;      /* in the order of their rows */
    kept_page dictionary;        /* its piece is NULL: there is none */
    ARRAY(kept_piece *) decoded; /* pieces with its values */
    uint64_t uses, last_statement;
} kept_chunk;

/* Rows [first, end) of the piece's column chunk of that number, which are the values from `at` on. */
typedef struct kept_run {
    size_t place;
    uint64_t first, end, at;
} kept_run;

/* Values of the row groups of a chunk, as they were decoded. */
typedef struct kept_values {
    tensor *values;
    uint64_t row_count;
    data_type type; /* as column_key has them */
    bool replaces_text;
    bool is_within; /* each is known to lie within these: */
    int64_t minimum, maximum;
    bool is_whole; /* they are all rows of the column chunks */
    size_t run_count;
    kept_run runs[]; /* by column chunk, then by row */
} kept_values;

struct kept_piece {
    kept_piece *before, *after; /* in its list */
    pq_stored_piece *piece;     /* pages; or NULL, and in its place: */
    kept_values *values;
    uint64_t bytes;
    bool is_pending;
    uint64_t statement;  /* that used it last; of a pending one, that made it */
    uint32_t page_count; /* of those that are not in a better piece */
    ARRAY(kept_chunk *) chunks;
};

typedef struct piece_list {
    kept_piece *first, *last;
} piece_list;

struct stored_cache {
    pthread_mutex_t lock;
    device *dev;
    stored_cache *next;
    uint64_t device_most;
    bool is_ended;         /* nothing is kept any more */
    _Atomic uint64_t held; /* of the device's memory */
    kept_chunk *buckets[STORED_BUCKETS];
    piece_list used, pending;
    uint64_t random;
};

/* Bytes of pinned memory that the pieces of all caches take. */
extern _Atomic uint64_t stored_pinned_bytes;

void stored_list_add(piece_list *list, kept_piece *piece);
void stored_list_remove(piece_list *list, kept_piece *piece);
/* Adds the piece to the count of its kind of memory. */
void stored_count_piece(stored_cache *cache, const kept_piece *piece);

bool stored_is_version(const column_key *key, const pq_file_version *version);
/* Returns NULL if there is none. */
kept_chunk *stored_find_chunk(stored_cache *cache, const column_key *key);
/* Has the piece list the column chunk of the key, which is made if there is none. NULL: no memory. */
kept_chunk *stored_list_chunk(stored_cache *cache, kept_piece *piece, const column_key *key);
/* Returns the place of a page that the column chunk has already, or NULL. */
kept_page *stored_find_page(kept_chunk *chunk, const pq_stored_page *stored);
/* Puts a page of a piece that lists the column chunk where it belongs, in the place of one in pinned memory if the piece is of
 * the device's. */
CHECKED status stored_put_page(kept_chunk *chunk, kept_piece *piece, const pq_stored_page *stored);
/* Returns whether pages in the device's memory, or pinned, are worth keeping beside this one, which may be NULL. */
bool stored_is_wanted(const kept_page *page, bool is_pinned);

/* Returns whether it has pages in pinned memory. */
static inline bool stored_is_pinned(const kept_piece *piece)
{
    return piece->piece && !piece->piece->buffer;
}

static inline bool stored_is_there(const kept_page *page)
{
    return page->of && !page->of->is_pending;
}

typedef ARRAY(const pq_stored_page *) stored_page_list;
/* Adds the pages that have the rows. False: some are not there, or no memory. */
bool stored_find_pages(const kept_chunk *chunk, const pq_row_list *rows, stored_page_list *out);

/* Returns another piece, that is used, of which the piece's values have all; or NULL. */
kept_piece *stored_values_find_worse(const kept_piece *piece);
/* Returns whether the piece has values of these rows of the column chunk. */
bool stored_values_cover(const kept_piece *piece, const kept_chunk *chunk, uint64_t first,
                         uint64_t end);
/* Adds the column chunk's rows in the piece, and their share of its bytes. */
void stored_values_count(const kept_piece *piece, const kept_chunk *chunk, uint64_t *rows,
                         uint64_t *bytes);
/* Makes room for the bytes in the device's memory, or in pinned memory. Returns whether there is. */
bool stored_make_room(stored_cache *cache, const stored_cache_use *use, bool is_pinned,
                      uint64_t bytes, kept_piece **gone);
/* Notes that the statement uses the piece. */
void stored_use_piece(stored_cache *cache, kept_piece *piece, uint64_t statement);
/* Moves the piece, a pending one, to those that are used. What it makes superfluous goes. */
void stored_publish(stored_cache *cache, kept_piece *piece, kept_piece **gone);
/* Takes the piece out and puts it at the front of `gone`, to be freed once the lock is given up. */
void stored_take_out(stored_cache *cache, kept_piece *piece, kept_piece **gone);
void stored_free_pieces(kept_piece *gone);

#endif
