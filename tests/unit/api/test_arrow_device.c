/* Results as ArrowDeviceArrayStream whose rows stay in the memory of the device, each type with and without NULLs. What
 * becomes of them: test_arrow_device_life.c. */
#include "arrow_memory.h"
#include "run_statement.h"
#include "test.h"

#include <stdio.h>

#define DAY INT64_C(10957) /* 2000-01-01 */
#define SECOND INT64_C(1000000)
#define TEXT_MAX 64

/* ---- what each row has ---- */

#define NUMBER(name, type, expression)                                                             \
    static size_t make_##name(int64_t x, void *out)                                                \
    {                                                                                              \
        type number = (type)(expression);                                                          \
        memcpy(out, &number, sizeof number);                                                       \
        return sizeof number;                                                                      \
    }
NUMBER(bool, uint8_t, x % 2 == 0)
NUMBER(tinyint, int8_t, x % 100 - 50)
NUMBER(utinyint, uint8_t, x % 200)
NUMBER(smallint, int16_t, x % 30000 - 15000)
NUMBER(usmallint, uint16_t, x % 60000)
NUMBER(integer, int32_t, x * 3 - 7)
NUMBER(uinteger, uint32_t, x * 1000)
NUMBER(bigint, int64_t, x * 1000000007)
NUMBER(ubigint, uint64_t, x * 1000000007)
NUMBER(real, float, (float)x / 2)
NUMBER(double, double, (double)x / 4)
NUMBER(decimal, int128, (int128)x * 100)
NUMBER(narrow_decimal, int64_t, x * 100)
NUMBER(wide_decimal, int128, (int128)-x * 10000000000)
NUMBER(date, int32_t, DAY + x % 5000)
NUMBER(time, int64_t, x % 60 * SECOND)
NUMBER(timestamp, int64_t, (DAY * 86400 + x) * SECOND)
NUMBER(nanoseconds, int64_t, (DAY * 86400 + x) * SECOND * 1000)
NUMBER(constant, int32_t, 7 + 0 * x)

static size_t make_interval(int64_t x, void *out)
{
    const struct {
        int32_t months, days;
        int64_t nanoseconds;
    } made = {(int32_t)(x % 20), (int32_t)(x % 9), x * 1000};
    memcpy(out, &made, sizeof made);
    return sizeof made;
}

/* The row's digits are the last six bytes'. */
static size_t make_uuid(int64_t x, void *out)
{
    uint8_t *bytes = out;
    memset(bytes, 0, 16);
    bytes[6] = 0x40;
    bytes[8] = 0x80;
    for (int i = 15; i > 9; i--, x /= 100)
        bytes[i] = (uint8_t)(x % 10 | x / 10 % 10 << 4);
    return 16;
}

/* Short, empty, and longer than a view has room for. */
static size_t make_text(int64_t x, void *out)
{
    if (x % 3 == 1)
        return 0;
    return (size_t)snprintf(out, TEXT_MAX, "%s%lld",
                            x % 3 ? "a text that does not lie in a view: " : "t", (long long)x);
}

static size_t make_blob(int64_t x, void *out)
{
    return (size_t)snprintf(out, TEXT_MAX, "b%lld", (long long)x);
}

static size_t make_constant_text(int64_t x, void *out)
{
    (void)x;
    return (size_t)snprintf(out, TEXT_MAX, "a constant that is longer than a view");
}

typedef struct column {
    const char *sql, *format;
    size_t width; /* 0: bits, or a text's offsets */
    size_t (*make)(int64_t x, void *out);
} column;

