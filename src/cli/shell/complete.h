/* complete.h - what a word that is being typed may become: commands, files, settings, keywords, functions, tables and
 * their columns, whichever can stand there. */
#ifndef PISTACHIO_CLI_SHELL_COMPLETE_H
#define PISTACHIO_CLI_SHELL_COMPLETE_H

#include "base/mem.h"
#include "pistachio/pistachio.h"

typedef ARRAY(char *) complete_list;

typedef enum complete_kind {
    COMPLETE_SQL,     /* keywords, functions, tables, columns */
    COMPLETE_TABLE,   /* tables alone */
    COMPLETE_SETTING, /* names of settings */
    COMPLETE_COMMAND, /* the shell's commands, with their dot or backslash */
    COMPLETE_FORMAT,  /* of .mode */
    COMPLETE_FILE,    /* a command's argument */
    COMPLETE_QUOTED,  /* a file in an SQL text */
    COMPLETE_NOTHING
} complete_kind;

/* A word that is being typed: the end of a line. */
typedef struct complete_place {
    complete_kind kind;
    const char *start;
    size_t bytes;
} complete_place;

/* Finds the word that ends at `end`, and what may stand there. line: what is typed of it so far; is_first: the statement
 * begins with it. */
complete_place complete_find(const char *line, const char *end, bool is_first);
/* Words that begin with the place's, in alphabetical order, none twice. Owned by the caller: complete_free. Where
 * something fails there are fewer. */
void complete_word(pistachio_connection *connection, const complete_place *place,
                   complete_list *out);
void complete_free(complete_list *list);
/* Returns what follows a word that is the only one. */
const char *complete_ending(complete_kind kind, const char *word);

/* Adds a word to the list if it begins with the place's, in whatever case, and is not there yet. */
void complete_add(complete_list *list, const complete_place *place, const char *word, size_t bytes);
/* Adds the files and folders whose paths begin with the place's; folders end with a slash. */
void complete_add_files(complete_list *list, const complete_place *place);

#endif
