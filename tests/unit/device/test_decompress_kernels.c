/* test_decompress_kernels.c - pages of every ISA and the CUDA device: what the libraries compress, LZ4 sequences that no
 * library writes, and damaged bytes.
 * test_label: not-tsan release */
#include "kernel_tables.h"
#include "plain_bytes.h"
#include "test.h"

#include "codec/codec.h"
#include "parquet/write/compress.h"

#define BYTES_MAX 70000
#define LOCATION 7

static const char *const isas[] = {"scalar", "avx2", "avx512", "cuda"};
#define ISAS (sizeof isas / sizeof *isas)

/* The codecs that every device has kernels for. */
static const int codecs[] = {PQ_CODEC_SNAPPY, PQ_CODEC_LZ4, PQ_CODEC_LZ4_RAW};
#define CODECS (sizeof codecs / sizeof *codecs)
#define CODEC_MASK (1u << PQ_CODEC_SNAPPY | 1u << PQ_CODEC_LZ4 | 1u << PQ_CODEC_LZ4_RAW)

typedef struct bytes {
    uint8_t *at;
    size_t count, room;
} bytes;

/* With room for just so many, so that a byte too far is seen. */
static bytes new_bytes(size_t count)
{
    bytes b = {mem_new(count ? count : 1), count, count};
    CHECK(b.at);
    return b;
}

static void add(bytes *b, const void *source, size_t count)
{
    if (b->room < b->count + count || !b->at) {
        b->room = 2 * (b->count + count) + 1;
        b->at = mem_resize(b->at, b->room);
        CHECK(b->at);
    }
    if (count)
        memcpy(b->at + b->count, source, count);
    b->count += count;
}

static void add_byte(bytes *b, size_t byte)
{
    add(b, &(uint8_t){(uint8_t)byte}, 1);
}

static bytes compress(int codec, const void *plain, size_t count)
{
    pq_buffer packed = {0};
    bytes out = {0};
    CHECK_OK(pq_compress((pq_codec)codec, 0, plain, count, &packed));
    add(&out, packed.items, packed.count);
    array_release(&packed);
    return out;
}

/* True: no error, and target has the bytes; else they are zero. */
static bool decompress(dev_kernel_function kernel, int codec, const bytes *packed, bytes *target)
{
    dev_error error = {.code = DEV_ERROR_NONE};
    bytes source = new_bytes(packed->count);
    memcpy(source.at, packed->at, packed->count);
    memset(target->at, 0xa5, target->count);
    kernel(&(parquet_decompress_arguments){.codec = codec,
                                           .source = source.at,
                                           .source_bytes = (uint32_t)source.count,
                                           .target = target->at,
                                           .target_bytes = (uint32_t)target->count,
                                           .error = &error,
                                           .location = LOCATION});
    mem_free(source.at);
    uint32_t code = atomic_load(&error.code);
    CHECK(code == DEV_ERROR_NONE || code == DEV_ERROR_CORRUPT);
    CHECK(code == DEV_ERROR_NONE || error.location == LOCATION);
    for (size_t i = 0; code && i < target->count; i++)
        CHECK_EQ(target->at[i], 0);
    return code == DEV_ERROR_NONE;
}

static void check_good(dev_kernel_function kernel, int codec, const bytes *packed,
                       const bytes *plain)
{
    bytes target = new_bytes(plain->count), other = new_bytes(plain->count + 1);
    CHECK(decompress(kernel, codec, packed, &target));
    CHECK(!memcmp(target.at, plain->at, plain->count));
    CHECK(!decompress(kernel, codec, packed, &other));
    other.count = plain->count ? plain->count - 1 : 1;
    CHECK(!decompress(kernel, codec, packed, &other));
    mem_free(target.at);
    mem_free(other.at);
}

