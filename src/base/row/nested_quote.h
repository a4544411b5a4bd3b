/* nested_quote.h - texts within lists, structs and maps as DuckDB prints them: in quotes where they could be taken for
 * something else. */
#ifndef PISTACHIO_BASE_ROW_NESTED_QUOTE_H
#define PISTACHIO_BASE_ROW_NESTED_QUOTE_H

#include "base/type/type.h"

/* Takes a text, piece by piece. */
typedef struct text_sink {
    void (*add)(void *context, const char *text, size_t bytes);
    void *context;
} text_sink;

static inline void text_sink_add(text_sink sink, const char *text)
{
    sink.add(sink.context, text, strlen(text));
}

/* The text, in quotes if it needs them. */
void nested_quote_text(text_sink sink, const char *text, size_t bytes);
/* The text in quotes. */
void nested_quote_name(text_sink sink, const char *text, size_t bytes);
/* A double or float: with a digit after the point, in all its digits below 1e16; nan, inf, -inf. */
void nested_quote_real(text_sink sink, const value *v);
/* The bytes of a blob in quotes. */
void nested_quote_blob(text_sink sink, const string_view *view);

#endif
