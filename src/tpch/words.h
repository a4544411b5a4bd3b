/* words.h - the lists of words of TPC-H, and how often each comes (specification 3.0.1, clauses
 * 4.2.2.13 and 4.2.2.14). */
#ifndef PISTACHIO_TPCH_WORDS_H
#define PISTACHIO_TPCH_WORDS_H

#include "tpch/random.h"

#include <stddef.h>

typedef struct tpch_word {
    const char *text;
    uint8_t bytes, weight;
} tpch_word;

typedef struct tpch_words {
    const tpch_word *items;
    uint32_t count, weight; /* the sum of the weights */
} tpch_words;

extern const tpch_words tpch_containers, tpch_types, tpch_colors, tpch_segments, tpch_priorities,
    tpch_instructions, tpch_modes, tpch_return_flags, tpch_regions, tpch_nations;
/* Words that comments are made of. The grammars' words are patterns: one letter a part of speech. */
extern const tpch_words tpch_nouns, tpch_verbs, tpch_adverbs, tpch_prepositions, tpch_auxiliaries,
    tpch_terminators, tpch_adjectives, tpch_sentences, tpch_noun_phrases, tpch_verb_phrases;
/* The region of each nation. */
extern const uint8_t tpch_nation_regions[25];

/* The next word, by weight. */
static inline const tpch_word *tpch_words_pick(const tpch_words *words, tpch_random *r)
{
    uint32_t at = (uint32_t)tpch_random_next(r, 0, (int32_t)words->weight - 1);
    if (words->weight == words->count)
        return &words->items[at];
    const tpch_word *word = words->items;
    while (at >= word->weight)
        at -= word++->weight;
    return word;
}

#endif
