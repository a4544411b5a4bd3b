/* test_iceberg_bucket.c - hashes and buckets against the values that Iceberg's specification lists (appendix B). */
#include "test.h"

#include "lake/iceberg/iceberg_bucket.h"

static value word(type_id id, int64_t number)
{
    return (value){.type = type_make(id), .i64 = number};
}

/* With as many buckets as there are, a value's bucket is its hash without the sign. */
static int64_t hash_of(value v)
{
    int64_t out = -1;
    CHECK(iceberg_bucket_of(&v, INT32_MAX, &out));
    return out;
}

#define UNSIGNED(hash) ((int64_t)((hash)&INT32_MAX) % INT32_MAX)

TEST(published_hashes)
{
    CHECK_EQ(hash_of(word(TYPE_INT32, 34)), UNSIGNED(2017239379));
    CHECK_EQ(hash_of(word(TYPE_INT64, 34)), UNSIGNED(2017239379));
    CHECK_EQ(hash_of(value_decimal(1420, type_decimal(9, 2))), UNSIGNED(-500754589));
    CHECK_EQ(hash_of(value_decimal(1420, type_decimal(38, 2))), UNSIGNED(-500754589));
    CHECK_EQ(hash_of(word(TYPE_DATE, 17486)), UNSIGNED(-653330422));
    CHECK_EQ(hash_of(word(TYPE_TIME, INT64_C(81068000000))), UNSIGNED(-662762989));
    CHECK_EQ(hash_of(word(TYPE_TIMESTAMP, INT64_C(1510871468000000))), UNSIGNED(-2047944441));
    CHECK_EQ(hash_of(word(TYPE_TIMESTAMP_TZ, INT64_C(1510871468000001))), UNSIGNED(-1207196810));
    CHECK_EQ(hash_of(value_text("iceberg", 7)), UNSIGNED(1210000089));
    value bytes = value_text("\0\1\2\3", 4);
    bytes.type = type_make(TYPE_BLOB);
    CHECK_EQ(hash_of(bytes), UNSIGNED(-188683207));
    value uuid = {.type = type_make(TYPE_UUID)};
    uuid.i128 =
        (int128)(((uint128)UINT64_C(0xf79c3e09677c4bbd) << 64 | UINT64_C(0xa4793f349cb785e7)) ^
                 (uint128)1 << 127);
    CHECK_EQ(hash_of(uuid), UNSIGNED(1488055340));
}

TEST(nanoseconds_are_cut)
{
    value v = word(TYPE_TIMESTAMP, INT64_C(1510871468000001001));
    v.type.precision = 9;
    CHECK_EQ(hash_of(v), UNSIGNED(-1207196810));
    value before = word(TYPE_TIMESTAMP, -1), after = word(TYPE_TIMESTAMP, -1);
    before.type.precision = 9;
    CHECK_EQ(hash_of(before), hash_of(after)); /* downwards */
}

TEST(values_without_a_bucket)
{
    int64_t out;
    value null = value_null(type_make(TYPE_INT32)), real = value_double(1),
          truth = value_bool(true);
    value number = word(TYPE_INT32, 1);
    CHECK(!iceberg_bucket_of(&null, 4, &out));
    CHECK(!iceberg_bucket_of(&real, 4, &out));
    CHECK(!iceberg_bucket_of(&truth, 4, &out));
    CHECK(!iceberg_bucket_of(&number, 0, &out));
    CHECK(!iceberg_bucket_of(&number, INT64_MAX, &out));
    CHECK(iceberg_bucket_of(&number, 1, &out) && out == 0);
}
