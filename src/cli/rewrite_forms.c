/* rewrite_forms.c - encodings, codecs, sizes and profiles from text. */
#include "cli/rewrite_forms.h"

#include "codec/codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WORD_BYTES 64

/* The next item of a list into `word`; false: it is empty or too long. *text ends behind it. */
static bool forms_next_item(const char **text, char *word)
{
    size_t bytes = strcspn(*text, ",+");
    if (!bytes || bytes >= WORD_BYTES)
        return false;
    memcpy(word, *text, bytes);
    word[bytes] = 0;
    *text += bytes;
    if (**text && *++*text == 0)
        return false; /* nothing behind the comma */
    return true;
}

/* ---- encodings ---- */

#define BIT(encoding) (1u << (encoding))
#define V1_ENCODINGS (BIT(PQ_PLAIN) | BIT(PQ_RLE_DICTIONARY))
#define V2_ENCODINGS                                                                               \
    (V1_ENCODINGS | BIT(PQ_RLE) | BIT(PQ_DELTA_BINARY_PACKED) | BIT(PQ_DELTA_LENGTH_BYTE_ARRAY) |  \
     BIT(PQ_DELTA_BYTE_ARRAY) | BIT(PQ_BYTE_STREAM_SPLIT))

static bool find_encodings(const char *word, uint32_t *out)
{
    static const struct {
        const char *name;
        uint32_t encodings;
    } names[] = {{"v1", V1_ENCODINGS},
                 {"v2", V2_ENCODINGS},
                 {"dictionary", BIT(PQ_RLE_DICTIONARY)},
                 {"delta", BIT(PQ_DELTA_BINARY_PACKED)},
                 {"delta_length", BIT(PQ_DELTA_LENGTH_BYTE_ARRAY)},
                 {"delta_bytes", BIT(PQ_DELTA_BYTE_ARRAY)},
                 {"split", BIT(PQ_BYTE_STREAM_SPLIT)}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcasecmp(names[i].name, word)) {
            *out = names[i].encodings;
            return true;
        }
    for (unsigned e = 0; e < PQ_ENCODING_COUNT; e++)
        if (V2_ENCODINGS >> e & 1 && !strcasecmp(pq_encoding_name(e), word)) {
            *out = BIT(e);
            return true;
        }
    return false;
}

bool cli_parse_encodings(const char *text, uint32_t *out)
{
    char word[WORD_BYTES];
    uint32_t one;
    *out = 0;
    do {
        if (!forms_next_item(&text, word) || !find_encodings(word, &one))
            return false;
        *out |= one;
    } while (*text);
    return true;
}

/* ---- codecs ---- */

static bool add_codec(pq_choice *choice, pq_codec codec, int level)
{
    if (choice->codec_count == sizeof choice->codecs / sizeof *choice->codecs)
        return false;
    choice->codecs[choice->codec_count++] = (pq_codec_level){codec, level};
    return true;
}

/* "zstd(9)": cuts the level off. */
static bool split_level(char *word, int *out)
{
    char *open = strchr(word, '('), *end;
    *out = 0;
    if (!open)
        return true;
    long level = strtol(open + 1, &end, 10);
    *open = 0;
    *out = (int)level;
    return end != open + 1 && !strcmp(end, ")") && level >= 1 && level <= 22;
}

static bool level_fits(pq_codec codec, int level)
{
    return !level || codec == PQ_CODEC_ZSTD || (codec == PQ_CODEC_GZIP && level <= 9) ||
           (codec == PQ_CODEC_BROTLI && level <= 11);
}

static bool forms_find_codec(const char *word, pq_codec *out)
{
    static const pq_codec codecs[] = {PQ_CODEC_SNAPPY, PQ_CODEC_GZIP, PQ_CODEC_BROTLI,
                                      PQ_CODEC_ZSTD, PQ_CODEC_LZ4_RAW};
    *out = PQ_CODEC_NONE;
    if (!strcasecmp(word, "none") || !strcasecmp(word, "uncompressed"))
        return true;
    if (!strcasecmp(word, "lz4"))
        word = "lz4_raw";
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        if (!strcasecmp(codec_name((int)codecs[i]), word)) {
            *out = codecs[i];
            return true;
        }
    return false;
}

bool cli_parse_codecs(const char *text, pq_choice *out)
{
    static const pq_codec sets[] = {PQ_CODEC_NONE, PQ_CODEC_SNAPPY, PQ_CODEC_LZ4_RAW,
                                    PQ_CODEC_ZSTD, PQ_CODEC_GZIP,   PQ_CODEC_BROTLI};
    char word[WORD_BYTES];
    out->codec_count = 0;
    do {
        int level;
        pq_codec codec;
        if (!forms_next_item(&text, word))
            return false;
        bool is_optimal = !strcasecmp(word, "optimal");
        if (is_optimal || !strcasecmp(word, "lightweight")) {
            for (size_t i = 0; i < (is_optimal ? sizeof sets / sizeof *sets : 3); i++)
                if (!add_codec(out, sets[i], 0))
                    return false;
        } else if (!split_level(word, &level) || !forms_find_codec(word, &codec) ||
                   !level_fits(codec, level) || !add_codec(out, codec, level)) {
            return false;
        }
    } while (*text);
    return true;
}

