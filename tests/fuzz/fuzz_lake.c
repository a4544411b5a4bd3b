/* fuzz_lake.c - any bytes as what lakes keep their state in: Avro files, sets of deleted rows, logs and metadata of JSON,
 * column chunks of checkpoints. What is taken is within the bounds that it promises. The first byte chooses. */
#include "fuzz.h"
#include "lake/delta/delta.h"
#include "lake/delta/delta_state.h"
#include "lake/delta/delta_vector.h"
#include "lake/iceberg/iceberg.h"
#include "lake/log/avro.h"
#include "lake/log/deleted_rows.h"
#include "lake/log/leaf_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROWS_MOST 100000

/* Reads every byte that a value points to. */
static uint64_t walk_value(const avro_value *v)
{
    uint64_t sum = (uint64_t)v->kind;
    if (v->kind == AVRO_BYTES)
        for (size_t i = 0; i < v->byte_count; i++)
            sum += v->bytes[i];
    if (v->kind == AVRO_RECORD || v->kind == AVRO_ARRAY || v->kind == AVRO_MAP)
        for (size_t i = 0; i < v->item_count; i++)
            sum += walk_value(&v->items[i]);
    return sum;
}

static status take_value(void *context, const avro_value *record)
{
    *(volatile uint64_t *)context += walk_value(record);
    return STATUS_OK;
}

static void read_set(arena *a, const uint8_t *bytes, size_t length)
{
    row_numbers rows = {0};
    pq_deleted_rows sorted = {0};
    bool is_read = fuzz_settle(deleted_rows_read(bytes, length, ROWS_MOST, &rows));
    is_read = is_read && fuzz_settle(row_numbers_finish(&rows, a, &sorted));
    row_numbers_release(&rows);
    FUZZ_CHECK(sorted.count <= ROWS_MOST);
    for (size_t i = 1; is_read && i < sorted.count; i++)
        FUZZ_CHECK(sorted.rows[i - 1] < sorted.rows[i]);
}

static void read_vector(arena *a, const char *text, size_t length)
{
    uint8_t *out = arena_alloc(a, length + 4);
    pq_deleted_rows rows;
    const delta_vector v = {
        .storage = "i", .path = text, .bytes = (int64_t)(length / 5 * 4), .cardinality = ROWS_MOST};
    if (out && delta_decode_85(text, strlen(text), out))
        (void)fuzz_settle(delta_vector_read(NULL, a, "/", &v, &rows));
}

static void read_log(arena *a, char *text, size_t length)
{
    delta_state s = {.memory = a, .root = "/root", .name = "root"};
    pq_given *given;
    if (!fuzz_settle(delta_take_actions(&s, "log", text, length)) || !s.schema ||
        !fuzz_settle(delta_make_given(&s, &given)))
        return;
    FUZZ_CHECK(given->columns.count > 0);
    for (size_t i = 0; i < given->files.count; i++)
        FUZZ_CHECK(given->files.items[i].path && given->files.items[i].row_count >= -1);
}

/* ---- files ---- */

/* A folder for files of one name each, which are written anew. */
static const char *folder(void)
{
    static char path[64];
    char inner[96];
    if (*path)
        return path;
    snprintf(path, sizeof path, "%s/fuzz_lake.XXXXXX",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    FUZZ_CHECK(mkdtemp(path) != NULL);
    snprintf(inner, sizeof inner, "%s/metadata", path);
    FUZZ_CHECK(!mkdir(inner, 0700));
    return path;
}

static void remove_folder(void)
{
    static const char *const names[] = {"metadata/v1.metadata.json", "metadata/m.avro", "x.parquet",
                                        "metadata", ""};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder(), names[i]);
        remove(path);
    }
}

static void write_file(const char *name, const void *bytes, size_t length)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder(), name);
    FILE *f = fopen(path, "w");
    FUZZ_CHECK(f && fwrite(bytes, 1, length, f) == length);
    FUZZ_CHECK(!fclose(f));
}

