/* column_part.c - values in their narrowest form, and back: kernels of kernels_host.def do the work. */
#include "exec/scan/column_part.h"

#include "device/chunk.h"
#include "device/kernels/kernel_ops.h"
#include "device/taken.h"

#define WHO "column cache"

/* ---- making ---- */

static bool is_number(data_type type)
{
    return type_is_integer(type) || type.id == TYPE_DECIMAL || type_is_time(type);
}

static bool is_unsigned(data_type type)
{
    return type_is_integer(type) && !type_is_signed(type);
}

/* A stream of a host device: nothing is late there. */
static dev_stream stream_of(device *dev)
{
    return (dev_stream){.dev = dev};
}

/* A copy as one FLAT tensor; long strings go to one heap. */
static status copy_flat(device *dev, tensor *values, uint64_t count, tensor **out)
{
    dev_stream stream = stream_of(dev);
    chunk *source, *copy;
    *out = NULL;
    TRY(chunk_new(1, dev_count_exact(count), &source));
    source->columns[0] = tensor_ref(values);
    status st = chunk_concat(&stream, &source, 1, WHO, &copy);
    chunk_free(source);
    if (st)
        return st;
    *out = tensor_ref(copy->columns[0]);
    chunk_free(copy);
    return STATUS_OK;
}

static uint8_t width_for(uint128 largest)
{
    return largest <= UINT8_MAX    ? 1
           : largest <= UINT16_MAX ? 2
           : largest <= UINT32_MAX ? 4
           : largest <= UINT64_MAX ? 8
                                   : 16;
}

static uint64_t buffer_bytes(const dev_buffer *buffer)
{
    return buffer ? dev_buffer_taken(buffer) : 0;
}

static uint64_t tensor_bytes(const tensor *t)
{
    uint64_t bytes = buffer_bytes(t->values_owner) + buffer_bytes(t->validity_owner);
    for (uint32_t i = 0; t->heap && i < t->heap->buffer_count; i++)
        bytes += buffer_bytes(t->heap->buffers[i]);
    return bytes;
}

static status copy_validity(dev_stream *stream, const tensor *values, uint64_t count,
                            column_part *part)
{
    if (!values->validity)
        return STATUS_OK;
    TRY(dev_alloc(stream->dev, bitmap_bytes(count), WHO, &part->validity));
    memcpy(part->validity->address, values->validity, bitmap_bytes(count));
    return STATUS_OK;
}

/* The least and the greatest of all values, then of those that are not NULL. */
static status find_ranges(dev_stream *stream, const tensor *values, uint64_t count, int128 *out)
{
    return DEV_LAUNCH(stream, narrow_range, .width = values->type.width,
                      .is_unsigned = is_unsigned(values->type), .values = values->values,
                      .validity = values->validity, .count = dev_count_exact(count),
                      .out = (uint64_t *)out);
}

status column_dictionary_make(device *dev, const tensor *coded, column_dictionary *out)
{
    dev_stream stream = stream_of(dev);
    int128 ranges[4];
    *out = (column_dictionary){.rows = coded->base_rows};
    TRY(copy_flat(dev, coded->base, coded->base_rows, &out->values));
    out->bytes = tensor_bytes(out->values);
    out->has_range = is_number(out->values->type);
    if (!out->has_range)
        return STATUS_OK;
    status st = find_ranges(&stream, out->values, out->rows, ranges);
    if (st)
        column_dictionary_release(out);
    out->least = ranges[2];
    out->most = ranges[3];
    return st;
}

void column_dictionary_release(column_dictionary *dictionary)
{
    tensor_unref(dictionary->values);
    *dictionary = (column_dictionary){0};
}

/* Finds the least and the greatest of every few thousand narrow values. */
static status make_bounds(dev_stream *stream, uint64_t count, column_part *part)
{
    uint64_t blocks = (count + DEV_NARROW_BLOCK - 1) / DEV_NARROW_BLOCK;
    if (part->width > sizeof(uint32_t) || !count)
        return STATUS_OK;
    TRY(dev_alloc(stream->dev, 2 * blocks * part->width, WHO, &part->bounds));
    return DEV_LAUNCH(stream, narrow_bounds, .width = part->width, .values = part->values->address,
                      .count = dev_count_exact(count), .out = part->bounds->address);
}