/* ---- numbers ---- */

bool cli_parse_count(const char *text, uint64_t *out)
{
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    *out = number;
    return *text >= '0' && *text <= '9' && !*end && number >= 1 && number <= INT64_MAX;
}

bool cli_parse_bytes(const char *text, uint64_t *out)
{
    char *end;
    double number = strtod(text, &end);
    static const char units[] = "kmgt";
    const char *unit = *end ? strchr(units, *end | 0x20) : NULL;
    if (unit) {
        double base = end[1] == 'i' ? 1024 : 1000;
        end += 1 + (end[1] == 'i');
        for (const char *u = units; u <= unit; u++)
            number *= base;
    }
    end += *end == 'B';
    *out = number >= 1 && number < 1e18 ? (uint64_t)number : 0;
    return end != text && !*end && *out;
}

/* ---- profiles ---- */

static bool find_encoding(const char *name, unsigned *out)
{
    for (*out = 0; *out < PQ_ENCODING_COUNT; ++*out)
        if (!strcasecmp(pq_encoding_name(*out), name))
            return true;
    return false;
}

/* The speeds of a class, or of all numbers. */
static bool set_decoding(unsigned encoding, const char *class, double speed, pq_profile *out)
{
    bool is_number = !strcasecmp(class, "number"), is_any = false;
    for (unsigned c = 0; c < PQ_CLASS_COUNT; c++)
        if (!strcasecmp(class, pq_class_name(c)) ||
            (is_number && c != PQ_CLASS_TEXT && c != PQ_CLASS_BOOLEAN)) {
            out->decode[encoding][c] = speed;
            is_any = true;
        }
    return is_any;
}

static bool forms_read_line(char *line, pq_profile *out)
{
    char name[WORD_BYTES], class[WORD_BYTES];
    double speed;
    unsigned encoding;
    pq_codec codec;
    line[strcspn(line, "#\n")] = 0;
    if (!line[strspn(line, " \t\r")])
        return true;
    if (sscanf(line, " bandwidth %lf", &speed) == 1) {
        out->bandwidth = speed;
    } else if (sscanf(line, " cached %lf", &speed) == 1) {
        out->cached = speed;
    } else if (sscanf(line, " threads %lf", &speed) == 1) {
        out->threads = speed;
    } else if (sscanf(line, " hot %lf", &speed) == 1) {
        out->hot = speed / 100;
        return speed >= 0 && speed <= 100;
    } else if (sscanf(line, " codec %63s %lf", name, &speed) == 2) {
        if (!forms_find_codec(name, &codec))
            return false;
        out->decompress[codec] = speed;
    } else if (sscanf(line, " encoding %63s %63s %lf", name, class, &speed) == 3) {
        if (!find_encoding(name, &encoding) || !set_decoding(encoding, class, speed, out))
            return false;
    } else {
        return false;
    }
    return speed > 0;
}

bool cli_read_profile(const char *path, pq_profile *out, unsigned *out_line)
{
    char line[256];
    bool is_right = true;
    *out_line = 0;
    FILE *source = fopen(path, "re");
    if (!source)
        return false;
    while (is_right && fgets(line, sizeof line, source)) {
        ++*out_line;
        is_right = forms_read_line(line, out);
    }
    if (is_right && ferror(source)) {
        is_right = false;
        *out_line = 0;
    }
    fclose(source);
    return is_right;
}

/* Every digit, so that the same decisions come of what is read back. */
void cli_write_profile(const pq_profile *profile, FILE *target)
{
    fprintf(target, "bandwidth %.17g\ncached %.17g\nthreads %.17g\nhot %.17g\n", profile->bandwidth,
            profile->cached, profile->threads, profile->hot * 100);
    for (unsigned c = PQ_CODEC_SNAPPY; c < PQ_CODEC_COUNT; c++)
        if (profile->decompress[c] > 0 && c != PQ_CODEC_LZ4)
            fprintf(target, "codec %s %.17g\n", codec_name((int)c), profile->decompress[c]);
    for (unsigned e = 0; e < PQ_ENCODING_COUNT; e++)
        for (unsigned c = 0; c < PQ_CLASS_COUNT; c++)
            if (profile->decode[e][c] > 0 && e != PQ_PLAIN_DICTIONARY)
                fprintf(target, "encoding %s %s %.17g\n", pq_encoding_name(e), pq_class_name(c),
                        profile->decode[e][c]);
}
