/* web_text.h - texts of replies: JSON. */
#ifndef PISTACHIO_SERVER_WEB_WEB_TEXT_H
#define PISTACHIO_SERVER_WEB_WEB_TEXT_H

#include <stdio.h>

/* Writes a text in quotes. Besides what JSON asks for it escapes <, > and &, so that no page takes it for its own. */
void json_text(FILE *out, const char *text);
/* Writes it with ASCII characters alone, for a header. */
void json_text_ascii(FILE *out, const char *text);

#endif