static const column columns[] = {
    {"x % 2 = 0", "b", 0, make_bool},
    {"(x % 100 - 50)::tinyint", "c", 1, make_tinyint},
    {"(x % 200)::utinyint", "C", 1, make_utinyint},
    {"(x % 30000 - 15000)::smallint", "s", 2, make_smallint},
    {"(x % 60000)::usmallint", "S", 2, make_usmallint},
    {"(x * 3 - 7)::integer", "i", 4, make_integer},
    {"(x * 1000)::uinteger", "I", 4, make_uinteger},
    {"x * 1000000007", "l", 8, make_bigint},
    {"(x * 1000000007)::ubigint", "L", 8, make_ubigint},
    {"(x::double precision / 2)::real", "f", 4, make_real},
    {"x::double precision / 4", "g", 8, make_double},
    {"x::decimal(15,2)", "d:15,2", 16, make_decimal},
    {"(-x)::decimal(38,10)", "d:38,10", 16, make_wide_decimal},
    {"date '2000-01-01' + (x % 5000)::integer", "tdD", 4, make_date},
    {"('00:00:' || lpad((x % 60)::varchar, 2, '0'))::time", "ttu", 8, make_time},
    {"timestamp '2000-01-01' + interval '1 second' * x", "tsu:", 8, make_timestamp},
    {"(timestamp '2000-01-01' + interval '1 second' * x)::timestamp_ns", "tsn:", 8,
     make_nanoseconds},
    {"(timestamp '2000-01-01' + interval '1 second' * x)::timestamptz", "tsu:UTC", 8,
     make_timestamp},
    {"interval '1 month' * (x % 20) + interval '1 day' * (x % 9) + interval '1 microsecond' * x",
     "tin", 16, make_interval},
    {"('00000000-0000-4000-8000-' || lpad(x::varchar, 12, '0'))::uuid", "w:16", 16, make_uuid},
    {"CASE x % 3 WHEN 0 THEN 't' || x WHEN 1 THEN '' ELSE 'a text that does not lie in a view: ' "
     "|| x "
     "END",
     "U", 0, make_text},
    {"('b' || x)::blob", "Z", 0, make_blob},
    {"7", "i", 4, make_constant},
    {"'a constant that is longer than a view'", "U", 0, make_constant_text},
};
#define COLUMNS (sizeof columns / sizeof *columns)

static bool is_null(int64_t x)
{
    return x % 5 == 1;
}

/* x, then each column as it is, then each with NULLs. */
static void write_query(char *sql, size_t room, const char *from)
{
    size_t length = (size_t)snprintf(sql, room, "SELECT x");
    for (size_t i = 0; i < COLUMNS; i++)
        length += (size_t)snprintf(sql + length, room - length, ", %s AS v%zu", columns[i].sql, i);
    for (size_t i = 0; i < COLUMNS; i++)
        length +=
            (size_t)snprintf(sql + length, room - length,
                             ", CASE WHEN x %% 5 <> 1 THEN %s END AS n%zu", columns[i].sql, i);
    length += (size_t)snprintf(sql + length, room - length, " FROM %s", from);
    CHECK(length < room);
}

/* ---- what arrays have ---- */

static const char *expected_format(const column *c, bool is_host)
{
    if (!is_host || (*c->format != 'U' && *c->format != 'Z'))
        return c->format;
    return *c->format == 'U' ? "vu" : "vz";
}

static void check_schema(struct ArrowDeviceArrayStream *stream, bool is_host)
{
    struct ArrowSchema schema;
    CHECK_EQ(stream->get_schema(stream, &schema), 0);
    CHECK_EQ(schema.n_children, 1 + 2 * COLUMNS);
    for (size_t i = 0; i < 2 * COLUMNS; i++)
        CHECK_TEXT_EQ(schema.children[1 + i]->format,
                      expected_format(&columns[i % COLUMNS], is_host));
    schema.release(&schema);
}

/* A column's memory, copied. */
typedef struct copied {
    uint8_t *valid; /* or NULL */
    char *values;
    char *text;
} copied;

static copied copy_column(const struct ArrowDeviceArray *rows, const struct ArrowArray *array,
                          const column *c)
{
    size_t count = (size_t)array->length;
    bool is_text = *c->format == 'U' || *c->format == 'Z', is_bits = !c->width && !is_text;
    size_t bytes = is_text ? (count + 1) * 8 : is_bits ? (count + 7) / 8 : count * c->width;
    copied made = {.values = mem_new(bytes)};
    CHECK_EQ(array->n_buffers, is_text ? 3 : 2);
    CHECK_EQ(array->offset, 0);
    arrow_read(rows, array->buffers[1], bytes, made.values);
    if (array->buffers[0]) {
        made.valid = mem_new((count + 7) / 8);
        arrow_read(rows, array->buffers[0], (count + 7) / 8, made.valid);
    }
    if (is_text) {
        size_t end = (size_t)((int64_t *)(void *)made.values)[count];
        made.text = mem_new(end + 1);
        arrow_read(rows, array->buffers[2], end, made.text);
    }
    return made;
}

