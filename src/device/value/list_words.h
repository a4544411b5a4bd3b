/* list_words.h - values of a list as words of 64 bits, one after another: what a group keeps of list(x) (kernel list_add)
 * and its list is made of again (device/nested/nested_words.c). Host devices alone have them.
 *
 *   up to 8 bytes   the value's bits, without its sign; a boolean 0 or 1
 *   16 bytes        two such words, the lower one first
 *   a text          up to 7 bytes: its length in the lowest byte, its bytes above; else LIST_LONG in that byte, the length in the
 *                   upper half, and the bytes in words of their own
 *   NULL            LIST_ESCAPE, 0; of texts LIST_NULL
 *
 * A value whose first word would be LIST_ESCAPE has LIST_ESCAPE, 1 in its place. */
#ifndef PISTACHIO_DEVICE_VALUE_LIST_WORDS_H
#define PISTACHIO_DEVICE_VALUE_LIST_WORDS_H

#include "base/type/type.h"

#define LIST_ESCAPE 0x9e3779b97f4a7c15ULL

enum { LIST_SHORT_BYTES = 7, LIST_LONG = 0xfe, LIST_NULL = 0xff };

/* Words of a text's bytes, besides the first one. */
static inline uint64_t list_text_words(uint32_t bytes)
{
    return bytes <= LIST_SHORT_BYTES ? 0 : ((uint64_t)bytes + 7) / 8;
}

/* Whether values of the type have such words: all but nested ones and those without a value. */
static inline bool list_words_take(data_type type)
{
    return type_is_text(type) || type.id == TYPE_BOOL ||
           (!type_is_nested(type) &&
            (type.width <= 8 ? type.width && !(type.width & (type.width - 1)) : type.width == 16));
}

#endif
