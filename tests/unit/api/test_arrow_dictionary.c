/* Results as Arrow dictionaries and DLPack tensors: what they hold, released in every order and by several
 * threads, with each allocation failing. What clients make of them: tests/clients. */
#include "base/fault.h"
#include "exec/scan/column_cache.h"
#include "parquet/table/footer.h"
#include "pistachio/dlpack.h"
#include "pistachio/pistachio.h"
#include "run_statement.h"
#include "test.h"

#define LONG "a text that does not lie in its view"
/* Two texts, of which one is NULL in each third row, and their row's number. */
#define ROWS 300
#define QUERY                                                                                      \
    "SELECT CASE WHEN x % 3 = 1 THEN NULL WHEN x % 2 = 0 THEN '" LONG "' ELSE 'x' END AS s, x, "   \
    "CAST(x AS double precision) AS g FROM (WITH d(i) AS (VALUES (0), (1), (2), (3), (4), (5), "   \
    "(6), (7), (8), (9)) SELECT a.i + 10 * b.i + 100 * c.i AS x FROM d a, d b, "                   \
    "(VALUES (0), (1), (2)) c(i)) t ORDER BY x"

/* A file with the query's rows, its text as codes. */
static const char *make_file(void)
{
    static char path[512], sql[1024];
    snprintf(path, sizeof path, "%s/coded.parquet", test_folder());
    snprintf(sql, sizeof sql, "COPY (%s) TO '%s'", QUERY, path);
    run_alone(sql);
    return path;
}

typedef enum kind { DATABASE, CONNECTION, STREAM, ROWS_ARRAY, TEXTS, TENSOR, KINDS } kind;

/* One of each, from one query; NULL or released: it is gone. */
typedef struct world {
    pistachio_database *database;
    pistachio_connection *connection;
    struct ArrowArrayStream stream;
    struct ArrowArray rows, texts; /* texts: the first column, moved out of a second array */
    DLManagedTensorVersioned *tensor;
} world;

/* The texts' column, of an array with all rows. */
static void check_texts(const struct ArrowArray *column)
{
    const struct ArrowArray *dictionary = column->dictionary;
    const uint8_t *valid = column->buffers[0];
    const int32_t *codes = column->buffers[1];
    const int64_t *offsets = dictionary->buffers[1];
    const char *text = dictionary->buffers[2];
    CHECK_EQ(column->length, ROWS);
    CHECK_EQ(dictionary->length, 2);
    CHECK_EQ(dictionary->n_buffers, 3);
    for (int row = 0; row < ROWS; row++) {
        bool is_valid = valid[row / 8] >> (row % 8) & 1;
        CHECK_EQ(is_valid, row % 3 != 1);
        if (!is_valid) {
            CHECK_EQ(codes[row], 0);
            continue;
        }
        const char *expected = row % 2 ? "x" : LONG;
        int64_t bytes = offsets[codes[row] + 1] - offsets[codes[row]];
        CHECK_EQ(bytes, (int64_t)strlen(expected));
        CHECK(!memcmp(text + offsets[codes[row]], expected, (size_t)bytes));
    }
}

