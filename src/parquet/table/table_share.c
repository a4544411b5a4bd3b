/* table_share.c - lists of files and footers between ranks.
 *
 * A list is a header and, for each file, an entry and its path. Footers are entries and their bytes, in
 * the order of the table's files. */
#include "parquet/table/table_share.h"

#include "parquet/table/table_parts.h"
#include "parquet/table/table_union.h"

#include <inttypes.h>

typedef struct list_header {
    uint64_t file_count, root_bytes; /* the path where this rank looks, behind the header */
} list_header;

typedef struct list_entry {
    uint64_t inode, bytes, path_bytes;
    int64_t modified;
    uint32_t part, padding;
} list_entry;

typedef struct footer_entry {
    uint64_t file; /* the table's */
    uint64_t hash;
    uint64_t bytes; /* behind it; none where ranks read their own */
} footer_entry;

/* A file of a rank's list. */
typedef struct listed {
    list_entry entry;
    const char *path; /* in the share's memory */
} listed;
typedef ARRAY(listed) listed_files;

/* The words of a rank. */
typedef struct rank_list {
    const char *host, *root;
    listed_files files;
    uint32_t node;
} rank_list;

/* A file of the table. */
typedef struct shared_file {
    listed item;     /* as the first rank of its node says */
    uint32_t owner;  /* that rank */
    uint32_t own;    /* its number among this rank's own files */
    uint32_t reader; /* whose footer all take */
    bool is_here;    /* this rank can read it */
    bool
        is_own_footer; /* each rank of its node reads it: by inode and time they are not one file */
} shared_file;

typedef ARRAY(char) byte_list;

struct pq_share {
    arena *memory;
    pq_table *table; /* being made */
    bool use_cache;
    uint32_t rank, ranks;
    path_list paths; /* this rank's */
    file **own;      /* these, open; the table's from pq_share_table on */
    rank_list *lists;
    ARRAY(shared_file) files; /* the table's */
    byte_list list, footers;
};

/* ---- this rank's files ---- */

static status open_own(pq_share *share)
{
    size_t count = share->paths.count;
    share->own = arena_alloc_array(share->memory, count ? count : 1, sizeof *share->own);
    if (!share->own)
        return status_no_memory("table", count * sizeof *share->own);
    for (size_t i = 0; i < count; i++)
        TRY(file_open(share->paths.items[i], &share->own[i]));
    return STATUS_OK;
}

status pq_share_new(const char *name, const char *text, bool use_cache, uint32_t rank,
                    uint32_t ranks, pq_share **out)
{
    arena *memory;
    *out = NULL;
    TRY(arena_new(&memory));
    pq_share *share = arena_alloc(memory, sizeof *share);
    if (!share) {
        arena_free(memory);
        return status_no_memory("table", sizeof *share);
    }
    *share = (pq_share){.memory = memory, .use_cache = use_cache, .rank = rank, .ranks = ranks};
    status st = pq_table_new(name, text, &share->table);
    if (!st)
        st = pq_table_find_files(memory, &share->table->spec, &share->paths);
    if (!st)
        st = open_own(share);
    if (st)
        pq_share_free(share);
    else
        *out = share;
    return st;
}

void pq_share_free(pq_share *share)
{
    if (!share)
        return;
    for (size_t i = 0; share->own && i < share->paths.count; i++)
        file_close(share->own[i]);
    pq_table_close(share->table);
    array_release(&share->list);
    array_release(&share->footers);
    arena_free(share->memory);
}

/* ---- bytes ---- */

static status table_share_put(byte_list *to, const void *bytes, size_t count)
{
    if (!count)
        return STATUS_OK;
    TRY(array_reserve(NULL, to, count));
    memcpy(to->items + to->count, bytes, count);
    to->count += count;
    return STATUS_OK;
}

typedef struct cursor {
    const char *at, *end;
} cursor;

static status table_share_damaged(const char *host)
{
    return status_new(STATUS_KIND_CORRUPT, "what host %s says about a table's files is damaged",
                      host);
}

