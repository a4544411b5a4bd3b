/* scan_ahead.c - which row groups are read when. What is queued is under one lock of the query.
 * Whoever looks at a scan's next row group and submits its reads holds the scan, not the lock: a
 * task that finds nothing queued meanwhile waits as it would for a read. */
#include "exec/scan/scan_look.h"

#include "base/system/mutex.h"
#include "exec/scan/scan_bound.h"
#include "exec/scan/scan_chunk.h"
#include "exec/scan/scan_deal.h"
#include "exec/scan/scan_files.h"
#include "exec/scan/scan_nested.h"
#include "exec/scan/scan_prune.h"
#include "exec/scan/scan_share.h"
#include "exec/scan/scan_split.h"
#include "exec/scan/scan_steal.h"
#include "exec/scan/stored_values.h"
#include "storage/device.h"

/* Row groups that a scan which others may take from looks at ahead of need, in addition to two for each task. */
#define QUEUE_SPARE 6u
/* Bytes that a task submits before it goes on with its own row group: the system takes a while for the memory that
 * reads end in. */
#define SUBMIT_BYTES ((uint64_t)16 << 20)
/* Bytes that are submitted before the first task runs. */
#define START_BYTES ((uint64_t)4 << 20)
/* A morsel of a row group: each worker should have several of them in a table. */
#define MORSEL_BYTES_MIN ((uint64_t)4 << 20)
#define MORSELS_PER_TASK 8
/* A row group that has more chunks of a lazy device is cut, so that several tasks share it. */
#define ROW_GROUP_CHUNKS 2

/* A regulated scan's window: what it begins with and keeps at least, or a few morsels more than
 * there are workers; and so many times in a row its tasks must find their bytes there before it
 * becomes smaller. */
#define WINDOW_BYTES_MIN ((uint64_t)8 << 20)
#define WINDOW_SPARE_MORSELS 2
#define CALM_TAKES 16
/* The least window of a table in a store, which answers late: what 3 Gbit/s give in 100 ms. */
#define STORE_WINDOW_BYTES ((uint64_t)32 << 20)

/* All queries of the process that read ahead. */
static _Atomic uint64_t process_bytes;
static _Atomic uint32_t process_queries;

static bool give_loot(void *scan, scan_loot *out);
static void got_loot(void *scan, const scan_loot *loot);
static const scan_steal_ops steal_ops = {give_loot, got_loot};

static uint64_t group_bytes(const scan_ahead *scan, const pq_row_group *group)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < scan->column_count; i++)
        bytes += pq_table_column_bytes(group, &scan->table->columns.items[scan->columns[i]]);
    return bytes;
}

uint64_t scan_ahead_row_group_bytes(const scan_ahead *scan, pq_row_group_ref group_ref)
{
    return group_bytes(
        scan, &scan->table->files.items[group_ref.file].metadata->row_groups[group_ref.row_group]);
}

const pq_table *scan_ahead_table(const scan_ahead *scan)
{
    return scan->table;
}

uint64_t scan_ahead_chunk_rows(const scan_ahead *scan)
{
    return scan->chunk_rows;
}

void scan_ahead_count_in(scan_ahead *scan, exec_metrics *metrics)
{
    scan->metrics = metrics;
}

/* The entry of the device that the file is on, or NULL. */
static scan_storage *find_storage(exec_query *query, const file *f)
{
    for (size_t i = 0; i < query->reads->storage.count; i++)
        if (query->reads->storage.items[i].device == f->version.device)
            return &query->reads->storage.items[i];
    return NULL;
}

static status add_storage(exec_query *query, const pq_table *table)
{
    for (size_t i = 0; i < table->files.count; i++) {
        const file *f = table->files.items[i].file;
        scan_storage storage = {.device = f->version.device, .path = f->path};
        if (file_is_here(f) && !find_storage(query, f))
            TRY(array_push(query->memory, &query->reads->storage, storage));
    }
    return STATUS_OK;
}

