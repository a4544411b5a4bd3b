/* kernel_like.cu - LIKE: pieces of text in a given order, and the general matcher; a thread a row. */
#include "device/cuda/text.cuh"

typedef struct pattern {
    const char *bytes;
    const uint32_t *ends;
    uint32_t count, total_bytes;
    bool at_start, at_end;
} pattern;

DEVICE const char *piece_at(const pattern *p, uint32_t k, uint64_t *bytes)
{
    uint32_t start = k ? p->ends[k - 1] : 0;
    *bytes = p->ends[k] - start;
    return p->bytes + start;
}

/* ---- without wildcards ---- */

DEVICE bool matches_plain(const pattern *p, const char *text, uint64_t bytes)
{
    uint64_t piece_bytes;
    uint32_t k = 0, end = p->count;
    if (bytes < p->total_bytes)
        return false;
    if (!p->count)
        return !p->at_start || !bytes;
    if (p->at_start) {
        const char *piece = piece_at(p, k++, &piece_bytes);
        if (text_differs(text, piece, piece_bytes))
            return false;
        text += piece_bytes;
        bytes -= piece_bytes;
        if (k == end)
            return !p->at_end || !bytes;
    }
    if (p->at_end) {
        const char *piece = piece_at(p, --end, &piece_bytes);
        if (bytes < piece_bytes || text_differs(text + bytes - piece_bytes, piece, piece_bytes))
            return false;
        bytes -= piece_bytes;
    }
    for (; k < end; k++) {
        const char *piece = piece_at(p, k, &piece_bytes);
        uint64_t found = find_text(text, bytes, piece, piece_bytes);
        if (found == TEXT_NOT_FOUND)
            return false;
        text += found + piece_bytes;
        bytes -= found + piece_bytes;
    }
    return true;
}

/* ---- with wildcards: a piece's length in bytes depends on the text ---- */

DEVICE uint64_t like_character_bytes(const char *text, uint64_t bytes)
{
    uint64_t length = 1;
    while (length < bytes && is_continuation(text[length]))
        length++;
    return length;
}

/* Bytes of text that the piece takes at its start, or TEXT_NOT_FOUND. */
DEVICE uint64_t match_here(const char *text, uint64_t bytes, const char *piece, uint64_t piece_bytes)
{
    uint64_t at = 0;
    for (uint64_t i = 0; i < piece_bytes; i++) {
        if (at >= bytes)
            return TEXT_NOT_FOUND;
        if ((unsigned char)piece[i] == DEV_PATTERN_ANY_BYTE)
            at += like_character_bytes(text + at, bytes - at);
        else if (text[at++] != piece[i])
            return TEXT_NOT_FOUND;
    }
    return at;
}

/* The same at the text's end. */
DEVICE uint64_t match_last(const char *text, uint64_t bytes, const char *piece, uint64_t piece_bytes)
{
    uint64_t at = bytes;
    while (piece_bytes-- > 0) {
        if (!at)
            return TEXT_NOT_FOUND;
        at--;
        if ((unsigned char)piece[piece_bytes] == DEV_PATTERN_ANY_BYTE) {
            while (at > 0 && is_continuation(text[at]))
                at--;
        } else if (text[at] != piece[piece_bytes]) {
            return TEXT_NOT_FOUND;
        }
    }
    return bytes - at;
}

/* Leftmost occurrence: *start and *length. */
DEVICE bool match_anywhere(const char *text, uint64_t bytes, const char *piece, uint64_t piece_bytes,
                           uint64_t *end)
{
    for (uint64_t at = 0; at <= bytes; at++) {
        if (at > 0 && at < bytes && is_continuation(text[at]))
            continue;
        uint64_t length = match_here(text + at, bytes - at, piece, piece_bytes);
        if (length != TEXT_NOT_FOUND) {
            *end = at + length;
            return true;
        }
    }
    return false;
}

DEVICE bool matches_wild(const pattern *p, const char *text, uint64_t bytes)
{
    uint64_t piece_bytes, length;
    uint32_t k = 0, end = p->count;
    if (p->at_start) {
        const char *piece = piece_at(p, k++, &piece_bytes);
        length = match_here(text, bytes, piece, piece_bytes);
        if (length == TEXT_NOT_FOUND)
            return false;
        text += length;
        bytes -= length;
        if (k == end)
            return !p->at_end || !bytes;
    }
    if (p->at_end) {
        const char *piece = piece_at(p, --end, &piece_bytes);
        length = match_last(text, bytes, piece, piece_bytes);
        if (length == TEXT_NOT_FOUND)
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

KERNEL_TOGETHER_WIDE(like)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    dev_pattern header;
    memcpy(&header, a.pattern, sizeof header);
    pattern p = {(const char *)a.pattern + sizeof header + header.piece_count * sizeof(uint32_t),
                 (const uint32_t *)(a.pattern + sizeof header),
                 header.piece_count,
                 header.piece_bytes,
                 header.at_start != 0,
                 header.at_end != 0};
    bool matches = false;
    if (i < count) {
        const kernel_view *view = (const kernel_view *)a.values + i;
        const char *text = kernel_view_data(view);
        uint64_t bytes = kernel_view_bytes(view);
        matches = header.has_wildcards ? matches_wild(&p, text, bytes)
                                       : matches_plain(&p, text, bytes);
    }
    kernel_write_bit(a.out, i, count, matches);
}

/* ---- a pattern per row ---- */

typedef enum match { MATCH_NO, MATCH_YES, MATCH_INVALID } match;

/* Goes back to the last % where the text does not go on as the pattern does. */
DEVICE match matches_any(const char *text, uint64_t bytes, const char *pattern, uint64_t pattern_bytes,
                         int escape)
{
    uint64_t t = 0, p = 0, retry_text = 0, retry_pattern = TEXT_NOT_FOUND;
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
                t += like_character_bytes(text + t, bytes - t);
                p++;
                continue;
            }
            if (text[t] == pattern[p + is_escaped]) {
                t++;
                p += 1 + is_escaped;
                continue;
            }
        }
        if (retry_pattern == TEXT_NOT_FOUND || retry_text >= bytes)
            return MATCH_NO;
        retry_text += like_character_bytes(text + retry_text, bytes - retry_text);
        t = retry_text;
        p = retry_pattern;
    }
    return MATCH_YES;
}

KERNEL_TOGETHER(like_column)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    match m = MATCH_NO;
    if (i < count && kernel_is_valid(a.validity, i)) {
        const kernel_view *text = (const kernel_view *)a.values + i * a.value_stride;
        const kernel_view *pattern = (const kernel_view *)a.patterns + i * a.pattern_stride;
        m = matches_any(kernel_view_data(text), kernel_view_bytes(text), kernel_view_data(pattern),
                        kernel_view_bytes(pattern), a.escape);
    }
    if (m == MATCH_INVALID)
        kernel_fail(a.error, DEV_ERROR_ARGUMENT, a.location, i);
    kernel_write_bit(a.out, i, count, m == MATCH_YES);
}

KERNEL_TOGETHER(starts_with)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    bool does = false;
    if (i < count) {
        const kernel_view *text = (const kernel_view *)a.values + i * a.value_stride;
        const kernel_view *prefix = (const kernel_view *)a.prefixes + i * a.prefix_stride;
        does = kernel_view_bytes(prefix) <= kernel_view_bytes(text) &&
               !text_differs(kernel_view_data(text), kernel_view_data(prefix),
                             kernel_view_bytes(prefix));
    }
    kernel_write_bit(a.out, i, count, does);
}
