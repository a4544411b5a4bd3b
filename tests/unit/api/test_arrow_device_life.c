/* Results as ArrowDeviceArrayStream, of each device and either result_memory: whose memory arrays are in, who may read
 * them, how long they live.
 *
 * test_label: threads */
#include "arrow_memory.h"
#include "base/fault.h"
#include "exec/scan/column_cache.h"
#include "parquet/table/footer.h"
#include "pistachio/dlpack.h"
#include "run_statement.h"
#include "test.h"

#include <stdio.h>

/* ---- in the host's memory ---- */

static void check_host(const char *device, const char *memory, int64_t rows)
{
    char sql[200];
    arrow_world w = arrow_world_open(device, memory, "auto");
    struct ArrowDeviceArray array;
    int64_t seen = 0, sum = 0, nulls = 0, expected = 0;
    snprintf(sql, sizeof sql,
             "SELECT CASE WHEN x %% 3 = 1 THEN NULL ELSE x END::bigint AS i "
             "FROM generate_series(0::bigint, %lld) AS t(x)",
             (long long)rows - 1);
    arrow_start(&w, sql);
    CHECK_EQ(w.stream.device_type, ARROW_DEVICE_CPU);
    for (;;) {
        CHECK_EQ(w.stream.get_next(&w.stream, &array), 0);
        arrow_check_place(&array, "cpu");
        if (!array.array.release)
            break;
        const struct ArrowArray *values = array.array.children[0];
        const uint8_t *valid = values->buffers[0];
        for (int64_t i = 0; i < values->length; i++) {
            bool is_valid = !valid || valid[i / 8] >> (i % 8) & 1;
            sum += is_valid ? ((const int64_t *)values->buffers[1])[i] : 0;
            nulls += !is_valid;
        }
        seen += values->length;
        array.array.release(&array.array);
    }
    for (int64_t x = 0; x < rows; x++)
        expected += x % 3 == 1 ? 0 : x;
    CHECK_EQ(seen, rows);
    CHECK_EQ(nulls, (rows + 1) / 3);
    CHECK_EQ(sum, expected);
    arrow_world_close(&w);
}

TEST(rows_of_each_device_in_the_hosts_memory)
{
    for (unsigned i = 0; arrow_device_name(i); i++) {
        check_host(arrow_device_name(i), "host", 0);
        check_host(arrow_device_name(i), "host", 1);
        check_host(arrow_device_name(i), "host", 5000);
    }
    check_host("cpu", "device", 5000);
}

/* ---- what else there is with it ---- */

static void fails(pistachio_error *error, pistachio_error_kind kind, const char *part,
                  const char *hint)
{
    CHECK_EQ((int)pistachio_error_get_kind(error), (int)kind);
    CHECK(strstr(pistachio_error_message(error), part) != NULL);
    CHECK(pistachio_error_hint(error) && strstr(pistachio_error_hint(error), hint));
    pistachio_error_free(error);
}

TEST(rows_that_the_host_cannot_read)
{
    for (unsigned i = 1; arrow_device_name(i); i++) {
        arrow_world w = arrow_world_open(arrow_device_name(i), "device", "auto");
        pistachio_result *result;
        const pistachio_batch *batch;
        struct ArrowArrayStream stream;
        check_none(pistachio_query(w.connection, "SELECT 1", NULL, &result));
        fails(pistachio_next(result, &batch), PISTACHIO_ERROR_INVALID, arrow_device_name(i),
              "pistachio_arrow_device_stream");
        CHECK(!batch);
        fails(pistachio_arrow_stream(result, &stream), PISTACHIO_ERROR_INVALID, "memory of device",
              "result_memory = 'host'");
        CHECK(!stream.release);
        pistachio_result_free(result);
        arrow_run(&w, "SET arrow_dictionary = on");
        fails(pistachio_query(w.connection, "SELECT 'x'", NULL, &result),
              PISTACHIO_ERROR_UNSUPPORTED, "arrow_dictionary", "SET arrow_dictionary = off");
        arrow_world_close(&w);
    }
}