void scan_ahead_count(scan_ahead *scan, pq_row_group_ref group_ref, uint64_t stored,
                      uint64_t cached)
{
    scan_storage *storage =
        find_storage(scan->query, scan->table->files.items[group_ref.file].file);
    if (storage) /* of a closed table only the sample's are known */
        atomic_fetch_add_explicit(&storage->bytes, stored, memory_order_relaxed);
    atomic_fetch_add_explicit(&scan->query->reads->bytes_cached, cached, memory_order_relaxed);
}

/* Returns the compressed bytes of a chunk of a device that takes several row groups at once. */
static uint64_t chunk_bytes(const scan_ahead *scan, uint64_t all)
{
    uint64_t chunk = scan->chunk_rows, rows = scan->table->row_count;
    double bytes = chunk < rows ? (double)all * (double)chunk / (double)rows : (double)all;
    return (uint64_t)bytes + 1;
}

/* All of them, or, where ranks read parts of the table, this rank's. */
static status deal_row_groups(scan_ahead *scan)
{
    exec_query *query = scan->query;
    scan_worth worth;
    scan->deal = (pq_deal){.end = scan->files ? SIZE_MAX : scan->table->row_groups.count};
    if (query->net && scan->plan->placement == PLACEMENT_PARTS) {
        TRY(scan_deal(query, scan->plan, &scan->deal, &worth));
        return scan_steal_new(query, scan->plan, worth, &steal_ops, scan, &scan->steal);
    }
    if (!pq_table_is_apart(scan->table, query->rank))
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_INVALID,
                                  "table \"%s\" has files that rank %u cannot read",
                                  scan->table->name, query->rank),
                       "SET distribute = auto");
}

/* The compressed bytes of the scan's columns, and those of the largest row group; of a closed table as its
 * sample has them. */
static void add_sizes(const scan_ahead *scan, uint64_t *all, uint64_t *largest)
{
    const pq_table *table = scan->plan->scan.table;
    for (size_t f = 0; f < table->files.count && !table->is_schema_only; f++)
        for (uint32_t g = 0; g < table->files.items[f].metadata->row_group_count; g++) {
            const pq_row_group *group = &table->files.items[f].metadata->row_groups[g];
            uint64_t bytes = group_bytes(scan, group);
            *all += bytes;
            *largest = bytes > *largest ? bytes : *largest;
        }
    if (table->is_closed && table->files.count)
        *all = (uint64_t)((double)*all * (double)table->listed.count / (double)table->files.count);
}

uint64_t scan_ahead_bytes(const scan_ahead *scan)
{
    uint64_t all = 0, largest = 0;
    add_sizes(scan, &all, &largest);
    return all;
}

/* Returns whether the table's files are objects of a store. */
static bool is_in_store(const scan_ahead *scan)
{
    const pq_table *table = scan->plan->scan.table;
    return table->files.count && table->files.items[0].file && table->files.items[0].file->object;
}

/* How large a morsel is, and what the window is at least. */
static void choose_sizes(scan_ahead *scan)
{
    uint64_t all = 0, largest = 0, threads = exec_task_count(scan->query);
    add_sizes(scan, &all, &largest);
    scan->chunk_rows = scan_chunk_rows(scan->query, scan->plan);
    uint64_t morsel = all / (threads * MORSELS_PER_TASK);
    morsel = morsel < MORSEL_BYTES_MIN ? MORSEL_BYTES_MIN : morsel;
    morsel = morsel > MORSEL_BYTES_MAX ? MORSEL_BYTES_MAX : morsel;
    uint64_t unit = largest < morsel ? largest : morsel;
    if (!scan->query->dev
             ->is_host) { /* a device computes on large chunks: of row groups, or parts of one */
        unit = chunk_bytes(scan, all);
        morsel = largest / ROW_GROUP_CHUNKS > unit ? unit : UINT64_MAX;
        unit = unit > largest || morsel == unit ? unit : largest;
    }
    scan->morsel_bytes = morsel;
    scan->least = unit * (threads + WINDOW_SPARE_MORSELS);
    uint64_t floor = is_in_store(scan) ? STORE_WINDOW_BYTES : WINDOW_BYTES_MIN;
    if (scan->least < floor)
        scan->least = floor;
    scan->window = scan->least;
}