static void read_iceberg(arena *a)
{
    const lake_request request = {.kind = LAKE_ICEBERG, .path = folder()};
    pq_given *given;
    if (!fuzz_settle(iceberg_read(a, &request, &given)))
        return;
    FUZZ_CHECK(given->columns.count > 0);
    for (size_t i = 0; i < given->files.count; i++)
        FUZZ_CHECK(given->files.items[i].path != NULL);
}

/* The bytes are a manifest of a table whose metadata are good. */
static void read_manifest(arena *a, const uint8_t *bytes, size_t length)
{
    static const char metadata[] =
        "{\"format-version\":1,\"location\":\"/"
        "t\",\"schema\":{\"fields\":[{\"id\":1,\"name\":\"a\",\"type\":\"long\"},"
        "{\"id\":2,\"name\":\"b\",\"type\":\"string\"},{\"id\":3,\"name\":\"c\",\"type\":\"decimal("
        "9,2)\"},"
        "{\"id\":4,\"name\":\"d\",\"type\":\"date\"},{\"id\":5,\"name\":\"e\",\"type\":"
        "\"timestamp\"}]},"
        "\"partition-spec\":[{\"source-id\":1,\"field-id\":1000,\"transform\":\"truncate[4]\"},"
        "{\"source-id\":4,\"field-id\":1001,\"transform\":\"month\"},{\"source-id\":5,\"field-id\":"
        "1002,\"transform\":\"hour\"},"
        "{\"source-id\":2,\"field-id\":1003,\"transform\":\"identity\"}],\"current-snapshot-id\":1,"
        "\"snapshots\":[{\"snapshot-id\":1,\"manifests\":[\"/t/metadata/m.avro\"]}]}";
    write_file("metadata/v1.metadata.json", metadata, sizeof metadata - 1);
    write_file("metadata/m.avro", bytes, length);
    read_iceberg(a);
}

static void read_leaves(const file *f, const pq_metadata *m)
{
    for (uint32_t g = 0; g < m->row_group_count; g++)
        for (uint32_t i = 0; i < m->leaf_count; i++) {
            arena *a;
            leaf_values values;
            volatile uint64_t sum = 0;
            if (!fuzz_settle(arena_new(&a)))
                return;
            if (fuzz_settle(leaf_read(a, f, m, g, i, &values)))
                for (size_t v = 0; v < values.count; v++)
                    for (uint32_t b = 0; b < values.items[v].count; b++)
                        sum += values.items[v].bytes[b];
            (void)sum;
            arena_free(a);
        }
}

static void read_parquet(const uint8_t *bytes, size_t length)
{
    char path[128];
    file *f;
    pq_footer *footer;
    write_file("x.parquet", bytes, length);
    snprintf(path, sizeof path, "%s/x.parquet", folder());
    if (!fuzz_settle(file_open(path, &f)))
        return;
    if (fuzz_settle(pq_footer_open(f, false, &footer))) {
        read_leaves(f, pq_footer_metadata(footer));
        pq_footer_unref(footer);
    }
    file_close(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    arena *a;
    uint64_t sum = 0;
    static bool is_first = true;
    if (is_first)
        atexit(remove_folder);
    is_first = false;
    if (!length || !fuzz_settle(arena_new(&a)))
        return 0;
    const uint8_t *rest = bytes + 1;
    char *text = arena_copy_text(a, (const char *)rest, --length);
    switch (text ? bytes[0] % 7 : 7) {
    case 0:
        (void)fuzz_settle(avro_read(rest, length, take_value, &sum));
        break;
    case 1:
        read_set(a, rest, length);
        break;
    case 2:
        read_vector(a, text, length);
        break;
    case 3:
        read_log(a, text, length);
        break;
    case 4:
        write_file("metadata/v1.metadata.json", rest, length);
        read_iceberg(a);
        break;
    case 5:
        read_manifest(a, rest, length);
        break;
    case 6:
        read_parquet(rest, length);
        break;
    default:
        break;
    }
    arena_free(a);
    return 0;
}
