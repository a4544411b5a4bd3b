/* regex_translate.h - PostgreSQL's advanced regular expressions as PCRE2 spells them. */
#ifndef PISTACHIO_DEVICE_HOST_REGEX_TRANSLATE_H
#define PISTACHIO_DEVICE_HOST_REGEX_TRANSLATE_H

#include "device/host/regex.h"

/* Reads flags and pattern. Failures have the place in the pattern. */
CHECKED status regex_translate(const char *pattern, size_t bytes, const char *flags,
                               size_t flag_bytes, arena *memory, regex_source *out);
/* The pattern of SIMILAR TO, with its escape (NULL: none), as one of regex_translate. */
CHECKED status regex_from_similar(const char *pattern, size_t bytes, const char *escape,
                                  bool has_parts, arena *memory, const char **out,
                                  size_t *out_bytes);
/* "invalid regular expression \"...\": <what>, at character n", of the byte `at`. */
CHECKED status regex_error(const char *pattern, size_t bytes, size_t at, const char *what);

#endif
