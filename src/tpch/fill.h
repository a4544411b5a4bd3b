/* fill.h - inside the generator: values that several tables make alike. */
#ifndef PISTACHIO_TPCH_FILL_H
#define PISTACHIO_TPCH_FILL_H

#include "tpch/tables.h"
#include "tpch/text_pool.h"
#include "tpch/words.h"

#define MONEY                                                                                      \
    {                                                                                              \
        TYPE_DECIMAL, 15, 2, 8                                                                     \
    }
#define BIGINT                                                                                     \
    {                                                                                              \
        TYPE_INT64, 0, 0, 8                                                                        \
    }
#define INTEGER                                                                                    \
    {                                                                                              \
        TYPE_INT32, 0, 0, 4                                                                        \
    }
#define DAY                                                                                        \
    {                                                                                              \
        TYPE_DATE, 0, 0, 4                                                                         \
    }
#define TEXT                                                                                       \
    {                                                                                              \
        TYPE_VARCHAR, 0, 0, 16                                                                     \
    }
#define COUNT(array) (sizeof(array) / sizeof *(array))

static inline string_view word_view(const tpch_word *word)
{
    return string_view_make(word->text, word->bytes);
}

/* Keeps what the caller has written at the end of the batch's text. */
static inline string_view keep_text(tpch_batch *batch, size_t bytes)
{
    string_view view = string_view_make(batch->text + batch->text_used, (uint32_t)bytes);
    batch->text_used += bytes;
    return view;
}

/* `digits` digits with zeros in front. */
static inline char *put_number(char *out, int64_t number, int digits)
{
    for (int i = digits - 1; i >= 0; i--, number /= 10)
        out[i] = (char)('0' + number % 10);
    return out + digits;
}

/* "Customer#000000042"; larger numbers have more digits. */
static inline string_view named_number(tpch_batch *batch, const char *name, size_t bytes,
                                       int64_t number)
{
    char *start = batch->text + batch->text_used;
    int digits = 9;
    for (int64_t limit = 1000000000; number >= limit; limit *= 10)
        digits++;
    memcpy(start, name, bytes);
    return keep_text(batch, (size_t)(put_number(start + bytes, number, digits) - start));
}

/* Makes a comment of 0.4 to 1.6 times the average length, cut out of the pool; two draws. */
static inline string_view comment(const tpch_scale *scale, tpch_random *r, int average)
{
    int longest = average * 16 / 10;
    int32_t start = tpch_random_next(r, 0, TPCH_POOL_BYTES - longest);
    int32_t bytes = tpch_random_next(r, average * 4 / 10, longest);
    return string_view_make(scale->pool + start, (uint32_t)bytes);
}

/* Letters and digits; nine draws. */
#define ADDRESS_DRAWS 9
#define ADDRESS_BYTES 40
/* Three draws. */
#define PHONE_DRAWS 3
#define PHONE_BYTES 15

#endif
