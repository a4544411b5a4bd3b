/* test_type.c - types, values, string views. */
#include "test.h"

#include <math.h>

TEST(type_names_are_sql)
{
    char text[TYPE_NAME_BYTES];
    CHECK_TEXT_EQ(type_name(type_decimal(15, 2), text), "decimal(15,2)");
    CHECK_TEXT_EQ(type_name(type_make(TYPE_VARCHAR), text), "varchar");
    CHECK_TEXT_EQ(type_name(type_make(TYPE_TIMESTAMP_TZ), text), "timestamp with time zone");
    data_type nanoseconds = type_make(TYPE_TIMESTAMP_TZ);
    nanoseconds.precision = 9;
    CHECK_TEXT_EQ(type_name(nanoseconds, text), "timestamp_ns with time zone");
}

TEST(type_kinds_cover_each_type)
{
    for (int id = 0; id < TYPE_FLAT_COUNT; id++) {
        data_type type = id == TYPE_DECIMAL ? type_decimal(10, 2) : type_make((type_id)id);
        bool is_float = id == TYPE_FLOAT || id == TYPE_DOUBLE;
        CHECK_EQ(type_is_numeric(type), type_is_integer(type) || is_float || id == TYPE_DECIMAL);
        CHECK(!type_is_text(type) || !type_is_numeric(type));
        CHECK(!type_is_time(type) || !type_is_numeric(type));
    }
    CHECK(type_is_signed(type_make(TYPE_INT8)) && !type_is_signed(type_make(TYPE_UINT64)));
    CHECK(type_is_signed(type_make(TYPE_DOUBLE)) && type_is_signed(type_decimal(5, 0)));
    CHECK(!type_is_time(type_make(TYPE_INTERVAL)));
    CHECK_EQ(type_decimal(18, 0).width, 8);
    CHECK_EQ(type_decimal(19, 0).width, 16);
    data_type narrow = type_decimal(25, 4);
    narrow.width = 8;
    CHECK(type_equal(narrow, type_decimal(25, 4)));
    CHECK(!type_equal(type_decimal(25, 4), type_decimal(25, 3)));
}

TEST(string_views_hold_short_texts_in_place)
{
    const char *text = "abcdefghijklmnop";
    for (uint32_t bytes = 0; bytes <= 16; bytes++) {
        string_view view = string_view_make(text, bytes);
        CHECK_EQ(view.bytes, bytes);
        CHECK(memcmp(string_data(&view), text, bytes) == 0);
        CHECK_EQ(string_data(&view) == text, bytes > STRING_INLINE_BYTES);
        CHECK(bytes < 4 || memcmp(view.prefix, "abcd", 4) == 0);
    }
    string_view a = string_view_make("ab", 2), b = string_view_make("ab", 2);
    CHECK(memcmp(&a, &b, sizeof a) == 0);
}

static int order_of_doubles(double left, double right)
{
    value a = value_double(left), b = value_double(right);
    return value_compare(&a, &b);
}

TEST(values_compare_as_sql_orders_them)
{
    CHECK_EQ(order_of_doubles(1, 2), -1);
    CHECK_EQ(order_of_doubles(NAN, INFINITY), 1);
    CHECK_EQ(order_of_doubles(NAN, NAN), 0);
    CHECK_EQ(order_of_doubles(-0.0, 0.0), 0);

    value a = value_text("abc", 3), b = value_text("abd", 3), prefix = value_text("ab", 2);
    value high = value_text("\xc3\xa9", 2);
    CHECK_EQ(value_compare(&a, &b), -1);
    CHECK_EQ(value_compare(&a, &prefix), 1);
    CHECK_EQ(value_compare(&high, &a), 1);
    CHECK_EQ(value_compare(&a, &a), 0);

    value most = value_int(TYPE_UINT64, -1), one = value_int(TYPE_UINT64, 1);
    CHECK_EQ(value_compare(&most, &one), 1);
    value minus = value_int(TYPE_INT64, -1), plus = value_int(TYPE_INT64, 1);
    CHECK_EQ(value_compare(&minus, &plus), -1);

    value month = {.type = type_make(TYPE_INTERVAL), .interval = {1, 0, 0}};
    value days = {.type = type_make(TYPE_INTERVAL), .interval = {0, 30, 0}};
    CHECK_EQ(value_compare(&month, &days), 0);
}

static const char *text_of(value v)
{
    static char text[100];
    size_t needed = value_format(&v, text, sizeof text);
    CHECK_EQ(needed, strlen(text));
    return text;
}

TEST(values_print_as_sql_prints_them)
{
    CHECK_TEXT_EQ(text_of(value_null(type_make(TYPE_INT32))), "");
    CHECK_TEXT_EQ(text_of(value_bool(true)), "true");
    CHECK_TEXT_EQ(text_of(value_int(TYPE_INT8, -5)), "-5");
    CHECK_TEXT_EQ(text_of(value_int(TYPE_UINT64, -1)), "18446744073709551615");
    CHECK_TEXT_EQ(text_of(value_int(TYPE_DATE, 9204)), "1995-03-15");
    CHECK_TEXT_EQ(text_of(value_int(TYPE_TIMESTAMP, 0)), "1970-01-01 00:00:00");
    CHECK_TEXT_EQ(text_of(value_double(1.5)), "1.5");
    CHECK_TEXT_EQ(text_of(value_decimal(-12345, type_decimal(15, 2))), "-123.45");
    CHECK_TEXT_EQ(text_of(value_decimal(5, type_decimal(38, 38))),
                  "0.00000000000000000000000000000000000005");
    CHECK_TEXT_EQ(text_of(value_text("a b", 3)), "a b");
    value blob = value_text("\x01\xfe", 2);
    blob.type = type_make(TYPE_BLOB);
    CHECK_TEXT_EQ(text_of(blob), "\\x01fe");
}

TEST(value_format_never_writes_past_its_room)
{
    value values[] = {value_text("hello world", 11), value_int(TYPE_INT64, INT64_MIN),
                      value_text("\x01\x02\x03", 3)};
    values[2].type = type_make(TYPE_BLOB);
    for (size_t v = 0; v < 3; v++)
        for (size_t room = 0; room < 24; room++) {
            char text[32];
            memset(text, '#', sizeof text);
            size_t needed = value_format(&values[v], text, room);
            for (size_t i = room; i < sizeof text; i++)
                CHECK_EQ(text[i], '#');
            if (room > 0)
                CHECK(strlen(text) < room);
            if (room > needed)
                CHECK_EQ(strlen(text), needed);
        }
}
