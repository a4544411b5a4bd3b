/* Results as ArrowDeviceArrayStream, of each device: whose memory it says that arrays are in, and their rows. */
#include "pistachio/pistachio.h"
#include "run_statement.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static void open_stream(const char *device, const char *sql, pistachio_database **database,
                        pistachio_connection **connection, struct ArrowDeviceArrayStream *out)
{
    const pistachio_option options[] = {{"threads", "1"}, {"device", device}};
    pistachio_result *result;
    check_none(pistachio_open(options, 2, database));
    check_none(pistachio_connect(*database, connection));
    check_none(pistachio_query(*connection, sql, NULL, &result));
    check_none(pistachio_arrow_device_stream(result, out));
    CHECK_EQ(out->device_type, ARROW_DEVICE_CPU);
}

static void close_stream(pistachio_database *database, pistachio_connection *connection,
                         struct ArrowDeviceArrayStream *stream)
{
    stream->release(stream);
    CHECK(!stream->release);
    pistachio_disconnect(connection);
    pistachio_close(database);
}

/* Numbers from 0 on, NULL each third, in an order of their own. */
static void check_device(const char *device, int64_t rows)
{
    char sql[200];
    pistachio_database *database;
    pistachio_connection *connection;
    struct ArrowDeviceArrayStream stream;
    struct ArrowDeviceArray array;
    struct ArrowSchema schema;
    int64_t seen = 0, sum = 0, nulls = 0;
    snprintf(sql, sizeof sql,
             "SELECT CASE WHEN x %% 3 = 1 THEN NULL ELSE x END::bigint AS i "
             "FROM generate_series(0, %lld) AS t(x)",
             (long long)rows - 1);
    open_stream(device, sql, &database, &connection, &stream);
    CHECK_EQ(stream.get_schema(&stream, &schema), 0);
    CHECK_TEXT_EQ(schema.format, "+s");
    CHECK_TEXT_EQ(schema.children[0]->format, "l");
    schema.release(&schema);
    for (;;) {
        CHECK_EQ(stream.get_next(&stream, &array), 0);
        CHECK_EQ(array.device_type, ARROW_DEVICE_CPU);
        CHECK_EQ(array.device_id, -1);
        CHECK(!array.sync_event);
        if (!array.array.release)
            break;
        const struct ArrowArray *column = array.array.children[0];
        const uint8_t *valid = column->buffers[0];
        for (int64_t i = 0; i < column->length; i++) {
            bool is_valid = !valid || valid[i / 8] >> (i % 8) & 1;
            sum += is_valid ? ((const int64_t *)column->buffers[1])[i] : 0;
            nulls += !is_valid;
        }
        seen += column->length;
        array.array.release(&array.array);
    }
    CHECK_EQ(seen, rows);
    CHECK_EQ(nulls, (rows + 1) / 3);
    int64_t expected = 0;
    for (int64_t x = 0; x < rows; x++)
        expected += x % 3 == 1 ? 0 : x;
    CHECK_EQ(sum, expected);
    close_stream(database, connection, &stream);
}

TEST(rows_of_each_device)
{
    static const char *const devices[] = {"cpu", "simulated"};
    for (size_t i = 0; i < 2; i++) {
        check_device(devices[i], 0);
        check_device(devices[i], 1);
        check_device(devices[i], 5000);
    }
}

TEST(a_failure_is_told)
{
    pistachio_database *database;
    pistachio_connection *connection;
    struct ArrowDeviceArrayStream stream;
    struct ArrowDeviceArray array;
    open_stream("cpu", "SELECT 1 / (x - 7) FROM generate_series(0, 9) AS t(x)", &database,
                &connection, &stream);
    CHECK(stream.get_next(&stream, &array) != 0);
    CHECK(!array.array.release);
    CHECK(strstr(stream.get_last_error(&stream), "division by zero") != NULL);
    CHECK_EQ(stream.get_next(&stream, &array), 0); /* the end */
    CHECK(!array.array.release);
    close_stream(database, connection, &stream);
}
