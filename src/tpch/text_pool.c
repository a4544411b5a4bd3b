/* text_pool.c - sentences without meaning, by a grammar of three levels, from one stream of random
 * numbers: each word's place in the stream depends on all before, so it is one thread's work. */
#include "tpch/text_pool.h"

#include "tpch/words.h"

#define POOL_SEED 933588178
/* A sentence has at most 5 phrases of 4 words; the longest word has 15 bytes. */
#define SENTENCE_BYTES 512
#define WEIGHTS_MAX 1024

/* Word at each weight: one look-up a draw. */
typedef struct table {
    const tpch_word *words[WEIGHTS_MAX];
    uint32_t weight;
} table;

typedef struct grammar {
    table nouns, verbs, adverbs, prepositions, auxiliaries, terminators, adjectives, sentences,
        noun_phrases, verb_phrases;
} grammar;

static void table_fill(table *t, const tpch_words *words)
{
    for (uint32_t i = 0; i < words->count; i++)
        for (uint32_t w = 0; w < words->items[i].weight; w++)
            t->words[t->weight++] = &words->items[i];
}

static inline const tpch_word *text_pool_pick(const table *t, tpch_random *r)
{
    return t->words[tpch_random_next(r, 0, (int32_t)t->weight - 1)];
}

/* A word and a space; `out` has room for more. */
static inline char *text_pool_put(char *out, const tpch_word *word)
{
    memcpy(out, word->text, word->bytes);
    out[word->bytes] = ' ';
    return out + word->bytes + 1;
}

static char *phrase(char *out, const grammar *g, const table *patterns, tpch_random *r)
{
    for (const char *part = text_pool_pick(patterns, r)->text; *part; part++)
        switch (*part) {
        case 'N':
            out = text_pool_put(out, text_pool_pick(&g->nouns, r));
            break;
        case 'V':
            out = text_pool_put(out, text_pool_pick(&g->verbs, r));
            break;
        case 'J':
            out = text_pool_put(out, text_pool_pick(&g->adjectives, r));
            break;
        case 'D':
            out = text_pool_put(out, text_pool_pick(&g->adverbs, r));
            break;
        case 'X':
            out = text_pool_put(out, text_pool_pick(&g->auxiliaries, r));
            break;
        case ',':
            out[-1] = ',';
            *out++ = ' ';
            break;
        }
    return out;
}

static char *sentence(char *out, const grammar *g, tpch_random *r)
{
    for (const char *part = text_pool_pick(&g->sentences, r)->text; *part; part++)
        switch (*part) {
        case 'N':
            out = phrase(out, g, &g->noun_phrases, r);
            break;
        case 'V':
            out = phrase(out, g, &g->verb_phrases, r);
            break;
        case 'P':
            out = text_pool_put(out, text_pool_pick(&g->prepositions, r));
            memcpy(out, "the ", 4);
            out = phrase(out + 4, g, &g->noun_phrases, r);
            break;
        case 'T':
            out = text_pool_put(out - 1, text_pool_pick(&g->terminators, r));
            break;
        }
    return out;
}

status tpch_pool_new(char **out)
{
    char *pool = mem_new(TPCH_POOL_BYTES + SENTENCE_BYTES);
    grammar *g = mem_new(sizeof *g);
    if (!pool || !g) {
        mem_free(pool);
        mem_free(g);
        return status_no_memory("the text of comments", TPCH_POOL_BYTES);
    }
    table_fill(&g->nouns, &tpch_nouns);
    table_fill(&g->verbs, &tpch_verbs);
    table_fill(&g->adverbs, &tpch_adverbs);
    table_fill(&g->prepositions, &tpch_prepositions);
    table_fill(&g->auxiliaries, &tpch_auxiliaries);
    table_fill(&g->terminators, &tpch_terminators);
    table_fill(&g->adjectives, &tpch_adjectives);
    table_fill(&g->sentences, &tpch_sentences);
    table_fill(&g->noun_phrases, &tpch_noun_phrases);
    table_fill(&g->verb_phrases, &tpch_verb_phrases);
    tpch_random r = {POOL_SEED, 0, 0};
    for (char *at = pool, *end = pool + TPCH_POOL_BYTES; at < end;)
        at = sentence(at, g, &r);
    mem_free(g);
    *out = pool;
    return STATUS_OK;
}

void tpch_pool_free(char *pool)
{
    mem_free(pool);
}
