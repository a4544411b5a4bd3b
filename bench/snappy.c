/* snappy.c - our decompression (src/codec/snappy.h) beside the library's, on the pages of a Parquet
 * file's columns, one thread, nothing else. For each column of numbers or text that is compressed
 * with snappy: GB of decompressed bytes a second, the best of the runs. */
#include "codec/snappy.h"
#include "parquet/table/footer.h"
#include "storage/file.h"

#include <snappy-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GROUPS 16 /* of the file's row groups, spread over it */
#define RUNS 9

typedef struct page {
    char *packed, *plain;
    size_t packed_bytes, plain_bytes;
} page;

static page pages[4096];
static size_t page_count;

static bool by_library(const void *source, size_t bytes, void *target, size_t target_bytes)
{
    size_t length = target_bytes;
    return snappy_uncompress(source, bytes, target, &length) == SNAPPY_OK && length == target_bytes;
}

static bool by_portable(const void *source, size_t bytes, void *target, size_t target_bytes)
{
    return snappy_decode(CPU_ISA_SCALAR, source, bytes, target, target_bytes);
}

static bool by_best(const void *source, size_t bytes, void *target, size_t target_bytes)
{
    return snappy_decode(cpu_isa_best(), source, bytes, target, target_bytes);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void give_up(const char *what, status st)
{
    fprintf(stderr, "bench/snappy: %s%s\n", what, st ? status_message(st) : "");
    exit(1);
}

/* GB a second. */
static double measure(bool (*decode)(const void *, size_t, void *, size_t))
{
    double best = 1e9, bytes = 0;
    for (int run = 0; run < RUNS; run++) {
        double started = seconds();
        bytes = 0;
        for (size_t i = 0; i < page_count; i++) {
            if (!decode(pages[i].packed, pages[i].packed_bytes, pages[i].plain,
                        pages[i].plain_bytes))
                give_up("a page cannot be decompressed", NULL);
            bytes += (double)pages[i].plain_bytes;
        }
        double took = seconds() - started;
        best = took < best ? took : best;
    }
    return bytes / best / 1e9;
}

static void take_pages(const file *f, const pq_column_chunk *chunk)
{
    char *bytes = malloc(chunk->compressed_bytes);
    status st = bytes ? file_read(f, chunk->offset, bytes, chunk->compressed_bytes) : NULL;
    if (!bytes || st)
        give_up("", st);
    for (uint64_t at = 0; at < chunk->compressed_bytes;) {
        pq_page_header header;
        size_t header_bytes;
        st = pq_page_header_parse(bytes + at, chunk->compressed_bytes - at, &header, &header_bytes);
        if (st || header.compressed_bytes > chunk->compressed_bytes - at - header_bytes)
            give_up("a damaged page: ", st);
        if (header.type == PQ_PAGE_DATA && page_count < sizeof pages / sizeof *pages) {
            page *p = &pages[page_count++];
            *p = (page){bytes + at + header_bytes, malloc(header.uncompressed_bytes + 1),
                        header.compressed_bytes, header.uncompressed_bytes};
            if (!p->plain)
                give_up("no memory", NULL);
        }
        at += header_bytes + header.compressed_bytes;
    }
}

int main(int count, char **words)
{
    file *f;
    pq_footer *footer;
    if (count != 2)
        give_up("usage: bench/snappy FILE.parquet", NULL);
    status st = file_open(words[1], &f);
    if (!st)
        st = pq_footer_open(f, false, &footer);
    if (st)
        give_up("", st);
    const pq_metadata *metadata = pq_footer_metadata(footer);
    printf("%-20s %8s %8s %8s %8s\n", "GB/s", "library", "portable", "ours", "ratio");
    for (uint32_t leaf = 0; leaf < metadata->leaf_count; leaf++) {
        page_count = 0;
        uint32_t step = metadata->row_group_count / GROUPS + 1;
        for (uint32_t i = 0; i < metadata->row_group_count; i += step)
            if (metadata->row_groups[i].chunks[leaf].codec == PQ_CODEC_SNAPPY)
                take_pages(f, &metadata->row_groups[i].chunks[leaf]);
        if (!page_count)
            continue;
        double library = measure(by_library), portable = measure(by_portable);
        double ours = measure(by_best);
        printf("%-20s %8.2f %8.2f %8.2f %8.2f\n", metadata->leaves[leaf].name, library, portable,
               ours, ours / library);
    }
    pq_footer_unref(footer);
    file_close(f);
    return 0;
}