/* Returns whether the values need all bytes of their type and are to be kept as they are, so that nothing is computed to read
 * them. What conditions compare, up to 4 bytes, they take for numbers without a sign. */
static bool are_as_they_are(uint8_t width, uint8_t narrow, int128 least)
{
    return narrow == width && (width > sizeof(uint32_t) || least >= 0);
}

static status make_numbers(device *dev, const tensor *values, uint64_t count, column_part *part)
{
    dev_stream stream = stream_of(dev);
    int128 ranges[4];
    uint8_t width = values->type.width;
    part->form = COLUMN_NUMBERS;
    TRY(find_ranges(&stream, values, count, ranges));
    part->has_range = true;
    part->origin = ranges[0];
    part->least = ranges[2];
    part->most = ranges[3];
    part->width = width_for((uint128)ranges[1] - (uint128)ranges[0]);
    if (are_as_they_are(width, part->width, ranges[0]))
        part->origin = 0;
    TRY(dev_alloc(dev, count * part->width, WHO, &part->values));
    TRY(DEV_LAUNCH(&stream, narrow, .width = width, .out_width = part->width,
                   .origin_low = (uint64_t)part->origin,
                   .origin_high = (uint64_t)(part->origin >> 64), .values = values->values,
                   .count = dev_count_exact(count), .out = part->values->address));
    TRY(make_bounds(&stream, count, part));
    return copy_validity(&stream, values, count, part);
}

static uint8_t code_width(const column_dictionary *dictionary)
{
    return dictionary->rows < UINT8_MAX ? 1 : dictionary->rows < UINT16_MAX ? 2 : 4;
}

/* Returns whether the numbers that the codes stand for need no more bytes than the codes: conditions then compare without a
 * dictionary, and values are made by an addition. Codes of one byte stay, because expressions over a short dictionary are
 * computed once an entry. */
static bool are_numbers_as_narrow(const tensor *coded, const column_dictionary *dictionary)
{
    uint8_t width = code_width(dictionary);
    return width > 1 && dictionary->has_range && dictionary->least <= dictionary->most &&
           !coded->index->has_nulls && !dictionary->values->validity &&
           width_for((uint128)dictionary->most - (uint128)dictionary->least) <= width;
}

static status make_coded_numbers(device *dev, const tensor *coded, uint64_t count,
                                 column_part *part)
{
    dev_stream stream = stream_of(dev);
    tensor *flat;
    TRY(tensor_flatten(&stream, (tensor *)coded, dev_count_exact(count), &flat));
    status st = make_numbers(dev, flat, count, part);
    tensor_unref(flat);
    return st;
}

static status make_codes(device *dev, const tensor *values, uint64_t count,
                         const column_dictionary *dictionary, column_part *part)
{
    dev_stream stream = stream_of(dev);
    part->form = COLUMN_CODES;
    part->width = code_width(dictionary);
    part->has_nulls = values->index->has_nulls;
    part->dictionary = tensor_ref(dictionary->values);
    part->dictionary_rows = dictionary->rows;
    part->has_range = dictionary->has_range;
    part->least = dictionary->least;
    part->most = dictionary->most;
    TRY(dev_alloc(dev, count * part->width, WHO, &part->values));
    TRY(DEV_LAUNCH(&stream, narrow_index, .width = part->width, .index = values->index->rows,
                   .count = dev_count_exact(count), .out = part->values->address));
    return make_bounds(&stream, count, part);
}

static status make(device *dev, const tensor *values, uint64_t count,
                   const column_dictionary *dictionary, column_part *part)
{
    if (column_is_coded(values) && dictionary && are_numbers_as_narrow(values, dictionary))
        return make_coded_numbers(dev, values, count, part);
    if (column_is_coded(values) && dictionary)
        return make_codes(dev, values, count, dictionary, part);
    if (values->form == TENSOR_FLAT && is_number(values->type))
        return make_numbers(dev, values, count, part);
    part->form = COLUMN_PLAIN;
    return copy_flat(dev, (tensor *)values, count, &part->plain);
}