static uint64_t reclaim(const exec_query *query)
{
    return scan_share_drop(query->reads->share);
}

status scan_ahead_new(exec_query *query, const plan_node *plan, const uint32_t *columns,
                      uint32_t column_count, scan_ahead **out)
{
    *out = NULL;
    scan_ahead *scan = mem_new(sizeof *scan);
    if (!scan)
        return status_no_memory("scan", sizeof *scan);
    *scan = (scan_ahead){.query = query,
                         .plan = plan,
                         .table = plan->scan.table,
                         .columns = columns,
                         .column_count = column_count};
    scan->wanted = mem_new_array(column_count + 1, sizeof *scan->wanted);
    scan->kept = mem_new_array(column_count + 1, sizeof *scan->kept);
    if (!scan->wanted || !scan->kept) {
        mem_free(scan->wanted);
        mem_free(scan->kept);
        mem_free(scan);
        return status_no_memory("scan", column_count * sizeof *scan->wanted);
    }
    choose_sizes(scan);
    status st = scan_files_new(query, plan, &scan->files);
    if (scan->files)
        scan->table = scan_files_table(scan->files);
    if (!st)
        st = deal_row_groups(scan);
    if (!st)
        st = scan_bound_order(query, plan, scan->table, &scan->order);
    if (!st)
        st = add_storage(query, plan->scan.table);
    if (!st && query->reads->is_combining && !query->reads->share)
        st = scan_share_new(query, &query->reads->share);
    query->reclaim = reclaim;
    if (!st && query->reads->share && !scan->files)
        st = scan_share_add(query->reads->share, scan->table, columns, column_count, &scan->reader);
    if (!st)
        st = array_push(query->memory, &query->reads->scans, scan);
    if (st) {
        scan_steal_free(scan->steal);
        scan_files_free(scan->files);
        mem_free(scan->wanted);
        mem_free(scan->kept);
        mem_free(scan);
        return st;
    }
    *out = scan;
    return STATUS_OK;
}

/* Returns whether a cache has the column's rows. */
static bool is_cached(const scan_ahead *scan, const scan_morsel *next, uint32_t column)
{
    const exec_query *query = scan->query;
    const scan_reads *reads = query->reads;
    column_key key;
    if ((!reads->cache.limit_bytes && !reads->stored.cache) ||
        !column_key_of(scan->table, next->group_ref, column, &key))
        return false;
    key.replaces_text = query->statement->replaces_text;
    key.ignores_checksums = query->statement->ignores_checksums;
    return query->dev->is_host ? column_cache_has(&key, reads->cache, &next->rows)
                               : stored_values_has(reads->stored, &key, &next->rows) ||
                                     stored_cache_has(reads->stored, &key, &next->rows);
}

/* Returns whether a lazy device's cache has all rows of the morsel's stretch of the column of that number among the scan's. Asked
 * at the stretch's first row group, and known for the others. */
static bool is_stretch_kept(scan_ahead *scan, const scan_morsel *next, uint32_t number)
{
    column_key key;
    const scan_reads *reads = scan->query->reads;
    if (!reads->stored.cache || scan->kept[number] == next->stretch + 1)
        return reads->stored.cache != NULL;
    if (next->number != next->stretch ||
        !column_key_of(scan->table, next->group_ref, scan->columns[number], &key))
        return false;
    key.replaces_text = scan->query->statement->replaces_text;
    key.ignores_checksums = scan->query->statement->ignores_checksums;
    uint64_t rows = stored_values_from(reads->stored, &key);
    bool is_kept = rows && rows == scan_stretch_rows(&scan->stretches, scan->table,
                                                     scan->chunk_rows, next->stretch);
    scan->kept[number] = is_kept ? next->stretch + 1 : 0;
    return is_kept;
}

/* The columns that the next rows are read of: all but those that a cache has. Returns how many. */
static uint32_t list_wanted(scan_ahead *scan, const scan_morsel *next)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < scan->column_count; i++)
        if (!scan_read_leaves(scan->plan,
                              scan->columns[i]) && /* a few leaves are read by themselves */
            !is_stretch_kept(scan, next, i) &&
            !is_cached(scan, next, scan->columns[i]))
            scan->wanted[count++] = scan->columns[i];
    return count;
}