static void free_column(copied *made)
{
    mem_free(made->valid);
    mem_free(made->values);
    mem_free(made->text);
}

static void check_value(const column *c, const copied *made, size_t row, int64_t x)
{
    char expected[TEXT_MAX];
    size_t bytes = c->make(x, expected);
    if (made->text) {
        const int64_t *offsets = (const void *)made->values;
        CHECK_EQ(offsets[row + 1] - offsets[row], bytes);
        CHECK(!memcmp(made->text + offsets[row], expected, bytes));
    } else if (!c->width) {
        CHECK_EQ(made->values[row / 8] >> (row % 8) & 1, expected[0]);
    } else {
        CHECK_EQ(bytes, c->width);
        CHECK(!memcmp(made->values + row * c->width, expected, bytes));
    }
}

static void check_column(const struct ArrowDeviceArray *rows, size_t index, const int64_t *x)
{
    const struct ArrowArray *array = rows->array.children[1 + index];
    const column *c = &columns[index % COLUMNS];
    bool has_nulls = index >= COLUMNS;
    int64_t nulls = 0;
    copied made = copy_column(rows, array, c);
    CHECK_EQ(array->length, rows->array.length);
    for (size_t row = 0; row < (size_t)array->length; row++) {
        bool is_valid = !made.valid || made.valid[row / 8] >> (row % 8) & 1;
        CHECK_EQ(is_valid, !has_nulls || !is_null(x[row]));
        nulls += !is_valid;
        if (is_valid)
            check_value(c, &made, row, x[row]);
    }
    CHECK_EQ(array->null_count, nulls);
    CHECK(nulls || !array->buffers[0]);
    free_column(&made);
}

/* Adds up the rows' numbers. */
static int64_t check_rows(const struct ArrowDeviceArray *rows)
{
    size_t count = (size_t)rows->array.length;
    int64_t sum = 0, *x = mem_new_array(count + 1, sizeof *x);
    arrow_read(rows, rows->array.children[0]->buffers[1], count * sizeof *x, x);
    for (size_t i = 0; i < 2 * COLUMNS; i++)
        check_column(rows, i, x);
    for (size_t row = 0; row < count; row++)
        sum += x[row];
    mem_free(x);
    return sum;
}

/* ---- every type ---- */

/* The stream's rows are right; how many there are, and the sum of their numbers. */
static int64_t check_stream(arrow_world *w, const char *device, int64_t *out_sum,
                            unsigned *out_arrays)
{
    int64_t count = 0;
    check_schema(&w->stream, !strcmp(device, "cpu"));
    *out_sum = *out_arrays = 0;
    for (;;) {
        struct ArrowDeviceArray rows;
        CHECK_EQ(w->stream.get_next(&w->stream, &rows), 0);
        arrow_check_place(&rows, device);
        if (!rows.array.release)
            return count;
        CHECK_EQ(rows.array.n_children, 1 + 2 * COLUMNS);
        *out_sum += check_rows(&rows);
        count += rows.array.length;
        ++*out_arrays;
        rows.array.release(&rows.array);
    }
}

static void check_series(const char *device, int64_t rows)
{
    char sql[8000], from[100];
    int64_t sum;
    unsigned arrays;
    arrow_world w = arrow_world_open(device, "device", "500");
    snprintf(from, sizeof from, "generate_series(0::bigint, %lld) AS t(x)", (long long)rows - 1);
    write_query(sql, sizeof sql, from);
    arrow_start(&w, sql);
    CHECK_EQ(check_stream(&w, device, &sum, &arrays), rows);
    CHECK_EQ(sum, rows * (rows - 1) / 2);
    CHECK(rows < 2000 || arrays >= 4);
    arrow_world_close(&w);
}

TEST(every_type_of_nothing_one_row_and_many)
{
    for (unsigned i = 1; arrow_device_name(i); i++) {
        check_series(arrow_device_name(i), 0);
        check_series(arrow_device_name(i), 1);
        check_series(arrow_device_name(i), 2); /* the second has NULLs */
        check_series(arrow_device_name(i), 64);
        check_series(arrow_device_name(i), 3000);
    }
}

