/* exchange_lane.c - rows to messages. */
#include "exec/exchange/exchange_lane.h"

#include "device/chunk.h"
#include "exec/exchange/exchange_cargo.h"
#include "net/wire/wire_write.h"

#include <assert.h>

#define FIRST_BYTES (64u << 10)

status exchange_lane_init(exchange_lane *lane, const exchange_lane_options *options)
{
    uint32_t most = options->message_bytes - (uint32_t)sizeof(exchange_header);
    *lane = (exchange_lane){.dev = options->dev,
                            .room_max = most,
                            .room = most < FIRST_BYTES ? most : FIRST_BYTES,
                            .stream = options->stream,
                            .flags = options->flags,
                            .first = options->first,
                            .end = options->end,
                            .next = options->first,
                            .is_cargo = options->is_cargo};
    if (options->is_cargo)
        return STATUS_OK;
    return wire_writer_new(options->columns->types, options->columns->count, &lane->writer);
}

void exchange_lane_release(exchange_lane *lane)
{
    wire_writer_free(lane->writer);
    dev_buffer_unref(lane->message);
    chunk_free(lane->rows);
}

void exchange_lane_give(exchange_lane *lane, chunk *rows, uint64_t first, uint64_t count)
{
    assert(!lane->rows);
    lane->rows = rows;
    lane->at = first;
    lane->rows_end = first + count;
}

static status exchange_lane_make_message(exchange_lane *lane)
{
    return lane->message ? STATUS_OK : dev_alloc(lane->dev, lane->room, "exchange", &lane->message);
}

status exchange_lane_write(exchange_lane *lane)
{
    if (lane->is_cargo) {
        lane->is_full = lane->rows;
        return STATUS_OK;
    }
    while (lane->rows && !lane->is_full) {
        uint64_t rows, left = lane->rows_end - lane->at;
        TRY(exchange_lane_make_message(lane));
        TRY(wire_append(lane->writer, lane->rows, lane->at, left, lane->message->address,
                        lane->room, &lane->used, &rows));
        lane->at += rows;
        if (rows < left) {
            lane->is_full = true;
        } else {
            chunk_free(lane->rows);
            lane->rows = NULL;
        }
    }
    return STATUS_OK;
}

void exchange_lane_flush(exchange_lane *lane)
{
    lane->is_full |= lane->used > 0;
}

static void begin_message(exchange_lane *lane)
{
    lane->is_full = false;
    lane->used = 0;
    lane->next = lane->first;
    if (lane->is_cargo) {
        chunk_free(lane->rows);
        lane->rows = NULL;
        return;
    }
    if (lane->room == lane->room_max)
        return;
    lane->room = lane->room < lane->room_max / 2 ? lane->room * 2 : lane->room_max;
    dev_buffer_unref(lane->message);
    lane->message = NULL;
}

bool exchange_lane_next(exchange_lane *lane, uint32_t *out_rank)
{
    if (lane->is_full && lane->next == lane->end)
        begin_message(lane);
    *out_rank = lane->next;
    return lane->is_full;
}

status exchange_lane_fill(const exchange_lane *lane, net_message *message)
{
    const exchange_header header = {.stream = lane->stream, .flags = lane->flags};
    memcpy(message->data, &header, sizeof header);
    message->bytes = sizeof header;
    if (lane->is_cargo)
        return exchange_cargo_load(message, lane->rows);
    memcpy(message->data + sizeof header, lane->message->address, lane->used);
    message->bytes = (uint32_t)sizeof header + lane->used;
    return STATUS_OK;
}
