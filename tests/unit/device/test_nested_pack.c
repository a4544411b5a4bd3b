/* test_nested_pack.c - nested values to bytes and back: the same values, in their order; bytes that are damaged. */
#include "device/nested_pack.h"

#include "base/type/nested_type.h"
#include "device/chunk.h"
#include "device_test.h"
#include "exec/spill/chunk_bytes.h"

static mem_budget *budget;
static device *dev;
static dev_stream *stream;
static data_type pair, list; /* struct(n integer, t varchar), and a list of it */

static void begin(void)
{
    test_cpu_open(&budget, &dev, &stream);
    nested_field fields[] = {{"n", type_make(TYPE_INT32)}, {"t", type_make(TYPE_VARCHAR)}};
    CHECK_OK(nested_type_make(TYPE_STRUCT, fields, 2, &pair));
    CHECK_OK(nested_type_make_list(pair, &list));
}

static void end(void)
{
    nested_type_release(list);
    nested_type_release(pair);
    test_cpu_close(budget, dev, stream);
}

typedef struct bytes_text {
    const char *bytes;
    size_t count;
} bytes_text;
#define BYTES(text)                                                                                \
    {                                                                                              \
        (text), sizeof(text) - 1                                                                   \
    }

/* Ascending. */
static const bytes_text values[] = {
    BYTES("\0"),                                              /* [] */
    BYTES("\1\1\x7f\xff\xff\xff\1\0\0\0"),                    /* [{-1, ''}] */
    BYTES("\1\1\x80\0\0\2\1a\0\xff\0\0\0"),                   /* [{2, 'a\0'}] */
    BYTES("\1\1\x80\0\0\2\1a text that is long\0\0\0"),       /* [{2, 'a text ...'}] */
    BYTES("\1\1\x80\0\0\2\1a text that is long\0\0\1\2\2\0"), /* [..., {NULL, NULL}] */
    BYTES("\1\1\x80\0\0\2\1a text that is long\0\0\2\2\0"),   /* [..., NULL, NULL] */
    BYTES("\1\1\x80\0\0\2\2\0"),                              /* [{2, NULL}] */
    BYTES("\1\2\2\0"),                                        /* [{NULL, NULL}] */
    BYTES("\2\0"),                                            /* [NULL] */
};
#define VALUES (sizeof values / sizeof *values)

/* Each value, then NULL. */
static tensor *make_texts(void)
{
    tensor *texts;
    CHECK_OK(tensor_new_flat(dev, type_make(TYPE_BLOB), VALUES + 1, true, &texts));
    memset(texts->values, 0, (VALUES + 1) * sizeof(string_view));
    for (size_t i = 0; i < VALUES; i++)
        ((string_view *)texts->values)[i] =
            string_view_make(values[i].bytes, (uint32_t)values[i].count);
    texts->validity[0] = (1u << VALUES) - 1;
    return texts;
}

static void check_texts(const tensor *made)
{
    CHECK_EQ(made->validity[0] & ((2u << VALUES) - 1), (1u << VALUES) - 1);
    for (size_t i = 0; i < VALUES; i++) {
        const string_view *view = (const string_view *)made->values + i;
        CHECK_EQ(view->bytes, values[i].count);
        CHECK(!memcmp(string_data(view), values[i].bytes, values[i].count));
    }
}

TEST(values_come_back)
{
    begin();
    tensor *texts = make_texts(), *nested, *again;
    CHECK_OK(nested_unpack(dev, list, texts, VALUES + 1, NESTED_EXACT, "test", &nested));
    const nested_value *lists = nested->values;
    CHECK_EQ(lists[0].length, 0);
    CHECK_EQ(lists[4].length, 2);
    CHECK_EQ(lists[5].length, 3);
    CHECK_EQ(nested->heap->child_rows, 11);
    CHECK_OK(nested_pack(dev, nested, 0, VALUES + 1, NESTED_EXACT, "test", &again));
    check_texts(again);
    for (size_t i = 1; i < VALUES; i++)
        CHECK(memcmp(values[i - 1].bytes, values[i].bytes,
                     values[i].count < values[i - 1].count ? values[i].count
                                                           : values[i - 1].count) <= 0);
    tensor_unref(again);
    tensor_unref(nested);
    tensor_unref(texts);
    end();
}

