/* leaf_rows.c - pages, levels, dictionaries; each length is checked against the bytes that are there. */
#include "lake/log/leaf_rows.h"

#include "base/cancel.h"
#include "codec/codec.h"

#define PAGE_BYTES_MAX (UINT32_C(256) << 20)
#define VALUES_MAX (UINT64_C(1) << 26)

typedef struct leaf_reader {
    arena *memory;
    const pq_leaf *leaf;
    const pq_column_chunk *chunk;
    leaf_value *dictionary;
    size_t dictionary_count;
    leaf_values *out;
} leaf_reader;

static status broken_page(const char *what)
{
    return status_new(STATUS_KIND_CORRUPT, "a page is damaged: %s", what);
}

static status no_leaf_memory(size_t bytes)
{
    return status_no_memory("lake", bytes);
}

/* ---- runs of numbers ---- */

static bool take_varint(leaf_bytes *from, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 64 && from->at < from->end; shift += 7) {
        uint8_t byte = *from->at++;
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

static uint32_t take_packed(const uint8_t *bytes, uint64_t bit, unsigned width)
{
    uint32_t number = 0;
    for (unsigned i = 0; i < width; i++, bit++)
        number |= (uint32_t)(bytes[bit / 8] >> bit % 8 & 1) << i;
    return number;
}

/* Decodes `count` numbers of the hybrid of repeated and packed ones. */
static status decode_runs(leaf_bytes from, unsigned width, size_t count, uint32_t *out)
{
    size_t done = 0, bytes = (width + 7) / 8;
    while (done < count) {
        uint64_t head;
        TRY(cancel_check());
        if (!take_varint(&from, &head) || !(head >> 1))
            return broken_page("its runs end early");
        uint64_t more = head & 1 ? (head >> 1) * 8 : head >> 1;
        size_t taken = more < count - done ? (size_t)more : count - done;
        size_t left = (size_t)(from.end - from.at);
        if (!(head & 1)) {
            uint32_t number = 0;
            if (bytes > left)
                return broken_page("its runs end early");
            for (size_t i = 0; i < bytes; i++)
                number |= (uint32_t)from.at[i] << 8 * i;
            for (size_t i = 0; i < taken; i++)
                out[done++] = number;
            from.at += bytes;
            continue;
        }
        if (taken * width > left * 8)
            return broken_page("its runs end early");
        for (size_t i = 0; i < taken; i++)
            out[done++] = take_packed(from.at, i * width, width);
        uint64_t whole = (head >> 1) * width;
        from.at += whole < left ? whole : left;
    }
    return STATUS_OK;
}

static unsigned width_of(uint32_t greatest)
{
    return greatest ? 32 - (unsigned)__builtin_clz(greatest) : 0;
}

/* ---- values ---- */

static uint32_t stored_width(const pq_leaf *leaf)
{
    switch (leaf->physical) {
    case PQ_INT32:
    case PQ_FLOAT:
        return 4;
    case PQ_INT96:
        return 12;
    case PQ_FIXED_LEN_BYTE_ARRAY:
        return leaf->type_length;
    default:
        return 8;
    }
}

static const uint8_t booleans[] = {0, 1};

static status decode_plain(const pq_leaf *leaf, leaf_bytes from, size_t count, leaf_value *out)
{
    uint32_t width = stored_width(leaf);
    for (size_t i = 0; i < count; i++) {
        size_t left = (size_t)(from.end - from.at);
        if (leaf->physical == PQ_BOOLEAN) {
            if (i / 8 >= left)
                return broken_page("it has fewer values than it says");
            out[i] = (leaf_value){.bytes = &booleans[from.at[i / 8] >> i % 8 & 1], .count = 1};
            continue;
        }
        uint32_t bytes = width;
        if (leaf->physical == PQ_BYTE_ARRAY) {
            if (left < 4)
                return broken_page("it has fewer values than it says");
            memcpy(&bytes, from.at, 4);
            from.at += 4;
            left -= 4;
        }
        if (bytes > left)
            return broken_page("it has fewer values than it says");
        out[i] = (leaf_value){.bytes = from.at, .count = bytes};
        from.at += bytes;
    }
    return STATUS_OK;
}

static status decode_codes(const leaf_reader *r, leaf_bytes from, size_t count, leaf_value *out)
{
    uint32_t *codes = arena_alloc_array(r->memory, count + 1, sizeof *codes);
    if (!codes)
        return no_leaf_memory(count * sizeof *codes);
    if (!count)
        return STATUS_OK;
    unsigned width = from.at < from.end ? *from.at++ : 33;
    if (width > 32)
        return broken_page("its codes have no width");
    TRY(decode_runs(from, width, count, codes));
    for (size_t i = 0; i < count; i++) {
        if (codes[i] >= r->dictionary_count)
            return broken_page("a code is not in its dictionary");
        out[i] = r->dictionary[codes[i]];
    }
    return STATUS_OK;
}

static status decode_booleans(const leaf_reader *r, leaf_bytes from, size_t count, leaf_value *out)
{
    uint32_t bytes, *bits = arena_alloc_array(r->memory, count + 1, sizeof *bits);
    if (!bits)
        return no_leaf_memory(count * sizeof *bits);
    if (from.end - from.at < 4)
        return broken_page("it ends early");
    memcpy(&bytes, from.at, 4);
    from.at += 4;
    if (bytes > (uint64_t)(from.end - from.at))
        return broken_page("it ends early");
    TRY(decode_runs((leaf_bytes){from.at, from.at + bytes}, 1, count, bits));
    for (size_t i = 0; i < count; i++)
        out[i] = (leaf_value){.bytes = &booleans[bits[i] & 1], .count = 1};
    return STATUS_OK;
}

static status decode_deltas(const leaf_reader *r, leaf_bytes from, size_t count, leaf_value *out)
{
    int64_t *numbers;
    size_t there;
    uint32_t width = stored_width(r->leaf);
    TRY(leaf_decode_delta(r->memory, &from, count, &numbers, &there));
    if (there < count)
        return broken_page("it has fewer values than it says");
    for (size_t i = 0; i < count;
         i++) /* little-endian: its first bytes are those of a narrower one */
        out[i] = (leaf_value){.bytes = (const uint8_t *)&numbers[i], .count = width};
    return STATUS_OK;
}

static status decode_values(const leaf_reader *r, pq_encoding encoding, leaf_bytes from,
                            size_t count, leaf_value *out)
{
    bool is_binary =
        r->leaf->physical == PQ_BYTE_ARRAY || r->leaf->physical == PQ_FIXED_LEN_BYTE_ARRAY;
    switch (encoding) {
    case PQ_PLAIN:
        return decode_plain(r->leaf, from, count, out);
    case PQ_PLAIN_DICTIONARY:
    case PQ_RLE_DICTIONARY:
        return decode_codes(r, from, count, out);
    case PQ_RLE:
        if (r->leaf->physical == PQ_BOOLEAN)
            return decode_booleans(r, from, count, out);
        break;
    case PQ_DELTA_BINARY_PACKED:
        if (r->leaf->physical == PQ_INT32 || r->leaf->physical == PQ_INT64)
            return decode_deltas(r, from, count, out);
        break;
    case PQ_DELTA_LENGTH_BYTE_ARRAY:
    case PQ_DELTA_BYTE_ARRAY:
        if (is_binary)
            return leaf_decode_texts(r->memory, &from, count, encoding == PQ_DELTA_BYTE_ARRAY, out);
        break;
    default:
        break;
    }
    return status_new(STATUS_KIND_UNSUPPORTED,
                      "column \"%s\" has an encoding that is not read in files of a lake's log",
                      r->leaf->name);
}

/* ---- pages ---- */

/* Gives the page's bytes decompressed, behind its levels if these are apart. */
static status unpack_page(const leaf_reader *r, const pq_page_header *h, const uint8_t *bytes,
                          leaf_bytes *out)
{
    bool is_v2 = h->type == PQ_PAGE_DATA_V2;
    uint64_t levels = is_v2 ? (uint64_t)h->definition_bytes + h->repetition_bytes : 0;
    if (levels > h->compressed_bytes || levels > h->uncompressed_bytes ||
        h->uncompressed_bytes > PAGE_BYTES_MAX)
        return broken_page("its lengths are not possible");
    bool is_packed = r->chunk->codec != PQ_CODEC_NONE && (!is_v2 || h->is_compressed);
    *out = (leaf_bytes){bytes, bytes + h->compressed_bytes};
    if (!is_packed)
        return STATUS_OK;
    uint8_t *plain = arena_alloc(r->memory, (size_t)h->uncompressed_bytes + 1);
    if (!plain)
        return no_leaf_memory(h->uncompressed_bytes);
    memcpy(plain, bytes, levels);
    if (h->uncompressed_bytes > levels &&
        !codec_decompress(cpu_isa_best(), (int)r->chunk->codec, bytes + levels,
                          h->compressed_bytes - levels, plain + levels,
                          h->uncompressed_bytes - levels))
        return broken_page("it cannot be decompressed");
    *out = (leaf_bytes){plain, plain + h->uncompressed_bytes};
    return STATUS_OK;
}

/* Takes levels, which in pages of version 1 stand behind their length. */
static status take_levels(leaf_bytes *from, bool is_v2, uint32_t bytes, uint32_t greatest,
                          size_t count, uint32_t *out)
{
    if (!is_v2) {
        if (!greatest)
            return STATUS_OK;
        if (from->end - from->at < 4)
            return broken_page("its levels end early");
        memcpy(&bytes, from->at, 4);
        from->at += 4;
    }
    if (bytes > (uint64_t)(from->end - from->at))
        return broken_page("its levels end early");
    leaf_bytes levels = {from->at, from->at + bytes};
    from->at += bytes;
    return greatest ? decode_runs(levels, width_of(greatest), count, out) : STATUS_OK;
}

static status leaf_rows_take_dictionary(leaf_reader *r, const pq_page_header *h, leaf_bytes bytes)
{
    size_t count = h->value_count;
    /* A value takes at least a bit. */
    if (count / 8 > (size_t)(bytes.end - bytes.at))
        return broken_page("its dictionary is shorter than it says");
    r->dictionary = arena_alloc_array(r->memory, count + 1, sizeof *r->dictionary);
    if (!r->dictionary)
        return no_leaf_memory(count * sizeof *r->dictionary);
    r->dictionary_count = count;
    return decode_plain(r->leaf, bytes, count, r->dictionary);
}

static status take_page(leaf_reader *r, const pq_page_header *h, leaf_bytes bytes)
{
    size_t count = h->value_count, valid = 0, next = 0;
    bool is_v2 = h->type == PQ_PAGE_DATA_V2;
    const pq_leaf *leaf = r->leaf;
    if (r->out->count + count > r->chunk->value_count)
        return broken_page("its column has more values than its footer says");
    uint32_t *levels = arena_alloc_array(r->memory, 2 * count + 1, sizeof *levels);
    leaf_value *values = arena_alloc_array(r->memory, count + 1, sizeof *values);
    if (!levels || !values)
        return no_leaf_memory(count * sizeof *values);
    uint32_t *definitions = levels + count;
    TRY(take_levels(&bytes, is_v2, h->repetition_bytes, leaf->max_repetition, count, levels));
    TRY(take_levels(&bytes, is_v2, h->definition_bytes, leaf->max_definition, count, definitions));
    for (size_t i = 0; i < count; i++)
        valid += definitions[i] == leaf->max_definition;
    TRY(decode_values(r, h->encoding, bytes, valid, values));
    TRY(array_reserve(r->memory, r->out, count));
    for (size_t i = 0; i < count; i++) {
        leaf_value *v = &r->out->items[r->out->count++];
        *v = definitions[i] == leaf->max_definition ? values[next++] : (leaf_value){0};
        v->repetition = (uint16_t)levels[i];
        v->definition = (uint16_t)definitions[i];
    }
    return STATUS_OK;
}

static status take_pages(leaf_reader *r, const uint8_t *bytes, size_t count)
{
    for (size_t at = 0; r->out->count < r->chunk->value_count;) {
        pq_page_header h;
        size_t head;
        leaf_bytes page;
        TRY(cancel_check());
        TRY(pq_page_header_parse(bytes + at, count - at, &h, &head));
        at += head;
        if (at > count || h.compressed_bytes > count - at)
            return broken_page("it ends behind its column");
        bool is_data = h.type == PQ_PAGE_DATA || h.type == PQ_PAGE_DATA_V2;
        if (is_data || h.type == PQ_PAGE_DICTIONARY) {
            TRY(unpack_page(r, &h, bytes + at, &page));
            TRY(is_data ? take_page(r, &h, page) : leaf_rows_take_dictionary(r, &h, page));
        }
        at += h.compressed_bytes;
    }
    return STATUS_OK;
}

status leaf_read(arena *a, const file *f, const pq_metadata *m, uint32_t row_group, uint32_t leaf,
                 leaf_values *out)
{
    const pq_column_chunk *chunk = &m->row_groups[row_group].chunks[leaf];
    leaf_reader r = {.memory = a, .leaf = &m->leaves[leaf], .chunk = chunk, .out = out};
    uint64_t bytes = chunk->compressed_bytes + chunk->spare_bytes;
    *out = (leaf_values){0};
    if (chunk->value_count > VALUES_MAX)
        return status_new(STATUS_KIND_UNSUPPORTED, "column \"%s\" has more values than are read",
                          r.leaf->name);
    if (chunk->offset > f->bytes || bytes > f->bytes - chunk->offset)
        return broken_page("its column lies beyond the end of the file");
    uint8_t *stored = arena_alloc(a, bytes + 1);
    if (!stored)
        return no_leaf_memory(bytes);
    TRY(file_read(f, chunk->offset, stored, bytes));
    return status_context(take_pages(&r, stored, bytes), "column \"%s\", row group %u",
                          r.leaf->name, row_group);
}

uint64_t leaf_read_bytes(const pq_metadata *m, uint32_t row_group, uint32_t leaf)
{
    const pq_column_chunk *chunk = &m->row_groups[row_group].chunks[leaf];
    uint64_t most = VALUES_MAX * sizeof(leaf_value);
    uint64_t values = chunk->value_count < VALUES_MAX ? chunk->value_count : VALUES_MAX;
    uint64_t stored = chunk->compressed_bytes < most ? chunk->compressed_bytes : most;
    uint64_t plain = chunk->uncompressed_bytes < most ? chunk->uncompressed_bytes : most;
    /* The list doubles in an arena; a page has its values and levels once more. */
    return stored + plain + values * 3 * sizeof(leaf_value);
}

int leaf_find(const pq_metadata *m, const char *begin, const char *end)
{
    size_t first = strlen(begin), last = strlen(end);
    for (uint32_t i = 0; i < m->leaf_count; i++) {
        const char *name = m->leaves[i].name;
        size_t bytes = strlen(name);
        if (bytes >= first + last && !strncmp(name, begin, first) &&
            !strcmp(name + bytes - last, end) && (last || bytes == first))
            return (int)i;
    }
    return -1;
}