/* Statements whose rows nobody takes from the device run as ever; rows that are made are the host's. */
TEST(other_statements)
{
    char path[512], sql[700];
    for (unsigned i = 1; arrow_device_name(i); i++) {
        arrow_world w = arrow_world_open(arrow_device_name(i), "device", "auto");
        struct ArrowDeviceArray rows;
        snprintf(path, sizeof path, "%s/%s.parquet", test_folder(), arrow_device_name(i));
        snprintf(sql, sizeof sql,
                 "COPY (SELECT x FROM generate_series(1::bigint, 10) AS t(x)) TO '%s'", path);
        arrow_run(&w, sql);
        arrow_run(&w, "CREATE TABLE kept AS SELECT 5 AS x");
        arrow_run(&w, "EXPLAIN ANALYZE SELECT 1");
        arrow_start(&w, "SHOW threads");
        CHECK_EQ(w.stream.device_type, ARROW_DEVICE_CPU);
        CHECK_EQ(w.stream.get_next(&w.stream, &rows), 0);
        arrow_check_place(&rows, "cpu");
        rows.array.release(&rows.array);
        w.stream.release(&w.stream);
        snprintf(
            sql, sizeof sql,
            "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r WHERE x < 4) SELECT "
            "(SELECT sum(x) FROM '%s') + (SELECT sum(x) FROM r) + (SELECT x FROM kept) AS s",
            path);
        arrow_start(&w, sql);
        int128 sum = 0;
        CHECK_EQ(w.stream.get_next(&w.stream, &rows), 0);
        arrow_check_place(&rows, arrow_device_name(i));
        arrow_read(&rows, rows.array.children[0]->buffers[1], 8, &sum);
        CHECK_EQ(sum, 55 + 10 + 5);
        rows.array.release(&rows.array);
        arrow_world_close(&w);
    }
}

TEST(the_schema_of_a_prepared_statement)
{
    for (unsigned i = 0; arrow_device_name(i); i++) {
        arrow_world w = arrow_world_open(arrow_device_name(i), "device", "auto");
        pistachio_statement *statement;
        struct ArrowSchema schema;
        check_none(
            pistachio_prepare(w.connection, "SELECT 'x' AS s, 'y'::blob AS b", NULL, &statement));
        check_none(pistachio_statement_schema(statement, &schema));
        CHECK_TEXT_EQ(schema.children[0]->format, i ? "U" : "vu");
        CHECK_TEXT_EQ(schema.children[1]->format, i ? "Z" : "vz");
        schema.release(&schema);
        pistachio_statement_free(statement);
        arrow_world_close(&w);
    }
}

static void check_failure(const char *device, const char *sql, const char *text)
{
    arrow_world w = arrow_world_open(device, "device", "auto");
    struct ArrowDeviceArray array;
    arrow_start(&w, sql);
    CHECK(w.stream.get_next(&w.stream, &array) != 0);
    CHECK(!array.array.release);
    CHECK(strstr(w.stream.get_last_error(&w.stream), text) != NULL);
    CHECK_EQ(w.stream.get_next(&w.stream, &array), 0); /* the end */
    CHECK(!array.array.release);
    arrow_world_close(&w);
}

TEST(a_failure_is_told)
{
    for (unsigned i = 0; arrow_device_name(i); i++) {
        check_failure(arrow_device_name(i),
                      "SELECT 1 / (x - 7) FROM generate_series(0::bigint, 9) AS t(x)",
                      "division by zero");
        check_failure(arrow_device_name(i),
                      "SELECT interval '1 hour' * x FROM generate_series(0::bigint, 100000000, "
                      "50000000) AS t(x)",
                      "nanoseconds that Arrow's intervals have\nhint: cast it to text");
    }
}

/* ---- tensors ---- */