TEST(what_the_libraries_compress)
{
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function kernel = test_kernel(isas[isa], DEV_KERNEL_parquet_decompress);
        for (unsigned round = 0; kernel && round < 50; round++) {
            bytes plain = new_bytes(round < 30 ? round + 1 : test_random() % BYTES_MAX + 1);
            test_fill(plain.at, plain.count, round);
            for (size_t i = 0; i < CODECS; i++) {
                bytes packed = compress(codecs[i], plain.at, plain.count);
                check_good(kernel, codecs[i], &packed, &plain);
                mem_free(packed.at);
            }
            mem_free(plain.at);
        }
    }
}

/* ---- LZ4, sequence by sequence ---- */

#define END_LITERALS 5
#define END_BYTES 12 /* in which no copy begins */
#define OFFSET_MAX 65535

/* Around 15, where a length goes on, and where 255 more begin one more byte, and 32 bytes of lanes. */
static const size_t lengths[] = {0,   1,   2,    3,    4,    13,   14,   15,   16,   17,   30,  31,
                                 32,  33,  64,   100,  268,  269,  270,  271,  272,  523,  524, 525,
                                 526, 780, 7900, 8174, 8175, 8176, 8429, 8430, 8431, 17000};
#define LENGTHS (sizeof lengths / sizeof *lengths)
static const size_t offsets[] = {1,  2,  3,  4,  5,  7,   8,   9,    15,    16,    17,        31,
                                 32, 33, 63, 64, 65, 255, 256, 4095, 65534, 65535, OFFSET_MAX};
#define OFFSETS (sizeof offsets / sizeof *offsets)

typedef struct sequences {
    bytes packed, plain;
} sequences;

static void add_length(bytes *packed, size_t length)
{
    if (length < 15)
        return;
    for (length -= 15; length >= 255; length -= 255)
        add_byte(packed, 255);
    add_byte(packed, length);
}

static void add_literals(sequences *s, size_t literals, size_t copy)
{
    add_byte(&s->packed, (literals < 15 ? literals : 15) << 4 | (copy < 15 ? copy : 15));
    add_length(&s->packed, literals);
    for (size_t i = 0; i < literals; i++) {
        uint8_t byte = (uint8_t)test_random();
        add(&s->packed, &byte, 1);
        add(&s->plain, &byte, 1);
    }
}

/* copy: less the four bytes that any has. */
static void add_sequence(sequences *s, size_t literals, size_t offset, size_t copy)
{
    add_literals(s, literals, copy);
    if (offset > s->plain.count)
        offset = s->plain.count;
    add_byte(&s->packed, offset & 255);
    add_byte(&s->packed, offset >> 8);
    add_length(&s->packed, copy);
    for (size_t i = 0; i < copy + 4; i++)
        add_byte(&s->plain, s->plain.at[s->plain.count - offset]);
}

static void add_frame(bytes *framed, const sequences *s)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        add_byte(framed, s->plain.count >> shift & 255);
    for (int shift = 24; shift >= 0; shift -= 8)
        add_byte(framed, s->packed.count >> shift & 255);
    add(framed, s->packed.at, s->packed.count);
}

static void release(sequences *s)
{
    mem_free(s->packed.at);
    mem_free(s->plain.at);
    *s = (sequences){0};
}

static sequences random_sequences(void)
{
    sequences s = {0};
    size_t count = test_random() % 12;
    add_sequence(&s, 1 + lengths[test_random() % LENGTHS], 1, lengths[test_random() % LENGTHS]);
    while (count-- && s.plain.count < 2 * BYTES_MAX) {
        size_t offset = offsets[test_random() % OFFSETS];
        if (test_random() % 3 == 0)
            offset = 1 + test_random() % (s.plain.count < OFFSET_MAX ? s.plain.count : OFFSET_MAX);
        add_sequence(&s, lengths[test_random() % LENGTHS], offset,
                     lengths[test_random() % LENGTHS]);
    }
    add_literals(&s, END_BYTES + lengths[test_random() % LENGTHS], 0);
    return s;
}

