/* kernel_parquet_batch.c - all pages of a column at once: the kernels of one page, page by page. */
#include "codec/checksum.h"
#include "device/cpu/kernel_parquet.h"

/* The bytes of a page that is not, or no longer, compressed. */
#define PAGE_OF(a, p)                                                                              \
    ((p)->is_compressed ? (a)->unpacked + (p)->unpacked_at : (a)->stored + (p)->stored_at)
/* Each page whose kind is one of these, as `p`. */
#define EACH_PAGE(type, a, kinds, p)                                                               \
    for (uint32_t number_ = 0; number_ < (a)->page_count; number_++)                               \
        for (type *p = &(a)->pages[number_]; p; p = NULL)                                          \
            if ((kinds) >> p->kind & 1)

void ISA_(parquet_batch_checksums)(const parquet_batch_checksums_arguments *a)
{
    EACH_PAGE(const parquet_page, a, UINT32_MAX, p)
    {
        const uint8_t *page = a->stored + p->stored_at;
        if (p->has_checksum &&
            codec_checksum(KERNEL_CPU_ISA, 0, page, p->stored_bytes) != p->checksum)
            kernel_fail(a->error, DEV_ERROR_CHECKSUM, p->location, p->file_at);
    }
}

void ISA_(parquet_batch_decompress)(const parquet_batch_decompress_arguments *a)
{
    EACH_PAGE(const parquet_page, a, UINT32_MAX, p)
    {
        if (!p->is_compressed || !(a->codecs >> p->codec & 1))
            continue;
        const uint8_t *source = a->stored + p->stored_at;
        uint8_t *target = a->unpacked + p->unpacked_at;
        if (p->head_bytes)
            memcpy(target, source, p->head_bytes);
        if (p->unpacked_bytes == p->head_bytes)
            continue;
        ISA_(parquet_decompress)
        (&(parquet_decompress_arguments){.codec = p->codec,
                                         .source = source + p->head_bytes,
                                         .source_bytes = p->stored_bytes - p->head_bytes,
                                         .target = target + p->head_bytes,
                                         .target_bytes = p->unpacked_bytes - p->head_bytes,
                                         .error = a->error,
                                         .location = p->location});
    }
}

void ISA_(parquet_batch_library)(const parquet_batch_library_arguments *a)
{
    ISA_(parquet_batch_decompress)
    (&(parquet_batch_decompress_arguments){.codecs = 1u << a->codec,
                                           .stored = a->stored,
                                           .unpacked = a->unpacked,
                                           .pages = a->pages,
                                           .page_count = a->page_count,
                                           .error = a->error});
}

void ISA_(parquet_batch_codes)(const parquet_batch_codes_arguments *a)
{
    EACH_PAGE(const parquet_page, a, PARQUET_PAGE_KIND(CODES), p)
    {
        uint64_t words[] = {p->valid_count, p->values_at};
        uint32_t *out = a->out + p->first_row;
        ISA_(parquet_codes)
        (&(parquet_codes_arguments){.page = PAGE_OF(a, p),
                                    .page_bytes = p->unpacked_bytes,
                                    .words = words,
                                    .dictionary_rows = p->dictionary_rows,
                                    .out = out,
                                    .error = a->error,
                                    .location = p->location});
        for (uint32_t i = 0; p->dictionary_first && i < p->valid_count; i++)
            out[i] += (uint32_t)p->dictionary_first;
        memset(out + p->valid_count, 0, (p->row_count - p->valid_count) * sizeof *out);
    }
}

/* ---- values ---- */

/* A page's booleans to bits that do not begin a word. */
static void place_booleans(const parquet_batch_plain_arguments *a, const parquet_page *p)
{
    const uint8_t *page = PAGE_OF(a, p), *at, *end;
    uint64_t words[] = {p->valid_count, p->values_at}, *out = a->out, count = p->valid_count;
    bool is_right = page_values(page, p->unpacked_bytes, words, &at, &end);
    if (is_right && p->kind == PARQUET_PAGE_RLE && count) {
        uint32_t bytes = 0;
        is_right = end - at >= 4;
        if (is_right) {
            memcpy(&bytes, at, 4);
            at += 4;
        }
        hybrid h = {at, bytes < (size_t)(end - at) ? at + bytes : end, 1};
        is_right = is_right && unpack_bits(&h, count, out, p->first_row) >= 0;
    } else if (is_right && count) {
        is_right = (count + 7) / 8 <= (uint64_t)(end - at);
        if (is_right)
            copy_packed_bits(out, p->first_row, at, count);
    }
    if (!is_right) {
        kernel_fail(a->error, DEV_ERROR_CORRUPT, p->location, p->values_at);
        count = 0;
    }
    set_bits(out, p->first_row + count, p->row_count - count, false);
}