static void check_tensor(const DLManagedTensorVersioned *tensor)
{
    const DLTensor *t = &tensor->dl_tensor;
    const double *values = t->data;
    CHECK_EQ(tensor->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
    CHECK_EQ(tensor->version.major, 1);
    CHECK(t->ndim == 1 && t->shape[0] == ROWS && t->strides[0] == 1 && !t->byte_offset);
    CHECK(t->dtype.code == kDLFloat && t->dtype.bits == 64 && t->dtype.lanes == 1);
    CHECK(t->device.device_type == kDLCPU);
    for (int row = 0; row < ROWS; row++)
        CHECK(values[row] == row);
}

static pistachio_error *open_stream(pistachio_connection *connection, const char *path,
                                    struct ArrowArrayStream *out)
{
    char sql[600];
    pistachio_result *result;
    snprintf(sql, sizeof sql, "SELECT * FROM '%s'", path);
    pistachio_error *error = pistachio_query(connection, sql, NULL, &result);
    if (!error) {
        error = pistachio_arrow_stream(result, out);
        if (error)
            pistachio_result_free(result);
    }
    return error;
}

static pistachio_error *open_database(const char *device, world *w)
{
    const pistachio_option options[] = {
        {"threads", "1"}, {"device", device}, {"arrow_dictionary", "on"}};
    *w = (world){0};
    pistachio_error *error = pistachio_open(options, 3, &w->database);
    return error ? error : pistachio_connect(w->database, &w->connection);
}

static world open_world(const char *path, const char *device)
{
    world w;
    struct ArrowArrayStream second;
    struct ArrowArray array;
    check_none(open_database(device, &w));
    check_none(open_stream(w.connection, path, &w.stream));
    CHECK(!w.stream.get_next(&w.stream, &w.rows));
    check_none(open_stream(w.connection, path, &second));
    CHECK(!second.get_next(&second, &array));
    check_none(pistachio_arrow_dlpack(&w.rows, 2, &w.tensor));
    w.texts = *array.children[0];
    array.children[0]->release = NULL;
    array.release(&array);
    second.release(&second);
    return w;
}

static void use(const world *w)
{
    if (w->rows.release)
        check_texts(w->rows.children[0]);
    if (w->texts.release)
        check_texts(&w->texts);
    if (w->tensor)
        check_tensor(w->tensor);
}

static void release(void *all, unsigned what)
{
    world *w = all;
    if (what == DATABASE)
        pistachio_close(w->database);
    else if (what == CONNECTION)
        pistachio_disconnect(w->connection);
    else if (what == STREAM && w->stream.release)
        w->stream.release(&w->stream);
    else if (what == ROWS_ARRAY && w->rows.release)
        w->rows.release(&w->rows);
    else if (what == TEXTS && w->texts.release)
        w->texts.release(&w->texts);
    else if (what == TENSOR && w->tensor) {
        w->tensor->deleter(w->tensor);
        w->tensor = NULL;
    }
}

/* Order number n of the kinds, in a numbering of all 720. */
static void order_of(unsigned n, kind order[KINDS])
{
    kind left[KINDS] = {DATABASE, CONNECTION, STREAM, ROWS_ARRAY, TEXTS, TENSOR};
    for (unsigned i = 0, count = KINDS; i < KINDS; i++, count--) {
        unsigned pick = n % count;
        n /= count;
        order[i] = left[pick];
        memmove(left + pick, left + pick + 1, (count - pick - 1) * sizeof *left);
    }
}

static void check_orders(const char *device, unsigned step)
{
    const char *path = make_file();
    for (unsigned n = 0; n < 720; n += step) {
        kind order[KINDS];
        world w = open_world(path, device);
        order_of(n, order);
        for (unsigned i = 0; i < KINDS; i++) {
            use(&w);
            release(&w, order[i]);
        }
    }
    pq_footer_cache_clear();
    column_cache_clear();
}

TEST(released_in_every_order)
{
    check_orders("cpu", test_has_less_to_do() ? 7 : 1);
}

TEST(released_on_the_simulated_device)
{
    check_orders("simulated", 61);
}

TEST(each_released_by_a_thread_of_its_own)
{
    const char *path = make_file();
    for (unsigned round = 0; round < 30; round++) {
        world w = open_world(path, round % 5 ? "cpu" : "simulated");
        release_by_threads(&w, KINDS, release);
    }
    pq_footer_cache_clear();
    column_cache_clear();
}

/* ---- tensors of batches ---- */

static void fails(pistachio_error *error, pistachio_error_kind kind, const char *part,
                  const char *hint)
{
    CHECK_EQ((int)pistachio_error_get_kind(error), (int)kind);
    CHECK(strstr(pistachio_error_message(error), part) != NULL);
    CHECK(!hint || (pistachio_error_hint(error) && strstr(pistachio_error_hint(error), hint)));
    pistachio_error_free(error);
}

TEST(a_batch_and_its_tensors)
{
    world w;
    pistachio_result *result;
    const pistachio_batch *batch;
    DLManagedTensorVersioned *tensor;
    check_none(open_database("cpu", &w));
    check_none(pistachio_query(
        w.connection, "SELECT 7::smallint, NULL::integer, 'x', 1.5, true, 8::real", NULL, &result));
    check_none(pistachio_next(result, &batch));
    check_none(pistachio_dlpack(batch, 5, &tensor));
    CHECK(tensor->dl_tensor.dtype.code == kDLFloat && tensor->dl_tensor.dtype.bits == 32);
    tensor->deleter(tensor);
    fails(pistachio_dlpack(batch, 1, &tensor), PISTACHIO_ERROR_UNSUPPORTED, "NULLs", "coalesce");
    CHECK(!tensor);
    fails(pistachio_dlpack(batch, 2, &tensor), PISTACHIO_ERROR_UNSUPPORTED, "varchar", "cast");
    fails(pistachio_dlpack(batch, 3, &tensor), PISTACHIO_ERROR_UNSUPPORTED, "decimal", "::double");
    fails(pistachio_dlpack(batch, 4, &tensor), PISTACHIO_ERROR_UNSUPPORTED, "boolean", "::integer");
    fails(pistachio_dlpack(batch, 6, &tensor), PISTACHIO_ERROR_INVALID, "the batch has 6", NULL);
    check_none(pistachio_dlpack(batch, 0, &tensor));
    CHECK_EQ(tensor->dl_tensor.data == NULL, 0);
    pistachio_result_free(result);
    pistachio_disconnect(w.connection);
    pistachio_close(w.database);
    CHECK_EQ(*(const int16_t *)tensor->dl_tensor.data, 7);
    tensor->deleter(tensor);
    pq_footer_cache_clear();
    column_cache_clear();
}

static void release_nothing(struct ArrowArray *array)
{
    array->release = NULL;
}

TEST(arrays_that_are_not_ours_or_not_whole)
{
    world w = open_world(make_file(), "cpu");
    DLManagedTensorVersioned *tensor;
    struct ArrowArray foreign = {.length = 1, .n_children = 1, .release = release_nothing};
    fails(pistachio_arrow_dlpack(&foreign, 0, &tensor), PISTACHIO_ERROR_INVALID,
          "does not come from", NULL);
    foreign.release = NULL;
    fails(pistachio_arrow_dlpack(&foreign, 0, &tensor), PISTACHIO_ERROR_INVALID,
          "does not come from", NULL);
    fails(pistachio_arrow_dlpack(&w.rows, 3, &tensor), PISTACHIO_ERROR_INVALID, "has 3", NULL);
    fails(pistachio_arrow_dlpack(&w.rows, 0, &tensor), PISTACHIO_ERROR_UNSUPPORTED, "varchar",
          NULL);
    w.rows.children[1]->release(w.rows.children[1]);
    fails(pistachio_arrow_dlpack(&w.rows, 1, &tensor), PISTACHIO_ERROR_INVALID, "was released",
          NULL);
    check_none(pistachio_arrow_dlpack(&w.rows, 2, &tensor));
    tensor->deleter(tensor);
    for (unsigned i = 0; i < KINDS; i++)
        release(&w, i);
    pq_footer_cache_clear();
    column_cache_clear();
}

/* ---- faults ---- */

/* False: there was no nth allocation. */
static bool fails_cleanly(const char *path, const char *device, uint64_t nth, fault_mode mode)
{
    world w;
    DLManagedTensorVersioned *tensor = NULL;
    uint64_t blocks = mem_in_use();
    fault_arm(FAULT_ALLOC, nth, mode);
    pistachio_error *error = open_database(device, &w);
    if (!error)
        error = open_stream(w.connection, path, &w.stream);
    bool is_failed = error || w.stream.get_next(&w.stream, &w.rows);
    if (!is_failed)
        error = pistachio_arrow_dlpack(&w.rows, 2, &tensor);
    bool has_fired = fault_disarm(FAULT_ALLOC);
    CHECK(has_fired || (!error && !is_failed));
    if (error)
        CHECK_EQ((int)pistachio_error_get_kind(error), (int)PISTACHIO_ERROR_NO_MEMORY);
    pistachio_error_free(error);
    if (tensor)
        check_tensor(tensor);
    w.tensor = tensor;
    use(&w);
    for (unsigned i = 0; i < KINDS; i++)
        release(&w, i);
    pq_footer_cache_clear();
    column_cache_clear();
    CHECK_EQ(mem_in_use(), blocks);
    return has_fired;
}

static void sweep(const char *device, unsigned part)
{
    const char *path = make_file();
    pq_footer_cache_clear();
    column_cache_clear();
    for (int mode = FAULT_ONCE; mode <= FAULT_ALWAYS; mode++)
        for (uint64_t nth = 1; fails_cleanly(path, device, nth, (fault_mode)mode);)
            nth += 1 + nth / part;
}

TEST(each_allocation_may_fail)
{
    sweep("cpu", test_has_less_to_do() ? 10 : 60);
}

TEST(each_allocation_on_the_simulated_device_may_fail)
{
    sweep("simulated", test_has_less_to_do() ? 4 : 10);
}
