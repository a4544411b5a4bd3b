/* xml.h - reads the XML that object stores answer with, item by item: the little of it that they use. Any bytes may come:
 * what is not of this kind ends the reading.
 *
 *     <a>   <b>text</b>   </a>   <c/>
 *     OPEN  LEAF          CLOSE  LEAF, empty
 *
 * Declarations, comments and processing instructions are passed over, attributes too. A DOCTYPE, CDATA, or more than
 * XML_DEPTH_MAX elements in one another are failures. */
#ifndef PISTACHIO_HTTP_XML_H
#define PISTACHIO_HTTP_XML_H

#include <stdbool.h>
#include <stddef.h>

#define XML_DEPTH_MAX 32

typedef struct xml_text {
    const char *start; /* not ended by a NUL */
    size_t bytes;
} xml_text;

typedef enum xml_kind { XML_OPEN, XML_LEAF, XML_CLOSE, XML_END } xml_kind;

typedef struct xml_item {
    xml_kind kind;
    xml_text name; /* without its namespace's prefix */
    xml_text text; /* of a leaf, as it is written: xml_decode */
} xml_item;

typedef struct xml_reader {
    const char *at, *end;
    unsigned depth;
    xml_text names[XML_DEPTH_MAX];
} xml_reader;

void xml_begin(xml_reader *reader, const char *text, size_t bytes);
/* The next item; XML_END after the root's end. False: it is not XML, or not of this kind. */
bool xml_next(xml_reader *reader, xml_item *out);
bool xml_is(const xml_text *text, const char *word);
/* Writes a text with its references (&amp; &#65; &#x41;) resolved, and a NUL; `to` has room for its bytes and one more.
 * False: a reference that is unknown or stands for no character but NUL. */
bool xml_decode(const xml_text *text, char *to);

#endif
