/* regex.h - regular expressions with PostgreSQL's meaning, by PCRE2: patterns are translated
 * (regex_translate.c), compiled (regex.c) and matched in bounded time. */
#ifndef PISTACHIO_DEVICE_HOST_REGEX_H
#define PISTACHIO_DEVICE_HOST_REGEX_H

#include "base/mem.h"

#define REGEX_GROUPS_MAX 100 /* of which a match says where they are */

/* The options that a pattern is compiled with, and what is known of every text that it matches. */
typedef struct regex_source {
    ARRAY(char) text;        /* as PCRE2 spells it */
    ARRAY(uint32_t) origins; /* by byte of it: the byte of the given pattern that it comes from */
    bool is_literal;         /* flag q: the text stands for itself */
    bool is_case_free, is_expanded;
    bool newline_ends_lines; /* ^ and $ match at lines */
    bool newline_is_special; /* . and [^a] do not match it */
    bool is_global;          /* flag g */
    bool is_ascii;           /* texts of ASCII match it alike byte by byte */
    /* Bytes that every match contains, as they stand; at its start, if said, which is the text's. */
    const char *literal;
    size_t literal_bytes;
    bool literal_at_start;
    /* Bytes that each text that matches ends in; none: 0. */
    const char *ending;
    size_t ending_bytes;
    bool literal_is_all; /* the pattern is nothing else ... */
    bool ends_at_end;    /* ... but that its end is the text's */
} regex_source;

/* A compiled pattern; threads may share it. */
typedef struct regex regex;

/* Lives as long as memory. */
CHECKED status regex_compile(const char *pattern, size_t bytes, const char *flags,
                             size_t flag_bytes, arena *memory, regex **out);
/* Returns what was read out of the pattern. */
const regex_source *regex_source_of(const regex *r);
bool regex_is_global(const regex *r);
uint32_t regex_groups(const regex *r);

/* State of one thread that matching needs in addition. */
typedef struct regex_matcher regex_matcher;

CHECKED status regex_matcher_new(regex_matcher **out);
void regex_matcher_free(regex_matcher *m); /* takes NULL */
/* Begins with a text, which stays until the next one. */
void regex_begin(regex_matcher *m, const regex *r, const char *text, size_t bytes);
/* Finds the first match from byte `from` on. A text that takes too many steps fails. */
CHECKED status regex_find(regex_matcher *m, size_t from, bool *out_found);
/* Gives the bytes of a group of the match (0: all); false: the group is not part of it. */
bool regex_group(const regex_matcher *m, uint32_t group, size_t *out_start, size_t *out_end);
/* Returns where to look for the next match: after this one, a character further if it is empty. */
size_t regex_next(const regex_matcher *m);

#endif