TEST(tensors_where_the_rows_are)
{
    for (unsigned i = 1; arrow_device_name(i); i++) {
        bool is_cuda = !strcmp(arrow_device_name(i), "cuda");
        arrow_world w = arrow_world_open(arrow_device_name(i), "device", "auto");
        struct ArrowDeviceArray rows;
        DLManagedTensorVersioned *tensor;
        double values[3];
        arrow_start(&w, "SELECT x::double precision AS d, CASE WHEN x > 1 THEN x END AS n, 'x' AS "
                        "s, CASE WHEN x "
                        ">= 0 THEN x END AS m FROM generate_series(0::bigint, 2) AS t(x)");
        CHECK_EQ(w.stream.get_next(&w.stream, &rows), 0);
        fails(pistachio_arrow_dlpack(&rows.array, 1, &tensor), PISTACHIO_ERROR_UNSUPPORTED, "NULLs",
              "coalesce");
        fails(pistachio_arrow_dlpack(&rows.array, 2, &tensor), PISTACHIO_ERROR_UNSUPPORTED,
              "varchar", "cast");
        check_none(pistachio_arrow_dlpack(&rows.array, 3, &tensor)); /* it has none in the end */
        tensor->deleter(tensor);
        check_none(pistachio_arrow_dlpack(&rows.array, 0, &tensor));
        CHECK_EQ((int)tensor->dl_tensor.device.device_type, is_cuda ? kDLCUDA : kDLExtDev);
        CHECK_EQ(tensor->dl_tensor.device.device_id, 0);
        CHECK_EQ(tensor->dl_tensor.shape[0], 3);
        arrow_read(&rows, tensor->dl_tensor.data, sizeof values, values);
        for (int x = 0; x < 3; x++)
            CHECK_EQ(values[x], x);
        rows.array.release(&rows.array);
        CHECK(pistachio_memory_exported(w.connection) > 0);
        tensor->deleter(tensor);
        arrow_world_close(&w);
    }
}

/* ---- lifetimes ---- */

#define KEPT 4

typedef struct kept_rows {
    struct ArrowDeviceArray rows[KEPT];
    struct ArrowArray moved; /* the first column of the first */
} kept_rows;

static void release_kept(void *all, unsigned what)
{
    kept_rows *kept = all;
    struct ArrowArray *array = what < KEPT ? &kept->rows[what].array : &kept->moved;
    array->release(array);
}

/* Arrays outlive the stream, the connection and the database; threads of their own release them. */
TEST(arrays_outlive_their_database)
{
    for (unsigned i = 1; arrow_device_name(i); i++) {
        kept_rows kept;
        int64_t values[500];
        arrow_world w = arrow_world_open(arrow_device_name(i), "device", "500");
        arrow_start(&w, "SELECT x, 'a text that does not lie in a view: ' || x AS s, CASE WHEN x > "
                        "9 THEN x END "
                        "AS n FROM generate_series(0::bigint, 1999) AS t(x)");
        for (unsigned k = 0; k < KEPT; k++) {
            CHECK_EQ(w.stream.get_next(&w.stream, &kept.rows[k]), 0);
            CHECK(kept.rows[k].array.release);
        }
        uint64_t exported = pistachio_memory_exported(w.connection);
        CHECK(exported > (uint64_t)KEPT * 500 * (8 + 8 + 36 + 8));
        kept.moved = *kept.rows[0].array.children[0];
        kept.rows[0].array.children[0]->release = NULL;
        w.stream.release(&w.stream);
        CHECK_EQ(pistachio_memory_exported(w.connection), exported);
        pistachio_disconnect(w.connection);
        pistachio_close(w.database);
        for (unsigned k = 0; k < KEPT; k++) {
            const struct ArrowArray *first = k ? kept.rows[k].array.children[0] : &kept.moved;
            int64_t sum = 0;
            arrow_read(&kept.rows[k], first->buffers[1], sizeof values, values);
            for (int64_t row = 0; row < 500; row++)
                sum += values[row] - values[0];
            CHECK_EQ(sum, 500 * 499 / 2);
        }
        release_by_threads(&kept, KEPT + 1, release_kept);
        pq_footer_cache_clear();
        column_cache_clear();
    }
}