/* False: there are not so many. */
static bool table_share_get(cursor *from, void *out, size_t bytes)
{
    if (bytes > (size_t)(from->end - from->at))
        return false;
    memcpy(out, from->at, bytes);
    from->at += bytes;
    return true;
}

/* A copy of so many bytes as text; NULL: they are not there, or no memory. */
static const char *table_share_get_text(pq_share *share, cursor *from, uint64_t bytes)
{
    if (bytes > (size_t)(from->end - from->at) || memchr(from->at, 0, bytes))
        return NULL;
    const char *text = arena_copy_text(share->memory, from->at, bytes);
    from->at += bytes;
    return text;
}

/* ---- lists ---- */

static status put_file(pq_share *share, size_t number, uint32_t part)
{
    const file *f = share->own[number];
    const list_entry entry = {.inode = f->version.inode,
                              .bytes = f->bytes,
                              .path_bytes = strlen(f->path),
                              .modified = f->version.modified,
                              .part = part};
    TRY(table_share_put(&share->list, &entry, sizeof entry));
    return table_share_put(&share->list, f->path, entry.path_bytes);
}

status pq_share_list(pq_share *share, const char **out, uint64_t *out_bytes)
{
    const char *root = share->table->spec.path;
    const list_header header = {share->paths.count, strlen(root)};
    uint32_t part = 0;
    TRY(table_share_put(&share->list, &header, sizeof header));
    TRY(table_share_put(&share->list, root, header.root_bytes));
    for (size_t i = 0; i < share->paths.count; i++) {
        part += i && !pq_is_same_part(root, share->paths.items[i - 1], share->paths.items[i]);
        TRY(put_file(share, i, part));
    }
    *out = share->list.items;
    *out_bytes = share->list.count;
    return STATUS_OK;
}

static bool get_file(pq_share *share, cursor *from, listed *out)
{
    if (!table_share_get(from, &out->entry, sizeof out->entry))
        return false;
    out->path = table_share_get_text(share, from, out->entry.path_bytes);
    return out->path != NULL;
}

/* Parts rise by one at most. */
static bool is_next_part(const listed_files *files, uint32_t part)
{
    uint32_t before = files->count ? files->items[files->count - 1].entry.part : 0;
    return part == before || (files->count && part == before + 1);
}

static status table_share_read_list(pq_share *share, const pq_share_part *part, rank_list *out)
{
    cursor from = {part->data, part->data + part->bytes};
    list_header header;
    *out = (rank_list){.host = part->host};
    if (!table_share_get(&from, &header, sizeof header) ||
        header.file_count > part->bytes / sizeof(list_entry) ||
        !(out->root = table_share_get_text(share, &from, header.root_bytes)))
        return table_share_damaged(part->host);
    for (uint64_t i = 0; i < header.file_count; i++) {
        listed one;
        if (!get_file(share, &from, &one) || !is_next_part(&out->files, one.entry.part))
            return table_share_damaged(part->host);
        TRY(array_push(share->memory, &out->files, one));
    }
    return from.at == from.end ? STATUS_OK : table_share_damaged(part->host);
}

static status read_lists(pq_share *share, const pq_share_part *parts)
{
    share->lists = arena_alloc_array(share->memory, share->ranks, sizeof *share->lists);
    if (!share->lists)
        return status_no_memory("table", share->ranks * sizeof *share->lists);
    for (uint32_t rank = 0; rank < share->ranks; rank++)
        TRY(table_share_read_list(share, &parts[rank], &share->lists[rank]));
    return STATUS_OK;
}

/* ---- the table's files ---- */

/* Ranks of one host that look at one path see the same files. */
static void find_nodes(pq_share *share)
{
    bool is_local = share->table->spec.access == PQ_LOCAL;
    uint32_t nodes = 0;
    for (uint32_t rank = 0; rank < share->ranks; rank++) {
        rank_list *own = &share->lists[rank];
        uint32_t other = 0;
        while (other < rank && is_local &&
               (strcmp(own->host, share->lists[other].host) ||
                strcmp(own->root, share->lists[other].root)))
            other++;
        own->node = other < rank ? share->lists[other].node : nodes++;
    }
}

