/* test_table_share.c - tables of several ranks: which row groups are whose, footers that travel, and bytes
 * of other ranks that are damaged.
 *
 * test_label: threads */
#include "parquet/table/table_parts.h"
#include "parquet/table/table_share.h"
#include "parquet/write/writer.h"
#include "test.h"

#include <sys/stat.h>

/* ---- dealing ---- */

enum { GROUPS_MAX = 16 };

/* A table of row groups of so many bytes, in a file of each node. */
typedef struct made_table {
    pq_table table;
    pq_table_file files[2];
    pq_metadata metadata[2];
    pq_row_group groups[2][GROUPS_MAX];
    pq_column_chunk chunks[2][GROUPS_MAX];
    pq_row_group_ref refs[2 * GROUPS_MAX];
    pq_table_column column;
    uint32_t nodes[4];
} made_table;

static void add_file(made_table *t, uint32_t node, const uint64_t *bytes, uint32_t count)
{
    uint32_t file = (uint32_t)t->table.files.count++;
    t->table.files.items = t->files;
    t->table.row_groups.items = t->refs;
    t->column.leaf_count = 1;
    t->table.columns.items = &t->column;
    t->table.columns.count = 1;
    t->files[file] = (pq_table_file){.metadata = &t->metadata[file], .node = node, .part = file};
    t->metadata[file].row_groups = t->groups[file];
    t->metadata[file].row_group_count = count;
    for (uint32_t i = 0; i < count; i++) {
        t->chunks[file][i].compressed_bytes = bytes[i];
        t->groups[file][i] = (pq_row_group){.row_count = 1, .chunks = &t->chunks[file][i]};
        t->refs[t->table.row_groups.count++] = (pq_row_group_ref){file, i};
    }
}

static void check_deal(const pq_table *table, uint32_t rank, uint32_t ranks, size_t first,
                       size_t end)
{
    pq_deal deal;
    CHECK_OK(pq_table_deal(table, NULL, rank, ranks, &deal));
    CHECK_EQ(deal.first, first);
    CHECK_EQ(deal.end, end);
}

TEST(row_groups_are_dealt_out_by_bytes)
{
    static const uint64_t alike[] = {5, 5, 5, 5, 5, 5, 5}, others[] = {2, 6, 1, 6, 3},
                          large[] = {1, 1, 1, 90, 1, 1};
    made_table a = {0}, b = {0}, c = {0};
    add_file(&a, 0, alike, 7);
    check_deal(&a.table, 0, 3, 0, 2);
    check_deal(&a.table, 1, 3, 2, 4);
    check_deal(&a.table, 2, 3, 4, 7);
    /* Three ranks: 8, 7, 3 is the best; by equal bytes alone it would be 8, 1, 9. */
    add_file(&b, 0, others, 5);
    check_deal(&b.table, 0, 3, 0, 2);
    check_deal(&b.table, 1, 3, 2, 4);
    check_deal(&b.table, 2, 3, 4, 5);
    add_file(&c, 0, large, 6);
    check_deal(&c.table, 0, 2, 0, 3);
    check_deal(&c.table, 1, 2, 3, 6);
}

/* Whatever the bytes and ranks: each row group is of one rank, in order. */
TEST(each_row_group_is_of_one_rank)
{
    for (int round = 0; round < 500; round++) {
        made_table t = {0};
        uint64_t bytes[GROUPS_MAX];
        uint32_t count = (uint32_t)(test_random() % GROUPS_MAX), ranks = 1 + test_random() % 20;
        for (uint32_t i = 0; i < count; i++)
            bytes[i] = test_random() % (i % 3 ? 10 : 1000);
        add_file(&t, 0, bytes, count);
        size_t end = 0;
        for (uint32_t rank = 0; rank < ranks; rank++) {
            pq_deal deal;
            CHECK_OK(pq_table_deal(&t.table, NULL, rank, ranks, &deal));
            CHECK_EQ(deal.first, end);
            CHECK(deal.end >= deal.first);
            end = deal.end;
        }
        CHECK_EQ(end, count);
    }
}

