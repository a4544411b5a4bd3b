/* exchange_wire.c - chunks to messages and back. */
#include "exec/exchange/exchange_wire.h"

#include "exec/spill/chunk_bytes.h"

/* What a block has besides values, about: of all, and of a column. */
#define BLOCK_BYTES 128
#define COLUMN_BYTES 192
/* Of chunks without columns, which are nothing but a number of rows. */
#define BARE_ROWS 256
#define BLOCK_BYTES_MAX ((uint64_t)1 << 32)
#define PARTS_MAX 65536

typedef struct piece_header {
    uint32_t number;
    uint32_t zero;
    uint64_t at, block_bytes;
} piece_header;

_Static_assert(sizeof(piece_header) < NET_MESSAGE_BYTES_MIN, "a message has room for rows");

uint64_t exchange_fit(const chunk *c, uint64_t first, uint64_t message_bytes)
{
    uint64_t rows = c->rows.bound - first, besides = sizeof(piece_header) + BLOCK_BYTES;
    bool has_columns = false;
    for (uint32_t i = 0; i < c->column_count; i++) {
        has_columns |= c->columns[i] != NULL;
        besides += COLUMN_BYTES;
    }
    if (!has_columns)
        return rows < BARE_ROWS ? rows : BARE_ROWS;
    uint64_t room = message_bytes > 2 * besides ? message_bytes - besides : message_bytes / 2;
    return chunk_bytes_fit(c, first, rows, room);
}

status exchange_encode(device *dev, const chunk *c, uint64_t first, uint64_t count,
                       dev_buffer **out)
{
    return chunk_bytes_write(dev, c, first, count, "exchange", out);
}

static status damaged(void)
{
    return status_new(STATUS_KIND_CORRUPT, "rows from another rank are not what was sent");
}

status exchange_decode(dev_buffer *block, const plan_column_list *columns, chunk **out)
{
    chunk *c;
    *out = NULL;
    TRY(chunk_bytes_read(block, &c));
    bool is_right = c->column_count == columns->count;
    for (uint32_t i = 0; is_right && i < c->column_count; i++) {
        data_type type = columns->items[i].type;
        const tensor *t = c->columns[i];
        is_right = !t || (t->type.id == type.id && t->type.scale == type.scale);
    }
    if (!is_right) {
        chunk_free(c);
        return damaged();
    }
    *out = c;
    return STATUS_OK;
}

void exchange_fill(net_message *message, const dev_buffer *block, uint32_t number, uint64_t *at)
{
    piece_header header = {.number = number, .at = *at, .block_bytes = block->bytes};
    uint64_t room = message->room - sizeof header, left = block->bytes - *at;
    uint64_t bytes = left < room ? left : room;
    memcpy(message->data, &header, sizeof header);
    memcpy(message->data + sizeof header, (const char *)block->address + *at, bytes);
    message->bytes = (uint32_t)(sizeof header + bytes);
    *at += bytes;
}

/* ---- putting together ---- */

void exchange_parts_init(exchange_parts *parts)
{
    pthread_mutex_init(&parts->lock, NULL);
}

void exchange_parts_free(exchange_parts *parts)
{
    for (size_t i = 0; i < parts->open.count; i++)
        dev_buffer_unref(parts->open.items[i].block);
    array_release(&parts->open);
    pthread_mutex_destroy(&parts->lock);
}

static exchange_part *find_part(exchange_parts *parts, uint32_t peer, uint32_t number)
{
    for (size_t i = 0; i < parts->open.count; i++)
        if (parts->open.items[i].peer == peer && parts->open.items[i].number == number)
            return &parts->open.items[i];
    return NULL;
}

static status new_part(exchange_parts *parts, device *dev, const piece_header *header,
                       uint32_t peer, exchange_part **out)
{
    exchange_part part = {.peer = peer, .number = header->number};
    *out = NULL;
    if (parts->open.count >= PARTS_MAX)
        return damaged();
    TRY(dev_alloc(dev, header->block_bytes, "exchange", &part.block));
    status st = array_push(NULL, &parts->open, part);
    if (st)
        dev_buffer_unref(part.block);
    else
        *out = &parts->open.items[parts->open.count - 1];
    return st;
}

/* Under the lock. */
static status add(exchange_parts *parts, device *dev, const piece_header *header, uint32_t peer,
                  const char *bytes, uint64_t count, dev_buffer **out)
{
    exchange_part *part = find_part(parts, peer, header->number);
    if (!part)
        TRY(new_part(parts, dev, header, peer, &part));
    if (part->block->bytes != header->block_bytes)
        return damaged();
    memcpy((char *)part->block->address + header->at, bytes, count);
    part->received += count;
    if (part->received < header->block_bytes)
        return STATUS_OK;
    *out = part->block;
    *part = parts->open.items[--parts->open.count];
    return STATUS_OK;
}

status exchange_parts_add(exchange_parts *parts, device *dev, const net_message *message,
                          dev_buffer **out)
{
    piece_header header;
    *out = NULL;
    if (message->bytes <= sizeof header)
        return damaged();
    memcpy(&header, message->data, sizeof header);
    uint64_t count = message->bytes - sizeof header;
    if (header.zero || header.block_bytes > BLOCK_BYTES_MAX || header.at > header.block_bytes ||
        count > header.block_bytes - header.at)
        return damaged();
    const char *bytes = message->data + sizeof header;
    if (count == header.block_bytes) {
        TRY(dev_alloc(dev, count, "exchange", out));
        memcpy((*out)->address, bytes, count);
        return STATUS_OK;
    }
    pthread_mutex_lock(&parts->lock);
    status st = add(parts, dev, &header, message->peer, bytes, count, out);
    pthread_mutex_unlock(&parts->lock);
    return st;
}