/* Starts the reads of the next rows, but of what is kept. */
static status fetch_wanted(scan_ahead *scan, scan_morsel *next, scan_share *share)
{
    exec_query *query = scan->query;
    pq_shared_list kept = {0};
    status st = share ? scan_share_find(share, scan->table, scan->group_ref, &kept) : STATUS_OK;
    pq_fetch_want want = {.table = scan->table,
                          .group_ref = next->group_ref,
                          .rows = &next->rows,
                          .columns = scan->wanted,
                          .column_count = list_wanted(scan, next),
                          .policy = query->reads->policy,
                          .is_merged = query->reads->is_combining,
                          .is_registered = query->reads->is_registering,
                          .kept = &kept};
    if (!st)
        st = pq_fetch_start(query->dev, &want, &next->fetch);
    pq_shared_list_release(&kept);
    return st;
}

/* Starts the reads of the next rows, which are of the row group at the split. For who holds the
 * scan. */
static status fetch_next(scan_ahead *scan, scan_morsel *next)
{
    scan_share *share = scan->query->reads->share;
    if (!share || !is_in_store(scan))
        return fetch_wanted(scan, next, share);
    scan_share_begin(share);
    status st = fetch_wanted(scan, next, share);
    if (!st)
        scan_share_offer(share, scan->table, scan->reader, next->group_ref, next->fetch);
    scan_share_end(share);
    return st;
}

/* The next rows, their reads under way; *is_there false: there are none left. For who holds the
 * scan. */
static status start_next(scan_ahead *scan, scan_morsel *out, bool *is_there)
{
    *out = (scan_morsel){0};
    *is_there = false;
    TRY(scan_look(scan));
    if (!scan_split_has_more(&scan->split))
        return STATUS_OK;
    out->group_ref = scan->group_ref;
    out->number = scan->number;
    status st = scan_split_next(&scan->split, &out->rows, &out->bytes);
    if (st) {
        array_release(&out->rows);
        return st;
    }
    *is_there = true;
    out->is_cut = out->rows.count && scan->split.morsel_rows;
    out->stretch = scan_stretch_of(&scan->stretches, scan->table, scan->chunk_rows, scan->number);
    /* Without memory to read ahead, it is read when it is needed, and fails there if it must. */
    st = scan->has_no_memory ? STATUS_OK : fetch_next(scan, out);
    scan->has_no_memory |= st != NULL;
    status_free(st);
    if (!scan_split_has_more(&scan->split))
        scan_look_pass(scan);
    scan_ahead_count(scan, out->group_ref, pq_fetch_stored_bytes(out->fetch), 0);
    atomic_fetch_add_explicit(&scan->query->reads->bytes_shared, pq_fetch_shared_bytes(out->fetch),
                              memory_order_relaxed);
    return STATUS_OK;
}

/* ---- with the lock held ---- */

static void count_bytes(scan_ahead *scan, int64_t more)
{
    scan->bytes += (uint64_t)more;
    scan->query->reads->bytes += (uint64_t)more;
    atomic_fetch_add_explicit(&process_bytes, (uint64_t)more, memory_order_relaxed);
}

static void let_go(scan_ahead *scan)
{
    scan->is_held = false;
    exec_wake_all(&scan->waiting);
}

/* Asks other ranks for row groups, once tasks have nothing else; the scan is held, the lock is given up meanwhile. */
static void ask_for_loot(scan_ahead *scan)
{
    if (scan->is_done || scan->loot_state != LOOT_UNASKED || !scan->has_started ||
        scan->queue_count)
        return;
    scan->loot_state = LOOT_ASKED;
    mutex_unlock(&scan->query->reads->lock);
    scan_steal_want(scan->steal);
    mutex_lock(&scan->query->reads->lock);
}

/* All that this rank has is queued: nothing comes before other ranks are asked, or have answered. */
static bool is_dry_for_now(const scan_ahead *scan)
{
    if (!scan->steal || !scan->is_dry)
        return false;
    return scan->loot_state == LOOT_ASKED ||
           (scan->loot_state == LOOT_UNASKED && (scan->queue_count || !scan->has_started));
}

