/* usage.c - what is said of wrong arguments. */
#include "cli/output/usage.h"

#include "base/text/nearest.h"

#include <stdio.h>
#include <string.h>

static int say(const char *program, const char *hint)
{
    fprintf(stderr, "hint: %s%s%s --help lists the options\n", hint, *hint ? " " : "", program);
    return 2;
}

int usage_error(const char *program, const char *what, const char *argument)
{
    fprintf(stderr, "%s: %s%s%s\n", program, what, argument ? " " : "", argument ? argument : "");
    return say(program, "");
}

int usage_no_option(const char *program, const char *word, const char *const *names, size_t count)
{
    char hint[128] = "";
    /* -csv: the name is what counts, not the dashes. */
    const char *nearest = nearest_name(word, names, count);
    if (!nearest && word[0] == '-' && word[1] != '-')
        for (size_t i = 0; i < count; i++)
            if (!strcmp(names[i] + strspn(names[i], "-"), word + 1))
                nearest = names[i];
    if (nearest)
        snprintf(hint, sizeof hint, "did you mean %s?", nearest);
    fprintf(stderr, "%s: there is no option %s\n", program, word);
    return say(program, hint);
}

int usage_value(const char *program, const char *option, const char *value, const char *possible)
{
    fprintf(stderr, "%s: %s cannot be \"%s\"\nhint: it is %s\n", program, option, value, possible);
    return 2;
}

char *usage_split_value(char *word)
{
    char *equals = !strncmp(word, "--", 2) ? strchr(word, '=') : NULL;
    if (!equals)
        return NULL;
    *equals = 0;
    return equals + 1;
}