status column_part_new(device *dev, const tensor *values, uint64_t first, uint64_t count,
                       const column_dictionary *dictionary, column_part **out)
{
    column_part *part = mem_new(sizeof *part);
    *out = NULL;
    if (!part)
        return status_no_memory(WHO, sizeof *part);
    part->first = first;
    part->end = first + count;
    part->type = values->type;
    status st = make(dev, values, count, dictionary, part);
    if (st) {
        column_part_free(part);
        return st;
    }
    part->bytes = sizeof *part + buffer_bytes(part->values) + buffer_bytes(part->validity) +
                  buffer_bytes(part->bounds) + (part->plain ? tensor_bytes(part->plain) : 0);
    *out = part;
    return STATUS_OK;
}

void column_part_free(column_part *part)
{
    if (!part)
        return;
    dev_buffer_unref(part->values);
    dev_buffer_unref(part->validity);
    dev_buffer_unref(part->bounds);
    tensor_unref(part->plain);
    tensor_unref(part->dictionary);
    mem_free(part);
}

/* ---- reading ---- */

/* Rows that a part and a slice share: where they begin in the part and in the slice, and how many. */
typedef struct overlap {
    uint64_t from, at, count;
} overlap;

static overlap overlap_of(const column_part *part, uint64_t first, uint64_t count)
{
    uint64_t begin = part->first > first ? part->first : first;
    uint64_t end = part->end < first + count ? part->end : first + count;
    return (overlap){begin - part->first, begin - first, end - begin};
}

/* Returns whether the part's values from `first` on are a tensor's as they lie. */
static bool can_view_numbers(const column_part *part, uint64_t first)
{
    return !part->origin && part->width == part->type.width &&
           (!part->validity || (first - part->first) % 64 == 0);
}

static status view_numbers(const column_part *part, uint64_t first, tensor **out)
{
    uint64_t from = first - part->first;
    char *values = part->values->address;
    TRY(tensor_new_view(part->type, part->values, values + from * part->width, out));
    if (part->validity) {
        (*out)->validity = (uint64_t *)part->validity->address + from / 64;
        (*out)->validity_owner = dev_buffer_ref(part->validity);
    }
    return STATUS_OK;
}

static status read_numbers_part(dev_stream *stream, const column_part *part, overlap o, tensor *t)
{
    uint8_t width = part->type.width;
    TRY(DEV_LAUNCH(stream, widen, .width = part->width, .out_width = width,
                   .origin_low = (uint64_t)part->origin,
                   .origin_high = (uint64_t)(part->origin >> 64),
                   .values = (char *)part->values->address + o.from * part->width,
                   .count = dev_count_exact(o.count), .out = (char *)t->values + o.at * width));
    if (!t->validity)
        return STATUS_OK;
    return DEV_LAUNCH(stream, copy_bits, .source = part->validity ? part->validity->address : NULL,
                      .source_at = o.from, .count = dev_count_exact(o.count), .target = t->validity,
                      .target_at = o.at);
}

static status read_numbers(dev_stream *stream, column_part *const *parts, size_t part_count,
                           uint64_t first, uint64_t count, tensor **out)
{
    bool has_nulls = false;
    tensor *t;
    if (part_count == 1 && can_view_numbers(parts[0], first))
        return view_numbers(parts[0], first, out);
    for (size_t i = 0; i < part_count; i++)
        has_nulls |= parts[i]->validity != NULL;
    TRY(tensor_new_flat(stream->dev, parts[0]->type, count, has_nulls, &t));
    status st =
        has_nulls ? stream->dev->ops->zero(stream, t->validity, bitmap_bytes(count)) : STATUS_OK;
    for (size_t i = 0; i < part_count && !st; i++)
        st = read_numbers_part(stream, parts[i], overlap_of(parts[i], first, count), t);
    if (st)
        tensor_unref(t);
    else
        *out = t;
    return st;
}