TEST(lz4_sequences_of_any_lengths_and_offsets)
{
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function kernel = test_kernel(isas[isa], DEV_KERNEL_parquet_decompress);
        for (unsigned round = 0; kernel && round < 40; round++) {
            sequences s = random_sequences();
            check_good(kernel, PQ_CODEC_LZ4_RAW, &s.packed, &s.plain);
            check_good(kernel, PQ_CODEC_LZ4, &s.packed, &s.plain); /* without a frame */
            release(&s);
        }
    }
}

TEST(lz4_frames)
{
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function kernel = test_kernel(isas[isa], DEV_KERNEL_parquet_decompress);
        for (unsigned count = 1; kernel && count < 6; count++) {
            bytes framed = {0}, plain = {0};
            for (unsigned i = 0; i < count; i++) {
                sequences s = random_sequences();
                add_frame(&framed, &s);
                add(&plain, s.plain.at, s.plain.count);
                release(&s);
            }
            check_good(kernel, PQ_CODEC_LZ4, &framed, &plain);
            framed.count--;
            bytes target = new_bytes(plain.count);
            CHECK(!decompress(kernel, PQ_CODEC_LZ4, &framed, &target));
            framed.count++;
            framed.at[3] ^= 1; /* the first frame's length */
            CHECK(!decompress(kernel, PQ_CODEC_LZ4, &framed, &target));
            mem_free(framed.at);
            mem_free(plain.at);
            mem_free(target.at);
        }
    }
}

/* A block that ends in a copy of such a length and literals: the format wants five of them, and the copy to
 * begin twelve bytes before the end. */
TEST(lz4_ends_as_the_format_wants_it)
{
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function kernel = test_kernel(isas[isa], DEV_KERNEL_parquet_decompress);
        for (size_t copy = 0; kernel && copy < 12; copy++)
            for (size_t literals = 0; literals < 14; literals++) {
                sequences s = {0};
                add_sequence(&s, 20, 7, copy);
                add_literals(&s, literals, 0);
                bytes target = new_bytes(s.plain.count);
                bool is_right = literals >= END_LITERALS && literals + copy + 4 >= END_BYTES;
                CHECK_EQ(decompress(kernel, PQ_CODEC_LZ4_RAW, &s.packed, &target), is_right);
                CHECK(!is_right || !memcmp(target.at, s.plain.at, target.count));
                mem_free(target.at);
                release(&s);
            }
    }
}

/* ---- damaged ---- */

typedef enum verdict { GOOD, BAD, BAD_OFFSET /* of 0: the host's library takes it */ } verdict;

/* False: the bytes end before the length does. */
static bool read_length(const bytes *in, size_t *at, size_t *length)
{
    if (*length < 15)
        return true;
    while (*at < in->count) {
        uint8_t byte = in->at[(*at)++];
        *length += byte;
        if (byte < 255)
            return true;
    }
    return false;
}

/* Byte by byte, as the format's description has it. */
static verdict expected_of(const bytes *in, bytes *out)
{
    size_t at = 0, done = 0;
    while (at < in->count) {
        size_t literals = in->at[at] >> 4, copy = in->at[at] & 15;
        at++;
        if (!read_length(in, &at, &literals) || literals > in->count - at ||
            literals > out->count - done)
            return BAD;
        if (literals)
            memcpy(out->at + done, in->at + at, literals);
        at += literals;
        done += literals;
        if (at == in->count)
            return done == out->count ? GOOD : BAD;
        if (in->count - at < 2 || out->count - done < END_BYTES)
            return BAD;
        size_t offset = in->at[at] | (size_t)in->at[at + 1] << 8;
        at += 2;
        if (!read_length(in, &at, &copy) || offset > done ||
            copy + 4 + END_LITERALS > out->count - done)
            return BAD;
        if (!offset)
            return BAD_OFFSET;
        for (copy += 4; copy; copy--, done++)
            out->at[done] = out->at[done - offset];
    }
    return BAD;
}

/* Other bits, other bytes, fewer bytes, more of them. */
static void damage(bytes *b)
{
    for (uint64_t i = test_random() % 4; i; i--)
        b->at[test_random() % b->count] ^= (uint8_t)(1 << test_random() % 8);
    if (test_random() % 4 == 0)
        memset(b->at + test_random() % b->count, test_random() % 2 ? 255 : 0, 1);
    if (test_random() % 4 == 0)
        b->count = 1 + test_random() % b->count;
    if (test_random() % 8 == 0)
        add_byte(b, test_random() & 255);
}

