/* answer.h - reads the headers of an answer, and says what an answer means that is not the one hoped for. */
#ifndef PISTACHIO_HTTP_ANSWER_H
#define PISTACHIO_HTTP_ANSWER_H

#include "http/transfer.h"

/* Takes one line of a header. What is not understood is left out. */
void answer_read_header(transfer_answer *answer, const char *line, size_t bytes);
/* Returns whether the same request may be answered otherwise a moment later. */
bool answer_may_change(const transfer *t);
/* Returns the failure that an answer with an error's code means. */
CHECKED status answer_failure(const transfer *t);
/* Names what could not be done, in an error: "read", "write" or "ask". */
const char *answer_verb(const transfer_question *q);
/* Fails unless the body that is about to come is what was asked for. */
CHECKED status answer_check_body(const transfer *t);

#endif