TEST(rows_of_chunks_come_back)
{
    begin();
    chunk *c, *read;
    tensor *texts = make_texts(), *again;
    dev_buffer *bytes;
    CHECK_OK(chunk_new(1, dev_count_exact(VALUES + 1), &c));
    CHECK_OK(nested_unpack(dev, list, texts, VALUES + 1, NESTED_EXACT, "test", &c->columns[0]));
    CHECK_OK(chunk_bytes_write(dev, c, 0, VALUES + 1, "test", &bytes));
    CHECK_OK(chunk_bytes_read(bytes, &read));
    CHECK(type_equal(read->columns[0]->type, list));
    CHECK_OK(nested_pack(dev, read->columns[0], 0, VALUES + 1, NESTED_EXACT, "test", &again));
    check_texts(again);
    tensor_unref(again);
    chunk_free(read);
    dev_buffer_unref(bytes);
    chunk_free(c);
    tensor_unref(texts);
    end();
}

static void check_keys(data_type element, const void *left, const void *right, bool are_equal)
{
    data_type type;
    tensor *t, *child, *keys;
    CHECK_OK(nested_type_make_list(element, &type));
    CHECK_OK(tensor_new_flat(dev, element, 2, false, &child));
    memcpy(child->values, left, element.width);
    memcpy((char *)child->values + element.width, right, element.width);
    CHECK_OK(tensor_new_flat(dev, type, 2, false, &t));
    ((nested_value *)t->values)[0] = (nested_value){0, 1};
    ((nested_value *)t->values)[1] = (nested_value){1, 1};
    CHECK_OK(string_heap_new_children(&child, 1, 2, &t->heap));
    for (int form = NESTED_KEYS; form <= NESTED_EXACT; form++) {
        CHECK_OK(nested_pack(dev, t, 0, 2, form, "test", &keys));
        const string_view *views = keys->values;
        bool are = views[0].bytes == views[1].bytes &&
                   !memcmp(string_data(&views[0]), string_data(&views[1]), views[0].bytes);
        CHECK_EQ(are, are_equal && form == NESTED_KEYS);
        tensor_unref(keys);
    }
    tensor_unref(t);
    nested_type_release(type);
}

TEST(equal_values_have_equal_keys)
{
    begin();
    double zeros[] = {0.0, -0.0}, nans[2];
    uint64_t bits[] = {0x7ff8000000000000, 0xfff8000000000001};
    memcpy(nans, bits, sizeof nans);
    check_keys(type_make(TYPE_DOUBLE), &zeros[0], &zeros[1], true);
    check_keys(type_make(TYPE_DOUBLE), &nans[0], &nans[1], true);
    check_keys(type_make(TYPE_DOUBLE), &zeros[0], &nans[1], false);
    interval_value month = {1, 0, 0}, days = {0, 30, 0}, day = {0, 1, 0};
    check_keys(type_make(TYPE_INTERVAL), &month, &days, true);
    check_keys(type_make(TYPE_INTERVAL), &month, &day, false);
    end();
}

/* Bytes that are cut or changed fail, or are others of the type; nothing is read outside of them. */
TEST(damaged_bytes_fail)
{
    begin();
    tensor *texts, *nested;
    CHECK_OK(tensor_new_flat(dev, type_make(TYPE_BLOB), 1, false, &texts));
    for (size_t i = 0; i < VALUES; i++)
        for (int k = 0; k < 300; k++) {
            size_t count = k < (int)values[i].count ? (size_t)k : values[i].count;
            char *bytes = mem_new(count + 1);
            memcpy(bytes, values[i].bytes, count);
            if (count == values[i].count)
                bytes[test_random_below(count)] ^= (char)(1 + test_random_below(255));
            ((string_view *)texts->values)[0] = string_view_make(bytes, (uint32_t)count);
            status st = nested_unpack(dev, list, texts, 1, NESTED_EXACT, "test", &nested);
            CHECK(!st || status_get_kind(st) == STATUS_KIND_CORRUPT);
            CHECK(st || count == values[i].count);
            status_free(st);
            tensor_unref(nested);
            mem_free(bytes);
        }
    tensor_unref(texts);
    end();
}
