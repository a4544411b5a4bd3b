/* usage.h - what is said of wrong arguments: a line, and a hint. */
#ifndef PISTACHIO_CLI_OUTPUT_USAGE_H
#define PISTACHIO_CLI_OUTPUT_USAGE_H

#include <stdbool.h>
#include <stddef.h>

/* All print to stderr and return 2, the exit status. `program` as it was called: "pistachio
 * rewrite". `what` is followed by the argument, which may be NULL. */
int usage_error(const char *program, const char *what, const char *argument);
/* Says that there is no such option; `names` are those that there are. */
int usage_no_option(const char *program, const char *word, const char *const *names, size_t count);
/* An option's value is wrong; `possible` says what it can be. */
int usage_value(const char *program, const char *option, const char *value, const char *possible);

/* "--name=value": cuts the word at the = and returns the value, else NULL. */
char *usage_split_value(char *word);

#endif
