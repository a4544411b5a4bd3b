/* ask.h - requests to servers that answer with text (object_store_functions.ask). */
#ifndef PISTACHIO_HTTP_ASK_H
#define PISTACHIO_HTTP_ASK_H

#include "storage/object_store.h"

CHECKED status ask_server(const object_settings *s, const object_question *q, object_answer *out);

#endif