TEST(damaged_lz4)
{
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function kernel = test_kernel(isas[isa], DEV_KERNEL_parquet_decompress);
        bool is_cuda = test_is_cuda(isas[isa]);
        for (unsigned round = 0; kernel && round < (is_cuda ? 300 : 1000); round++) {
            bytes plain = new_bytes(1 + test_random() % 3000);
            bytes expected = new_bytes(plain.count), target = new_bytes(plain.count);
            test_fill(plain.at, plain.count, round);
            bytes packed = compress(PQ_CODEC_LZ4_RAW, plain.at, plain.count);
            damage(&packed);
            verdict v = expected_of(&packed, &expected);
            bool is_good = decompress(kernel, PQ_CODEC_LZ4_RAW, &packed, &target);
            CHECK(v == BAD_OFFSET ? !is_cuda || !is_good : is_good == (v == GOOD));
            CHECK(v != GOOD || !memcmp(target.at, expected.at, target.count));
            mem_free(plain.at);
            mem_free(expected.at);
            mem_free(target.at);
            mem_free(packed.at);
        }
    }
}

/* Every build says of damaged pages what the scalar one says. */
TEST(damaged_snappy_and_frames)
{
    dev_kernel_function scalar = test_kernel("scalar", DEV_KERNEL_parquet_decompress);
    dev_kernel_function cuda = test_kernel("cuda", DEV_KERNEL_parquet_decompress);
    for (unsigned round = 0; cuda && round < 300; round++) {
        int codec = round % 2 ? PQ_CODEC_SNAPPY : PQ_CODEC_LZ4;
        bytes plain = new_bytes(1 + test_random() % 3000);
        bytes expected = new_bytes(plain.count), target = new_bytes(plain.count);
        test_fill(plain.at, plain.count, round);
        bytes packed = compress(codec, plain.at, plain.count), block = {0};
        damage(&packed);
        if (codec == PQ_CODEC_LZ4 && packed.count > 8)
            add(&block, packed.at + 8, packed.count - 8);
        bool has_bad_offset =
            codec == PQ_CODEC_LZ4 && (expected_of(&packed, &expected) == BAD_OFFSET ||
                                      expected_of(&block, &expected) == BAD_OFFSET);
        bool is_good = decompress(scalar, codec, &packed, &expected);
        if (!has_bad_offset) {
            CHECK_EQ(decompress(cuda, codec, &packed, &target), is_good);
            CHECK(!memcmp(target.at, expected.at, target.count));
        }
        mem_free(plain.at);
        mem_free(expected.at);
        mem_free(target.at);
        mem_free(packed.at);
        mem_free(block.at);
    }
}

/* Lengths without an end, and longer than any page. */
TEST(hostile_lengths)
{
    static const uint8_t starts[][6] = {
        {0xf0}, {0xff}, {0x1f, 'x', 1, 0}, {0x0f, 1, 0}, {0xf0, 255, 0, 'x'}};
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function kernel = test_kernel(isas[isa], DEV_KERNEL_parquet_decompress);
        for (size_t i = 0; kernel && i < sizeof starts / sizeof *starts; i++)
            for (size_t more = 0; more < 200; more += 1 + more / 3) {
                bytes packed = {0}, target = new_bytes(30);
                size_t bytes_of_start = i < 2 ? 1 : i == 3 ? 3 : 4;
                add(&packed, starts[i], bytes_of_start);
                for (size_t k = 0; k < more; k++)
                    add_byte(&packed, 255);
                CHECK(!decompress(kernel, PQ_CODEC_LZ4_RAW, &packed, &target));
                CHECK(!decompress(kernel, PQ_CODEC_LZ4, &packed, &target));
                mem_free(packed.at);
                mem_free(target.at);
            }
    }
}

/* ---- many pages ---- */