TEST(a_stream_that_is_given_up)
{
    for (unsigned i = 1; arrow_device_name(i); i++) {
        arrow_world w = arrow_world_open(arrow_device_name(i), "device", "100");
        struct ArrowDeviceArray rows;
        arrow_start(&w, "SELECT x, 't' || x AS s FROM generate_series(0::bigint, 99999) AS t(x)");
        CHECK_EQ(w.stream.get_next(&w.stream, &rows), 0);
        w.stream.release(&w.stream);
        rows.array.release(&rows.array);
        arrow_world_close(&w);
    }
}

/* Rows that a client holds are in the device's limit: another query is told so, and goes on when they are given
 * back. */
TEST(held_rows_are_in_the_limit)
{
    arrow_world w = arrow_world_open("simulated", "device", "1000");
    struct ArrowDeviceArray rows[200];
    unsigned count = 0;
    arrow_run(&w, "SET device_memory_limit = '16MB'");
    arrow_start(
        &w, "SELECT x, repeat('t', 1000) || x AS s FROM generate_series(0::bigint, 99999) AS t(x)");
    int number = 0;
    do
        number = w.stream.get_next(&w.stream, &rows[count]);
    while (!number && rows[count].array.release && ++count < 200);
    CHECK(number && count > 0);
    CHECK(strstr(w.stream.get_last_error(&w.stream), "device_memory_limit") != NULL);
    w.stream.release(&w.stream);
    while (count-- > 0)
        rows[count].array.release(&rows[count].array);
    arrow_start(&w, "SELECT x FROM generate_series(0::bigint, 999) AS t(x)");
    CHECK_EQ(w.stream.get_next(&w.stream, rows), 0);
    CHECK_EQ(rows->array.length, 1000);
    rows->array.release(&rows->array);
    arrow_world_close(&w);
}

TEST(rows_of_several_ranks)
{
    arrow_world w = arrow_world_open("simulated", "device", "auto");
    struct ArrowDeviceArray rows;
    int128 sum = 0;
    arrow_run(&w, "SET ranks = 2");
    arrow_run(&w, "SET distribute = always");
    char path[512], sql[700];
    snprintf(path, sizeof path, "%s/ranks.parquet", test_folder());
    snprintf(sql, sizeof sql, "COPY (SELECT x FROM generate_series(1::bigint, 10) AS t(x)) TO '%s'",
             path);
    arrow_run(&w, sql);
    snprintf(sql, sizeof sql, "SELECT sum(x) AS s, 'some text of many bytes' AS t FROM '%s'", path);
    arrow_start(&w, sql);
    CHECK_EQ(w.stream.get_next(&w.stream, &rows), 0);
    arrow_check_place(&rows, "simulated");
    arrow_read(&rows, rows.array.children[0]->buffers[1], 16, &sum);
    CHECK_EQ(sum, 55);
    rows.array.release(&rows.array);
    arrow_world_close(&w);
}

/* ---- a client that uses CUDA by itself ---- */

TEST(a_clients_context_stays)
{
    int (*set)(void *) = NULL, (*get)(void **) = NULL;
    void *own = &set, *now = NULL;
    *(void **)&set = arrow_driver_function("cuCtxSetCurrent");
    *(void **)&get = arrow_driver_function("cuCtxGetCurrent");
    if (!arrow_driver_function("emulated_calls"))
        SKIP("the driver is not emulated: there is no context to play with");
    arrow_world w = arrow_world_open("cuda", "device", "auto");
    struct ArrowDeviceArray rows;
    arrow_start(&w, "SELECT x FROM generate_series(0::bigint, 999) AS t(x)");
    CHECK_EQ(set(own), 0);
    CHECK_EQ(w.stream.get_next(&w.stream, &rows), 0);
    CHECK(!get(&now) && now == own);
    w.stream.release(&w.stream);
    CHECK(!get(&now) && now == own);
    pistachio_disconnect(w.connection);
    pistachio_close(w.database);
    CHECK_EQ(set(own), 0);
    rows.array.release(&rows.array); /* the device goes with it */
    CHECK(!get(&now) && now == own);
    CHECK_EQ(set(NULL), 0);
    pq_footer_cache_clear();
    column_cache_clear();
}

