/* fuzz_wire.c - bytes from another rank are rows, or refused; rows that are taken go out and come back
 * the same.
 *
 * Input: messages, each behind two bytes with its length, for one reader. */
#include "base/type/type.h"
#include "device/chunk.h"
#include "device/tensor.h"
#include "fuzz.h"

#include "net/wire/wire.h"
#include "net/wire/wire_read.h"
#include "net/wire/wire_write.h"

enum { COLUMNS = 5, ROOM = 1 << 16 };

static device *dev;
static dev_stream *stream;
static data_type types[COLUMNS];

static void open_device(void)
{
    mem_budget *budget;
    types[0] = type_make(TYPE_INT32);
    types[1] = type_make(TYPE_VARCHAR);
    types[2] = type_make(TYPE_BOOL);
    types[3] = type_decimal(38, 2);
    types[4] = type_make(TYPE_INT16);
    FUZZ_CHECK(fuzz_settle(mem_budget_new(64 << 20, &budget)));
    FUZZ_CHECK(fuzz_settle(dev_open_cpu("auto", 0, budget, &dev)));
    FUZZ_CHECK(fuzz_settle(dev->ops->stream_open(dev, &stream)));
    mem_budget_free(budget);
}

static void check_value(const tensor *a, const tensor *b, uint64_t row)
{
    bool is_valid = !a->validity || (a->validity[row / 64] >> (row % 64) & 1);
    FUZZ_CHECK(is_valid == (!b->validity || (b->validity[row / 64] >> (row % 64) & 1)));
    if (!is_valid)
        return;
    if (type_is_text(a->type)) {
        const string_view *left = (const string_view *)a->values + row;
        const string_view *right = (const string_view *)b->values + row;
        FUZZ_CHECK(left->bytes == right->bytes);
        FUZZ_CHECK(!memcmp(string_data(left), string_data(right), left->bytes));
    } else if (!a->type.width) {
        const uint64_t *left = a->values, *right = b->values;
        FUZZ_CHECK((left[row / 64] >> (row % 64) & 1) == (right[row / 64] >> (row % 64) & 1));
    } else {
        unsigned width = a->type.width;
        FUZZ_CHECK(
            !memcmp((char *)a->values + row * width, (char *)b->values + row * width, width));
    }
}

static void check_same(const chunk *a, uint64_t first, const chunk *b)
{
    for (unsigned i = 0; i < COLUMNS; i++) {
        tensor *left, *right, *view;
        row_index *index;
        uint64_t rows = b->rows.bound;
        FUZZ_CHECK(fuzz_settle(row_index_new(dev, rows, &index)));
        for (uint64_t row = 0; row < rows; row++)
            index->rows[row] = (uint32_t)(first + row);
        FUZZ_CHECK(fuzz_settle(
            tensor_new_indexed(stream, a->columns[i], a->rows.bound, index, b->rows, &view)));
        FUZZ_CHECK(fuzz_settle(tensor_flatten(stream, view, b->rows, &left)));
        FUZZ_CHECK(fuzz_settle(tensor_flatten(stream, b->columns[i], b->rows, &right)));
        for (uint64_t row = 0; row < rows; row++)
            check_value(left, right, row);
        tensor_unref(left);
        tensor_unref(right);
        tensor_unref(view);
        row_index_unref(index);
    }
}

/* Sends what was taken by a writer of its own, in small messages; it must come back. */
static void check_round_trip(const chunk *c)
{
    static _Alignas(8) char message[600];
    wire_writer *writer;
    wire_reader *reader;
    uint64_t at = 0, checked = 0, rows;
    FUZZ_CHECK(fuzz_settle(wire_writer_new(types, COLUMNS, &writer)));
    FUZZ_CHECK(fuzz_settle(wire_reader_new(dev, types, COLUMNS, "again", &reader)));
    while (at < c->rows.bound) {
        uint32_t used = 0;
        chunk *again;
        FUZZ_CHECK(fuzz_settle(
            wire_append(writer, c, at, c->rows.bound - at, message, sizeof message, &used, &rows)));
        FUZZ_CHECK(used && used <= sizeof message);
        FUZZ_CHECK(fuzz_settle(wire_read(reader, message, used, &again)));
        at += rows;
        if (!again)
            continue;
        check_same(c, checked, again);
        checked += again->rows.bound;
        chunk_free(again);
    }
    FUZZ_CHECK(checked == c->rows.bound);
    wire_writer_free(writer);
    wire_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    uint64_t blocks = mem_in_use();
    open_device(); /* of its own: a device keeps buffers for the next use */
    wire_reader *reader;
    FUZZ_CHECK(fuzz_settle(wire_reader_new(dev, types, COLUMNS, "input", &reader)));
    int goes_on = 1;
    while (goes_on && length > 2) {
        size_t count = bytes[0] | (size_t)bytes[1] << 8;
        bytes += 2, length -= 2;
        count = count < length ? count : length;
        char *message = mem_new(count); /* of its exact length, aligned */
        FUZZ_CHECK(message);
        memcpy(message, bytes, count);
        chunk *c;
        status st = wire_read(reader, message, (uint32_t)count, &c);
        FUZZ_CHECK(!st || !c);
        status_kind kind = status_get_kind(st);
        FUZZ_CHECK(!st || kind == STATUS_KIND_CORRUPT || kind == STATUS_KIND_LIMIT);
        goes_on = fuzz_settle(st);
        if (c && c->rows.bound <= 5000)
            check_round_trip(c);
        chunk_free(c);
        mem_free(message);
        bytes += count, length -= count;
    }
    wire_reader_free(reader);
    dev->ops->stream_close(stream);
    dev_close(dev);
    FUZZ_CHECK(mem_in_use() == blocks);
    return 0;
}
