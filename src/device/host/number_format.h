/* number_format.h - the words of PostgreSQL's formats of numbers, as to_char takes them: places of digits, and what
 * stands between them. */
#ifndef PISTACHIO_DEVICE_HOST_NUMBER_FORMAT_H
#define PISTACHIO_DEVICE_HOST_NUMBER_FORMAT_H

#include "base/mem.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum number_word_kind {
    NUMBER_TEXT,  /* a character that stands for itself */
    NUMBER_DIGIT, /* 9 */
    NUMBER_ZERO,  /* 0 */
    NUMBER_POINT,
    NUMBER_GROUP,    /* a comma, where digits stand before it */
    NUMBER_CURRENCY, /* a space: there is no locale */
    NUMBER_MINUS,    /* MI */
    NUMBER_PLUS,     /* PL */
    NUMBER_SIGN,     /* SG */
    NUMBER_ORDINAL,  /* TH, th */
    NUMBER_ROMAN     /* RN, rn */
} number_word_kind;

typedef struct number_word {
    number_word_kind kind;
    char letter; /* TEXT: itself; ORDINAL, ROMAN: 'a' for small ones, 'A' */
} number_word;

#define NUMBER_DIGITS_MAX 128 /* places */

typedef struct number_format {
    ARRAY(number_word) words;
    unsigned whole, fraction; /* places of digits before and behind the point */
    unsigned shift;           /* those behind V, which count to neither */
    unsigned first_zero;      /* the first place with a 0 before the point, from 0 */
    unsigned last_zero;       /* places up to the last 0, behind the point as well */
    unsigned before_sign;     /* of `whole`, those before S */
    bool has_point, is_bare, has_zero, has_shift; /* FM; a 0 before the point; V */
    bool has_minus, has_plus;                     /* MI, PL; SG is both */
    bool has_sign, is_trailing_sign;              /* S; behind the digits */
    bool has_brackets;                            /* PR */
    bool is_scientific, is_roman;
} number_format;

/* INVALID where the words do not go together. Its memory is the arena's. */
CHECKED status number_format_parse(const char *text, size_t bytes, arena *memory,
                                   number_format *out);

#endif