static status other_count(const pq_share *share, uint32_t rank, uint32_t first)
{
    const rank_list *own = &share->lists[rank], *other = &share->lists[first];
    status st = status_new(STATUS_KIND_INVALID,
                           "rank %u (host %s) has other files than rank %u (host %s) of table "
                           "\"%s\": %zu at \"%s\", not %zu",
                           rank, own->host, first, other->host, share->table->name,
                           own->files.count, own->root, other->files.count);
    return status_hint(st, "files that only some machines have: local:%s",
                       pq_table_spec_path(share->table->name));
}

static status other_length(const pq_share *share, uint32_t rank, uint32_t first, size_t number)
{
    const rank_list *own = &share->lists[rank], *other = &share->lists[first];
    const listed *a = &own->files.items[number], *b = &other->files.items[number];
    status st = status_new(STATUS_KIND_INVALID,
                           "rank %u (host %s) has other files than rank %u (host %s) of table "
                           "\"%s\": \"%s\" has %" PRIu64 " bytes, \"%s\" %" PRIu64,
                           rank, own->host, first, other->host, share->table->name, a->path,
                           a->entry.bytes, b->path, b->entry.bytes);
    return status_hint(st, "a table's files are the same on all ranks, unless it is local:%s",
                       pq_table_spec_path(share->table->name));
}

/* The list is like that of the first rank of its node. */
static status compare_list(pq_share *share, uint32_t rank, uint32_t first, shared_file *files)
{
    const listed_files *own = &share->lists[rank].files, *other = &share->lists[first].files;
    if (own->count != other->count)
        return other_count(share, rank, first);
    for (size_t i = 0; i < own->count; i++) {
        const list_entry *a = &own->items[i].entry, *b = &other->items[i].entry;
        if (a->bytes != b->bytes || a->part != b->part)
            return other_length(share, rank, first, i);
        files[i].is_own_footer |= a->inode != b->inode || a->modified != b->modified;
    }
    return STATUS_OK;
}

static status table_share_add_node(pq_share *share, uint32_t first)
{
    const rank_list *list = &share->lists[first];
    size_t before = share->files.count;
    bool is_replicated = share->table->spec.access == PQ_REPLICATED;
    bool is_here = share->lists[share->rank].node == list->node;
    for (size_t i = 0; i < list->files.count; i++)
        TRY(array_push(share->memory, &share->files,
                       ((shared_file){.item = list->files.items[i],
                                      .owner = first,
                                      .own = (uint32_t)i,
                                      .is_here = is_here,
                                      .is_own_footer = is_replicated})));
    for (uint32_t rank = first + 1; rank < share->ranks; rank++)
        if (share->lists[rank].node == list->node)
            TRY(compare_list(share, rank, first, share->files.items + before));
    return STATUS_OK;
}

static uint32_t next_of_node(const pq_share *share, uint32_t node, uint32_t after)
{
    uint32_t rank = after;
    do
        rank = rank + 1 < share->ranks ? rank + 1 : 0;
    while (share->lists[rank].node != node);
    return rank;
}

/* A footer's length is not known: about the same share of each file. */
static status choose_readers(pq_share *share)
{
    uint64_t *read = arena_alloc_array(share->memory, share->ranks, sizeof *read);
    if (!read)
        return status_no_memory("table", share->ranks * sizeof *read);
    for (size_t i = 0; i < share->files.count; i++) {
        shared_file *f = &share->files.items[i];
        uint32_t node = share->lists[f->owner].node;
        f->reader = f->owner;
        if (f->is_own_footer)
            continue;
        for (uint32_t rank = next_of_node(share, node, f->owner); rank != f->owner;
             rank = next_of_node(share, node, rank))
            if (read[rank] < read[f->reader])
                f->reader = rank;
        read[f->reader] += f->item.entry.bytes;
    }
    return STATUS_OK;
}

static status no_files(const pq_share *share)
{
    return status_new(STATUS_KIND_NOT_FOUND, "no rank has files of table \"%s\" (rank 0 at \"%s\")",
                      share->table->name, share->lists[0].root);
}