/* Columns of a file, coded and not, of which a condition leaves some rows. */
TEST(selected_rows_of_a_file)
{
    char sql[8000], copy[9000], path[512];
    snprintf(path, sizeof path, "%s/rows.parquet", test_folder());
    snprintf(copy, sizeof copy,
             "COPY (SELECT x, x %% 7 AS few, 'text ' || x %% 7 AS coded FROM "
             "generate_series(0::bigint, 9999) AS t(x)) TO '%s'",
             path);
    run_alone(copy);
    snprintf(sql, sizeof sql, "(SELECT x FROM '%s' WHERE coded = 'text 3' AND few < 5) t", path);
    write_query(copy, sizeof copy, sql);
    for (unsigned i = 1; arrow_device_name(i); i++) {
        int64_t sum, expected = 0;
        unsigned arrays;
        arrow_world w = arrow_world_open(arrow_device_name(i), "device", "1000");
        arrow_start(&w, copy);
        CHECK_EQ(check_stream(&w, arrow_device_name(i), &sum, &arrays), 1429);
        for (int64_t x = 3; x < 10000; x += 7)
            expected += x;
        CHECK_EQ(sum, expected);
        arrow_world_close(&w);
    }
}

/* Texts as codes of the file's dictionary, and NULLs that a join makes. */
TEST(texts_of_dictionaries_and_of_no_partner)
{
    static const char sql[] =
        "SELECT a.x, b.s, b.x AS y FROM generate_series(0::bigint, 99) AS a(x) LEFT JOIN (SELECT "
        "x, 'text "
        "' || x % 4 AS s FROM generate_series(0::bigint, 49) AS t(x)) AS b ON a.x = b.x";
    for (unsigned i = 1; arrow_device_name(i); i++) {
        arrow_world w = arrow_world_open(arrow_device_name(i), "device", "40");
        struct ArrowDeviceArray rows;
        int64_t nulls = 0, bytes = 0, count = 0;
        arrow_start(&w, sql);
        for (;;) {
            CHECK_EQ(w.stream.get_next(&w.stream, &rows), 0);
            if (!rows.array.release)
                break;
            const struct ArrowArray *texts = rows.array.children[1];
            int64_t end;
            arrow_read(&rows, (const int64_t *)texts->buffers[1] + texts->length, 8, &end);
            bytes += end;
            count += texts->length;
            nulls += texts->null_count;
            CHECK_EQ(rows.array.children[2]->null_count, texts->null_count);
            rows.array.release(&rows.array);
        }
        CHECK_EQ(count, 100);
        CHECK_EQ(nulls, 50);
        CHECK_EQ(bytes, 50 * 6);
        arrow_world_close(&w);
    }
}

TEST(decimals_of_64_bits)
{
    for (unsigned i = 1; arrow_device_name(i); i++) {
        arrow_world w = arrow_world_open(arrow_device_name(i), "device", "auto");
        struct ArrowDeviceArray rows;
        struct ArrowSchema schema;
        int64_t values[10], expected;
        int128 wide[10];
        arrow_run(&w, "SET arrow_decimal = 64");
        arrow_start(&w, "SELECT x::decimal(15,2) AS d, x::decimal(18,0) * 3 AS e FROM "
                        "generate_series(0::bigint, "
                        "9) AS t(x)");
        CHECK_EQ(w.stream.get_schema(&w.stream, &schema), 0);
        CHECK_TEXT_EQ(schema.children[0]->format, "d:15,2,64");
        schema.release(&schema);
        CHECK_EQ(w.stream.get_next(&w.stream, &rows), 0);
        arrow_read(&rows, rows.array.children[0]->buffers[1], sizeof values, values);
        arrow_read(&rows, rows.array.children[1]->buffers[1], sizeof wide, wide);
        for (int64_t x = 0; x < 10; x++) {
            make_narrow_decimal(x, &expected);
            CHECK_EQ(values[x], expected);
            CHECK_EQ(wide[x], 3 * x);
        }
        rows.array.release(&rows.array);
        arrow_world_close(&w);
    }
}