static unsigned queue_most(const scan_ahead *scan)
{
    unsigned most = 2 * exec_task_count(scan->query) + QUEUE_SPARE;
    return scan->steal && most < QUEUE_MAX ? most : QUEUE_MAX;
}

/* Queues the next rows; the scan is held, the lock is given up meanwhile. Returns the bytes
 * that are read. */
static uint64_t extend(scan_ahead *scan)
{
    scan_reads *ahead = scan->query->reads;
    scan_morsel next;
    bool is_there;
    mutex_unlock(&ahead->lock);
    status st = start_next(scan, &next, &is_there);
    mutex_lock(&ahead->lock);
    scan->failure = st;
    scan->is_dry = !is_there;
    scan->is_done = !is_there && (st || !scan->steal || scan->loot_state == LOOT_OVER);
    if (!is_there) {
        ask_for_loot(scan);
        return 0;
    }
    count_bytes(scan, (int64_t)pq_fetch_bytes(next.fetch));
    scan->queue[(scan->queue_first + scan->queue_count++) % QUEUE_MAX] = next;
    if (ahead->overlap != OVERLAP_BLOCKING)
        exec_wake_all(&scan->waiting);
    return pq_fetch_bytes(next.fetch);
}

/* The budget is the process's; each query has an equal share, however many scans it has. A scan
 * that nobody works on yet leaves half of it, and with regulation each has a window. */
static bool may_extend(const scan_ahead *scan)
{
    const scan_reads *ahead = scan->query->reads;
    uint32_t queries = atomic_load_explicit(&process_queries, memory_order_relaxed);
    uint64_t most = ahead->bytes_max;
    if (scan->files && !scan->has_started)
        return false; /* runtime filters may leave out files */
    if (scan->is_done || scan->queue_count >= queue_most(scan) || is_dry_for_now(scan))
        return false;
    if (!ahead->is_combining)
        return scan->bytes < most;
    if (ahead->is_regulating && scan->bytes >= scan->window)
        return false;
    return atomic_load_explicit(&process_bytes, memory_order_relaxed) < most &&
           ahead->bytes < most / (queries ? queries : 1) / (scan->has_started ? 1 : 2);
}

/* A task has asked for rows, which were there already or not. If not, and the device has nothing to
 * do but what is under way, the scan needs more bytes under way, unless that much has not even come
 * yet; if they always are, fewer: memory that was not used before is slow. */
static void regulate(scan_ahead *scan, const scan_morsel *taken)
{
    uint64_t most = scan->query->reads->bytes_max;
    const file *f = scan->table->files.items[taken->group_ref.file].file;
    bool is_there = pq_fetch_is_done(taken->fetch);
    atomic_store_explicit(&scan->is_starved, !is_there, memory_order_relaxed);
    scan->taken += pq_fetch_bytes(taken->fetch);
    if (is_there) {
        if (++scan->calm_takes < CALM_TAKES)
            return;
        scan->window -= scan->window / 4;
    } else if (scan->taken >= scan->window &&
               !atomic_load_explicit(&storage_device_find(f->version.device)->waiting,
                                     memory_order_relaxed)) {
        scan->window = scan->window < most / 2 ? scan->window * 2 : most;
        scan->taken = 0;
    }
    scan->calm_takes = 0;
    if (scan->window < scan->least)
        scan->window = scan->least;
}

/* Submits about as many bytes as it may; returns how many it may still. */
static uint64_t fill(scan_ahead *scan, uint64_t bytes)
{
    scan->is_held = true;
    while (bytes && may_extend(scan)) {
        uint64_t submitted = extend(scan);
        bytes -= submitted < bytes ? submitted : bytes;
    }
    let_go(scan);
    return bytes;
}