static void place_values(const parquet_batch_plain_arguments *a, const parquet_page *p)
{
    uint64_t words[] = {p->valid_count, a->dense ? 0 : p->values_at};
    uint8_t *out = (uint8_t *)a->out + p->first_row * a->type.width;
    const uint8_t *page = PAGE_OF(a, p);
    uint32_t bytes = p->unpacked_bytes;
    if (a->dense) {
        page = a->dense + p->first_row * a->plain_width;
        bytes = p->valid_count * a->plain_width;
    }
    ISA_(parquet_plain)
    (&(parquet_plain_arguments){.page = page,
                                .page_bytes = bytes,
                                .words = words,
                                .physical = a->physical,
                                .conversion = a->conversion,
                                .type_length = a->type_length,
                                .type = a->type,
                                .out = out,
                                .error = a->error,
                                .location = p->location});
    memset(out + (size_t)p->valid_count * a->type.width, 0,
           (size_t)(p->row_count - p->valid_count) * a->type.width);
}

void ISA_(parquet_batch_plain)(const parquet_batch_plain_arguments *a)
{
    EACH_PAGE(const parquet_page, a, a->kinds, p)
    {
        if (a->type.width)
            place_values(a, p);
        else
            place_booleans(a, p);
    }
}

void ISA_(parquet_batch_split)(const parquet_batch_split_arguments *a)
{
    EACH_PAGE(const parquet_page, a, PARQUET_PAGE_KIND(SPLIT), p)
    {
        uint64_t words[] = {p->valid_count, p->values_at};
        uint8_t *out = a->out + p->first_row * a->width;
        ISA_(parquet_split)
        (&(parquet_split_arguments){.page = PAGE_OF(a, p),
                                    .page_bytes = p->unpacked_bytes,
                                    .words = words,
                                    .width = a->width,
                                    .out = out,
                                    .error = a->error,
                                    .location = p->location});
        memset(out + (size_t)p->valid_count * a->width, 0,
               (size_t)(p->row_count - p->valid_count) * a->width);
    }
}

void ISA_(parquet_batch_delta)(const parquet_batch_delta_arguments *a)
{
    EACH_PAGE(parquet_page, a, a->kinds, p)
    {
        uint64_t words[] = {p->valid_count, a->is_second ? p->second_at : p->values_at};
        uint8_t *out = (uint8_t *)a->out + p->first_row * a->width;
        bool is_last = a->is_second || p->kind != PARQUET_PAGE_PREFIXES;
        ISA_(parquet_delta)
        (&(parquet_delta_arguments){.page = PAGE_OF(a, p),
                                    .page_bytes = p->unpacked_bytes,
                                    .words = words,
                                    .width = a->width,
                                    .out = out,
                                    .out_end = is_last ? &p->tail_at : &p->second_at,
                                    .error = a->error,
                                    .location = p->location});
        memset(out + (size_t)p->valid_count * a->width, 0,
               (size_t)(p->row_count - p->valid_count) * a->width);
    }
}

/* ---- byte arrays ---- */

void ISA_(parquet_batch_prefix_bytes)(const parquet_batch_prefix_bytes_arguments *a)
{
    uint64_t total = 0;
    EACH_PAGE(parquet_page, a, PARQUET_PAGE_KIND(PREFIXES), p)
    {
        uint64_t words[] = {p->valid_count, p->values_at};
        ISA_(parquet_prefix_bytes)
        (&(parquet_prefix_bytes_arguments){.page_bytes = p->unpacked_bytes,
                                           .words = words,
                                           .start = &p->tail_at,
                                           .prefixes = a->prefixes + p->first_row,
                                           .suffixes = a->lengths + p->first_row,
                                           .out_bytes = &p->text_bytes,
                                           .error = a->error,
                                           .location = p->location});
        p->text_at = total;
        total += p->text_bytes;
    }
    *a->out_bytes = total;
}

void ISA_(parquet_batch_prefix_copy)(const parquet_batch_prefix_copy_arguments *a)
{
    EACH_PAGE(const parquet_page, a, PARQUET_PAGE_KIND(PREFIXES), p)
    {
        uint64_t words[] = {p->valid_count, p->values_at};
        ISA_(parquet_prefix_copy)
        (&(parquet_prefix_copy_arguments){.page = PAGE_OF(a, p),
                                          .words = words,
                                          .start = &p->tail_at,
                                          .bytes = &p->text_bytes,
                                          .prefixes = a->prefixes + p->first_row,
                                          .lengths = a->lengths + p->first_row,
                                          .out = a->out + p->text_at});
    }
}

