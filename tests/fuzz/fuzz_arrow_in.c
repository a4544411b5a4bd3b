/* fuzz_arrow_in.c - any Arrow arrays become a table that has their rows, or are refused.
 *
 * Input: a byte for the number of columns and one for the rows; eight for each column (format, length,
 * offset, NULLs, buffers, which of them are NULL, the dictionary's format and length); then the bytes that
 * buffers are made of. How long a buffer is the interface does not say, so that those of honest lengths are
 * long enough here, and offsets of texts point into them or are refused. */
#include "api/arrow/arrow_schema.h"
#include "api/handles/error.h"
#include "fuzz.h"

#include "api/arrow/arrow_column.h"
#include "exec/scan/column_cache.h"
#include "parquet/table/footer.h"

enum { COLUMNS = 4, MEMORY = 4096, EXTENT = 64, HEAD = 8 };

static const char *const formats[] = {
    "i",    "u",   "U",       "vu",       "z",       "vz",        "b",   "c", "S",    "l",   "L",
    "f",    "g",   "e",       "d:9,2",    "d:38,10", "d:18,4,64", "w:5", "n", "tdD",  "tdm", "ttu",
    "tsn:", "tts", "tsu:UTC", "d:5,2,32", "tin",     "+l",        "Z",   "",  "d:0,0"};

/* A column's memory, and what points to it. */
typedef struct column {
    char memory[MEMORY + 16];
    int32_t offsets[2 * EXTENT + 2];
    int64_t large_offsets[2 * EXTENT + 2], lengths[1];
    arrow_view views[2 * EXTENT + 2];
    const void *buffers[8];
} column;

typedef struct input {
    const uint8_t *bytes;
    size_t length;
} input;

static uint8_t next(input *in)
{
    if (!in->length)
        return 0;
    in->length--;
    return *in->bytes++;
}

/* Up to EXTENT, or what no array has. */
static int64_t extent(uint8_t byte)
{
    static const int64_t extremes[] = {-1, INT64_MIN, INT64_MAX, (int64_t)1 << 62};
    return byte >= 0xfc ? extremes[byte - 0xfc] : byte % (EXTENT + 1);
}

static void fill(column *c, const input *in, const char *format)
{
    bool is_large = *format == 'U' || *format == 'Z';
    memcpy(c->memory, in->bytes, in->length < MEMORY ? in->length : MEMORY);
    for (size_t i = 0; i < sizeof c->offsets / sizeof *c->offsets; i++) {
        const int8_t *small = (const int8_t *)c->memory + 3 * i;
        c->offsets[i] = small[0];
        c->large_offsets[i] = small[0];
        if (small[0] & 1) /* most rise */
            c->offsets[i] = c->large_offsets[i] = (int32_t)i;
        c->views[i] = (arrow_view){.bytes = small[0] % 40 - (small[0] < -120),
                                   .buffer = small[1] % 3,
                                   .offset = small[2] * 33};
        if (c->views[i].bytes <= 12)
            memset(c->views[i].inlined, small[1] & 127, sizeof c->views[i].inlined);
    }
    c->lengths[0] = MEMORY;
    c->buffers[0] = c->memory + 1;
    c->buffers[1] = *format == 'v'                     ? (const void *)c->views
                    : is_large                         ? (const void *)c->large_offsets
                    : *format == 'u' || *format == 'z' ? (const void *)c->offsets
                                                       : c->memory + 2;
    c->buffers[2] = c->memory;
    c->buffers[3] = c->lengths;
}

static void release_array(struct ArrowArray *array)
{
    array->release = NULL;
}

static void release_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static void make(input *in, column *c, struct ArrowSchema *schema, struct ArrowArray *array,
                 const uint8_t *head)
{
    const char *format = formats[head[0] % (sizeof formats / sizeof *formats)];
    static const char count[] = {'n', 0};
    int64_t buffers = *format == 'v'                                       ? 4
                      : format[0] && !format[1] && strchr("uUzZ", *format) ? 3
                                                                           : 2;
    fill(c, in, format);
    if (!strcmp(format, count))
        buffers = 0;
    *schema = (struct ArrowSchema){.format = format, .name = "x", .release = release_schema};
    *array = (struct ArrowArray){.length = extent(head[1]),
                                 .offset = extent(head[2]),
                                 .null_count = (int8_t)head[3] % 3,
                                 .n_buffers = buffers,
                                 .buffers = c->buffers,
                                 .release = release_array};
    if (head[4] >= 0xf8)
        array->n_buffers = head[4] % 5;
    for (int i = 0; i < 4; i++)
        if (head[5] >> i & 1)
            c->buffers[i] = NULL;
}

