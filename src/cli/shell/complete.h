/* complete.h - what a word that is being typed may become: keywords, tables, columns. */
#ifndef PISTACHIO_CLI_SHELL_COMPLETE_H
#define PISTACHIO_CLI_SHELL_COMPLETE_H

#include "base/mem.h"
#include "pistachio/pistachio.h"

typedef ARRAY(char *) complete_list;

/* Words that begin with the `bytes` bytes of `start`, in alphabetical order, none twice. Owned by
 * the caller: complete_free. Where something fails there are fewer. */
void complete_word(pistachio_connection *connection, const char *start, size_t bytes,
                   complete_list *out);
void complete_free(complete_list *list);

#endif