#define PAGES 40

typedef struct pages {
    bytes stored, plain;
    uint32_t parts;
    parquet_page list[PAGES];
} pages;

/* Pages of any of the codecs, and of none; each third with levels that are not compressed. */
static pages make_pages(size_t round, const int *of, size_t count)
{
    pages p = {0};
    for (uint32_t i = 0; i < PAGES; i++) {
        int codec = i % 5 < count ? of[i % 5] : PQ_CODEC_NONE;
        uint32_t head = i % 3 == 2 ? (uint32_t)test_random() % 20 : 0;
        bytes plain = new_bytes(head + (i == 7 ? 0 : 1 + test_random() % (round ? 2000 : 200)));
        test_fill(plain.at, plain.count, i + (unsigned)round);
        parquet_page *d = &p.list[i];
        *d = (parquet_page){.stored_at = p.stored.count,
                            .unpacked_at = p.plain.count,
                            .unpacked_bytes = (uint32_t)plain.count,
                            .head_bytes = head,
                            .location = LOCATION + i,
                            .kind = (uint8_t)(i % 8),
                            .codec = (uint8_t)codec,
                            .is_compressed = codec != PQ_CODEC_NONE,
                            .first_part = p.parts};
        p.parts += d->is_compressed ? PARQUET_PARTS(plain.count - head) : 0;
        add(&p.stored, plain.at, d->is_compressed ? head : plain.count);
        if (d->is_compressed && plain.count > head) {
            bytes packed = compress(codec, plain.at + head, plain.count - head);
            add(&p.stored, packed.at, packed.count);
            mem_free(packed.at);
        }
        d->stored_bytes = (uint32_t)(p.stored.count - d->stored_at);
        add(&p.plain, plain.at, plain.count);
        mem_free(plain.at);
    }
    return p;
}

static dev_error launch(dev_kernel_function kernel, const pages *p, uint32_t mask, bytes *unpacked)
{
    dev_error error = {.code = DEV_ERROR_NONE};
    memset(unpacked->at, 0xa5, unpacked->count);
    kernel(&(parquet_batch_decompress_arguments){.codecs = mask,
                                                 .stored = p->stored.at,
                                                 .unpacked = unpacked->at,
                                                 .pages = p->list,
                                                 .page_count = PAGES,
                                                 .part_count = p->parts,
                                                 .error = &error});
    return error;
}

/* Pages of the mask's codecs are there, others are left alone. */
static void check_pages(const pages *p, uint32_t mask, const bytes *unpacked)
{
    for (uint32_t i = 0; i < PAGES; i++) {
        const parquet_page *d = &p->list[i];
        const uint8_t *found = unpacked->at + d->unpacked_at;
        if (d->is_compressed && mask >> d->codec & 1)
            CHECK(!memcmp(found, p->plain.at + d->unpacked_at, d->unpacked_bytes));
        else
            for (uint32_t k = 0; k < d->unpacked_bytes; k++)
                CHECK_EQ(found[k], 0xa5);
    }
}

TEST(many_pages)
{
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function kernel = test_kernel(isas[isa], DEV_KERNEL_parquet_batch_decompress);
        for (size_t round = 0; kernel && round < 4; round++) {
            pages p = make_pages(round, codecs, CODECS);
            bytes unpacked = new_bytes(p.plain.count);
            uint32_t mask = round == 3 ? 1u << PQ_CODEC_LZ4_RAW : CODEC_MASK;
            dev_error error = launch(kernel, &p, mask, &unpacked);
            CHECK_EQ(atomic_load(&error.code), DEV_ERROR_NONE);
            check_pages(&p, mask, &unpacked);
            for (uint32_t i = (uint32_t)round; i < PAGES; i += 4) {
                parquet_page *d = &p.list[i];
                if (!d->is_compressed || !(mask >> d->codec & 1) ||
                    d->unpacked_bytes == d->head_bytes)
                    continue;
                d->stored_bytes--;
                error = launch(kernel, &p, mask, &unpacked);
                d->stored_bytes++;
                CHECK_EQ(atomic_load(&error.code), DEV_ERROR_CORRUPT);
                CHECK_EQ(error.location, LOCATION + i);
            }
            mem_free(p.stored.at);
            mem_free(p.plain.at);
            mem_free(unpacked.at);
        }
    }
}

