/* kernel_like.c - LIKE: pieces of text in a given order, and the general matcher. */
#include "device/cpu/kernel_pack.h"
#include "device/cpu/kernel_search.h"
#include "device/cpu/kernel_text.h"
#include "device/kernel_ops.h"

typedef struct pattern {
    const char *bytes;
    const uint32_t *ends;
    uint32_t count, total_bytes;
    bool at_start, at_end;
    uint32_t prefix, prefix_mask; /* what the first four bytes have to be, in the view itself */
} pattern;

static inline const char *piece_at(const pattern *p, uint32_t k, size_t *bytes)
{
    uint32_t start = k ? p->ends[k - 1] : 0;
    *bytes = p->ends[k] - start;
    return p->bytes + start;
}

/* ---- without wildcards ---- */

static inline bool matches_plain(const pattern *p, const string_view *view)
{
    size_t piece_bytes, bytes = view->bytes;
    uint32_t k = 0, end = p->count, prefix;
    memcpy(&prefix, view->prefix, sizeof prefix);
    if (bytes < p->total_bytes || (prefix ^ p->prefix) & p->prefix_mask)
        return false;
    const char *text = kernel_string_data(view);
    if (!p->count)
        return !p->at_start || !bytes;
    if (p->at_start) {
        const char *piece = piece_at(p, k++, &piece_bytes);
        if (memcmp(text, piece, piece_bytes))
            return false;
        text += piece_bytes;
        bytes -= piece_bytes;
        if (k == end)
            return !p->at_end || !bytes;
    }
    if (p->at_end) {
        const char *piece = piece_at(p, --end, &piece_bytes);
        if (bytes < piece_bytes || memcmp(text + bytes - piece_bytes, piece, piece_bytes))
            return false;
        bytes -= piece_bytes;
    }
    for (; k < end; k++) {
        const char *piece = piece_at(p, k, &piece_bytes);
        size_t found = kernel_search(text, bytes, piece, piece_bytes);
        if (found == KERNEL_NOT_FOUND)
            return false;
        text += found + piece_bytes;
        bytes -= found + piece_bytes;
    }
    return true;
}

/* ---- with wildcards: a piece's length in bytes depends on the text ---- */

static size_t character_bytes(const char *text, size_t bytes)
{
    size_t length = 1;
    while (length < bytes && kernel_is_continuation(text[length]))
        length++;
    return length;
}

/* Bytes of text that the piece takes at its start, or KERNEL_NOT_FOUND. */
static size_t match_here(const char *text, size_t bytes, const char *piece, size_t piece_bytes)
{
    size_t at = 0;
    for (size_t i = 0; i < piece_bytes; i++) {
        if (at >= bytes)
            return KERNEL_NOT_FOUND;
        if ((unsigned char)piece[i] == DEV_PATTERN_ANY_BYTE)
            at += character_bytes(text + at, bytes - at);
        else if (text[at++] != piece[i])
            return KERNEL_NOT_FOUND;
    }
    return at;
}

/* The same at the text's end. */
static size_t match_last(const char *text, size_t bytes, const char *piece, size_t piece_bytes)
{
    size_t at = bytes;
    while (piece_bytes-- > 0) {
        if (!at)
            return KERNEL_NOT_FOUND;
        at--;
        if ((unsigned char)piece[piece_bytes] == DEV_PATTERN_ANY_BYTE) {
            while (at > 0 && kernel_is_continuation(text[at]))
                at--;
        } else if (text[at] != piece[piece_bytes]) {
            return KERNEL_NOT_FOUND;
        }
    }
    return bytes - at;
}

/* Leftmost occurrence: *start and *length. */
static bool match_anywhere(const char *text, size_t bytes, const char *piece, size_t piece_bytes,
                           size_t *end)
{
    for (size_t at = 0; at <= bytes; at++) {
        if (at > 0 && at < bytes && kernel_is_continuation(text[at]))
            continue;
        size_t length = match_here(text + at, bytes - at, piece, piece_bytes);
        if (length != KERNEL_NOT_FOUND) {
            *end = at + length;
            return true;
        }
    }
    return false;
}