void ISA_(parquet_batch_strings)(const parquet_batch_strings_arguments *a)
{
    EACH_PAGE(const parquet_page, a, PARQUET_PAGE_KIND(LENGTHS) | PARQUET_PAGE_KIND(PREFIXES), p)
    {
        uint64_t words[] = {p->valid_count, p->values_at};
        uint8_t *out = (uint8_t *)a->out + p->first_row * a->type.width;
        bool is_together = p->kind == PARQUET_PAGE_PREFIXES;
        ISA_(parquet_strings)
        (&(parquet_strings_arguments){.source = is_together ? a->texts + p->text_at : PAGE_OF(a, p),
                                      .source_bytes = is_together ? &p->text_bytes : NULL,
                                      .page_bytes = p->unpacked_bytes,
                                      .words = words,
                                      .start = is_together ? NULL : &p->tail_at,
                                      .lengths = a->lengths + p->first_row,
                                      .conversion = a->conversion,
                                      .type_length = a->type_length,
                                      .type = a->type,
                                      .out = out,
                                      .error = a->error,
                                      .location = p->location});
        memset(out + (size_t)p->valid_count * a->type.width, 0,
               (size_t)(p->row_count - p->valid_count) * a->type.width);
    }
}

/* ---- bounds, NULLs, runs ---- */

void ISA_(parquet_batch_bounds)(const parquet_batch_bounds_arguments *a)
{
    EACH_PAGE(const parquet_page, a, a->kinds, p)
    {
        uint64_t words[] = {p->valid_count, p->values_at};
        const uint8_t *values = a->values;
        ISA_(parquet_check_bounds)
        (&(parquet_check_bounds_arguments){
            .type = a->type,
            .values = a->rows ? values : values + p->first_row * a->type.width,
            .rows = a->rows ? a->rows + p->first_row : NULL,
            .words = words,
            .minimum = a->minimum,
            .maximum = a->maximum,
            .error = a->error,
            .location = p->location});
    }
}

void ISA_(parquet_batch_text)(const parquet_batch_text_arguments *a)
{
    EACH_PAGE(const parquet_page, a, a->kinds, p)
    {
        uint64_t words[] = {p->valid_count, p->values_at};
        ISA_(parquet_check_text)
        (&(parquet_check_text_arguments){.values = a->values + p->first_row,
                                         .words = words,
                                         .error = a->error,
                                         .location = p->location});
    }
}

#define SPREAD(type)                                                                               \
    do {                                                                                           \
        const type *dense = (const type *)a->dense + p->first_row;                                 \
        type *out = (type *)a->out + p->first_row;                                                 \
        for (uint32_t i = 0, next = 0; i < p->row_count; i++)                                      \
            out[i] =                                                                               \
                kernel_bit(a->validity, p->first_row + i) ? dense[next++] : (type)a->fill_low;     \
    } while (0)

static void parquet_batch_spread_bits(const parquet_batch_spread_arguments *a,
                                      const parquet_page *p)
{
    for (uint64_t i = p->first_row, next = i; i < p->first_row + p->row_count; i++) {
        bool is_valid = kernel_bit(a->validity, i);
        set_bits(a->out, i, 1, is_valid && kernel_bit(a->dense, next));
        next += is_valid;
    }
}

void ISA_(parquet_batch_spread)(const parquet_batch_spread_arguments *a)
{
    EACH_PAGE(const parquet_page, a, ~PARQUET_PAGE_KIND(DICTIONARY), p)
    {
        switch (a->width) {
        case 0:
            parquet_batch_spread_bits(a, p);
            break;
        case 1:
            SPREAD(uint8_t);
            break;
        case 2:
            SPREAD(uint16_t);
            break;
        case 4:
            SPREAD(uint32_t);
            break;
        case 8:
            SPREAD(uint64_t);
            break;
        default:
            SPREAD(uint128);
        }
    }
    if (!a->width && a->row_count % 64)
        ((uint64_t *)a->out)[a->row_count / 64] &= kernel_word_mask(a->row_count % 64, 0);
}

void ISA_(parquet_run_rows)(const parquet_run_rows_arguments *a)
{
    for (uint32_t r = 0; r < a->run_count; r++)
        for (uint64_t i = 0; i < a->runs[r].count; i++)
            a->out[a->runs[r].at + i] = (uint32_t)(a->runs[r].from + i);
}