/* ---- pages of a library ---- */

static const int library_codecs[] = {PQ_CODEC_GZIP, PQ_CODEC_ZSTD, PQ_CODEC_SNAPPY};

static dev_error launch_library(dev_kernel_function kernel, const pages *p, int codec,
                                bytes *unpacked)
{
    dev_error error = {.code = DEV_ERROR_NONE};
    parquet_batch_library_arguments a = {.codec = (uint8_t)codec,
                                         .stored = p->stored.at,
                                         .unpacked = unpacked->at,
                                         .pages = p->list,
                                         .page_count = PAGES,
                                         .error = &error};
    for (uint32_t i = 0; i < PAGES; i++) {
        const parquet_page *d = &p->list[i];
        uint32_t count = d->unpacked_bytes - d->head_bytes;
        if (!d->is_compressed || d->codec != codec)
            continue;
        a.library_pages += count > 0;
        a.largest = count > a.largest ? count : a.largest;
        a.total += count;
    }
    memset(unpacked->at, 0xa5, unpacked->count);
    kernel(&a);
    return error;
}

/* Changes a bit of page i's compressed bytes, and gives it back. True: the page is still of a kind that a library is
 * given (codec_is_one_stream). */
static bool flip(pages *p, uint32_t i, uint64_t bit)
{
    const parquet_page *d = &p->list[i];
    uint8_t *source = p->stored.at + d->stored_at + d->head_bytes;
    source[bit / 8] ^= (uint8_t)(1 << bit % 8);
    return codec_is_one_stream(d->codec, source, d->stored_bytes - d->head_bytes,
                               d->unpacked_bytes - d->head_bytes);
}

/* A library other than the emulated one may not see what is damaged. */
static void check_damaged_page(const char *isa, dev_kernel_function kernel, pages *p, uint32_t i,
                               bytes *unpacked, bytes *expected)
{
    const parquet_page *d = &p->list[i];
    dev_kernel_function scalar = test_kernel("scalar", DEV_KERNEL_parquet_batch_library);
    uint64_t bit = test_random() % ((uint64_t)(d->stored_bytes - d->head_bytes) * 8);
    if (flip(p, i, bit)) {
        dev_error error = launch_library(kernel, p, d->codec, unpacked);
        dev_error other = launch_library(scalar, p, d->codec, expected);
        bool is_strict = !test_is_cuda(isa) || getenv("PISTACHIO_NVCOMP_LIBRARY");
        CHECK(atomic_load(&error.code) == atomic_load(&other.code) ||
              (!is_strict && !atomic_load(&error.code)));
        CHECK(!atomic_load(&error.code) || error.location == LOCATION + i);
        CHECK((!is_strict && atomic_load(&other.code)) ||
              !memcmp(unpacked->at, expected->at, unpacked->count));
    }
    flip(p, i, bit);
}

static bool has_library(const char *isa)
{
    dev_codecs found;
    if (!test_is_cuda(isa))
        return true;
    CHECK_OK(dev_cuda_codecs(&found));
    return found.library >> PQ_CODEC_GZIP & 1 && found.library >> PQ_CODEC_ZSTD & 1;
}

TEST(pages_of_a_library)
{
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function kernel = test_kernel(isas[isa], DEV_KERNEL_parquet_batch_library);
        for (size_t round = 0; kernel && has_library(isas[isa]) && round < 4; round++) {
            pages p = make_pages(round, library_codecs, 3);
            bytes unpacked = new_bytes(p.plain.count), expected = new_bytes(p.plain.count);
            for (size_t c = 0; c < 2; c++) {
                int codec = library_codecs[c];
                dev_error error = launch_library(kernel, &p, codec, &unpacked);
                CHECK_EQ(atomic_load(&error.code), DEV_ERROR_NONE);
                check_pages(&p, 1u << codec, &unpacked);
            }
            for (uint32_t i = 0; i < PAGES; i++)
                if (p.list[i].is_compressed && p.list[i].codec != PQ_CODEC_SNAPPY &&
                    p.list[i].unpacked_bytes > p.list[i].head_bytes)
                    check_damaged_page(isas[isa], kernel, &p, i, &unpacked, &expected);
            mem_free(p.stored.at);
            mem_free(p.plain.at);
            mem_free(unpacked.at);
            mem_free(expected.at);
        }
    }
}