/* This scan, then those behind it, as far as those before them are looked at. */
static void fill_from(scan_reads *ahead, size_t first, uint64_t bytes)
{
    size_t end = ahead->overlap < OVERLAP_DEFERRED                            ? first
                 : ahead->overlap == OVERLAP_DEFERRED || !ahead->is_combining ? first + 1
                                                                              : ahead->scans.count;
    for (size_t i = first; i < end && i < ahead->scans.count && bytes; i++) {
        scan_ahead *scan = ahead->scans.items[i];
        if (!scan->is_held)
            bytes = fill(scan, bytes);
        if (!scan->is_done)
            break;
    }
}

/* Reads as much as may be held, but one row group at least, and waits for it. */
static void fill_blocking(scan_ahead *scan)
{
    scan->is_held = true;
    do
        extend(scan);
    while (may_extend(scan));
    mutex_unlock(&scan->query->reads->lock);
    for (unsigned i = 0; i < scan->queue_count; i++)
        pq_fetch_block(scan->queue[(scan->queue_first + i) % QUEUE_MAX].fetch);
    mutex_lock(&scan->query->reads->lock);
    let_go(scan);
}

uint64_t scan_ahead_process_bytes(void)
{
    return atomic_load(&process_bytes);
}

const file *scan_ahead_changed_file(const exec_query *query)
{
    for (size_t i = 0; i < query->reads->scans.count; i++) {
        const pq_table *table = query->reads->scans.items[i]->table;
        for (size_t k = 0; k < table->files.count; k++)
            if (table->files.items[k].file && file_has_changed(table->files.items[k].file))
                return table->files.items[k].file;
    }
    return NULL;
}

/* As their stages start. */
static void order_scans(const exec_query *query)
{
    scan_reads *ahead = query->reads;
    size_t placed = 0;
    for (size_t i = 0; i < query->stages.count; i++) {
        const exec_operator *source = query->stages.items[i]->source;
        for (size_t k = placed; source && k < ahead->scans.count; k++) {
            scan_ahead *scan = ahead->scans.items[k];
            if (scan->plan != source->plan)
                continue;
            ahead->scans.items[k] = ahead->scans.items[placed];
            ahead->scans.items[placed++] = scan;
            break;
        }
    }
}

void scan_ahead_start(exec_query *query)
{
    scan_reads *ahead = query->reads;
    order_scans(query);
    if (ahead->scans.count) {
        ahead->is_counted = true;
        atomic_fetch_add_explicit(&process_queries, 1, memory_order_relaxed);
    }
    mutex_lock(&ahead->lock);
    bool is_store = ahead->scans.count && is_in_store(ahead->scans.items[0]);
    if (ahead->overlap == OVERLAP_FULL)
        fill_from(ahead, 0, is_store ? STORE_WINDOW_BYTES : START_BYTES);
    mutex_unlock(&ahead->lock);
    for (size_t i = 0; i < ahead->scans.count; i++)
        scan_steal_start(ahead->scans.items[i]->steal);
}

/* Returns whether the task may take morsels; else it is woken when another one has all of its stretch. On a lazy device one
 * task after the other takes what becomes its chunk, so that chunks are of the same row groups each time. */
static bool begin_stretch(scan_ahead *scan, exec_task *task, status *out_status)
{
    *out_status = STATUS_OK;
    if (scan->query->dev->is_host)
        return true;
    if (scan->collector && scan->collector != task) {
        *out_status = array_push(NULL, &scan->waiting_for_stretch, task);
        return false;
    }
    scan->collector = task;
    return true;
}

/* The queue's first is of another stretch than the task's. */
static bool is_stretch_over(const scan_ahead *scan)
{
    const scan_morsel *first = &scan->queue[scan->queue_first];
    return scan->has_stretch && (first->is_cut || first->stretch != scan->stretch);
}

static void end_stretch(scan_ahead *scan, const exec_task *task)
{
    if (scan->collector != task)
        return;
    scan->collector = NULL;
    scan->has_stretch = false;
    exec_wake_all(&scan->waiting_for_stretch);
}

void scan_ahead_end_stretch(scan_ahead *scan, const exec_task *task)
{
    mutex_lock(&scan->query->reads->lock);
    end_stretch(scan, task);
    mutex_unlock(&scan->query->reads->lock);
}

