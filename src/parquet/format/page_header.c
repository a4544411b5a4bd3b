/* page_header.c - parses page headers.
 *
 * A header is one struct with a member per page type, of which the one that its type names counts.
 * Missing ones are an error, so that no page is decoded by guesses. Numbers that decoding does not need are passed
 * over, whatever they say: NULLs and rows of version 2, levels' encodings where there are no levels. */
#include "parquet/format/metadata.h"
#include "parquet/format/thrift.h"

#include <limits.h>

enum { FIELD_DATA = 5, FIELD_DICTIONARY = 7, FIELD_DATA_V2 = 8 };

/* A number of bytes, values, or an encoding. */
static uint32_t read_size(thrift_reader *r, const thrift_field *field)
{
    int64_t number = thrift_int(r, field);
    if (number < 0 || number > INT32_MAX)
        r->is_broken = true;
    return (uint32_t)number;
}

static void page_header_read_data(thrift_reader *r, const thrift_field *outer, pq_page_header *h)
{
    thrift_field f = {0};
    if (!thrift_enter(r, outer))
        return;
    while (thrift_next(r, &f))
        switch (f.id) {
        case 1:
            h->value_count = read_size(r, &f);
            break;
        case 2:
            h->encoding = (pq_encoding)read_size(r, &f);
            break;
        case 3: /* looked at where there are such levels (pq_page_check_encoding) */
            h->definition_encoding = (pq_encoding)(uint32_t)thrift_int(r, &f);
            break;
        case 4:
            h->repetition_encoding = (pq_encoding)(uint32_t)thrift_int(r, &f);
            break;
        default:
            thrift_skip(r, &f);
        }
    thrift_leave(r);
}

static void page_header_read_dictionary(thrift_reader *r, const thrift_field *outer,
                                        pq_page_header *h)
{
    thrift_field f = {0};
    if (!thrift_enter(r, outer))
        return;
    while (thrift_next(r, &f))
        switch (f.id) {
        case 1:
            h->value_count = read_size(r, &f);
            break;
        case 2:
            h->encoding = (pq_encoding)read_size(r, &f);
            break;
        default:
            thrift_skip(r, &f);
        }
    thrift_leave(r);
}

static void read_data_v2(thrift_reader *r, const thrift_field *outer, pq_page_header *h)
{
    thrift_field f = {0};
    if (!thrift_enter(r, outer))
        return;
    while (thrift_next(r, &f))
        switch (f.id) {
        case 1:
            h->value_count = read_size(r, &f);
            break;
        case 4:
            h->encoding = (pq_encoding)read_size(r, &f);
            break;
        case 5:
            h->definition_bytes = read_size(r, &f);
            break;
        case 6:
            h->repetition_bytes = read_size(r, &f);
            break;
        case 7:
            h->is_compressed = thrift_bool(r, &f);
            break;
        default:
            thrift_skip(r, &f);
        }
    thrift_leave(r);
}

/* The member of its type was there; index pages have nothing of interest. */
static bool page_header_is_whole(const pq_page_header *h, uint32_t members)
{
    switch (h->type) {
    case PQ_PAGE_DATA:
        return members >> FIELD_DATA & 1;
    case PQ_PAGE_DICTIONARY:
        return members >> FIELD_DICTIONARY & 1;
    case PQ_PAGE_DATA_V2:
        return members >> FIELD_DATA_V2 & 1 &&
               (uint64_t)h->definition_bytes + h->repetition_bytes <= h->uncompressed_bytes &&
               (uint64_t)h->definition_bytes + h->repetition_bytes <= h->compressed_bytes;
    default:
        return true;
    }
}

status pq_page_header_parse(const void *bytes, size_t length, pq_page_header *out,
                            size_t *out_header_bytes)
{
    thrift_reader r = thrift_reader_make(bytes, length);
    pq_page_header h = {.type = PQ_PAGE_INDEX,
                        .is_compressed = true,
                        .definition_encoding = PQ_RLE,
                        .repetition_encoding = PQ_RLE};
    thrift_field f = {0};
    uint32_t members = 0;
    while (thrift_next(&r, &f)) {
        uint32_t member = f.id > 0 && f.id < 32 ? 1u << f.id : 0;
        if (members & member)
            r.is_broken = true; /* the type of what was read must not change */
        members |= member;
        if (f.id == 1) {
            h.type = (pq_page_type)read_size(&r, &f);
        } else if (f.id == 2) {
            h.uncompressed_bytes = read_size(&r, &f);
        } else if (f.id == 3) {
            h.compressed_bytes = read_size(&r, &f);
        } else if (f.id == 4) {
            h.checksum = (uint32_t)thrift_int(&r, &f);
            h.has_checksum = true;
        } else if (f.id == FIELD_DATA && h.type == PQ_PAGE_DATA) {
            page_header_read_data(&r, &f, &h);
        } else if (f.id == FIELD_DICTIONARY && h.type == PQ_PAGE_DICTIONARY) {
            page_header_read_dictionary(&r, &f, &h);
        } else if (f.id == FIELD_DATA_V2 && h.type == PQ_PAGE_DATA_V2) {
            read_data_v2(&r, &f, &h);
        } else {
            thrift_skip(&r, &f);
        }
    }
    *out_header_bytes = (size_t)(r.at - r.start);
    *out = h;
    const uint32_t required = 1u << 1 | 1u << 2 | 1u << 3;
    if (r.is_broken || (members & required) != required || !page_header_is_whole(&h, members))
        return status_new(STATUS_KIND_CORRUPT, "the page header breaks off or is damaged");
    return STATUS_OK;
}