static status read_codes(dev_stream *stream, column_part *const *parts, size_t part_count,
                         uint64_t first, uint64_t count, tensor **out)
{
    row_index *codes;
    TRY(row_index_new(stream->dev, count, &codes));
    status st = STATUS_OK;
    for (size_t i = 0; i < part_count && !st; i++) {
        overlap o = overlap_of(parts[i], first, count);
        codes->has_nulls |= parts[i]->has_nulls;
        st = DEV_LAUNCH(stream, widen_index, .width = parts[i]->width,
                        .index = (char *)parts[i]->values->address + o.from * parts[i]->width,
                        .count = dev_count_exact(o.count), .out = codes->rows + o.at);
    }
    if (!st)
        st = tensor_new_indexed(stream, parts[0]->dictionary, parts[0]->dictionary_rows, codes,
                                dev_count_exact(count), out);
    if (!st)
        (*out)->is_dictionary = true;
    row_index_unref(codes);
    return st;
}

/* Parts of several forms: each one's rows, one after another. */
static status read_apart(dev_stream *stream, column_part *const *parts, size_t part_count,
                         uint64_t first, uint64_t count, tensor **out)
{
    chunk_list chunks = {0};
    chunk *whole = NULL;
    status st = STATUS_OK;
    for (size_t i = 0; i < part_count && !st; i++) {
        overlap o = overlap_of(parts[i], first, count);
        chunk *one;
        st = chunk_new(1, dev_count_exact(o.count), &one);
        if (!st)
            st = chunk_list_push(&chunks, one);
        if (!st)
            st = column_parts_read(stream, &parts[i], 1, first + o.at, o.count, &one->columns[0]);
    }
    if (!st)
        st = chunk_combine(stream, chunks.items, chunks.count, WHO, &whole);
    if (!st)
        *out = tensor_ref(whole->columns[0]);
    chunk_free(whole);
    chunk_list_release(&chunks);
    return st;
}

static status read_plain(const column_part *part, uint64_t first, tensor **out)
{
    return tensor_new_slice(part->plain, first - part->first, out);
}

bool column_part_can_read(const column_part *part, uint64_t first)
{
    return part->form != COLUMN_PLAIN || first <= part->first ||
           tensor_can_slice(part->plain, first - part->first);
}

/* All parts have the first one's form, and dictionary. */
static bool are_alike(column_part *const *parts, size_t part_count)
{
    for (size_t i = 1; i < part_count; i++)
        if (parts[i]->form != parts[0]->form || parts[i]->dictionary != parts[0]->dictionary)
            return false;
    return true;
}

status column_parts_read(dev_stream *stream, column_part *const *parts, size_t part_count,
                         uint64_t first, uint64_t count, tensor **out)
{
    *out = NULL;
    if (!are_alike(parts, part_count))
        return read_apart(stream, parts, part_count, first, count, out);
    switch (parts[0]->form) {
    case COLUMN_NUMBERS:
        return read_numbers(stream, parts, part_count, first, count, out);
    case COLUMN_CODES:
        return read_codes(stream, parts, part_count, first, count, out);
    case COLUMN_PLAIN:
        break;
    }
    return part_count == 1 ? read_plain(parts[0], first, out)
                           : read_apart(stream, parts, part_count, first, count, out);
}

status column_part_narrow(const column_part *part, uint64_t first, tensor **out)
{
    uint64_t from = first - part->first;
    bool has_validity = part->form == COLUMN_NUMBERS && part->validity;
    *out = NULL;
    if (part->form == COLUMN_PLAIN || part->width > sizeof(uint32_t) || (has_validity && from % 64))
        return STATUS_OK;
    narrow_values narrow = {.width = part->width,
                            .has_null_codes = part->form == COLUMN_CODES && part->has_nulls,
                            .origin = part->form == COLUMN_CODES ? 0 : part->origin};
    if (part->bounds && from % DEV_NARROW_BLOCK == 0) {
        narrow.bounds_owner = part->bounds;
        narrow.bounds = (char *)part->bounds->address + from / DEV_NARROW_BLOCK * 2 * part->width;
    }
    TRY(tensor_new_narrow(part->type, part->values,
                          (char *)part->values->address + from * part->width, &narrow, out));
    if (has_validity) {
        (*out)->validity = (uint64_t *)part->validity->address + from / 64;
        (*out)->validity_owner = dev_buffer_ref(part->validity);
    }
    if (part->form == COLUMN_CODES) {
        (*out)->base = tensor_ref(part->dictionary);
        (*out)->base_rows = part->dictionary_rows;
    }
    return STATUS_OK;
}