status pq_share_compare(pq_share *share, const pq_share_part *lists)
{
    uint32_t node = 0;
    TRY(read_lists(share, lists));
    find_nodes(share);
    for (uint32_t rank = 0; rank < share->ranks; rank++)
        if (share->lists[rank].node == node) {
            TRY(table_share_add_node(share, rank));
            node++;
        }
    return share->files.count ? choose_readers(share) : no_files(share);
}

/* ---- footers ---- */

/* FNV-1a */
static uint64_t hash_of(const char *data, uint32_t bytes)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < bytes; i++)
        hash = (hash ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static status put_footer(pq_share *share, size_t number)
{
    const shared_file *f = &share->files.items[number];
    const file *own = share->own[f->own];
    char *data;
    uint32_t bytes;
    TRY(status_context(pq_footer_read_bytes(own, &data, &bytes), "file \"%s\"", own->path));
    const footer_entry entry = {number, hash_of(data, bytes), f->is_own_footer ? 0 : bytes};
    status st = table_share_put(&share->footers, &entry, sizeof entry);
    if (!st)
        st = table_share_put(&share->footers, data, entry.bytes);
    mem_free(data);
    return st;
}

/* Returns whether the rank tells the hash: of a file that ranks read for themselves all do. */
static bool is_told_by(const pq_share *share, const shared_file *f, uint32_t rank)
{
    return f->is_own_footer ? share->lists[rank].node == share->lists[f->owner].node
                            : f->reader == rank;
}

status pq_share_footers(pq_share *share, const char **out, uint64_t *out_bytes)
{
    for (size_t i = 0; i < share->files.count; i++)
        if (is_told_by(share, &share->files.items[i], share->rank))
            TRY(put_footer(share, i));
    *out = share->footers.items;
    *out_bytes = share->footers.count;
    return STATUS_OK;
}

static status other_footer(const pq_share *share, const shared_file *f, uint32_t rank)
{
    return status_hint(status_new(STATUS_KIND_INVALID,
                                  "rank %u (host %s) has other files than rank %u (host %s) of "
                                  "table \"%s\": the footer of \"%s\" differs",
                                  rank, share->lists[rank].host, f->owner,
                                  share->lists[f->owner].host, share->table->name,
                                  share->lists[rank].files.items[f->own].path),
                       "a table's files are the same on all ranks, unless it is local:%s",
                       pq_table_spec_path(share->table->name));
}

/* Takes what a rank says of the file, from the cursor; hashes[file] is what its owner said. */
static status take_footer(pq_share *share, uint32_t rank, size_t number, cursor *from,
                          uint64_t *hashes)
{
    const shared_file *f = &share->files.items[number];
    pq_table_file *file = &share->table->files.items[number];
    footer_entry entry;
    if (!table_share_get(from, &entry, sizeof entry) || entry.file != number ||
        entry.bytes > (size_t)(from->end - from->at) || entry.bytes > UINT32_MAX ||
        (f->is_own_footer && entry.bytes))
        return table_share_damaged(share->lists[rank].host);
    const char *data = from->at;
    from->at += entry.bytes;
    if (f->is_own_footer) {
        if (rank == f->owner)
            hashes[number] = entry.hash;
        return hashes[number] == entry.hash ? STATUS_OK : other_footer(share, f, rank);
    }
    return status_context(pq_footer_of_bytes(file->file, share->use_cache, data,
                                             (uint32_t)entry.bytes, &file->footer),
                          "file \"%s\" of rank %u (host %s)", f->item.path, rank,
                          share->lists[rank].host);
}

/* Owners come before the other ranks of their node. */
static status take_footers(pq_share *share, const pq_share_part *footers)
{
    uint64_t *hashes = arena_alloc_array(share->memory, share->files.count, sizeof *hashes);
    if (!hashes)
        return status_no_memory("table", share->files.count * sizeof *hashes);
    for (uint32_t rank = 0; rank < share->ranks; rank++) {
        cursor from = {footers[rank].data, footers[rank].data + footers[rank].bytes};
        for (size_t i = 0; i < share->files.count; i++)
            if (is_told_by(share, &share->files.items[i], rank))
                TRY(take_footer(share, rank, i, &from, hashes));
        if (from.at != from.end)
            return table_share_damaged(footers[rank].host);
    }
    return STATUS_OK;
}

/* ---- the table ---- */

/* The file, taken from this rank's own, or one that is elsewhere. */
static status table_share_make_file(pq_share *share, const shared_file *f, pq_table_file *out)
{
    out->node = share->lists[f->owner].node;
    if (!f->is_here)
        return file_open_elsewhere(f->item.path, f->item.entry.bytes, &out->file);
    out->file = share->own[f->own];
    share->own[f->own] = NULL;
    return STATUS_OK;
}

/* Parts are numbered through; each node's begin anew. */
static void number_parts(pq_share *share)
{
    pq_table_file *files = share->table->files.items;
    for (size_t i = 1; i < share->files.count; i++) {
        bool is_same =
            files[i].node == files[i - 1].node &&
            share->files.items[i].item.entry.part == share->files.items[i - 1].item.entry.part;
        files[i].part = files[i - 1].part + !is_same;
    }
}

static status make_files(pq_share *share)
{
    pq_table *table = share->table;
    TRY(array_reserve(table->memory, &table->files, share->files.count));
    memset(table->files.items, 0, share->files.count * sizeof *table->files.items);
    table->files.count = share->files.count;
    for (size_t i = 0; i < share->files.count; i++)
        TRY(table_share_make_file(share, &share->files.items[i], &table->files.items[i]));
    for (uint32_t rank = 0; rank < share->ranks; rank++)
        TRY(array_push(table->memory, &table->rank_nodes, share->lists[rank].node));
    number_parts(share);
    return STATUS_OK;
}

/* Reads the footers that are not sent. */
static status read_own_footers(pq_share *share)
{
    for (size_t i = 0; i < share->files.count; i++) {
        pq_table_file *file = &share->table->files.items[i];
        if (!file->footer)
            TRY(status_context(pq_footer_open(file->file, share->use_cache, &file->footer),
                               "file \"%s\"", file->file->path));
        file->metadata = pq_footer_metadata(file->footer);
    }
    return STATUS_OK;
}

/* Finds the keys of paths as the first rank of a file's node has them. */
static status table_share_find_keys(const pq_share *share)
{
    pq_table *table = share->table;
    size_t count = share->files.count;
    path_list paths = {0};
    uint32_t *folders = arena_alloc_array(share->memory, count, sizeof *folders);
    if (!folders)
        return status_no_memory("table", count * sizeof *folders);
    for (size_t i = 0; i < count; i++)
        TRY(array_push(share->memory, &paths, (char *)share->files.items[i].item.path));
    TRY(pq_hive_find(table->memory, table->spec.hive, &table->spec.hive_types, &paths, folders,
                     &table->hive));
    if (table->spec.has_filename)
        TRY(pq_hive_add_filename(table->memory, &paths, folders, &table->hive));
    for (size_t i = 0; i < count; i++)
        table->files.items[i].folder = folders[i];
    table->file_total = count;
    return STATUS_OK;
}

/* Says whose file it is that differs. */
static status table_share_check_schemas(const pq_share *share)
{
    for (size_t i = 1; i < share->files.count; i++) {
        uint32_t owner = share->files.items[i].owner;
        TRY(status_context(pq_table_check_schema(share->table, i), "rank %u (host %s)", owner,
                           share->lists[owner].host));
    }
    return STATUS_OK;
}

status pq_share_table(pq_share *share, const pq_share_part *footers, pq_table **out)
{
    TRY(make_files(share));
    TRY(take_footers(share, footers));
    TRY(read_own_footers(share));
    bool is_united = share->table->spec.is_united || pq_table_is_mixed(share->table);
    if (share->table->spec.access == PQ_LOCAL && !is_united)
        TRY(table_share_check_schemas(share));
    TRY(table_share_find_keys(share));
    TRY(is_united ? pq_table_unite(share->table) : pq_table_finish(share->table));
    *out = share->table;
    share->table = NULL;
    return STATUS_OK;
}