/* Row groups that weigh nothing are given away with others: what is left is dealt out evenly. */
TEST(row_groups_are_dealt_out_by_weights)
{
    static const uint64_t bytes[] = {9, 9, 9, 9, 9, 9, 9, 9, 9, 9},
                          weights[] = {0, 0, 0, 0, 4, 4, 4, 4, 0, 0}, none[10] = {0};
    made_table t = {0};
    add_file(&t, 0, bytes, 10);
    size_t end = 0, none_end = 0;
    for (uint32_t rank = 0; rank < 4; rank++) {
        pq_deal deal;
        uint64_t has = 0;
        CHECK_OK(pq_table_deal(&t.table, weights, rank, 4, &deal));
        CHECK_EQ(deal.first, end);
        for (size_t i = deal.first; i < deal.end; i++)
            has += weights[i];
        CHECK_EQ(has, 4);
        end = deal.end;
        CHECK_OK(pq_table_deal(&t.table, none, rank, 4, &deal));
        CHECK_EQ(deal.first, none_end);
        none_end = deal.end;
    }
    CHECK_EQ(end, 10);
    CHECK_EQ(none_end, 10);
}

TEST(local_files_are_of_the_ranks_that_have_them)
{
    static const uint64_t bytes[] = {7, 7, 7, 7};
    made_table t = {.table.spec.access = PQ_LOCAL, .nodes = {0, 1, 0, 2}};
    t.table.rank_nodes.items = t.nodes;
    t.table.rank_nodes.count = 4;
    add_file(&t, 0, bytes, 4);
    add_file(&t, 1, bytes, 2);
    check_deal(&t.table, 0, 4, 0, 2);
    check_deal(&t.table, 2, 4, 2, 4);
    check_deal(&t.table, 1, 4, 4, 6);
    check_deal(&t.table, 3, 4, 6, 6);
    CHECK(pq_table_is_apart(&t.table, 0));
}

TEST(parts_are_dealt_out_whole)
{
    static const uint64_t large[] = {100, 100, 100}, small[] = {1};
    made_table t = {0};
    uint32_t by = 0;
    t.table.partitioned_by.items = &by;
    t.table.partitioned_by.count = 1;
    add_file(&t, 0, large, 3);
    add_file(&t, 0, small, 1);
    check_deal(&t.table, 0, 2, 0, 3);
    check_deal(&t.table, 1, 2, 3, 4);
    check_deal(&t.table, 0, 3, 0, 3);
    check_deal(&t.table, 1, 3, 3, 4);
    check_deal(&t.table, 2, 3, 4, 4);
    CHECK(pq_is_same_part("d", "d/3/a.parquet", "d/3/b.parquet"));
    CHECK(!pq_is_same_part("d", "d/3/a.parquet", "d/4/a.parquet"));
    CHECK(!pq_is_same_part("d/", "d/a.parquet", "d/b.parquet"));
    CHECK(!pq_is_same_part("d/*.parquet", "d/a.parquet", "d/b.parquet"));
}

TEST(what_is_written_before_a_path)
{
    pq_table_spec spec;
    arena *a;
    CHECK_OK(arena_new(&a));
    CHECK_OK(pq_table_spec_parse(a, "local:partitioned_by=(a, b c):d/t:1", &spec));
    CHECK_EQ(spec.access, PQ_LOCAL);
    CHECK_TEXT_EQ(spec.path, "d/t:1");
    CHECK_EQ(spec.partitioned_by.count, 2);
    CHECK_TEXT_EQ(spec.partitioned_by.items[0], "a");
    CHECK_TEXT_EQ(spec.partitioned_by.items[1], "b c");
    CHECK_OK(pq_table_spec_parse(a, "./local:x", &spec));
    CHECK_EQ(spec.access, PQ_SHARED);
    CHECK_TEXT_EQ(spec.path, "./local:x");
    CHECK_FAILS(pq_table_spec_parse(a, "partitioned_by=( ):x", &spec), STATUS_KIND_INVALID, "name");
    CHECK_FAILS(pq_table_spec_parse(a, "replicated:", &spec), STATUS_KIND_NOT_FOUND, "empty");
    arena_free(a);
}

/* ---- opening together ---- */

enum { RANKS = 2 };

static void write_file(const char *path, int64_t rows)
{
    static int64_t values[100];
    pq_column_schema columns[] = {{.name = "i", .type = type_make(TYPE_INT64)}};
    pq_writer_options options = pq_writer_options_default();
    pq_writer *writer;
    CHECK_OK(pq_writer_open(path, columns, 1, &options, &writer));
    CHECK_OK(pq_writer_write(writer, (pq_column_values[]){{values, NULL}}, (uint64_t)rows));
    CHECK_OK(pq_writer_finish(writer));
}

