/* fuzz_footer.c - any bytes as a footer, a page header, page indexes and a Bloom filter's header.
 *
 * Input: a byte that says which, then the bytes. What is accepted keeps the promises that the
 * decoder relies on: chunks inside the file, values that match the rows, pages in order. */
#include "fuzz.h"
#include "parquet/format/bloom.h"
#include "parquet/format/page_index.h"

#define FILE_BYTES 100000

static void check_types(const pq_statistics *s, data_type type)
{
    FUZZ_CHECK(!s->has_min || type_equal(s->min.type, type));
    FUZZ_CHECK(!s->has_max || type_equal(s->max.type, type));
}

static void check_bounds(const pq_statistics *s, data_type type)
{
    check_types(s, type);
    if (s->has_min && s->has_max)
        FUZZ_CHECK(value_compare(&s->min, &s->max) <= 0);
}

static void check_leaf(const pq_leaf *leaf)
{
    unsigned stored = leaf->physical == PQ_INT32 || leaf->physical == PQ_FLOAT    ? 4
                      : leaf->physical == PQ_INT64 || leaf->physical == PQ_DOUBLE ? 8
                                                                                  : 16;
    FUZZ_CHECK(leaf->name && leaf->annotation);
    FUZZ_CHECK(leaf->type.id < TYPE_ID_COUNT);
    FUZZ_CHECK(leaf->is_nested || (leaf->max_definition <= 1 && leaf->max_repetition == 0));
    /* An integer is never narrower in memory than in the page, but for INT32, which is cut. */
    if (leaf->physical == PQ_INT64)
        FUZZ_CHECK(leaf->type.width >= stored);
    if (leaf->physical == PQ_FIXED_LEN_BYTE_ARRAY)
        FUZZ_CHECK(leaf->type_length >= 1);
}

static void fuzz_metadata(arena *memory, const uint8_t *bytes, size_t length)
{
    pq_metadata *m;
    if (!fuzz_settle(pq_metadata_parse(memory, bytes, length, FILE_BYTES, &m)))
        return;
    uint64_t rows = 0;
    for (uint32_t c = 0; c < m->leaf_count; c++)
        check_leaf(&m->leaves[c]);
    for (uint32_t g = 0; g < m->row_group_count; g++) {
        const pq_row_group *group = &m->row_groups[g];
        rows += group->row_count;
        for (uint32_t c = 0; c < m->leaf_count; c++) {
            const pq_column_chunk *chunk = &group->chunks[c];
            FUZZ_CHECK(chunk->offset <= FILE_BYTES);
            FUZZ_CHECK(chunk->compressed_bytes <= FILE_BYTES - chunk->offset);
            FUZZ_CHECK(m->leaves[c].max_repetition || chunk->value_count == group->row_count);
            check_bounds(&chunk->statistics, m->leaves[c].type);
        }
    }
    FUZZ_CHECK(rows == m->row_count);
}

static void fuzz_page_header(const uint8_t *bytes, size_t length)
{
    pq_page_header header;
    size_t header_bytes;
    if (!fuzz_settle(pq_page_header_parse(bytes, length, &header, &header_bytes)))
        return;
    FUZZ_CHECK(header_bytes <= length);
    FUZZ_CHECK(header.compressed_bytes <= INT32_MAX && header.uncompressed_bytes <= INT32_MAX);
    FUZZ_CHECK(header.definition_bytes <= header.compressed_bytes);
}

static void fuzz_indexes(arena *memory, const uint8_t *bytes, size_t length)
{
    pq_leaf leaf = {.name = "x", .type = type_make(TYPE_INT32), .physical = PQ_INT32};
    pq_column_chunk chunk = {.offset = 4, .compressed_bytes = FILE_BYTES - 4};
    pq_statistics unknown = {.null_count = -1, .distinct_count = -1};
    pq_column_index index;
    pq_offset_index offsets;
    bool has_index = fuzz_settle(pq_column_index_parse(memory, &leaf, bytes, length, &index));
    if (has_index)
        for (uint32_t p = 0; p < index.page_count; p++)
            check_types(&index.pages[p], leaf.type);
    if (!fuzz_settle(pq_offset_index_parse(memory, &chunk, 1000, bytes, length, &offsets)))
        return;
    for (uint32_t p = 0; p < offsets.page_count; p++) {
        const pq_page_location *page = &offsets.pages[p];
        FUZZ_CHECK(page->first_row < 1000 && (p || page->first_row == 0));
        FUZZ_CHECK(page->offset + page->bytes <= FILE_BYTES);
    }
    /* Bounds that contradict each other are parsed; an index with such bounds agrees with nothing. */
    if (has_index && pq_indexes_agree(&leaf, &unknown, 1000, &offsets, &index))
        for (uint32_t p = 0; p < index.page_count; p++)
            check_bounds(&index.pages[p], leaf.type);
}

static void fuzz_bloom(const uint8_t *bytes, size_t length)
{
    size_t header_bytes;
    uint32_t filter_bytes;
    if (fuzz_settle(pq_bloom_header_parse(bytes, length, &header_bytes, &filter_bytes)))
        FUZZ_CHECK(header_bytes <= length && filter_bytes % PQ_BLOOM_BLOCK_BYTES == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    uint64_t blocks = mem_in_use();
    arena *memory;
    FUZZ_CHECK(!arena_new(&memory));
    unsigned which = length ? bytes[0] % 4 : 0;
    bytes += length > 0;
    length -= length > 0;
    if (which == 0)
        fuzz_metadata(memory, bytes, length);
    else if (which == 1)
        fuzz_page_header(bytes, length);
    else if (which == 2)
        fuzz_indexes(memory, bytes, length);
    else
        fuzz_bloom(bytes, length);
    arena_free(memory);
    FUZZ_CHECK(mem_in_use() == blocks);
    return 0;
}