/* With PISTACHIO_CUDA_FAIL, which makes the first call fail (tests/cuda_emulation). */
TEST(a_library_that_fails)
{
    dev_kernel_function kernel = test_kernel("cuda", DEV_KERNEL_parquet_batch_library);
    if (!kernel || !getenv("PISTACHIO_CUDA_FAIL"))
        SKIP("no call is made to fail");
    pages p = make_pages(1, library_codecs, 3);
    bytes unpacked = new_bytes(p.plain.count);
    dev_error error = launch_library(kernel, &p, PQ_CODEC_ZSTD, &unpacked);
    CHECK_EQ(atomic_load(&error.code), DEV_ERROR_LIBRARY);
    error = launch_library(kernel, &p, PQ_CODEC_ZSTD, &unpacked);
    CHECK_EQ(atomic_load(&error.code), DEV_ERROR_NONE);
    check_pages(&p, 1u << PQ_CODEC_ZSTD, &unpacked);
    mem_free(p.stored.at);
    mem_free(p.plain.at);
    mem_free(unpacked.at);
}

/* More pages than a block has threads, and none but levels. */
TEST(many_pages_of_a_library)
{
    enum { MANY = 700 };
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function kernel = test_kernel(isas[isa], DEV_KERNEL_parquet_batch_library);
        if (!kernel || !has_library(isas[isa]))
            continue;
        bytes stored = {0}, plain = {0};
        parquet_page *list = mem_new_array(MANY, sizeof *list);
        parquet_batch_library_arguments a = {
            .codec = PQ_CODEC_ZSTD, .pages = list, .page_count = MANY};
        for (uint32_t i = 0; i < MANY; i++) {
            uint8_t text[40];
            uint32_t count = i < 300 ? 0 : i % 40, head = 3;
            test_fill(text, sizeof text, i);
            list[i] = (parquet_page){.stored_at = stored.count,
                                     .unpacked_at = plain.count,
                                     .unpacked_bytes = head + count,
                                     .head_bytes = head,
                                     .codec = PQ_CODEC_ZSTD,
                                     .is_compressed = true};
            bytes packed = compress(PQ_CODEC_ZSTD, text, count);
            add(&stored, "abc", head);
            add(&stored, packed.at, packed.count);
            add(&plain, "abc", head);
            add(&plain, text, count);
            mem_free(packed.at);
            list[i].stored_bytes = (uint32_t)(stored.count - list[i].stored_at);
            a.library_pages += count > 0;
            a.largest = count > a.largest ? count : a.largest;
            a.total += count;
        }
        bytes unpacked = new_bytes(plain.count);
        dev_error error = {.code = DEV_ERROR_NONE};
        a.stored = stored.at;
        a.unpacked = unpacked.at;
        a.error = &error;
        kernel(&a);
        CHECK_EQ(atomic_load(&error.code), DEV_ERROR_NONE);
        CHECK(!memcmp(unpacked.at, plain.at, plain.count));
        a.page_count = 300; /* which have levels alone */
        a.library_pages = a.largest = 0;
        a.total = 0;
        memset(unpacked.at, 0, unpacked.count);
        kernel(&a);
        CHECK_EQ(atomic_load(&error.code), DEV_ERROR_NONE);
        CHECK(!memcmp(unpacked.at, plain.at, list[300].unpacked_at));
        mem_free(stored.at);
        mem_free(plain.at);
        mem_free(unpacked.at);
        mem_free(list);
    }
}