/* Bytes for each selected value from which on it takes less time to go to each one than to read all. */
#define APART_BYTES 128

/* Returns whether the bits tell the selected values of a part with less work than their rows. */
static bool is_by_bits(const column_part *part, uint8_t out_width, const column_rows *rows)
{
    return rows->bits && part->width <= sizeof(uint32_t) && out_width <= sizeof(uint64_t) &&
           rows->count * part->width < rows->selected_count * APART_BYTES;
}

static status select_values(dev_stream *stream, const column_part *part, uint64_t origin,
                            uint8_t out_width, const column_rows *rows, void *out)
{
    uint64_t from = rows->first - part->first;
    return DEV_LAUNCH(
        stream, widen_selected, .width = part->width, .out_width = out_width, .origin = origin,
        .values = (char *)part->values->address + from * part->width, .mask = rows->bits,
        .count = dev_count_exact(rows->count), .selected = rows->selected_count, .out = out);
}

static status take_numbers(dev_stream *stream, const column_part *part, const column_rows *rows,
                           void *out)
{
    uint64_t from = rows->first - part->first;
    if (is_by_bits(part, part->type.width, rows))
        return select_values(stream, part, (uint64_t)part->origin, part->type.width, rows, out);
    return DEV_LAUNCH(
        stream, widen_some, .width = part->width, .out_width = part->type.width,
        .origin_low = (uint64_t)part->origin, .origin_high = (uint64_t)(part->origin >> 64),
        .values = (char *)part->values->address + from * part->width, .rows = rows->selected->rows,
        .count = dev_count_exact(rows->selected_count), .out = out);
}

static status some_numbers(dev_stream *stream, const column_part *part, const column_rows *rows,
                           tensor **out)
{
    tensor *t;
    TRY(tensor_new_flat(stream->dev, part->type, rows->selected_count, false, &t));
    status st = take_numbers(stream, part, rows, t->values);
    if (st)
        tensor_unref(t);
    else
        *out = t;
    return st;
}

/* Takes codes; the greatest one, if it stands for NULL, by its row, as it is not a number. */
static status take_codes(dev_stream *stream, const column_part *part, const column_rows *rows,
                         uint32_t *out)
{
    uint64_t from = rows->first - part->first;
    if (!part->has_nulls && is_by_bits(part, sizeof *out, rows))
        return select_values(stream, part, 0, sizeof *out, rows, out);
    return DEV_LAUNCH(stream, widen_index_some, .width = part->width,
                      .index = (char *)part->values->address + from * part->width,
                      .rows = rows->selected->rows, .count = dev_count_exact(rows->selected_count),
                      .out = out);
}

static status some_codes(dev_stream *stream, const column_part *part, const column_rows *rows,
                         tensor **out)
{
    row_index *codes;
    TRY(row_index_new(stream->dev, rows->selected_count, &codes));
    codes->has_nulls = part->has_nulls;
    status st = take_codes(stream, part, rows, codes->rows);
    if (!st)
        st = tensor_new_indexed(stream, part->dictionary, part->dictionary_rows, codes,
                                dev_count_exact(rows->selected_count), out);
    if (!st)
        (*out)->is_dictionary = true;
    row_index_unref(codes);
    return st;
}

status column_part_read_some(dev_stream *stream, const column_part *part, const column_rows *rows,
                             tensor **out)
{
    *out = NULL;
    if (part->form == COLUMN_CODES)
        return some_codes(stream, part, rows, out);
    if (part->form == COLUMN_NUMBERS && !part->validity)
        return some_numbers(stream, part, rows, out);
    return STATUS_OK;
}