static bool matches_wild(const pattern *p, const char *text, size_t bytes)
{
    size_t piece_bytes, length;
    uint32_t k = 0, end = p->count;
    if (p->at_start) {
        const char *piece = piece_at(p, k++, &piece_bytes);
        length = match_here(text, bytes, piece, piece_bytes);
        if (length == KERNEL_NOT_FOUND)
            return false;
        text += length;
        bytes -= length;
        if (k == end)
            return !p->at_end || !bytes;
    }
    if (p->at_end) {
        const char *piece = piece_at(p, --end, &piece_bytes);
        length = match_last(text, bytes, piece, piece_bytes);
        if (length == KERNEL_NOT_FOUND)
            return false;
        bytes -= length;
    }
    for (; k < end; k++) {
        const char *piece = piece_at(p, k, &piece_bytes);
        if (!match_anywhere(text, bytes, piece, piece_bytes, &length))
            return false;
        text += length;
        bytes -= length;
    }
    return true;
}

void ISA_(like)(const like_arguments *a)
{
    size_t count = kernel_count(a->count);
    dev_pattern header;
    memcpy(&header, a->pattern, sizeof header);
    pattern p = {
        .ends = (const uint32_t *)(a->pattern + sizeof header),
        .bytes = (const char *)a->pattern + sizeof header + header.piece_count * sizeof(uint32_t),
        .count = header.piece_count,
        .total_bytes = header.piece_bytes,
        .at_start = header.at_start,
        .at_end = header.at_end,
    };
    const string_view *values = a->values;
    if (header.has_wildcards) {
        KERNEL_PACK_ROWS(count, 0, a->out,
                         matches_wild(&p, kernel_string_data(&values[i]), values[i].bytes))
    } else {
        if (p.at_start && p.count) {
            size_t known = p.ends[0] < 4 ? p.ends[0] : 4;
            memcpy(&p.prefix, p.bytes, known);
            memset(&p.prefix_mask, 0xff, known);
        }
        KERNEL_PACK_ROWS(count, 0, a->out, matches_plain(&p, &values[i]))
    }
}

/* ---- a pattern per row ---- */

typedef enum match { MATCH_NO, MATCH_YES, MATCH_INVALID } match;

/* Goes back to the last % where the text does not go on as the pattern does. */
static match matches_any(const char *text, size_t bytes, const char *pattern, size_t pattern_bytes,
                         int escape)
{
    size_t t = 0, p = 0, retry_text = 0, retry_pattern = KERNEL_NOT_FOUND;
    while (t < bytes || p < pattern_bytes) {
        bool is_escaped = false;
        char c = 0;
        if (p < pattern_bytes) {
            c = pattern[p];
            is_escaped = escape >= 0 && (unsigned char)c == (unsigned)escape;
            if (is_escaped && p + 1 == pattern_bytes)
                return MATCH_INVALID;
        }
        if (p < pattern_bytes && !is_escaped && c == '%') {
            retry_pattern = ++p;
            retry_text = t;
            continue;
        }
        if (p < pattern_bytes && t < bytes) {
            if (!is_escaped && c == '_') {
                t += character_bytes(text + t, bytes - t);
                p++;
                continue;
            }
            if (text[t] == pattern[p + is_escaped]) {
                t++;
                p += 1 + is_escaped;
                continue;
            }
        }
        if (retry_pattern == KERNEL_NOT_FOUND || retry_text >= bytes)
            return MATCH_NO;
        retry_text += character_bytes(text + retry_text, bytes - retry_text);
        t = retry_text;
        p = retry_pattern;
    }
    return MATCH_YES;
}

void ISA_(like_column)(const like_column_arguments *a)
{
    size_t count = kernel_count(a->count), invalid = KERNEL_NOT_FOUND;
    KERNEL_PACK_ROWS(count, 0, a->out, ({
                         const string_view *text = &a->values[i * a->value_stride];
                         const string_view *pattern = &a->patterns[i * a->pattern_stride];
                         match m = MATCH_NO;
                         if (kernel_is_valid(a->validity, i))
                             m = matches_any(kernel_string_data(text), text->bytes,
                                             kernel_string_data(pattern), pattern->bytes,
                                             a->escape);
                         if (m == MATCH_INVALID && invalid == KERNEL_NOT_FOUND)
                             invalid = i;
                         m == MATCH_YES;
                     }))
    if (invalid != KERNEL_NOT_FOUND)
        kernel_fail(a->error, DEV_ERROR_ARGUMENT, a->location, invalid);
}

void ISA_(starts_with)(const starts_with_arguments *a)
{
    size_t count = kernel_count(a->count);
    KERNEL_PACK_ROWS(count, 0, a->out, ({
                         const string_view *text = &a->values[i * a->value_stride];
                         const string_view *prefix = &a->prefixes[i * a->prefix_stride];
                         prefix->bytes <= text->bytes &&
                             !memcmp(kernel_string_data(text), kernel_string_data(prefix),
                                     prefix->bytes);
                     }))
}