/* ---- what is read back ---- */

static pistachio_connection *connection;

/* The rows are those of the array, in their order. */
static void check_rows(const struct ArrowSchema *schema, const struct ArrowArray *array)
{
    pistachio_result *result;
    const pistachio_batch *batch;
    int64_t row = 0;
    FUZZ_CHECK(fuzz_settle(
        api_error_status(pistachio_query(connection, "SELECT * FROM t", NULL, &result))));
    for (;;) {
        FUZZ_CHECK(fuzz_settle(api_error_status(pistachio_next(result, &batch))));
        if (!batch)
            break;
        for (uint64_t i = 0; i < pistachio_batch_rows(batch); i++, row++)
            for (uint32_t c = 0; c < pistachio_column_count(result); c++) {
                char expected[2 * MEMORY];
                size_t bytes, text_bytes;
                value v;
                FUZZ_CHECK(fuzz_settle(api_arrow_value(schema, array, c, row, &v)));
                const char *text = pistachio_text(batch, c, i, &bytes);
                FUZZ_CHECK(v.is_null == !text);
                text_bytes = value_format(&v, expected, sizeof expected);
                FUZZ_CHECK(!text || (bytes == text_bytes && !memcmp(text, expected, bytes)));
            }
    }
    FUZZ_CHECK(row == array->length);
    pistachio_result_free(result);
}

/* ---- a stream of it ---- */

typedef struct rows {
    struct ArrowSchema *schema;
    struct ArrowArray *array;
    bool is_done;
} rows;

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    *out = *((rows *)stream->private_data)->schema;
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    rows *r = stream->private_data;
    *out = r->is_done ? (struct ArrowArray){0} : *r->array;
    r->is_done = true;
    return 0;
}

static void release(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
}

static void run(struct ArrowSchema *schema, struct ArrowArray *array)
{
    static const pistachio_option options[] = {{"threads", "1"}, {"memory_limit", "32MiB"}};
    rows r = {schema, array, false};
    struct ArrowArrayStream stream = {
        .get_schema = get_schema, .get_next = get_next, .release = release, .private_data = &r};
    pistachio_database *database;
    FUZZ_CHECK(fuzz_settle(api_error_status(pistachio_open(options, 2, &database))));
    FUZZ_CHECK(fuzz_settle(api_error_status(pistachio_connect(database, &connection))));
    status st = api_error_status(pistachio_add_arrow(connection, "t", &stream));
    FUZZ_CHECK(!stream.release);
    if (fuzz_settle(st))
        check_rows(schema, array);
    pistachio_disconnect(connection);
    pistachio_close(database);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static column columns[COLUMNS], dictionaries[COLUMNS];
    struct ArrowSchema fields[COLUMNS], entry_fields[COLUMNS], *field_list[COLUMNS];
    struct ArrowArray children[COLUMNS], entries[COLUMNS], *child_list[COLUMNS];
    uint64_t blocks = mem_in_use();
    input in = {bytes, length};
    uint8_t count = next(&in) % COLUMNS + 1, rows = next(&in), heads[COLUMNS][HEAD];
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < HEAD; k++)
            heads[i][k] = next(&in);
    memset(columns, 0, sizeof columns);
    memset(dictionaries, 0, sizeof dictionaries);
    for (unsigned i = 0; i < count; i++) {
        const uint8_t *head = heads[i],
                      entry_head[HEAD] = {head[6], head[7], 0, head[7], 0, (uint8_t)(head[7] & 1)};
        make(&in, &columns[i], &fields[i], &children[i], head);
        field_list[i] = &fields[i];
        child_list[i] = &children[i];
        if (!(head[6] & 0x80))
            continue;
        make(&in, &dictionaries[i], &entry_fields[i], &entries[i], entry_head);
        fields[i].dictionary = &entry_fields[i];
        children[i].dictionary = &entries[i];
    }
    const void *validity[] = {columns[0].memory};
    struct ArrowSchema schema = {
        .format = "+s", .n_children = count, .children = field_list, .release = release_schema};
    struct ArrowArray array = {.length = extent(rows),
                               .offset = rows & 1,
                               .null_count = rows & 2 ? -1 : 0,
                               .n_buffers = 1,
                               .buffers = validity,
                               .n_children = count,
                               .children = child_list,
                               .release = release_array};
    run(&schema, &array);
    pq_footer_cache_clear();
    column_cache_clear();
    FUZZ_CHECK(mem_in_use() == blocks);
    return 0;
}