/* The GPU that was asked for is taken. */
TEST(the_number_of_the_device)
{
    if (!arrow_driver_function("emulated_calls"))
        SKIP("the driver is not emulated: there may be one device alone");
    setenv("PISTACHIO_CUDA_DEVICES", "2", 1);
    arrow_world w = arrow_world_open("cuda:1", "device", "auto");
    struct ArrowDeviceArray rows;
    DLManagedTensorVersioned *tensor;
    arrow_start(&w, "SELECT x FROM generate_series(0::bigint, 9) AS t(x)");
    CHECK_EQ(w.stream.device_type, ARROW_DEVICE_CUDA);
    CHECK_EQ(w.stream.get_next(&w.stream, &rows), 0);
    CHECK_EQ(rows.device_type, ARROW_DEVICE_CUDA);
    CHECK_EQ(rows.device_id, 1);
    check_none(pistachio_arrow_dlpack(&rows.array, 0, &tensor));
    CHECK_EQ((int)tensor->dl_tensor.device.device_type, kDLCUDA);
    CHECK_EQ(tensor->dl_tensor.device.device_id, 1);
    tensor->deleter(tensor);
    rows.array.release(&rows.array);
    arrow_world_close(&w);
    unsetenv("PISTACHIO_CUDA_DEVICES");
}

/* ---- faults ---- */

/* False: there was no nth allocation. */
static bool fails_cleanly(uint64_t nth, fault_mode mode)
{
    const pistachio_option options[] = {
        {"threads", "1"}, {"device", "simulated"}, {"result_memory", "device"}};
    arrow_world w = {0};
    pistachio_result *result = NULL;
    struct ArrowDeviceArray rows = {0};
    uint64_t blocks = mem_in_use();
    fault_arm(FAULT_ALLOC, nth, mode);
    pistachio_error *error = pistachio_open(options, 3, &w.database);
    if (!error)
        error = pistachio_connect(w.database, &w.connection);
    if (!error)
        error = pistachio_query(
            w.connection,
            "SELECT x, 'a text that does not lie in a view: ' || x AS s, CASE WHEN x > 9 "
            "THEN x END AS n, x::decimal(9,2) AS d FROM generate_series(0::bigint, 99) AS t(x)",
            NULL, &result);
    if (!error) {
        error = pistachio_arrow_device_stream(result, &w.stream);
        if (error)
            pistachio_result_free(result);
    }
    bool is_failed = error || w.stream.get_next(&w.stream, &rows);
    bool has_fired = fault_disarm(FAULT_ALLOC);
    CHECK(has_fired || !is_failed);
    if (error)
        CHECK_EQ((int)pistachio_error_get_kind(error), (int)PISTACHIO_ERROR_NO_MEMORY);
    pistachio_error_free(error);
    if (rows.array.release) {
        CHECK_EQ(rows.array.length, 100);
        rows.array.release(&rows.array);
    }
    if (w.stream.release)
        w.stream.release(&w.stream);
    pistachio_disconnect(w.connection);
    pistachio_close(w.database);
    pq_footer_cache_clear();
    column_cache_clear();
    CHECK_EQ(mem_in_use(), blocks);
    return has_fired;
}

TEST(each_allocation_may_fail)
{
    unsigned part = test_has_less_to_do() ? 10 : 60;
    for (int mode = FAULT_ONCE; mode <= FAULT_ALWAYS; mode++)
        for (uint64_t nth = 1; fails_cleanly(nth, (fault_mode)mode);)
            nth += 1 + nth / part;
}