/* Rank r has r + 1 files of 10 rows, which are its alone. */
static const char *folder_of(unsigned rank)
{
    static char folders[RANKS][512];
    char path[1200];
    if (*folders[rank])
        return folders[rank];
    snprintf(folders[rank], sizeof folders[rank], "%s/%u", test_folder(), rank);
    CHECK_EQ(mkdir(folders[rank], 0700), 0);
    for (unsigned i = 0; i <= rank; i++) {
        snprintf(path, sizeof path, "%s/%u.parquet", folders[rank], i);
        write_file(path, 10);
    }
    return folders[rank];
}

typedef struct meeting {
    pq_share *shares[RANKS];
    pq_share_part lists[RANKS], footers[RANKS];
} meeting;

static void close_meeting(meeting *m)
{
    for (unsigned rank = 0; rank < RANKS; rank++)
        pq_share_free(m->shares[rank]);
}

/* Up to the lists. */
static void meet(meeting *m, const char *access)
{
    *m = (meeting){0};
    for (unsigned rank = 0; rank < RANKS; rank++) {
        char text[1200];
        snprintf(text, sizeof text, "%s%s", access, folder_of(rank));
        CHECK_OK(pq_share_new("t", text, false, rank, RANKS, &m->shares[rank]));
        m->lists[rank].host = m->footers[rank].host = "h";
        CHECK_OK(pq_share_list(m->shares[rank], &m->lists[rank].data, &m->lists[rank].bytes));
    }
}

static void exchange_footers(meeting *m)
{
    for (unsigned rank = 0; rank < RANKS; rank++) {
        CHECK_OK(pq_share_compare(m->shares[rank], m->lists));
        CHECK_OK(
            pq_share_footers(m->shares[rank], &m->footers[rank].data, &m->footers[rank].bytes));
    }
}

TEST(ranks_open_one_table_of_their_own_files)
{
    meeting m;
    meet(&m, "local:");
    exchange_footers(&m);
    for (unsigned rank = 0; rank < RANKS; rank++) {
        pq_table *table;
        CHECK_OK(pq_share_table(m.shares[rank], m.footers, &table));
        CHECK_EQ(table->row_count, 30);
        CHECK_EQ(table->files.count, 3);
        for (size_t i = 0; i < 3; i++)
            CHECK_EQ(file_is_here(table->files.items[i].file), (i > 0) == (rank > 0));
        CHECK(pq_table_is_current(table));
        pq_table_close(table);
    }
    close_meeting(&m);
}

TEST(ranks_that_do_not_have_the_same_files_say_so)
{
    meeting m;
    meet(&m, "");
    CHECK_FAILS(pq_share_compare(m.shares[0], m.lists), STATUS_KIND_INVALID, "other files");
    close_meeting(&m);
}

/* Each byte of another rank's, one after another, is another one, or the last: an error, or a table. */
static void damage(pq_share_part *part, char *copy, uint64_t at, bool is_cut)
{
    memcpy(copy, part->data, part->bytes);
    copy[at] ^= (char)(1 + test_random() % 255);
    part->data = copy;
    part->bytes = is_cut ? at : part->bytes;
}

TEST(lists_that_are_damaged)
{
    meeting m;
    meet(&m, "local:");
    uint64_t bytes = m.lists[1].bytes;
    close_meeting(&m);
    for (uint64_t i = 0; i < 2 * bytes; i++) {
        char *copy = malloc(bytes);
        meet(&m, "local:");
        damage(&m.lists[1], copy, i / 2, i % 2);
        status st = pq_share_compare(m.shares[0], m.lists);
        CHECK(st || i % 2 == 0);
        status_free(st);
        free(copy);
        close_meeting(&m);
    }
}

TEST(footers_that_are_damaged)
{
    meeting m;
    meet(&m, "local:");
    exchange_footers(&m);
    uint64_t bytes = m.footers[1].bytes;
    close_meeting(&m);
    for (uint64_t i = 0; i < 2 * bytes; i++) {
        char *copy = malloc(bytes);
        pq_table *table = NULL;
        meet(&m, "local:");
        exchange_footers(&m);
        damage(&m.footers[1], copy, i / 2, i % 2);
        status st = pq_share_table(m.shares[0], m.footers, &table);
        CHECK(st || i % 2 == 0);
        status_free(st);
        pq_table_close(table);
        free(copy);
        close_meeting(&m);
    }
}