/* The queue's first, or none: then whoever queues one wakes the task. */
static exec_result take_queued(scan_ahead *scan, exec_task *task, scan_morsel *out)
{
    scan_reads *ahead = scan->query->reads;
    bool is_blocking = ahead->overlap == OVERLAP_BLOCKING;
    scan->has_started = true;
    while (!scan->queue_count && !scan->is_done && !scan->is_held && !is_dry_for_now(scan)) {
        if (is_blocking) {
            fill_blocking(scan);
        } else {
            scan->is_held = true;
            extend(scan);
            let_go(scan);
        }
    }
    bool is_looked_for = scan->is_held || (!scan->is_done && is_dry_for_now(scan));
    if (is_looked_for && (!scan->queue_count || (is_blocking && scan->is_held))) {
        EXEC_TRY(task, array_push(NULL, &scan->waiting, task));
        return EXEC_WAIT;
    }
    if (!scan->queue_count) {
        status st = scan->failure;
        scan->failure = STATUS_OK;
        EXEC_TRY(task, st);
        return EXEC_FINISHED;
    }
    if (is_stretch_over(scan))
        return EXEC_FINISHED;
    *out = scan->queue[scan->queue_first];
    out->turn = scan->turns++;
    scan->queue_first = (scan->queue_first + 1) % QUEUE_MAX;
    scan->queue_count--;
    regulate(scan, out);
    return EXEC_HAVE_OUTPUT;
}

/* Closing a fetch waits for its reads: one that has some is kept until they are done. Without memory
 * for that it is waited for. */
static void give_up(scan_ahead *scan, pq_fetch *fetch)
{
    if (!pq_fetch_is_done(fetch)) {
        status st = array_push(NULL, &scan->given_up, fetch);
        if (!st)
            return;
        status_free(st);
    }
    count_bytes(scan, -(int64_t)pq_fetch_bytes(fetch));
    pq_fetch_close(fetch);
}

/* Returns whether the last rows in the queue may go to another rank: it would ask a store again for what was asked for. */
static bool may_give_last(const scan_ahead *scan)
{
    if (!scan->queue_count)
        return false;
    const scan_morsel *last = &scan->queue[(scan->queue_first + scan->queue_count - 1) % QUEUE_MAX];
    return !last->fetch || !scan->table->files.items[last->group_ref.file].file->object;
}

/* The last half of what was not looked at; else the last rows in the queue. */
static bool give_loot(void *of, scan_loot *out)
{
    scan_ahead *scan = of;
    scan_reads *ahead = scan->query->reads;
    mutex_lock(&ahead->lock);
    size_t first = scan->cursor > scan->deal.first ? scan->cursor : scan->deal.first;
    bool has_any = first < scan->deal.end, is_queued = !has_any && may_give_last(scan);
    if (has_any) {
        size_t end = scan->deal.end;
        scan->deal.end = first + (end - first) / 2;
        *out = (scan_loot){.first = scan->deal.end, .end = end};
    } else if (is_queued) {
        scan_morsel *last = &scan->queue[(scan->queue_first + --scan->queue_count) % QUEUE_MAX];
        *out = (scan_loot){.first = last->number,
                           .end = last->number + 1,
                           .first_row = last->rows.items[0].first,
                           .end_row = last->rows.items[last->rows.count - 1].end};
        give_up(scan, last->fetch);
        array_release(&last->rows);
    }
    mutex_unlock(&ahead->lock);
    return has_any || is_queued;
}

static void got_loot(void *of, const scan_loot *loot)
{
    scan_ahead *scan = of;
    mutex_lock(&scan->query->reads->lock);
    scan->loot_state = loot ? LOOT_HERE : LOOT_OVER;
    if (loot)
        scan->loot = *loot;
    if (loot && scan->metrics)
        atomic_fetch_add_explicit(&scan->metrics->row_groups_taken, loot->end - loot->first,
                                  memory_order_relaxed);
    exec_wake_all(&scan->waiting);
    mutex_unlock(&scan->query->reads->lock);
}

/* Closes fetches that were given up and whose reads are done meanwhile. */
static void close_given_up(scan_ahead *scan)
{
    size_t count = scan->given_up.count;
    scan->given_up.count = 0;
    for (size_t i = 0; i < count; i++) {
        pq_fetch *fetch = scan->given_up.items[i];
        if (!pq_fetch_is_done(fetch)) {
            scan->given_up.items[scan->given_up.count++] = fetch;
            continue;
        }
        count_bytes(scan, -(int64_t)pq_fetch_bytes(fetch));
        pq_fetch_close(fetch);
    }
}

exec_result scan_ahead_take(scan_ahead *scan, exec_task *task, scan_morsel *out)
{
    scan_reads *ahead = scan->query->reads;
    size_t number = 0;
    status st;
    mutex_lock(&ahead->lock);
    close_given_up(scan);
    if (!begin_stretch(scan, task, &st)) {
        mutex_unlock(&ahead->lock);
        EXEC_TRY(task, st);
        return EXEC_WAIT;
    }
    exec_result result = take_queued(scan, task, out);
    while (result == EXEC_HAVE_OUTPUT) {
        atomic_fetch_add_explicit(&scan->query->reads->bytes_done, out->bytes,
                                  memory_order_relaxed);
        /* Runtime filters may have come since it was queued. */
        if (!scan_prune_runtime(scan->query, scan->plan, scan->table, out->group_ref))
            break;
        give_up(scan, out->fetch);
        array_release(&out->rows);
        result = take_queued(scan, task, out);
    }
    if (result == EXEC_HAVE_OUTPUT) { /* only now: what was left out begins no stretch */
        scan->has_stretch = !scan->query->dev->is_host;
        scan->stretch = out->is_cut ? SIZE_MAX : out->stretch;
    }
    while (ahead->scans.items[number] != scan)
        number++;
    if (result != EXEC_WAIT)
        fill_from(ahead, number, is_in_store(scan) ? STORE_WINDOW_BYTES : SUBMIT_BYTES);
    mutex_unlock(&ahead->lock);
    return result;
}

void scan_ahead_release(scan_ahead *scan, pq_row_group_ref group_ref, pq_fetch *fetch)
{
    scan_reads *ahead = scan->query->reads;
    uint64_t bytes = pq_fetch_bytes(fetch);
    /* If storage has time to read them again, keeping them would cost memory that was not used before. */
    bool is_scarce = !ahead->is_regulating || is_in_store(scan) ||
                     atomic_load_explicit(&scan->is_starved, memory_order_relaxed);
    if (ahead->share && bytes && is_scarce)
        scan_share_give(ahead->share, scan->table, scan->reader, group_ref, fetch);
    pq_fetch_close(fetch);
    if (!bytes)
        return;
    mutex_lock(&ahead->lock);
    count_bytes(scan, -(int64_t)bytes);
    mutex_unlock(&ahead->lock);
}

void scan_ahead_free(scan_ahead *scan)
{
    if (!scan)
        return;
    scan_steal_free(scan->steal);
    for (; scan->queue_count; scan->queue_count--) {
        count_bytes(scan, -(int64_t)pq_fetch_bytes(scan->queue[scan->queue_first].fetch));
        pq_fetch_close(scan->queue[scan->queue_first].fetch);
        array_release(&scan->queue[scan->queue_first].rows);
        scan->queue_first = (scan->queue_first + 1) % QUEUE_MAX;
    }
    for (size_t i = 0; i < scan->given_up.count; i++) {
        count_bytes(scan, -(int64_t)pq_fetch_bytes(scan->given_up.items[i]));
        pq_fetch_close(scan->given_up.items[i]);
    }
    array_release(&scan->given_up);
    array_release(&scan->waiting);
    array_release(&scan->waiting_for_stretch);
    array_release(&scan->stretches.firsts);
    scan_split_release(&scan->split);
    status_free(scan->failure);
    scan_files_free(scan->files);
    mem_free(scan->wanted);
    mem_free(scan->kept);
    mem_free(scan);
}

void scan_ahead_end(exec_query *query)
{
    if (!query->reads || !query->reads->is_counted)
        return;
    atomic_fetch_sub_explicit(&process_queries, 1, memory_order_relaxed);
    query->reads->is_counted = false;
}
